"""Surfaces that roll on a plane in space: discs, tyres, spheres, ellipsoids and point feet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.robot.pose import Pose
from locodyn.robot.values import read_only, scalar, vector

# What a surface may be, and how it is called.
CONTACT_KINDS: dict[str, str] = {"disc": "disc", "sphere": "sphere", "ellipsoid": "ellipsoid", "point": "foot"}


def _z() -> np.ndarray:
    return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Contact:
    """A surface of a body that stays on a plane. It touches it at its lowest point, which wanders over the surface.

    The surface is an ellipsoid of semi-axes (a, b, c) along the axes of ``pose`` in the body, grown by a sphere of radius
    ``crown``. With n the unit normal of the plane in these axes and D = diag(a, b, c), it touches at, from its centre,

        rho = -D^2 n / |D n| - crown n.

    A disc is (r, r, 0), a tyre the same with a crown, a sphere or a point has no ellipsoid at all.

    Parameters
    ----------
    name : str
    kind : str
        One of :data:`CONTACT_KINDS`; the axis of a disc is the z axis of ``pose``.
    pose : Pose
        Centre and axes of the surface in the frame of the body.
    semi_axes : (3,) m
    crown : m
        Of a tyre: radius of its section. Of a sphere: its radius.
    normal : (3,)
        Unit normal of the plane in the world, towards the robot.
    ground : (3,) m
        A point of the plane in the world.
    slips : bool
        Whether it slides on the plane without friction; otherwise it rolls without slipping, and a point stays where it is.
    """

    name: str
    kind: str
    pose: Pose = field(default_factory=Pose)
    semi_axes: np.ndarray = field(default_factory=lambda: np.zeros(3))
    crown: Any = 0.0
    normal: np.ndarray = field(default_factory=_z)
    ground: np.ndarray = field(default_factory=lambda: np.zeros(3))
    slips: bool = False

    def __post_init__(self) -> None:
        what = f"of contact '{self.name}'"
        object.__setattr__(self, "semi_axes", vector(self.semi_axes, f"The semi-axes {what}"))
        object.__setattr__(self, "crown", scalar(self.crown, f"The crown radius {what}"))
        object.__setattr__(self, "normal", read_only(np.array(self.normal, dtype=float)))
        object.__setattr__(self, "ground", vector(self.ground, f"The point of the plane {what}"))
        object.__setattr__(self, "slips", bool(self.slips))

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of its constraint rows: along the normal, and in the plane where it does not slip.

        In the plane a disc has its rolling direction and the side; the others two fixed directions of the plane.
        """
        if self.slips:
            return (f"{self.name}.normal",)
        plane = ("heading", "side") if self.kind == "disc" else ("first", "second")
        return (f"{self.name}.normal", *(f"{self.name}.{word}" for word in plane))


def plane_axes(normal: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) with columns (first, second, normal); for the normal z the axes of the world."""
    lead = np.eye(3)[0] if abs(normal[0]) < 0.9 else np.eye(3)[1]
    first = lead - (lead @ normal) * normal
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])
