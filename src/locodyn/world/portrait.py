"""The portrait of what stands in the world: obstacles as plain data that goes into JSON, to be drawn from a result alone.

=========  ===========================================================================================================
kind       keys, in m and in the axes of the world
=========  ===========================================================================================================
ground     ``at`` (3), ``normal`` (3)
sphere     ``at`` (3), ``quaternion`` (w, x, y, z), ``radius``
capsule    ``at``, ``quaternion``: z is its axis, ``radius``, ``length`` without its round ends
cylinder   ``at``, ``quaternion``: z is its axis, ``radius``, ``length`` or null: endless
box        ``at``, ``quaternion``, ``size`` (3): full lengths
ellipsoid  ``at``, ``quaternion``, ``semi_axes`` (3)
water      ``level``: height of its surface at rest
terrain    ``origin`` (2), ``spacing``, ``shape`` (2), ``heights``: base64 of compressed float32
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from locodyn.robot.portrait import packed
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.world.obstacles import Fixture, Ground, Obstacle, Terrain
from locodyn.world.water import WetLaw


def obstacle_portrait(obstacles: Sequence[Fixture]) -> list[dict[str, Any]]:
    """One entry for each obstacle; the keys are in the module docstring."""
    return [{"kind": obstacle.word, "name": obstacle.name, **_look(obstacle)} for obstacle in obstacles]


def water_portrait(laws: Iterable[Any]) -> list[dict[str, Any]]:
    """One entry for each level of water in which wrench laws are."""
    levels = dict.fromkeys(law.water.level for law in laws if isinstance(law, WetLaw))
    return [{"kind": "water", "name": "water", "level": level} for level in levels]


def _look(obstacle: Fixture) -> dict[str, Any]:
    match obstacle:
        case Ground():
            return {"at": _row(obstacle.at), "normal": _row(obstacle.normal)}
        case Obstacle():
            kind, pose, size = obstacle.surface
            place = {"at": _row(pose.position), "quaternion": _row(quaternion_of_rotation(pose.rotation))}
            return {**place, **_lengths(kind, size)}
        case Terrain():
            shape = list(obstacle.heights.shape)
            heights = packed(obstacle.heights, "<f4")
            return {"origin": _row(obstacle.origin), "spacing": obstacle.spacing, "shape": shape, "heights": heights}
    return {}


def _lengths(kind: str, size: np.ndarray) -> dict[str, Any]:
    if kind == "box":
        return {"size": _row(2.0 * size)}
    if kind == "ellipsoid":
        return {"semi_axes": _row(size)}
    if kind == "sphere":
        return {"radius": float(size[0])}
    return {"radius": float(size[0]), "length": float(2.0 * size[1]) if np.isfinite(size[1]) else None}


def _row(values: Any) -> list[float]:
    return [float(x) for x in np.asarray(values, dtype=float)]
