"""How metrics are computed from a result: net motion, effort, forces, margins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from locodyn.motion import Law
from locodyn.motion.base import COSINE, SINE
from locodyn.sim import Result, Scenario

_MOST_TURNS = 24  # a common period of sines has at most so many periods of the slowest


def cycle_of(scenario: Scenario, cycle: float | None = None) -> float | None:
    """Length of a cycle, s: as given, or the common period of the sines that drive joints and wheels; None without one."""
    if cycle is not None:
        return cycle
    drive = scenario.drive
    laws = [*drive.imposed.values(), *drive.torque.values(), *drive.steering.values(), *drive.rolling.values()]
    laws += [*drive.tension.values(), *drive.tendon_length.values(), *drive.pressure.values(), *scenario.targets.values()]
    terms = [term for law in laws if isinstance(law, Law) for term in law.terms]
    rates = sorted({abs(term.omega) for term in terms if term.kind in (SINE, COSINE) and term.omega})
    if not rates:
        return None
    turns = 1
    for rate in rates:
        ratio = Fraction(rate / rates[0]).limit_denominator(_MOST_TURNS)
        if abs(float(ratio) - rate / rates[0]) > 1e-9 * float(ratio):
            return None
        turns = math.lcm(turns, ratio.denominator)
    return turns * 2.0 * math.pi / rates[0] if turns <= _MOST_TURNS else None


def _net(result: Result) -> np.ndarray:
    """Motion (3,) of the mass centre from the first to the last record, m."""
    centre = result.mass_centre.values
    return np.asarray(centre[-1] - centre[0])


def _span(result: Result) -> float:
    times = result.time.values
    return float(times[-1] - times[0])


def displacement(result: Result, cycle: float | None) -> float:
    """Distance of the mass centre's end from its start, m."""
    return float(np.linalg.norm(_net(result)))


def displacement_x(result: Result, cycle: float | None) -> float:
    """Net motion of the mass centre along x, m."""
    return float(_net(result)[0])


def displacement_y(result: Result, cycle: float | None) -> float:
    """Net motion of the mass centre along y, m."""
    return float(_net(result)[1])


def speed(result: Result, cycle: float | None) -> float:
    """Displacement over time, m/s."""
    return displacement(result, cycle) / _span(result)


def rotation(result: Result, cycle: float | None) -> float:
    """Net turn of the reference body about z, rad; whole turns are counted."""
    yaw = result.roll_pitch_yaw().values[:, 2]
    return float(yaw[-1] - yaw[0])


def _whole_cycles(result: Result, cycle: float | None) -> tuple[float, int]:
    """End of the last whole cycle (s), and how many there are."""
    scenario = result.scenario
    length = cycle if scenario is None else cycle_of(scenario, cycle)
    assert length is not None
    count = max(1, math.floor(_span(result) / length * (1.0 + 1e-12)))
    return float(result.time.values[0]) + min(count * length, _span(result)), count


def _at(result: Result, values: np.ndarray, t: float) -> np.ndarray:
    """Values (n, ...) at a time between records, of the cubic spline through them."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(result.time.values, values)(t))


def displacement_per_cycle(result: Result, cycle: float | None) -> float:
    """Distance of the reference body after all whole cycles from its start, over their number, m."""
    end, count = _whole_cycles(result, cycle)
    path = result.position.values
    return float(np.linalg.norm(_at(result, path, end) - path[0])) / count


def rotation_per_cycle(result: Result, cycle: float | None) -> float:
    """Turn of the reference body about z after all whole cycles, over their number, rad."""
    end, count = _whole_cycles(result, cycle)
    yaw = result.roll_pitch_yaw().values[:, 2]
    return float(_at(result, yaw, end) - yaw[0]) / count


def _integral(result: Result, values: np.ndarray) -> np.ndarray:
    return np.asarray(np.trapezoid(values, result.time.values, axis=0))


def actuator_effort(result: Result, cycle: float | None) -> float:
    """Integral of |torque x rate|, summed over joints and motors of wheels, J."""
    data = result.dataset
    total = float(_integral(result, np.abs(data["joint_torque"].values * data["joint_velocity"].values)).sum())
    if "wheel_torque" in data:
        total += float(_integral(result, np.abs(data["wheel_torque"].values * data["wheel_rate"].values)).sum())
    return total


def cost_of_transport(result: Result, cycle: float | None) -> float:
    """Effort over weight times displacement (Tucker 1975), without dimension; infinite where nothing moves."""
    weight = float(result.attributes["total_mass"]) * float(np.linalg.norm(result.attributes["gravity"]))
    way = displacement(result, cycle)
    return actuator_effort(result, cycle) / (weight * way) if way else math.inf


def actuator_work(result: Result, cycle: float | None) -> float:
    """Work that the actuators give to the robot, J."""
    return float(_integral(result, result.power_actuators.values))


def peak_torque(result: Result, cycle: float | None) -> float:
    """Largest magnitude of a joint torque or force."""
    return float(np.abs(result.joint_torque.values).max())


def rms_torque(result: Result, cycle: float | None) -> float:
    """Largest of the joints' root mean squares in time."""
    return float(np.sqrt(_integral(result, result.joint_torque.values**2) / _span(result)).max())


def peak_contact_force(result: Result, cycle: float | None) -> float:
    """Largest force at a wheel or contact, N."""
    return float(np.nanmax(np.linalg.norm(result.contact_force.values, axis=-1)))


def tracking_error(result: Result, cycle: float | None) -> float:
    """Root mean square of the tracking error over time and joints."""
    square = (result.tracking_error().values ** 2).mean(axis=1)
    return math.sqrt(float(_integral(result, square)) / _span(result))


def lowest_height(result: Result, cycle: float | None) -> float:
    """Lowest height of the mass centre, m."""
    return float(result.mass_centre.values[:, 2].min())


def energy_drift(result: Result, cycle: float | None) -> float:
    """Largest defect of the energy balance, J."""
    energy = result.total_energy().values
    return float(np.abs(energy - energy[0] - result.energy_supplied().values).max())


def duration(result: Result, cycle: float | None) -> float:
    """Time that the run reached, s."""
    return float(result.time.values[-1])


def largest_multiplier(scenario: Scenario) -> float:
    """Magnitude of the largest Floquet multiplier of the gait near the start; a gait that lasts has less than one."""
    from locodyn.phases import PoincareMap

    return float(np.abs(PoincareMap(scenario).fixed_point().multipliers).max(initial=0.0))


def stability_margin(scenario: Scenario) -> float:
    """Minus the largest real part of the eigenvalues about the motion at the start, 1/s; neutral modes are left out."""
    from locodyn.linearisation import linearise
    from locodyn.linearisation.linearisation import NEUTRAL

    system = linearise(scenario).reduced()
    moving = system.eigenvalues[np.abs(system.eigenvalues) > NEUTRAL * system.scale]
    return -float(moving.real.max()) if len(moving) else 0.0
