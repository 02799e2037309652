"""Pictures of the robot for print: its outline at many instants in one picture, and from above with the forces on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.robot.pose import quaternion_of_rotation
from locodyn.view.charts import moves, path_points, plane_of
from locodyn.view.look import TYRE, WheelLook
from locodyn.view.parts import Part, about, compose, rotate
from locodyn.view.scene import Scene, scene_of
from locodyn.view.style import FORCE, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

SNAPSHOTS = 6  # of the robot along its path
SEQUENCE = 9  # in a picture of its own
ABOVE = 4  # instants with forces


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
    return [polygon for _, polygon in sorted(found, key=lambda pair: pair[0])]


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


def _robot(
    axes: Axes, scene: Scene, instant: int, plane: tuple[int, int], face: Any, alpha: float, order: float, edge: str = "#333333"
) -> None:
    from matplotlib.collections import PolyCollection

    drawn = PolyCollection(
        outlines(scene, instant, plane), facecolors=[face], edgecolors=edge, linewidths=0.4, alpha=alpha, zorder=order
    )
    axes.add_collection(drawn)


def along_path(result: Result, axes: Axes, plane: tuple[int, int]) -> None:
    """The robot in grey at a few instants, where it is larger than a spot beside its path."""
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], SNAPSHOTS))
    if scene.size < 0.02 * np.ptp(result.position.values, axis=0).max():
        return
    for k in range(SNAPSHOTS):
        _robot(axes, scene, k, plane, "#CCCCCC", 0.6, 1.0, edge="#999999")


def snapshots(result: Result, axes: Axes) -> None:
    """The robot at many instants, from light to dark, with the path of its reference body."""
    from matplotlib import colormaps

    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], SEQUENCE))
    plane = plane_of(scene.extreme)
    shades: Any = colormaps["Blues"](np.linspace(0.18, 0.85, SEQUENCE))
    name, points = path_points(result)
    axes.plot(*points[:, plane].T, color=PALETTE[1], linewidth=1.0, zorder=0.5)
    for k in range(SEQUENCE):
        _robot(axes, scene, k, plane, shades[k], 1.0 if k == SEQUENCE - 1 else 0.9, 2.0 + k)
    title = f"{SEQUENCE} instants, t = {scene.times[0]:.4g} s (light) to {scene.times[-1]:.4g} s (dark)"
    _frame(axes, f"{title}, path of {name}" if moves(points) else title, plane)


def top_view(result: Result, axes: Axes) -> None:
    """The robot from above at a few instants, with the forces of the ground on it."""
    plane = (0, 1)
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], ABOVE + 1)[1:])
    _, points = path_points(result)
    axes.plot(*points[:, plane].T, color=PALETTE[0], linewidth=1.0, alpha=0.7, zorder=0.5)
    for k in range(len(scene.times)):
        _robot(axes, scene, k, plane, "#D5DEE6", 1.0, 2.0)
        place = float(scene.positions[k, 0, 0]), float(scene.positions[k, 0, 1])
        axes.annotate(
            f"{scene.times[k]:.3g} s", place, xytext=(0, 14), textcoords="offset points", ha="center", fontsize=7, zorder=6
        )
    if scene.contacts is not None and scene.contacts.scale > 0.0:
        at, force = (x.reshape(-1, 3)[:, :2] for x in (scene.contacts.points, scene.contacts.forces))
        strong = np.linalg.norm(force, axis=1) > 1e-3 * np.linalg.norm(force, axis=1).max()
        scale = 1.0 / scene.contacts.scale
        arrows = axes.quiver(
            *at[strong].T, *force[strong].T, angles="xy", scale_units="xy", scale=scale, color=FORCE, width=0.004, zorder=5
        )
        unit = float(f"{np.linalg.norm(force, axis=1).max():.1g}")
        axes.quiverkey(arrows, 0.86, 1.04, unit, f"{unit:g} N", labelpos="E", coordinates="axes", fontproperties={"size": 8})
    _frame(axes, "from above, with the forces of the ground", plane)


def _frame(axes: Axes, title: str, plane: tuple[int, int]) -> None:
    axes.set(title=title, xlabel=f"{'xyz'[plane[0]]} (m)", ylabel=f"{'xyz'[plane[1]]} (m)")
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)


PICTURES = {"snapshots": snapshots, "top_view": top_view}
