"""Fields along the rods of a run: centre lines, orientations, strains, internal wrenches, at equal parts of each rod.

The pose at a place within a slice is reached from the start of the slice by a step of the space integrator of the rod. The
internal wrench is all that the part beyond exerts on the part before through the section, in its axes: by the material and by
the tendons, chambers and muscles that pass it, H eps + D epsdot + Lambda_a where a strain is free (Gotelli 2024, (2.13)); where
it is not, the wrench that carries what lies beyond, from inverse dynamics, linear between the middles of slices. Of rods with
strands Lambda_a is recorded besides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import locodyn.robot.layout as layout
from locodyn.dynamics import inverse_dynamics
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import continuous_quaternions, row_names
from locodyn.locomotion.residual import acts_outside, motion_residual, new_tangent
from locodyn.robot.body import Body
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.space import SPACES
from locodyn.sim.contract import ROD_PARTS
from locodyn.sim.rod_actuation import rod_actuation


def rod_fields(
    problem: Problem,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    multipliers: np.ndarray | None = None,
    memory: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Arrays by the names of the contract, each (N, rods, ROD_PARTS, ...); the rods in the order of their bodies.

    ``multipliers`` (N, m): forces along the rows of loops and wheels; without them what they carry is NaN. ``memory`` (N, nz):
    states of laws with memory.
    """
    memory = np.zeros((len(times), 0)) if memory is None else memory
    compiled = problem.model.compiled
    rods = [body for body in compiled.description.bodies if body.joint.rod is not None]
    samples = [problem.model.kinematics(x)[0] for x in q]
    poses = np.array(samples).reshape(len(q), problem.model.nf, 12)
    wrenches = _transmitted(problem, times, q, v, multipliers, memory)
    found: dict[str, list[np.ndarray]] = {"position": [], "orientation": [], "strain": [], "wrench": []}
    if any(body.strands for body in rods):
        found["actuation"] = []
    for body in rods:
        fields = _along(problem, body, times, poses, wrenches, q, v, memory)
        for name, entries in found.items():
            entries.append(fields[name])
    arrays = {f"rod_{name}": np.stack(values, axis=1) for name, values in found.items()}
    arrays["rod_orientation"] = continuous_quaternions(arrays["rod_orientation"])
    return arrays


def _along(
    problem: Problem, body: Body, times: np.ndarray, poses: np.ndarray, wrenches: np.ndarray, q: np.ndarray, v: np.ndarray,
    memory: np.ndarray,
) -> dict[str, Any]:  # fmt: skip
    compiled, rod = problem.model.compiled, body.joint.rod
    assert rod is not None
    joint = compiled.joint_index(body.joint.name)
    frames, span, rates = compiled.joint_frames[joint], compiled.joint_positions[joint], compiled.joint_velocities[joint]
    ends = np.cumsum(problem.model.constants[list(frames), layout.SLICE_LENGTH])
    factors = len(SPACES[rod.space].shares)  # frames of a slice: the fields go on from the ends of slices
    frames, ends, starts = frames[factors - 1 :: factors], ends[factors - 1 :: factors], frames[::factors]
    places = np.linspace(0.0, rod.length, ROD_PARTS)
    result: dict[str, list[np.ndarray]] = {"position": [], "orientation": [], "strain": []}
    for s in places:
        k = min(int(np.searchsorted(ends, s - 1e-12 * rod.length)), len(frames) - 1)
        rotation, position = _slice_start(problem, starts[k], poses)
        turn, move = rod.pose_over(0.0 if k == 0 else float(ends[k - 1]), float(s), q[:, span])
        position = position + np.einsum("nij,nj->ni", rotation, move)
        result["position"].append(position)
        result["orientation"].append(_quaternions(rotation @ turn))
        result["strain"].append(_strains(rod, float(s), q[:, span]))
    fields = {name: np.stack(values, axis=1) for name, values in result.items()}
    fields["wrench"] = _internal(rod, places, ends, fields["strain"], wrenches[:, list(frames)], q[:, span], v[:, rates])
    fields["actuation"] = rod_actuation(problem, body, times, places, fields["strain"], q, memory)
    free = np.array(rod.modes) > 0
    fields["wrench"][..., free] += fields["actuation"][..., free]  # along the others the balance holds it already
    return fields


def _slice_start(problem: Problem, frame: int, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World pose (N, 3, 3), (N, 3) of the start of a slice, whose first frame is given."""
    row = problem.model.constants[frame]
    parent = int(problem.model.frames[frame, layout.PARENT])
    rotation, position = poses[:, parent, :9].reshape(-1, 3, 3), poses[:, parent, 9:]
    offset = row[layout.OFFSET_POSITION : layout.OFFSET_POSITION + 3]
    return rotation @ row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3), position + rotation @ offset


def _strains(rod: Rod, s: float, q: np.ndarray) -> np.ndarray:
    """xi(s) (N, 6)."""
    return np.asarray(rod.strain_motion(np.array([s]), q)[0, :, 0])


def _quaternions(rotations: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(rotations).as_quat(), 1, axis=1)


def _transmitted(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, multipliers: np.ndarray | None, memory: np.ndarray
) -> np.ndarray:
    """Wrench (N, nf, 6) that the parent of each frame exerts on it, in its frame.

    ``multipliers`` (N, m): forces along the rows of loops and wheels, as a result records them.
    """
    model, p, w = problem.model, problem.arrays, problem.workspace
    result = np.full((len(q), model.nf, 6), np.nan)
    if problem.constraints.rows and multipliers is None:
        return result
    room, rows = new_tangent(model), problem.constraints.arrays
    numbers = {row.name: m for m, row in enumerate(problem.constraints.rows)}
    order = [numbers[name] for name in row_names(problem)["constraint"]]
    for n, t in enumerate(times):
        x, y = q[n].copy(), v[n].copy()
        w.memory.value[:] = memory[n]
        a = problem.accelerations(float(t), x, y)
        motion_residual(p, problem.inputs, x, y, a, w, room, 1.0)
        if rows is not None and multipliers is not None:
            loads = w.wrenches.copy() if acts_outside(p, problem.inputs) else np.zeros((model.nf, 6))
            whole = np.vstack([loads, np.zeros(6)])  # the last row is the world's
            for force, m in zip(multipliers[n], order, strict=True):
                whole[rows.frame[m]] += force * rows.cotwist[m]
                whole[rows.other[m]] += force * rows.other_cotwist[m]
            inverse_dynamics.inverse_dynamics(
                p.frames, p.constants, p.gravity, x, y, a, whole[:-1].copy(), room.inverse, room.gradient
            )
        result[n] = room.inverse[:, inverse_dynamics.WORK.wrench : inverse_dynamics.WORK.wrench + 6]
    return result


def _internal(
    rod: Rod, places: np.ndarray, ends: np.ndarray, strain: np.ndarray, transmitted: np.ndarray, q: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Internal wrench (N, ROD_PARTS, 6) in the axes of the sections, along free strains that of the material alone."""
    starts = np.concatenate([[0.0], ends[:-1]])
    middles = 0.5 * (starts + ends)
    carried = np.empty_like(transmitted)
    for k, (middle, end) in enumerate(zip(middles, ends, strict=True)):
        turn, move = rod.pose_over(float(middle), float(end), q)
        force = np.einsum("nij,nj->ni", turn, transmitted[:, k, :3])
        moment = np.einsum("nij,nj->ni", turn, transmitted[:, k, 3:]) + np.cross(move, force)
        carried[:, k] = -np.concatenate([force, moment], axis=1)
    result = np.empty((len(q), len(places), 6))
    damping = np.broadcast_to(np.asarray(rod.damping, dtype=float), (6,))
    free = np.array(rod.modes) > 0
    for p, s in enumerate(places):
        k = int(np.clip(np.searchsorted(middles, s) - 1, 0, max(0, len(middles) - 2)))
        share = float(np.clip((s - middles[k]) / (middles[k + 1] - middles[k]), 0.0, 1.0)) if len(middles) > 1 else 0.0
        result[:, p] = carried[:, k] + share * (carried[:, min(k + 1, len(middles) - 1)] - carried[:, k])
        stiffness = rod.properties(float(s)).stiffness
        elastic = rod.strain_motion(np.array([s]), q, v) - rod.strain_motion(np.array([s]), q, v, modes=False)
        stress = (elastic[0, :, 0] + damping * elastic[1, :, 0]) @ stiffness
        result[:, p, free] = stress[:, free]
    return result
