"""The inertia of the fluid that a body moves along (added mass), for an ideal fluid without interaction between bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.checks.basics import TIGHT
from locodyn.robot.pose import Pose
from locodyn.robot.values import is_number, read_only
from locodyn.typing import Vector

_TERMS = 2000  # of the series of a rectangle: what is left out falls with their number to the third


def added_matrix(mass: Any, inertia: Any, pose: Pose, what: str) -> np.ndarray:
    """Added-mass matrix (6, 6), (linear; angular), in the frame of the body.

    ``mass`` (3,) kg and ``inertia`` (3,) kg m^2 are the added masses and moments along and about the axes of ``pose``, the frame
    in the body in which the matrix is diagonal (for an ellipsoid: its centre and principal axes).
    """
    diagonal = np.concatenate([triple(mass, f"The added mass of {what}"), triple(inertia, f"The added inertia of {what}")])
    r, p = np.asarray(pose.rotation, dtype=float), np.asarray(pose.position, dtype=float)
    hat = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
    to_pose = np.block([[r.T, -r.T @ hat], [np.zeros((3, 3)), r.T]])  # Ad(g^-1): twist of the body -> twist of the pose
    return read_only(to_pose.T @ np.diag(diagonal) @ to_pose)


def whole_matrix(matrix: Any, what: str) -> np.ndarray:
    """An added-mass matrix (6, 6) that is given whole: finite, symmetric, not negative."""
    array = np.array(matrix, dtype=float)
    if array.shape != (6, 6) or not np.isfinite(array).all():
        raise DescriptionError(f"The fluid of {what} must be a matrix of 6 x 6 finite numbers.")
    scale = float(np.abs(array).max())
    if np.abs(array - array.T).max() > TIGHT * scale or np.linalg.eigvalsh(array)[0] < -TIGHT * scale:
        raise DescriptionError(f"The fluid of {what} must be a symmetric matrix without negative eigenvalues.")
    return read_only(array)


def triple(values: Any, what: str) -> np.ndarray:
    """Three finite numbers, none negative."""
    array = np.asarray(values, dtype=float)
    if array.shape != (3,) or not np.isfinite(array).all() or (array < 0.0).any():
        raise DescriptionError(f"{what} is {values!r}, but it must be three finite numbers, zero or more.")
    return array


def ellipsoid_added_mass(semi_axes: Vector, density: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Added masses (3,) kg and moments (3,) kg m^2 of an ellipsoid with these semi-axes (3,) m, alone in a fluid of this density.

    With a_i = abc int_0^inf dl / ((s_i^2 + l) D), D = sqrt((a^2 + l)(b^2 + l)(c^2 + l)), the mass along axis i is a_i / (2 - a_i)
    of that of the displaced fluid, and the moment about x 1/5 (b^2 - c^2)^2 d / (2 - (b^2 + c^2) d) of it, with
    d = (a_c - a_b) / (b^2 - c^2) (Lamb, Hydrodynamics, art. 114, 115). The integrals are Carlson's,
    a_x = 2/3 abc R_D(b^2, c^2, a^2).

    >>> mass, inertia = ellipsoid_added_mass((0.1, 0.1, 0.1), density=1000.0)
    >>> round(mass[0] / (1000.0 * 4.0 / 3.0 * np.pi * 0.1**3), 12), inertia
    (0.5, (0.0, 0.0, 0.0))
    """
    from scipy.special import elliprd

    s = triple(semi_axes, "A semi-axis of an ellipsoid in a fluid")
    if (s == 0.0).any():
        raise DescriptionError(f"The semi-axes of an ellipsoid in a fluid are {s.tolist()} m, but they must be positive.")
    square, fluid = s * s, 4.0 / 3.0 * np.pi * float(np.prod(s)) * fluid_density(density)
    shares = [2.0 / 3.0 * float(np.prod(s) * elliprd(*np.delete(square, i), square[i])) for i in range(3)]
    moments = []
    for i in range(3):
        (b, c), (share_b, share_c) = np.delete(square, i), np.delete(shares, i)
        d = 0.0 if b == c else (share_c - share_b) / (b - c)
        moments.append(float(fluid * (b - c) ** 2 * d / (2.0 - (b + c) * d) / 5.0))
    return tuple(fluid * share / (2.0 - share) for share in shares), tuple(moments)


def fluid_density(density: Any) -> float:
    """A density of a fluid, kg/m^3: positive."""
    if not (is_number(density) and 0.0 < density < float("inf")):
        raise DescriptionError(f"The density of a fluid is {density!r} kg/m^3, but it must be positive.")
    return float(density)


def ellipse_added_mass(a: float, b: float, density: float, depth: float = 1.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Added masses (3,) kg and moments (3,) kg m^2 of an elliptic cylinder, semi-axes a along x and b along y, axis along z.

    Per unit of depth pi rho b^2 along x, pi rho a^2 along y, pi rho (a^2 - b^2)^2 / 8 about z (Lamb, Hydrodynamics, art. 71);
    the motion is in the x-y plane.

    >>> mass, inertia = ellipse_added_mass(0.1, 0.02, density=1000.0, depth=0.05)
    >>> round(mass[1] / mass[0], 6)
    25.0
    """
    scale = np.pi * density * depth
    return (scale * b * b, scale * a * a, 0.0), (0.0, 0.0, scale * (a * a - b * b) ** 2 / 8.0)


def rectangle_added_mass(a: float, b: float, density: float, depth: float = 1.0) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Added masses (3,) kg and moments (3,) kg m^2 of a rectangular cylinder, half sides a along x and b along y, axis along z.

    Outside a circle, z' = R sqrt(1 - 2 cos(2 alpha) / zeta^2 + 1 / zeta^4) maps it onto the outside of the rectangle (Schwarz and
    Christoffel), with b = 2 R (E(m) - (1 - m) K(m)), m = sin^2 alpha, and a with 1 - m for m. Of any section with
    z = R (zeta + c / zeta + ...), the added masses for each unit of depth are rho (2 pi R^2 (1 - c) - A) along x and
    rho (2 pi R^2 (1 + c) - A) along y, A its area, and the moment is pi rho sum of n s_n^2, s_n cos(n theta) being the waves of
    |z|^2 / 2 around it (Sedov, Two-dimensional Problems in Hydrodynamics and Aerodynamics, 1965). Thin plates have pi rho a^2.

    >>> mass, _ = rectangle_added_mass(0.1, 0.1, density=1000.0)
    >>> round(mass[0] / (1000.0 * np.pi * 0.1**2), 4)
    1.5132
    """
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipkm1, eval_legendre

    for side in (a, b):
        if not (is_number(side) and 0.0 < side < float("inf")):
            raise DescriptionError(f"A half side of a rectangle in a fluid is {side!r} m, but it must be positive.")

    def side_of(m: float, rest: float) -> float:
        return float(ellipe(m) - rest * ellipkm1(rest))  # rest = 1 - m, K(m) without cancellation

    m = float(brentq(lambda m: a * side_of(m, 1.0 - m) - b * side_of(1.0 - m, m), 1e-15, 1.0 - 1e-15, xtol=1e-16, rtol=1e-15))
    radius = 0.5 * (a + b) / (side_of(m, 1.0 - m) + side_of(1.0 - m, m))
    # sqrt(1 - 2 x u + u^2) = sum of (P_k-2(x) - P_k(x)) / (2 k - 1) u^k, its first terms 1 - x u; then integrated over zeta
    k, x = np.arange(2, _TERMS), 1.0 - 2.0 * m
    slopes = (eval_legendre(k - 2, x) - eval_legendre(k, x)) / (2.0 * k - 1.0)
    series = np.concatenate([[1.0, x], -slopes / (2.0 * k - 1.0)])
    waves = radius**2 * np.correlate(series, series, "full")[_TERMS:]  # of 2 theta, 4 theta, ...
    scale, area = density * depth, 4.0 * a * b
    along = 4.0 * np.pi * radius**2
    mass = (float(scale * (along * m - area)), float(scale * (along * (1.0 - m) - area)), 0.0)
    return mass, (0.0, 0.0, float(scale * np.pi * np.sum(2.0 * np.arange(1, _TERMS) * waves**2)))
