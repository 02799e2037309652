"""The linear problem inside every contact solver: velocities for given, or linearly responding, contact impulses.

    (M + E + J^T D J) x = rhs + J^T q,        impulses z = q - D (J x + shift)

with M the mass matrix at the middle of the step, E what implicit joint laws add, and D, q of one contact each. A contact with
the world adds the 6 x 6 block X^T D X to the inertia of the touching frame, so that the articulated-body recursion solves the
problem in O(n) and nothing of size contacts x contacts is formed. Contacts between two frames couple them: then the matrix of
all coordinates is built and factored.
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
from locodyn.dynamics.inertia import articulated_to_parent, load_fluid, load_inertia
from locodyn.dynamics.mass_matrix import mass_matrix
from locodyn.kernel import kernel, routine, step
from locodyn.kernel.dense import solve_positive
from locodyn.kernel.vector import (
    add,
    cross,
    increase3,
    load3,
    load6,
    load9,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    store6,
    store9,
    subtract,
)
from locodyn.locomotion.contact_arrays import (
    BASIS,
    CLOSED,
    D_ANGULAR,
    D_LINEAR,
    DIAGONAL,
    OFFSET,
    ON,
    POINT,
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
from locodyn.robot.layout import ANGULAR, CODE, COUNT_V, DOF_AXIS, FIRST_Q, FIRST_V, FLUID, LINEAR, PARENT
from locodyn.shape.jacobian import axis_vector
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
def scaled(s, x):
    """Entry by entry s x."""
    return (s[0] * x[0], s[1] * x[1], s[2] * x[2])


@step
def physical_block(s, d):
    """S D S of a symmetric block (xx, xy, xz, yy, yz, zz)."""
    return (
        s[0] * s[0] * d[0], s[0] * s[1] * d[1], s[0] * s[2] * d[2],
        s[1] * s[1] * d[3], s[1] * s[2] * d[4], s[2] * s[2] * d[5],
    )  # fmt: skip


@step
def symmetric_product(d, x):
    """D x for (xx, xy, xz, yy, yz, zz)."""
    return (
        d[0] * x[0] + d[1] * x[1] + d[2] * x[2],
        d[1] * x[0] + d[3] * x[1] + d[4] * x[2],
        d[2] * x[0] + d[4] * x[1] + d[5] * x[2],
    )


@step
def law_wrench(c, i):
    """Impulse (force; moment) in contact axes that contact i exerts at velocity zero: S (q - D shift)."""
    row = c.contact
    q = load3(row, i, OFFSET)
    shift = row[i, SHIFT]
    f = (q[0] - row[i, D_LINEAR] * shift, q[1] - row[i, D_LINEAR + 1] * shift, q[2] - row[i, D_LINEAR + 2] * shift)
    return scaled(load3(row, i, SCALES), f), scaled(load3(row, i, SCALES + 3), load3(row, i, OFFSET + 3))


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
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    row = c.contact
    for i in range(c.counts[CLOSED]):
        k = c.closed[i, ON]
        r = load9(row, i, ROTATION_ON)
        p = load3(row, i, POSITION_ON)
        a = physical_block(load3(row, i, SCALES), load6(row, i, D_LINEAR))
        d = physical_block(load3(row, i, SCALES + 3), load6(row, i, D_ANGULAR))
        a, b, d = articulated_to_parent(r, p, a, none, d)
        increase_inertia(work, k, a, b, d)
        f, n = law_wrench(c, i)
        f, n = to_parent(r, p, f, n)
        increase3(work, k, BIAS, scale(-1.0, f))
        increase3(work, k, BIAS + 3, scale(-1.0, n))
    for i in range(x.shape[0]):
        tau[i] = c.vectors[RHS, i]
    inward_inertias(frames, constants, imposed, q, zero, work, dof_work, x, tau)
    outward_accelerations(frames, constants, gravity, imposed, q, zero, work, dof_work, x, tau)


@kernel
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
def contact_rows(frames, dofs, dof_constants, poses, c):
    """Rows of all closed contacts: six velocities in contact axes for a unit rate of each coordinate; which ones are not zero."""
    nv = dofs.shape[0]
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            for m in range(nv):
                c.jacobian[6 * i + j, m] = 0.0
        add_rows(frames, dofs, dof_constants, poses, c, i, c.closed[i, ON], 1.0)
        if c.closed[i, REACTION] >= 0:
            add_rows(frames, dofs, dof_constants, poses, c, i, c.closed[i, REACTION], -1.0)
        found = 0
        for m in range(nv):
            size = 0.0
            for j in range(6):
                size = max(size, abs(c.jacobian[6 * i + j, m]))
            if size > 0.0:
                found += 1
                c.columns[i, found] = m
        c.columns[i, 0] = found


@kernel
def add_rows(frames, dofs, dof_constants, poses, c, i, frame, sign):
    """Add ``sign`` times the velocity of frame ``frame`` at contact i."""
    basis = load9(c.contact, i, BASIS)
    point = load3(c.contact, i, POINT)
    k = frame
    while k >= 0:
        arm = subtract(point, load3(poses, k, POSITION))
        for m in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
            e = axis_vector(poses, k, dofs[m, DOF_AXIS])
            turn = scale(sign * dof_constants[m, ANGULAR], e)
            u = rotate_back(basis, add(scale(sign * dof_constants[m, LINEAR], e), cross(turn, arm)))
            s = rotate_back(basis, turn)
            for j in range(3):
                c.jacobian[6 * i + j, m] += u[j]
                c.jacobian[6 * i + 3 + j, m] += s[j]
        k = frames[k, PARENT]


@routine
def fill_mass(frames, constants, dofs, dof_constants, imposed, poses, c):
    """The mass matrix at the poses, with what implicit laws add."""
    mass_matrix(frames, constants, dofs, dof_constants, poses, c.composites, c.mass)
    for i in range(c.mass.shape[0]):
        c.mass[i, i] += c.vectors[DIAGONAL, i]


@routine
def dense_velocity(imposed, c, x, tau):
    """x of the linear problem by Cholesky's factors of the whole matrix; imposed as of :func:`articulated_velocity`."""
    nv = x.shape[0]
    mixed = imposed.shape[0] > 0
    for i in range(nv):
        tau[i] = c.vectors[RHS, i]
        for j in range(i + 1):
            c.factor[i, j] = c.mass[i, j]
    row = c.contact
    for i in range(c.counts[CLOSED]):
        a = physical_block(load3(row, i, SCALES), load6(row, i, D_LINEAR))
        d = physical_block(load3(row, i, SCALES + 3), load6(row, i, D_ANGULAR))
        f, s = law_wrench(c, i)
        first = 6 * i
        for n in range(1, c.columns[i, 0] + 1):
            m = c.columns[i, n]
            u = (c.jacobian[first, m], c.jacobian[first + 1, m], c.jacobian[first + 2, m])
            w = (c.jacobian[first + 3, m], c.jacobian[first + 4, m], c.jacobian[first + 5, m])
            tau[m] += u[0] * f[0] + u[1] * f[1] + u[2] * f[2] + w[0] * s[0] + w[1] * s[1] + w[2] * s[2]
            du = symmetric_product(a, u)
            dw = symmetric_product(d, w)
            for o in range(1, n + 1):
                b = c.columns[i, o]
                c.factor[m, b] += (
                    du[0] * c.jacobian[first, b] + du[1] * c.jacobian[first + 1, b] + du[2] * c.jacobian[first + 2, b]
                ) + (dw[0] * c.jacobian[first + 3, b] + dw[1] * c.jacobian[first + 4, b] + dw[2] * c.jacobian[first + 5, b])
    if mixed:
        for i in range(nv):
            if imposed[i] != 0:
                for j in range(nv):
                    if imposed[j] == 0:
                        tau[j] -= (c.factor[i, j] if j < i else c.factor[j, i]) * x[i]
    # Imposed coordinates out of the system: unit rows; what they need is the balance of their own row.
    if mixed:
        for i in range(nv):
            if imposed[i] != 0:
                for j in range(i):
                    c.factor[i, j] = 0.0
                for j in range(i + 1, nv):
                    c.factor[j, i] = 0.0
                c.factor[i, i] = 1.0
                tau[i] = x[i]
    solve_positive(c.factor, nv, tau)
    for i in range(nv):
        x[i] = tau[i]
    if mixed:
        for i in range(nv):
            if imposed[i] != 0:
                total = 0.0
                for j in range(nv):
                    total += c.mass[i, j] * x[j]
                tau[i] = total
        for i in range(c.counts[CLOSED]):  # and what the contacts push
            u, w = dense_twist(c, x, i)
            a = physical_block(load3(row, i, SCALES), load6(row, i, D_LINEAR))
            d = physical_block(load3(row, i, SCALES + 3), load6(row, i, D_ANGULAR))
            f, s = law_wrench(c, i)
            f = subtract(f, symmetric_product(a, u))
            s = subtract(s, symmetric_product(d, w))
            first = 6 * i
            for n in range(1, c.columns[i, 0] + 1):
                m = c.columns[i, n]
                if imposed[m] != 0:
                    for j in range(3):
                        tau[m] -= c.jacobian[first + j, m] * f[j] + c.jacobian[first + 3 + j, m] * s[j]


@kernel
def dense_twist(c, x, i):
    """Velocity at contact i in contact axes from its rows."""
    first = 6 * i
    u = (0.0, 0.0, 0.0)
    s = (0.0, 0.0, 0.0)
    for n in range(1, c.columns[i, 0] + 1):
        m = c.columns[i, n]
        u = add(u, scale(x[m], (c.jacobian[first, m], c.jacobian[first + 1, m], c.jacobian[first + 2, m])))
        s = add(s, scale(x[m], (c.jacobian[first + 3, m], c.jacobian[first + 4, m], c.jacobian[first + 5, m])))
    return u, s


@routine
def respond(p, c, q, w, x, tau):
    """Solve the linear problem; velocities w and impulses z = q - D w of all contacts into W_NEXT and Z_NEXT (normalised)."""
    dense = c.mass.shape[0] > 0
    if dense:
        dense_velocity(p.imposed, c, x, tau)
    else:
        articulated_velocity(p.frames, c.constants, p.imposed, q, c, c.vectors[ZERO], w.work, w.dof_work, x, tau)
    row = c.contact
    for i in range(c.counts[CLOSED]):
        if dense:
            u, s = dense_twist(c, x, i)
        else:
            u, s = relative_twist(c, w.work, i)
        u = scaled(load3(row, i, SCALES), u)
        s = scaled(load3(row, i, SCALES + 3), s)
        u = (u[0] + row[i, SHIFT], u[1], u[2])
        store3(row, i, W_NEXT, u)
        store3(row, i, W_NEXT + 3, s)
        store3(row, i, Z_NEXT, subtract(load3(row, i, OFFSET), symmetric_product(load6(row, i, D_LINEAR), u)))
        store3(row, i, Z_NEXT + 3, subtract(load3(row, i, OFFSET + 3), symmetric_product(load6(row, i, D_ANGULAR), s)))
