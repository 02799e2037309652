"""The linear problem inside every contact solver: velocities for given, or linearly responding, contact impulses.

    (M + E + J^T D J) x = rhs + J^T q,        impulses z = q - D (J x + shift)

with M the mass matrix at the middle of the step, E what implicit joint laws add, and D, q of one contact each. A contact with
the world adds the 6 x 6 block X^T D X to the inertia of the touching frame, so that the articulated-body recursion solves the
problem in O(n) and nothing of size contacts x contacts is formed. Where contacts between two frames couple them, and for robots
with bilateral rows or rods, the matrix of all coordinates is built and factored: :mod:`locodyn.locomotion.contact_dense`.
"""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import (
    BIAS,
    BLOCK_A,
    BLOCK_B,
    BLOCK_C,
    increase_inertia,
    inward_inertias,
    outward_accelerations,
)
from locodyn.dynamics.forward_dynamics import POSITION as WORK_POSITION
from locodyn.dynamics.forward_dynamics import ROTATION as WORK_ROTATION
from locodyn.dynamics.forward_dynamics import TWIST as WORK_TWIST
from locodyn.dynamics.inertia import articulated_to_parent, load_fluid, load_inertia, point_to_parent
from locodyn.kernel import routine, step
from locodyn.kernel.vector import (
    add,
    cross,
    increase3,
    load3,
    load6,
    load9,
    multiply,
    rotate,
    scale,
    store3,
    store6,
    store9,
    subtract,
)
from locodyn.locomotion.contact_arrays import (
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    DENSE,
    OFFSET,
    ON,
    POSITION_ON,
    POSITION_REACTION,
    REACTION,
    RHS,
    ROTATION_ON,
    ROTATION_REACTION,
    SCALES,
    SHIFT,
    W_NEXT,
    Z_NEXT,
    ZERO,
)
from locodyn.locomotion.contact_block import law_wrench, physical_block, scaled, symmetric_product
from locodyn.locomotion.contact_dense import dense_twist, dense_velocity, reduced_velocity
from locodyn.robot.layout import CODE, FIRST_Q, FLUID, PARENT
from locodyn.shape.joint import joint_pose
from locodyn.shape.kinematics import POSITION, ROTATION, to_child, to_parent


@routine
def place_frames(frames, constants, q, work, poses):
    """Poses of all frames: in their parents into ``work``, in the world into ``poses``."""
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        r, x = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
        store9(work, k, WORK_ROTATION, r)
        store3(work, k, WORK_POSITION, x)
        store3(work, k, WORK_TWIST, (0.0, 0.0, 0.0))
        store3(work, k, WORK_TWIST + 3, (0.0, 0.0, 0.0))
        if parent >= 0:
            r0 = load9(poses, parent, ROTATION)
            x = add(load3(poses, parent, POSITION), rotate(r0, x))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, x)


@step
def add_point_contact(c, i, work):
    """Add contact i to its frame: X^T D X to the inertia, minus the wrench at velocity zero to the bias."""
    row = c.contact
    k = c.closed[i, ON]
    r = load9(row, i, ROTATION_ON)
    p = load3(row, i, POSITION_ON)
    a, b, d = point_to_parent(r, p, physical_block(load3(row, i, SCALES), load6(row, i, D_LINEAR)))
    increase_inertia(work, k, a, b, d)
    f, _ = law_wrench(c, i)
    f = rotate(r, f)
    increase3(work, k, BIAS, scale(-1.0, f))
    increase3(work, k, BIAS + 3, cross(f, p))


@routine
def add_turning_contact(c, i, work):
    """As :func:`add_point_contact`, with the rows of rolling and spinning friction. Inlined beside it, both would be slow."""
    row = c.contact
    k = c.closed[i, ON]
    r = load9(row, i, ROTATION_ON)
    p = load3(row, i, POSITION_ON)
    a = physical_block(load3(row, i, SCALES), load6(row, i, D_LINEAR))
    d = physical_block(load3(row, i, SCALES + 3), load6(row, i, D_ANGULAR))
    a, b, d = articulated_to_parent(r, p, a, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), d)
    increase_inertia(work, k, a, b, d)
    f, n = law_wrench(c, i)
    f, n = to_parent(r, p, f, n)
    increase3(work, k, BIAS, scale(-1.0, f))
    increase3(work, k, BIAS + 3, scale(-1.0, n))


@step
def resists_turning(row, i):
    """Whether contact i has rolling or spinning friction."""
    return row[i, SCALES + 3] > 0.0 or row[i, SCALES + 4] > 0.0


@routine
def articulated_velocity(frames, constants, imposed, q, c, gravity, work, dof_work, x, tau):
    """x of the linear problem by articulated inertias; imposed entries of x are given, their impulses come out in ``tau``."""
    zero = c.vectors[ZERO]
    for k in range(frames.shape[0]):
        m, h, inertia = load_inertia(constants, k)
        store6(work, k, BLOCK_A, (m, 0.0, 0.0, m, 0.0, m))
        store9(work, k, BLOCK_B, (0.0, h[2], -h[1], -h[2], 0.0, h[0], h[1], -h[0], 0.0))
        store6(work, k, BLOCK_C, inertia)
        if frames[k, FLUID] != 0:
            a, b, d = load_fluid(constants, k)
            increase_inertia(work, k, a, b, d)
        store3(work, k, BIAS, (0.0, 0.0, 0.0))
        store3(work, k, BIAS + 3, (0.0, 0.0, 0.0))
    row = c.contact
    for i in range(c.counts[CLOSED]):
        if resists_turning(row, i):
            add_turning_contact(c, i, work)
        else:
            add_point_contact(c, i, work)
    for i in range(x.shape[0]):
        tau[i] = c.vectors[RHS, i]
    inward_inertias(frames, constants, imposed, q, zero, work, dof_work, x, tau)
    outward_accelerations(frames, constants, gravity, imposed, q, zero, work, dof_work, x, tau)


@step
def relative_twist(c, work, i):
    """Velocity (linear; angular) of the touching frame relative to the other one at contact i, in contact axes, from ``work``."""
    row = c.contact
    k = c.closed[i, ON]
    u, s = to_child(
        load9(row, i, ROTATION_ON), load3(row, i, POSITION_ON), load3(work, k, WORK_TWIST), load3(work, k, WORK_TWIST + 3)
    )
    k = c.closed[i, REACTION]
    if k >= 0:
        uo, so = to_child(
            load9(row, i, ROTATION_REACTION),
            load3(row, i, POSITION_REACTION),
            load3(work, k, WORK_TWIST),
            load3(work, k, WORK_TWIST + 3),
        )
        u = subtract(u, uo)
        s = subtract(s, so)
    return u, s


@routine
def respond(p, c, q, w, x, tau):
    """Solve the linear problem; velocities w and impulses z = q - D w of all contacts into W_NEXT and Z_NEXT (normalised)."""
    dense = c.counts[DENSE] != 0
    if c.kernel.shape[0] > 0:
        reduced_velocity(c, x)
    elif dense:
        dense_velocity(p.imposed, c, x, tau)
    else:
        articulated_velocity(p.frames, c.constants, p.imposed, q, c, c.still, w.work, w.dof_work, x, tau)
    row = c.contact
    for i in range(c.counts[CLOSED]):
        if dense:
            u, s = dense_twist(c, x, i)
        else:
            u, s = relative_twist(c, w.work, i)
        u = scaled(load3(row, i, SCALES), u)
        u = (u[0] + row[i, SHIFT], u[1], u[2])
        store3(row, i, W_NEXT, u)
        store3(row, i, Z_NEXT, subtract(load3(row, i, OFFSET), symmetric_product(load6(row, i, D_LINEAR), u)))
        z = (0.0, 0.0, 0.0)
        if resists_turning(row, i):
            s = scaled(load3(row, i, SCALES + 3), s)
            z = subtract(load3(row, i, OFFSET + 3), symmetric_product(load6(row, i, D_ANGULAR), s))
        else:
            s = z
        store3(row, i, W_NEXT + 3, s)
        store3(row, i, Z_NEXT + 3, z)
