"""Forward and hybrid dynamics with little memory: what graphics cards run instead of :mod:`locodyn.dynamics.forward_dynamics`.

The steps from frame to frame are those of that module, in the same order, so that results have the same bits. But a card waits
for memory, not for arithmetic. Poses are therefore computed anew in every pass, and so are twists in the last one; an inertia or
an acceleration that goes to the next frame goes there in registers. A chain writes 6 numbers for each frame, its twist, and 8
for each coordinate, instead of 45 and 8. Frames with a child that does not follow them, where a tree branches, keep their inertia
and their acceleration in memory. (To keep fewer twists and to find those between anew was slower.)
"""

from __future__ import annotations

from locodyn.device.facts import HINGES, known_fact
from locodyn.dynamics.forward_dynamics import (
    WORK,
    against_gravity,
    eliminated,
    frame_acceleration,
    increase_inertia,
    own_body,
    start_frame,
    with_joint_twist,
)
from locodyn.dynamics.inertia import articulated_times, articulated_to_parent, load_fluid
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.vector import add, cross, increase3, load3, load6, load9, store3
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, FLUID, PARENT, REVOLUTE
from locodyn.shape.joint import joint_pose
from locodyn.shape.kinematics import to_child, to_parent


@compiled(inline=True)
def lean_on_card(frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """:func:`lean_dynamics` with what the program of a card knows of its robot."""
    lean_dynamics(known_fact(HINGES), frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau)


@portable(inline=True)
def lean_dynamics(hinges, frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """As :func:`~locodyn.dynamics.forward_dynamics.hybrid_dynamics`; ``work`` is left with the twists.

    ``hinges``: 1 where all joints but that of the reference body are hinges; the code for others then drops out.
    """
    lean_velocities(hinges, frames, constants, q, v, wrenches, work)
    lean_inertias(hinges, frames, constants, imposed, q, v, wrenches, work, dof_work, a, tau)
    lean_accelerations(hinges, frames, constants, gravity, imposed, q, v, work, dof_work, a, tau)


@portable(inline=True)
def joint_code(hinges, frames, k):
    """The code of the joint of frame k > 0."""
    return REVOLUTE if hinges != 0 else frames[k, CODE]


@portable(inline=True)
def branch_before(frames, k):
    """The last frame before k with a child that does not follow it; -1 where there is none."""
    found = -1
    for c in range(frames.shape[0]):
        parent = frames[c, PARENT]
        if parent != c - 1 and found < parent < k:
            found = parent
    return found


@portable(inline=True)
def branch_after(frames, k):
    """The first frame after k with a child that does not follow it; the number of frames where there is none."""
    found = frames.shape[0]
    for c in range(frames.shape[0]):
        parent = frames[c, PARENT]
        if parent != c - 1 and k < parent < found:
            found = parent
    return found


@portable(inline=True)
def root_twist(frames, constants, v, o):
    """The twist of the reference body."""
    return with_joint_twist(frames[0, CODE], constants, 0, v, frames[0, FIRST_V], (o, o, o), (o, o, o))


@portable(inline=True)
def carried_twist(code, frames, constants, k, v, pose, work, x, w):
    """The twist of frame k > 0 in its ``pose``; (x; w): that of the frame before."""
    parent = frames[k, PARENT]
    r, p = pose
    if parent != k - 1:
        x = load3(work, parent, WORK.twist)
        w = load3(work, parent, WORK.twist + 3)
    x, w = to_child(r, p, x, w)
    return with_joint_twist(code, constants, k, v, frames[k, FIRST_V], x, w)


@portable(inline=True)
def lean_velocities(hinges, frames, constants, q, v, wrenches, work):
    """Twists of all frames; where the tree branches, a frame starts with the inertia of its own body."""
    o = lit(q[0], 0.0)
    x, w = root_twist(frames, constants, v, o)
    store3(work, 0, WORK.twist, x)
    store3(work, 0, WORK.twist + 3, w)
    for k in range(1, frames.shape[0]):
        code = joint_code(hinges, frames, k)
        parent = frames[k, PARENT]
        pose = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
        if parent != k - 1:
            before = load3(work, parent, WORK.twist), load3(work, parent, WORK.twist + 3)
            start_frame(frames, constants, parent, wrenches, before[0], before[1], work)
        x, w = carried_twist(code, frames, constants, k, v, pose, work, x, w)
        store3(work, k, WORK.twist, x)
        store3(work, k, WORK.twist + 3, w)


@portable(inline=True)
def own_inertia(frames, constants, k, wrenches, x, w):
    """Inertia and bias wrench of the body of frame k and of the fluid that it moves along."""
    ma, mb, mc, f, c = own_body(constants, k, wrenches, x, w)
    if frames[k, FLUID] != 0:
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
def gathered(frames, constants, k, branch, wrenches, twist, work, later):
    """Inertia and bias wrench of frame k with those of its children; ``later``: what the frame after it hands on."""
    x, w = twist
    na, nb, nc, nf, nn = later
    if k == branch:
        ma = load6(work, k, WORK.block_a)
        mb = load9(work, k, WORK.block_b)
        mc = load6(work, k, WORK.block_c)
        f = load3(work, k, WORK.bias)
        c = load3(work, k, WORK.bias + 3)
    else:
        ma, mb, mc, f, c = own_inertia(frames, constants, k, wrenches, x, w)
    if k + 1 < frames.shape[0] and frames[k + 1, PARENT] == k:
        ma, mb, mc = plus(ma, mb, mc, na, nb, nc)
        f = add(f, nf)
        c = add(c, nn)
    return ma, mb, mc, f, c


@portable(inline=True)
def lean_inertias(hinges, frames, constants, imposed, q, v, wrenches, work, dof_work, a, tau):
    """Articulated inertias, tips to reference body; that of a frame goes to the one before it in registers."""
    o = lit(q[0], 0.0)
    count = frames.shape[0]
    later = ((o, o, o, o, o, o), (o, o, o, o, o, o, o, o, o), (o, o, o, o, o, o), (o, o, o), (o, o, o))
    branch = branch_before(frames, count)
    for k in range(count - 1, 0, -1):
        code = joint_code(hinges, frames, k)
        parent = frames[k, PARENT]
        x = load3(work, k, WORK.twist)
        w = load3(work, k, WORK.twist + 3)
        ma, mb, mc, f, c = gathered(frames, constants, k, branch, wrenches, (x, w), work, later)
        if k == branch:
            branch = branch_before(frames, k)
        ma, mb, mc, f, c = eliminated(code, frames, constants, k, imposed, v, (x, w), (ma, mb, mc), (f, c), dof_work, a, tau)
        r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
        nf, nn = to_parent(r, p, f, c)
        na, nb, nc = articulated_to_parent(r, p, ma, mb, mc)
        if parent != k - 1:
            increase3(work, parent, WORK.bias, nf)
            increase3(work, parent, WORK.bias + 3, nn)
            increase_inertia(work, parent, na, nb, nc)
        later = (na, nb, nc, nf, nn)
    x, w = root_twist(frames, constants, v, o)
    ma, mb, mc, f, c = gathered(frames, constants, 0, branch, wrenches, (x, w), work, later)
    eliminated(frames[0, CODE], frames, constants, 0, imposed, v, (x, w), (ma, mb, mc), (f, c), dof_work, a, tau)


@portable(inline=True)
def lean_accelerations(hinges, frames, constants, gravity, imposed, q, v, work, dof_work, a, tau):
    """Accelerations of free coordinates, forces of imposed ones. Where the tree branches, block A comes to hold them."""
    o = lit(q[0], 0.0)
    r, p = joint_pose(frames[0, CODE], constants, 0, q, frames[0, FIRST_Q])
    x, w = root_twist(frames, constants, v, o)
    acceleration = against_gravity(gravity, r, o)
    ax, aw = frame_acceleration(frames[0, CODE], frames, constants, 0, imposed, v, (x, w), acceleration, dof_work, a, tau)
    branch = branch_after(frames, -1)
    if branch == 0:
        store3(work, 0, WORK.block_a, ax)
        store3(work, 0, WORK.block_a + 3, aw)
        branch = branch_after(frames, 0)
    for k in range(1, frames.shape[0]):
        code = joint_code(hinges, frames, k)
        parent = frames[k, PARENT]
        r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
        x, w = carried_twist(code, frames, constants, k, v, (r, p), work, x, w)
        if parent != k - 1:
            ax = load3(work, parent, WORK.block_a)
            aw = load3(work, parent, WORK.block_a + 3)
        ax, aw = to_child(r, p, ax, aw)
        ax, aw = frame_acceleration(code, frames, constants, k, imposed, v, (x, w), (ax, aw), dof_work, a, tau)
        if k == branch:
            store3(work, k, WORK.block_a, ax)
            store3(work, k, WORK.block_a + 3, aw)
            branch = branch_after(frames, k)
