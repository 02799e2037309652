"""Push points among obstacles: how many there are and how hard they push; the robot with their forces, and its path among them.

As the figures of Transeth (2007, 5 and 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.controllers.push_points import obstacle_forces, push_count
from locodyn.errors import InputError
from locodyn.view.chart import Chart, over_time
from locodyn.view.draw import filled, standing
from locodyn.view.motion_charts import hops_along_a_line
from locodyn.view.outlines import fixture_outlines, outlines
from locodyn.view.scene import Scene, scene_of
from locodyn.view.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

LONGEST = 0.25  # m: the largest force
SEEN = 0.01  # of the largest force: smaller ones are not drawn
LEAST = 1e-6  # N: what is a force


def has_pushes(result: Result) -> bool:
    """Whether pegs have touched the robot."""
    try:
        return bool(np.abs(obstacle_forces(result)[0]).max(initial=0.0) > 0.0)
    except InputError:
        return False


def pushes(result: Result) -> Chart:
    """Sum of the forces of pegs along the way of the robot."""
    forces, _, _ = obstacle_forces(result)
    way, size = _way(result)
    along = forces.sum(axis=1) @ way / size if size > 0.0 else np.zeros(len(forces))
    return over_time("push of pegs", "force along the way", "N", ["push of pegs"], along[:, None], level=0.0)


def numbers(result: Result) -> Chart:
    """Number of pegs that push the robot along its way, which a steady drive needs three of."""
    count = push_count(result) if _way(result)[1] > 0.0 else np.zeros(len(result.time))
    return over_time("push points", "number of pegs that push forward", "-", ["push points"], count[:, None], level=3.0)


def _way(result: Result) -> tuple[np.ndarray, float]:
    """Displacement (3,) m of the mass centre, and its length."""
    way = result.mass_centre.values[-1] - result.mass_centre.values[0]
    return way, float(np.linalg.norm(way))


def push_view(result: Result, axes: Axes, at: float | None = None) -> None:
    """The robot from above at the time ``at`` (s; half-way), among its pegs, with their forces: blue where they push forward."""
    forces, names, _ = obstacle_forces(result)
    times = result.time.values
    if at is not None and not times[0] <= at <= times[-1]:
        raise InputError(f"the time is {at:g} s, but the run goes from {times[0]:g} to {times[-1]:g} s.")
    row = len(times) // 2 if at is None else int(np.argmin(np.abs(times - at)))
    scene = scene_of(result, times[row : row + 1])
    way = result.mass_centre.values[-1] - result.mass_centre.values[0]
    sizes = np.linalg.norm(forces[row], axis=1)
    largest = max(float(sizes.max()), 1e-9)
    filled(axes, outlines(scene, 0, (0, 1)), "#D5DEE6", 1.0, 2.0)
    for n in np.flatnonzero(sizes > max(SEEN * largest, LEAST)):
        point, force = result.contact_point.sel(contact=names[n]).values[row, :2], forces[row, n]
        colour = PALETTE[0] if force @ way > 0.0 else PALETTE[1]
        arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0.0, "shrinkB": 0.0}
        tip = point + LONGEST * force[:2] / largest
        axes.annotate("", (tip[0], tip[1]), (point[0], point[1]), arrowprops=arrow, zorder=8)
        axes.plot(*tip, alpha=0.0)  # so that the view holds the arrow
    longest = f"the longest {largest:.2g} N" if largest > LEAST else "none at this time"
    _frame(scene, axes, f"forces of pegs at {times[row]:.3g} s, {longest}")


def width_of_height(result: Result) -> float:
    """Width over height of a view from above on the whole motion and what stands there."""
    scene = scene_of(result, result.time.values[[0, -1]])
    cloud = np.vstack(
        [scene.extreme[:, :2], result.body_position.values[:, :, :2].reshape(-1, 2), *fixture_outlines(scene, (0, 1))]
    )
    width, height = 1.1 * np.ptp(cloud, axis=0)
    return float(width / max(height, 1e-9))


def crawls(result: Result) -> bool:
    """Whether a chain of bodies moves on hard contact: the path of its middle is then worth seeing from above."""
    chain = "contact_gap" in result.dataset and len(result.body) > 2 and not hops_along_a_line(result)
    return chain and float(np.ptp(result.position.values, axis=0).max()) > 0.0


def middle(result: Result) -> str:
    """The body in the middle of the robot: link 6 of the eleven of Transeth (2007)."""
    return str(result.body.values[len(result.body) // 2])


def body_path(result: Result, axes: Axes, body: str | None = None) -> None:
    """Path of a body (the middle one) from above, among the pegs, to scale; the robot at the start and at the end."""
    body = body or middle(result)
    points = result.body_position.sel(body=body).values
    scene = scene_of(result, result.time.values[[0, -1]])
    filled(axes, outlines(scene, 0, (0, 1)), "#EDF1F5", 1.0, 2.0)
    filled(axes, outlines(scene, 1, (0, 1)), "#CBD6E0", 1.0, 3.0)
    axes.plot(points[:, 0], points[:, 1], color=PALETTE[0], linewidth=1.4, zorder=7)
    axes.plot(*points[0, :2], marker="o", markersize=4, color=PALETTE[0], zorder=7)
    _frame(scene, axes, f"path of {body}, from the dot on")


def _frame(scene: Scene, axes: Axes, title: str) -> None:
    """What stands in the world, to scale and in the view; both axes alike."""
    fixtures = fixture_outlines(scene, (0, 1))
    standing(axes, fixtures)
    for outline in fixtures:
        axes.update_datalim(outline)
    axes.set(title=title, xlabel="x (m)", ylabel="y (m)")
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)
