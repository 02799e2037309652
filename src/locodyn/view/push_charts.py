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

SHADES = ("#E4EAEF", "#CBD6DF", "#B0BFCC")  # of the robot, one instant after the other
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
    """The robot from above at some instants, pegs, and the forces of pegs on its links: blue those that push forward."""
    from matplotlib.patches import Circle

    forces, names, _ = obstacle_forces(result)
    times, places = result.time.values, result.body_position
    rows = np.linspace(0, len(times) - 1, len(SHADES) + 2).astype(int)[1:-1]
    scene = scene_of(result, times[rows])
    way = result.mass_centre.values[-1] - result.mass_centre.values[0]
    bodies = [name.split(".")[0] for name in names]
    largest = max(float(np.linalg.norm(forces[rows], axis=2).max()), 1e-9)
    for k, row in enumerate(rows):
        filled(axes, outlines(scene, k, (0, 1)), SHADES[k], 1.0, 2.0 + k)
        label = {"xytext": (8, 8), "textcoords": "offset points", "fontsize": 7, "zorder": 9}
        axes.annotate(f"{times[row]:.3g} s", places.values[row, 0, :2], **label)
        for force, body in zip(forces[row], bodies, strict=True):
            if np.linalg.norm(force) > SEEN * largest:
                at, colour = places.sel(body=body).values[row, :2], PALETTE[0] if force @ way > 0.0 else PALETTE[1]
                arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.3, "shrinkA": 0.0, "shrinkB": 0.0}
                axes.annotate("", at + LONGEST * force[:2] / largest, at, arrowprops=arrow, zorder=8)
    for peg in result.scenario.obstacles if result.scenario is not None else ():
        if isinstance(peg, Peg):
            axes.add_patch(Circle((float(peg.at[0]), float(peg.at[1])), peg.radius, color="#8A6D4B", zorder=6))
    axes.set(title=f"forces of pegs, the longest {largest:.2g} N", xlabel="x (m)", ylabel="y (m)")
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)
