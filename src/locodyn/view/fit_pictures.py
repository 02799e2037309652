"""A fit for print: measurements, fitted motion with its confidence band, and residuals, a column for each that was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.plots import check_ending, save
from locodyn.view.style import GREY, PALETTE, STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.study import ParameterFit


def fit_figure(found: ParameterFit) -> Figure:
    """Fit above, residuals below."""
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


def plot_fit(found: ParameterFit, file: str | Path) -> Path:
    """Draw a fit into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(fit_figure(found), path)
