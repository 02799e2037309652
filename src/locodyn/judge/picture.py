"""Pictures of an outcome: error against CPU time, or CPU time against size; a curve for each code and method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.judge.outcome import Stored
from locodyn.judge.problem import OWN
from locodyn.view.plots import check_ending, save
from locodyn.view.style import DASHES, PALETTE, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = (6.4, 3.9)  # inches
# A colour for each code, the same in all pictures; methods of a code differ in their dashes and marks.
_COLOURS = dict(zip((OWN, "Exudyn", "MuJoCo", "PyElastica", "Pinocchio", "Siconos", "SciPy"), PALETTE, strict=True))
_MARKS = ("o", "s", "^", "D")
_LEAST = 1e-32  # an error of zero is drawn here
_DECADES = 2.3  # a shorter axis of times has plain numbers at 1, 2 and 5


def figure(stored: Stored) -> Figure:
    """The picture of an outcome as JSON keeps it."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        drawing = Figure(figsize=_SIZE, layout="constrained")
        axes = drawing.add_subplot()
        curves: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in stored["rows"]:
            if row["error"] is not None and row["cpu"] is not None:
                curves.setdefault((str(row["code"]), str(row["method"])), []).append(row)
        seen: dict[str, int] = {}
        for (code, method), rows in curves.items():
            _draw(axes, stored["against"], code, method, rows, seen.get(code, 0))
            seen[code] = seen.get(code, 0) + 1
        axes.set_xscale("log")
        axes.set_yscale("log")
        _label_x(axes, stored)
        if stored["against"] == "size":
            axes.set_xlabel("size")
            axes.set_ylabel("CPU time (s)")
        else:
            axes.set_xlabel("CPU time (s)")
            axes.set_ylabel(_wrapped(stored["measure"]))
        axes.set_title(stored["title"])
        axes.legend(loc="best")
    return drawing


def _label_x(axes: Axes, stored: Stored) -> None:
    """Sizes as they are; times at powers of ten, and as plain numbers at 1, 2 and 5 where few of these are seen."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    if stored["against"] == "size":
        sizes = sorted({float(str(row["setting"])) for row in stored["rows"]})
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
        return
    least, most = axes.get_xlim()
    if most < least * 10.0**_DECADES:
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, place: f"{seconds:g}"))
    else:
        axes.xaxis.set_minor_formatter(NullFormatter())


def draw(stored: Stored, path: Path) -> Path:
    """Write the picture; the ending says the format (png, pdf, svg)."""
    return save(figure(stored), check_ending(path))


def _draw(axes: Axes, against: str, code: str, method: str, rows: list[dict[str, Any]], number: int) -> None:
    x = [float(row["setting" if against == "size" else "cpu"]) for row in rows]
    y = [float(row["cpu"]) if against == "size" else max(float(row["error"]), _LEAST) for row in rows]
    axes.plot(
        x, y, color=_COLOURS[code], linestyle=DASHES[number % len(DASHES)], marker=_MARKS[number % len(_MARKS)], markersize=4.5,
        linewidth=2.0 if code == OWN else 1.2, label=f"{code}, {method}",
    )  # fmt: skip


def _wrapped(text: str, width: int = 48) -> str:
    """A label of an axis in lines that fit."""
    import textwrap

    return "\n".join(textwrap.wrap(text, width))
