"""What acceptance checks look at: drifts of conserved quantities, balances, poses, slip of wheels, angles, periods."""

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
    parts = (totals.TOTALS.centre, totals.TOTALS.linear_momentum, totals.TOTALS.angular_momentum)
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
    power = power_supplied(result)
    inner = slice(8, -8)
    return float(np.max(np.abs(rate - power)[inner]) / np.max(np.abs(power)))


def power_balance(result: Result) -> float:
    """The same to round-off, for robots without springs: the rate of kinetic and potential energy is v . (M a + h), exactly.

    The accelerations are computed anew for the recorded states, so that nothing is differentiated by numbers. The first record
    is left out: a start may be singular.
    """
    if result.scenario is None or result.q is None or result.v is None:
        raise InputError("the balance of powers needs the states of a run in memory; run the scenario again.")
    problem = result.scenario.problem
    rates = []
    for t, q, v in zip(result.time.values, result.q, result.v, strict=True):
        state = np.array(q), np.array(v)
        a = problem.accelerations(float(t), *state)
        rates.append(state[1] @ problem.model.inverse_dynamics(*state, a))
    power = power_supplied(result)
    return float(np.max(np.abs(rates - power)[1:]) / np.max(np.abs(power)))


def power_supplied(result: Result) -> np.ndarray:
    """Power of the actuators less friction, (n,) W; projective torques need that of the wrench that they leave to the base."""
    power: np.ndarray = result.power_actuators.values - result.power_dissipated.values
    if "base_wrench" in result.dataset:
        power = power + np.sum(result.base_wrench.values * result.twist.values, axis=1)
    return power


def rotation_angle(result: Result) -> float:
    """Angle of the rotation from the first to the last orientation of the reference body, rad, at most pi."""
    first, last = result.orientation.values[0], result.orientation.values[-1]
    cosine = float(first @ last)
    sine = float(np.linalg.norm(last - cosine * first))
    return 2.0 * math.atan2(sine, abs(cosine))


def final_position(result: Result) -> np.ndarray:
    """Last position of the reference body, (3,) m."""
    found: np.ndarray = result.position.values[-1]
    return found


def headings(result: Result) -> np.ndarray:
    """Angle of a planar reference body about z, (n,) rad, followed past half turns."""
    h = result.orientation.values
    return np.unwrap(2.0 * np.arctan2(h[:, 3], h[:, 0]))


def planar_poses(result: Result) -> np.ndarray:
    """x, y (m) and heading (rad) of a planar reference body, (n, 3)."""
    return np.column_stack([result.position.values[:, :2], headings(result)])


def final_pose(result: Result) -> np.ndarray:
    """x, y (m) and heading (rad) at the end of a run, (3,)."""
    found: np.ndarray = planar_poses(result)[-1]
    return found


def step_of_cycle(result: Result, period: float) -> np.ndarray:
    """Motion (dx, dy, dheading) during the first period (s), in the axes of its start; by a spline of degree 7, m and rad."""
    from scipy.interpolate import make_interp_spline

    poses = planar_poses(result)
    dx, dy, turn = make_interp_spline(result.time.values, poses, k=7)(period) - poses[0]
    c, s = math.cos(poses[0, 2]), math.sin(poses[0, 2])
    return np.array([c * dx + s * dy, c * dy - s * dx, turn])


def side_slip(result: Result) -> float:
    """Largest speed of a contact point along the axle of its (unsteered) ideal wheel, from the twists of the bodies, m/s."""
    if result.model is None or result.q is None or result.v is None:
        raise InputError("side slip needs the states of a run in memory; run the scenario again.")
    worst = 0.0
    few = slice(None, None, max(1, len(result.q) // 200))
    for q, v in zip(result.q[few], result.v[few], strict=True):
        _, motions = result.model.kinematics(q, v)
        for wheel in result.model.compiled.wheels:
            if wheel.contact is None and wheel.kind in ("fixed", "skate"):
                linear, angular = motions[wheel.frame, :3], motions[wheel.frame, 3:6]
                worst = max(worst, abs(float(wheel.axle @ (linear + np.cross(angular, wheel.point)))))
    return worst


def leans(result: Result) -> np.ndarray:
    """Angle of the y axis of the reference body over the ground, (N,) rad: its lean to the right when it goes along x."""
    w, x, y, z = result.orientation.values.T
    found: np.ndarray = np.arcsin(np.clip(2.0 * (y * z + w * x), -1.0, 1.0))
    return found


def extent(values: np.ndarray) -> tuple[float, float]:
    """Smallest and largest value."""
    return float(np.min(values)), float(np.max(values))


def time_between_zeros(values: np.ndarray, rates: np.ndarray, result: Result) -> float:
    """Time between the first two zeros of a quantity, by cubic Hermite interpolation of the records, s."""
    from scipy.interpolate import CubicHermiteSpline

    zeros = CubicHermiteSpline(result.time.values, values, rates).roots(extrapolate=False)
    if len(zeros) < 2:
        raise InputError("the run is too short to see a period; make the end time later.")
    return float(zeros[1] - zeros[0])


def body_place(result: Result, body: str, t: float) -> np.ndarray:
    """Position of a body at the record nearest to t, (3,) m."""
    row = int(np.argmin(np.abs(result.time.values - t)))
    found: np.ndarray = result.body_position.sel(body=body).values[row]
    return found


def shift_of(result: Result, body: str) -> float:
    """Largest distance of a body from where it was at the start, m."""
    return _drift(result.body_position.sel(body=body).values)


def mass_centres(result: Result) -> np.ndarray:
    """Mass centre at the records, (n, 3) m."""
    return _totals(result)[0]


def angular_momenta(result: Result) -> np.ndarray:
    """Angular momentum about the world's origin at the records, (n, 3) N m s."""
    return _totals(result)[2]


def gap(result: Result, first: str, second: str) -> float:
    """Largest distance between the origins of two bodies or markers that a loop holds together, m."""
    if result.q is None or result.model is None:
        raise InputError("the gap needs the states of a run in memory; run the scenario again.")
    few = result.q[:: max(1, len(result.q) // 200)]
    model = result.model
    ends = np.array([[model.pose(name, q)[1] for name in (first, second)] for q in few])
    return float(np.abs(ends[:, 0] - ends[:, 1]).max())
