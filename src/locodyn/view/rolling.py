"""How the wheels of a result stand and turn: angles that are recorded, or that follow from the motion of their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.look import WheelLook
from locodyn.view.quaternions import about, rotate

if TYPE_CHECKING:
    from locodyn.sim import Result

_STILL = 1e-9  # m/s; a castor keeps its direction below


def contact_points(result: Result, wheel: WheelLook) -> np.ndarray:
    """The contact point (n, 3) m of a wheel in the world."""
    position, orientation = body_motion(result, wheel.body)
    found: np.ndarray = position + rotate(orientation, wheel.contact)
    return found


def body_motion(result: Result, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, 3) m and quaternions (n, 4) of a body."""
    k = [str(name) for name in result.body.values].index(body)
    return result.body_position.values[:, k], result.body_orientation.values[:, k]


def steering(result: Result, wheel: WheelLook) -> np.ndarray:
    """Angle (n,) rad of a wheel about its vertical: recorded when steered, along the way when it is a castor, else zero."""
    if "steering_angle" in result.dataset and wheel.name in result.dataset["steered_wheel"].values:
        return result.steering_angle.sel(steered_wheel=wheel.name).values
    if wheel.kind != "castor" or result.dataset.sizes["time"] < 3:
        return np.zeros(result.dataset.sizes["time"])
    velocity = _velocity(result, wheel)
    _, orientation = body_motion(result, wheel.body)
    ahead = np.sum(rotate(orientation, wheel.heading) * velocity, axis=1)
    aside = np.sum(rotate(orientation, wheel.axle) * velocity, axis=1)
    angle = np.arctan2(aside, ahead)
    moving = np.hypot(ahead, aside) > _STILL
    if not moving.any():
        return np.zeros(len(angle))
    known = np.flatnonzero(moving)
    return np.unwrap(angle[known[np.clip(np.searchsorted(known, np.arange(len(angle)), side="right") - 1, 0, None)]])


def rolling(result: Result, wheel: WheelLook, steered: np.ndarray) -> np.ndarray:
    """Rolling angle (n,) rad: recorded, or the way of the contact point along the heading over the radius that is drawn."""
    count = result.dataset.sizes["time"]
    if wheel.kind == "skate" or count < 3:
        return np.zeros(count)
    if "wheel_angle" in result.dataset and wheel.name in result.dataset["wheel"].values:
        return result.wheel_angle.sel(wheel=wheel.name).values
    _, orientation = body_motion(result, wheel.body)
    heading = rotate(orientation, rotate(about(wheel.vertical, steered), wheel.heading))
    speed = np.sum(heading * _velocity(result, wheel), axis=1) / wheel.radius
    steps = np.diff(result.time.values) * 0.5 * (speed[1:] + speed[:-1])
    return np.concatenate([[0.0], np.cumsum(steps)])


def _velocity(result: Result, wheel: WheelLook) -> np.ndarray:
    """Velocity (n, 3) m/s of the contact point, by differences."""
    found: np.ndarray = np.gradient(contact_points(result, wheel), result.time.values, axis=0, edge_order=1)
    return found
