"""Outlines of the robot, seen across a coordinate plane."""

from __future__ import annotations

import numpy as np

from locodyn.robot.pose import quaternion_of_rotation
from locodyn.view.look import TYRE, WheelLook
from locodyn.view.parts import Part
from locodyn.view.quaternions import about, compose, rotate
from locodyn.view.rods import strip
from locodyn.view.scene import Scene


def outlines(scene: Scene, instant: int, plane: tuple[int, int]) -> list[np.ndarray]:
    """Polygons (k, 2) m of all parts of the robot, seen across a coordinate plane; far ones first."""
    depth = ({0, 1, 2} - set(plane)).pop()
    towards = 1.0 if plane != (0, 2) else -1.0  # the x-z plane is looked at from -y
    found: list[tuple[float, np.ndarray]] = []

    def add(part: Part, position: np.ndarray, quaternion: np.ndarray) -> None:
        points = rotate(quaternion, part.outline()) + position
        found.append((towards * float(points[:, depth].max()), hull(points[:, plane])))

    for k, body in enumerate(scene.bodies):
        for part in body.parts:
            add(part, scene.positions[instant, k] + scene.lift, scene.orientations[instant, k])
    for w, wheel in enumerate(scene.wheels):
        k = scene.index(wheel.body)
        turned = compose(scene.orientations[instant, k], about(wheel.vertical, scene.wheel_steer[instant, w]))
        for place in wheel.places:
            at = scene.positions[instant, k] + rotate(scene.orientations[instant, k], place)
            add(_disc(wheel), at, turned)
    for rod in scene.rods:
        found.append((towards * float(rod.centre[instant][:, depth].max()), strip(rod, instant, plane)))
    return [polygon for _, polygon in sorted(found, key=lambda pair: pair[0])]


def fixture_outlines(scene: Scene, plane: tuple[int, int]) -> list[np.ndarray]:
    """Polygons (k, 2) m of the pegs, balls and blocks of the world, seen across a coordinate plane."""
    return [hull(part.outline()[:, plane]) for part in scene.fixtures if part.colour is None]  # water is clear


def _disc(wheel: WheelLook) -> Part:
    """A wheel as a box as long as it is high, with its lower face at the ground (seen from above it is a rectangle)."""
    axes = np.column_stack([wheel.heading, wheel.axle, wheel.vertical])
    skate = wheel.kind == "skate"
    size = [2.0 * wheel.radius, (0.08 if skate else TYRE) * wheel.radius, (0.5 if skate else 2.0) * wheel.radius]
    return Part("box", 0.5 * size[2] * wheel.vertical, quaternion_of_rotation(axes), {"size": size}, role="tyre")


def hull(points: np.ndarray) -> np.ndarray:
    """The convex hull (k, 2) of points (n, 2), counterclockwise (Andrew's monotone chain)."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    halves = []
    for side in (order, order[::-1]):
        chain: list[np.ndarray] = []
        for point in side:
            while len(chain) > 1 and _left(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        halves.append(chain[:-1])
    return np.array(halves[0] + halves[1])


def _left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
