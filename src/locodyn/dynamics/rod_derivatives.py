"""Rods in the derivatives of inverse dynamics (:mod:`locodyn.dynamics.inverse_dynamics_derivatives`).

The columns X of the modes of a rod grow from slice to slice, X_k = X_(k-1) + S_k, and so do their time derivatives. With the
inertia M_k and the block B_k of the slice (and of what is attached to it) and the wrench f_k that the part beyond exerts, in
fixed axes,

    d tau_i / d q_j = sum_k X_ki^T (M_k Y_kj + 2 B_k X'_kj) + X_(k-1)i^T (S_kj x* f_k) + W_k^T d s_ki / d q_j
    d tau_i / d v_j = sum_k X_ki^T (2 M_k X'_kj + 2 B_k X_kj),      d tau_i / d a_j = sum_k X_ki^T M_k X_kj,

Y = X'' with gravity as in the acceleration of the frames. The last term is local: the wrench W_k in the slice times the second
derivative of its pose, by the derivative of the tangent map T. It is in :mod:`locodyn.dynamics.rod_curvature`.
For a coordinate of a strain field, a strain function is dF/dy, which moves itself.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import momentum
from locodyn.kernel import lit, portable
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    rotate,
    rotate_back,
    scale,
    store3,
    subtract,
)
from locodyn.lie.matrices import matrix_sum
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import (
    jacobian_derivative_from,
    jacobian_from,
    jacobian_second_derivative_from,
)
from locodyn.lie.third_derivative import jacobian_third_derivative_from
from locodyn.record import record
from locodyn.robot.layout import COUNT_V, FIRST_COLUMN, FIRST_Q, FIRST_V, PARENT, ROOT, SLICE
from locodyn.shape.columns import (
    add_before,
    blocks_times,
    exponent_column_rates,
    exponent_columns,
    exponent_mixed,
    first_mode,
    spread,
    to_axes,
)
from locodyn.shape.field import field_direction_motions, has_fields
from locodyn.shape.rod import (
    bracket,
    exponent,
    exponent_acceleration,
    exponent_rate,
    strain_motions,
)

# Workspace of a frame, all in F0.
WORK = record(rotation=9, position=3, twist=6, rate=6, mass=1, moment=3, inertia=6, linear_momentum=3, block_g=9, wrench=6)
# Workspace of a coordinate, all in F0: Phi, Psi', Psi'', Psi' + Phi'.
DOF_WORK = record(phi=6, psi1=6, psi2=6, sum=6)
# Of the modes of rods: sums over the slices of what the derivatives by q, v and a need, and of B^T X.
ROD_DOF_WORK = record(DOF_WORK, by_q=6, by_v=6, by_a=6, turned=3)


@portable(late=())
def slice_derivative_columns(frames, constants, k, q, v, a, work, dof_work):
    """X, X' and Y of the modes at slice k, from its pose, twist and acceleration in ``work``."""
    moving, rates, seconds = strain_motions(constants, k, q, frames[k, FIRST_Q], v, a, frames[k, FIRST_V])
    v1, w1, v2, w2 = moving
    dv1, dw1, dv2, dw2 = rates
    ev1, ew1, ev2, ew2 = seconds
    h = constants[k, SLICE.length]
    two = lit(q[0], 2.0)
    rho, theta = exponent(h, v1, w1, v2, w2)
    drho, dtheta = exponent_rate(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2)
    erho, etheta = exponent_acceleration(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2, ev1, ew1, ev2, ew2)
    # T and its two time derivatives, as block pairs.
    c = stumpff(dot(theta, theta))
    d = jacobian_from(c, theta)
    u = jacobian_derivative_from(c, theta, rho)
    dd = jacobian_derivative_from(c, theta, dtheta)
    du = matrix_sum(jacobian_second_derivative_from(c, theta, rho, dtheta), jacobian_derivative_from(c, theta, drho))
    ed = matrix_sum(jacobian_second_derivative_from(c, theta, dtheta, dtheta), jacobian_derivative_from(c, theta, etheta))
    eu = matrix_sum(jacobian_third_derivative_from(c, theta, rho, dtheta), jacobian_second_derivative_from(c, theta, rho, etheta))
    eu = matrix_sum(eu, jacobian_derivative_from(c, theta, erho))
    eu = matrix_sum(eu, jacobian_second_derivative_from(c, theta, drho, scale(two, dtheta)))
    row = frames[k, FIRST_COLUMN]
    for s in range(6):
        if first_mode(constants, k, s) < int(constants[k, SLICE.strain_end + s]):
            x1, y1, x2, y2 = exponent_columns(h, v1, w1, v2, w2, s)
            a1, b1, a2, b2 = exponent_column_rates(h, dv1, dw1, dv2, dw2, s)
            c1, d1, c2, d2 = exponent_column_rates(h, ev1, ew1, ev2, ew2, s)
            x1, y1, a1, b1, c1, d1 = column_jet(work, k, d, u, dd, du, ed, eu, x1, y1, a1, b1, c1, d1)
            x2, y2, a2, b2, c2, d2 = column_jet(work, k, d, u, dd, du, ed, eu, x2, y2, a2, b2, c2, d2)
            spread(constants, k, s, x1, y1, x2, y2, row, DOF_WORK.phi, dof_work)
            spread(constants, k, s, a1, b1, a2, b2, row, DOF_WORK.psi1, dof_work)
            spread(constants, k, s, c1, d1, c2, d2, row, DOF_WORK.psi2, dof_work)
    if has_fields(constants, k):
        for s in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
            one, one_rate, one_second = field_direction_motions(constants, k, q, frames[k, FIRST_Q], v, a, frames[k, FIRST_V], s)
            x1, y1 = exponent_rate(h, v1, w1, v2, w2, one[0], one[1], one[2], one[3])
            a1, b1 = exponent_rate(h, v1, w1, v2, w2, one_rate[0], one_rate[1], one_rate[2], one_rate[3])
            x2, y2 = exponent_mixed(h, one, rates)
            a1 = add(a1, x2)
            b1 = add(b1, y2)
            c1, d1 = exponent_rate(h, v1, w1, v2, w2, one_second[0], one_second[1], one_second[2], one_second[3])
            x2, y2 = exponent_mixed(h, one_rate, rates)
            a2, b2 = exponent_mixed(h, one, seconds)
            c1 = add(c1, add(scale(two, x2), a2))
            d1 = add(d1, add(scale(two, y2), b2))
            x1, y1, a1, b1, c1, d1 = column_jet(work, k, d, u, dd, du, ed, eu, x1, y1, a1, b1, c1, d1)
            store3(dof_work, row + s, DOF_WORK.phi, x1)
            store3(dof_work, row + s, DOF_WORK.phi + 3, y1)
            store3(dof_work, row + s, DOF_WORK.psi1, a1)
            store3(dof_work, row + s, DOF_WORK.psi1 + 3, b1)
            store3(dof_work, row + s, DOF_WORK.psi2, c1)
            store3(dof_work, row + s, DOF_WORK.psi2 + 3, d1)
    add_before(frames, k, DOF_WORK.phi, dof_work)
    add_before(frames, k, DOF_WORK.psi1, dof_work)
    add_before(frames, k, DOF_WORK.psi2, dof_work)
    for j in range(row, row + frames[k, COUNT_V]):
        for m in range(6):
            dof_work[j, DOF_WORK.sum + m] = two * dof_work[j, DOF_WORK.psi1 + m]


@portable
def column_jet(work, k, d, u, dd, du, ed, eu, x, w, dx, dw, ex, ew):
    """S, S' and S'' (gravity included) in F0 from the column y = (x; w) of Omega and its time derivatives.

    With s = T y and V, A the twist and acceleration of the frame: S = Ad s, S' = Ad s' + ad(V) S,
    S'' = Ad s'' + 2 ad(V) Ad s' + ad(A) S + ad(V) ad(V) S.
    """
    r = load9(work, k, WORK.rotation)
    p = load3(work, k, WORK.position)
    vx = load3(work, k, WORK.twist)
    vw = load3(work, k, WORK.twist + 3)
    ax = load3(work, k, WORK.rate)
    aw = load3(work, k, WORK.rate + 3)
    two = lit(x[0], 2.0)
    sx, sw = blocks_times(d, u, x, w)
    t1, t2 = blocks_times(d, u, dx, dw)
    t3, t4 = blocks_times(dd, du, x, w)
    dsx = add(t1, t3)
    dsw = add(t2, t4)
    t1, t2 = blocks_times(d, u, ex, ew)
    t3, t4 = blocks_times(dd, du, scale(two, dx), scale(two, dw))
    t5, t6 = blocks_times(ed, eu, x, w)
    esx = add(t1, add(t3, t5))
    esw = add(t2, add(t4, t6))
    sx, sw = to_axes(r, p, sx, sw)
    dsx, dsw = to_axes(r, p, dsx, dsw)
    esx, esw = to_axes(r, p, esx, esw)
    bx, bw = bracket(vx, vw, sx, sw)
    # ad(V) (2 Ad s' + ad(V) S)
    t1, t2 = bracket(vx, vw, add(scale(two, dsx), bx), add(scale(two, dsw), bw))
    t3, t4 = bracket(ax, aw, sx, sw)
    return sx, sw, add(dsx, bx), add(dsw, bw), add(esx, add(t1, t3)), add(esw, add(t2, t4))


@portable(inline=True)
def go_on_with_sum(dof_work, row, last, column, x):
    """The sum over slices in ``column``: that of the slice before, in the row ``last`` (-1: none), and x."""
    if last >= 0:
        x = add(x, load3(dof_work, last, column))
    store3(dof_work, row, column, x)


@portable(late=())
def slice_pairs(frames, constants, work, dof_work, k, by_q, by_v, by_a):
    """Add the part of slice k to the rows and columns of its rod, and go on with the sums for the joints that carry it."""
    m = work[k, WORK.mass]
    h = load3(work, k, WORK.moment)
    inertia = load6(work, k, WORK.inertia)
    f = load3(work, k, WORK.wrench)
    c = load3(work, k, WORK.wrench + 3)
    p = load3(work, k, WORK.linear_momentum)
    g = load9(work, k, WORK.block_g)
    two = lit(m, 2.0)
    first = frames[k, FIRST_V]
    row = frames[k, FIRST_COLUMN]
    count = frames[k, COUNT_V]
    begins = frames[k, PARENT] == frames[k, ROOT]
    before = frames[frames[k, PARENT], FIRST_COLUMN]
    for j in range(count):
        x = load3(dof_work, row + j, DOF_WORK.phi)
        w = load3(dof_work, row + j, DOF_WORK.phi + 3)
        px, pw = momentum(m, h, inertia, x, w)
        turned = scale(two, add(cross(p, x), rotate_back(g, w)))
        # By v: M 2 X' + 2 B X.
        cx, cw = momentum(m, h, inertia, load3(dof_work, row + j, DOF_WORK.sum), load3(dof_work, row + j, DOF_WORK.sum + 3))
        t = scale(two, w)
        cx = subtract(cx, cross(p, t))
        cw = add(cw, rotate(g, t))
        # By q: M Y + 2 B X'.
        qx, qw = momentum(m, h, inertia, load3(dof_work, row + j, DOF_WORK.psi2), load3(dof_work, row + j, DOF_WORK.psi2 + 3))
        t = scale(two, load3(dof_work, row + j, DOF_WORK.psi1 + 3))
        qx = subtract(qx, cross(p, t))
        qw = add(qw, rotate(g, t))
        # S x* f, along the columns of the slice before.
        if not begins:
            x = subtract(x, load3(dof_work, before + j, DOF_WORK.phi))
            w = subtract(w, load3(dof_work, before + j, DOF_WORK.phi + 3))
        gx = cross(w, f)
        gw = add(cross(w, c), cross(x, f))
        for i in range(count):
            ix = load3(dof_work, row + i, DOF_WORK.phi)
            iw = load3(dof_work, row + i, DOF_WORK.phi + 3)
            by_a[first + i, first + j] = by_a[first + i, first + j] + (dot(ix, px) + dot(iw, pw))
            by_v[first + i, first + j] = by_v[first + i, first + j] + (dot(ix, cx) + dot(iw, cw))
            entry = dot(ix, qx) + dot(iw, qw)
            if not begins:
                entry = (
                    entry
                    + dot(load3(dof_work, before + i, DOF_WORK.phi), gx)
                    + dot(load3(dof_work, before + i, DOF_WORK.phi + 3), gw)
                )
            by_q[first + i, first + j] = by_q[first + i, first + j] + entry
        here, last = row + j, -1 if begins else before + j
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_q, add(qx, gx))
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_q + 3, add(qw, gw))
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_v, cx)
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_v + 3, cw)
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_a, px)
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.by_a + 3, pw)
        go_on_with_sum(dof_work, here, last, ROD_DOF_WORK.turned, turned)


@portable(late=())
def rod_and_carriers(frames, dof_work, k, by_q, by_v, by_a):
    """Rows and columns between the modes of a rod, whose last slice is k, and the coordinates of the joints that carry it."""
    first = frames[k, FIRST_V]
    row = frames[k, FIRST_COLUMN]
    for i in range(frames[k, COUNT_V]):
        ri = row + i
        c = frames[k, ROOT]
        while c >= 0:
            for j in range(frames[c, COUNT_V]):
                rj = frames[c, FIRST_COLUMN] + j
                other = frames[c, FIRST_V] + j
                entry = pair_dot(dof_work, ri, ROD_DOF_WORK.by_a, rj, DOF_WORK.phi)
                by_a[first + i, other] = entry
                by_a[other, first + i] = entry
                b = load3(dof_work, ri, ROD_DOF_WORK.turned)
                by_q[first + i, other] = dot(b, load3(dof_work, rj, DOF_WORK.psi1 + 3)) + pair_dot(
                    dof_work, ri, ROD_DOF_WORK.by_a, rj, DOF_WORK.psi2
                )
                by_v[first + i, other] = dot(b, load3(dof_work, rj, DOF_WORK.phi + 3)) + pair_dot(
                    dof_work, ri, ROD_DOF_WORK.by_a, rj, DOF_WORK.sum
                )
                by_q[other, first + i] = pair_dot(dof_work, ri, ROD_DOF_WORK.by_q, rj, DOF_WORK.phi)
                by_v[other, first + i] = pair_dot(dof_work, ri, ROD_DOF_WORK.by_v, rj, DOF_WORK.phi)
            c = frames[c, ROOT]


@portable(inline=True)
def pair_dot(dof_work, i, one, j, two):
    """Product of two vectors (6,) of the workspace of coordinates."""
    return dot(load3(dof_work, i, one), load3(dof_work, j, two)) + dot(load3(dof_work, i, one + 3), load3(dof_work, j, two + 3))
