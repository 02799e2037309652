"""Young's modulus against the load at which it was measured (Gotelli 2024, appendix D): small loads tell little of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.view.style import GREY, PALETTE, STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locodyn.identify.rods import ModulusFit

SIZE = (5.2, 3.2)  # inch
_GIGA = 1e9


def modulus_figure(fit: ModulusFit) -> Figure:
    """Samples that count and samples that do not over the tension (N), mean and standard deviation of those that count, GPa."""
    import matplotlib
    from matplotlib.figure import Figure as NewFigure

    with matplotlib.rc_context(STYLE):
        new = NewFigure(figsize=SIZE, layout="constrained")
        axes = new.subplots()
        mean, spread = fit.young / _GIGA, fit.std / _GIGA
        axes.axhspan(mean - spread, mean + spread, color=PALETTE[0], alpha=0.12, linewidth=0.0)
        axes.axhline(mean, color=PALETTE[0], label=f"mean {mean:.4g} GPa, standard deviation {spread:.2g} GPa")
        for chosen, colour, marker, label in (
            (fit.used, PALETTE[0], "o", "counts"),
            (~fit.used & np.isfinite(fit.values), GREY, "x", "too little load"),
        ):
            if chosen.any():
                axes.plot(fit.tensions[chosen], fit.values[chosen] / _GIGA, marker, color=colour, markersize=4.5, label=label)
        axes.set_xlabel("tension (N)")
        axes.set_ylabel("Young's modulus (GPa)")
        axes.set_title("E of each shape")
        axes.legend()
    return new


def plot_modulus(fit: ModulusFit, file: str | Path) -> Path:
    """Draw :func:`modulus_figure` into a file (png, pdf, svg)."""
    import matplotlib

    from locodyn.sim.store import write_beside

    path = Path(file)
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"the plot '{path}' must end in .png, .pdf or .svg; the ending says the format.")
    drawing = modulus_figure(fit)

    def write(target: Path) -> None:
        with matplotlib.rc_context(STYLE):
            drawing.savefig(target)

    return write_beside(path, write)
