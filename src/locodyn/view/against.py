"""A run against what was measured: both curves and their errors, a panel for each column (as Gotelli 2024, Tables 4.2 to 4.4).

What was measured is a CSV file with ``time`` and columns such as ``position.x [mm]`` or ``joint_position.knee``, another result,
or a :class:`~locodyn.study.measured.Measured`. The run is read at the times of the measurements, by cubic splines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.identify.rods import ErrorStatistics, error_statistics
from locodyn.study.measured import Measured
from locodyn.view.plots import check_ending, save
from locodyn.view.style import GREY, PALETTE, STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.sim import Result

MeasuredLike = str | Path | Measured
WIDTH, HEIGHT, ACROSS = 3.6, 2.6, 3  # of a panel, inch; panels in a row


def errors_against(result: Result, measured: MeasuredLike, columns: Sequence[str] = ()) -> dict[str, ErrorStatistics]:
    """By column: ``max``, ``mean``, ``std`` of simulated less measured, and ``percent``, the mean over the measured range."""
    data = Measured.of(measured, tuple(columns))
    simulated = data.at_times(result)
    return {name: error_statistics(data.values[:, k], simulated[:, k]) for k, name in enumerate(data.columns)}


def figure_against(result: Result, measured: MeasuredLike, columns: Sequence[str] = ()) -> Figure:
    """Measured points and the simulated curve of each column; its errors stand in the title."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    data = Measured.of(measured, tuple(columns))
    errors, simulated = errors_against(result, data), data.at_times(result)
    count = len(data.columns)
    rows, across = -(-count // ACROSS), min(count, ACROSS)
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(WIDTH * across + 0.4, HEIGHT * rows + 0.2), layout="constrained")
        panels = np.asarray(new.subplots(rows, across, squeeze=False)).ravel()
        for k, name in enumerate(data.columns):
            one = errors[name]
            panels[k].plot(data.times, data.values[:, k], ".", color=GREY, ms=3, label="measured")
            panels[k].plot(data.times, simulated[:, k], color=PALETTE[0], label="simulated")
            panels[k].set_title(f"{name}: largest error {one.max:.2g}, mean {one.mean:.2g} ({one.percent:.2g} %)", fontsize=8)
            panels[k].set(xlabel="time (s)")
        for spare in panels[count:]:
            spare.set_visible(False)
        panels[0].legend()
    return new


def plot_against(result: Result, file: str | Path, measured: MeasuredLike, columns: Sequence[str] = ()) -> Path:
    """Draw a run against measurements into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(figure_against(result, measured, columns), path)
