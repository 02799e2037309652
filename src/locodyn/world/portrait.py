"""The portrait of what stands in the world: obstacles as plain data that goes into JSON, to be drawn from a result alone.

=========  ===========================================================================================================
kind       keys, in m and in the axes of the world
=========  ===========================================================================================================
ground     ``at`` (3), ``normal`` (3)
peg        ``at`` (3), ``axis`` (3), ``radius``, ``length`` or null: endless, ``flat``: ends
ball       ``at`` (3), ``radius``
block      ``at`` (3), ``size`` (3), ``quaternion`` (w, x, y, z)
terrain    ``origin`` (2), ``spacing``, ``shape`` (2), ``heights``: base64 of compressed float32
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.robot.portrait import packed
from locodyn.robot.pose import quaternion_of_rotation
from locodyn.world.obstacles import Ball, Block, Ground, Obstacle, Peg, Terrain


def obstacle_portrait(obstacles: Sequence[Obstacle]) -> list[dict[str, Any]]:
    """One entry for each obstacle; the keys are in the module docstring."""
    return [{"kind": type(obstacle).__name__.lower(), "name": obstacle.name, **_look(obstacle)} for obstacle in obstacles]


def _look(obstacle: Obstacle) -> dict[str, Any]:
    match obstacle:
        case Ground():
            return {"at": _row(obstacle.at), "normal": _row(obstacle.normal)}
        case Peg():
            place = {"at": _row(obstacle.at), "axis": _row(obstacle.axis)}
            return {**place, "radius": obstacle.radius, "length": obstacle.length, "flat": obstacle.flat}
        case Ball():
            return {"at": _row(obstacle.at), "radius": obstacle.radius}
        case Block():
            turned = quaternion_of_rotation(obstacle.turned)
            return {"at": _row(obstacle.at), "size": _row(obstacle.size), "quaternion": _row(turned)}
        case Terrain():
            shape = list(obstacle.heights.shape)
            heights = packed(obstacle.heights, "<f4")
            return {"origin": _row(obstacle.origin), "spacing": obstacle.spacing, "shape": shape, "heights": heights}
    return {}


def _row(values: Any) -> list[float]:
    return [float(x) for x in np.asarray(values, dtype=float)]
