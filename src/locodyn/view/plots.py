"""Plots of a result for print: ``plot(result, "run.pdf")``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest
from locodyn.view.panels import GROUPS, panels_of
from locodyn.view.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.sim import Result

WIDTH, HEIGHT = 4.6, 2.7  # of one panel, inch


def figure(result: Result, what: str | None = None) -> Figure:
    """A figure of all panels, or of one group: ``reference``, ``joints``, ``torques``, ``energy``."""
    if what is not None and what not in GROUPS:
        raise InputError(f"there is no plot '{what}'{nearest(what, GROUPS)}")
    if result.dataset.sizes["time"] < 2:
        raise InputError("the result holds fewer than two records; there is nothing to plot.")
    panels = panels_of(result, what)
    if not panels:
        raise InputError(f"the result has nothing to show for '{what}'.")
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(WIDTH * columns, HEIGHT * rows + (0.35 if what is None else 0.0)), layout="constrained")
        spacing: Any = new.get_layout_engine()
        spacing.set(w_pad=0.06, h_pad=0.06, wspace=0.04, hspace=0.05)
        grid = new.add_gridspec(rows, columns)
        for k, panel in enumerate(panels):
            alone = k == len(panels) - 1 and len(panels) % columns  # the last one of an odd number takes the whole row
            place = grid[k // columns, :] if alone and columns > 1 else grid[k // columns, k % columns]
            panel.draw(result, new.add_subplot(place))
        if what is None:
            about = result.attributes
            suffix = "" if result.status == "completed" else f" ({result.status})"
            new.suptitle(f"{about['scenario']}{suffix}", x=0.01, ha="left", fontsize=11, fontweight="bold")
    return new


def plot(result: Result, file: str | Path, what: str | None = None) -> Path:
    """Draw the run into a file; its ending says the format (png, pdf, svg)."""
    import matplotlib

    from locodyn.sim.store import write_beside

    path = Path(file)
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"the plot '{path}' must end in .png, .pdf or .svg; the ending says the format.")
    drawing = figure(result, what)

    def write(target: Path) -> None:
        with matplotlib.rc_context(STYLE):
            drawing.savefig(target)

    return write_beside(path, write)


def svg(result: Result, what: str) -> str:
    """One group of panels as an SVG element, to stand inside a page. Ids are made different for each group."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": what}):
        figure(result, what).savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
