"""The plan of a gait among pegs beside what came of it: the ideal motion with its push points, and the forces of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.controllers.peg_planner import NEAR, PUSHES, Chain, PegPlan, peg_gaps, wave_posture
from locodyn.view.draw import filled, standing
from locodyn.view.push_charts import body_path, push_view
from locodyn.view.style import PALETTE, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.sim import Result


def plan_figure(result: Result, plan: PegPlan, chain: Chain, pegs: np.ndarray) -> Figure:
    """The plan half-way through the run, the forces of the run at that time, and the path of its middle link."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    t = result.time.values
    half = float(t[len(t) // 2])
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(7.2, 6.0), layout="constrained")
        axes = new.subplots(3, 1, sharex=True)
        count = plan_view(plan, chain, pegs, half * float(result.parameters["omega"]), axes[0])
        axes[0].set_title(f"plan at {half:.3g} s: {count} push points")
        push_view(result, axes[1], half)
        body_path(result, axes[2])
        for one in axes[:2]:
            one.set_xlabel("")
    return new


def plan_view(plan: PegPlan, chain: Chain, pegs: np.ndarray, turned: float, axes: Axes) -> int:
    """The body on its track after the wave has turned by ``turned`` rad, and the normals of pegs that would push it: so many."""
    start = wave_posture(chain, plan.amplitude, plan.phase, plan.first_phase)
    posture = wave_posture(chain, plan.amplitude, plan.phase, plan.first_phase + turned)
    posture[:, :2] += np.array(plan.place[:2]) - start[0, :2]
    filled(axes, [link(chain, *one) for one in posture], "#D5DEE6", 1.0, 2.0)
    circle = np.linspace(0.0, 2.0 * np.pi, 49)
    standing(axes, [np.column_stack([x + r * np.cos(circle), y + r * np.sin(circle)]) for x, y, r in pegs])
    gaps, normals = peg_gaps(chain, posture, pegs)
    pushing = np.flatnonzero((gaps < NEAR) & (normals[:, 0] > PUSHES))
    for n in pushing:
        at = pegs[n, :2] + pegs[n, 2] * normals[n]
        tip = at + 0.15 * normals[n]
        arrow = {"arrowstyle": "-|>", "color": PALETTE[0], "linewidth": 1.3, "shrinkA": 0.0, "shrinkB": 0.0}
        axes.annotate("", (tip[0], tip[1]), (at[0], at[1]), arrowprops=arrow, zorder=8)
        axes.plot(*at, marker="o", markersize=4, color=PALETTE[0], zorder=8)
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(visible=False)
    return len(pushing)


def link(chain: Chain, x: float, y: float, heading: float) -> np.ndarray:
    """Outline (k, 2) m of a link: a capsule seen from above."""
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    front = np.column_stack([chain.half_axis + chain.radius * np.cos(turn), chain.radius * np.sin(turn)])
    outline = np.vstack([front, -front])
    c, s = np.cos(heading), np.sin(heading)
    found: np.ndarray = outline @ np.array([[c, s], [-s, c]]) + (x, y)
    return found
