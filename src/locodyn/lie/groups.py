"""The groups SO3, SE3, SE2, R3, R1 on NumPy arrays of any leading batch shape. The contract: :mod:`locodyn.lie.base`.

>>> from locodyn.lie import SE3
>>> g = SE3.exp([0.1, 0.0, 0.0, 0.0, 0.0, 1.0])
>>> bool(abs(SE3.log(g) - [0.1, 0.0, 0.0, 0.0, 0.0, 1.0]).max() < 1e-15)
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from locodyn.errors import InputError
from locodyn.lie import rows
from locodyn.lie.base import Array, Group

_NOT_A_ROTATION = 1e-6  # largest entry of R^T R - 1 that is still taken for a rotation


def _hat3(v: Array) -> Array:
    out = np.zeros((*v.shape[:-1], 3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


class _MatrixGroup(Group):
    """What SO(3), SE(3) and SE(2) share: an element is a square matrix whose upper left block is a rotation."""

    _rotation: int  # size of the rotation block
    _size: int
    _prefix: str

    def __init__(self) -> None:
        self.element_shape = (self._size, self._size)
        self._matrix = (self.dim, self.dim)

    @property
    def identity(self) -> Array:
        """Neutral element."""
        return np.eye(self._size)

    def _element(self, g: ArrayLike) -> Array:
        array = super()._element(g)
        n = self._rotation
        R = array[..., :n, :n]
        gap = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(n)).max(initial=0.0)
        if gap > _NOT_A_ROTATION or (np.linalg.det(R) < 0.0).any():
            raise InputError(f"{self.name}: a matrix is not a rotation: R^T R differs from 1 by {gap:.1e}, or det R is -1.")
        if n < self._size and (array[..., n, :] != np.eye(self._size)[n]).any():
            raise InputError(f"{self.name}: the last row of a homogeneous matrix must be zeros and a one.")
        return array

    def exp(self, u: ArrayLike) -> Array:
        """Exponential of u."""
        return self._rows(getattr(rows, self._prefix + "exp"), self.element_shape, (self._vector(u), 1))

    def log(self, g: ArrayLike) -> Array:
        """Shortest u with exp(u) = g."""
        return self._rows(getattr(rows, self._prefix + "log"), (self.dim,), (self._element(g), 2))

    def compose(self, g: ArrayLike, h: ArrayLike) -> Array:
        """Product g h."""
        loop = getattr(rows, self._prefix + "compose")
        return self._rows(loop, self.element_shape, (self._element(g), 2), (self._element(h), 2))

    def inverse(self, g: ArrayLike) -> Array:
        """g^-1."""
        return self._rows(getattr(rows, self._prefix + "inverse"), self.element_shape, (self._element(g), 2))

    def Ad(self, g: ArrayLike) -> Array:
        """Adjoint matrix of g."""
        return self._rows(getattr(rows, self._prefix + "adjoint"), self._matrix, (self._element(g), 2))

    def tangent(self, u: ArrayLike) -> Array:
        """Right Jacobian T(u)."""
        return self._rows(getattr(rows, self._prefix + "tangent"), self._matrix, (self._vector(u), 1))

    def inverse_tangent(self, u: ArrayLike) -> Array:
        """T(u)^-1."""
        return self._rows(getattr(rows, self._prefix + "inverse_tangent"), self._matrix, (self._vector(u), 1))

    def tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """d/ds T(u + s du) at s = 0."""
        loop = getattr(rows, self._prefix + "tangent_derivative")
        return self._rows(loop, self._matrix, (self._vector(u), 1), (self._vector(du, "a direction"), 1))

    def inverse_tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """d/ds T(u + s du)^-1 at s = 0."""
        loop = getattr(rows, self._prefix + "inverse_tangent_derivative")
        return self._rows(loop, self._matrix, (self._vector(u), 1), (self._vector(du, "a direction"), 1))


class RotationGroup(_MatrixGroup):
    """SO(3): rotation matrices (3, 3); vectors are rotation vectors (rad) in body axes."""

    name, dim = "SO3", 3
    _rotation, _size, _prefix = 3, 3, "so3_"

    def from_quaternion(self, q: ArrayLike) -> Array:
        """Rotation matrix of a quaternion (w, x, y, z) of any length but zero, (..., 4) -> (..., 3, 3)."""
        array = self._numbers(q, (4,), "a quaternion")
        if (np.abs(array).max(axis=-1, initial=0.0) < 1e-100).any():
            raise InputError("SO3: a quaternion is zero; a rotation needs one of length 1.")
        return self._rows(rows.so3_from_quaternion, (3, 3), (array, 1))

    def to_quaternion(self, g: ArrayLike) -> Array:
        """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix, (..., 3, 3) -> (..., 4)."""
        return self._rows(rows.so3_to_quaternion, (4,), (self._element(g), 2))

    def hat(self, u: ArrayLike) -> Array:
        """Skew matrix of u, (..., 3) -> (..., 3, 3)."""
        return _hat3(self._vector(u))

    def vee(self, x: ArrayLike) -> Array:
        """Vector of a skew matrix, (..., 3, 3) -> (..., 3)."""
        m = self._numbers(x, (3, 3), "an algebra element")
        return np.stack([m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]], axis=-1)

    def Ad(self, g: ArrayLike) -> Array:
        """Adjoint matrix of g: g itself, (..., 3, 3)."""
        return self._element(g).copy()

    def ad(self, u: ArrayLike) -> Array:
        """hat(u), (..., 3, 3)."""
        return _hat3(self._vector(u))


class PoseGroup(_MatrixGroup):
    """SE(3): homogeneous matrices (4, 4); vectors are twists (linear m; angular rad) in body axes."""

    name, dim = "SE3", 6
    _rotation, _size, _prefix = 3, 4, "se3_"

    def hat(self, u: ArrayLike) -> Array:
        """[[hat W, V], [0, 0]] of the twist (V; W), (..., 6) -> (..., 4, 4)."""
        v = self._vector(u)
        out = np.zeros((*v.shape[:-1], 4, 4))
        out[..., :3, :3] = _hat3(v[..., 3:])
        out[..., :3, 3] = v[..., :3]
        return out

    def vee(self, x: ArrayLike) -> Array:
        """Inverse of ``hat``, (..., 4, 4) -> (..., 6)."""
        m = self._numbers(x, (4, 4), "an algebra element")
        return np.stack([m[..., 0, 3], m[..., 1, 3], m[..., 2, 3], m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]], axis=-1)

    def ad(self, u: ArrayLike) -> Array:
        """[[hat W, hat V], [0, hat W]] of the twist (V; W), (..., 6, 6)."""
        v = self._vector(u)
        out = np.zeros((*v.shape[:-1], 6, 6))
        out[..., :3, :3] = out[..., 3:, 3:] = _hat3(v[..., 3:])
        out[..., :3, 3:] = _hat3(v[..., :3])
        return out


class PlanarPoseGroup(_MatrixGroup):
    """SE(2): homogeneous matrices (3, 3); vectors are planar twists (vx, vy, wz) in body axes."""

    name, dim = "SE2", 3
    _rotation, _size, _prefix = 2, 3, "se2_"

    def hat(self, u: ArrayLike) -> Array:
        """[[0, -wz, vx], [wz, 0, vy], [0, 0, 0]], (..., 3) -> (..., 3, 3)."""
        v = self._vector(u)
        out = np.zeros((*v.shape[:-1], 3, 3))
        out[..., 0, 1], out[..., 1, 0] = -v[..., 2], v[..., 2]
        out[..., :2, 2] = v[..., :2]
        return out

    def vee(self, x: ArrayLike) -> Array:
        """Inverse of ``hat``, (..., 3, 3) -> (..., 3)."""
        m = self._numbers(x, (3, 3), "an algebra element")
        return np.stack([m[..., 0, 2], m[..., 1, 2], m[..., 1, 0]], axis=-1)

    def ad(self, u: ArrayLike) -> Array:
        """[[0, -wz, vy], [wz, 0, -vx], [0, 0, 0]], (..., 3, 3)."""
        v = self._vector(u)
        out = np.zeros((*v.shape[:-1], 3, 3))
        out[..., 0, 1], out[..., 1, 0] = -v[..., 2], v[..., 2]
        out[..., 0, 2], out[..., 1, 2] = v[..., 1], -v[..., 0]
        return out


class TranslationGroup(Group):
    """R^n with addition: elements, vectors and algebra are the same thing."""

    def __init__(self, dim: int) -> None:
        self.name, self.dim, self.element_shape = f"R{dim}", dim, (dim,)

    @property
    def identity(self) -> Array:
        """Zero, (n,)."""
        return np.zeros(self.dim)

    def exp(self, u: ArrayLike) -> Array:
        """u itself, (..., n)."""
        return self._vector(u).copy()

    def log(self, g: ArrayLike) -> Array:
        """g itself, (..., n)."""
        return self._element(g).copy()

    def compose(self, g: ArrayLike, h: ArrayLike) -> Array:
        """g + h, (..., n)."""
        a, b = self._element(g), self._element(h)
        self._broadcast([a.shape[:-1], b.shape[:-1]])
        return a + b

    def inverse(self, g: ArrayLike) -> Array:
        """-g, (..., n)."""
        return -self._element(g)

    def hat(self, u: ArrayLike) -> Array:
        """u itself, (..., n)."""
        return self._vector(u).copy()

    def vee(self, x: ArrayLike) -> Array:
        """x itself, (..., n)."""
        return self._vector(x, "an algebra element").copy()

    def Ad(self, g: ArrayLike) -> Array:
        """Unit matrix, (..., n, n)."""
        return self._constant(1.0, self._element(g))

    def ad(self, u: ArrayLike) -> Array:
        """Zero matrix, (..., n, n)."""
        return self._constant(0.0, self._vector(u))

    def tangent(self, u: ArrayLike) -> Array:
        """Unit matrix, (..., n, n)."""
        return self._constant(1.0, self._vector(u))

    def inverse_tangent(self, u: ArrayLike) -> Array:
        """Unit matrix, (..., n, n)."""
        return self._constant(1.0, self._vector(u))

    def tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """Zero matrix, (..., n, n)."""
        return self._constant(0.0, self._vector(u), self._vector(du, "a direction"))

    def inverse_tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """Zero matrix, (..., n, n)."""
        return self._constant(0.0, self._vector(u), self._vector(du, "a direction"))

    def _constant(self, diagonal: float, *inputs: Array) -> Array:
        lead = self._broadcast([u.shape[:-1] for u in inputs])
        return np.broadcast_to(diagonal * np.eye(self.dim), (*lead, self.dim, self.dim)).copy()


SO3 = RotationGroup()
SE3 = PoseGroup()
SE2 = PlanarPoseGroup()
R3 = TranslationGroup(3)
R1 = TranslationGroup(1)
