"""Everything that a result records, at one instant: accelerations, forces, poses of bodies, energies, powers."""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.inertia import load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import motions_of
from locodyn.dynamics.joint_laws import joint_energy, joint_forces
from locodyn.dynamics.totals import TOTALS, totals_of
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import add, cross, load3, load9, multiply, rotate, scale
from locodyn.lie.so3 import log_quaternion, matrix_quaternion
from locodyn.locomotion.drive_memory import bristle_energy, bristle_forces
from locodyn.locomotion.multipliers import constrained_forces
from locodyn.locomotion.rhs import accelerations, impose, outer_wrenches, power_of_functions, read_laws
from locodyn.locomotion.row_jacobian import row_acceleration, row_speed
from locodyn.record import record
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, FREE, SPHERICAL
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST
from locodyn.world.rows import KNOWN, LOOP, TURN
from locodyn.world.wrenches import add_wrenches, contact_forces


class Bodies(Bundle):
    """Where the named bodies sit on the frames."""

    frame: np.ndarray  # (nb,) int64
    rotation: np.ndarray  # (nb, 9)
    position: np.ndarray  # (nb, 3) m


class Samples(Bundle):
    """What is recorded at each instant; one row for each sample."""

    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    acceleration: np.ndarray  # (N, nv)
    torque: np.ndarray  # (N, nv) force of the actuators
    coordinate: np.ndarray  # (N, nv) positions along the velocities: angles, lengths, rotation vectors
    body_position: np.ndarray  # (N, nb, 3) m
    body_orientation: np.ndarray  # (N, nb, 4)
    reference_motion: np.ndarray  # (N, 12) body twist of frame 0 and its derivative
    energy: np.ndarray  # (N, ENERGY.size)
    whole: np.ndarray  # (N, 12) of the robot, world axes: mass centre, its velocity, linear momentum, angular about the centre
    multiplier: np.ndarray  # (N, m) forces along the constraint rows
    row_speed: np.ndarray  # (N, m) and the speeds along them
    row_acceleration: np.ndarray  # (N, m)
    row_force: np.ndarray  # (N, m, 3) N, force on the robot at the first frame of a row, world axes
    base_wrench: np.ndarray  # (N, 6) left at the reference body by projective torques, in F0
    law_force: np.ndarray  # (N, l, 3) N, forces of the wrench laws on the robot, world axes
    memory: np.ndarray  # (N, nz) states of laws with memory
    rank: np.ndarray  # (N, 4) rank of the rows; last over first pivot; force that no row can give, largest force (J, times units)


# Energies: kinetic, potential (gravity, springs, anchors), power of actuators, power lost, power from outside.
ENERGY = record(kinetic=1, potential=1, actuators=1, lost=1, outside=1)


def new_samples(count: int, nq: int, nv: int, nb: int, rows: int, laws: int, states: int) -> Samples:
    """Room for ``count`` samples."""
    shapes = {
        "q": (nq,), "v": (nv,), "acceleration": (nv,), "torque": (nv,), "coordinate": (nv,), "body_position": (nb, 3),
        "body_orientation": (nb, 4), "reference_motion": (12,), "energy": (ENERGY.size,), "whole": (12,), "multiplier": (rows,),
        "row_speed": (rows,), "row_acceleration": (rows,), "row_force": (rows, 3), "base_wrench": (6,), "law_force": (laws, 3),
        "memory": (states,), "rank": (4,),
    }  # fmt: skip
    return Samples(**{name: np.zeros((count, *shape)) for name, shape in shapes.items()})


@compiled
def coordinates(frames, q, result):
    """Positions along the velocities (nv,): q itself, with rotation vectors (rad) in place of quaternions."""
    for k in range(frames.shape[0]):
        i = frames[k, FIRST_Q]
        j = frames[k, FIRST_V]
        code = frames[k, CODE]
        if code == SPHERICAL or code == FREE:
            if code == FREE:
                for m in range(3):
                    result[j + m] = q[i + m]
                i += 3
                j += 3
            theta = log_quaternion((q[i], q[i + 1], q[i + 2], q[i + 3]))
            for m in range(3):
                result[j + m] = theta[m]
        else:
            for m in range(frames[k, COUNT_V]):
                result[j + m] = q[i + m]


@compiled(called=True)
def sample(problem, inputs, bodies, n, work, total, passive, out):
    """Fill row n of ``out`` for the state (q, v) that stands there and the inputs at that time."""
    q = out.q[n]
    v = out.v[n]
    a = out.acceleration[n]
    for c in range(work.memory.value.shape[0]):
        work.memory.value[c] = out.memory[n, c]
    accelerations(problem, inputs, q, v, work, a)
    driven = sample_rows(problem.rows, problem, n, q, v, work, a, out)
    nv = v.shape[0]
    for i in range(nv):
        passive[i] = 0.0
    joint_forces(problem.frames, problem.dof_constants, q, v, passive)
    bristle_forces(problem.drives, v, work.memory, passive)
    power = driven
    for i in range(nv):
        out.torque[n, i] = work.tau[i] - passive[i]
        power += out.torque[n, i] * v[i]
    coordinates(problem.frames, q, out.coordinate[n])
    stored, lost, outside, steering = tally_wrenches(problem.rows, problem, inputs, q, v, a, work)
    contact_forces(problem.wrenches, inputs.rows, work.poses, work.motions, work.memory, out.law_force[n])
    outside += power_of_functions(inputs, work.motions)
    for j in range(12):
        out.reference_motion[n, j] = work.motions[0, j]
    for b in range(bodies.frame.shape[0]):
        k = bodies.frame[b]
        r = load9(work.poses, k, ROTATION)
        x = add(load3(work.poses, k, POSITION), rotate(r, load3(bodies.position, b, 0)))
        h = matrix_quaternion(multiply(r, load9(bodies.rotation, b, 0)))
        for j in range(3):
            out.body_position[n, b, j] = x[j]
        for j in range(4):
            out.body_orientation[n, b, j] = h[j]
    totals_of(problem.frames, problem.constants, problem.gravity, v, work.poses, work.motions, total)
    centre = (total[TOTALS.centre], total[TOTALS.centre + 1], total[TOTALS.centre + 2])
    linear = (total[TOTALS.linear_momentum], total[TOTALS.linear_momentum + 1], total[TOTALS.linear_momentum + 2])
    lever = cross(centre, linear)
    velocity = scale(1.0 / total[TOTALS.mass], own_momentum(problem.frames, problem.constants, work.poses, work.motions))
    for j in range(3):
        out.whole[n, j] = centre[j]
        out.whole[n, 3 + j] = velocity[j]
        out.whole[n, 6 + j] = linear[j]
        out.whole[n, 9 + j] = total[TOTALS.angular_momentum + j] - lever[j]
    springs, friction = joint_energy(problem.frames, problem.dof_constants, q, v)
    bent, rubbed = bristle_energy(problem.drives, v, work.memory)
    out.energy[n, ENERGY.kinetic] = total[TOTALS.kinetic]
    out.energy[n, ENERGY.potential] = total[TOTALS.potential] + stored + springs + bent
    out.energy[n, ENERGY.actuators] = power + steering
    out.energy[n, ENERGY.lost] = lost + friction + rubbed
    out.energy[n, ENERGY.outside] = outside


@compiled
def tally_wrenches(rows, problem, inputs, q, v, a, work):
    """What :func:`~locodyn.world.wrenches.add_wrenches` returns; ``work.poses`` and ``work.motions`` are those of (q, v, a).

    With constraint rows both are known: :func:`sample_constraints` has left them.
    """
    if rows is None:
        return outer_wrenches(problem, inputs, q, v, a, work)
    fill(work.wrenches, 0.0)
    return add_wrenches(problem.wrenches, inputs.rows, q, work.poses, work.motions, work.memory, work.wrenches)


@compiled
def own_momentum(frames, constants, poses, motions):
    """Linear momentum of the bodies without the fluid that they move along, world axes, N s."""
    result = (0.0, 0.0, 0.0)
    for k in range(frames.shape[0]):
        m, h, inertia = load_inertia(constants, k)
        linear, _ = momentum(m, h, inertia, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
        result = add(result, rotate(load9(poses, k, ROTATION), linear))
    return result


@compiled
def sample_rows(rows, problem, n, q, v, work, a, out):
    """What is told of constraint rows, into row n of ``out``; returns the power of driven wheels, W (0 without constraints)."""
    if rows is None:
        return 0.0
    return sample_constraints(problem, rows, n, q, v, work, a, out)


@compiled(called=True)
def sample_constraints(problem, rows, n, q, v, work, a, out):
    """Multipliers, speeds and forces of all rows."""
    multipliers = rows.multipliers
    power = 0.0
    constrained_forces(problem, rows, q, v, work, a)
    motions_of(rows.inverse, problem.gravity, work.poses, work.motions)
    base_wrench = rows.projective.base_wrench
    for j in range(6):
        out.base_wrench[n, j] = base_wrench[j]
    out.rank[n, 0] = rows.rank
    out.rank[n, 1] = rows.condition
    out.rank[n, 2] = rows.sharing.mismatch
    out.rank[n, 3] = rows.sharing.scale
    for m in range(rows.kind.shape[0]):
        force = rows.right_side[m] if rows.flags[m] & KNOWN else multipliers[m]
        speed = row_speed(rows, work.motions, m, v)
        out.multiplier[n, m] = force
        out.row_speed[n, m] = speed
        out.row_acceleration[n, m] = row_acceleration(rows, work.motions, m, v, a)
        power += force * speed
        k = rows.frame[m]
        if k >= 0 and rows.kind[m] != LOOP and rows.kind[m] != TURN:
            f = rotate(load9(work.poses, k, ROTATION), load3(rows.cotwist, m, 0))
            for j in range(3):
                out.row_force[n, m, j] = force * f[j]
    return power


@compiled
def imposed_defect(problem, inputs, q, v, scratch_q, scratch_v, scratch_a):
    """Largest distance of the imposed coordinates of (q, v) from their motion."""
    for i in range(q.shape[0]):
        scratch_q[i] = q[i]
    for i in range(v.shape[0]):
        scratch_v[i] = v[i]
    impose(problem, inputs, scratch_q, scratch_v, scratch_a)
    worst = 0.0
    for i in range(q.shape[0]):
        worst = max(worst, abs(scratch_q[i] - q[i]))
    for i in range(v.shape[0]):
        worst = max(worst, abs(scratch_v[i] - v[i]))
    return worst


@compiled
def norm_defect(frames, q):
    """Largest distance of a quaternion of q from norm 1."""
    worst = 0.0
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        if code == SPHERICAL or code == FREE:
            i = frames[k, FIRST_Q] + (3 if code == FREE else 0)
            worst = max(worst, abs(q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2 - 1.0))
    return worst


@compiled
def compute_series(problem, times, inputs, bodies, work, total, passive, scratch_q, scratch_v, out, residual):
    """All rows of ``out``, with laws that are data; ``residual`` (N,) tells how well constraints hold."""
    for n in range(times.shape[0]):
        read_laws(problem, times[n], inputs)
        sample_with_residual(problem, inputs, bodies, n, work, total, passive, scratch_q, scratch_v, out, residual)


@compiled(called=True)
def sample_with_residual(problem, inputs, bodies, n, work, total, passive, scratch_q, scratch_v, out, residual):
    """Row n of ``out`` and of ``residual``."""
    defect = imposed_defect(problem, inputs, out.q[n], out.v[n], scratch_q, scratch_v, passive)
    residual[n] = max(defect, norm_defect(problem.frames, out.q[n]))
    sample(problem, inputs, bodies, n, work, total, passive, out)
