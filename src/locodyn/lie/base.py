"""What a Lie group is to the rest of the library.

A group G of dimension n fulfils, for arrays with any leading batch shape (leading shapes broadcast):

1. ``dim`` is n; ``element_shape`` is the shape of one element (a matrix, or a vector for R^n); ``identity`` is the neutral one.
2. ``compose(g, h)`` and ``inverse(g)`` make it a group.
3. ``exp(u)`` takes (..., n) to (..., *element_shape) and ``log(g)`` back. ``log`` gives the shortest: angles in [-pi, pi].
   Both are exact to round-off at zero and at pi.
4. ``hat(u)`` is the element of the algebra, ``vee`` its inverse, ``exp(u)`` the exponential of ``hat(u)``.
5. ``Ad(g)`` is (..., n, n) with hat(Ad(g) u) = g hat(u) g^-1, ``ad(u)`` its derivative at the identity along u.
6. ``tangent(u)`` is the right Jacobian T(u), (..., n, n): (g^-1 dg)^vee = T(u) du for g = exp(u). ``inverse_tangent(u)`` is
   T(u)^-1; it is singular at angles 2 pi, 4 pi, ... The left Jacobian is T(-u).
7. ``tangent_derivative(u, du)`` is d/ds T(u + s du) at s = 0, ``inverse_tangent_derivative(u, du)`` that of T^-1.
8. A wrong shape, a number that is not finite, or a matrix that is not in the group raises ``InputError`` with one sentence.

Twists are (linear; angular). To add a group: kernels of scalars and tuples in a file of its own, loops over them in
``rows.py``, a class in ``groups.py``, and its name in the list of ``tests/identities/test_lie_groups.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from locodyn.errors import InputError

Array = NDArray[np.float64]


class Group(ABC):
    """A Lie group with a NumPy interface; the obligations are those of this module."""

    name: str
    dim: int
    element_shape: tuple[int, ...]

    def __repr__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def identity(self) -> Array:
        """Neutral element, (*element_shape)."""

    @abstractmethod
    def exp(self, u: ArrayLike) -> Array:
        """Exponential, (..., dim) -> (..., *element_shape)."""

    @abstractmethod
    def log(self, g: ArrayLike) -> Array:
        """Shortest u with exp(u) = g, (..., *element_shape) -> (..., dim)."""

    @abstractmethod
    def compose(self, g: ArrayLike, h: ArrayLike) -> Array:
        """Product g h, (..., *element_shape)."""

    @abstractmethod
    def inverse(self, g: ArrayLike) -> Array:
        """g^-1, (..., *element_shape)."""

    @abstractmethod
    def hat(self, u: ArrayLike) -> Array:
        """Element of the algebra, (..., dim) -> (..., *element_shape)."""

    @abstractmethod
    def vee(self, x: ArrayLike) -> Array:
        """Inverse of ``hat``."""

    @abstractmethod
    def Ad(self, g: ArrayLike) -> Array:
        """Adjoint matrix of g, (..., dim, dim): takes twists from the frame of g to the frame that g is seen from."""

    @abstractmethod
    def ad(self, u: ArrayLike) -> Array:
        """Matrix of the bracket, ad(u) v = [u, v], (..., dim, dim)."""

    @abstractmethod
    def tangent(self, u: ArrayLike) -> Array:
        """Right Jacobian T(u), (..., dim, dim)."""

    @abstractmethod
    def inverse_tangent(self, u: ArrayLike) -> Array:
        """T(u)^-1, (..., dim, dim)."""

    @abstractmethod
    def tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """d/ds T(u + s du) at s = 0, (..., dim, dim)."""

    @abstractmethod
    def inverse_tangent_derivative(self, u: ArrayLike, du: ArrayLike) -> Array:
        """d/ds T(u + s du)^-1 at s = 0, (..., dim, dim)."""

    def _numbers(self, value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
        """``value`` as finite doubles of shape (..., *shape)."""
        try:
            numbers = np.asarray(value)
            if np.iscomplexobj(numbers):
                raise TypeError
            array = np.asarray(numbers, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{self.name}: {what} must be real numbers of shape (..., {_sizes(shape)}).") from None
        if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
            raise InputError(f"{self.name}: {what} must have shape (..., {_sizes(shape)}), not {array.shape}.")
        if not np.isfinite(array).all():
            raise InputError(f"{self.name}: {what} contains a number that is not finite.")
        return array

    def _vector(self, u: ArrayLike, what: str = "a vector") -> Array:
        return self._numbers(u, (self.dim,), what)

    def _element(self, g: ArrayLike) -> Array:
        return self._numbers(g, self.element_shape, "an element")

    def _broadcast(self, leads: list[tuple[int, ...]]) -> tuple[int, ...]:
        """Common batch shape."""
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            raise InputError(f"{self.name}: the batch shapes {leads[0]} and {leads[1]} do not broadcast.") from None

    def _rows(self, loop: Callable[..., Any], shape: tuple[int, ...], *inputs: tuple[Array, int]) -> Array:
        """Run a compiled loop over all samples of the inputs, each given with the number of its core axes."""
        leads = [array.shape[: array.ndim - core] for array, core in inputs]
        lead = self._broadcast(leads)
        rows = []
        for (array, core), own in zip(inputs, leads, strict=True):
            cores = array.shape[array.ndim - core :]
            full = array if own == lead else np.broadcast_to(array, (*lead, *cores))
            rows.append(np.ascontiguousarray(full).reshape(int(np.prod(lead)), int(np.prod(cores))))
        out = np.empty((rows[0].shape[0], int(np.prod(shape))))
        loop(*rows, out)
        return out.reshape(*lead, *shape)


def _sizes(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))
