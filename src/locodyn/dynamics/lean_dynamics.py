"""Forward and hybrid dynamics with little memory: what graphics cards run instead of :mod:`locodyn.dynamics.forward_dynamics`.

The steps from frame to frame are those of that module, in the same order, so that results have the same bits. But a card waits
for memory, not for arithmetic. Poses are therefore computed anew in every pass, and so are twists in the last one; an inertia or
an acceleration that goes to the next frame goes there in registers. A chain of hinges keeps 7 numbers for each, instead of 53:
twists lie where the columns of the elimination come to lie, which are written when they have been read.
Frames with a child that does not follow them, where a tree branches, keep their twist, inertia and acceleration in memory.
(To keep fewer twists and to find those between anew was slower.)

``told``: what is known of the tree when a program is compiled (:func:`tree_facts`); the code for other trees then drops out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locodyn.device.facts import BRANCHES, FIRST_HINGE_Q, FIRST_HINGE_V, HINGES, JUMPS, known_fact
from locodyn.dynamics.forward_dynamics import (
    DOF_WORK,
    WORK,
    against_gravity,
    eliminated,
    frame_acceleration,
    increase_inertia,
    own_body,
    start_frame,
    store_column,
    with_joint_twist,
)
from locodyn.dynamics.inertia import articulated_reduced, articulated_times, articulated_to_parent, load_fluid
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.vector import add, cross, dot, increase3, load3, load6, load9, scale, store3
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT, REVOLUTE
from locodyn.shape.joint import joint_pose
from locodyn.shape.kinematics import to_child, to_parent

_FRAMES = 62  # of which a fact can tell, one bit for each


def tree_facts(frames: np.ndarray) -> dict[str, int]:
    """What a program may know of a tree.

    ``hinges``: 1 where all joints but that of the reference body are hinges, with coordinates one after the other from
    ``first_q`` and ``first_v`` on, and no body moves a fluid along. ``jumps``: bit 0 where something is known, bit k > 0 where
    the parent of frame k is not the one before it. ``branches``: bit 0 likewise, bit k + 1 where frame k has such a child.
    """
    parents, joints, after = frames[:, PARENT], frames[1:], np.arange(len(frames) - 1)
    jumps = [k for k in range(1, len(frames)) if parents[k] != k - 1]
    first_q, first_v = joints[0, [FIRST_Q, FIRST_V]] if len(joints) else (0, 0)
    in_order = (joints[:, FIRST_Q] == first_q + after).all() and (joints[:, FIRST_V] == first_v + after).all()
    hinges = in_order and (joints[:, CODE] == REVOLUTE).all() and not frames[:, FLUID].any()
    known = not jumps or len(frames) <= _FRAMES
    branching = {int(parents[k]) for k in jumps}
    return {
        "hinges": int(hinges), "first_q": int(first_q), "first_v": int(first_v),
        "jumps": 1 + sum(1 << k for k in jumps) if known else 0,
        "branches": 1 + sum(1 << (k + 1) for k in branching) if known else 0,
    }  # fmt: skip


class Told(NamedTuple):
    """The facts of :func:`tree_facts` for kernels; all 0 where nothing is known."""

    hinges: int = 0
    jumps: int = 0
    branches: int = 0
    first_q: int = 0
    first_v: int = 0


@compiled(inline=True)
def lean_on_card(frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """:func:`lean_dynamics` with what the program of a card knows of its robot."""
    told = Told(known_fact(HINGES), known_fact(JUMPS), known_fact(BRANCHES), known_fact(FIRST_HINGE_Q), known_fact(FIRST_HINGE_V))
    lean_dynamics(told, frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau)


@portable(inline=True)
def lean_dynamics(told, frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """As :func:`~locodyn.dynamics.forward_dynamics.hybrid_dynamics`, but ``work`` and ``dof_work`` tell nothing in the end."""
    lean_velocities(told, frames, constants, q, v, wrenches, work, dof_work)
    lean_inertias(told, frames, constants, imposed, q, v, wrenches, work, dof_work, a, tau)
    lean_accelerations(told, frames, constants, gravity, imposed, q, v, work, dof_work, a, tau)


@portable(inline=True)
def joint_code(told, frames, k):
    """The code of the joint of frame k > 0."""
    return REVOLUTE if told.hinges != 0 else frames[k, CODE]


@portable(inline=True)
def follows(told, frames, k):
    """Whether the parent of frame k > 0 is the one before it."""
    if told.jumps != 0:
        return (told.jumps >> k) & 1 == 0
    return frames[k, PARENT] == k - 1


@portable(inline=True)
def branches(told, frames, k):
    """Whether frame k has a child that does not follow it."""
    if told.branches != 0:
        return (told.branches >> (k + 1)) & 1 == 1
    found = 0
    for c in range(k + 2, frames.shape[0]):
        if frames[c, PARENT] == k:
            found = 1
    return found == 1


@portable(inline=True)
def first_q(told, frames, k):
    """Number of the first position of the joint of frame k > 0."""
    return told.first_q + k - 1 if told.hinges != 0 else frames[k, FIRST_Q]


@portable(inline=True)
def first_v(told, frames, k):
    """Number of the first velocity of the joint of frame k > 0."""
    return told.first_v + k - 1 if told.hinges != 0 else frames[k, FIRST_V]


@portable(inline=True)
def keep_twist(told, frames, k, x, w, work, dof_work):
    """Keep the twist of frame k until its joint is eliminated: where the columns of that will be, if it has coordinates."""
    if k > 0 and told.hinges != 0:
        store_column(dof_work, first_v(told, frames, k), x, w)
    elif frames[k, COUNT_V] > 0:
        store_column(dof_work, frames[k, FIRST_V], x, w)
    else:
        store_twist(work, k, x, w)


@portable(inline=True)
def kept_twist(told, frames, k, work, dof_work):
    """What :func:`keep_twist` kept."""
    if k > 0 and told.hinges != 0:
        return load_column(dof_work, first_v(told, frames, k))
    if frames[k, COUNT_V] > 0:
        return load_column(dof_work, frames[k, FIRST_V])
    return load3(work, k, WORK.twist), load3(work, k, WORK.twist + 3)


@portable(inline=True)
def load_column(dof_work, i):
    """What :func:`~locodyn.dynamics.forward_dynamics.store_column` stored."""
    return load3(dof_work, i, DOF_WORK.column), load3(dof_work, i, DOF_WORK.column + 3)


@portable(inline=True)
def store_twist(work, k, x, w):
    """Of frame k."""
    store3(work, k, WORK.twist, x)
    store3(work, k, WORK.twist + 3, w)


@portable(inline=True)
def root_twist(frames, constants, v, o):
    """The twist of the reference body."""
    return with_joint_twist(frames[0, CODE], constants, 0, v, frames[0, FIRST_V], (o, o, o), (o, o, o))


@portable(inline=True)
def lean_velocities(told, frames, constants, q, v, wrenches, work, dof_work):
    """Twists of all frames; where the tree branches, a frame starts with the inertia of its own body."""
    o = lit(q[0], 0.0)
    x, w = root_twist(frames, constants, v, o)
    if told.jumps != 1:  # some frame may ask for it
        keep_twist(told, frames, 0, x, w, work, dof_work)
    for k in range(1, frames.shape[0]):
        code = joint_code(told, frames, k)
        r, p = joint_pose(code, constants, k, q, first_q(told, frames, k))
        if not follows(told, frames, k):
            parent = frames[k, PARENT]
            x, w = kept_twist(told, frames, parent, work, dof_work)
            start_frame(frames, constants, parent, wrenches, x, w, work)
            store_twist(work, parent, x, w)
        x, w = to_child(r, p, x, w)
        x, w = with_joint_twist(code, constants, k, v, first_v(told, frames, k), x, w)
        keep_twist(told, frames, k, x, w, work, dof_work)


@portable(inline=True)
def own_inertia(told, frames, constants, k, wrenches, x, w):
    """Inertia and bias wrench of the body of frame k and of the fluid that it moves along."""
    ma, mb, mc, f, c = own_body(constants, k, wrenches, x, w)
    if told.hinges == 0 and frames[k, FLUID] != 0:
        fa, fb, fc = load_fluid(constants, k)
        pv, pw = articulated_times(fa, fb, fc, x, w)
        ma, mb, mc = plus(ma, mb, mc, fa, fb, fc)
        f = add(f, cross(w, pv))
        c = add(c, add(cross(w, pw), cross(x, pv)))
    return ma, mb, mc, f, c


@portable(inline=True)
def plus(a, b, c, x, y, z):
    """The sum of two articulated inertias."""
    return (
        (a[0] + x[0], a[1] + x[1], a[2] + x[2], a[3] + x[3], a[4] + x[4], a[5] + x[5]),
        (
            b[0] + y[0], b[1] + y[1], b[2] + y[2], b[3] + y[3], b[4] + y[4], b[5] + y[5], b[6] + y[6], b[7] + y[7], b[8] + y[8],
        ),
        (c[0] + z[0], c[1] + z[1], c[2] + z[2], c[3] + z[3], c[4] + z[4], c[5] + z[5]),
    )  # fmt: skip


@portable(inline=True)
def gathered(told, frames, constants, k, wrenches, twist, work, later):
    """Inertia and bias wrench of frame k with those of its children; ``later``: what the frame after it hands on."""
    x, w = twist
    na, nb, nc, nf, nn = later
    if branches(told, frames, k):
        ma = load6(work, k, WORK.block_a)
        mb = load9(work, k, WORK.block_b)
        mc = load6(work, k, WORK.block_c)
        f = load3(work, k, WORK.bias)
        c = load3(work, k, WORK.bias + 3)
    else:
        ma, mb, mc, f, c = own_inertia(told, frames, constants, k, wrenches, x, w)
    if k + 1 < frames.shape[0] and follows(told, frames, k + 1):
        ma, mb, mc = plus(ma, mb, mc, na, nb, nc)
        f = add(f, nf)
        c = add(c, nn)
    return ma, mb, mc, f, c


@portable(inline=True)
def hinge_eliminated(constants, k, i, v, twist, blocks, bias, dof_work, tau):
    """:func:`~locodyn.dynamics.forward_dynamics.eliminated` for a hinge whose coordinate, number i, is not imposed."""
    x, w = twist
    ma, mb, mc = blocks
    f, c = bias
    o = lit(x[0], 0.0)
    ux = (mb[2], mb[5], mb[8])
    uw = (mc[2], mc[4], mc[5])
    s = lit(o, 1.0) / (mc[5] + constants[k, ARMATURE])
    u = tau[i] - c[2]
    store_column(dof_work, i, ux, uw)
    dof_work[i, DOF_WORK.force] = u
    ma, mb, mc = articulated_reduced(ma, mb, mc, ux, uw, s)
    us = u * s
    gf, gc = articulated_times(ma, mb, mc, (x[1] * v[i], o - x[0] * v[i], o), (w[1] * v[i], o - w[0] * v[i], o))
    return ma, mb, mc, add(add(f, scale(us, ux)), gf), add(add(c, scale(us, uw)), gc)


@portable(inline=True)
def hinge_acceleration(constants, k, i, v, twist, carried, dof_work, a):
    """:func:`~locodyn.dynamics.forward_dynamics.frame_acceleration` for such a hinge, with the quotient found anew."""
    x, w = twist
    ax, aw = carried
    rate = v[i]
    ux, uw = load_column(dof_work, i)
    ax = (ax[0] + x[1] * rate, ax[1] - x[0] * rate, ax[2])
    aw = (aw[0] + w[1] * rate, aw[1] - w[0] * rate, aw[2])
    s = lit(rate, 1.0) / (uw[2] + constants[k, ARMATURE])
    acceleration = (dof_work[i, DOF_WORK.force] - (dot(ux, ax) + dot(uw, aw))) * s
    a[i] = acceleration
    return ax, (aw[0], aw[1], aw[2] + acceleration)


@portable(inline=True)
def lean_inertias(told, frames, constants, imposed, q, v, wrenches, work, dof_work, a, tau):
    """Articulated inertias, tips to reference body; that of a frame goes to the one before it in registers."""
    o = lit(q[0], 0.0)
    later = ((o, o, o, o, o, o), (o, o, o, o, o, o, o, o, o), (o, o, o, o, o, o), (o, o, o), (o, o, o))
    for k in range(frames.shape[0] - 1, 0, -1):
        code = joint_code(told, frames, k)
        x, w = kept_twist(told, frames, k, work, dof_work)
        ma, mb, mc, f, c = gathered(told, frames, constants, k, wrenches, (x, w), work, later)
        if told.hinges != 0 and imposed.shape[0] == 0:
            i = first_v(told, frames, k)
            ma, mb, mc, f, c = hinge_eliminated(constants, k, i, v, (x, w), (ma, mb, mc), (f, c), dof_work, tau)
        else:
            ma, mb, mc, f, c = eliminated(code, frames, constants, k, imposed, v, (x, w), (ma, mb, mc), (f, c), dof_work, a, tau)
        r, p = joint_pose(code, constants, k, q, first_q(told, frames, k))
        nf, nn = to_parent(r, p, f, c)
        na, nb, nc = articulated_to_parent(r, p, ma, mb, mc)
        if not follows(told, frames, k):
            parent = frames[k, PARENT]
            increase3(work, parent, WORK.bias, nf)
            increase3(work, parent, WORK.bias + 3, nn)
            increase_inertia(work, parent, na, nb, nc)
        later = (na, nb, nc, nf, nn)
    x, w = root_twist(frames, constants, v, o)
    ma, mb, mc, f, c = gathered(told, frames, constants, 0, wrenches, (x, w), work, later)
    eliminated(frames[0, CODE], frames, constants, 0, imposed, v, (x, w), (ma, mb, mc), (f, c), dof_work, a, tau)


@portable(inline=True)
def lean_accelerations(told, frames, constants, gravity, imposed, q, v, work, dof_work, a, tau):
    """Accelerations of free coordinates, forces of imposed ones. Where the tree branches, block A comes to hold them."""
    o = lit(q[0], 0.0)
    r, p = joint_pose(frames[0, CODE], constants, 0, q, frames[0, FIRST_Q])
    x, w = root_twist(frames, constants, v, o)
    acceleration = against_gravity(gravity, r, o)
    ax, aw = frame_acceleration(frames[0, CODE], frames, constants, 0, imposed, v, (x, w), acceleration, dof_work, a, tau)
    if branches(told, frames, 0):
        store3(work, 0, WORK.block_a, ax)
        store3(work, 0, WORK.block_a + 3, aw)
    for k in range(1, frames.shape[0]):
        code = joint_code(told, frames, k)
        r, p = joint_pose(code, constants, k, q, first_q(told, frames, k))
        if not follows(told, frames, k):
            parent = frames[k, PARENT]
            x = load3(work, parent, WORK.twist)
            w = load3(work, parent, WORK.twist + 3)
            ax = load3(work, parent, WORK.block_a)
            aw = load3(work, parent, WORK.block_a + 3)
        x, w = to_child(r, p, x, w)
        x, w = with_joint_twist(code, constants, k, v, first_v(told, frames, k), x, w)
        ax, aw = to_child(r, p, ax, aw)
        if told.hinges != 0 and imposed.shape[0] == 0:
            ax, aw = hinge_acceleration(constants, k, first_v(told, frames, k), v, (x, w), (ax, aw), dof_work, a)
        else:
            ax, aw = frame_acceleration(code, frames, constants, k, imposed, v, (x, w), (ax, aw), dof_work, a, tau)
        if branches(told, frames, k):
            store3(work, k, WORK.block_a, ax)
            store3(work, k, WORK.block_a + 3, aw)
