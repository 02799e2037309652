"""Forward and hybrid dynamics in O(n): articulated inertias (Featherstone 1983) on the tree of frames.

Each coordinate is *free* (its force is given, its acceleration comes out) or *imposed* (its acceleration is given, the force
that it needs comes out). With all coordinates free this is forward dynamics; with all imposed, inverse dynamics.

A joint with several velocities is eliminated one direction after the other: its directions are constant in its frame, so this is
the articulated-body step of coincident single-axis joints, and no small matrix is ever factored.
"""

from __future__ import annotations

from locodyn.dynamics.inertia import (
    articulated_column,
    articulated_reduced,
    articulated_times,
    articulated_to_parent,
    bias_wrench,
    load_fluid,
    load_inertia,
)
from locodyn.kernel import lit, portable
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    increase3,
    load3,
    load6,
    load9,
    rotate_back,
    scale,
    store3,
    store6,
    store9,
    subtract,
)
from locodyn.record import record
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, HELICAL, PARENT, PITCH, REVOLUTE
from locodyn.shape.joint import axis_of, joint_force, joint_pose, joint_twist
from locodyn.shape.kinematics import to_child, to_parent

# Workspace of a frame: pose in the parent, twist (later acceleration), articulated inertia and bias wrench.
WORK = record(rotation=9, position=3, twist=6, block_a=6, block_b=9, block_c=6, bias=6)
# Workspace of a coordinate: U = M S, 1/D, and u = tau - S^T bias (imposed: S^T bias).
DOF_WORK = record(column=6, reciprocal=1, force=1)


@portable(inline=True)
def increase_inertia(work, k, a, b, c):
    """Add an articulated inertia to that of frame k."""
    for j in range(6):
        work[k, WORK.block_a + j] = work[k, WORK.block_a + j] + a[j]
        work[k, WORK.block_c + j] = work[k, WORK.block_c + j] + c[j]
    for j in range(9):
        work[k, WORK.block_b + j] = work[k, WORK.block_b + j] + b[j]


@portable
def hybrid_dynamics(frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """Accelerations of free coordinates and forces of imposed ones: M a + bias = tau + J^T wrenches, half of (a, tau) known.

    Parameters
    ----------
    frames, constants : the compiled robot, see :mod:`locodyn.robot.layout`.
    gravity : (3,) m/s^2, world axes.
    imposed : (nv,) int8, nonzero where the acceleration is given; (0,) if no coordinate is.
    q, v : (nq,), (nv,) configuration and velocity.
    wrenches : (n, 6) external wrench on each frame, in its axes, or (0, 6).
    work, dof_work : (n, WORK.size), (nv, DOF_WORK.size) workspace.
    a, tau : (nv,) accelerations and forces: in where given, out where not.
    """
    outward_velocities(frames, constants, q, v, wrenches, work)
    inward_inertias(frames, constants, imposed, q, v, work, dof_work, a, tau)
    outward_accelerations(frames, constants, gravity, imposed, q, v, work, dof_work, a, tau)


@portable(inline=True)
def outward_velocities(frames, constants, q, v, wrenches, work):
    """Poses, twists and bias wrenches of all frames; each frame starts with the inertia of its own body."""
    o = lit(q[0], 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
        store9(work, k, WORK.rotation, r)
        store3(work, k, WORK.position, p)
        if parent < 0:
            x = (o, o, o)
            w = (o, o, o)
        else:
            x, w = to_child(r, p, load3(work, parent, WORK.twist), load3(work, parent, WORK.twist + 3))
        x, w = with_joint_twist(code, constants, k, v, i, x, w)
        store3(work, k, WORK.twist, x)
        store3(work, k, WORK.twist + 3, w)
        start_frame(frames, constants, k, wrenches, x, w, work)


@portable(inline=True)
def with_joint_twist(code, constants, k, v, i, x, w):
    """The twist of frame k: (x; w), which it has from its parent, and that of its joint."""
    if code == REVOLUTE:
        w = (w[0], w[1], w[2] + v[i])
    else:
        sx, sw = joint_twist(code, constants, k, v, i)
        x = add(x, sx)
        w = add(w, sw)
    return x, w


@portable(inline=True)
def own_body(constants, k, wrenches, x, w):
    """Blocks of the inertia of the body of frame k, and its bias wrench at the twist (x; w), less what acts from outside."""
    o = lit(x[0], 0.0)
    m, h, inertia = load_inertia(constants, k)
    f, c = bias_wrench(m, h, inertia, x, w)
    if wrenches.shape[0] > 0:
        f = subtract(f, load3(wrenches, k, 0))
        c = subtract(c, load3(wrenches, k, 3))
    mass = lit(o, m)
    block_a = (mass, o, o, mass, o, mass)
    block_b = (o, h[2] + o, o - h[1], o - h[2], o, h[0] + o, h[1] + o, o - h[0], o)
    block_c = (
        lit(o, inertia[0]), lit(o, inertia[1]), lit(o, inertia[2]),
        lit(o, inertia[3]), lit(o, inertia[4]), lit(o, inertia[5]),
    )  # fmt: skip
    return block_a, block_b, block_c, f, c


@portable(inline=True)
def start_frame(frames, constants, k, wrenches, x, w, work):
    """Inertia and bias wrench of frame k as far as they are its own."""
    block_a, block_b, block_c, f, c = own_body(constants, k, wrenches, x, w)
    store3(work, k, WORK.bias, f)
    store3(work, k, WORK.bias + 3, c)
    store6(work, k, WORK.block_a, block_a)
    store9(work, k, WORK.block_b, block_b)
    store6(work, k, WORK.block_c, block_c)
    if frames[k, FLUID] != 0:
        start_with_fluid(constants, k, x, w, work)


@portable(late=())
def start_with_fluid(constants, k, x, w, work):
    """Add the fluid that frame k moves along to its inertia and bias wrench."""
    a, b, c = load_fluid(constants, k)
    increase_inertia(work, k, a, b, c)
    pv, pw = articulated_times(a, b, c, x, w)
    increase3(work, k, WORK.bias, cross(w, pv))
    increase3(work, k, WORK.bias + 3, add(cross(w, pw), cross(x, pv)))


@portable(inline=True)
def hand_to_parent(work, k, parent, a, b, c, f, n):
    """Add the articulated inertia (a, b, c) and the bias wrench (f; n) of frame k to those of its parent."""
    r = load9(work, k, WORK.rotation)
    p = load3(work, k, WORK.position)
    f, n = to_parent(r, p, f, n)
    increase3(work, parent, WORK.bias, f)
    increase3(work, parent, WORK.bias + 3, n)
    a, b, c = articulated_to_parent(r, p, a, b, c)
    increase_inertia(work, parent, a, b, c)


@portable(inline=True)
def store_column(dof_work, i, ux, uw):
    """U = M S of coordinate i."""
    store3(dof_work, i, DOF_WORK.column, ux)
    store3(dof_work, i, DOF_WORK.column + 3, uw)


@portable(inline=True)
def inward_inertias(frames, constants, imposed, q, v, work, dof_work, a, tau):
    """Articulated inertias, tips to reference body: every free direction is eliminated, an imposed one is not."""
    for k in range(frames.shape[0] - 1, -1, -1):
        parent = frames[k, PARENT]
        ma = load6(work, k, WORK.block_a)
        mb = load9(work, k, WORK.block_b)
        mc = load6(work, k, WORK.block_c)
        f = load3(work, k, WORK.bias)
        c = load3(work, k, WORK.bias + 3)
        x = load3(work, k, WORK.twist)
        w = load3(work, k, WORK.twist + 3)
        ma, mb, mc, f, c = eliminated(
            frames[k, CODE], frames, constants, k, imposed, v, (x, w), (ma, mb, mc), (f, c), dof_work, a, tau
        )
        if parent >= 0:
            hand_to_parent(work, k, parent, ma, mb, mc, f, c)


@portable(inline=True)
def eliminated(code, frames, constants, k, imposed, v, twist, blocks, bias, dof_work, a, tau):
    """Articulated inertia and bias wrench of frame k, with a joint ``code``, from its ``blocks`` and ``bias``, for its parent.

    The bias wrench is that of what is eliminated, M zeta included; of a frame without a parent it means nothing.
    """
    mixed = imposed.shape[0] > 0
    parent = frames[k, PARENT]
    i = frames[k, FIRST_V]
    x, w = twist
    ma, mb, mc = blocks
    f, c = bias
    o = lit(x[0], 0.0)
    if code == REVOLUTE and not mixed:
        ux = (mb[2], mb[5], mb[8])
        uw = (mc[2], mc[4], mc[5])
        s = lit(o, 1.0) / (mc[5] + constants[k, ARMATURE])
        u = tau[i] - c[2]
        store_column(dof_work, i, ux, uw)
        dof_work[i, DOF_WORK.reciprocal] = s
        dof_work[i, DOF_WORK.force] = u
        if parent < 0:
            return ma, mb, mc, f, c
        ma, mb, mc = articulated_reduced(ma, mb, mc, ux, uw, s)
        us = u * s
        zx = (x[1] * v[i], o - x[0] * v[i], o)
        zw = (w[1] * v[i], o - w[0] * v[i], o)
        f = add(f, scale(us, ux))
        c = add(c, scale(us, uw))
    else:
        for j in range(frames[k, COUNT_V] - 1, -1, -1):
            ux, uw = articulated_column(axis_of(code, j), ma, mb, mc)
            if code == HELICAL:
                px, pw = articulated_column(2, ma, mb, mc)
                ux = add(ux, scale(constants[k, PITCH], px))
                uw = add(uw, scale(constants[k, PITCH], pw))
            store_column(dof_work, i + j, ux, uw)
            known = joint_force(code, constants, k, j, f, c)
            if mixed and imposed[i + j] != 0:
                dof_work[i + j, DOF_WORK.force] = known
                us = a[i + j]
            else:
                s = lit(o, 1.0) / (joint_force(code, constants, k, j, ux, uw) + constants[k, ARMATURE + j])
                u = tau[i + j] - known
                dof_work[i + j, DOF_WORK.reciprocal] = s
                dof_work[i + j, DOF_WORK.force] = u
                us = u * s
                ma, mb, mc = articulated_reduced(ma, mb, mc, ux, uw, s)
            f = add(f, scale(us, ux))
            c = add(c, scale(us, uw))
        if parent < 0:
            return ma, mb, mc, f, c
        sx, sw = joint_twist(code, constants, k, v, i)
        zx = add(cross(w, sx), cross(x, sw))
        zw = cross(w, sw)
    gf, gc = articulated_times(ma, mb, mc, zx, zw)
    return ma, mb, mc, add(f, gf), add(c, gc)


@portable(inline=True)
def outward_accelerations(frames, constants, gravity, imposed, q, v, work, dof_work, a, tau):
    """Accelerations of free coordinates, forces of imposed ones. The columns of the twist come to hold the acceleration."""
    o = lit(q[0], 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        r = load9(work, k, WORK.rotation)
        p = load3(work, k, WORK.position)
        x = load3(work, k, WORK.twist)
        w = load3(work, k, WORK.twist + 3)
        if parent < 0:
            ax, aw = against_gravity(gravity, r, o)
        else:
            ax, aw = to_child(r, p, load3(work, parent, WORK.twist), load3(work, parent, WORK.twist + 3))
        ax, aw = frame_acceleration(frames[k, CODE], frames, constants, k, imposed, v, (x, w), (ax, aw), dof_work, a, tau)
        store3(work, k, WORK.twist, ax)
        store3(work, k, WORK.twist + 3, aw)


@portable(inline=True)
def against_gravity(gravity, r, o):
    """The acceleration of a world that rises instead of gravity, in a frame with the rotation r."""
    return rotate_back(r, (o - gravity[0], o - gravity[1], o - gravity[2])), (o, o, o)


@portable(inline=True)
def frame_acceleration(code, frames, constants, k, imposed, v, twist, carried, dof_work, a, tau):
    """The acceleration of frame k, whose parent makes it ``carried``; those of its coordinates, or their forces, on the way."""
    mixed = imposed.shape[0] > 0
    i = frames[k, FIRST_V]
    x, w = twist
    ax, aw = carried
    if code == REVOLUTE and not mixed:
        rate = v[i]
        ax = (ax[0] + x[1] * rate, ax[1] - x[0] * rate, ax[2])
        aw = (aw[0] + w[1] * rate, aw[1] - w[0] * rate, aw[2])
        pull = dot(load3(dof_work, i, DOF_WORK.column), ax) + dot(load3(dof_work, i, DOF_WORK.column + 3), aw)
        acceleration = (dof_work[i, DOF_WORK.force] - pull) * dof_work[i, DOF_WORK.reciprocal]
        a[i] = acceleration
        aw = (aw[0], aw[1], aw[2] + acceleration)
    else:
        sx, sw = joint_twist(code, constants, k, v, i)
        ax = add(ax, add(cross(w, sx), cross(x, sw)))
        aw = add(aw, cross(w, sw))
        for j in range(frames[k, COUNT_V]):
            ux = load3(dof_work, i + j, DOF_WORK.column)
            uw = load3(dof_work, i + j, DOF_WORK.column + 3)
            pull = dot(ux, ax) + dot(uw, aw)
            if not (mixed and imposed[i + j] != 0):
                a[i + j] = (dof_work[i + j, DOF_WORK.force] - pull) * dof_work[i + j, DOF_WORK.reciprocal]
            ax, aw = accelerated(axis_of(code, j), a[i + j], ax, aw)
            if code == HELICAL:
                ax = (ax[0], ax[1], ax[2] + constants[k, PITCH] * a[i + j])
            if mixed and imposed[i + j] != 0:
                tau[i + j] = dot(ux, ax) + dot(uw, aw) + dof_work[i + j, DOF_WORK.force] + constants[k, ARMATURE + j] * a[i + j]
    return ax, aw


@portable(inline=True)
def accelerated(axis, s, x, w):
    """(x; w) + s e_axis."""
    if axis == 0:
        x = (x[0] + s, x[1], x[2])
    elif axis == 1:
        x = (x[0], x[1] + s, x[2])
    elif axis == 2:
        x = (x[0], x[1], x[2] + s)
    elif axis == 3:
        w = (w[0] + s, w[1], w[2])
    elif axis == 4:
        w = (w[0], w[1] + s, w[2])
    else:
        w = (w[0], w[1], w[2] + s)
    return x, w
