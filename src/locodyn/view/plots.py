"""Plots of a result for print: ``plot(result, "run.pdf", "path,torques")``."""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError
from locodyn.sim.arguments import finite
from locodyn.view.chart import Chart, Panel
from locodyn.view.charts import GROUPS, PANELS, PARTS, default_panels, of_part, position_of
from locodyn.view.contact_charts import held_rows
from locodyn.view.draw import draw
from locodyn.view.draw_field import draw_forces_along
from locodyn.view.field_charts import FIELD_NAMES, has_rods
from locodyn.view.pictures import PICTURES
from locodyn.view.push_charts import body_path, crawls, has_pushes, push_view, width_of_height
from locodyn.view.stride_pictures import sticks, walks
from locodyn.view.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.sim import Result

WIDTH, HEIGHT = 4.6, 2.7  # of one panel, inch
TALL = 1.5  # height of a picture of the robot, or of a panel that takes a row, in panels
MOST_NAMES = 12  # of one kind in a sentence
ENDINGS = (".png", ".pdf", ".svg")
Drawn = Callable[["Axes"], None]
FLAT = (0.8, TALL)  # least and largest height of a view from above, in panels


def available(result: Result) -> list[str]:
    """All that can be drawn of a result: groups, panels, pictures, joints, wheels and contacts by name."""
    panels = [panel for panel in PANELS if panel.has(result)]
    pictures = [name for name, picture in PICTURES.items() if picture.has(result)]
    names = [*dict.fromkeys(panel.group for panel in panels), *(panel.name for panel in panels), *pictures]
    for dimension in ("body", *PARTS):
        names += [str(name) for name in result.dataset[dimension].values] if dimension in result.dataset.coords else []
    return list(dict.fromkeys(names))


def _panel(result: Result, panel: Panel, at: float | None = None) -> Drawn:
    return lambda axes: draw(panel.make(result), result.time.values, axes, at)


def _chart(result: Result, chart: Chart) -> Drawn:
    return lambda axes: draw(chart, result.time.values, axes)


def chosen(result: Result, what: str | Sequence[str] | None, at: float | None) -> list[tuple[Drawn, float]]:
    """What is drawn, and its height in panels (1: two stand side by side): all (None), or groups, panels, pictures, joints,
    wheels, contacts and bodies by name.

    Of a body its path from above, among what stands there, and its position over time. At an instant ``at`` (s) the torques of
    all joints, ``push_view``, or fields along rods. All of a run of a chain on hard contact holds ``body_path`` of its middle
    body, among pegs also ``push_view``; all of a walk holds ``sticks``.
    """
    words = [] if what is None else [w.strip() for w in (what.split(",") if isinstance(what, str) else what)]
    if at is not None:
        start, end = float(result.time.values[0]), float(result.time.values[-1])
        if not start <= finite(at, "the time of the plot") <= end:
            raise InputError(f"the plot is wanted at t = {at:g} s, but the run goes from {start:g} to {end:g} s.")
    if at is not None and words == ["push_view"] and has_pushes(result):
        return [(lambda axes: push_view(result, axes, at), _flat(result))]
    if at is not None and words and has_rods(result) and all(_along_rods(result, word) for word in words):
        return [(_at_instant(result, word, at), 1.0) for word in words]
    if at is not None:
        if words not in ([], ["torques"], ["torque_bars"]):
            raise InputError(
                f"an instant is drawn of the torques of all joints, of push_view among pegs, or of fields and grips along rods;"
                f" leave '{','.join(words)}' out, or the time."
            )
        if "joint_torque" not in result.dataset:
            raise InputError("the result has no joints whose torques could be drawn.")
        bars = next(panel for panel in PANELS if panel.name == "torque_bars")
        return [(_panel(result, bars, at), 1.0)]
    if not words:
        among: list[tuple[Drawn, float]] = []
        if walks(result):
            among.append((lambda axes: sticks(result, axes), TALL))
        if crawls(result):
            among.append((lambda axes: body_path(result, axes), _flat(result)))
        if has_pushes(result):
            among.append((lambda axes: push_view(result, axes), _flat(result)))
        return [(_panel(result, panel), _height(panel.wide)) for panel in default_panels(result)] + among
    found: list[tuple[Drawn, float]] = []
    for word in words:
        found += _of_word(result, word)
    return found


def _along_rods(result: Result, word: str) -> bool:
    """Whether this is drawn along rods at an instant."""
    return word in FIELD_NAMES or (word == "contact_forces" and bool(held_rows(result, turning=False)))


def _at_instant(result: Result, word: str, at: float) -> Drawn:
    if word == "contact_forces":
        return lambda axes: draw_forces_along(result, axes, at)
    return _panel(result, next(panel for panel in PANELS if panel.name == word), at)


def _height(tall: bool) -> float:
    return TALL if tall else 1.0


def _flat(result: Result) -> float:
    """Height of a view from above that shows the robot, its way and the pegs to scale, in panels."""
    needed = (2.0 * WIDTH / width_of_height(result) + 0.6) / HEIGHT
    return 1.001 * min(max(needed, FLAT[0]), FLAT[1])  # not 1: it stands alone in its row


def _of_word(result: Result, word: str) -> list[tuple[Drawn, float]]:
    if word in PICTURES and PICTURES[word].has(result):
        height = _flat(result) if word in ("push_view", "body_path") else TALL
        return [(lambda axes: PICTURES[word].draw(result, axes), height)]
    panels = default_panels(result, word) if word in GROUPS else [p for p in PANELS if p.name == word and p.has(result)]
    if panels:
        return [(_panel(result, panel), _height(panel.wide)) for panel in panels]
    charts = of_part(result, word)
    if charts:
        return [(_chart(result, chart), 1.0) for chart in charts]
    if word in result.body.values:
        path: Drawn = lambda axes: body_path(result, axes, word)  # noqa: E731  its type is said
        return [(path, _flat(result)), (_chart(result, position_of(result, word)), 1.0)]
    names = available(result)
    shown = ", ".join(_few(result, names))
    if word in GROUPS or word in PICTURES or any(panel.name == word for panel in PANELS):
        raise InputError(f"the result has nothing to show for '{word}'; it has {shown}.")
    close = difflib.get_close_matches(word, names, n=1)
    hint = f"did you mean '{close[0]}'? This" if close else "this"
    raise InputError(f"there is no plot '{word}'; {hint} result has {shown}.")


def _few(result: Result, names: list[str]) -> list[str]:
    """Names for a sentence: of many bodies, joints, wheels or contacts the first and the last, and how many there are."""
    for dimension, word in (("body", "bodies"), *((part, f"{part}s") for part in PARTS)):
        own = [str(name) for name in result.dataset[dimension].values] if dimension in result.dataset.coords else []
        if len(own) > MOST_NAMES:
            at = names.index(own[0])
            names = [name for name in names if name not in own[1:]]
            names[at] = f"{own[0]} to {own[-1]} ({len(own)} {word})"
    return names


def figure(result: Result, what: str | Sequence[str] | None = None, at: float | None = None) -> Figure:
    """A figure of all panels, or of what is named: groups (``reference``, ``joints``, ``torques``, ``contacts``, ``energy``),
    panels (``path``, ``joint_torques``, ``phase``, ...), pictures (``snapshots``, ``top_view``), joints, wheels and contacts;
    bodies (their path among pegs); several with commas. ``at`` (s): all joint torques, ``push_view``, or
    fields along rods, at this time.
    """
    if result.dataset.sizes["time"] < 2:
        raise InputError("the result holds fewer than two records; there is nothing to plot.")
    drawings = chosen(result, what, at)
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    whole = what is None and at is None
    columns = 1 if len(drawings) == 1 else 2
    rows: list[list[Drawn]] = []
    heights: list[float] = []
    for into, height in drawings:
        if height != 1.0 or columns == 1 or not rows or heights[-1] != 1.0 or len(rows[-1]) == columns:
            rows.append([])
            heights.append(height)
        rows[-1].append(into)
    with matplotlib.rc_context(STYLE):
        size = (
            WIDTH * (1.4 if columns == 1 and heights[0] != 1.0 else columns),
            HEIGHT * sum(heights) + (0.35 if whole else 0.0),
        )
        new = NewFigure(figsize=size, layout="constrained")
        spacing: Any = new.get_layout_engine()
        spacing.set(w_pad=0.06, h_pad=0.06, wspace=0.04, hspace=0.05)
        grid = new.add_gridspec(len(rows), columns, height_ratios=heights)
        for k, row in enumerate(rows):
            for j, into in enumerate(row):
                into(new.add_subplot(grid[k, :] if len(row) < columns else grid[k, j]))
        if whole:
            about = result.attributes
            suffix = "" if result.status == "completed" else f" ({result.status})"
            new.suptitle(f"{about['scenario']}{suffix}", x=0.01, ha="left", fontsize=11, fontweight="bold")
    return new


def check_ending(file: str | Path) -> Path:
    """The file as a path, :class:`InputError` when its ending says no format."""
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"the plot '{path}' must end in {', '.join(ENDINGS)}; the ending says the format.")
    return path


def plot(result: Result, file: str | Path, what: str | Sequence[str] | None = None, at: float | None = None) -> Path:
    """Draw the run into a file; its ending says the format (png, pdf, svg). ``what`` and ``at`` as of :func:`figure`."""
    path = check_ending(file)
    return save(figure(result, what, at), path)


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
