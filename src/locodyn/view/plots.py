"""Plots of a result for print: ``plot(result, "run.pdf")``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest
from locodyn.view.panels import GROUPS, Panel, panels_of, panels_of_part, torques_at
from locodyn.view.style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.sim import Result

ENDINGS = (".png", ".pdf", ".svg")
WIDTH, HEIGHT = 4.6, 2.7  # of one panel, inch


def chosen(result: Result, what: str | None, at: float | None) -> list[Panel]:
    """The panels for a word: nothing (all), a group, a joint, a wheel; at an instant (s) the torques of all joints."""
    if at is not None:
        if what not in (None, "torques"):
            raise InputError(f"an instant is drawn of the torques of all joints; leave '{what}' out, or the time.")
        if "joint_torque" not in result.dataset:
            raise InputError("the result has no joints whose torques could be drawn.")
        return [Panel("torques", lambda r: True, torques_at(at))]
    if what is None or what in GROUPS:
        return panels_of(result, what)
    panels = panels_of_part(result, what)
    if not panels:
        parts = [str(name) for dim in ("joint", "wheel") if dim in result.dataset.coords for name in result.dataset[dim].values]
        raise InputError(f"there is no plot '{what}'{nearest(what, [*GROUPS, *parts])}")
    return panels


def figure(result: Result, what: str | None = None, at: float | None = None) -> Figure:
    """A figure of all panels, of one group (``reference``, ``joints``, ``torques``, ``contacts``, ``energy``), of the joint or
    wheel of this name, or of all joint torques at the time ``at`` (s).
    """
    if result.dataset.sizes["time"] < 2:
        raise InputError("the result holds fewer than two records; there is nothing to plot.")
    panels = chosen(result, what, at)
    if not panels:
        raise InputError(f"the result has nothing to show for '{what}'.")
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    whole = what is None and at is None
    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(WIDTH * columns, HEIGHT * rows + (0.35 if whole else 0.0)), layout="constrained")
        spacing: Any = new.get_layout_engine()
        spacing.set(w_pad=0.06, h_pad=0.06, wspace=0.04, hspace=0.05)
        grid = new.add_gridspec(rows, columns)
        for k, panel in enumerate(panels):
            alone = k == len(panels) - 1 and len(panels) % columns  # the last one of an odd number takes the whole row
            place = grid[k // columns, :] if alone and columns > 1 else grid[k // columns, k % columns]
            panel.draw(result, new.add_subplot(place))
        if whole:
            about = result.attributes
            suffix = "" if result.status == "completed" else f" ({result.status})"
            new.suptitle(f"{about['scenario']}{suffix}", x=0.01, ha="left", fontsize=11, fontweight="bold")
    return new


def plot(result: Result, file: str | Path, what: str | None = None, at: float | None = None) -> Path:
    """Draw the run into a file; its ending says the format (png, pdf, svg). ``what`` and ``at`` as of :func:`figure`."""
    path = check_ending(file)
    return save(figure(result, what, at), path)


def check_ending(file: str | Path) -> Path:
    """The file as a path, :class:`InputError` when its ending says no format."""
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"the plot '{path}' must end in {', '.join(ENDINGS)}; the ending says the format.")
    return path


def save(drawing: Figure, path: Path) -> Path:
    """Write a figure; a file that was there stays whole until the new one is complete."""
    import matplotlib

    from locodyn.sim.store import write_beside

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
