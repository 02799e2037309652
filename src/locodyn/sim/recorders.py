"""What a run records: a list of recorders. Each declares its variables, says which runs it is for, and computes them.

Most variables come with the motion: the dynamics (:mod:`locodyn.locomotion.record`) and the integrator give them, and a recorder
takes those that are there. The others are computed from the states. To record something new, add a recorder to ``RECORDERS``;
its place there is its place in the dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from locodyn.locomotion.record import compliant_gaps, continuous_quaternions, row_names
from locodyn.locomotion.rod_contacts import contact_places
from locodyn.motion import Law
from locodyn.sim.contract import JOINT_UNITS, Variable, joint_motions, joint_units, row_unit
from locodyn.sim.recorder import Arrays, Recorder, Records
from locodyn.sim.sensors import channel_units, readings
from locodyn.sim.tie_records import tie_label, tie_records
from locodyn.sim.touching import touching_points

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


# ------------------------------------------------------------------------------------------------------------------ labels
def _joint_label(scenario: Scenario, name: str) -> dict[str, str]:
    if name not in JOINT_UNITS:
        return {}
    motions = joint_motions(scenario.compiled)
    return {
        "units": joint_units(name, motions),
        "units_by_joint": ", ".join(JOINT_UNITS[name][motion] for motion in motions),
    }


def _row_label(scenario: Scenario, _: str) -> dict[str, str]:
    units = [row_unit(row) for row in scenario.row_names()["constraint"]]
    return {"units": " or ".join(sorted(set(units))), "units_by_constraint": ", ".join(units)}


def _memory_label(scenario: Scenario, _: str) -> dict[str, str]:
    units = scenario.problem.memories.units
    return {"units": " or ".join(sorted(set(units))), "units_by_state": ", ".join(units)}


def _sensor_label(scenario: Scenario, _: str) -> dict[str, str]:
    units = channel_units(scenario)
    return {"units": " or ".join(sorted(set(units))), "units_by_sensor": ", ".join(units)}


def _phase_label(scenario: Scenario, _: str) -> dict[str, str]:
    """Names of the phases in the order of their numbers, as of the CF conventions."""
    names = [] if scenario.phases is None else list(scenario.phases.names)
    return {"flag_meanings": " ".join(name.replace(" ", "_") for name in names)}


def _wheel_label(scenario: Scenario, name: str) -> dict[str, str]:
    if name != "wheel_torque" or not scenario.recording.motor_reactions:
        return {}
    return {"long_name": "reactions on the wheels' motors (Ali 2011, (3.86)): negative where they drive"}


# ------------------------------------------------------------------------------------------------------- computed variables
def _of_laws(laws: Mapping[str, Law], times: np.ndarray) -> np.ndarray:
    return np.column_stack([law(times) for law in laws.values()])


def _rods(run: Records) -> Arrays:
    """Fields along the rods; a quasi-static run is at rest at each of its times."""
    from locodyn.sim.rod_fields import rod_fields

    problem, forces = run.scenario.problem, run.series.get("multiplier")
    if run.scenario.phases is not None:
        return _rods_in_phases(run)
    if run.scenario.numerics.method.inertia:
        return rod_fields(problem, run.times, run.q, run.v, forces, run.series.get("memory"))
    from locodyn.integrate.quasi_static import resting

    return rod_fields(resting(problem), run.times, run.q, np.zeros_like(run.v), forces)


def _rods_in_phases(run: Records) -> Arrays:
    """Fields along the rods, each record under the feet and locks of its phase."""
    from locodyn.sim.rod_fields import rod_fields

    hybrid, names = run.scenario.hybrid, run.scenario.row_names()["constraint"]
    forces, memory = run.series.get("multiplier"), run.series.get("memory")
    found: dict[str, np.ndarray] = {}
    for number, problem in enumerate(hybrid.problems.values()):
        rows = np.flatnonzero(np.asarray(run.series["phase"]) == number)
        own = [names.index(name) for name in row_names(problem)["constraint"]]
        part = rod_fields(
            problem, run.times[rows], run.q[rows], run.v[rows], None if forces is None else forces[rows][:, own],
            None if memory is None else memory[rows],
        )  # fmt: skip
        for name, values in part.items() if len(rows) or not found else ():
            found.setdefault(name, np.zeros((len(run.times), *values.shape[1:])))[rows] = values
    return found | {"rod_orientation": continuous_quaternions(found["rod_orientation"])}


def _contacts(run: Records) -> Arrays:
    """Hard contact gives its points; wheels and rolling surfaces touch at their lowest ones."""
    names = run.scenario.row_names()["contact"]
    if "contact_point" in run.series or not names or run.scenario.problem.contact.table.names:
        return run.series
    poses, compiled = (run.series["body_position"], run.series["body_orientation"]), run.scenario.compiled
    along, springs = [one.contact.name for one in compiled.rod_contacts], [one.name for one in run.scenario.problem.compliant]
    points = touching_points(compiled.description, [name for name in names if name not in (*along, *springs)], *poses)
    soft = compliant_gaps(run.scenario.problem, run.q)[1]
    if not along:
        return {**run.series, "contact_point": np.concatenate([points, soft], axis=1)}
    places, own = contact_places(run.scenario.problem, run.times, run.q, run.v)
    bare = [np.full(part.shape[:2], np.nan) for part in (points, soft)]
    abscissa = np.concatenate([bare[0], places, bare[1]], axis=1)
    return {**run.series, "contact_point": np.concatenate([points, own, soft], axis=1), "contact_abscissa": abscissa}


def _own_axes(run: Records, values: np.ndarray) -> np.ndarray:
    """Twists or wrenches (n, 6) of the reference frame in the axes of the reference body: where it slides along an axis or turns
    about it, the frame has this axis as its z."""
    compiled = run.scenario.compiled
    turn = compiled.body_rotation[compiled.body_names.index(compiled.reference_body)]
    return np.concatenate([values[:, :3] @ turn, values[:, 3:] @ turn], axis=1)


def _reference(run: Records) -> Arrays:
    """The twist and its rate in the axes in which the orientation is told."""
    return {**run.series, **{name: _own_axes(run, run.series[name]) for name in ("twist", "acceleration") if name in run.series}}


def _base_wrench(run: Records) -> Arrays:
    """Zero where the projective recursion leaves nothing."""
    return {"base_wrench": _own_axes(run, run.series.get("base_wrench", np.zeros((len(run.times), 6))))}


def _rank(run: Records) -> Arrays:
    found = dict(run.series)
    if "constraint_rank" in found:
        found["constraint_rank"] = found["constraint_rank"].astype(np.int64)
    return found


# --------------------------------------------------------------------------------------------------------------- the list
RECORDERS = (
    Recorder(
        {
            "position": Variable(("xyz",), "m", "origin of the reference body in the world"),
            "orientation": Variable(
                ("quat",), "1", "orientation of the reference body in the world, unit quaternion (w, x, y, z)"
            ),
            "twist": Variable(("twist",), "m/s, rad/s", "body twist of the reference body, in its own frame"),
            "acceleration": Variable(("twist",), "m/s^2, rad/s^2", "time derivative of the components of the body twist"),
        },
        _reference,
    ),
    Recorder(
        {
            "joint_position": Variable(("joint",), "{per_joint}", "joint positions (rotation vector for a spherical joint)"),
            "joint_velocity": Variable(("joint",), "{per_joint}", "joint velocities"),
            "joint_acceleration": Variable(("joint",), "{per_joint}", "joint accelerations"),
            "joint_torque": Variable(("joint",), "{per_joint}", "joint torques or forces, positive with positive power"),
        },
        label=_joint_label,
    ),
    Recorder(
        {"joint_target": Variable(("tracked",), "rad or m", "where servos and controllers want the joints that they move")},
        lambda run: {"joint_target": _of_laws(run.scenario.targets, run.times)},
        lambda scenario: bool(scenario.targets),
    ),
    Recorder(
        {
            "body_position": Variable(("body", "xyz"), "m", "origins of the bodies in the world"),
            "body_orientation": Variable(("body", "quat"), "1", "orientations of the bodies, unit quaternions (w, x, y, z)"),
        }
    ),
    Recorder(
        {
            "rod_position": Variable(("rod", "s", "xyz"), "m", "centre lines of the rods in the world"),
            "rod_orientation": Variable(
                ("rod", "s", "quat"), "1", "orientations of the sections of the rods, unit quaternions (w, x, y, z)"
            ),
            "rod_strain": Variable(
                ("rod", "s", "strain"), "1, 1/m", "strains of the rods: stretch and shears, torsion and bendings"
            ),
            "rod_wrench": Variable(
                ("rod", "s", "wrench"),
                "N, N m",
                "force and moment of the part beyond on the part before, by material, tendons, chambers and muscles,"
                " section axes",
            ),
            "rod_actuation": Variable(
                ("rod", "s", "wrench"), "N, N m", "the part of rod_wrench that tendons, chambers and muscles exert, section axes"
            ),
            "rod_radius": Variable(("rod", "s"), "m", "radius of the sections; of rods that keep their volume r / sqrt(stretch)"),
            "rod_power": Variable(("rod", "s"), "W/m", "power that the actuators of imposed strains give to a metre of rod"),
            "rod_residual": Variable(
                ("rod", "wrench"), "N, N m", "what the continuous rod would leave at the tip: the error of nodes and slices"
            ),
        },
        _rods,
        lambda scenario: scenario.compiled.has_rods,
    ),
    Recorder(
        {
            "tie_tension": Variable(("tie",), "{per_tie}", "tensions of cables and springs; negative where they push"),
            "tie_length": Variable(("tie",), "{per_tie}", "lengths of cables and springs, angles of torsion springs"),
        },
        lambda run: tie_records(run.scenario, run.times, run.q, run.v),
        lambda scenario: bool(scenario.compiled.ties),
        tie_label,
    ),
    Recorder(
        {"memory": Variable(("state",), "{per_state}", "states of laws with memory: integrals, lags, bristles")},
        label=_memory_label,
    ),
    Recorder(
        {"measured": Variable(("sensor",), "{per_sensor}", "what the sensors read, with their noise and delay")},
        lambda run: {"measured": readings(run)},
        lambda scenario: bool(scenario.recording.sensors),
        _sensor_label,
    ),
    Recorder(
        {
            "wheel_angle": Variable(("wheel",), "rad", "rolling angles of the wheels since the first record", is_sum=True),
            "wheel_rate": Variable(("wheel",), "rad/s", "rolling rates of the wheels"),
            "wheel_torque": Variable(("wheel",), "N m", "torques of the wheels' motors, positive with positive power"),
        },
        label=_wheel_label,
    ),
    Recorder(
        {"steering_angle": Variable(("steered_wheel",), "rad", "angles of the steered wheels about their verticals")},
        lambda run: {"steering_angle": _of_laws(run.scenario.drive.steering, run.times)},
        lambda scenario: bool(scenario.drive.steering),
    ),
    Recorder(
        {"phase": Variable((), "1", "number of the phase; flag_meanings names them from 0 on")},
        lambda run: {"phase": run.series["phase"].astype(np.int64)},
        lambda scenario: scenario.phases is not None,
        _phase_label,
    ),
    Recorder(
        {
            "contact_point": Variable(("contact", "xyz"), "m", "where each wheel or contact touches the ground, in the world"),
            "contact_force": Variable(
                ("contact", "xyz"), "N", "force on the robot at each wheel or contact, world axes; at an exchange: after it"
            ),
            "contact_abscissa": Variable(("contact",), "m", "where along its rod each contact is; NaN where it is not there"),
            "contact_gap": Variable(("contact",), "m", "distance of the surfaces of each contact, negative in penetration"),
        },
        _contacts,
    ),
    Recorder(
        {
            "multiplier": Variable(
                ("constraint",), "{per_row}", "forces along the rows of ideal wheels, contacts and loops, on the robot"
            )
        },
        label=_row_label,
    ),
    Recorder(
        {"base_wrench": Variable(("wrench",), "N, N m", "what projective torques leave to the reference body, in its own frame")},
        _base_wrench,
        lambda scenario: scenario.drive.torque_method == "projective",
    ),
    Recorder(
        {
            "constraint_rank": Variable((), "1", "number of independent constraint rows"),
            "constraint_condition": Variable((), "1", "smallest over largest pivot of the rows; 0 where rank is lost"),
        },
        _rank,
    ),
    Recorder(
        {
            "mass_centre": Variable(("xyz",), "m", "mass centre of the whole robot in the world"),
            "mass_centre_velocity": Variable(("xyz",), "m/s", "velocity of the mass centre, world axes"),
            "linear_momentum": Variable(("xyz",), "N s", "momentum of the robot and the fluid that it moves along, world axes"),
            "angular_momentum": Variable(
                ("xyz",), "N m s", "angular momentum about the mass centre (with the fluid's), world axes"
            ),
            "kinetic_energy": Variable((), "J", "kinetic energy of the robot"),
            "potential_energy": Variable((), "J", "potential energy of gravity and springs"),
            "power_actuators": Variable((), "W", "power that the actuators give to the robot"),
            "power_dissipated": Variable((), "W", "power lost in joint friction, positive when energy is lost"),
            "power_external": Variable((), "W", "power that wrench laws with a source of energy give to the robot"),
            "work_unrecorded": Variable(
                (), "J", "work between records since the start that trapezoids of the recorded powers do not tell", is_sum=True
            ),
            "work_unrecorded_error": Variable((), "J", "largest error of that work", is_sum=True),
            "constraint_residual": Variable((), "1", "largest defect of quaternion norms and imposed motion"),
        }
    ),
    Recorder(
        {
            "unstable_directions": Variable((), "1", "directions along which an equilibrium of a quasi-static run is not stable"),
            "least_stiffness": Variable(
                (), "1", "smallest eigenvalue of the scaled stiffness of an equilibrium of a quasi-static run"
            ),
        },
        records=lambda scenario: not scenario.numerics.method.inertia,
    ),
    Recorder(
        {
            "friction_loss": Variable(
                (), "J", "energy lost in friction of hard contacts since the start", is_sum=True, in_history=True
            ),
            "impact_loss": Variable((), "J", "energy lost in impacts since the start", is_sum=True, in_history=True),
            "damping_loss": Variable(
                (),
                "J",
                "energy lost to springs taken beyond the middle of a step (theta) since the start",
                is_sum=True,
                in_history=True,
            ),
            "work_supplied": Variable(
                (), "J", "work of actuators and outer sources less joint friction since the start", is_sum=True, in_history=True
            ),
            "solver_residual": Variable(
                (), "1", "largest natural-map residual of contacts since the last record, over weight times step"
            ),
        }
    ),
    Recorder(
        {"solver_iterations": Variable((), "1", "iterations of the integrator since the last record")},
        lambda run: {"solver_iterations": run.iterations},
    ),
)

VARIABLES: dict[str, Variable] = {name: variable for recorder in RECORDERS for name, variable in recorder.variables.items()}
"""All variables that a result may have, in their order."""
