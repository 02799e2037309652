"""Charts for print: each is drawn into a pair of matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import MANY, Chart
from locodyn.view.draw_field import draw_field
from locodyn.view.style import FIXTURE, GREY, PALETTE, ROOM, colour_strip, curve_style, legend, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 3000  # of one curve; more cannot be seen
DOTTED: Any = (0, (1, 2))


def draw(chart: Chart, times: np.ndarray, axes: Axes, at: float | None = None) -> None:
    """A chart into axes; ``at`` (s): the instant of bars, by default the middle of the run, or of a field along rods."""
    if chart.kind == "plane":
        _plane(chart, axes)
    elif chart.kind == "bars":
        _bars(chart, times, axes, at)
    elif chart.kind == "field":
        draw_field(chart, times, axes, at)
    else:
        _curves(chart, times, axes)


def filled(axes: Axes, polygons: Sequence[np.ndarray], face: Any, alpha: float, order: float, edge: str = "#333333") -> None:
    """Outlines of the robot at one instant."""
    from matplotlib.collections import PolyCollection

    axes.add_collection(PolyCollection(polygons, facecolors=[face], edgecolors=edge, linewidths=0.4, alpha=alpha, zorder=order))


def standing(axes: Axes, polygons: Sequence[np.ndarray]) -> None:
    """Outlines of what stands in the world; they do not widen the axes."""
    from matplotlib.collections import PolyCollection

    if polygons:
        outlines = PolyCollection(polygons, facecolors=[FIXTURE], edgecolors="#5F564C", linewidths=0.5, zorder=0.4)
        axes.add_collection(outlines, autolim=False)


def _label(chart: Chart) -> str:
    return f"{chart.quantity} ({pretty_unit(chart.unit)})".strip() if chart.unit else chart.quantity


def _curves(chart: Chart, times: np.ndarray, axes: Axes) -> None:
    """Curves over time: named in a legend, or coloured along a scale when they are many."""
    few = slice(1 if chart.kind == "log" else 0, None, max(1, len(times) // POINTS))
    plot: Any = axes.semilogy if chart.kind == "log" else axes.plot
    if chart.kind == "time" and chart.values.min(initial=0.0) < 0.0 < chart.values.max(initial=0.0):
        axes.axhline(0.0, color=GREY, linewidth=0.8)
    if len(chart.names) <= MANY:
        for k, name in enumerate(chart.names):
            style = {"color": "#000000", "linestyle": DOTTED} if name == "supplied" else curve_style(k)
            plot(times[few], chart.values[few, k], label=name, **style)
    else:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale: Any = ScalarMappable(Normalize(1, len(chart.names)), colormaps["cividis"])
        for k in range(len(chart.names)):
            plot(times[few], chart.values[few, k], color=scale.to_rgba(k + 1), linewidth=1.0)
        colour_strip(axes, scale, chart.title, chart.names[0], chart.names[-1])
    axes.set(xlabel="time (s)", ylabel=_label(chart), xlim=(times[0], times[-1]))
    if len(chart.names) <= MANY:
        axes.set_title(chart.title)
    if 1 < len(chart.names) <= MANY or chart.kind == "log":
        legend(axes, chart.names, chart.title)
    _marks(chart, axes)


def _marks(chart: Chart, axes: Axes) -> None:
    """Lines that mark a value or instants, and the range that is shown at least."""
    if chart.level is not None:
        axes.axhline(chart.level, color=GREY, linewidth=0.9, linestyle=DOTTED)
    for t, word in chart.marks:
        axes.axvline(t, color="#000000", linewidth=0.9, linestyle=DOTTED)
        axes.annotate(f" {word}", (t, 0.02), xycoords=("data", "axes fraction"), fontsize=8)
    if chart.span is not None:
        bottom, top = axes.get_ylim()
        axes.set_ylim(min(bottom, chart.span[0]), max(top, chart.span[1]))


def _plane(chart: Chart, axes: Axes) -> None:
    standing(axes, chart.fixtures)
    for polygons in chart.pictures:
        filled(axes, polygons, "#CCCCCC", 0.6, 1.0, edge="#999999")
    few = slice(None, None, max(1, len(chart.values) // POINTS))
    for k, name in enumerate(chart.names):
        x, y = chart.values[:, 2 * k], chart.values[:, 2 * k + 1]
        axes.plot(x[few], y[few], label=name if len(chart.names) > 1 else None, **curve_style(k))
        if len(chart.names) == 1:
            axes.plot(x[0], y[0], "o", color=PALETTE[2], markersize=6, label="start")
            axes.plot(x[-1], y[-1], "s", color=PALETTE[1], markersize=6, label="end")
    axes.set(title=chart.title, xlabel=pretty_unit(chart.labels[0]), ylabel=pretty_unit(chart.labels[1]))
    if chart.equal:
        axes.set_aspect("equal", adjustable="datalim")
        axes.locator_params(axis="x", nbins=6)
    if chart.mirrored:
        axes.invert_xaxis()
    legend(axes, chart.names if len(chart.names) > 1 else ("start", "end"), chart.title)


def _bars(chart: Chart, times: np.ndarray, axes: Axes, at: float | None) -> None:
    """All values at the record nearest to an instant."""
    k = int(np.argmin(np.abs(times - (0.5 * (times[0] + times[-1]) if at is None else at))))
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.bar(range(len(chart.names)), chart.values[k], width=0.7, color=PALETTE[0])
    names = [name.removeprefix("joint_") for name in chart.names]
    step = max(1, -(-sum(len(name) + 2 for name in names) // ROOM))
    axes.set_xticks(range(0, len(names), step), names[::step])
    axes.grid(axis="x", visible=False)
    axes.set(title=f"{chart.title} at t = {times[k]:.4g} s", xlabel=chart.labels[0], ylabel=_label(chart))
