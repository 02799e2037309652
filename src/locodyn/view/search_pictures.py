"""Searches and fits for print: convergence and where runs were, or the front of two objectives; paths as small multiples; fitted
motion with its confidence band.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.plots import check_ending, save
from locodyn.view.style import FORCE, GREY, PALETTE, STYLE, labelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.study import Estimate, Optimum


def plot_search(found: Optimum, file: str | Path) -> Path:
    """Draw an optimisation into a file; the ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(search_figure(found), path)


def search_figure(found: Optimum) -> Figure:
    """Convergence beside the runs over the first two parameters; of several objectives the front."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(8.6, 3.6), layout="constrained")
        left, right = new.subplots(1, 2)
        (_front if len(found.search.objectives) > 1 else _convergence)(left, found)
        _places(new, right, found)
    return new


def _label(found: Optimum, name: str) -> str:
    words = name if name in {axis.name for axis in found.search.axes} else name.replace("_", " ")
    return labelled(words, found.search.units[name])


def _convergence(axes: Axes, found: Optimum) -> None:
    """Every run as a point, the best so far as a line."""
    (name, _), data = next(iter(found.search.objectives.items())), found.history
    values, kept = data[name].values, found.feasible
    runs = np.arange(len(values)) + 1
    axes.plot(runs[kept], values[kept], ".", color=PALETTE[5], ms=4, label="runs")
    if (~kept).any():
        axes.plot(runs[~kept], values[~kept], ".", color=GREY, ms=4, alpha=0.6, label="beyond a limit")
    axes.plot(
        runs, np.where(np.isfinite(data["best"].values), data["best"].values, np.nan), color=PALETTE[0], label="best so far"
    )
    axes.set(xlabel="run", ylabel=_label(found, name), title="convergence")
    axes.legend()


def _front(axes: Axes, found: Optimum) -> None:
    """All runs in the plane of the first two objectives, and those that no other beats."""
    first, second = list(found.search.objectives)[:2]
    x, y = (found.history[name].values for name in (first, second))
    kept, front = found.feasible, found.front()
    axes.plot(x[kept], y[kept], ".", color=GREY, ms=4, alpha=0.6, label="runs")
    axes.plot(x[front], y[front], "o-", color=PALETTE[1], ms=4, lw=1.0, label="front")
    axes.set(xlabel=_label(found, first), ylabel=_label(found, second), title="front")
    axes.legend()


def _places(new: Figure, axes: Axes, found: Optimum) -> None:
    """Where the runs were, over the first two parameters (or over one and the runs), coloured by the first objective."""
    names = [axis.name for axis in found.search.axes]
    data, objective = found.history, next(iter(found.search.objectives))
    x = data[names[0]].values
    y = data[names[1]].values if len(names) > 1 else np.arange(len(x)) + 1.0
    shown = axes.scatter(x, y, c=data[objective].values, cmap="viridis", s=12)
    new.colorbar(shown, ax=axes, label=_label(found, objective), pad=0.02)
    if len(found.search.objectives) > 1:
        axes.plot(x[found.front()], y[found.front()], "o", ms=6, mfc="none", mec=FORCE)
    else:
        axes.plot(x[found.run], y[found.run], "*", ms=12, mfc="white", mec="black")
    axes.set(xlabel=_label(found, names[0]), ylabel=_label(found, names[1]) if len(names) > 1 else "run", title="where")


def fit_figure(found: Estimate) -> Figure:
    """Measurements and the fitted motion with its band above, residuals below; a column for each that was measured."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    times, count = found.measured.times, len(found.measured.columns)
    band, residuals = found.band(), found.residuals
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(3.6 * count + 0.6, 4.2), layout="constrained")
        panels = np.asarray(new.subplots(2, count, sharex=True, squeeze=False, height_ratios=[2, 1]))
        for k, name in enumerate(found.measured.columns):
            above, below = panels[:, k]
            above.plot(times, found.measured.values[:, k], ".", color=GREY, ms=3, label="measured")
            above.plot(times, found.fitted[:, k], color=PALETTE[0], label="fit")
            ends = found.fitted[:, k] - band[:, k], found.fitted[:, k] + band[:, k]
            above.fill_between(times, *ends, color=PALETTE[0], alpha=0.25, lw=0, label="95 % band")
            above.set_title(name)
            below.plot(times, residuals[:, k], ".", color=PALETTE[1], ms=3)
            below.axhline(0.0, color=GREY, lw=0.8)
            below.set(xlabel="time (s)")
        panels[0, 0].legend()
        panels[1, 0].set_ylabel("residual")
        words = [f"{name} = {x:.4g} ± {e:.2g}" for name, x, e in zip(found.names, found.values, found.interval(), strict=True)]
        new.suptitle(", ".join(words), fontsize=9)
    return new


def plot_fit(found: Estimate, file: str | Path) -> Path:
    """Draw a fit into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(fit_figure(found), path)
