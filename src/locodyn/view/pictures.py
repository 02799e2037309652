"""Pictures for print: the robot at many instants in one picture, from above with the forces on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import moves
from locodyn.view.draw import filled, standing
from locodyn.view.motion_charts import lying, path_points, plane_of
from locodyn.view.outlines import fixture_outlines, outlines
from locodyn.view.push_charts import body_path, has_pushes, push_view
from locodyn.view.scene import ARROW, Scene, scene_of
from locodyn.view.stride_pictures import limit_cycle, recurs, section, sticks, walks
from locodyn.view.style import FORCE, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

SEQUENCE = 9  # in a picture of its own
ABOVE = 4  # instants with forces
SEEN = 0.06  # of the way: length of the largest force at least
LEAST = 1e-9  # N; smaller forces are round-off


def snapshots(result: Result, axes: Axes) -> None:
    """The robot at many instants, from light to dark, with the path of its reference body."""
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], SEQUENCE))
    plane = lying(plane_of(scene.extreme), scene.extreme)
    name, points = path_points(result)
    axes.plot(*points[:, plane].T, color=PALETTE[1], linewidth=1.0, zorder=0.5)
    _sequence(axes, scene, plane)
    title = f"{SEQUENCE} instants, t = {scene.times[0]:.4g} s (light) to {scene.times[-1]:.4g} s (dark)"
    title = "at rest" if _still(scene) else title
    _frame(axes, f"{title}, path of {name}" if moves(points) else title, plane)


def projections(result: Result, axes: Axes) -> None:
    """The robot at many instants and its path, seen along the three axes: three pictures beside each other, of one scale."""
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], SEQUENCE))
    _, points = path_points(result)
    cloud = np.vstack([scene.extreme, points])
    middle, side = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0)), 1.12 * float(np.ptp(cloud, axis=0).max())
    axes.set_axis_off()
    for k, plane in enumerate(((0, 1), (0, 2), (1, 2))):
        part, (x, y) = axes.inset_axes((0.36 * k, 0.0, 0.28, 1.0)), plane
        _sequence(part, scene, plane)
        part.plot(*points[:, plane].T, color=PALETTE[1], linewidth=1.0, zorder=0.5)
        part.set(
            xlabel=f"{'xyz'[x]} (m)", ylabel=f"{'xyz'[y]} (m)", title=f"{'xyz'[x]}-{'xyz'[y]}",
            xlim=(middle[x] - 0.5 * side, middle[x] + 0.5 * side), ylim=(middle[y] - 0.5 * side, middle[y] + 0.5 * side),
        )  # fmt: skip
        part.set_aspect("equal", adjustable="box")
        part.grid(visible=False)


def _sequence(axes: Axes, scene: Scene, plane: tuple[int, int]) -> None:
    """The robot at the instants of a scene, from light to dark; once when nothing moves."""
    from matplotlib import colormaps

    standing(axes, fixture_outlines(scene, plane))
    shades: Any = colormaps["Blues"](np.linspace(0.18, 0.85, SEQUENCE))
    for k in range(SEQUENCE - 1 if _still(scene) else 0, SEQUENCE):
        filled(axes, outlines(scene, k, plane), shades[k], 1.0 if k == SEQUENCE - 1 else 0.9, 2.0 + k)


def _still(scene: Scene) -> bool:
    """Whether nothing moves by more than a millionth of the size of the robot, or turns by more than a few millionths."""
    ways = [scene.positions, *(rod.centre for rod in scene.rods)]
    if max(float(np.ptp(way, axis=0).max(initial=0.0)) for way in ways) >= 1e-6 * scene.size:
        return False
    cosines = np.abs(np.sum(scene.orientations * scene.orientations[:1], axis=-1))  # of half the angles turned
    return float(cosines.min(initial=1.0)) > 1.0 - 1e-12


def top_view(result: Result, axes: Axes) -> None:
    """The robot from above at a few instants, with the forces of the ground on it."""
    scene = scene_of(result, np.linspace(result.time.values[0], result.time.values[-1], ABOVE + 1)[1:])
    plane = lying((0, 1), scene.extreme)
    _, points = path_points(result)
    axes.plot(*points[:, plane].T, color=PALETTE[0], linewidth=1.0, alpha=0.7, zorder=0.5)
    standing(axes, fixture_outlines(scene, plane))
    for k in range(len(scene.times)):
        filled(axes, outlines(scene, k, plane), "#D5DEE6", 1.0, 2.0)
        place = float(scene.positions[k, 0, plane[0]]), float(scene.positions[k, 0, plane[1]])
        axes.annotate(
            f"{scene.times[k]:.3g} s", place, xytext=(0, 14), textcoords="offset points", ha="center", fontsize=7, zorder=6
        )
    if scene.contacts is not None and scene.contacts.scale > 0.0:
        at, force = (x.reshape(-1, 3)[:, plane] for x in (scene.contacts.points, scene.contacts.forces))
        _arrows(axes, at, force, max(ARROW * scene.size, SEEN * float(np.ptp(points[:, plane], axis=0).max())))
    _frame(axes, "from above, with the forces of the ground", plane)


def _arrows(axes: Axes, at: np.ndarray, force: np.ndarray, longest: float) -> None:
    """Forces (k, 2) N in the plane at points (k, 2) m; the largest is ``longest`` m, its size is told above."""
    sizes = np.linalg.norm(force, axis=1)
    if sizes.max() <= LEAST:
        return
    strong, scale = sizes > 1e-3 * sizes.max(), sizes.max() / longest
    arrows = axes.quiver(
        *at[strong].T, *force[strong].T, angles="xy", scale_units="xy", scale=scale, color=FORCE, width=0.004, zorder=5
    )
    unit = float(f"{sizes.max():.1g}")
    axes.quiverkey(arrows, 0.86, 1.04, unit, f"{unit:g} N", labelpos="E", coordinates="axes", fontproperties={"size": 8})


def _frame(axes: Axes, title: str, plane: tuple[int, int]) -> None:
    axes.set(title=title, xlabel=f"{'xyz'[plane[0]]} (m)", ylabel=f"{'xyz'[plane[1]]} (m)")
    axes.margins(0.08, 0.14)
    axes.autoscale_view()
    if plane == (1, 0):
        axes.invert_xaxis()
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)


@dataclass(frozen=True)
class Picture:
    """A picture by name: how it is drawn, and whether the result has it."""

    draw: Callable[[Result, Axes], None]
    has: Callable[[Result], bool] = lambda result: True


PICTURES = {
    "snapshots": Picture(snapshots),
    "projections": Picture(projections),
    "top_view": Picture(top_view),
    "push_view": Picture(push_view, has_pushes),
    "body_path": Picture(body_path),
    "sticks": Picture(sticks, walks),
    "limit_cycle": Picture(limit_cycle, walks),
    "poincare_section": Picture(section, recurs),
}
