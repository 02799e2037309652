"""How plots look: a colour-blind safe palette, thin grids, units on every axis; legends above them, where they hide nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), in an order that keeps neighbours apart also in grey.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
GREY = "#777777"
FORCE = "#D55E00"
STABLE = "#E3F1EA"  # where a motion is stable
FIXTURE = "#9A8F83"  # what stands in the world

STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "legend.handletextpad": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "legend.handlelength": 1.4,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.use_mathtext": True,
    "savefig.dpi": 200,
    "figure.dpi": 100,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "path.simplify": True,
}


def curve_style(k: int) -> dict[str, Any]:
    """Colour and dash of curve k."""
    return {"color": PALETTE[k % len(PALETTE)], "linestyle": DASHES[k // len(PALETTE) % len(DASHES)]}


def pretty_unit(unit: str) -> str:
    """A unit as it is set in print: ``m/s^2`` -> ``m/s$^2$``."""
    return unit.replace("^2", "$^2$").replace("N m", "N·m")


def labelled(words: str, unit: str) -> str:
    """Words of an axis with their unit in brackets; nothing behind what has none."""
    return words if unit in ("", "-", "1") else f"{words} ({pretty_unit(unit)})"


def plain_unit(unit: str) -> str:
    """A unit as it is set on a page: ``m/s^2`` -> ``m/s²``."""
    return unit.replace("^2", "²").replace("N m", "N·m")


def over_a_parameter(share: float, draw: Callable[[Axes, Axes, Figure], None]) -> Figure:
    """Two panels side by side, the first ``share`` as wide as the second: over a parameter, and in the complex plane."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(9.2, 3.7), layout="constrained")
        left, right = new.subplots(1, 2, width_ratios=(share, 1.0))
        draw(left, right, new)
    return new


def mark_value(axes: Axes, value: float, words: str) -> None:
    """A line where the parameter has this value, with words along it."""
    axes.axvline(value, color=GREY, lw=0.8, ls=(0, (1, 1.5)))
    axes.annotate(
        words, (value, 0.02), xycoords=("data", "axes fraction"), rotation=90, ha="center", va="bottom", fontsize=7.5,
        color="#333333", bbox={"fc": "white", "ec": "none", "alpha": 0.85, "pad": 1.0},
    )  # fmt: skip


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
    beside = begin > letter * (len(first) + 1.1 * BOLD * len(title) + 2)  # titles with units have capitals and brackets
    axes.set_title(title, y=1.0, pad=6.0 if beside else 6.0 + LINE)
