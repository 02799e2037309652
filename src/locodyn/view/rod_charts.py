"""Charts of rods and of how they were solved: modes, iterations, stability of equilibria, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.chart import MANY, Chart, over_time, units_of

if TYPE_CHECKING:
    from locodyn.sim import Result


def modes_of(result: Result) -> list[str]:
    """Names of the coordinates of strains: modes, phases and amplitudes of fields."""
    if "joint" not in result.dataset.coords or "rod" not in result.dataset.coords:
        return []
    rods = tuple(f"{rod}." for rod in result.dataset["rod"].values)
    return [str(name) for name in result.dataset["joint"].values if str(name).startswith(rods)]


def modes(result: Result) -> Chart:
    """Strain coordinates of all rods."""
    names = modes_of(result)
    unit = units_of(result, "joint_position", names)
    return over_time("strain coordinates", "coordinate", unit, names, result.joint_position.sel(joint=names).values)


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
