"""What stands in the world of a scene: solids as they are, terrain as heights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.robot.portrait import unpacked
from locodyn.robot.pose import rotation_of_quaternion
from locodyn.view.ground import Terrain
from locodyn.view.parts import Part

if TYPE_CHECKING:
    from locodyn.sim import Result

SHEET = 0.3  # how far the sheet of water goes beyond the robot, as a share of its size
WATER = (0.25, 0.5, 0.8, 0.35)
ENDLESS = 0.1  # height of an endless cylinder above and below the robot, as a share of the size of the robot


def obstacles_of(result: Result) -> list[dict[str, Any]]:
    """The obstacles of a result as :mod:`locodyn.world.portrait` describes them."""
    found: list[dict[str, Any]] = json.loads(result.attributes.get("obstacles", "[]"))
    return found


def fixtures_of(obstacles: list[dict[str, Any]], extreme: np.ndarray, size: float) -> tuple[Part, ...]:
    """The solids, and a sheet for water; ``extreme`` (k, 3) m bounds the motion of the robot, whose ``size`` is in m."""
    planes = ("ground", "terrain", "water")
    water = (_surface(entry["level"], extreme, size) for entry in obstacles if entry["kind"] == "water")
    return (*(_part(entry, extreme, size) for entry in obstacles if entry["kind"] not in planes), *water)


def _surface(level: float, extreme: np.ndarray, size: float) -> Part:
    """A clear sheet at the surface of water, wherever the robot goes."""
    low, high = extreme.min(axis=0) - SHEET * size, extreme.max(axis=0) + SHEET * size
    at = np.array([0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), level])
    return Part("box", at, lengths={"size": [high[0] - low[0], high[1] - low[1], 1e-3 * size]}, role="fixture", colour=WATER)


def _part(entry: dict[str, Any], extreme: np.ndarray, size: float) -> Part:
    at, turned = np.array(entry["at"]), np.array(entry["quaternion"])
    lengths: dict[str, Any] = {key: entry[key] for key in ("radius", "length", "size", "semi_axes") if key in entry}
    if lengths.get("length", 0.0) is None:  # an endless cylinder is drawn where the robot is
        axis = rotation_of_quaternion(turned)[:, 2]
        along = (extreme - at) @ axis
        low, high = float(along.min()), float(along.max()) + ENDLESS * size
        at, lengths["length"] = at + 0.5 * (low + high) * axis, high - low
    return Part(entry["kind"], at, turned, lengths, role="fixture")


def terrain_of(obstacles: list[dict[str, Any]]) -> Terrain | None:
    """The first terrain, as heights."""
    for entry in obstacles:
        if entry["kind"] == "terrain":
            heights = unpacked(entry["heights"], "<f4", 1).reshape(entry["shape"]).astype(float)
            return Terrain(np.array(entry["origin"]), np.full(2, float(entry["spacing"])), heights)
    return None
