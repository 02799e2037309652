"""A study for print: maps over two or three parameters with the optimum, curves over one, parallel coordinates of samples."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.study.units import behind
from locodyn.view.plots import check_ending, save
from locodyn.view.study_paths import even
from locodyn.view.style import FORCE, GREY, PALETTE, STYLE, labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.study import StudyResult

_STAR: Any = {"mfc": "white", "mec": "black", "mew": 0.8, "zorder": 5, "linestyle": ""}
_BOUNDARY = {"stability_margin": 0.0, "largest_multiplier": 1.0}  # where motions cease to be stable
_MARKS = ("x", "+", "1", "2")  # of reasons why runs failed
_COLUMNS = 6  # maps beside each other, for values of a third parameter
_WIDE = 52  # letters of a line of a legend
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")
_SMALLEST_IS_BEST = ("multiplier", "cost", "error", "torque", "force", "effort", "work", "drift")


def plot_study(found: StudyResult, file: str | Path, metrics: tuple[str, ...] = ()) -> Path:
    """Draw a study into a file: a panel for each metric; what fits its design. The ending says the format."""
    path = check_ending(file)
    return save(study_figure(found, metrics), path)


def study_figure(found: StudyResult, metrics: tuple[str, ...] = ()) -> Figure:
    """Curves over one parameter, maps over two, small multiples of maps over three; parallel coordinates of all other designs."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    shown = metrics or found.metrics
    for name in shown:
        if name not in found.metrics:
            raise InputError(f"the study has no metric '{name}'{nearest(name, found.metrics)}")
    shape = found.definition["shape"]
    with matplotlib.rc_context(STYLE):
        if shape and len(shape) <= 2:
            new = NewFigure(figsize=(4.4 * len(shown), 3.6), layout="constrained")
            panels = np.atleast_1d(new.subplots(1, len(shown)))
            for axes, name in zip(panels, shown, strict=True):
                (_map if len(shape) == 2 else _curve)(new, axes, found, name)
            return new
        if len(shape) == 3:
            return _multiples(found, shown)
        new = NewFigure(figsize=(1.5 * (len(found.parameters) + len(shown)) + 1.5, 3.6), layout="constrained")
        _parallel(new, new.subplots(), found, shown)
    return new


def smallest_is_best(metric: str) -> bool:
    """Whether less of a metric is better: costs, errors, loads."""
    return any(word in metric for word in _SMALLEST_IS_BEST)


def _label(found: StudyResult, name: str) -> str:
    unit = found.table[name].attrs.get("units", "")
    words = name if name in found.parameters else name.replace("_", " ")
    return labelled(words, unit)


def _places(values: np.ndarray) -> tuple[np.ndarray, list[str] | None]:
    """Where values stand on an axis; words stand at whole numbers."""
    if values.dtype.kind in "fiu":
        return values.astype(float), None
    return np.arange(len(values), dtype=float), [str(value) for value in values]


def _ticks(axis: Any, words: list[str] | None) -> None:
    if words is not None:
        axis.set_ticks(range(len(words)), words)


def _reasons(found: StudyResult) -> list[tuple[str, list[int], str]]:
    """Why runs failed: sentences alike but for their numbers are one; with the runs and a mark, the most frequent first."""
    alike: dict[str, tuple[str, list[int]]] = {}
    for sentence, runs in found.failures().items():
        alike.setdefault(_NUMBER.sub("#", sentence), (sentence, []))[1].extend(runs)
    ordered = sorted(alike.values(), key=lambda one: -len(one[1]))
    if len(ordered) > len(_MARKS):
        rest = sorted(run for _, runs in ordered[len(_MARKS) - 1 :] for run in runs)
        ordered = [*ordered[: len(_MARKS) - 1], ("for other reasons", rest)]
    told = []
    for (sentence, runs), mark in zip(ordered, _MARKS, strict=False):
        words = f"{len(runs)} run{'s' if len(runs) > 1 else ''} failed (first: {min(runs)}): {sentence}"
        told.append((textwrap.fill(words, _WIDE), runs, mark))
    return told


def _multiples(found: StudyResult, shown: tuple[str, ...]) -> Figure:
    """Maps over the first two parameters, one for each value of the third (six of many), a metric in one colour scale."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure as NewFigure

    parts = even(found.definition["shape"][2], _COLUMNS)
    new = NewFigure(figsize=(2.4 * len(parts) + 1.2, 3.2 * len(shown)), layout="constrained")
    panels = new.subplots(len(shown), len(parts), sharex=True, sharey=True, squeeze=False)
    for row, name in zip(panels, shown, strict=True):
        for axes, part in zip(row, parts, strict=True):
            _map(new, axes, found, name, part)
        values = found.column(name)
        values = values[np.isfinite(values)]
        if len(values):
            scale = ScalarMappable(Normalize(values.min(), values.max()), "viridis")
            new.colorbar(scale, ax=list(row), label=_label(found, name), pad=0.02)
    for axes in panels.flat:
        axes.label_outer()
    return new


def _map(new: Figure, axes: Axes, found: StudyResult, metric: str, part: int | None = None) -> None:
    """A metric over two parameters; failed runs are crossed, the best one has a star. ``part``: value number of a third one."""
    data, (first, second, *third) = found.dataset, found.parameters
    (x, x_words), (y, y_words) = (_places(data[name].values) for name in (first, second))
    whole = np.where(np.isfinite(data[metric].values), data[metric].values, np.nan)
    values = whole if part is None else whole[..., part]
    axes.grid(False)
    if np.isfinite(values).any():
        along, up = np.argsort(x), np.argsort(y)  # cells of values that are given in any order
        cells = x[along], y[up], values[np.ix_(along, up)].T
        ends = {"vmin": np.nanmin(whole), "vmax": np.nanmax(whole)}
        drawn = axes.pcolormesh(*cells, cmap="viridis", shading="nearest", rasterized=True, **ends)
        if part is None:
            new.colorbar(drawn, ax=axes, label=_label(found, metric), pad=0.02)
        if metric in _BOUNDARY and np.nanmin(values) < _BOUNDARY[metric] < np.nanmax(values):
            axes.contour(*cells, levels=[_BOUNDARY[metric]], colors="white", linewidths=1.6)
        best = found.best(metric, not smallest_is_best(metric))
        place = np.unravel_index(best.run, whole.shape)
        word = "smallest" if smallest_is_best(metric) else "largest"
        if part is None or place[2] == part:
            axes.plot(x[place[0]], y[place[1]], "*", ms=12, label=f"{word}: {best.value:.3g}", **_STAR)
    for why, runs, mark in _reasons(found):
        at = np.unravel_index(runs, whole.shape)
        here = np.ones(len(runs), dtype=bool) if part is None else at[2] == part
        if here.any():
            axes.plot(x[at[0][here]], y[at[1][here]], mark, color=FORCE, ms=4, label=why)
    title = metric.replace("_", " ")
    if part is not None:
        value, unit = data[third[0]].values[part], data[third[0]].attrs["units"]
        title = f"{title}\n{third[0]} = {f'{value:.4g}' if data[third[0]].dtype.kind == 'f' else value}{behind(unit)}"
    axes.set(xlabel=_label(found, first), ylabel=_label(found, second), title=title)
    _ticks(axes.xaxis, x_words)
    _ticks(axes.yaxis, y_words)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _curve(new: Figure, axes: Axes, found: StudyResult, metric: str) -> None:
    """A metric over one parameter; gaps and crosses where runs failed."""
    data, (name,) = found.dataset, found.parameters
    x, words = _places(data[name].values)
    values = data[metric].values
    along = np.argsort(x)
    axes.plot(x[along], values[along], color=PALETTE[0], marker="o" if len(x) < 60 else "", ms=3)
    if np.isfinite(values).any():
        best = found.best(metric, not smallest_is_best(metric))
        axes.plot(x[best.run], best.value, "*", ms=11, **_STAR)
        low = float(np.nanmin(values[np.isfinite(values)]))
        for why, runs, mark in _reasons(found):
            axes.plot(x[runs], np.full(len(runs), low), mark, color=FORCE, ms=5, label=why)
        if found.failures():
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(xlabel=_label(found, name), ylabel=_label(found, metric), title=metric.replace("_", " "))
    _ticks(axes.xaxis, words)


def _parallel(new: Figure, axes: Axes, found: StudyResult, shown: tuple[str, ...]) -> None:
    """Parallel coordinates (Inselberg 1985): a line for each run through all parameters and metrics, coloured by the last."""
    import matplotlib

    names = [*found.parameters, *shown]
    columns, ends = [], []
    for name in names:
        values, words = found.table[name].values, None
        if values.dtype.kind not in "fiu":
            words = list(dict.fromkeys(map(str, values)))
            values = np.array([words.index(str(value)) for value in values])
        numbers = np.where(np.isfinite(values.astype(float)), values.astype(float), np.nan)
        low, high = (float(np.nanmin(numbers)), float(np.nanmax(numbers))) if np.isfinite(numbers).any() else (0.0, 1.0)
        columns.append((numbers - low) / (high - low or 1.0))
        ends.append([f"{low:.3g}", f"{high:.3g}"] if words is None else [words[0], words[-1]])
    rows = np.array(columns).T
    rows = rows[np.isfinite(rows).all(axis=1)]
    colours = matplotlib.colormaps["viridis"]
    for row in rows[np.argsort(rows[:, -1])]:
        axes.plot(range(len(names)), row, color=colours(row[-1]), lw=0.7, alpha=0.6)
    for k, (bottom, top) in enumerate(ends):
        axes.axvline(k, color=GREY, lw=0.8)
        axes.text(k, -0.03, bottom, ha="center", va="top", fontsize=7)
        axes.text(k, 1.03, top, ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(names)), [_label(found, name) for name in names], fontsize=7)
    axes.tick_params(axis="x", pad=12, length=0)
    axes.set(yticks=[], ylim=(-0.1, 1.1))
    axes.grid(False)
    axes.spines[:].set_visible(False)
