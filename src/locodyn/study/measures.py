"""How metrics are computed from a run: net motion, effort, forces, margins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from locodyn.motion import Law
from locodyn.motion.base import TERM
from locodyn.robot.pose import roll_pitch_yaw_of, rotation_of_quaternion
from locodyn.sim import Result, Scenario
from locodyn.sim.bare_run import BareRun

Run = Result | BareRun  # with all its variables, or with those that the metrics of a study need

_LIGHT = 1e-6  # of the largest contact force of a run: less does not touch
_MOST_TURNS = 24  # a common period of sines has at most so many periods of the slowest


def cycle_of(scenario: Scenario, cycle: float | None = None) -> float | None:
    """Length of a cycle, s: as given, or the common period of the sines that drive joints and wheels; None without one."""
    if cycle is not None:
        return cycle
    drive = scenario.drive
    laws = [*drive.imposed.values(), *drive.torque.values(), *drive.steering.values(), *drive.rolling.values()]
    laws += [*drive.tension.values(), *drive.tendon_length.values(), *drive.pressure.values(), *scenario.targets.values()]
    terms = [term for law in laws if isinstance(law, Law) for term in law.terms]
    rates = sorted({abs(term.omega) for term in terms if term.kind in (TERM.sine, TERM.cosine) and term.omega})
    if not rates:
        return None
    turns = 1
    for rate in rates:
        ratio = Fraction(rate / rates[0]).limit_denominator(_MOST_TURNS)
        if abs(float(ratio) - rate / rates[0]) > 1e-9 * float(ratio):
            return None
        turns = math.lcm(turns, ratio.denominator)
    return turns * 2.0 * math.pi / rates[0] if turns <= _MOST_TURNS else None


def _times(run: Run) -> np.ndarray:
    """Of the records (n,), s."""
    return run.times if isinstance(run, BareRun) else np.asarray(run.dataset["time"].values)


def _values(run: Run, name: str) -> np.ndarray:
    """A variable of the run, (n, ...)."""
    return run.arrays[name] if isinstance(run, BareRun) else np.asarray(run.dataset[name].values)


def _has(run: Run, name: str) -> bool:
    return name in (run.arrays if isinstance(run, BareRun) else run.dataset)


def _weight(run: Run) -> float:
    """Of the robot, N."""
    if isinstance(run, BareRun):
        return float(run.scenario.compiled.total_mass) * float(np.linalg.norm(np.asarray(run.scenario.world.gravity)))
    return float(run.attributes["total_mass"]) * float(np.linalg.norm(run.attributes["gravity"]))


def _net(run: Run) -> np.ndarray:
    """Motion (3,) of the mass centre from the first to the last record, m."""
    centre = _values(run, "mass_centre")
    return np.asarray(centre[-1] - centre[0])


def _span(run: Run) -> float:
    times = _times(run)
    return float(times[-1] - times[0])


def _yaw(run: Run) -> np.ndarray:
    """Turn of the reference body about z (n,), rad, over whole turns."""
    return np.unwrap(roll_pitch_yaw_of(rotation_of_quaternion(_values(run, "orientation")))[:, 2])


def displacement(run: Run, cycle: float | None) -> float:
    """Distance of the mass centre's end from its start, m."""
    return float(np.linalg.norm(_net(run)))


def displacement_x(run: Run, cycle: float | None) -> float:
    """Net motion of the mass centre along x, m."""
    return float(_net(run)[0])


def displacement_y(run: Run, cycle: float | None) -> float:
    """Net motion of the mass centre along y, m."""
    return float(_net(run)[1])


def speed(run: Run, cycle: float | None) -> float:
    """Displacement over time, m/s."""
    return displacement(run, cycle) / _span(run)


def rotation(run: Run, cycle: float | None) -> float:
    """Net turn of the reference body about z, rad; whole turns are counted."""
    yaw = _yaw(run)
    return float(yaw[-1] - yaw[0])


def _whole_cycles(run: Run, cycle: float | None) -> tuple[float, int]:
    """End of the last whole cycle (s), and how many there are."""
    scenario = run.scenario
    length = cycle if scenario is None else cycle_of(scenario, cycle)
    assert length is not None
    count = max(1, math.floor(_span(run) / length * (1.0 + 1e-12)))
    return float(_times(run)[0]) + min(count * length, _span(run)), count


def _at(run: Run, values: np.ndarray, t: float) -> np.ndarray:
    """Values (n, ...) at a time between records, of the cubic spline through them."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(_times(run), values)(t))


def displacement_per_cycle(run: Run, cycle: float | None) -> float:
    """Distance of the reference body after all whole cycles from its start, over their number, m."""
    end, count = _whole_cycles(run, cycle)
    path = _values(run, "position")
    return float(np.linalg.norm(_at(run, path, end) - path[0])) / count


def rotation_per_cycle(run: Run, cycle: float | None) -> float:
    """Turn of the reference body about z after all whole cycles, over their number, rad."""
    end, count = _whole_cycles(run, cycle)
    yaw = _yaw(run)
    return float(_at(run, yaw, end) - yaw[0]) / count


def _integral(run: Run, values: np.ndarray) -> np.ndarray:
    return np.asarray(np.trapezoid(values, _times(run), axis=0))


def actuator_effort(run: Run, cycle: float | None) -> float:
    """Integral of |torque x rate|, summed over joints and motors of wheels, J."""
    total = float(_integral(run, np.abs(_values(run, "joint_torque") * _values(run, "joint_velocity"))).sum())
    if _has(run, "wheel_torque"):
        total += float(_integral(run, np.abs(_values(run, "wheel_torque") * _values(run, "wheel_rate"))).sum())
    return total


def cost_of_transport(run: Run, cycle: float | None) -> float:
    """Effort over weight times displacement (Tucker 1975), without dimension; infinite where nothing moves."""
    way = displacement(run, cycle)
    return actuator_effort(run, cycle) / (_weight(run) * way) if way else math.inf


def actuator_work(run: Run, cycle: float | None) -> float:
    """Work that the actuators give to the robot, J."""
    return float(_integral(run, _values(run, "power_actuators")))


def peak_torque(run: Run, cycle: float | None) -> float:
    """Largest magnitude of a joint torque or force."""
    return float(np.abs(_values(run, "joint_torque")).max())


def rms_torque(run: Run, cycle: float | None) -> float:
    """Largest of the joints' root mean squares in time."""
    return float(np.sqrt(_integral(run, _values(run, "joint_torque") ** 2) / _span(run)).max())


def peak_contact_force(run: Run, cycle: float | None) -> float:
    """Largest force at a wheel or contact, N."""
    return float(np.nanmax(np.linalg.norm(_values(run, "contact_force"), axis=-1)))


def friction_needed(run: Run, cycle: float | None) -> float:
    """Largest ratio of the horizontal to the vertical part of a contact force; infinite where the ground would have to pull."""
    force = np.nan_to_num(_values(run, "contact_force"))
    along, up = np.hypot(force[..., 0], force[..., 1]), force[..., 2]
    touching = np.linalg.norm(force, axis=-1) > _LIGHT * np.abs(force).max(initial=0.0)
    if not touching.any():
        return 0.0
    with np.errstate(divide="ignore"):
        return float(np.where(up[touching] > 0.0, along[touching] / np.maximum(up[touching], 0.0), math.inf).max())


def limited_joints(scenario: Scenario) -> dict[str, tuple[float, float]]:
    """Joints whose position has a limit, with the least and the largest, rad or m."""
    robot, found = scenario.compiled, {}
    joints = set(robot.coordinate_names[robot.reference_nv :])
    for body in robot.description.bodies:
        name = body.joint.velocity_names(body.name if body.parent is None else None)[:1]
        if np.isfinite(body.joint.limits).any() and joints.issuperset(name):
            found[name[0]] = body.joint.limits
    return found


def joint_margin(result: Result, cycle: float | None) -> float:
    """Least distance of a joint from a limit of its position, rad or m; negative where one is passed."""
    assert result.scenario is not None
    joints, positions = [str(name) for name in result.dataset["joint"].values], _values(result, "joint_position")
    least = math.inf
    for name, (lower, upper) in limited_joints(result.scenario).items():
        own = positions[:, joints.index(name)]
        least = min(least, float((own - lower).min()), float((upper - own).min()))
    return least


def peak_joint_position(result: Result, cycle: float | None) -> float:
    """Largest magnitude of a joint position, rad or m."""
    return float(np.abs(_values(result, "joint_position")).max())


def tracking_error(result: Result, cycle: float | None) -> float:
    """Root mean square of the tracking error over time and joints."""
    square = (result.tracking_error().values ** 2).mean(axis=1)
    return math.sqrt(float(_integral(result, square)) / _span(result))


def lowest_height(run: Run, cycle: float | None) -> float:
    """Lowest height of the mass centre, m."""
    return float(_values(run, "mass_centre")[:, 2].min())


def energy_drift(result: Result, cycle: float | None) -> float:
    """Largest defect of the energy balance, J."""
    energy = result.total_energy().values
    return float(np.abs(energy - energy[0] - result.energy_supplied().values).max())


def duration(run: Run, cycle: float | None) -> float:
    """Time that the run reached, s."""
    return float(_times(run)[-1])


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
