"""Velocities of the linear contact problem in O(n): articulated inertias whose contacts respond without symmetry.

    (M + E + J^T D J) x = rhs + J^T (q - D shift)

Friction follows the normal impulse, so that D of a sliding contact has a column for the normal velocity, but no such row: a
contact adds the general 6 x 6 block X^T D X to the inertia of its frame. The recursion of Featherstone (1983) needs no symmetry
when it keeps the column M S and the row S^T M of every direction S apart: M - M S (S^T M S)^-1 S^T M is handed to the parent.
Blocks are M = [[A, B], [C, D]], 9 values each, row by row, on (linear; angular).
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.dynamics.forward_dynamics import WORK, accelerated
from locodyn.dynamics.inertia import load_fluid, load_inertia
from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, increase3, load3, load9, rotate, scale, store3, store9, transform_general
from locodyn.record import record
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_V, FLUID, HELICAL, PARENT, PITCH, REVOLUTE
from locodyn.shape.joint import axis_of, joint_force
from locodyn.shape.kinematics import to_child, to_parent

# Where the four blocks of an inertia begin.
BLOCK = record(a=9, b=9, c=9, d=9)


@compiled(inline=True)
def full(s):
    """A symmetric block (xx, xy, xz, yy, yz, zz) row by row."""
    return (s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5])


@compiled(inline=True)
def times_hat(m, p):
    """M hat(p)."""
    return (
        m[1] * p[2] - m[2] * p[1], m[2] * p[0] - m[0] * p[2], m[0] * p[1] - m[1] * p[0],
        m[4] * p[2] - m[5] * p[1], m[5] * p[0] - m[3] * p[2], m[3] * p[1] - m[4] * p[0],
        m[7] * p[2] - m[8] * p[1], m[8] * p[0] - m[6] * p[2], m[6] * p[1] - m[7] * p[0],
    )  # fmt: skip


@compiled(inline=True)
def hat_times(p, m):
    """hat(p) M."""
    return (
        p[1] * m[6] - p[2] * m[3], p[1] * m[7] - p[2] * m[4], p[1] * m[8] - p[2] * m[5],
        p[2] * m[0] - p[0] * m[6], p[2] * m[1] - p[0] * m[7], p[2] * m[2] - p[0] * m[8],
        p[0] * m[3] - p[1] * m[0], p[0] * m[4] - p[1] * m[1], p[0] * m[5] - p[1] * m[2],
    )  # fmt: skip


@compiled(inline=True)
def increase9(a, k, j, m):
    """a[k, j:j+9] += m."""
    for n in range(9):
        a[k, j + n] += m[n]


@compiled(inline=True)
def decrease_outer(a, k, j, s, x, y):
    """a[k, j:j+9] -= s x y^T."""
    for r in range(3):
        f = s * x[r]
        a[k, j + 3 * r] -= f * y[0]
        a[k, j + 3 * r + 1] -= f * y[1]
        a[k, j + 3 * r + 2] -= f * y[2]


@compiled(inline=True)
def add_moved(inertia, k, r, p, a, b, c, d):
    """Add X^T M X to frame k: blocks of a frame at (R, p) in it.

    After the rotation of all blocks B'' = B - A hat(p), C'' = C + hat(p) A, D'' = D + hat(p) B'' - C hat(p).
    """
    a = transform_general(r, a)
    b = transform_general(r, b)
    c = transform_general(r, c)
    d = transform_general(r, d)
    ap = times_hat(a, p)
    cp = times_hat(c, p)
    pa = hat_times(p, a)
    b2 = (
        b[0] - ap[0], b[1] - ap[1], b[2] - ap[2], b[3] - ap[3], b[4] - ap[4], b[5] - ap[5], b[6] - ap[6], b[7] - ap[7],
        b[8] - ap[8],
    )  # fmt: skip
    pb = hat_times(p, b2)
    for j in range(9):
        inertia[k, BLOCK.a + j] += a[j]
        inertia[k, BLOCK.b + j] += b2[j]
        inertia[k, BLOCK.c + j] += c[j] + pa[j]
        inertia[k, BLOCK.d + j] += d[j] + pb[j] - cp[j]


@compiled(inline=True)
def add_force(inertia, k, r, p, a):
    """As :func:`add_moved` for a block of forces alone."""
    a = transform_general(r, a)
    ap = times_hat(a, p)
    pa = hat_times(p, a)
    pap = hat_times(p, ap)
    for j in range(9):
        inertia[k, BLOCK.a + j] += a[j]
        inertia[k, BLOCK.b + j] -= ap[j]
        inertia[k, BLOCK.c + j] += pa[j]
        inertia[k, BLOCK.d + j] -= pap[j]


@compiled(inline=True)
def begin_frame(frames, constants, k, inertia, bias):
    """Frame k with the inertia of its own body, and of the fluid that it moves along."""
    m, h, second = load_inertia(constants, k)
    store9(inertia, k, BLOCK.a, (m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m))
    store9(inertia, k, BLOCK.b, (0.0, h[2], -h[1], -h[2], 0.0, h[0], h[1], -h[0], 0.0))
    store9(inertia, k, BLOCK.c, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
    store9(inertia, k, BLOCK.d, full(second))
    store3(bias, k, 0, (0.0, 0.0, 0.0))
    store3(bias, k, 3, (0.0, 0.0, 0.0))
    if frames[k, FLUID] != 0:
        a, b, d = load_fluid(constants, k)
        increase9(inertia, k, BLOCK.a, full(a))
        increase9(inertia, k, BLOCK.b, b)
        increase9(inertia, k, BLOCK.c, (b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]))
        increase9(inertia, k, BLOCK.d, full(d))


@compiled(inline=True)
def add_point_contact(contacts, i):
    """Response and wrench of contact i, which does not resist turning, on its frame."""
    k = contacts.frame[i]
    bias = contacts.robot.bias
    r = load9(contacts.rotation, i, 0)
    p = load3(contacts.position, i, 0)
    a, _, _ = contact_blocks(contacts, i)
    add_force(contacts.robot.inertia, k, r, p, a)
    f, _ = law_wrench(contacts, i)
    f = rotate(r, f)
    increase3(bias, k, 0, scale(-1.0, f))
    increase3(bias, k, 3, cross(f, p))


@compiled(called=True)
def add_turning_contact(contacts, i):
    """As :func:`add_point_contact` with rolling and spinning friction. Inlined beside it, both would be slow."""
    k = contacts.frame[i]
    bias = contacts.robot.bias
    r = load9(contacts.rotation, i, 0)
    p = load3(contacts.position, i, 0)
    a, e, d = contact_blocks(contacts, i)
    add_moved(contacts.robot.inertia, k, r, p, a, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), e, d)
    f, n = law_wrench(contacts, i)
    f, n = to_parent(r, p, f, n)
    increase3(bias, k, 0, scale(-1.0, f))
    increase3(bias, k, 3, scale(-1.0, n))


@compiled(inline=True)
def column_of(inertia, k, axis):
    """M e_axis of frame k, axis 0..5 in the order (linear; angular)."""
    j = axis if axis < 3 else axis - 3
    upper = BLOCK.a if axis < 3 else BLOCK.b
    lower = BLOCK.c if axis < 3 else BLOCK.d
    return (
        (inertia[k, upper + j], inertia[k, upper + 3 + j], inertia[k, upper + 6 + j]),
        (inertia[k, lower + j], inertia[k, lower + 3 + j], inertia[k, lower + 6 + j]),
    )


@compiled(inline=True)
def row_of(inertia, k, axis):
    """e_axis^T M of frame k."""
    j = 3 * axis if axis < 3 else 3 * (axis - 3)
    left = BLOCK.a if axis < 3 else BLOCK.c
    right = BLOCK.b if axis < 3 else BLOCK.d
    return load3(inertia, k, left + j), load3(inertia, k, right + j)


@compiled(called=True)
def recursive_velocity(frames, imposed, contacts, frame_work, x, tau):
    """x of the linear problem; imposed entries of x are given, their impulses come out in ``tau``.

    ``frame_work`` has the poses of the frames in their parents, and comes to hold the twists.
    """
    robot = contacts.robot
    for k in range(frames.shape[0]):
        begin_frame(frames, robot.constants, k, robot.inertia, robot.bias)
    for i in range(contacts.closed):
        if not responds(contacts, i):  # open
            continue
        if contacts.scales[i, 3] > 0.0 or contacts.scales[i, 4] > 0.0:
            add_turning_contact(contacts, i)
        else:
            add_point_contact(contacts, i)
    for i in range(x.shape[0]):
        tau[i] = contacts.rhs[i]
    inward(frames, imposed, robot, frame_work, x, tau)
    outward(frames, imposed, robot, frame_work, x, tau)


@compiled(inline=True)
def inward(frames, imposed, robot, frame_work, x, tau):
    """Tips to reference body: every free direction is eliminated, an imposed one is not."""
    constants = robot.constants
    inertia = robot.inertia
    bias = robot.bias
    mixed = imposed.shape[0] > 0
    for k in range(frames.shape[0] - 1, -1, -1):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        for j in range(frames[k, COUNT_V] - 1, -1, -1):
            axis = 5 if code == REVOLUTE else axis_of(code, j)
            ux, uw = column_of(inertia, k, axis)
            vx, vw = row_of(inertia, k, axis)
            if code == HELICAL:
                px, pw = column_of(inertia, k, 2)
                ux = add(ux, scale(constants[k, PITCH], px))
                uw = add(uw, scale(constants[k, PITCH], pw))
                px, pw = row_of(inertia, k, 2)
                vx = add(vx, scale(constants[k, PITCH], px))
                vw = add(vw, scale(constants[k, PITCH], pw))
            store3(robot.direction_row, i + j, 0, vx)
            store3(robot.direction_row, i + j, 3, vw)
            along = joint_force(code, constants, k, j, load3(bias, k, 0), load3(bias, k, 3))
            if mixed and imposed[i + j] != 0:
                robot.direction_force[i + j] = along
                us = x[i + j]
            else:
                s = 1.0 / (joint_force(code, constants, k, j, ux, uw) + constants[k, ARMATURE + j])
                u = tau[i + j] - along
                robot.direction_inverse[i + j] = s
                robot.direction_force[i + j] = u
                us = u * s
                if parent < 0 and j == 0:
                    continue
                decrease_outer(inertia, k, BLOCK.a, s, ux, vx)
                decrease_outer(inertia, k, BLOCK.b, s, ux, vw)
                decrease_outer(inertia, k, BLOCK.c, s, uw, vx)
                decrease_outer(inertia, k, BLOCK.d, s, uw, vw)
            increase3(bias, k, 0, scale(us, ux))
            increase3(bias, k, 3, scale(us, uw))
        if parent < 0:
            continue
        r = load9(frame_work, k, WORK.rotation)
        p = load3(frame_work, k, WORK.position)
        f, n = to_parent(r, p, load3(bias, k, 0), load3(bias, k, 3))
        increase3(bias, parent, 0, f)
        increase3(bias, parent, 3, n)
        add_moved(
            inertia, parent, r, p, load9(inertia, k, BLOCK.a), load9(inertia, k, BLOCK.b), load9(inertia, k, BLOCK.c),
            load9(inertia, k, BLOCK.d),
        )  # fmt: skip


@compiled(inline=True)
def outward(frames, imposed, robot, frame_work, x, tau):
    """Velocities of free coordinates, impulses of imposed ones, twists of the frames."""
    constants = robot.constants
    mixed = imposed.shape[0] > 0
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        u = (0.0, 0.0, 0.0)
        w = (0.0, 0.0, 0.0)
        if parent >= 0:
            u, w = to_child(
                load9(frame_work, k, WORK.rotation),
                load3(frame_work, k, WORK.position),
                load3(frame_work, parent, WORK.twist),
                load3(frame_work, parent, WORK.twist + 3),
            )
        for j in range(frames[k, COUNT_V]):
            vx = load3(robot.direction_row, i + j, 0)
            vw = load3(robot.direction_row, i + j, 3)
            if not (mixed and imposed[i + j] != 0):
                x[i + j] = (robot.direction_force[i + j] - dot(vx, u) - dot(vw, w)) * robot.direction_inverse[i + j]
            u, w = accelerated(axis_of(code, j), x[i + j], u, w)
            if code == HELICAL:
                u = (u[0], u[1], u[2] + constants[k, PITCH] * x[i + j])
            if mixed and imposed[i + j] != 0:
                tau[i + j] = dot(vx, u) + dot(vw, w) + robot.direction_force[i + j] + constants[k, ARMATURE + j] * x[i + j]
        store3(frame_work, k, WORK.twist, u)
        store3(frame_work, k, WORK.twist + 3, w)
