"""What time stepping with hard contact records besides the states, and the variables and attributes of a result made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import row_names
from locodyn.record import record
from locodyn.robot.layout import ANGULAR, DOF_AXIS, LINEAR

# Columns of the recorded report: residual, losses in friction, in impacts and to theta (damping), work supplied; J.
LOG = record(residual=1, friction=1, impact=1, damping=1, supplied=1)


class Records(NamedTuple):
    """What is recorded besides the states; one row for each record."""

    impulse: Any  # (N, n, 3) N s since the record before
    row_impulse: Any  # (N, m) of bilateral rows, likewise
    row_force: Any  # (N, m) of these, over the last step
    gap: Any  # (N, n) m
    point: Any  # (N, n, 3) m, world
    force: Any  # (N, nv) of the actuators over the last step
    change: Any  # (N, nv) of the velocity in the last step
    log: Any  # (N, LOG.size)


def new_records(rows: int, problem: Problem) -> Records:
    """Room for ``rows`` records."""
    pairs, bilateral, nv, zeros = len(problem.contact.table), len(problem.constraints.rows), problem.model.nv, np.zeros
    return Records(
        zeros((rows, pairs, 3)), zeros((rows, bilateral)), zeros((rows, bilateral)), zeros((rows, pairs)),
        zeros((rows, pairs, 3)), zeros((rows, nv)), zeros((rows, nv)), zeros((rows, LOG.size)),
    )  # fmt: skip


def from_first_step(values: np.ndarray) -> np.ndarray:
    """Means over the last step, with those of the first record at the start, before which there was none."""
    return np.concatenate([values[1:2] if len(values) > 1 else values[:1], values[1:]])


def reference_twists(problem: Problem) -> np.ndarray:
    """Body twist of the reference frame for a unit rate of each of its coordinates, (k, 6)."""
    compiled = problem.model.compiled
    twists = np.zeros((compiled.reference_nv, 6))
    for i, row in enumerate(twists):
        axis, constants = compiled.dofs[i, DOF_AXIS], compiled.dof_constants[i]
        row[axis], row[3 + axis] = constants[LINEAR], constants[ANGULAR]
    return twists


def recorded(problem: Problem, records: Records, times: np.ndarray, velocities: np.ndarray, step: float) -> dict[str, np.ndarray]:
    """Variables of the result that only the time stepping knows, by the names of the contract."""
    contact = problem.contact
    rows, base = len(times), problem.model.compiled.reference_nv
    since = np.diff(times, prepend=times[0] - 1.0)
    force, rate = from_first_step(records.force[:rows]), from_first_step(records.change[:rows]) / step
    result = {
        "joint_torque": force[:, base:],
        "joint_acceleration": rate[:, base:],
        "acceleration": rate[:, :base] @ reference_twists(problem),
        "power_actuators": np.sum(force * (velocities - 0.5 * step * rate), axis=1),
        "solver_residual": records.log[:rows, LOG.residual],
        "friction_loss": records.log[:rows, LOG.friction],
        "impact_loss": records.log[:rows, LOG.impact],
        "work_supplied": records.log[:rows, LOG.supplied],
    }
    if contact.options.theta > 0.5:
        result["damping_loss"] = records.log[:rows, LOG.damping]
    if len(contact.table):
        result["contact_force"] = records.impulse[:rows] / since[:, None, None]
        result["contact_gap"] = records.gap[:rows]
        result["contact_point"] = records.point[:rows]
    if problem.constraints.rows:
        forces = from_first_step(records.row_impulse[:rows] / since[:, None])
        number = {name: m for m, name in enumerate(problem.constraints.names)}
        named = row_names(problem)
        result["multiplier"] = forces[:, [number[name] for name in named["constraint"]]]
        if named["wheel"]:
            torque = forces[:, [number[f"{wheel}.roll"] for wheel in named["wheel"]]]
            result["wheel_torque"] = -torque if problem.constraints.drives.motor_reactions else torque
    return {name: np.ascontiguousarray(values) for name, values in result.items()}


def report_words(problem: Problem) -> dict[str, Any]:
    """Attributes of a result: steps that did not reach the tolerance, the worst of them, the deepest penetration.

    Of robots with loops or couplings also how far these were open before they were closed again, at most, m or rad.
    """
    report = problem.contact.arrays.report
    loops = {"loop_largest_gap": report.loop_gap} if problem.model.compiled.loops or problem.model.compiled.couplings else {}
    return {
        **loops,
        "contact_unconverged_steps": report.unconverged,
        "contact_worst_residual": report.worst_residual,
        "contact_deepest_penetration": report.deepest,
    }
