"""Contacts between frames that move, in the recursion of :mod:`locodyn.contact.recursion`: sparse elimination of coupled frames.

A contact between frames a and b adds J_a^T D J_a and J_b^T D J_b to their inertias and couples them by C_ab = -J_a^T D J_b and
C_ba = -J_b^T D J_a. A frame k that is coupled to frames b when it is eliminated, direction S by direction, takes from all of them

    C_bc -= C_bk S (S^T M S)^-1 S^T C_kc,      c in {b}, k itself included,

and hands what is left of its inertia and of its couplings to its parent, whose twist moves it. So the cost of a chain with
contacts of its own, or of a heap of bodies, is that of the sparse factors of its graph; see
:mod:`locodyn.contact.elimination` for the order. Blocks are stored as in the recursion, on (linear; angular) of both frames.
"""

from __future__ import annotations

from locodyn.contact.block import contact_blocks, law_wrench
from locodyn.contact.elimination import slot_of
from locodyn.contact.inertia_blocks import (
    BLOCK,
    add_moved,
    along_direction,
    begin_direction,
    column_of,
    decrease_inertia,
    hat_times,
    row_of,
    times_hat,
)
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.kernel import compiled, fma
from locodyn.kernel.vector import add, dot, increase3, load3, load9, multiply, scale, store3
from locodyn.robot.layout import CODE, COUNT_V, FIRST_V, HELICAL, PITCH
from locodyn.shape.joint import axis_of
from locodyn.shape.kinematics import to_parent


@compiled(inline=True)
def transposed(m):
    """M^T."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@compiled
def clear_couplings(coupling, k):
    """Nothing couples frame k yet."""
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        for j in range(36):
            coupling.upper[e, j] = 0.0
            coupling.lower[e, j] = 0.0


@compiled(late=())
def add_reaction(contacts, i):
    """Response and wrench of contact i on its other frame, and what couples the two frames."""
    k = contacts.other[i]
    r = load9(contacts.other_rotation, i, 0)
    p = load3(contacts.other_position, i, 0)
    a, e, d = contact_blocks(contacts, i)
    add_moved(contacts.robot.inertia, k, r, p, a, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), e, d)
    f, n = law_wrench(contacts, i)
    f, n = to_parent(r, p, f, n)
    increase3(contacts.robot.bias, k, 0, f)
    increase3(contacts.robot.bias, k, 3, n)
    if contacts.coupling.active[i] != 1:
        return
    slot = contacts.coupling.slot[i]
    rf = load9(contacts.rotation, i, 0)
    pf = load3(contacts.position, i, 0)
    place = contacts.coupling.place
    if place[contacts.frame[i]] < place[k]:
        subtract_between(contacts.coupling.upper, slot, rf, pf, r, p, a, e, d)
        subtract_between(contacts.coupling.lower, slot, r, p, rf, pf, a, e, d)
    else:
        subtract_between(contacts.coupling.upper, slot, r, p, rf, pf, a, e, d)
        subtract_between(contacts.coupling.lower, slot, rf, pf, r, p, a, e, d)


@compiled
def subtract_between(blocks, slot, r, p, s, o, a, c, d):
    """Subtract J_1^T [[A, 0], [C, D]] J_2 for contact axes at (R, p) in the first frame and at (S, o) in the second."""
    back = transposed(s)
    a = multiply(multiply(r, a), back)
    c = multiply(multiply(r, c), back)
    d = multiply(multiply(r, d), back)
    ao = times_hat(a, o)
    co = times_hat(c, o)
    pa = hat_times(p, a)
    pao = hat_times(p, ao)
    for j in range(9):
        blocks[slot, BLOCK.a + j] -= a[j]
        blocks[slot, BLOCK.b + j] += ao[j]
        blocks[slot, BLOCK.c + j] -= c[j] + pa[j]
        blocks[slot, BLOCK.d + j] -= d[j] - co[j] - pao[j]


# ------------------------------------------------------------------------------------------------------ elimination
@compiled(late=())
def eliminate_coupled(frames, imposed, contacts, frame_work, x, tau, k):
    """Eliminate the free directions of frame k, which is coupled to others; its parent takes over what is left."""
    robot, coupling = contacts.robot, contacts.coupling
    parent = contacts.islands.carrier[k]
    code = frames[k, CODE]
    i = frames[k, FIRST_V]
    first = coupling.first[k]
    last = first + coupling.count[k]
    for j in range(frames[k, COUNT_V] - 1, -1, -1):
        axis = axis_of(code, j)
        pitch = robot.constants[k, PITCH] if code == HELICAL else 0.0
        ux, uw, vx, vw = along_direction(robot, code, k, axis)
        held = imposed.shape[0] > 0 and imposed[i + j] != 0
        s, us = begin_direction(robot, code, k, i + j, j, held, (ux, uw), (vx, vw), x, tau)
        for e in range(first, last):
            cx, cw = column_of(coupling.lower, e, axis)
            rx, rw = row_of(coupling.upper, e, axis)
            if code == HELICAL:
                tx, tw = column_of(coupling.lower, e, 2)
                cx, cw = add(cx, scale(pitch, tx)), add(cw, scale(pitch, tw))
                tx, tw = row_of(coupling.upper, e, 2)
                rx, rw = add(rx, scale(pitch, tx)), add(rw, scale(pitch, tw))
            b = coupling.neighbour[e]
            increase3(robot.bias, b, 0, scale(us, cx))
            increase3(robot.bias, b, 3, scale(us, cw))
            store3(coupling.rows, e, 6 * j, rx)
            store3(coupling.rows, e, 6 * j + 3, rw)
            n = 6 * (e - first)
            for m in range(3):  # an imposed direction eliminates nothing: s = 0
                coupling.left[j, n + m] = s * cx[m]
                coupling.left[j, n + 3 + m] = s * cw[m]
                coupling.right[j, n + m] = rx[m]
                coupling.right[j, n + 3 + m] = rw[m]
            if not held and (j > 0 or parent >= 0):
                decrease_inertia(coupling.lower, e, s, cx, cw, vx, vw)
                decrease_inertia(coupling.upper, e, s, ux, uw, rx, rw)
        if not held:
            if parent < 0 and j == 0:
                continue
            decrease_inertia(robot.inertia, k, s, ux, uw, vx, vw)
        increase3(robot.bias, k, 0, scale(us, ux))
        increase3(robot.bias, k, 3, scale(us, uw))
    update_neighbours(contacts, first, last, frames[k, COUNT_V])
    if parent >= 0:
        hand_over(contacts, frame_work, k, parent)


@compiled
def update_neighbours(contacts, first, last, count):
    """C_bc -= sum over the ``count`` directions of left_b right_c^T, for all frames b, c coupled to the one eliminated."""
    coupling = contacts.coupling
    for e in range(first, last):
        b = coupling.neighbour[e]
        products(coupling, 6 * (e - first), 6 * (last - first), count)
        for other in range(first, last):
            c = coupling.neighbour[other]
            n = 6 * (other - first)
            if c == b:
                take_off(contacts.robot.inertia, b, coupling.update, n)
            elif coupling.place[b] < coupling.place[c]:
                take_off(coupling.upper, slot_of(coupling, b, c), coupling.update, n)
            else:
                take_off(coupling.lower, slot_of(coupling, c, b), coupling.update, n)


@compiled
def products(coupling, row, size, count):
    """``update`` (6, size): six rows of left right^T."""
    left, right, update = coupling.left, coupling.right, coupling.update
    if count == 6:
        for r in range(6):
            a0, a1, a2 = left[0, row + r], left[1, row + r], left[2, row + r]
            a3, a4, a5 = left[3, row + r], left[4, row + r], left[5, row + r]
            for c in range(size):
                half = fma(a3, right[3, c], fma(a4, right[4, c], a5 * right[5, c]))
                update[r, c] = fma(a0, right[0, c], fma(a1, right[1, c], fma(a2, right[2, c], half)))
        return
    for r in range(6):
        for c in range(size):
            update[r, c] = 0.0
        for j in range(count):
            a = left[j, row + r]
            for c in range(size):
                update[r, c] += a * right[j, c]


@compiled(inline=True)
def take_off(blocks, k, update, n):
    """Subtract columns n to n + 5 of ``update`` from the block k."""
    for r in range(3):
        for c in range(3):
            blocks[k, BLOCK.a + 3 * r + c] -= update[r, n + c]
            blocks[k, BLOCK.b + 3 * r + c] -= update[r, n + 3 + c]
            blocks[k, BLOCK.c + 3 * r + c] -= update[3 + r, n + c]
            blocks[k, BLOCK.d + 3 * r + c] -= update[3 + r, n + 3 + c]


@compiled
def hand_over(contacts, frame_work, k, parent):
    """What is left of frame k to its parent: inertia, wrench, and couplings, as they act through the parent's twist."""
    robot, coupling = contacts.robot, contacts.coupling
    r = load9(frame_work, k, WORK.rotation)
    p = load3(frame_work, k, WORK.position)
    f, n = to_parent(r, p, load3(robot.bias, k, 0), load3(robot.bias, k, 3))
    increase3(robot.bias, parent, 0, f)
    increase3(robot.bias, parent, 3, n)
    add_moved(
        robot.inertia, parent, r, p, load9(robot.inertia, k, BLOCK.a), load9(robot.inertia, k, BLOCK.b),
        load9(robot.inertia, k, BLOCK.c), load9(robot.inertia, k, BLOCK.d),
    )  # fmt: skip
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        b = coupling.neighbour[e]
        if b == parent:
            add_by_force(robot.inertia, parent, r, p, coupling.upper, e)
            add_by_twist(robot.inertia, parent, r, p, coupling.lower, e)
        elif coupling.place[parent] < coupling.place[b]:
            slot = slot_of(coupling, parent, b)
            add_by_force(coupling.upper, slot, r, p, coupling.upper, e)
            add_by_twist(coupling.lower, slot, r, p, coupling.lower, e)
        else:
            slot = slot_of(coupling, b, parent)
            add_by_force(coupling.lower, slot, r, p, coupling.upper, e)
            add_by_twist(coupling.upper, slot, r, p, coupling.lower, e)


@compiled
def add_by_force(target, slot, r, p, source, e):
    """target += X^T C: wrenches of a frame at (R, p) as seen from its parent."""
    a = multiply(r, load9(source, e, BLOCK.a))
    b = multiply(r, load9(source, e, BLOCK.b))
    c = multiply(r, load9(source, e, BLOCK.c))
    d = multiply(r, load9(source, e, BLOCK.d))
    pa = hat_times(p, a)
    pb = hat_times(p, b)
    for j in range(9):
        target[slot, BLOCK.a + j] += a[j]
        target[slot, BLOCK.b + j] += b[j]
        target[slot, BLOCK.c + j] += c[j] + pa[j]
        target[slot, BLOCK.d + j] += d[j] + pb[j]


@compiled
def add_by_twist(target, slot, r, p, source, e):
    """target += C X: by the twist of the parent of a frame at (R, p)."""
    back = transposed(r)
    a = multiply(load9(source, e, BLOCK.a), back)
    b = multiply(load9(source, e, BLOCK.b), back)
    c = multiply(load9(source, e, BLOCK.c), back)
    d = multiply(load9(source, e, BLOCK.d), back)
    ap = times_hat(a, p)
    cp = times_hat(c, p)
    for j in range(9):
        target[slot, BLOCK.a + j] += a[j]
        target[slot, BLOCK.b + j] += b[j] - ap[j]
        target[slot, BLOCK.c + j] += c[j]
        target[slot, BLOCK.d + j] += d[j] - cp[j]


@compiled(inline=True)
def coupled_force(coupling, frame_work, k, j):
    """S_j^T sum_b C_kb V_b of frame k: what the twists of frames coupled to it contribute to direction j."""
    total = 0.0
    for e in range(coupling.first[k], coupling.first[k] + coupling.count[k]):
        b = coupling.neighbour[e]
        total += dot(load3(coupling.rows, e, 6 * j), load3(frame_work, b, WORK.twist))
        total += dot(load3(coupling.rows, e, 6 * j + 3), load3(frame_work, b, WORK.twist + 3))
    return total
