"""Multipliers of gaits along a parameter, for print: their size over it, and their path in the complex plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.plots import check_ending, save
from locodyn.view.style import GREY, PALETTE, STABLE, mark_value, over_a_parameter, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locodyn.phases.gait_branch import GaitBranch

_SHOWN = 4


def multiplier_figure(branch: GaitBranch) -> Figure:
    """Left: sizes of the multipliers over the parameter, stable below 1. Right: the unit circle and their paths."""

    def draw(left: Axes, right: Axes, figure: Figure) -> None:
        _over_parameter(branch, left)
        _in_plane(branch, right)

    return over_a_parameter(1.45, draw)


def plot_multipliers(branch: GaitBranch, file: str | Path) -> Path:
    """Draw a branch of gaits into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(multiplier_figure(branch), path)


def _over_parameter(branch: GaitBranch, axes: Axes) -> None:
    sizes = np.abs(branch.multipliers(_SHOWN))
    axes.axhspan(0.0, 1.0, color=STABLE, lw=0)
    axes.axhline(1.0, color=GREY, lw=0.8)
    for k, column in enumerate(sizes.T):
        axes.plot(branch.values, column, color=PALETTE[k % len(PALETTE)], lw=1.5, marker=".", markersize=3)
    for one in branch.bifurcations:
        mark_value(axes, one.value, f"{one.kind}, {one.value:.5g}")
    unit = f" ({pretty_unit(branch.unit)})" if branch.unit else ""
    axes.set(title="multipliers of a stride, stable in the shaded range", xlabel=f"{branch.name}{unit}", ylabel="size (-)")
    axes.set_ylim(0.0, 1.05 * max(1.1, float(sizes.max())))


def _in_plane(branch: GaitBranch, axes: Axes) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 181)
    axes.fill(np.cos(angle), np.sin(angle), color=STABLE, lw=0)
    axes.plot(np.cos(angle), np.sin(angle), color=GREY, lw=0.8)
    for k, column in enumerate(branch.multipliers(_SHOWN).T):
        colour = PALETTE[k % len(PALETTE)]
        axes.plot(column.real, column.imag, color=colour, lw=1.2, marker=".", markersize=3)
        axes.plot(column.real[0], column.imag[0], "o", color=colour, markersize=5, mfc="white")
    for one in branch.bifurcations:
        axes.plot(one.multiplier.real, one.multiplier.imag, "x", color="#333333", markersize=6)
    first = branch.values[0]
    axes.set(title=f"complex plane; circles at {branch.name} = {first:.4g}", xlabel="real part (-)", ylabel="imaginary part (-)")
    axes.set_aspect("equal", adjustable="datalim")
