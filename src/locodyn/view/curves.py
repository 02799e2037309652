"""Curves over time: what the panels of a plot have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.style import MANY, curve_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

POINTS = 3000  # of one curve; more cannot be seen
ROOM = 62  # letters that fit above a panel


@dataclass(frozen=True)
class Panel:
    """One panel: its group (``reference``, ``joints``, ...), whether it applies, how it is drawn, whether it takes a row."""

    group: str
    applies: Callable[[Result], bool]
    draw: Callable[[Result, Axes], None]
    wide: bool = False


def thin(result: Result) -> slice:
    """Every so many records, so that a curve has a sensible number of points."""
    return slice(None, None, max(1, result.dataset.sizes["time"] // POINTS))


def moves(values: np.ndarray, threshold: float = 1e-9) -> bool:
    """Whether any column changes."""
    return values.size > 0 and float(np.max(np.ptp(values, axis=0))) > threshold


def curves(result: Result, axes: Axes, values: np.ndarray, names: list[str], title: str, label: str) -> None:
    """Curves over time: named in a legend, or coloured along a scale when they are many."""
    few = thin(result)
    times = result.time.values[few]
    if len(names) == 1 and names[0] != title:
        title = f"{title}: {names[0]}"
    if len(names) <= MANY:
        for k, name in enumerate(names):
            axes.plot(times, values[few, k], label=name, **curve_style(k))
        if len(names) > 1:
            legend(axes, len(names), sum(map(len, names)) + len(title))
    else:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale: Any = ScalarMappable(Normalize(1, len(names)), colormaps["cividis"])
        for k in range(len(names)):
            axes.plot(times, values[few, k], color=scale.to_rgba(k + 1), linewidth=1.0)
        strip = axes.inset_axes((0.62, 1.03, 0.25, 0.03))  # above the curves, where the legend of a few would be
        bar = axes.figure.colorbar(scale, cax=strip, orientation="horizontal", ticks=[])
        bar.outline.set_visible(False)
        strip.text(-0.04, 0.5, names[0], ha="right", va="center", transform=strip.transAxes, fontsize=8)
        strip.text(1.04, 0.5, names[-1], ha="left", va="center", transform=strip.transAxes, fontsize=8)
    axes.set(title=title, xlabel="time (s)", ylabel=label, xlim=(times[0], times[-1]))
    size = float(np.abs(values).max(initial=0.0))
    if values.size and 0.0 < np.ptp(values) < 1e-6 * size:  # round-off is no curve
        axes.set_ylim(float(values.min()) - 0.1 * size, float(values.max()) + 0.1 * size)


def legend(axes: Axes, count: int, letters: int = 0) -> None:
    """A legend above the curves, beside the title, where it hides nothing; inside when its ``letters`` would not fit there."""
    if letters + 5 * count > ROOM:
        axes.legend(loc="best", ncols=2 if count > 3 else 1, frameon=True, framealpha=0.85, edgecolor="none")
    else:
        columns = min(count, 4)
        axes.legend(loc="lower right", bbox_to_anchor=(1.02, 1.0), ncols=columns, borderaxespad=0.1, columnspacing=1.0)
