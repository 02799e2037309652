"""Articulated inertias as four 3 x 3 blocks, M = [[A, B], [C, D]] on (linear; angular), 9 values each, row by row.

They need no symmetry: the column M S and the row S^T M of a direction S are kept apart.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, load3, scale, store3, transform_general
from locodyn.record import record
from locodyn.robot.layout import ARMATURE, HELICAL, PITCH
from locodyn.shape.joint import joint_force

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


@compiled(inline=True)
def decrease_inertia(inertia, k, s, ux, uw, vx, vw):
    """M -= s (ux; uw) (vx; vw)^T."""
    decrease_outer(inertia, k, BLOCK.a, s, ux, vx)
    decrease_outer(inertia, k, BLOCK.b, s, ux, vw)
    decrease_outer(inertia, k, BLOCK.c, s, uw, vx)
    decrease_outer(inertia, k, BLOCK.d, s, uw, vw)


@compiled(inline=True)
def along_direction(robot, code, k, axis):
    """Column M S and row S^T M of frame k for the direction S of its joint along ``axis``."""
    ux, uw = column_of(robot.inertia, k, axis)
    vx, vw = row_of(robot.inertia, k, axis)
    if code == HELICAL:
        px, pw = column_of(robot.inertia, k, 2)
        ux = add(ux, scale(robot.constants[k, PITCH], px))
        uw = add(uw, scale(robot.constants[k, PITCH], pw))
        px, pw = row_of(robot.inertia, k, 2)
        vx = add(vx, scale(robot.constants[k, PITCH], px))
        vw = add(vw, scale(robot.constants[k, PITCH], pw))
    return ux, uw, vx, vw


@compiled(inline=True)
def begin_direction(robot, code, k, i, j, held, column, row, x, tau):
    """Keep the row of direction j of frame k, coordinate i, and its force; returns 1 / (S^T M S + armature), and its velocity.

    The velocity is that at rest of all else; ``held``: the coordinate is imposed, its velocity given and its inverse 0.
    """
    store3(robot.direction_row, i, 0, row[0])
    store3(robot.direction_row, i, 3, row[1])
    along = joint_force(code, robot.constants, k, j, load3(robot.bias, k, 0), load3(robot.bias, k, 3))
    if held:
        robot.direction_force[i] = along
        return 0.0, x[i]
    s = 1.0 / (joint_force(code, robot.constants, k, j, column[0], column[1]) + robot.constants[k, ARMATURE + j])
    u = tau[i] - along
    robot.direction_inverse[i] = s
    robot.direction_force[i] = u
    return s, u * s
