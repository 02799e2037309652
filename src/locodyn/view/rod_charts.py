"""Charts of rods: their modes over time; strain and internal wrench along s at a few instants, for print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.chart import MANY, Chart, over_time
from locodyn.view.style import DASHES, pretty_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from locodyn.sim import Result

INSTANTS = 5
FLAT = 1e-9  # a field that differs by less than this share of the largest is not drawn


def modes_of(result: Result) -> list[str]:
    """Names of the coordinates that are strain modes of rods."""
    if "joint" not in result.dataset.coords or "rod" not in result.dataset.coords:
        return []
    rods = tuple(f"{rod}." for rod in result.dataset["rod"].values)
    return [str(name) for name in result.dataset["joint"].values if str(name).startswith(rods)]


def modes(result: Result) -> Chart:
    """Strain modes of all rods."""
    names = modes_of(result)
    units = dict(zip(result.joint.values, result.joint_position.attrs["units_by_joint"].split(", "), strict=True))
    unit = " or ".join(dict.fromkeys(units[name] for name in names))
    return over_time("strain modes of rods", "mode", unit, names, result.joint_position.sel(joint=names).values)


def iterations(result: Result) -> Chart:
    """Iterations of the solver from record to record."""
    counts = np.asarray(result.solver_iterations.values, dtype=float)[:, None]
    return Chart("iterations", "time", "since the last record", "1", ("iterations",), counts)


def has_iterations(result: Result) -> bool:
    """Whether the number of iterations says something: it changes from record to record."""
    return "solver_iterations" in result.dataset and np.ptp(result.solver_iterations.values[1:]) > 0


def stability(result: Result) -> Chart:
    """Smallest eigenvalue of the stiffness along a quasi-static run; dotted lines where it snaps."""
    snaps = np.atleast_1d(np.asarray(result.attributes.get("snaps", ()), dtype=float))
    marks = tuple((float(t), "snap") for t in snaps[:MANY])
    values = result.least_stiffness.values[:, None]
    return over_time("stability", "least scaled stiffness", "1", ["least stiffness"], values, level=0.0, marks=marks)


def strain_along(result: Result, axes: Axes) -> None:
    """The strains that change most, along the rods, at a few instants."""
    _along(result, axes, "rod_strain", "strain", ("1", "1/m"))


def stress_along(result: Result, axes: Axes) -> None:
    """The components of the internal wrench that are largest, along the rods, at a few instants."""
    _along(result, axes, "rod_wrench", "wrench", ("N", "N m"))


def _along(result: Result, axes: Axes, variable: str, dimension: str, units: tuple[str, str]) -> None:
    """One component of a field of all rods along s: linear ones (first unit) or angular ones, whichever changes more over s."""
    from matplotlib import colormaps
    from matplotlib.lines import Line2D

    field = result.dataset[variable]
    values = field.values
    rest = 1.0 if variable == "rod_strain" else 0.0
    away = np.abs(values - np.array([rest, 0, 0, 0, 0, 0]))
    sizes = np.where(np.isfinite(away), away, 0.0).max(axis=(0, 1, 2))
    scale = np.array([sizes[:3].max(initial=0.0)] * 3 + [sizes[3:].max(initial=0.0)] * 3)
    angular = sizes[3:].max() > 0.0
    shown = [c for c in (range(3, 6) if angular else range(3)) if sizes[c] > max(FLAT * scale[c], 1e-300)]
    component = max(shown, key=lambda c: sizes[c]) if shown else 5
    name, unit = str(field[dimension].values[component]), units[component // 3]
    records = np.unique(np.linspace(0, len(values) - 1, INSTANTS).round().astype(int))
    shades: Any = colormaps["viridis"](np.linspace(0.0, 0.9, len(records)))
    s = result.dataset["s"].values
    for k, n in enumerate(records):
        for j in range(values.shape[1]):
            axes.plot(s, values[n, j, :, component], color=shades[k], linestyle=DASHES[j % len(DASHES)])
    handles = [Line2D([], [], color=shades[k], label=f"{result.time.values[n]:.3g} s") for k, n in enumerate(records)]
    if 1 < values.shape[1] <= len(DASHES):
        handles += [Line2D([], [], color="#333333", linestyle=DASHES[j], label=str(r)) for j, r in enumerate(result.rod.values)]
    axes.legend(handles=handles, loc="best")
    title = f"{name.replace('_', ' ')} along the rods"
    axes.set(title=title, xlabel="s over the length (1)", ylabel=f"{name} ({pretty_unit(unit)})", xlim=(0.0, 1.0))
