"""The states of a run as the arrays that a result holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.dynamics import totals
from locodyn.errors import InputError
from locodyn.locomotion.rod_contacts import looking
from locodyn.locomotion.row_paths import along_paths
from locodyn.locomotion.series import ENERGY, Bodies, Samples, compute_series, new_samples, sample_with_residual
from locodyn.world.compliant_pairs import contact_place
from locodyn.world.contact_pairs import forward_axis
from locodyn.world.rows import FORCE, KNOWN

# Share of the force on the free coordinates that may stay without a source: round-off is far below. A robot that coasts has no
# forces but their round-off, which is small against its kinetic energy (J, as a force times the unit of its coordinate is).
MISSING = 1e-6

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.robot.compilation.compiled import CompiledRobot
    from locodyn.robot.compilation.compiled_parts import CompiledWrench


def record(
    problem: Problem,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    memory: np.ndarray | None,
    wrenches: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Arrays by the names of the contract for the states ``q`` (N, nq), ``v`` (N, nv), ``memory`` (N, nz) at ``times`` (N,).

    ``wrenches`` (N, nf, 6) act on the frames beside the laws of the problem.
    """
    compiled, n = problem.model.compiled, problem.model.compiled.reference_nv
    stamps = np.ascontiguousarray(times, dtype=float)
    out, residual = samples(problem, stamps, q, v, memory, wrenches)
    reference = compiled.body_names.index(compiled.reference_body)
    if not compiled.total_mass:  # without mass there is no centre and no momentum: the reference body stands for it
        out.whole[:] = 0.0
        out.whole[:, 0:3] = out.body_position[:, reference]
    orientation = continuous_quaternions(out.body_orientation)
    result = {
        "position": out.body_position[:, reference],
        "orientation": orientation[:, reference],
        "twist": out.reference_motion[:, :6],
        "acceleration": out.reference_motion[:, 6:],
        "joint_position": out.coordinate[:, n:],
        "joint_velocity": out.v[:, n:],
        "joint_acceleration": out.acceleration[:, n:],
        "joint_torque": out.torque[:, n:],
        "body_position": out.body_position,
        "body_orientation": orientation,
        "mass_centre": out.whole[:, 0:3],
        "mass_centre_velocity": out.whole[:, 3:6],
        "linear_momentum": out.whole[:, 6:9],
        "angular_momentum": out.whole[:, 9:12],
        "kinetic_energy": out.energy[:, ENERGY.kinetic],
        "potential_energy": out.energy[:, ENERGY.potential],
        "power_actuators": out.energy[:, ENERGY.actuators],
        "power_dissipated": out.energy[:, ENERGY.lost],
        "constraint_residual": residual,
    }
    if problem.memories.count:
        result["memory"] = out.memory
    if problem.wrench_table.gives_power:
        result["power_external"] = out.energy[:, ENERGY.outside]
    if problem.constraints.rows:
        result |= _rows(problem, stamps, out)
    forces = _contact_forces(problem, out)
    if forces:
        result["contact_force"] = np.stack(list(forces.values()), axis=1)
    if problem.compliant:
        other = len(forces) - len(problem.compliant)
        result["contact_gap"] = np.pad(compliant_gaps(problem, out.q)[0], ((0, 0), (other, 0)), constant_values=np.nan)
    return {name: np.ascontiguousarray(values) for name, values in result.items()}


def samples(
    problem: Problem,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    memory: np.ndarray | None,
    wrenches: np.ndarray | None = None,
) -> tuple[Samples, np.ndarray]:
    """What the dynamics give at the states of :func:`record`, in arrays of kernels; and the constraint residual (N,)."""
    model, compiled, states = problem.model, problem.model.compiled, problem.memories.count
    if states and memory is None:
        raise InputError(f"the records need the memory of '{problem.memories.names[0]}' beside positions and velocities.")
    laws = len(problem.wrench_table.wrenches)
    out = new_samples(len(times), model.nq, model.nv, len(compiled.body_names), len(problem.constraints.rows), laws, states)
    out.q[:], out.v[:] = q, v
    if memory is not None:
        out.memory[:] = memory
    bodies = bodies_of(compiled)
    residual, zeros = np.zeros(len(times)), np.zeros
    scratch = (zeros(totals.TOTALS.size), zeros(model.nv), zeros(model.nq), zeros(model.nv))
    with looking(problem), along_paths(problem.constraints.arrays):
        if problem.is_compiled and wrenches is None:
            compute_series(problem.arrays, times, problem.inputs, bodies, problem.workspace, *scratch, out, residual)
            return out, residual
        inputs = problem.inputs if wrenches is None else replace(problem.inputs, wrenches=np.zeros((model.nf, 6)))
        for i, t in enumerate(times):
            problem.workspace.memory.value[:] = out.memory[i]
            problem.read_inputs(float(t), out.q[i], out.v[i])
            if wrenches is not None:
                inputs.wrenches[:] = wrenches[i]
                inputs.wrenches[: len(problem.inputs.wrenches)] += problem.inputs.wrenches
            sample_with_residual(problem.arrays, inputs, bodies, i, problem.workspace, *scratch, out, residual)
            for row, force in problem.user_forces.items():
                out.law_force[i, row] = force
    return out, residual


def bodies_of(compiled: CompiledRobot) -> Bodies:
    """The named bodies, as kernels see them."""
    return Bodies(
        frame=np.array(compiled.body_frame, dtype=np.int64),
        rotation=np.array(compiled.body_rotation, dtype=float).reshape(-1, 9).copy(),
        position=np.array(compiled.body_position, dtype=float).reshape(-1, 3).copy(),
    )


def _rows(problem: Problem, times: np.ndarray, out: Samples) -> dict[str, np.ndarray]:
    """Multipliers, contact forces, wheels. Order of columns: the names of :func:`row_names`."""
    rows, names = problem.constraints.rows, row_names(problem)
    number = {row.name: m for m, row in enumerate(rows)}
    result: dict[str, Any] = {"multiplier": out.multiplier[:, [number[name] for name in names["constraint"]]]}
    result["constraint_rank"], result["constraint_condition"], missed, scale = out.rank.T
    allowed = MISSING * np.maximum(scale, out.energy[:, ENERGY.kinetic])
    if np.any(missed > allowed) and not len(problem.contact.table):  # beside hard contact the motion has other forces too
        t = times[int(np.argmax(missed - allowed))]
        raise InputError(
            f"at t = {t:g} s no contact and no motor can give the force that the imposed motion needs; make a wheel actuated"
            " where a speed is imposed, or let driven wheels have torques of their own instead of equal ones."
        )
    if out.base_wrench.any():
        result["base_wrench"] = out.base_wrench
    if names["wheel"]:
        rolls = [number[f"{wheel}.roll"] for wheel in names["wheel"]]
        result["wheel_rate"] = out.row_speed[:, rolls]
        result["wheel_turn"] = turned(times, out.row_speed[:, rolls], out.row_acceleration[:, rolls])
        result["wheel_angle"] = np.cumsum(result["wheel_turn"], axis=0)
        torque = out.multiplier[:, rolls]
        result["wheel_torque"] = -torque if problem.constraints.drives.motor_reactions else torque
    return result


def _contact_forces(problem: Problem, out: Samples) -> dict[str, np.ndarray]:
    """Force (N, 3) of the world at each wheel and contact that touches it, by its rows and by its contact law, world axes."""
    number = {row.name: m for m, row in enumerate(problem.constraints.rows)}
    laws = {wrench.name: row for row, wrench in enumerate(problem.wrench_table.wrenches)}
    names = {contact.name: contact.row_names for contact in problem.model.compiled.contacts}
    for one in problem.model.compiled.rod_contacts:
        names[one.contact.name] = tuple(name for name in number if name.rsplit(".", 1)[0] == one.contact.name)
    found = {}
    for wheel in contacts(problem):
        rows = [number[name] for name in names.get(wheel, (f"{wheel}.side", f"{wheel}.roll")) if name in number]
        found[wheel] = out.row_force[:, rows].sum(axis=1)
        if wheel in laws:
            found[wheel] = found[wheel] + out.law_force[:, laws[wheel]]
    return found


def contacts(problem: Problem) -> list[str]:
    """Names of what touches the world: wheels with rows or a contact law, surfaces that roll, contacts on rods, springs."""
    known = {row.name for row in problem.constraints.rows}
    wheels = problem.model.compiled.wheels
    touching = [w.name for w in wheels if w.contact is not None or {f"{w.name}.side", f"{w.name}.roll"} & known]
    rolling = [contact.name for contact in problem.model.compiled.contacts]
    along = [one.contact.name for one in problem.model.compiled.rod_contacts]
    return [*touching, *rolling, *along, *(one.name for one in problem.compliant)]


def compliant_gaps(problem: Problem, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gaps (N, n) m and nearest points (N, n, 3) m, in the world, of n compliant contacts in the configurations q (N, nq)."""
    still = np.zeros(problem.model.nv)
    gaps, points = np.empty((len(q), len(problem.compliant))), np.empty((len(q), len(problem.compliant), 3))
    for i, one in enumerate(q if problem.compliant else ()):
        poses = problem.model.kinematics(one, still)[0]
        for n, wrench in enumerate(problem.compliant):
            gaps[i, n], points[i, n], _ = contact_at(problem, wrench, poses)
    return gaps, points


def contact_at(problem: Problem, contact: CompiledWrench, poses: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Gap (m), point (3,) m, axes (3, 3) normal, forward, side of a compliant contact with the frames at ``poses`` (nf, 12)."""
    law, pairs = contact.law, problem.arrays.wrenches.pairs
    if law.pair < 0:
        pose = poses[contact.frame]
        centre = pose[9:] + pose[:9].reshape(3, 3) @ contact.position
        return law.gap(centre), law.point(centre), law.axes
    frame, _, gap, point, normal = contact_place(pairs, poses, law.pair)
    forward, _ = forward_axis(pairs, poses, law.pair, frame, normal)
    return gap, np.array(point), np.array([normal, forward, np.cross(normal, forward)])


def contact_names(problem: Problem) -> list[str]:
    """Names along the dimension ``contact``: pairs of hard contact where there are some, else what :func:`contacts` tells."""
    return problem.contact.table.names or contacts(problem)


def row_names(problem: Problem) -> dict[str, list[str]]:
    """Names along the dimensions ``constraint`` (rows with a force), ``contact`` (wheels that touch), ``wheel`` (that roll)."""
    rows = problem.constraints.rows
    known = {row.name for row in rows}
    return {
        "constraint": [row.name for row in rows if row.flags & (FORCE | KNOWN)],
        "contact": contact_names(problem),
        "wheel": [wheel.name for wheel in problem.model.compiled.wheels if f"{wheel.name}.roll" in known],
    }


def turned(times: np.ndarray, rate: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Integral of ``rate`` (N, k) from the record before to each one, of order 4: h/2 (f0 + f1) + h^2/12 (f0' - f1')."""
    h = np.diff(times)[:, None]
    pieces = h / 2 * (rate[:-1] + rate[1:]) + h**2 / 12 * (acceleration[:-1] - acceleration[1:])
    return np.concatenate([np.zeros((1, rate.shape[1])), pieces])


def continuous_quaternions(h: np.ndarray) -> np.ndarray:
    """The same orientations (N, ..., 4) with signs such that neighbours in time lie on the same side."""
    flips = np.sign(np.sum(h[1:] * h[:-1], axis=-1))
    flips[flips == 0.0] = 1.0
    signs = np.concatenate([np.ones((1, *h.shape[1:-1])), np.cumprod(flips, axis=0)])
    found: np.ndarray = h * signs[..., None]
    return found
