"""The recursion of :mod:`locodyn.contact.recursion` with little memory: what graphics cards run in its place.

Sums are made in the same order, so that velocities have the same bits. But a card waits for memory, not for arithmetic: there an
articulated inertia of 36 numbers is written and read again for its own body, every contact, the direction that is eliminated and
the parent that takes over what is left. Here it goes from hinge to hinge in registers, and a hinge keeps the eight numbers that
velocities are found from. Frames with a child that does not follow them, where a tree branches, keep theirs in memory.

That is so for one tree of hinges on a body that moves, all free, whose contacts are with the world and found in the order of its
frames. All else goes the way of the processor.
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.inertia_blocks import BLOCK, full, hat_times, times_hat
from locodyn.contact.islands import index
from locodyn.contact.recursion import (
    add_point_contact,
    add_turning_contact,
    begin_frame,
    eliminate,
    outward_frame,
    recursive_velocity,
)
from locodyn.device.facts import BRANCHES, FIRST_HINGE_Q, FIRST_HINGE_V, HINGES, JUMPS, known_fact
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.dynamics.inertia import load_inertia
from locodyn.dynamics.lean_dynamics import Told, branches, first_v, follows
from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, increase3, load3, load9, rotate, scale, store3, store9, transform_general
from locodyn.robot.layout import ARMATURE, COUNT_V, FIRST_V, PARENT
from locodyn.shape.kinematics import to_child, to_parent


@compiled(called=True)
def lean_velocity_on_card(frames, imposed, contacts, frame_work, x, tau):
    """:func:`lean_velocity` with what the program of a card knows of its robot."""
    told = Told(known_fact(HINGES), known_fact(JUMPS), known_fact(BRANCHES), known_fact(FIRST_HINGE_Q), known_fact(FIRST_HINGE_V))
    lean_velocity(told, frames, imposed, contacts, frame_work, x, tau)


@compiled(inline=True)
def lean_velocity(told, frames, imposed, contacts, frame_work, x, tau):
    """As :func:`~locodyn.contact.recursion.recursive_velocity`."""
    if told.hinges != 0 and told.jumps != 0 and imposed.shape[0] == 0 and in_order(frames, contacts):
        begin_branching(told, frames, contacts)
        inward(told, frames, imposed, contacts, frame_work, x, tau)
        outward(told, frames, imposed, contacts, frame_work, x, tau)
    else:
        recursive_velocity(frames, imposed, contacts, frame_work, x, tau)


@compiled(inline=True)
def in_order(frames, contacts):
    """Whether the contacts at hand are what the module says; so are their numbers, where all frames are one island."""
    islands = contacts.islands
    if islands.single == 0 or islands.natural == 0 or frames[0, COUNT_V] == 0:
        return False
    last = 0
    for c in range(contacts.begin, contacts.end):
        i = index(c)
        if contacts.frame[i] < last or contacts.other[i] >= 0:
            return False
        last = contacts.frame[i]
    return True


@compiled(inline=True)
def begin_branching(told, frames, contacts):
    """Frames where the tree branches, in memory, with their contacts."""
    robot = contacts.robot
    for k in range(frames.shape[0]):
        if branches(told, frames, k):
            begin_frame(frames, robot.constants, k, robot.inertia, robot.bias)
    for c in range(contacts.begin, contacts.end):
        i = index(c)
        if branches(told, frames, index(contacts.frame[i])) and responds(contacts, i):
            if turns(contacts, i):
                add_turning_contact(contacts, i)
            else:
                add_point_contact(contacts, i)


@compiled(inline=True)
def turns(contacts, i):
    """Whether contact i has rolling or spinning friction."""
    return contacts.scales[i, 3] > 0.0 or contacts.scales[i, 4] > 0.0


@compiled(inline=True)
def own_blocks(constants, k):
    """The inertia of the body of frame k, as of ``begin_frame``."""
    m, h, second = load_inertia(constants, k)
    return (
        (m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m),
        (0.0, h[2], -h[1], -h[2], 0.0, h[0], h[1], -h[0], 0.0),
        (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0),
        full(second),
    )  # fmt: skip


@compiled(inline=True)
def plus(m, s):
    """The sum of two blocks."""
    return (
        m[0] + s[0], m[1] + s[1], m[2] + s[2], m[3] + s[3], m[4] + s[4], m[5] + s[5], m[6] + s[6], m[7] + s[7], m[8] + s[8],
    )  # fmt: skip


@compiled(inline=True)
def summed(m, s):
    """The sum of two inertias."""
    return plus(m[0], s[0]), plus(m[1], s[1]), plus(m[2], s[2]), plus(m[3], s[3])


@compiled(inline=True)
def minus(m, s):
    """The difference of two blocks."""
    return (
        m[0] - s[0], m[1] - s[1], m[2] - s[2], m[3] - s[3], m[4] - s[4], m[5] - s[5], m[6] - s[6], m[7] - s[7], m[8] - s[8],
    )  # fmt: skip


@compiled(inline=True)
def reduced(m, s, x, y):
    """m - s x y^T, as of ``decrease_outer``."""
    f = s * x[0]
    g = s * x[1]
    h = s * x[2]
    return (
        m[0] - f * y[0], m[1] - f * y[1], m[2] - f * y[2],
        m[3] - g * y[0], m[4] - g * y[1], m[5] - g * y[2],
        m[6] - h * y[0], m[7] - h * y[1], m[8] - h * y[2],
    )  # fmt: skip


@compiled(inline=True)
def with_contact(contacts, i, m, bias):
    """Blocks and bias with response and wrench of contact i, as of ``add_point_contact`` or ``add_turning_contact``."""
    if not responds(contacts, i):
        return m, bias
    r = load9(contacts.rotation, i, 0)
    p = load3(contacts.position, i, 0)
    s, e, d = contact_blocks(contacts, i)
    f, n = law_wrench(contacts, i)
    if turns(contacts, i):
        m = summed(m, moved(r, p, (s, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), e, d)))
        f, n = to_parent(r, p, f, n)
        return m, (add(bias[0], scale(-1.0, f)), add(bias[1], scale(-1.0, n)))
    s = transform_general(r, s)
    sp = times_hat(s, p)
    f = rotate(r, f)
    m = (plus(m[0], s), minus(m[1], sp), plus(m[2], hat_times(p, s)), minus(m[3], hat_times(p, sp)))
    return m, (add(bias[0], scale(-1.0, f)), add(bias[1], cross(f, p)))


@compiled(inline=True)
def moved(r, p, m):
    """X^T M X, as of ``add_moved``."""
    a = transform_general(r, m[0])
    b = transform_general(r, m[1])
    c = transform_general(r, m[2])
    d = transform_general(r, m[3])
    b2 = minus(b, times_hat(a, p))
    return a, b2, plus(c, hat_times(p, a)), minus(plus(d, hat_times(p, b2)), times_hat(c, p))


@compiled(inline=True)
def blocks_of(inertia, k):
    """The blocks of frame k in memory."""
    return load9(inertia, k, BLOCK.a), load9(inertia, k, BLOCK.b), load9(inertia, k, BLOCK.c), load9(inertia, k, BLOCK.d)


@compiled(inline=True)
def store_blocks(inertia, k, m):
    """Blocks of frame k to memory."""
    store9(inertia, k, BLOCK.a, m[0])
    store9(inertia, k, BLOCK.b, m[1])
    store9(inertia, k, BLOCK.c, m[2])
    store9(inertia, k, BLOCK.d, m[3])


@compiled(inline=True)
def gathered(told, frames, contacts, k, first, last, later, handed):
    """Blocks and bias of frame k with its contacts, ``first`` to ``last``, and what the frame after it hands on."""
    robot = contacts.robot
    if branches(told, frames, k):
        m = blocks_of(robot.inertia, k)
        bias = (load3(robot.bias, k, 0), load3(robot.bias, k, 3))
    else:
        m = own_blocks(robot.constants, k)
        bias = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for c in range(first, last):
            m, bias = with_contact(contacts, index(c), m, bias)
    if k + 1 < frames.shape[0] and follows(told, frames, k + 1):
        m = summed(m, later)
        bias = (add(bias[0], handed[0]), add(bias[1], handed[1]))
    return m, bias


@compiled(inline=True)
def inward(told, frames, imposed, contacts, frame_work, x, tau):
    """Every direction is eliminated, tips to reference body; what is left of a frame goes to the one before it in registers."""
    robot = contacts.robot
    o = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    later = (o, o, o, o)
    handed = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    first = contacts.end
    for k in range(frames.shape[0] - 1, 0, -1):
        last = first
        while first > contacts.begin and contacts.frame[index(first - 1)] == k:
            first -= 1
        m, bias = gathered(told, frames, contacts, k, first, last, later, handed)
        i = first_v(told, frames, k)
        # The hinge turns about the third axis: column and row of M along it, as of ``begin_direction``.
        ux = (m[1][2], m[1][5], m[1][8])
        uw = (m[3][2], m[3][5], m[3][8])
        vx = (m[2][6], m[2][7], m[2][8])
        vw = (m[3][6], m[3][7], m[3][8])
        store3(robot.direction_row, i, 0, vx)
        store3(robot.direction_row, i, 3, vw)
        right = contacts.rhs[i]
        tau[i] = right
        s = 1.0 / (uw[2] + robot.constants[k, ARMATURE])
        u = right - bias[1][2]
        robot.direction_inverse[i] = s
        robot.direction_force[i] = u
        us = u * s
        m = (reduced(m[0], s, ux, vx), reduced(m[1], s, ux, vw), reduced(m[2], s, uw, vx), reduced(m[3], s, uw, vw))
        r = load9(frame_work, k, WORK.rotation)
        p = load3(frame_work, k, WORK.position)
        handed = to_parent(r, p, add(bias[0], scale(us, ux)), add(bias[1], scale(us, uw)))
        later = moved(r, p, m)
        if not follows(told, frames, k):
            parent = index(frames[k, PARENT])
            increase3(robot.bias, parent, 0, handed[0])
            increase3(robot.bias, parent, 3, handed[1])
            store_blocks(robot.inertia, parent, summed(blocks_of(robot.inertia, parent), later))
    m, bias = gathered(told, frames, contacts, 0, contacts.begin, first, later, handed)
    store_blocks(robot.inertia, 0, m)
    store3(robot.bias, 0, 0, bias[0])
    store3(robot.bias, 0, 3, bias[1])
    for i in range(frames[0, FIRST_V], frames[0, FIRST_V] + frames[0, COUNT_V]):
        tau[i] = contacts.rhs[i]
    eliminate(frames, imposed, robot, -1, frame_work, x, tau, 0)


@compiled(inline=True)
def outward(told, frames, imposed, contacts, frame_work, x, tau):
    """Velocities of all coordinates and twists of the frames, reference body to tips."""
    robot = contacts.robot
    outward_frame(frames, imposed, contacts, frame_work, x, tau, False, 0)
    u = load3(frame_work, 0, WORK.twist)
    w = load3(frame_work, 0, WORK.twist + 3)
    for k in range(1, frames.shape[0]):
        i = first_v(told, frames, k)
        if not follows(told, frames, k):
            parent = index(frames[k, PARENT])
            u = load3(frame_work, parent, WORK.twist)
            w = load3(frame_work, parent, WORK.twist + 3)
        u, w = to_child(load9(frame_work, k, WORK.rotation), load3(frame_work, k, WORK.position), u, w)
        vx = load3(robot.direction_row, i, 0)
        vw = load3(robot.direction_row, i, 3)
        rate = (robot.direction_force[i] - dot(vx, u) - dot(vw, w)) * robot.direction_inverse[i]
        x[i] = rate
        w = (w[0], w[1], w[2] + rate)
        store3(frame_work, k, WORK.twist, u)
        store3(frame_work, k, WORK.twist + 3, w)
