"""Eigenvalues along a parameter, for print: real and imaginary parts over it, and their path in the complex plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.plots import check_ending, save
from locodyn.view.style import GREY, PALETTE, STABLE, mark_value, over_a_parameter, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.linearisation import EigenvalueSweep

_REAL_IS_ZERO = 1e-9


def eigenvalue_figure(sweep: EigenvalueSweep) -> Figure:
    """Left: real parts (solid) and imaginary parts (dashed) over the parameter, stable ranges shaded. Right: root locus."""

    def draw(left: Axes, right: Axes, figure: Figure) -> None:
        _over_parameter(sweep, left)
        _locus(sweep, right, figure)

    return over_a_parameter(1.35, draw)


def plot_eigenvalues(sweep: EigenvalueSweep, file: str | Path) -> Path:
    """Draw a sweep into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(eigenvalue_figure(sweep), path)


def _label(sweep: EigenvalueSweep) -> str:
    return f"{sweep.name} ({pretty_unit(sweep.unit) or '-'})"


def _over_parameter(sweep: EigenvalueSweep, axes: Any) -> None:
    x = sweep.values
    for low, high in sweep.stable:
        axes.axvspan(low, high, color=STABLE, lw=0)
    axes.axhline(0.0, color=GREY, lw=0.8)
    for k, branch in enumerate(_of_pairs_one(sweep.eigenvalues)):
        colour = PALETTE[k % len(PALETTE)]
        axes.plot(x, branch.real, color=colour, lw=1.5)
        swings = np.abs(branch.imag) > _REAL_IS_ZERO * np.maximum(1.0, np.abs(branch))
        axes.plot(x, np.where(swings, np.abs(branch.imag), np.nan), color=colour, lw=1.1, ls=(0, (4, 2)))
    for boundary in sweep.boundaries:
        mark_value(axes, boundary.value, f"{boundary.value:.6g}")
    axes.plot([], [], color="#333333", lw=1.5, label="real part")
    axes.plot([], [], color="#333333", lw=1.1, ls=(0, (4, 2)), label="imaginary part")
    if sweep.stable:
        axes.fill_between([], [], fc=STABLE, ec=GREY, lw=0.5, label="no unstable mode")
    axes.set(xlabel=_label(sweep), ylabel="eigenvalue (1/s)", title="Eigenvalues", xlim=(x[0], x[-1]))
    axes.legend(loc="best")


def _locus(sweep: EigenvalueSweep, axes: Any, figure: Figure) -> None:
    values = sweep.eigenvalues
    axes.axvspan(min(values.real.min(), 0.0) - 1e6, 0.0, color=STABLE, lw=0)
    axes.axhline(0.0, color=GREY, lw=0.8)
    axes.axvline(0.0, color=GREY, lw=0.8)
    for branch in values.T:
        axes.plot(branch.real, branch.imag, color="#BBBBBB", lw=0.7, zorder=1)
    colours = np.repeat(sweep.values, values.shape[1])
    points = axes.scatter(values.real.ravel(), values.imag.ravel(), c=colours, cmap="viridis", s=7, lw=0, zorder=2)
    for boundary in sweep.boundaries:
        for part in {boundary.eigenvalue.imag, -boundary.eigenvalue.imag}:
            axes.plot(0.0, part, "o", mfc="none", mec="#D55E00", ms=6, zorder=3)
    figure.colorbar(points, ax=axes, label=_label(sweep), pad=0.02)
    low, high = float(values.real.min()), float(values.real.max())
    margin = 0.06 * max(high - low, 1e-6)
    tallest = float(np.abs(values.imag).max())
    tallest = 1.08 * tallest if tallest > _REAL_IS_ZERO else 1.0
    axes.set(
        xlabel="real part (1/s)", ylabel="imaginary part (1/s)", title="Root locus",
        xlim=(min(low, 0.0) - margin, max(high, 0.0) + margin), ylim=(-tallest, tallest),
    )  # fmt: skip


def _of_pairs_one(eigenvalues: np.ndarray) -> list[np.ndarray]:
    """The branches, of two that are conjugate all along only the first."""
    kept: list[np.ndarray] = []
    for branch in eigenvalues.T:
        if not any(np.allclose(branch, other.conj(), rtol=1e-7, atol=1e-9) for other in kept):
            kept.append(branch)
    return kept
