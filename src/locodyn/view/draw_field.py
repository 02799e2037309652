"""Along rods, for print: fields over time and arc length as an image, or over arc length at an instant; forces of contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import Chart
from locodyn.view.contact_charts import held_rows
from locodyn.view.style import GREY, colour_strip, curve_style, legend, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

STILL = 1e-6  # a field that changes by less than this share of its size is at rest
COLUMNS = 600  # instants of an image; more cannot be seen
GAP = 0.06  # between two rods in an image, over the length of one
BOTH = 0.05  # of the largest value: the other sign counts from here on
NAMED = 6  # rods whose curves are named


def scale_of(values: np.ndarray, level: float) -> tuple[float, float, bool]:
    """Lowest and highest value of a scale of colours, and whether it has the level in its middle: where values are on both sides
    of it."""
    known = values[np.isfinite(values)] - level
    low, high = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    size = max(-low, high)
    both = min(-low, high) > BOTH * size
    return (level - size, level + size, True) if both else (level + low, level + high, False)


def draw_field(chart: Chart, times: np.ndarray, axes: Axes, at: float | None) -> None:
    """An image with the time to the right and each rod upwards, or curves over s at the time ``at``."""
    values = chart.values
    still = np.ptp(values, axis=0).max() <= STILL * max(float(np.abs(values).max()), 1e-300)
    if still or at is not None:
        _curves(chart, times, axes, at)
    else:
        _image(chart, times, axes)


def _curves(chart: Chart, times: np.ndarray, axes: Axes, at: float | None) -> None:
    row = len(times) - 1 if at is None else int(np.argmin(np.abs(times - at)))
    s = np.linspace(0.0, 1.0, chart.values.shape[2])
    for k, name in enumerate(chart.names):
        axes.plot(s, chart.values[row, k], label=name, **curve_style(k))
    if chart.values[row].min() < 0.0 < chart.values[row].max():
        axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1.0)
    where = "along the rod" if at is None else f"at {times[row]:.3g} s"
    axes.set(title=f"{chart.title} {where}", xlabel=chart.labels[1], ylabel=_label(chart), xlim=(0.0, 1.0))
    if 1 < len(chart.names) <= NAMED:
        legend(axes, chart.names, axes.get_title(loc="left"))


def _image(chart: Chart, times: np.ndarray, axes: Axes) -> None:
    few = np.unique(np.linspace(0, len(times) - 1, min(COLUMNS, len(times))).round().astype(int))
    low, high, both = scale_of(chart.values, chart.level or 0.0)
    image: Any = None
    for k in range(len(chart.names)):
        image = axes.imshow(
            chart.values[few, k].T,
            origin="lower",
            aspect="auto",
            extent=(times[0], times[-1], k * (1.0 + GAP), k * (1.0 + GAP) + 1.0),
            cmap="RdBu_r" if both else "cividis",
            vmin=low,
            vmax=high,
            interpolation="bilinear",
        )
    axes.set(xlabel=chart.labels[0], xlim=(times[0], times[-1]))
    axes.set_ylim(0.0, len(chart.names) * (1.0 + GAP) - GAP)
    if len(chart.names) == 1:
        axes.set_ylabel(chart.labels[1])
    else:
        axes.set_yticks([k * (1.0 + GAP) + 0.5 for k in range(len(chart.names))], chart.names)
    axes.grid(visible=False)
    colour_strip(axes, image, _label(chart), *(f"{value:.3g}".replace("-", "\u2212") for value in (low, high)))


def draw_forces_along(result: Result, axes: Axes, at: float) -> None:
    """Forces of anchors, sleeves and pegs over their abscissas at the record nearest to ``at`` (s)."""
    row = int(np.argmin(np.abs(result.time.values - at)))
    names = held_rows(result, turning=False)
    forces = result.multiplier.sel(constraint=names).values[row]
    places = result.contact_abscissa.sel(contact=[name.rsplit(".", 1)[0] for name in names]).values[row]
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    ways = sorted({name.rsplit(".", 1)[1] for name in names})
    for k, way in enumerate(ways):
        own = [n for n, name in enumerate(names) if name.endswith(f".{way}") and np.isfinite(places[n])]
        colour = curve_style(k)["color"]
        axes.vlines(places[own], 0.0, forces[own], colors=colour, linewidth=1.2)
        axes.plot(places[own], forces[own], "o", color=colour, markersize=5, label=way)
    title = f"contact forces at {result.time.values[row]:.3g} s"
    axes.set(title=title, xlabel="abscissa (m)", ylabel="force, section axes (N)")
    if len(ways) > 1:
        legend(axes, ways, title)


def _label(chart: Chart) -> str:
    return f"{chart.title} ({pretty_unit(chart.unit)})"
