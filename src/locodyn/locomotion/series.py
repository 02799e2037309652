"""Everything that a result records, at one instant: accelerations, forces, poses of bodies, energies, powers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.dynamics.inertia import load_inertia, momentum
from locodyn.dynamics.joint_laws import joint_energy, joint_forces
from locodyn.dynamics.totals import ANGULAR_MOMENTUM, CENTRE, KINETIC, LINEAR_MOMENTUM, MASS, POTENTIAL, totals
from locodyn.kernel import kernel, routine
from locodyn.kernel.vector import add, cross, load3, load9, multiply, rotate, scale
from locodyn.lie.so3 import log_quaternion, matrix_quaternion
from locodyn.locomotion.multipliers import constrained_forces
from locodyn.locomotion.rhs import accelerations, impose, outer_wrenches, read_laws
from locodyn.locomotion.row_jacobian import row_acceleration, row_speed
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, FREE, SPHERICAL
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, frame_motions
from locodyn.world.law_table import MEMORY
from locodyn.world.rows import FLAGS, FRAME, KIND, KNOWN, LOOP, SIDE, TURN, W_A
from locodyn.world.wrenches import contact_forces


class Bodies(NamedTuple):
    """Where the named bodies sit on the frames."""

    frame: Any  # (nb,) int64
    rotation: Any  # (nb, 9)
    position: Any  # (nb, 3) m


class Samples(NamedTuple):
    """What is recorded at each instant; one row for each sample."""

    q: Any  # (N, nq)
    v: Any  # (N, nv)
    acceleration: Any  # (N, nv)
    torque: Any  # (N, nv) force of the actuators
    coordinate: Any  # (N, nv) positions along the velocities: angles, lengths, rotation vectors
    body_position: Any  # (N, nb, 3) m
    body_orientation: Any  # (N, nb, 4)
    reference_motion: Any  # (N, 12) body twist of frame 0 and its derivative
    energy: Any  # (N, ENERGIES)
    whole: Any  # (N, 12) of the whole robot, world axes: mass centre, its velocity, linear momentum, angular about the centre
    multiplier: Any  # (N, m) forces along the constraint rows
    row_speed: Any  # (N, m) and the speeds along them
    row_acceleration: Any  # (N, m)
    row_force: Any  # (N, m, 3) N, force on the robot at the first frame of a row, world axes
    base_wrench: Any  # (N, 6) left at the reference body by projective torques, in F0
    law_force: Any  # (N, l, 3) N, forces of the wrench laws on the robot, world axes
    rank: Any  # (N, 4) rank of the rows; last over first pivot; force that no row can give, largest force (J, times units)


# Columns of the energies: kinetic, potential (gravity, springs, anchors), power of actuators, power lost, power from outside.
KINETIC_ENERGY, POTENTIAL_ENERGY, ACTUATORS, LOST, OUTSIDE = range(5)
ENERGIES = 5


def new_samples(count: int, nq: int, nv: int, nb: int, rows: int, laws: int) -> Samples:
    """Room for ``count`` samples."""
    shapes = (
        (nq,),
        (nv,),
        (nv,),
        (nv,),
        (nv,),
        (nb, 3),
        (nb, 4),
        (12,),
        (ENERGIES,),
        (12,),
        (rows,),
        (rows,),
        (rows,),
        (rows, 3),
        (6,),
        (laws, 3),
        (4,),
    )
    return Samples(*(np.zeros((count, *shape)) for shape in shapes))


@kernel
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


@routine
def sample(p, inputs, bodies, n, w, total_work, total, passive, out):
    """Fill row n of ``out`` for the state (q, v) that stands there and the inputs at that time."""
    q = out.q[n]
    v = out.v[n]
    a = out.acceleration[n]
    accelerations(p, inputs, q, v, w, a)
    driven = sample_rows(p.constraints, p, n, q, v, w, a, out)
    nv = v.shape[0]
    for i in range(nv):
        passive[i] = 0.0
    joint_forces(p.frames, p.dof_constants, q, v, passive)
    power = driven
    for i in range(nv):
        out.torque[n, i] = w.tau[i] - passive[i]
        power += out.torque[n, i] * v[i]
    coordinates(p.frames, q, out.coordinate[n])
    stored, lost, outside, steering = outer_wrenches(p, inputs, q, v, a, w)
    contact_forces(p.wrench_laws, p.wrench_parameters, inputs.rows, w.poses, w.motions, v, out.law_force[n])
    if inputs.wrenches.shape[0] > 0:
        for k in range(p.frames.shape[0]):
            for j in range(6):
                outside += inputs.wrenches[k, j] * w.motions[k, j]
    for j in range(12):
        out.reference_motion[n, j] = w.motions[0, j]
    for b in range(bodies.frame.shape[0]):
        k = bodies.frame[b]
        r = load9(w.poses, k, ROTATION)
        x = add(load3(w.poses, k, POSITION), rotate(r, load3(bodies.position, b, 0)))
        h = matrix_quaternion(multiply(r, load9(bodies.rotation, b, 0)))
        for j in range(3):
            out.body_position[n, b, j] = x[j]
        for j in range(4):
            out.body_orientation[n, b, j] = h[j]
    totals(p.frames, p.constants, p.gravity, q, v, total_work, total)
    centre = (total[CENTRE], total[CENTRE + 1], total[CENTRE + 2])
    linear = (total[LINEAR_MOMENTUM], total[LINEAR_MOMENTUM + 1], total[LINEAR_MOMENTUM + 2])
    lever = cross(centre, linear)
    velocity = scale(1.0 / total[MASS], own_momentum(p.frames, p.constants, w.poses, w.motions))
    for j in range(3):
        out.whole[n, j] = centre[j]
        out.whole[n, 3 + j] = velocity[j]
        out.whole[n, 6 + j] = linear[j]
        out.whole[n, 9 + j] = total[ANGULAR_MOMENTUM + j] - lever[j]
    springs, friction = joint_energy(p.frames, p.dof_constants, q, v)
    # The integrals of feedback laws are numbers, not motion: they have no energy.
    integral = 0.0
    for row in range(p.wrench_laws.shape[0]):
        m = p.wrench_laws[row, MEMORY]
        if m >= 0:
            for i in range(m, m + 6):
                integral += 0.5 * v[i] * v[i]
                power -= out.torque[n, i] * v[i]
    out.energy[n, KINETIC_ENERGY] = total[KINETIC] - integral
    out.energy[n, POTENTIAL_ENERGY] = total[POTENTIAL] + stored + springs
    out.energy[n, ACTUATORS] = power + steering
    out.energy[n, LOST] = lost + friction
    out.energy[n, OUTSIDE] = outside


@kernel
def own_momentum(frames, constants, poses, motions):
    """Linear momentum of the bodies without the fluid that they move along, world axes, N s."""
    result = (0.0, 0.0, 0.0)
    for k in range(frames.shape[0]):
        m, h, inertia = load_inertia(constants, k)
        linear, _ = momentum(m, h, inertia, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
        result = add(result, rotate(load9(poses, k, ROTATION), linear))
    return result


@kernel
def sample_rows(c, p, n, q, v, w, a, out):
    """What is told of constraint rows, into row n of ``out``; returns the power of driven wheels, W (0 without constraints)."""
    if c is None:
        return 0.0
    return sample_constraints(p, c, n, q, v, w, a, out)


@routine
def sample_constraints(p, c, n, q, v, w, a, out):
    """Multipliers, speeds and forces of all rows."""
    rows = c.table
    cotwists = c.cotwists
    sides = c.sides
    multipliers = c.multipliers
    power = 0.0
    constrained_forces(p, c, q, v, w, a)
    frame_motions(p.frames, p.constants, q, v, a, w.motions)
    base_wrench = c.projective.base_wrench
    for j in range(6):
        out.base_wrench[n, j] = base_wrench[j]
    out.rank[n, 0] = c.rank
    out.rank[n, 1] = c.condition
    out.rank[n, 2] = c.sharing.mismatch
    out.rank[n, 3] = c.sharing.scale
    for m in range(rows.shape[0]):
        force = sides[m, SIDE] if rows[m, FLAGS] & KNOWN else multipliers[m]
        speed = row_speed(c, w.motions, m, v)
        out.multiplier[n, m] = force
        out.row_speed[n, m] = speed
        out.row_acceleration[n, m] = row_acceleration(c, w.motions, m, a)
        power += force * speed
        k = rows[m, FRAME]
        if k >= 0 and rows[m, KIND] != LOOP and rows[m, KIND] != TURN:
            f = rotate(load9(w.poses, k, ROTATION), load3(cotwists, m, W_A))
            for j in range(3):
                out.row_force[n, m, j] = force * f[j]
    return power


@kernel
def imposed_defect(p, inputs, q, v, scratch_q, scratch_v, scratch_a):
    """Largest distance of the imposed coordinates of (q, v) from their motion."""
    for i in range(q.shape[0]):
        scratch_q[i] = q[i]
    for i in range(v.shape[0]):
        scratch_v[i] = v[i]
    impose(p, inputs, scratch_q, scratch_v, scratch_a)
    worst = 0.0
    for i in range(q.shape[0]):
        worst = max(worst, abs(scratch_q[i] - q[i]))
    for i in range(v.shape[0]):
        worst = max(worst, abs(scratch_v[i] - v[i]))
    return worst


@kernel
def norm_defect(frames, q):
    """Largest distance of a quaternion of q from norm 1."""
    worst = 0.0
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        if code == SPHERICAL or code == FREE:
            i = frames[k, FIRST_Q] + (3 if code == FREE else 0)
            worst = max(worst, abs(q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2 - 1.0))
    return worst


@kernel
def compute_series(p, times, inputs, bodies, w, total_work, total, passive, scratch_q, scratch_v, out, residual):
    """All rows of ``out``, with laws that are data; ``residual`` (N,) tells how well constraints hold."""
    for n in range(times.shape[0]):
        read_laws(p, times[n], inputs)
        sample_with_residual(p, inputs, bodies, n, w, total_work, total, passive, scratch_q, scratch_v, out, residual)


@routine
def sample_with_residual(p, inputs, bodies, n, w, total_work, total, passive, scratch_q, scratch_v, out, residual):
    """Row n of ``out`` and of ``residual``."""
    defect = imposed_defect(p, inputs, out.q[n], out.v[n], scratch_q, scratch_v, passive)
    residual[n] = max(defect, norm_defect(p.frames, out.q[n]))
    sample(p, inputs, bodies, n, w, total_work, total, passive, out)
