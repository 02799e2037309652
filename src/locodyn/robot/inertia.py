"""Mass, centre of mass and inertia tensor of a body, and the ways to say them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.values import exact, matrix, scalar, vector, whole
from locodyn.typing import Matrix, Scalar


def parallel_axis(mass: Any, offset: np.ndarray) -> np.ndarray:
    """The tensor (3, 3), kg m^2, of a point mass at ``offset`` (3,) m: ``m (c.c 1 - c c^T)``."""
    x, y, z = offset
    found: np.ndarray = mass * np.array(
        [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
    )
    return found


@dataclass(frozen=True, eq=False)
class Inertia:
    """The inertia of a rigid body, in the frame of the body.

    Parameters
    ----------
    mass : kg
    centre : (3,) m
        Centre of mass.
    tensor : (3, 3) kg m^2
        Inertia tensor **about the centre of mass**, axes parallel to the body frame; products enter as in the matrix,
        ``tensor[0, 1] = -integral of x y dm``.
    """

    mass: Scalar
    centre: np.ndarray
    tensor: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", scalar(self.mass, "The mass of an inertia"))
        object.__setattr__(self, "centre", vector(self.centre, "The centre of an inertia"))
        object.__setattr__(self, "tensor", matrix(self.tensor, "The tensor of an inertia"))

    @classmethod
    def none(cls) -> Inertia:
        """The inertia of a massless body."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @property
    def first_moment(self) -> np.ndarray:
        """Mass times centre of mass, (3,) kg m."""
        return self.mass * self.centre

    @property
    def about_origin(self) -> np.ndarray:
        """Tensor (3, 3) about the origin of the body frame, kg m^2."""
        found: np.ndarray = self.tensor + parallel_axis(self.mass, self.centre)
        return found


@dataclass(frozen=True, eq=False)
class Moments:
    """An inertia tensor before mass and centre are known: made by :func:`about_centre` or :func:`about_origin`.

    ``tensor`` (3, 3) kg m^2 holds ``None`` where one diagonal moment alone was given and nothing is known of an entry.
    """

    tensor: np.ndarray
    at_origin: bool

    def with_mass(self, mass: Any, centre: Any) -> Inertia:
        """The inertia of a body of this mass (kg) and centre (3,) m.

        If one diagonal moment alone was given, the body is a thin plate normal to that axis: about the centre of mass the other
        two are half of it each, and products that were not given are zero. A planar robot never feels them.
        """
        shift = parallel_axis(whole(mass), exact(centre))
        tensor = exact(self.tensor)
        known = [i for i in range(3) if tensor[i, i] is not None]
        if self.at_origin:
            for i in range(3):
                for j in range(3):
                    if tensor[i, j] is not None:
                        tensor[i, j] = tensor[i, j] - shift[i, j]
        for i in range(3):
            for j in range(3):
                if tensor[i, j] is None:
                    tensor[i, j] = tensor[known[0], known[0]] / 2 if i == j else 0.0
        return Inertia(mass, centre, tensor)


def _moments(table: Any, at_origin: bool, what: str, **entries: Any) -> Moments:
    if table is not None:
        if any(value is not None for value in entries.values()):
            raise DescriptionError(f"{what}: give a 3 x 3 matrix or the moments xx, yy, zz, xy, xz, yz, not both.")
        return Moments(np.array(matrix(table, f"{what}: the matrix"), dtype=object), at_origin)
    diagonal = [entries[name] for name in ("xx", "yy", "zz")]
    if sum(value is not None for value in diagonal) not in (1, 3):
        raise DescriptionError(f"{what}: give all of xx, yy, zz, or one of them alone (a thin plate normal to that axis).")
    tensor = np.empty((3, 3), dtype=object)
    for (i, j), name in {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}.items():
        value = entries[name]
        if value is not None:
            value = scalar(value, f"{what}: {name}")
        elif i != j and None not in diagonal:
            value = 0.0
        tensor[i, j] = tensor[j, i] = value
    return Moments(tensor, at_origin)


def about_centre(
    tensor: Matrix | None = None,
    *,
    xx: Scalar | None = None,
    yy: Scalar | None = None,
    zz: Scalar | None = None,
    xy: Scalar | None = None,
    xz: Scalar | None = None,
    yz: Scalar | None = None,
) -> Moments:
    """Inertia about the centre of mass, kg m^2, axes parallel to the body frame.

    A 3 x 3 matrix, or its entries by name; products are entries of the matrix (``xy = -integral of x y dm``) and zero unless
    given. One diagonal moment alone means a thin plate normal to that axis: the other two are half of it.

    >>> about_centre(zz=0.076).with_mass(2.0, (0, 0, 0)).tensor.diagonal()
    array([0.038, 0.038, 0.076])
    """
    return _moments(tensor, False, "about_centre", xx=xx, yy=yy, zz=zz, xy=xy, xz=xz, yz=yz)


def about_origin(
    tensor: Matrix | None = None,
    *,
    xx: Scalar | None = None,
    yy: Scalar | None = None,
    zz: Scalar | None = None,
    xy: Scalar | None = None,
    xz: Scalar | None = None,
    yz: Scalar | None = None,
) -> Moments:
    """Inertia about the origin of the body frame, kg m^2; arguments as for :func:`about_centre`."""
    return _moments(tensor, True, "about_origin", xx=xx, yy=yy, zz=zz, xy=xy, xz=xz, yz=yz)


def inertia_of(value: Any, mass: Any, centre: np.ndarray, what: str) -> Inertia:
    """The inertia of a body from what its description gives: nothing (a point mass), moments, a matrix about the centre."""
    if value is None:
        return Inertia(mass, centre, np.zeros((3, 3)))
    if isinstance(value, Moments):
        return value.with_mass(mass, centre)
    if isinstance(value, Inertia):
        raise DescriptionError(
            f"{what} has a full Inertia as its inertia: give about_centre(...), about_origin(...) or a matrix."
        )
    return Inertia(mass, centre, matrix(value, f"The inertia of {what}"))
