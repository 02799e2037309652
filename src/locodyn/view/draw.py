"""Charts for print: each is drawn into a pair of matplotlib axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.charts import MANY, Chart
from locodyn.view.style import GREY, PALETTE, curve_style, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 3000  # of one curve; more cannot be seen


def draw(chart: Chart, times: np.ndarray, axes: Axes, at: float | None = None) -> None:
    """A chart into axes; ``at`` (s): the instant of bars, by default the middle of the run."""
    if chart.kind == "plane":
        _plane(chart, axes)
    elif chart.kind == "bars":
        _bars(chart, times, axes, at)
    else:
        _curves(chart, times, axes)


def legend(axes: Axes, count: int) -> None:
    """A legend above the curves, beside the title: it hides nothing."""
    axes.legend(loc="lower right", bbox_to_anchor=(1.02, 1.0), ncols=min(count, 4), borderaxespad=0.1, columnspacing=1.0)


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
            style = {"color": "#000000", "linestyle": (0, (1, 2))} if name == "supplied" else curve_style(k)
            plot(times[few], chart.values[few, k], label=name, **style)
        if len(chart.names) > 1 or chart.kind == "log":
            legend(axes, len(chart.names))
    else:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale: Any = ScalarMappable(Normalize(1, len(chart.names)), colormaps["cividis"])
        for k in range(len(chart.names)):
            plot(times[few], chart.values[few, k], color=scale.to_rgba(k + 1), linewidth=1.0)
        strip = axes.inset_axes((0.62, 1.03, 0.25, 0.03))  # above the curves, where the legend of a few would be
        bar = axes.figure.colorbar(scale, cax=strip, orientation="horizontal", ticks=[])
        bar.outline.set_visible(False)
        strip.text(-0.04, 0.5, chart.names[0], ha="right", va="center", transform=strip.transAxes, fontsize=8)
        strip.text(1.04, 0.5, chart.names[-1], ha="left", va="center", transform=strip.transAxes, fontsize=8)
    axes.set(title=chart.title, xlabel="time (s)", ylabel=_label(chart), xlim=(times[0], times[-1]))


def _plane(chart: Chart, axes: Axes) -> None:
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
    legend(axes, max(2, len(chart.names)))


def _bars(chart: Chart, times: np.ndarray, axes: Axes, at: float | None) -> None:
    """All values at the record nearest to an instant."""
    k = int(np.argmin(np.abs(times - (0.5 * (times[0] + times[-1]) if at is None else at))))
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.bar(range(len(chart.names)), chart.values[k], width=0.7, color=PALETTE[0])
    step = max(1, len(chart.names) // 20)
    axes.set_xticks(range(0, len(chart.names), step), [name.removeprefix("joint_") for name in chart.names[::step]])
    axes.grid(axis="x", visible=False)
    axes.set(title=f"{chart.title} at t = {times[k]:.4g} s", xlabel=chart.labels[0], ylabel=_label(chart))
