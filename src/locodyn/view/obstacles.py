"""What stands in the world of a scene: pegs, balls and blocks as solids, terrain as heights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.robot.portrait import unpacked
from locodyn.robot.pose import quaternion_of_rotation, rotation_to_axis
from locodyn.view.ground import Terrain
from locodyn.view.parts import Part

if TYPE_CHECKING:
    from locodyn.sim import Result

ENDLESS = 0.1  # height of an endless peg above and below the robot, as a share of the size of the robot


def obstacles_of(result: Result) -> list[dict[str, Any]]:
    """The obstacles of a result as :mod:`locodyn.world.portrait` describes them."""
    found: list[dict[str, Any]] = json.loads(result.attributes.get("obstacles", "[]"))
    return found


def fixtures_of(obstacles: list[dict[str, Any]], extreme: np.ndarray, size: float) -> tuple[Part, ...]:
    """Pegs, balls and blocks; ``extreme`` (k, 3) m bounds the motion of the robot, whose ``size`` is in m."""
    return tuple(_part(entry, extreme, size) for entry in obstacles if entry["kind"] in ("peg", "ball", "block"))


def _part(entry: dict[str, Any], extreme: np.ndarray, size: float) -> Part:
    at = np.array(entry["at"])
    if entry["kind"] == "ball":
        return Part("sphere", at, lengths={"radius": entry["radius"]}, role="fixture")
    if entry["kind"] == "block":
        return Part("box", at, np.array(entry["quaternion"]), {"size": entry["size"]}, role="fixture")
    axis = np.array(entry["axis"])
    turned = quaternion_of_rotation(rotation_to_axis(axis))
    if entry["length"] is not None:
        kind = "cylinder" if entry.get("flat") else "capsule"
        return Part(kind, at, turned, {"radius": entry["radius"], "length": entry["length"]}, role="fixture")
    along = (extreme - at) @ axis  # an endless peg is drawn where the robot is
    low, high = float(along.min()), float(along.max()) + ENDLESS * size
    return Part(
        "cylinder", at + 0.5 * (low + high) * axis, turned, {"radius": entry["radius"], "length": high - low}, role="fixture"
    )


def terrain_of(obstacles: list[dict[str, Any]]) -> Terrain | None:
    """The first terrain, as heights."""
    for entry in obstacles:
        if entry["kind"] == "terrain":
            heights = unpacked(entry["heights"], "<f4", 1).reshape(entry["shape"]).astype(float)
            return Terrain(np.array(entry["origin"]), np.full(2, float(entry["spacing"])), heights)
    return None
