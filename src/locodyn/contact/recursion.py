"""Velocities of the linear contact problem in O(n): articulated inertias whose contacts respond without symmetry.

    (M + E + J^T D J) x = rhs + J^T (q - D shift)

Friction follows the normal impulse, so that D of a sliding contact has a column for the normal velocity, but no such row: a
contact adds the general 6 x 6 block X^T D X to the inertia of its frame. The recursion of Featherstone (1983) needs no symmetry
when it keeps the column M S and the row S^T M of every direction S apart: M - M S (S^T M S)^-1 S^T M is handed to the parent,
see :mod:`locodyn.contact.inertia_blocks`. Frames that touch each other are coupled, :mod:`locodyn.contact.coupling`.
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench, responds
from locodyn.contact.coupling import add_reaction, clear_couplings, coupled_force, eliminate_coupled
from locodyn.contact.elimination import find_couplings
from locodyn.contact.free_heap import heap_velocity, is_free_heap
from locodyn.contact.inertia_blocks import (
    BLOCK,
    add_force,
    add_moved,
    along_direction,
    begin_direction,
    decrease_inertia,
    full,
    increase9,
)
from locodyn.contact.islands import contact_at, frame_at, index
from locodyn.contact.lone_bodies import is_bare, lone_velocity
from locodyn.dynamics.forward_dynamics import WORK, accelerated
from locodyn.dynamics.inertia import load_fluid, load_inertia
from locodyn.kernel import compiled
from locodyn.kernel.vector import cross, dot, increase3, load3, load9, rotate, scale, store3, store9
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_V, FLUID, HELICAL, PITCH, REVOLUTE
from locodyn.shape.joint import axis_of
from locodyn.shape.kinematics import to_child, to_parent


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
    k = index(contacts.frame[i])
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
    k = index(contacts.frame[i])
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
def begin_island(frames, contacts, tau):
    """Inertias and wrenches of the frames of the island at hand, with those of its contacts; ``tau`` := right-hand side."""
    robot, islands = contacts.robot, contacts.islands
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        begin_frame(frames, robot.constants, k, robot.inertia, robot.bias)
        for i in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
            tau[i] = contacts.rhs[i]
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if not responds(contacts, i):  # open
            continue
        if contacts.scales[i, 3] > 0.0 or contacts.scales[i, 4] > 0.0:
            add_turning_contact(contacts, i)
        else:
            add_point_contact(contacts, i)
        if contacts.other[i] >= 0:
            add_reaction(contacts, i)


@compiled(inline=True)
def eliminate(frames, imposed, robot, parent, frame_work, x, tau, k):
    """Every free direction of frame k is eliminated, an imposed one is not; its parent takes over what is left.

    ``parent`` below 0: nothing that moves carries frame k.
    """
    inertia = robot.inertia
    bias = robot.bias
    code = frames[k, CODE]
    i = index(frames[k, FIRST_V])
    for j in range(frames[k, COUNT_V] - 1, -1, -1):
        axis = 5 if code == REVOLUTE else axis_of(code, j)
        ux, uw, vx, vw = along_direction(robot, code, k, axis)
        held = imposed.shape[0] > 0 and imposed[i + j] != 0
        s, us = begin_direction(robot, code, k, i + j, j, held, (ux, uw), (vx, vw), x, tau)
        if not held:
            if parent < 0 and j == 0:
                continue
            decrease_inertia(inertia, k, s, ux, uw, vx, vw)
        increase3(bias, k, 0, scale(us, ux))
        increase3(bias, k, 3, scale(us, uw))
    if parent < 0:
        return
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
def outward(frames, imposed, contacts, frame_work, x, tau, coupled):
    """Velocities of free coordinates, impulses of imposed ones, twists of the frames; ``coupled``: frames may be, to others."""
    islands = contacts.islands
    for n in range(islands.begin, islands.end):
        outward_frame(frames, imposed, contacts, frame_work, x, tau, coupled, frame_at(islands, n))


@compiled(inline=True)
def outward_frame(frames, imposed, contacts, frame_work, x, tau, coupled, k):
    """:func:`outward` for frame k, when its parent is done."""
    robot = contacts.robot
    constants = robot.constants
    mixed = imposed.shape[0] > 0
    parent = contacts.islands.carrier[k]
    code = frames[k, CODE]
    i = index(frames[k, FIRST_V])
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
        force = robot.direction_force[i + j]
        held = mixed and imposed[i + j] != 0
        if coupled and contacts.coupling.count[k] > 0:
            by_others = coupled_force(contacts.coupling, frame_work, k, j)
            force += by_others if held else -by_others
        if not held:
            x[i + j] = (force - dot(vx, u) - dot(vw, w)) * robot.direction_inverse[i + j]
        u, w = accelerated(axis_of(code, j), x[i + j], u, w)
        if code == HELICAL:
            u = (u[0], u[1], u[2] + constants[k, PITCH] * x[i + j])
        if held:
            tau[i + j] = dot(vx, u) + dot(vw, w) + force + constants[k, ARMATURE + j] * x[i + j]
    store3(frame_work, k, WORK.twist, u)
    store3(frame_work, k, WORK.twist + 3, w)


@compiled(late=())
def untouched_velocity(frames, imposed, contacts, frame_work, x, tau):
    """:func:`recursive_velocity` of frames that nothing touches: free bodies at once, trees by the recursion."""
    robot, islands = contacts.robot, contacts.islands
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        for i in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
            tau[i] = contacts.rhs[i]
        islands.place[k] = 1 if islands.lone[k] and is_bare(robot.constants, k) else 0  # scratch
        if islands.place[k]:
            lone_velocity(robot.constants, k, frames[k, FIRST_V], contacts.rhs, x, frame_work)
        else:
            begin_frame(frames, robot.constants, k, robot.inertia, robot.bias)
    for n in range(islands.end - 1, islands.begin - 1, -1):
        k = frame_at(islands, n)
        if not islands.place[k]:
            eliminate(frames, imposed, robot, islands.carrier[k], frame_work, x, tau, k)
    for n in range(islands.begin, islands.end):
        k = frame_at(islands, n)
        if not islands.place[k]:
            outward_frame(frames, imposed, contacts, frame_work, x, tau, False, k)


@compiled(late=())
def coupled_velocity(frames, imposed, contacts, frame_work, x, tau):
    """:func:`recursive_velocity` where contacts couple frames."""
    islands = contacts.islands
    for n in range(islands.begin, islands.end):
        clear_couplings(contacts.coupling, frame_at(islands, n))
    begin_island(frames, contacts, tau)
    for n in range(islands.end - 1, islands.begin - 1, -1):
        k = frame_at(islands, n)
        if contacts.coupling.count[k] > 0:
            eliminate_coupled(frames, imposed, contacts, frame_work, x, tau, k)
        else:
            eliminate(frames, imposed, contacts.robot, islands.carrier[k], frame_work, x, tau, k)
    outward(frames, imposed, contacts, frame_work, x, tau, True)


@compiled(called=True)
def recursive_velocity(frames, imposed, contacts, frame_work, x, tau):
    """x of the linear problem of the island at hand; imposed entries of x are given, their impulses come out in ``tau``.

    ``frame_work`` has the poses of the frames in their parents, and comes to hold the twists.
    """
    islands = contacts.islands
    if contacts.begin == contacts.end and islands.trees > 1:
        untouched_velocity(frames, imposed, contacts, frame_work, x, tau)
        return
    if not islands.single and find_couplings(contacts) > 0:
        if is_free_heap(contacts):
            heap_velocity(frames, contacts, frame_work, x, tau)
        else:
            coupled_velocity(frames, imposed, contacts, frame_work, x, tau)
        return
    begin_island(frames, contacts, tau)
    for n in range(islands.end - 1, islands.begin - 1, -1):
        k = frame_at(islands, n)
        eliminate(frames, imposed, contacts.robot, islands.carrier[k], frame_work, x, tau, k)
    outward(frames, imposed, contacts, frame_work, x, tau, False)
