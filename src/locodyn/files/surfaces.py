"""Surfaces of hard contact from the collision shapes of a file, and the ground on which a robot stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locodyn.errors import InputError
from locodyn.files.assemble import Part
from locodyn.files.notes import Notes
from locodyn.robot import Friction, Mesh, Shape
from locodyn.robot.collision import Collision, collision_of
from locodyn.robot.mesh_file import read_mesh
from locodyn.robot.pose import Pose
from locodyn.world import Ground

MOST_POINTS = 32  # by which a mesh touches: enough for a foot to stand, few enough for a hand to be quick
_FORWARD = np.array([1.0, 0.0, 0.0])


def surface(name: str, shape: Shape, friction: Friction, about: str, notes: Notes) -> Collision | None:
    """The surface of a shape that is placed in the frame of its body; of a mesh, points of its convex hull."""
    if not isinstance(shape, Mesh):
        return collision_of(name, about, shape, None, np.zeros(3), friction, 0.0, _FORWARD)
    try:
        vertices, _ = read_mesh(shape.path)
    except InputError as error:
        notes.lost(about, f"its mesh is not a surface: {error}")
        return None
    pose = shape.pose(np.zeros(3))
    placed = (np.asarray(shape.scale, dtype=float) * vertices) @ pose.rotation.T + pose.position
    return hull_surface(name, placed, friction, about, notes)


def hull_surface(name: str, vertices: np.ndarray, friction: Friction, about: str, notes: Notes) -> Collision:
    """The surface of the convex hull of ``vertices`` (n, 3) m: points that lie outermost."""
    notes.changed(about, f"a mesh touches by the outermost of its points, at most {MOST_POINTS}")
    return collision_of(name, about, None, outermost(vertices), np.zeros(3), friction, 0.0, _FORWARD)


def outermost(vertices: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """At most so many of the points (n, 3) that lie outermost: those farthest along directions spread evenly over the sphere.

    The directions are the axes, along which a foot stands, and a Fibonacci lattice (Gonzalez 2010).
    """
    count = most - 6
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.arange(count) * np.pi * (3.0 - np.sqrt(5.0))
    lattice = np.column_stack((np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z))
    directions = np.vstack((np.eye(3), -np.eye(3), lattice))
    found: np.ndarray = vertices[np.unique(np.argmax(vertices @ directions.T, axis=0))]
    return found


def lowest(parts: Sequence[Part]) -> float:
    """Height (m) of the lowest point of all surfaces, with the joints at zero and the base where the file puts it."""
    poses: dict[str, Pose] = {}
    least = np.inf
    for part in parts:  # parents first
        poses[part.name] = (poses[part.parent] if part.parent in poses else Pose()) @ part.at @ part.child
        for one in part.collisions:
            least = min(least, _lowest(one, poses[part.name] @ one.pose))
    return float(least)


def _lowest(one: Collision, pose: Pose) -> float:
    """Height of the lowest point of a surface at ``pose``: that of its support function in the direction -z."""
    down, (a, b, c) = -pose.rotation[2], one.size  # -z in the axes of the surface
    reach = {
        "sphere": lambda: a,
        "capsule": lambda: a + b * abs(down[2]),
        "cylinder": lambda: a * np.hypot(down[0], down[1]) + b * abs(down[2]),
        "box": lambda: float(np.abs(down) @ (a, b, c)),
        "ellipsoid": lambda: float(np.linalg.norm(down * (a, b, c))),
        "points": lambda: float((one.vertices @ down).max()),
    }[one.kind]()
    return float(pose.position[2] - reach)


def ground_below(parts: Sequence[Part], notes: Notes) -> tuple[Ground, ...]:
    """The ground that the lowest surface touches at the start, for a file that has none."""
    height = lowest(parts)
    if not np.isfinite(height):
        return ()
    notes.assumed("ground", f"a level plane at z = {height:.4g} m, which the lowest surface touches at the start")
    return (Ground(at=(0.0, 0.0, height)),)
