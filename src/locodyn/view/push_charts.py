"""Push points among obstacles: how many there are and how hard they push, and the robot with their forces (Transeth 2007, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.control.push_points import obstacle_forces, push_count
from locodyn.errors import InputError
from locodyn.view.chart import Chart, over_time
from locodyn.view.draw import filled
from locodyn.view.outlines import outlines
from locodyn.view.scene import scene_of
from locodyn.view.style import PALETTE
from locodyn.world import Peg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

LONGEST = 0.25  # m: the largest force
SEEN = 0.01  # of the largest force: smaller ones are not drawn


def has_pushes(result: Result) -> bool:
    """Whether pegs have touched the robot."""
    try:
        return bool(np.abs(obstacle_forces(result)[0]).max(initial=0.0) > 0.0)
    except InputError:
        return False


def pushes(result: Result) -> Chart:
    """Sum of the forces of pegs along the way of the robot, and the number of push points."""
    forces, _, _ = obstacle_forces(result)
    centre = result.mass_centre.values
    way = centre[-1] - centre[0]
    size = float(np.linalg.norm(way))
    along = forces.sum(axis=1) @ way / size if size > 0.0 else np.zeros(len(centre))
    count = push_count(result) if size > 0.0 else np.zeros(len(centre))
    values = np.column_stack([along, count])
    return over_time("push of pegs", "force along the way, number", "N, 1", ["force (N)", "push points"], values, level=0.0)


def push_view(result: Result, axes: Axes) -> None:
    """The robot from above, half-way through the run, among its pegs, with their forces: blue where they push forward."""
    from matplotlib.patches import Circle

    forces, names, _ = obstacle_forces(result)
    row = len(result.time) // 2
    scene = scene_of(result, result.time.values[row : row + 1])
    way = result.mass_centre.values[-1] - result.mass_centre.values[0]
    sizes = np.linalg.norm(forces[row], axis=1)
    largest = max(float(sizes.max()), 1e-9)
    filled(axes, outlines(scene, 0, (0, 1)), "#D5DEE6", 1.0, 2.0)
    for n in np.flatnonzero(sizes > SEEN * largest):
        at, force = result.contact_point.sel(contact=names[n]).values[row, :2], forces[row, n]
        colour = PALETTE[0] if force @ way > 0.0 else PALETTE[1]
        arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0.0, "shrinkB": 0.0}
        tip = at + LONGEST * force[:2] / largest
        axes.annotate("", (tip[0], tip[1]), (at[0], at[1]), arrowprops=arrow, zorder=8)
    for peg in result.scenario.obstacles if result.scenario is not None else ():
        if isinstance(peg, Peg):
            axes.add_patch(Circle((float(peg.at[0]), float(peg.at[1])), peg.radius, color="#8A6D4B", zorder=6))
    axes.set(title=f"forces of pegs at {result.time.values[row]:.3g} s, the longest {largest:.2g} N")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)
