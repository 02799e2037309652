"""Fields along the rods of a run: centre lines, orientations, strains, internal wrenches, at equal parts of each rod.

The pose at a place within a slice is reached from the start of the slice by a step of the space integrator of the rod. The
internal wrench is all that the part beyond exerts on the part before through the section, in its axes. Along a strain that is
free it is what material, tendons, chambers and muscles exert, H eps + D epsdot + Lambda_a (Gotelli 2024, (2.13)), eps counted
from the strain without load; along the others, which are rigid or whose strain is imposed, what carries the part beyond
(:mod:`locodyn.sim.rod_balance`). Of rods with strands Lambda_a is recorded besides; of those with imposed strains the power
-Lambda^T xidot that their actuators give to a metre of rod, and how well slices and nodes stand for the continuous rod.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics import inverse_dynamics
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import continuous_quaternions, row_names
from locodyn.locomotion.residual import acts_outside, motion_residual, new_tangent
from locodyn.locomotion.rod_contacts import looking
from locodyn.locomotion.row_paths import along_paths
from locodyn.robot.body import Body
from locodyn.robot.portrait import radii
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.slices import pose_between
from locodyn.sim.contract import places_along
from locodyn.sim.rod_actuation import rod_actuation
from locodyn.sim.rod_balance import ContactForces, balance_residual, carried_wrench, slices_of
from locodyn.sim.rod_projection import projected_wrench


class Balance(NamedTuple):
    """What inverse dynamics says of N instants."""

    wrench: np.ndarray  # (N, nf, 6) that the parent of each frame exerts on it, in its frame; NaN where rows hold it unknown
    acceleration: np.ndarray  # (N, nv)
    contacts: ContactForces  # forces of contacts on rods


def rod_fields(
    problem: Problem,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    multipliers: np.ndarray | None = None,
    memory: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Arrays by the names of the contract, each (N, rods, places, ...); the rods in the order of their bodies.

    ``multipliers`` (N, m): forces along the rows of loops and wheels; without them what they carry is NaN. ``memory`` (N, nz):
    states of laws with memory.
    """
    memory = np.zeros((len(times), 0)) if memory is None else memory
    compiled = problem.model.compiled
    rods = [body for body in compiled.description.bodies if body.joint.rod is not None]
    samples = [problem.model.kinematics(x)[0] for x in q]
    poses = np.array(samples).reshape(len(q), problem.model.nf, 12)
    balance = _balance(problem, times, q, v, multipliers, memory)
    found: dict[str, list[np.ndarray]] = {"position": [], "orientation": [], "strain": [], "wrench": []}
    if any(body.strands for body in rods):
        found["actuation"] = []
    if any(_imposed(problem, body).any() for body in rods):
        found |= {"power": [], "residual": []}
    if any(slices_of(problem.model, body).rod.keeps_volume for body in rods):
        found["radius"] = []
    for body in rods:
        fields = _along(problem, body, places_along(compiled), times, poses, balance, q, v, memory)
        if "power" in found:
            fields["power"] = _power(problem, body, fields["wrench"], q, v)
            fields["residual"] = balance_residual(problem.model, slices_of(problem.model, body), q, v, balance.acceleration)
        for name, entries in found.items():
            entries.append(fields[name])
    arrays = {f"rod_{name}": np.stack(values, axis=1) for name, values in found.items()}
    arrays["rod_orientation"] = continuous_quaternions(arrays["rod_orientation"])
    return arrays


def rod_moments(problem: Problem, t: float, q: np.ndarray, v: np.ndarray, forces: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Internal moments (rods, P, 3), N m, in the axes of the sections, at places ``at`` (P,) over the lengths of the rods.

    ``forces`` (m,): along the rows of loops, wheels and contacts.
    """
    times, states, rates, none = np.array([t]), q[None], v[None], np.zeros((1, 0))
    poses = problem.model.kinematics(q)[0].reshape(1, problem.model.nf, 12)
    balance = _balance(problem, times, states, rates, forces[None], none)
    rods = [body for body in problem.model.compiled.description.bodies if body.joint.rod is not None]
    along = [_along(problem, body, at, times, poses, balance, states, rates, none) for body in rods]
    return np.stack([fields["wrench"][0, :, 3:] for fields in along])


def projected_moments(problem: Problem, t: float, q: np.ndarray, v: np.ndarray, at: np.ndarray) -> np.ndarray:
    """As :func:`rod_moments`, of rods that the ground holds at every section (Ali 2011, 7.2)."""
    poses, none = problem.model.kinematics(q)[0].reshape(problem.model.nf, 12), np.zeros((1, 0))
    forces = np.zeros((1, len(row_names(problem)["constraint"])))
    balance = _balance(problem, np.array([t]), q[None], v[None], forces, none)
    bodies = [body for body in problem.model.compiled.description.bodies if body.joint.rod is not None]
    found = []
    for slices in (slices_of(problem.model, body) for body in bodies):
        places = slices.rod.length * at
        found.append(projected_wrench(problem.model, slices, poses, balance.wrench[0], places, q[slices.positions])[:, 3:])
    return np.stack(found)


def _along(
    problem: Problem, body: Body, at: np.ndarray, times: np.ndarray, poses: np.ndarray, balance: Balance, q: np.ndarray,
    v: np.ndarray, memory: np.ndarray,
) -> dict[str, Any]:  # fmt: skip
    slices = slices_of(problem.model, body)
    rod, span = slices.rod, slices.positions
    places = rod.length * at
    turns, line = [], []
    for s in places:
        k = min(int(np.searchsorted(slices.ends, s - 1e-12 * rod.length)), len(slices.frames) - 1)
        rotation, position = _slice_start(problem, int(slices.starts[k]), poses)
        turn, move = pose_between(rod, 0.0 if k == 0 else float(slices.ends[k - 1]), float(s), q[:, span])
        line.append(position + np.einsum("nij,nj->ni", rotation, move))
        turns.append(rotation @ turn)
    axes, centre = np.stack(turns, axis=1), np.stack(line, axis=1)
    fields = {"position": centre, "orientation": np.stack([_quaternions(turn) for turn in turns], axis=1)}
    fields["strain"] = rod.strain_motion(places, q[:, span])[0]
    stretch = fields["strain"][:, :, 0]
    with np.errstate(invalid="ignore", divide="ignore"):  # a free rod may turn inside out: it has no radius there
        thinner = 1.0 / np.sqrt(stretch) if rod.keeps_volume else np.ones_like(stretch)
    fields["radius"] = np.array(radii(rod, len(places))) * thinner
    fields["wrench"] = carried_wrench(
        problem.model, slices, poses, balance.wrench, places, axes, centre, balance.contacts.on(body.name)
    )
    fields["actuation"] = rod_actuation(problem, body, times, places, fields["strain"], q, memory)
    free = _free(problem, body)
    stress = _stress(rod, places, q[:, span], v[:, slices.velocities]) + fields["actuation"]
    fields["wrench"][..., free] = stress[..., free]  # along the others the balance holds the actuation already
    return fields


def _imposed(problem: Problem, body: Body) -> np.ndarray:
    """Which coordinates of a rod are imposed, (n,)."""
    return np.asarray(problem.drive[slices_of(problem.model, body).velocities] == IMPOSED)


def _free(problem: Problem, body: Body) -> np.ndarray:
    """Which strains of a rod have modes, and none that is imposed, (6,)."""
    rod = body.joint.rod
    assert rod is not None
    held = {c for c, fixed in zip(rod.strain_of_mode, _imposed(problem, body), strict=False) if fixed}
    return np.array([n > 0 and c not in held for c, n in enumerate(rod.modes)])


def _power(problem: Problem, body: Body, wrench: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """-Lambda^T xidot of the imposed strains, W/m: (N, places). Its integral is the power of their actuators."""
    slices = slices_of(problem.model, body)
    places = slices.rod.length * places_along(problem.model.compiled)
    rates = np.where(_imposed(problem, body), v[:, slices.velocities], 0.0)
    moving = slices.rod.strain_motion(places, q[:, slices.positions], rates)[1]
    return np.asarray(-np.einsum("nsc,nsc->ns", wrench, moving))


def _slice_start(problem: Problem, frame: int, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World pose (N, 3, 3), (N, 3) of the start of a slice, whose first frame is given."""
    row = problem.model.constants[frame]
    parent = int(problem.model.frames[frame, layout.PARENT])
    rotation, position = poses[:, parent, :9].reshape(-1, 3, 3), poses[:, parent, 9:]
    offset = row[layout.OFFSET_POSITION : layout.OFFSET_POSITION + 3]
    return rotation @ row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3), position + rotation @ offset


def _quaternions(rotations: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(rotations).as_quat(), 1, axis=1)


def _balance(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, multipliers: np.ndarray | None, memory: np.ndarray
) -> Balance:
    """Inverse dynamics at the instants; ``multipliers`` (N, m): forces along rows, as a result records them."""
    model, arrays, work = problem.model, problem.arrays, problem.workspace
    contacts = ContactForces(len(q), [one.body for one in model.compiled.rod_contacts])
    result = Balance(np.full((len(q), model.nf, 6), np.nan), np.full((len(q), model.nv), np.nan), contacts)
    if problem.constraints.rows and multipliers is None:
        return result
    room, rows = new_tangent(model), problem.constraints.arrays
    numbers = {row.name: m for m, row in enumerate(problem.constraints.rows)}
    order = [numbers[name] for name in row_names(problem)["constraint"]]
    with looking(problem), along_paths(rows):
        for n, t in enumerate(times):
            x, y = q[n].copy(), v[n].copy()
            work.memory.value[:] = memory[n]
            a = result.acceleration[n] = problem.accelerations(float(t), x, y)
            motion_residual(arrays, problem.inputs, x, y, a, work, room, 1.0)
            if rows is not None and multipliers is not None:
                loads = work.wrenches.copy() if acts_outside(arrays, problem.inputs) else np.zeros((model.nf, 6))
                whole = np.vstack([loads, np.zeros(6)])  # the last row is the world's
                for force, m in zip(multipliers[n], order, strict=True):
                    whole[rows.frame[m]] += force * rows.cotwist[m]
                    whole[rows.other[m]] += force * rows.other_cotwist[m]
                contacts.take(n, rows, dict(zip(order, multipliers[n], strict=True)))
                inverse_dynamics.inverse_dynamics(
                    arrays.frames, arrays.constants, arrays.gravity, x, y, a, whole[:-1].copy(), room.inverse, room.gradient
                )
            result.wrench[n] = room.inverse[:, inverse_dynamics.WORK.wrench : inverse_dynamics.WORK.wrench + 6]
    return result


def _stress(rod: Rod, places: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Stress of the material, (N, P, 6): H (eps + damping epsdot), eps what the modes add to the strain without load."""
    loaded, unloaded = (rod.strain_motion(places, q, v, modes=modes) for modes in (True, False))
    strain, rate = (loaded - unloaded)[:2]
    away = strain + np.broadcast_to(np.asarray(rod.damping, dtype=float), (6,)) * rate
    return np.stack([away[:, p] @ rod.properties(float(s)).stiffness for p, s in enumerate(places)], axis=1)
