"""A workspace for print: stable places coloured by their lowest frequency, unstable ones apart, singular boundaries as lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.plots import check_ending, save
from locodyn.view.style import GREY, STYLE, pretty_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.sim.workspaces import Workspace

_UNSTABLE, _SLACK, _SINGULAR = "#E8A33D", "#BBBBBB", "#D55E00"


def workspace_figure(found: Workspace) -> Figure:
    """Stable region with the lowest frequency of the robot, its drives held; unstable region; where one meets the other."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    first, second = found.axes
    x, y = found.dataset[first].values, found.dataset[second].values
    stiffness, reached, stable = found.dataset["least_stiffness"].values, found.reached, found.stable
    unstable = reached & (found.dataset["unstable_directions"].values > 0)
    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=(5.4, 4.4), layout="constrained")
        axes = new.subplots()
        frequency = np.where(stable, np.sqrt(np.maximum(stiffness, 0.0)) / (2.0 * np.pi), np.nan)
        handles: list[Patch | Line2D] = []
        for where, colour, word in (
            (unstable, _UNSTABLE, "unstable"),
            (reached & ~stable & ~unstable, _SLACK, "tendons would push"),
        ):
            if where.any():
                shade = np.where(where, 1.0, np.nan)
                axes.pcolormesh(
                    x, y, shade.T, cmap=matplotlib.colors.ListedColormap([colour]), shading="nearest", rasterized=True
                )
                handles.append(Patch(fc=colour, label=word))
        if stable.any():
            shown = axes.pcolormesh(x, y, frequency.T, cmap="viridis", shading="nearest", vmin=0.0, rasterized=True)
            new.colorbar(shown, ax=axes, label="lowest frequency where stable (Hz)", pad=0.02)
        if unstable.any() and stable.any():
            axes.contour(x, y, stiffness.T, levels=[0.0], colors=[_SINGULAR], linewidths=1.4)
            handles.append(Line2D([], [], color=_SINGULAR, lw=1.4, label="singular"))
        axes.contour(x, y, reached.T.astype(float), levels=[0.5], colors=[GREY], linewidths=0.8)
        units = [pretty_unit(found.dataset[axis].attrs["units"]) for axis in found.axes]
        axes.set(xlabel=f"{first} ({units[0]})", ylabel=f"{second} ({units[1]})", title=f"workspace of {found.body}")
        if units[0] == units[1]:
            axes.set_aspect("equal")
        if handles:
            axes.legend(handles=handles, loc="upper right", frameon=True, framealpha=0.9)
    return new


def plot_workspace(found: Workspace, file: str | Path) -> Path:
    """Draw a workspace into a file; its ending says the format (png, pdf, svg)."""
    path = check_ending(file)
    return save(workspace_figure(found), path)
