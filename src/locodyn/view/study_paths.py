"""Paths of the runs of a study as small multiples: a panel for each run, all to one scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.study.study_result import PATHS
from locodyn.study.units import behind
from locodyn.view.plots import check_ending, save
from locodyn.view.style import FORCE, GREY, PALETTE, STYLE, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.study import StudyResult

_ALONG, _MOST = 6, 24  # panels along each of two parameters, and of all runs
_PLANES = ((0, 1), (0, 2), (1, 2))
_FLAT = 1e-6  # an extent that is nothing beside the largest


def plot_paths(found: StudyResult, file: str | Path) -> Path:
    """Draw the paths of a study into a file. The ending says the format."""
    path = check_ending(file)
    return save(paths_figure(found), path)


def paths_figure(found: StudyResult) -> Figure:
    """A panel for each run: a grid over two parameters stands as the grid, others in rows; evenly chosen where there are many.

    Every panel begins at the place where its run does (a dot) and shows the plane in which the paths go furthest.
    """
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    places = _paths(found)
    chosen, columns = _chosen(found)
    plane, reach = _plane(places[[run for run in chosen if run is not None]])
    rows = -(-len(chosen) // columns)
    ratio = float(np.clip((reach[1][1] - reach[1][0]) / (reach[0][1] - reach[0][0]), 0.15, 3.0))
    high = 1.3 * ratio + 0.15 * len(found.parameters) + 0.2  # inches: a panel and the lines above it
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(1.5 * columns + 0.6, high * rows + 0.6), layout="constrained")
        panels = new.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, run in zip(panels.flat, [*chosen, *[None] * (rows * columns - len(chosen))], strict=True):
            if run is None:
                axes.axis("off")
            else:
                _panel(axes, found, run, places[run][:, plane], reach)
        new.supxlabel(f"{'xyz'[plane[0]]} ({pretty_unit('m')})", fontsize=9)
        new.supylabel(f"{'xyz'[plane[1]]} ({pretty_unit('m')})", fontsize=9)
    return new


def check_paths(series: Iterable[str]) -> None:
    """Refuse a study that keeps no path."""
    if not set(PATHS) & set(series):
        raise InputError(f"the study keeps no path; run it with the series '{PATHS[0]}' (--series {PATHS[0]}).")


def _paths(found: StudyResult) -> np.ndarray:
    """Paths (runs, samples, 3) from where they begin, m; NaN of runs that failed."""
    check_paths(found.definition["series"])
    for name in PATHS:
        if name in found.table:
            places: np.ndarray = np.asarray(found.table[name].values, dtype=float)
            places = places - places[:, :1]
            return places
    raise InputError("no run of the study has a path; see why in failures().")


def _chosen(found: StudyResult) -> tuple[list[int | None], int]:
    """Numbers of the runs that are shown, row by row, and the number of columns."""
    shape = found.definition["shape"]
    if len(shape) == 2:
        first, second = (even(count, _ALONG) for count in shape)
        # The first parameter grows to the right, the second upwards, as in a map.
        return [int(np.ravel_multi_index((i, k), shape)) for k in second[::-1] for i in first], len(first)
    runs = even(found.store.runs, _MOST)
    return [*runs], min(len(runs), max(3, math.isqrt(len(runs)) + 1))


def even(count: int, most: int) -> list[int]:
    """At most so many numbers below ``count``, with both ends, evenly."""
    return sorted({int(x) for x in np.rint(np.linspace(0, count - 1, min(count, most)))})


def _plane(places: np.ndarray) -> tuple[list[int], tuple[tuple[float, float], tuple[float, float]]]:
    """The plane in which the paths go furthest, from above where they do nothing else, and its ends."""
    finite = places[np.isfinite(places).all(axis=(1, 2))]
    if not len(finite):
        raise InputError("no run of the study has a path; see why in failures().")
    low, high = finite.min(axis=(0, 1)), finite.max(axis=(0, 1))
    size = np.where(high - low > _FLAT * (high - low).max(), high - low, 0.0)
    plane = list(max(_PLANES, key=lambda axes: (np.count_nonzero(size[list(axes)]), size[list(axes)].sum())))
    margin = 0.08 * max(float(size.max()), 1e-9)
    ends = [(float(low[axis]) - margin, float(high[axis]) + margin) for axis in plane]
    return plane, (ends[0], ends[1])


def _panel(axes: Axes, found: StudyResult, run: int, path: np.ndarray, reach: Any) -> None:
    """One run: its path from a dot on, or a cross where it failed; above it what it varied."""
    if np.isfinite(path).all():
        axes.plot(path[:, 0], path[:, 1], color=PALETTE[0], lw=1.0)
        axes.plot(*path[0], "o", color=GREY, ms=2.5)
    else:
        axes.plot(0.0, 0.0, "x", color=FORCE, ms=6)
    axes.set(xlim=reach[0], ylim=reach[1])
    axes.set_aspect("equal", adjustable="box")
    axes.locator_params(nbins=3)
    units = found.definition["units"]
    shown = {name: f"{value:.3g}" if isinstance(value, float) else str(value) for name, value in found.row(run).items()}
    words = [f"{name} = {value}{behind(units[name])}" for name, value in shown.items()]
    axes.set_title("\n".join(words) if len(words) <= 3 else f"run {run}", fontsize=6.5, fontweight="normal")
    axes.tick_params(labelsize=6)
