"""Charts of robots that fall and lie on hard ground: heights and vertical velocities of the first and the middle body."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.chart import Chart, over_time

if TYPE_CHECKING:
    from locodyn.sim import Result

_FLAT = 1e-6  # m
_SEEN = 5e-3  # m: what is shown by default


def shown_bodies(result: Result) -> list[str]:
    """Of the bodies that move the first, and the middle one where there are several; a rail without mass is none of them."""
    moving = np.flatnonzero(np.ptp(result.body_position.values, axis=0).max(axis=1, initial=0.0) > _FLAT)
    heavy = {one["name"] for one in json.loads(result.attributes["portrait"])["bodies"] if one["mass"] > 0.0}
    names = [str(name) for name in result.body.values[moving]]
    names = [name for name in names if name in heavy] or names
    return list(dict.fromkeys([names[0], names[len(names) // 2]])) if names else []


def vertical_range(result: Result) -> float:
    """How far these bodies of a robot with hard contact move up and down, m."""
    if "contact_gap" not in result.dataset:
        return 0.0
    return float(np.ptp(_z(result, shown_bodies(result)), axis=0).max(initial=0.0))


def rises(result: Result) -> bool:
    """Whether a robot with hard contact moves up and down at all."""
    return vertical_range(result) > _FLAT


def rises_much(result: Result) -> bool:
    """Whether it does so far enough to be shown by default."""
    return vertical_range(result) > _SEEN


def heights(result: Result) -> Chart:
    """Heights of bodies above z = 0."""
    names = shown_bodies(result)
    return over_time("heights", "height", "m", names, _z(result, names), level=0.0)


def vertical_velocities(result: Result) -> Chart:
    """Vertical velocities: of the reference body that of the solution, with its jumps; of others differences of heights."""
    names, times = shown_bodies(result), result.time.values
    velocities = np.gradient(_z(result, names), times, axis=0)
    reference = str(result.attributes["reference_body"])
    if reference in names:
        velocities[:, names.index(reference)] = _reference_velocity(result)
    return over_time("vertical velocities", "velocity", "m/s", names, velocities)


def _z(result: Result, names: list[str]) -> np.ndarray:
    return result.body_position.sel(body=names).values[:, :, 2]


def _reference_velocity(result: Result) -> np.ndarray:
    """Third row of the rotation of the reference body times its velocity in its own axes, (n,) m/s."""
    w, x, y, z = result.orientation.values.T
    row = np.column_stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)])
    found: np.ndarray = np.sum(row * result.twist.values[:, :3], axis=1)
    return found
