"""Charts of energy, power, and how exact the solution is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.view.chart import Chart, at_least, over_time, recorded

if TYPE_CHECKING:
    from locodyn.sim import Result

COASTS = 1e-3  # of the kinetic energy, or of the power along rods: changes that are smaller are drawn as flat lines
RESTS = 1e-9  # of the potential energy: likewise


def energy(result: Result) -> Chart:
    """Energies and the energy supplied, as changes since the start; of a robot that coasts flat lines, not their round-off."""
    parts = {"kinetic": result.kinetic_energy.values, "potential": result.potential_energy.values}
    parts = {name: values - values[0] for name, values in parts.items() if float(np.ptp(values)) > 0.0}
    parts["total"] = sum(parts.values(), np.zeros(result.time.shape))
    parts["supplied"] = result.energy_supplied().values
    least = COASTS * float(result.kinetic_energy.values.max())
    least = max(least, RESTS * float(np.abs(result.potential_energy.values).max()))
    chart = over_time("energy", "change since the start", "J", list(parts), np.column_stack(list(parts.values())))
    return at_least(chart, least)


def power(result: Result) -> Chart:
    """Power of actuators and friction, positive into the robot."""
    shown = [("actuators", "power_actuators", 1.0), ("friction", "power_dissipated", -1.0), ("sources", "power_external", 1.0)]
    shown = [entry for entry in shown if recorded(entry[1])(result)]
    values = np.column_stack([sign * result.dataset[variable].values for _, variable, sign in shown])
    chart = over_time("power", "into the robot", "W", [name for name, *_ in shown], values)
    return at_least(chart, COASTS * _power_along_rods(result))


def _power_along_rods(result: Result) -> float:
    """Largest power that actuators give to one part of the rods and take from another, W; 0 where no strain is imposed."""
    if "rod_power" not in result.dataset:
        return 0.0
    centre = result.rod_position.values
    pieces = np.linalg.norm(np.diff(centre, axis=2), axis=3)  # (n, rods, s - 1) m
    sizes = np.abs(result.rod_power.values)
    return float((0.5 * (sizes[:, :, 1:] + sizes[:, :, :-1]) * pieces).sum(axis=(1, 2)).max(initial=0.0))


def energy_defect(result: Result) -> np.ndarray:
    """|change of energy - energy supplied|, (n,) J."""
    total = result.total_energy().values
    found: np.ndarray = np.abs(total - total[0] - result.energy_supplied().values)
    return found


def defects(result: Result) -> Chart:
    """How exact the solution is: balance of energy, and the largest residuals so far, of constraints and of the solver of
    hard contacts."""
    worst = np.maximum.accumulate(result.constraint_residual.values)
    curves = {"energy balance (J)": energy_defect(result), "residual, largest so far (1)": worst}
    if "solver_residual" in result.dataset:
        curves["contact residual (1)"] = np.maximum.accumulate(result.solver_residual.values)
    curves = {name: values for name, values in curves.items() if np.any(values > 0.0)} or {"energy balance (J)": worst}
    values = np.maximum(np.column_stack(list(curves.values())), 1e-17)
    return Chart("defects", "log", "of the numerical solution", "", tuple(curves), values)
