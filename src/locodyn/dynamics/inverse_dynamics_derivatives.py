"""Derivatives of inverse dynamics with respect to position, velocity and acceleration, in one pass over pairs (i, ancestor j).

Singh, Russell and Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra", IEEE RA-L
7 (2022),
for joints whose motion subspace is constant in their frame; rods join in by :mod:`locodyn.dynamics.rod_derivatives`.
All vectors are written in F0: its axes, its origin.

With Phi_i the axis of coordinate i, v and a the twist and the acceleration (gravity included) of the frame that carries it,

    Psi_i' = v x Phi_i,   Psi_i'' = a x Phi_i + v x Psi_i',   Phi_i' = v_k x Phi_i   (k: the frame that i moves)

and, for the composite body that i carries, its inertia M, its wrench f and B(M, v) with two nonzero blocks only,

    B = [[0, -hat p], [0, G]],   p = linear momentum,   G = 1/2 (hat w I - I hat w - hat v hat h - hat h hat v - hat L),

    d tau_i / d q_j  = 2 Phi_i^T B Psi_j' + Phi_i^T M Psi_j''                       (j carries i, or j = i)
    d tau_j / d q_i  = Phi_j^T (2 B Psi_i' + M Psi_i'' + Phi_i x* f)                (j strictly before i)
    d tau_i / d v_j  = 2 Phi_i^T B Phi_j + Phi_i^T M (Psi_j' + Phi_j')
    d tau_j / d v_i  = Phi_j^T (2 B Phi_i + M (Psi_i' + Phi_i')).

Derivatives with respect to q are along the velocities of the joint: tau(q (+) d e_j) to first order in d.
"""

from __future__ import annotations

from locodyn.dynamics.added_mass import add_fluid_derivatives, fluid_wrench_in_axes
from locodyn.dynamics.inertia import load_inertia, momentum
from locodyn.dynamics.mass_matrix import moves_fluid, shifted
from locodyn.dynamics.rod_curvature import slice_curvature
from locodyn.dynamics.rod_derivatives import DOF_WORK, ROD_DOF_WORK, WORK, rod_and_carriers, slice_derivative_columns, slice_pairs
from locodyn.kernel import lit, portable
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
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
    transform_symmetric,
)
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_ARMATURE,
    DOF_AXIS,
    FIRST_COLUMN,
    FIRST_Q,
    FIRST_V,
    FLUID,
    LINEAR,
    PARENT,
    ROD,
    ROOT,
)
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import POSE
from locodyn.shape.rod import slice_motion

__all__ = ["DOF_WORK", "ROD_DOF_WORK", "WORK", "inverse_dynamics_derivatives"]

assert POSE == WORK.twist


@portable(inline=True)
def half_bracket(v, w, h, inertia, angular):
    """G = 1/2 (hat w I - I hat w - hat v hat h - hat h hat v - hat L), 9-tuple."""
    half = lit(v[0], 0.5)
    # hat w I - I hat w is symmetric: entries X + X^T with X = hat w I.
    x0 = w[1] * inertia[2] - w[2] * inertia[1]
    x1 = w[1] * inertia[4] - w[2] * inertia[3]
    x2 = w[1] * inertia[5] - w[2] * inertia[4]
    x3 = w[2] * inertia[0] - w[0] * inertia[2]
    x4 = w[2] * inertia[1] - w[0] * inertia[4]
    x5 = w[2] * inertia[2] - w[0] * inertia[5]
    x6 = w[0] * inertia[1] - w[1] * inertia[0]
    x7 = w[0] * inertia[3] - w[1] * inertia[1]
    x8 = w[0] * inertia[4] - w[1] * inertia[2]
    # hat v hat h + hat h hat v = h v^T + v h^T - 2 (v.h) 1.
    s = dot(v, h)
    s = s + s
    d0 = x0 + x0 - (v[0] * h[0] + v[0] * h[0]) + s
    d1 = x4 + x4 - (v[1] * h[1] + v[1] * h[1]) + s
    d2 = x8 + x8 - (v[2] * h[2] + v[2] * h[2]) + s
    e01 = x1 + x3 - (v[0] * h[1] + v[1] * h[0])
    e02 = x2 + x6 - (v[0] * h[2] + v[2] * h[0])
    e12 = x5 + x7 - (v[1] * h[2] + v[2] * h[1])
    return (
        half * d0, half * (e01 + angular[2]), half * (e02 - angular[1]),
        half * (e01 - angular[2]), half * d1, half * (e12 + angular[0]),
        half * (e02 + angular[1]), half * (e12 - angular[0]), half * d2,
    )  # fmt: skip


@portable(late=())
def inverse_dynamics_derivatives(
    frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work, by_q, by_v, by_a
):
    """d tau/dq, d tau/dv, d tau/da, each (nv, nv); the last one is the mass matrix.

    Parameters as of :func:`~locodyn.dynamics.inverse_dynamics.inverse_dynamics`; external wrenches are taken as constant in
    their frames. ``work`` (n, WORK.size), ``dof_work`` (nv, DOF_WORK.size), with rods (number of columns,
    ROD_DOF_WORK.size).
    """
    _columns(frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work)
    n = frames.shape[0]
    # Composite bodies: in one frame of reference they are plain sums.
    # The wrench on a slice of a rod is that of all beyond it; inertia goes straight to what carries the rod.
    for k in range(n - 1, 0, -1):
        parent = frames[k, ROOT]
        for j in range(WORK.mass, WORK.wrench):
            work[parent, j] = work[parent, j] + work[k, j]
        parent = frames[k, PARENT]
        for j in range(WORK.wrench, WORK.size):
            work[parent, j] = work[parent, j] + work[k, j]
    fill(by_q, lit(q[0], 0.0))
    fill(by_v, lit(q[0], 0.0))
    fill(by_a, lit(q[0], 0.0))
    for k in range(n):
        first = frames[k, FIRST_V]
        if frames[k, CODE] == ROD:
            slice_pairs(frames, constants, work, dof_work, k, by_q, by_v, by_a)
            slice_curvature(frames, constants, k, q, work, by_q)
            if k == n - 1 or frames[k + 1, CODE] != ROD or frames[k + 1, FIRST_V] != first:
                rod_and_carriers(frames, dof_work, k, by_q, by_v, by_a)
            continue
        for i in range(first, first + frames[k, COUNT_V]):
            _pairs(frames, dof_constants, work, dof_work, k, i, by_q, by_v, by_a)
    if moves_fluid(frames):
        add_fluid_derivatives(frames, constants, work, WORK.twist, dof_work, DOF_WORK.phi, by_q, by_v, by_a)


@portable
def _columns(frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work):
    """Twists, accelerations, inertias, wrenches of the frames and the columns of the coordinates, all in F0."""
    o = lit(q[0], 0.0)
    one = lit(q[0], 1.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        if code == ROD:
            r, p, sx, sw, dx, dw, _, _, _, _, _, _ = slice_motion(constants, k, q, frames[k, FIRST_Q], v, a, i)
        else:
            r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            sx, sw = joint_twist(code, constants, k, v, i)
            dx, dw = joint_twist(code, constants, k, a, i)
        if parent < 0:
            x, w, aw = (o, o, o), (o, o, o), (o, o, o)
            ax = rotate_back(r, (o - gravity[0], o - gravity[1], o - gravity[2]))
            r = (one, o, o, o, one, o, o, o, one)
            p = (o, o, o)
        else:
            x = load3(work, parent, WORK.twist)
            w = load3(work, parent, WORK.twist + 3)
            ax = load3(work, parent, WORK.rate)
            aw = load3(work, parent, WORK.rate + 3)
            rp = load9(work, parent, WORK.rotation)
            p = add(load3(work, parent, WORK.position), rotate(rp, p))
            r = multiply(rp, r)
        store9(work, k, WORK.rotation, r)
        store3(work, k, WORK.position, p)
        # Twist and acceleration of frame k: the joint's own, moved to the origin of F0.
        sw = rotate(r, sw)
        sx = add(rotate(r, sx), cross(p, sw))
        dw = rotate(r, dw)
        dx = add(rotate(r, dx), cross(p, dw))
        vx = add(x, sx)
        vw = add(w, sw)
        cx = add(ax, add(dx, add(cross(vw, sx), cross(vx, sw))))
        cw = add(aw, add(dw, cross(vw, sw)))
        store3(work, k, WORK.twist, vx)
        store3(work, k, WORK.twist + 3, vw)
        store3(work, k, WORK.rate, cx)
        store3(work, k, WORK.rate + 3, cw)
        if code == ROD:
            slice_derivative_columns(frames, constants, k, q, v, a, work, dof_work)
        else:
            _joint_columns(frames, dofs, dof_constants, k, work, x, w, ax, aw, vx, vw, dof_work)
        _inertia_and_wrench(frames, constants, k, wrenches, r, p, vx, vw, cx, cw, work)


@portable(inline=True)
def _inertia_and_wrench(frames, constants, k, wrenches, r, p, vx, vw, cx, cw, work):
    """Inertia of frame k with the pose (r, p), twist (vx; vw) and acceleration (cx; cw), the wrench that it needs, and B."""
    m, h, inertia = load_inertia(constants, k)
    h, inertia = shifted(m, rotate(r, h), transform_symmetric(r, inertia), p)
    lin, ang = momentum(m, h, inertia, vx, vw)
    f, c = momentum(m, h, inertia, cx, cw)
    f = add(f, cross(vw, lin))
    c = add(c, add(cross(vw, ang), cross(vx, lin)))
    if frames[k, FLUID] != 0:
        df, dc = fluid_wrench_in_axes(constants, k, r, p, vx, vw, cx, cw)
        f = add(f, df)
        c = add(c, dc)
    if wrenches.shape[0] > 0:
        g = rotate(r, load3(wrenches, k, 0))
        f = subtract(f, g)
        c = subtract(c, add(rotate(r, load3(wrenches, k, 3)), cross(p, g)))
    work[k, WORK.mass] = m
    store3(work, k, WORK.moment, h)
    store6(work, k, WORK.inertia, inertia)
    store3(work, k, WORK.wrench, f)
    store3(work, k, WORK.wrench + 3, c)
    store3(work, k, WORK.linear_momentum, lin)
    store9(work, k, WORK.block_g, half_bracket(vx, vw, h, inertia, ang))


@portable(inline=True)
def _joint_columns(frames, dofs, dof_constants, k, work, x, w, ax, aw, vx, vw, dof_work):
    """Columns of the coordinates of a lumped joint: (x; w), (ax; aw) move its parent, (vx; vw) is the twist of its frame k."""
    p = load3(work, k, WORK.position)
    for m in range(frames[k, COUNT_V]):
        i = frames[k, FIRST_V] + m
        j = frames[k, FIRST_COLUMN] + m
        e = axis_vector(work, k, dofs[i, DOF_AXIS])
        fw = scale(dof_constants[i, ANGULAR], e)
        fx = add(scale(dof_constants[i, LINEAR], e), cross(p, fw))
        px = add(cross(w, fx), cross(x, fw))
        pw = cross(w, fw)
        store3(dof_work, j, DOF_WORK.phi, fx)
        store3(dof_work, j, DOF_WORK.phi + 3, fw)
        store3(dof_work, j, DOF_WORK.psi1, px)
        store3(dof_work, j, DOF_WORK.psi1 + 3, pw)
        store3(dof_work, j, DOF_WORK.psi2, add(add(cross(aw, fx), cross(ax, fw)), add(cross(w, px), cross(x, pw))))
        store3(dof_work, j, DOF_WORK.psi2 + 3, add(cross(aw, fw), cross(w, pw)))
        store3(dof_work, j, DOF_WORK.sum, add(px, add(cross(vw, fx), cross(vx, fw))))
        store3(dof_work, j, DOF_WORK.sum + 3, add(pw, cross(vw, fw)))


@portable(inline=True)
def _pair_dot(dof_work, j, column, x, w):
    return dot(load3(dof_work, j, column), x) + dot(load3(dof_work, j, column + 3), w)


@portable
def _pairs(frames, dof_constants, work, dof_work, k, i, by_q, by_v, by_a):
    """Row and column i, for all coordinates j of frame k and of the frames that carry it."""
    m = work[k, WORK.mass]
    h = load3(work, k, WORK.moment)
    inertia = load6(work, k, WORK.inertia)
    f = load3(work, k, WORK.wrench)
    c = load3(work, k, WORK.wrench + 3)
    p = load3(work, k, WORK.linear_momentum)
    g = load9(work, k, WORK.block_g)
    two = lit(m, 2.0)
    shift = frames[k, FIRST_COLUMN] - frames[k, FIRST_V]  # rows of the workspace beside coordinates
    own = i + shift
    fx = load3(dof_work, own, DOF_WORK.phi)
    fw = load3(dof_work, own, DOF_WORK.phi + 3)
    # M Phi_i, and 2 Phi_i^T B = (0 ; 2 (p x Phi_lin + G^T Phi_ang)).
    mx, mw = momentum(m, h, inertia, fx, fw)
    b = scale(two, add(cross(p, fx), rotate_back(g, fw)))
    # d tau_j / d q_i = Phi_j . (2 B Psi' + M Psi'' + Phi x* f)
    pw = scale(two, load3(dof_work, own, DOF_WORK.psi1 + 3))
    qx, qw = momentum(m, h, inertia, load3(dof_work, own, DOF_WORK.psi2), load3(dof_work, own, DOF_WORK.psi2 + 3))
    qx = add(subtract(qx, cross(p, pw)), cross(fw, f))
    qw = add(add(qw, rotate(g, pw)), add(cross(fw, c), cross(fx, f)))
    # d tau_j / d v_i = Phi_j . (2 B Phi + M (Psi' + Phi'))
    vx, vw = momentum(m, h, inertia, load3(dof_work, own, DOF_WORK.sum), load3(dof_work, own, DOF_WORK.sum + 3))
    pw = scale(two, fw)
    vx = subtract(vx, cross(p, pw))
    vw = add(vw, rotate(g, pw))
    first = frames[k, FIRST_V]
    for j in range(first, first + frames[k, COUNT_V]):
        r = j + shift
        by_q[i, j] = dot(b, load3(dof_work, r, DOF_WORK.psi1 + 3)) + _pair_dot(dof_work, r, DOF_WORK.psi2, mx, mw)
        by_v[i, j] = dot(b, load3(dof_work, r, DOF_WORK.phi + 3)) + _pair_dot(dof_work, r, DOF_WORK.sum, mx, mw)
        by_a[i, j] = _pair_dot(dof_work, r, DOF_WORK.phi, mx, mw)
    by_a[i, i] = by_a[i, i] + dof_constants[i, DOF_ARMATURE]
    c2 = frames[k, ROOT]
    while c2 >= 0:
        shift = frames[c2, FIRST_COLUMN] - frames[c2, FIRST_V]
        for j in range(frames[c2, FIRST_V], frames[c2, FIRST_V] + frames[c2, COUNT_V]):
            r = j + shift
            jx = load3(dof_work, r, DOF_WORK.phi)
            jw = load3(dof_work, r, DOF_WORK.phi + 3)
            by_q[i, j] = dot(b, load3(dof_work, r, DOF_WORK.psi1 + 3)) + _pair_dot(dof_work, r, DOF_WORK.psi2, mx, mw)
            by_v[i, j] = dot(b, jw) + _pair_dot(dof_work, r, DOF_WORK.sum, mx, mw)
            by_q[j, i] = dot(jx, qx) + dot(jw, qw)
            by_v[j, i] = dot(jx, vx) + dot(jw, vw)
            entry = dot(jx, mx) + dot(jw, mw)
            by_a[i, j] = entry
            by_a[j, i] = entry
        c2 = frames[c2, ROOT]
