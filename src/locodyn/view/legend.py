"""Legends and scales of colours of printed charts: above them, where they hide nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 65  # letters of a legend that fit above a panel
BOLD = 1.4  # width of a letter of the title, in letters of a legend
HANDLE = 5.7  # of the sample of a curve
STRIP = 0.2  # length of a scale of colours, of the panel, where there is room
LINE = 12.0  # height of a line of a legend, points


def legend(axes: Axes, names: Sequence[str], title: str) -> None:
    """A legend above the curves, where it hides nothing: beside the title, or below it when there is no room."""
    place = axes.get_subplotspec()
    room = ROOM * (len(place.colspan) if place is not None else 1)
    style: Any = {"borderaxespad": 0.1, "columnspacing": 1.0}
    if sum(map(len, names)) + BOLD * len(title) + HANDLE * len(names) <= room:
        axes.legend(loc="lower right", bbox_to_anchor=(1.02, 1.0), ncols=len(names), **style)
        return
    lines = -(-len(names) // max(1, room // (max(map(len, names)) + 6)))
    axes.legend(loc="lower right", bbox_to_anchor=(1.02, 1.0), ncols=-(-len(names) // lines), **style)
    axes.set_title(title, pad=6.0 + LINE * lines)


def colour_strip(axes: Axes, scale: Any, title: str, first: str, last: str) -> None:
    """Title, and a scale of colours between the words for its first and its last, where a legend would be."""
    place = axes.get_subplotspec()
    letter = 1.0 / ROOM / (len(place.colspan) if place is not None else 1)
    long = min(STRIP, max(0.1, 1.0 - letter * (len(first) + len(last) + 4)))
    begin = 1.0 - letter * (len(last) + 1) - long
    strip = axes.inset_axes((begin, 1.03, long, 0.03))
    bar = axes.figure.colorbar(scale, cax=strip, orientation="horizontal", ticks=[])
    bar.outline.set_visible(False)
    strip.text(-0.04, 0.5, first, ha="right", va="center", transform=strip.transAxes, fontsize=8)
    strip.text(1.04, 0.5, last, ha="left", va="center", transform=strip.transAxes, fontsize=8)
    beside = begin > letter * (len(first) + BOLD * len(title) + 2)
    axes.set_title(title, y=1.0, pad=6.0 if beside else 6.0 + LINE)
