"""How plots look: a colour-blind safe palette, thin grids, units on every axis."""

from __future__ import annotations

from collections.abc import Callable
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
