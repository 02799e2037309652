"""The inertia of the fluid that a body moves along (added mass), for an ideal fluid without interaction between bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.checks.basics import TIGHT
from locodyn.robot.pose import Pose
from locodyn.robot.values import is_number, read_only
from locodyn.typing import Vector


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
