"""Columns of all coordinates in fixed axes: the twist of every frame for a unit rate of each coordinate that moves it.

Written in the axes and about the origin in which the poses are given (those of F0 or of the world), the column of a coordinate is
the same for every frame that its joint carries, and along a rod it grows by a sum: X_k = X_(k-1) + S_k, with
S_k = Ad(g_k) T(Omega) (D1 phi1 + D2 phi2) for slice k. No transport is needed. For a coordinate y of a field, phi is dF/dy.

Frame k owns the rows FIRST_COLUMN ... of the array of columns, one for each of its coordinates. The frames that carry k, and
their columns, are found along ROOT: k, ROOT of k, ROOT of that, ...
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate, scale, store3, subtract
from locodyn.lie.matrices import matrix_sum
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import jacobian_derivative_from, jacobian_from, jacobian_second_derivative_from
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_AXIS,
    FIRST_COLUMN,
    FIRST_Q,
    FIRST_V,
    LINEAR,
    PARENT,
    ROD,
    ROOT,
    SLICE,
)
from locodyn.shape.field import field_direction, field_direction_motions, has_fields
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST
from locodyn.shape.rod import COMMUTATOR, bracket, exponent, exponent_rate, strains, strains_and_rates

# Columns of the array of columns: X, and (second half) its time derivative or a momentum.
COLUMN, RATE = 0, 6
COLUMNS = 12


@portable(inline=True)
def unit(like, c):
    """Unit strain c: (linear, angular)."""
    o = lit(like, 0.0)
    e = lit(like, 1.0)
    return (
        (e if c == 0 else o, e if c == 1 else o, e if c == 2 else o),
        (e if c == 3 else o, e if c == 4 else o, e if c == 5 else o),
    )


@portable(inline=True)
def exponent_columns(h, v1, w1, v2, w2, c):
    """D1 e_c and D2 e_c: rates of Omega for unit rates of strain c at the two points."""
    ev, ew = unit(v1[0], c)
    half = lit(v1[0], 0.5) * h
    s = lit(v1[0], COMMUTATOR) * h * h
    av, aw = bracket(ev, ew, v2, w2)
    bv, bw = bracket(v1, w1, ev, ew)
    ev = scale(half, ev)
    ew = scale(half, ew)
    return add(ev, scale(s, av)), add(ew, scale(s, aw)), add(ev, scale(s, bv)), add(ew, scale(s, bw))


@portable(inline=True)
def exponent_column_rates(h, dv1, dw1, dv2, dw2, c):
    """Time derivatives of :func:`exponent_columns` for the rates of the strains."""
    ev, ew = unit(dv1[0], c)
    s = lit(dv1[0], COMMUTATOR) * h * h
    av, aw = bracket(ev, ew, dv2, dw2)
    bv, bw = bracket(dv1, dw1, ev, ew)
    return scale(s, av), scale(s, aw), scale(s, bv), scale(s, bw)


@portable(inline=True)
def exponent_mixed(h, one, other):
    """D1, D2 changed along the strains ``other``, times the strains ``one``: [one1, other2] + [other1, one2], times its factor.

    Strains at both points each. It is what the rates of strains add to the time derivative of D1 one1 + D2 one2.
    """
    s = lit(one[0][0], COMMUTATOR) * h * h
    av, aw = bracket(one[0], one[1], other[2], other[3])
    bv, bw = bracket(other[0], other[1], one[2], one[3])
    return scale(s, add(av, bv)), scale(s, add(aw, bw))


@portable(inline=True)
def blocks_times(d, u, x, w):
    """[[d, u], [0, d]] (x; w)."""
    return add(rotate(d, x), rotate(u, w)), rotate(d, w)


@portable(inline=True)
def to_axes(r, p, x, w):
    """Ad(g) (x; w), g = (R, p)."""
    w = rotate(r, w)
    return add(rotate(r, x), cross(p, w)), w


@portable(inline=True)
def first_mode(constants, k, c):
    """Number of the first mode of strain c."""
    return int(constants[k, SLICE.strain_end + c - 1]) if c > 0 else 0


@portable(inline=True)
def spread(constants, k, c, x1, w1, x2, w2, row, column, columns):
    """Set the part ``column`` of the rows of the modes of strain c to phi1 (x1; w1) + phi2 (x2; w2)."""
    for j in range(first_mode(constants, k, c), int(constants[k, SLICE.strain_end + c])):
        one = constants[k, SLICE.modes + 2 * j]
        two = constants[k, SLICE.modes + 2 * j + 1]
        store3(columns, row + j, column, add(scale(one, x1), scale(two, x2)))
        store3(columns, row + j, column + 3, add(scale(one, w1), scale(two, w2)))


@portable(late=())
def slice_columns(frames, constants, k, q, poses, columns):
    """X of the modes at slice k."""
    v1, w1, v2, w2 = strains(constants, k, q, frames[k, FIRST_Q])
    h = constants[k, SLICE.length]
    rho, theta = exponent(h, v1, w1, v2, w2)
    s = stumpff(dot(theta, theta))
    d = jacobian_from(s, theta)
    u = jacobian_derivative_from(s, theta, rho)
    r = load9(poses, k, ROTATION)
    p = load3(poses, k, POSITION)
    row = frames[k, FIRST_COLUMN]
    for c in range(6):
        if first_mode(constants, k, c) < int(constants[k, SLICE.strain_end + c]):
            x1, y1, x2, y2 = exponent_columns(h, v1, w1, v2, w2, c)
            x1, y1 = blocks_times(d, u, x1, y1)
            x2, y2 = blocks_times(d, u, x2, y2)
            x1, y1 = to_axes(r, p, x1, y1)
            x2, y2 = to_axes(r, p, x2, y2)
            spread(constants, k, c, x1, y1, x2, y2, row, COLUMN, columns)
    if has_fields(constants, k):
        for c in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
            e1, f1, e2, f2 = field_direction(constants, k, q, frames[k, FIRST_Q], c)
            x, y = exponent_rate(h, v1, w1, v2, w2, e1, f1, e2, f2)
            x, y = blocks_times(d, u, x, y)
            x, y = to_axes(r, p, x, y)
            store3(columns, row + c, COLUMN, x)
            store3(columns, row + c, COLUMN + 3, y)
    add_before(frames, k, COLUMN, columns)


@portable(inline=True)
def add_before(frames, k, column, columns):
    """Add what the slices before k contribute to its columns."""
    if frames[k, PARENT] != frames[k, ROOT]:
        row = frames[k, FIRST_COLUMN]
        before = frames[frames[k, PARENT], FIRST_COLUMN]
        for j in range(frames[k, COUNT_V]):
            for m in range(column, column + 6):
                columns[row + j, m] = columns[row + j, m] + columns[before + j, m]


@portable(late=())
def frame_columns(frames, constants, dofs, dof_constants, q, poses, columns):
    """X of all frames: ``columns`` (number of columns, COLUMNS), its first half."""
    for k in range(frames.shape[0]):
        if frames[k, CODE] == ROD:
            slice_columns(frames, constants, k, q, poses, columns)
        else:
            p = load3(poses, k, POSITION)
            for j in range(frames[k, COUNT_V]):
                i = frames[k, FIRST_V] + j
                e = axis_vector(poses, k, dofs[i, DOF_AXIS])
                turn = scale(dof_constants[i, ANGULAR], e)
                store3(columns, frames[k, FIRST_COLUMN] + j, COLUMN, add(scale(dof_constants[i, LINEAR], e), cross(p, turn)))
                store3(columns, frames[k, FIRST_COLUMN] + j, COLUMN + 3, turn)


@portable(late=())
def slice_column_rates(frames, constants, k, q, v, poses, motions, columns):
    """dX/dt of the modes at slice k: Ad(g) (ds/dt + ad(eta) s)."""
    moving, rates = strains_and_rates(constants, k, q, frames[k, FIRST_Q], v, frames[k, FIRST_V])
    v1, w1, v2, w2 = moving
    dv1, dw1, dv2, dw2 = rates
    h = constants[k, SLICE.length]
    rho, theta = exponent(h, v1, w1, v2, w2)
    drho, dtheta = exponent_rate(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2)
    s = stumpff(dot(theta, theta))
    d = jacobian_from(s, theta)
    u = jacobian_derivative_from(s, theta, rho)
    dd = jacobian_derivative_from(s, theta, dtheta)
    du = matrix_sum(jacobian_second_derivative_from(s, theta, rho, dtheta), jacobian_derivative_from(s, theta, drho))
    r = load9(poses, k, ROTATION)
    p = load3(poses, k, POSITION)
    ex = load3(motions, k, TWIST)
    ew = load3(motions, k, TWIST + 3)
    for c in range(6):
        if first_mode(constants, k, c) < int(constants[k, SLICE.strain_end + c]):
            x1, y1, x2, y2 = exponent_columns(h, v1, w1, v2, w2, c)
            a1, b1, a2, b2 = exponent_column_rates(h, dv1, dw1, dv2, dw2, c)
            x1, y1 = column_rate(d, u, dd, du, ex, ew, x1, y1, a1, b1)
            x2, y2 = column_rate(d, u, dd, du, ex, ew, x2, y2, a2, b2)
            x1, y1 = to_axes(r, p, x1, y1)
            x2, y2 = to_axes(r, p, x2, y2)
            spread(constants, k, c, x1, y1, x2, y2, frames[k, FIRST_COLUMN], RATE, columns)
    if has_fields(constants, k):
        for c in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
            one, second, _ = field_direction_motions(constants, k, q, frames[k, FIRST_Q], v, v, frames[k, FIRST_V], c)
            x, y = exponent_rate(h, v1, w1, v2, w2, one[0], one[1], one[2], one[3])
            a, b = exponent_rate(h, v1, w1, v2, w2, second[0], second[1], second[2], second[3])
            ax, aw = exponent_mixed(h, one, rates)
            x, y = column_rate(d, u, dd, du, ex, ew, x, y, add(a, ax), add(b, aw))
            x, y = to_axes(r, p, x, y)
            store3(columns, frames[k, FIRST_COLUMN] + c, RATE, x)
            store3(columns, frames[k, FIRST_COLUMN] + c, RATE + 3, y)
    add_before(frames, k, RATE, columns)


@portable(inline=True)
def column_rate(d, u, dd, du, ex, ew, x, w, dx, dw):
    """ds/dt + ad(eta) s for s = T y: T dy + dT y + ad(eta) T y, y = (x; w), eta = (ex; ew)."""
    sx, sw = blocks_times(d, u, x, w)
    ax, aw = blocks_times(d, u, dx, dw)
    bx, bw = blocks_times(dd, du, x, w)
    cx, cw = bracket(ex, ew, sx, sw)
    return add(ax, add(bx, cx)), add(aw, add(bw, cw))


@portable
def jacobian_from_columns(frames, constants, dofs, dof_constants, q, v, poses, motions, k, columns, jacobian, rate):
    """:func:`~locodyn.shape.jacobian.frame_jacobian` for robots with rods, from the columns X and dX/dt.

    J = Ad(g_k^-1) X and dJ/dt = Ad(g_k^-1) (dX/dt - ad(V_k) X), V_k the twist of frame k in the fixed axes.
    """
    frame_columns(frames, constants, dofs, dof_constants, q, poses, columns)
    for i in range(jacobian.shape[0]):
        for j in range(6):
            jacobian[i, j] = lit(poses[0, 0], 0.0)
            rate[i, j] = lit(poses[0, 0], 0.0)
    for c in range(frames.shape[0]):
        if frames[c, CODE] == ROD:
            slice_column_rates(frames, constants, c, q, v, poses, motions, columns)
        else:  # dX/dt = ad(V_c) X
            tx, tw = twist_in_axes(poses, motions, c)
            for row in range(frames[c, FIRST_COLUMN], frames[c, FIRST_COLUMN] + frames[c, COUNT_V]):
                x, w = bracket(tx, tw, load3(columns, row, COLUMN), load3(columns, row, COLUMN + 3))
                store3(columns, row, RATE, x)
                store3(columns, row, RATE + 3, w)
    r = load9(poses, k, ROTATION)
    p = load3(poses, k, POSITION)
    tx, tw = twist_in_axes(poses, motions, k)
    c = k
    while c >= 0:
        for j in range(frames[c, COUNT_V]):
            row = frames[c, FIRST_COLUMN] + j
            x = load3(columns, row, COLUMN)
            w = load3(columns, row, COLUMN + 3)
            bx, bw = bracket(tx, tw, x, w)
            store_in_frame(r, p, x, w, jacobian, frames[c, FIRST_V] + j)
            dx = subtract(load3(columns, row, RATE), bx)
            dw = subtract(load3(columns, row, RATE + 3), bw)
            store_in_frame(r, p, dx, dw, rate, frames[c, FIRST_V] + j)
        c = frames[c, ROOT]


@portable(inline=True)
def twist_in_axes(poses, motions, k):
    """Twist of frame k in the axes and about the origin of the poses."""
    return to_axes(load9(poses, k, ROTATION), load3(poses, k, POSITION), load3(motions, k, TWIST), load3(motions, k, TWIST + 3))


@portable(inline=True)
def store_in_frame(r, p, x, w, result, i):
    """result[i] = Ad(g^-1) (x; w), g = (R, p)."""
    x = add(x, cross(w, p))
    for m in range(3):
        result[i, m] = r[m] * x[0] + r[3 + m] * x[1] + r[6 + m] * x[2]
        result[i, 3 + m] = r[m] * w[0] + r[3 + m] * w[1] + r[6 + m] * w[2]
