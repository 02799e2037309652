"""Wheels and skates: where a body touches the ground, and in which direction it can roll."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.robot.values import read_only, scalar, vector, whole

# What a wheel may be, and how it is called.
WHEEL_KINDS: dict[str, str] = {
    "fixed": "wheel",
    "steered": "steered wheel",
    "castor": "castor",
    "omni": "omni wheel",
    "skate": "skate",
}


def _origin() -> np.ndarray:
    return np.zeros(3)


def _y() -> np.ndarray:
    return np.array([0.0, 1.0, 0.0])


def _z() -> np.ndarray:
    return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Wheel:
    """A wheel, or a skate, on a body. All vectors are in the frame of that body.

    The wheel rolls along ``heading = axle x vertical``; a positive rolling angle about the axle carries it forward, so that the
    body moves at the contact point with ``radius * rate`` along the heading.

    Parameters
    ----------
    name : str
    at : (3,) m
        The point where it touches the ground.
    axle : (3,)
        Unit vector of the axis about which it rolls. For a steered wheel: at the steering angle zero.
    vertical : (3,)
        Unit vector from the ground to the centre of the wheel, perpendicular to the axle.
    radius : m or None
        ``None``: the rolling angle is not wanted.
    kind : str
        ``fixed``: no motion along the axle. ``steered``: the same with the heading turned about the vertical by an angle that
        the scenario gives as a law, by the name of the wheel. ``castor``: free, imposes nothing. ``omni``: with rollers on
        its rim: holds in one direction if it is driven, in none if it is passive. ``skate``: as fixed, but does not roll.
    roller_angle : rad
        Of an omni wheel: the axis of the roller on the ground is the heading turned by this angle about the vertical, 0 for a
        plain omni wheel, +-pi/4 for a mecanum wheel. The drive acts along it: there the body moves with
        ``radius * rate * cos(roller_angle)``.
    actuated : bool
        Whether a motor turns it about its axle.
    contact : law or None
        ``None``: ideal, a constraint; otherwise a law of :mod:`locodyn.world`.
    coordinate : str or None
        Name of the joint whose angle is the rolling angle, if the wheel is a body of its own; ``None``: it has no inertia.
    """

    name: str
    at: np.ndarray = field(default_factory=_origin)
    axle: np.ndarray = field(default_factory=_y)
    vertical: np.ndarray = field(default_factory=_z)
    radius: Any = None
    kind: str = "fixed"
    roller_angle: Any = 0.0
    actuated: bool = False
    contact: Any = None
    coordinate: str | None = None

    def __post_init__(self) -> None:
        what = f"of wheel '{self.name}'"
        object.__setattr__(self, "at", vector(self.at, f"The contact point {what}"))
        object.__setattr__(self, "axle", read_only(np.array(self.axle, dtype=float)))
        object.__setattr__(self, "vertical", read_only(np.array(self.vertical, dtype=float)))
        if self.radius is not None:
            object.__setattr__(self, "radius", scalar(self.radius, f"The radius {what}"))
        object.__setattr__(self, "roller_angle", scalar(self.roller_angle, f"The roller angle {what}"))
        object.__setattr__(self, "actuated", bool(self.actuated))

    @property
    def heading(self) -> np.ndarray:
        """Unit vector (3,) along which the wheel rolls: x for the axle y and the vertical z."""
        return read_only(np.cross(self.axle, self.vertical) + 0.0)

    @property
    def centre(self) -> np.ndarray:
        """Centre of the wheel (3,) m: the contact point and one radius along the vertical."""
        if self.radius is None:
            return self.at
        return read_only(centre_of(self.at, self.vertical, self.radius))


def centre_of(at: np.ndarray, vertical: np.ndarray, radius: Any) -> np.ndarray:
    """Centre (3,) m of a wheel from its contact point (3,), vertical (3,) and radius, on numbers or symbols."""
    if at.dtype == object or not isinstance(radius, float):
        result = np.empty(3, dtype=object)
        for i in range(3):
            result[i] = whole(at[i]) + whole(float(vertical[i])) * whole(radius)
        return result
    return at + radius * vertical


def disc_inertia(axle: np.ndarray, spin: Any, across: Any) -> np.ndarray:
    """Tensor (3, 3) of a body of revolution: ``spin`` about the unit vector ``axle``, ``across`` perpendicular to it, kg m^2."""
    along = np.outer(axle, axle)
    result = np.empty((3, 3), dtype=object)
    for (i, j), share in np.ndenumerate(along):
        result[i, j] = whole(float(share)) * spin + whole(float(i == j) - float(share)) * across
    return result
