"""The ground of a scene: a plane with a grid, or heights over a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.quaternions import rotate

if TYPE_CHECKING:
    from locodyn.sim import Result
    from locodyn.view.look import WheelLook

STEEP = 0.3  # cosine between the normal of a plane and the vertical below which it is a wall, which is not drawn
CLEARANCE = 0.35  # height of a raised robot over the ground, as a share of its smallest wheel's radius


@dataclass(frozen=True, eq=False)
class Ground:
    """A plane through ``point`` (3,) m with the unit ``normal`` (3,). ``solid``: what lies below is hidden."""

    point: np.ndarray
    normal: np.ndarray
    solid: bool = True


@dataclass(frozen=True, eq=False)
class Terrain:
    """Heights (nx, ny) m at the points ``origin`` + (i, j) ``spacing`` of the x-y plane; ``origin``, ``spacing`` (2,) m."""

    origin: np.ndarray
    spacing: np.ndarray
    heights: np.ndarray


def ground_of(
    result: Result,
    portrait: dict[str, Any],
    obstacles: list[dict[str, Any]],
    bodies: tuple[Any, ...],
    positions: np.ndarray,
    orientations: np.ndarray,
) -> Ground | None:
    """Where the wheels touch; below the robot where there is gravity; a bare grid for a planar robot without; none in space.

    Surfaces that roll in space and obstacles know their plane; of several planes the first is drawn. A terrain is its own
    ground. Otherwise a plane is horizontal in the axes of the world. On a slope gravity is not, and the scene is looked at with
    gravity down.
    """
    normal = np.array([0.0, 0.0, 1.0])
    weight = np.asarray(result.attributes["gravity"], dtype=float)
    for obstacle in obstacles:
        if obstacle["kind"] == "ground" and -weight @ obstacle["normal"] >= STEEP * np.linalg.norm(weight):
            return Ground(np.array(obstacle["at"]), np.array(obstacle["normal"]))
        if obstacle["kind"] == "terrain":
            return None
    if portrait["contacts"]:
        contact = portrait["contacts"][0]
        return Ground(np.array(contact["ground"]), np.array(contact["normal"]))
    if portrait["wheels"]:
        wheel = portrait["wheels"][0]
        k = [look.name for look in bodies].index(wheel["body"])
        return Ground(positions[0, k] + rotate(orientations[0, k], np.array(wheel["at"])), normal)
    gravity = bool(np.linalg.norm(np.asarray(result.attributes["gravity"], dtype=float)) > 0.0)
    planar = portrait["bodies"][0]["joint"]["type"] == "planar"
    if not gravity and not planar:
        return None
    extreme = extreme_points(bodies, positions, orientations)
    lowest, highest = extreme.min(axis=0), extreme.max(axis=0)
    margin = (
        0.0
        if gravity and portrait["bodies"][0]["joint"]["type"] in ("free", "planar")
        else 0.08 * float((highest - lowest).max())
    )
    middle = 0.5 * (lowest + highest)
    return Ground(np.array([middle[0], middle[1], lowest[2] - margin]), normal, solid=gravity)


def lift(portrait: dict[str, Any], lowest: float, ground: Ground | None, wheels: tuple[WheelLook, ...]) -> np.ndarray:
    """How far (3,) m the shapes of a planar robot are drawn above the plane in which it is described.

    Such a robot has its mass centres in the ground and its shapes, whose ``lowest`` point is given, half below it: they are
    raised until they stand on the wheels. Frames, wheels and contact points are drawn where they are.
    """
    planar = portrait["bodies"][0]["joint"]["type"] == "planar"
    if not planar or not wheels or ground is None or lowest >= ground.point[2]:
        return np.zeros(3)
    return np.array([0.0, 0.0, ground.point[2] - lowest + CLEARANCE * min(wheel.radius for wheel in wheels)])


def extreme_points(bodies: tuple[Any, ...], positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """Points (26, 3) m that lie farthest along the axes and the diagonals, of all bodies at forty instants."""
    directions = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)], dtype=float) - 1.0
    few = np.unique(np.linspace(0, len(positions) - 1, 40).round().astype(int))
    best, found = np.full(len(directions), -np.inf), np.zeros((len(directions), 3))
    for k, look in enumerate(bodies):
        clouds = [positions[few, k]]
        clouds += [
            (rotate(orientations[few, k, None, :], part.outline()) + positions[few, k, None, :]).reshape(-1, 3)
            for part in look.parts
        ]
        for cloud in clouds:
            reach = cloud @ directions.T
            top = reach.argmax(axis=0)
            better = reach[top, np.arange(len(directions))] > best
            best[better], found[better] = reach[top, np.arange(len(directions))][better], cloud[top[better]]
    return found
