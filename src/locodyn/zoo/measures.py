"""What acceptance checks look at: drifts of conserved quantities, balances, angles, periods."""

from __future__ import annotations

import math

import numpy as np

from locodyn.errors import InputError
from locodyn.sim import Result


def _totals(result: Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass centre (n, 3), linear momentum (n, 3) and angular momentum about the world's origin (n, 3), world axes."""
    from locodyn.dynamics import totals

    if result.model is None or result.q is None or result.v is None:
        raise InputError("momenta need the states of a run in memory; run the scenario again.")
    rows = np.array([result.model.totals(q, v) for q, v in zip(result.q, result.v, strict=True)])
    parts = (totals.CENTRE, totals.LINEAR_MOMENTUM, totals.ANGULAR_MOMENTUM)
    centre, linear, angular = (rows[:, first : first + 3] for first in parts)
    return centre, linear, angular


def _drift(values: np.ndarray) -> float:
    """Largest distance from the first row."""
    return float(np.max(np.linalg.norm(values - values[0], axis=-1)))


def mass_centre_drift(result: Result) -> float:
    """Largest distance of the mass centre from where it was at the start, m."""
    return _drift(_totals(result)[0])


def linear_momentum_drift(result: Result) -> float:
    """Largest change of the linear momentum, N s."""
    return _drift(_totals(result)[1])


def angular_momentum_drift(result: Result) -> float:
    """Largest change of the angular momentum about the world's origin, N m s."""
    return _drift(_totals(result)[2])


def vertical_momentum_drift(result: Result) -> float:
    """Largest change of the vertical angular momentum about the world's origin, relative to the whole."""
    angular = _totals(result)[2]
    return float(np.max(np.abs(angular[:, 2] - angular[0, 2])) / np.linalg.norm(angular[0]))


def axial_spin_drift(result: Result) -> float:
    """Largest change of the angular velocity of the reference body about its own z axis, rad/s."""
    spin = result.twist.values[:, 5]
    return float(np.max(np.abs(spin - spin[0])))


def energy_drift(result: Result) -> float:
    """Largest change of the total energy, relative to the largest kinetic energy."""
    energy = result.total_energy().values
    return float(np.max(np.abs(energy - energy[0])) / np.max(result.kinetic_energy.values))


def energy_defect(result: Result) -> float:
    """Largest difference between the change of energy and the energy supplied, relative to the largest kinetic energy."""
    energy = result.total_energy().values
    defect = energy - energy[0] - result.energy_supplied().values
    return float(np.max(np.abs(defect)) / np.max(result.kinetic_energy.values))


def power_defect(result: Result) -> float:
    """Largest difference between power supplied and rate of energy, relative to the largest power.

    The rate is the derivative of a spline of degree 7 through the recorded energies, away from the ends.
    """
    from scipy.interpolate import make_interp_spline

    times = result.time.values
    rate = make_interp_spline(times, result.total_energy().values, k=7).derivative()(times)
    power = result.power_actuators.values - result.power_dissipated.values
    inner = slice(8, -8)
    return float(np.max(np.abs(rate - power)[inner]) / np.max(np.abs(power)))


def rotation_angle(result: Result) -> float:
    """Angle of the rotation from the first to the last orientation of the reference body, rad, at most pi."""
    first, last = result.orientation.values[0], result.orientation.values[-1]
    cosine = float(first @ last)
    sine = float(np.linalg.norm(last - cosine * first))
    return 2.0 * math.atan2(sine, abs(cosine))


def final_position(result: Result) -> np.ndarray:
    """Last position of the reference body, (3,) m."""
    return result.position.values[-1]


def time_between_zeros(values: np.ndarray, rates: np.ndarray, result: Result) -> float:
    """Time between the first two zeros of a quantity, by cubic Hermite interpolation of the records, s."""
    from scipy.interpolate import CubicHermiteSpline

    zeros = CubicHermiteSpline(result.time.values, values, rates).roots(extrapolate=False)
    if len(zeros) < 2:
        raise InputError("the run is too short to see a period; make the end time later.")
    return float(zeros[1] - zeros[0])
