"""Compliant contact of two surfaces, one of a robot and one of the world or of another body: geometry of pairs, law of contact.

Gap, point c and normal n are those of hard contact (:mod:`locodyn.world.contact_pairs`), the law that of
:mod:`locodyn.world.contact_law`. The force F acts on the frame A of the robot at c, and -F on the other one, B. Deflections along
the surface stand on B: a law remembers them as a vector Z in the axes of B (of the world), from which the parts forward, aside
and along the normal follow however these turn. A vector has no preferred direction, so that friction that is alike in all
directions depends on none.

When A and B are displaced, the gap changes by n . u, u being the motion at c of A over B. Point and normal follow the curvature
of both surfaces, by central differences of their geometry.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    increase3,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    subtract,
)
from locodyn.lie.so3 import exp_matrix
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST
from locodyn.world.contact_law import contact_change, contact_response
from locodyn.world.contact_pairs import forward_axis, pair_gap
from locodyn.world.law_table import LAW

_STEP = 1e-6  # m and rad: a change of the geometry, to 1e-8 for surfaces with radii of centimetres
GEOMETRY = 7  # gap, normal, point


@compiled
def contact_place(pairs, poses, n):
    """(A, B, gap, point, normal) of pair n; the normal points to A, which is a frame of the robot, B is -1 for the world."""
    gap, point, normal = pair_gap(pairs, poses, n)
    if pairs.frame[n] >= 0:
        return pairs.frame[n], pairs.other[n], gap, point, normal
    return pairs.other[n], -1, gap, point, scale(-1.0, normal)


@compiled(inline=True)
def velocity_at(poses, motions, k, point):
    """Velocity of frame k (-1: the world) at a point, and its spin, world axes."""
    if k < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    r = load9(poses, k, ROTATION)
    w = rotate(r, load3(motions, k, TWIST + 3))
    return add(rotate(r, load3(motions, k, TWIST)), cross(w, subtract(point, load3(poses, k, POSITION)))), w


@compiled(inline=True)
def bent_in_world(laws, poses, memory, row, other):
    """Deflection Z (3,) m, world axes."""
    m = laws.memory[row]
    if m < 0:
        return (0.0, 0.0, 0.0)
    z = (memory.value[m], memory.value[m + 1], memory.value[m + 2])
    return z if other < 0 else rotate(load9(poses, other, ROTATION), z)


@compiled(inline=True)
def in_axes(normal, forward, side, x):
    """Components of x along forward, side and normal."""
    return dot(x, forward), dot(x, side), dot(x, normal)


@compiled(inline=True)
def from_axes(normal, forward, side, along):
    """The vector with components (3,) along forward, side and normal."""
    return add(add(scale(along[0], forward), scale(along[1], side)), scale(along[2], normal))


@compiled
def pair_contact(pairs, laws, poses, motions, memory, row):
    """What there is of the compliant contact ``row``, world axes.

    Returns ((A, B), (gap, point, normal, forward, flat), (velocity of A over B at the point, deflection Z), (force on A, Zdot
    over B), (stored energy, lost power)); flat: length of the direction of the surface in the tangent plane.
    """
    n = laws.pair[row]
    frame, other, gap, point, normal = contact_place(pairs, poses, n)
    forward, flat = forward_axis(pairs, poses, n, frame, normal)
    side = cross(normal, forward)
    one, spin = velocity_at(poses, motions, frame, point)
    two, other_spin = velocity_at(poses, motions, other, point)
    v = subtract(one, two)
    bent = bent_in_world(laws, poses, memory, row, other)
    turn = 0.0
    if flat > 0.0:  # of forward on the surface of B, whose normal turns with B but for its curvature
        lead = rotate(load9(poses, frame, ROTATION), load3(pairs.direction, n, 0))
        turn = dot(forward_change(lead, normal, forward, flat, cross(spin, lead), cross(other_spin, normal)), side)
        turn -= dot(other_spin, normal)
    v1, v2, vn = in_axes(normal, forward, side, v)
    along, rate, stored, lost = contact_response(laws, row, -gap, vn, (v1, v2), in_axes(normal, forward, side, bent), turn)
    force = from_axes(normal, forward, side, (along[1], along[2], along[0]))
    rate = from_axes(normal, forward, side, rate)
    return (frame, other), (gap, point, normal, forward, flat), (v, bent), (force, rate), (stored, lost)


@compiled(inline=True)
def forward_change(lead, normal, forward, flat, more_lead, more_normal):
    """How forward changes with the direction ``lead`` of the surface and with the normal."""
    if flat == 0.0:
        return scale(-dot(forward, more_normal), normal)
    change = subtract(more_lead, scale(dot(lead, normal), more_normal))
    change = subtract(change, scale(dot(more_lead, normal) + dot(lead, more_normal), normal))
    return scale(1.0 / flat, subtract(change, scale(dot(forward, change), forward)))


@compiled(inline=True)
def add_force(poses, k, point, force, wrenches):
    """Add a force (world axes) at a point to the wrench on frame k, which is not the world."""
    r = load9(poses, k, ROTATION)
    f = rotate_back(r, force)
    increase3(wrenches, k, 0, f)
    increase3(wrenches, k, 3, cross(rotate_back(r, subtract(point, load3(poses, k, POSITION))), f))


@compiled(called=True)
def add_pair_wrenches(pairs, laws, poses, motions, memory, wrenches):
    """Add the wrenches of all compliant pairs to ``wrenches`` (nf, 6), rates to ``memory.rate``; (stored J, lost W)."""
    stored = 0.0
    lost = 0.0
    for row in range(laws.frame.shape[0]):
        if laws.kind[row] != LAW.pair:
            continue
        frames, place, _, answer, tally = pair_contact(pairs, laws, poses, motions, memory, row)
        m = laws.memory[row]
        if m >= 0:
            rate = answer[1] if frames[1] < 0 else rotate_back(load9(poses, frames[1], ROTATION), answer[1])
            for j in range(3):
                memory.rate[m + j] = rate[j]
        stored += tally[0]
        lost += tally[1]
        if place[0] < 0.0:
            add_force(poses, frames[0], place[1], answer[0], wrenches)
            if frames[1] >= 0:
                add_force(poses, frames[1], place[1], scale(-1.0, answer[0]), wrenches)
    return stored, lost


@compiled(called=True)
def pair_forces(pairs, laws, poses, motions, memory, forces):
    """Forces of all compliant pairs on their first frames, world axes, into ``forces`` (m, 3), N."""
    for row in range(laws.frame.shape[0]):
        if laws.kind[row] == LAW.pair:
            _, _, _, answer, _ = pair_contact(pairs, laws, poses, motions, memory, row)
            store3(forces, row, 0, answer[0])


@compiled
def pair_change(pairs, laws, poses, row, contact, moved, dv, dz):
    """Changes of the force on A and of Zdot, world axes, of a contact found by :func:`pair_contact`.

    ``moved``: changes of gap, normal and of the direction of the surface; ``dv``: of the velocity of A over B at the contact,
    ``dz``: of Z.
    """
    (frame, _), (gap, _, normal, forward, flat), (v, bent), (force, rate), _ = contact
    more_gap, more_normal, more_lead = moved
    side = cross(normal, forward)
    lead = rotate(load9(poses, frame, ROTATION), load3(pairs.direction, laws.pair[row], 0))
    more_forward = forward_change(lead, normal, forward, flat, more_lead, more_normal)
    more_side = add(cross(more_normal, forward), cross(normal, more_forward))
    e = add_each(in_axes(normal, forward, side, dv), in_axes(more_normal, more_forward, more_side, v))
    d = add_each(in_axes(normal, forward, side, dz), in_axes(more_normal, more_forward, more_side, bent))
    v1, v2, vn = in_axes(normal, forward, side, v)
    z = in_axes(normal, forward, side, bent)
    more, rates = contact_change(laws, row, -gap, vn, (v1, v2), z, -more_gap, e[2], (e[0], e[1]), d)
    df = from_axes(normal, forward, side, (more[1], more[2], more[0]))
    df = add(df, from_axes(more_normal, more_forward, more_side, in_axes(normal, forward, side, force)))
    dr = from_axes(normal, forward, side, rates)
    return df, add(dr, from_axes(more_normal, more_forward, more_side, in_axes(normal, forward, side, rate)))


@compiled(inline=True)
def add_each(a, b):
    """Sum of two triples."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compiled(inline=True)
def displace(poses, k, point, r, p, axis, amount):
    """Move frame k from (r, p) by ``amount`` along (``axis`` 0, 1, 2) or about (3, 4, 5) an axis through ``point``."""
    j = axis % 3
    u = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    if axis < 3:
        store3(poses, k, POSITION, add(p, scale(amount, u)))
        return
    turn = exp_matrix(scale(amount, u))
    store9(poses, k, ROTATION, multiply(turn, r))
    store3(poses, k, POSITION, add(point, rotate(turn, subtract(p, point))))


@compiled(called=True)
def geometry_slopes(pairs, poses, n, slopes):
    """``slopes`` (7, 6): how gap, normal and point of pair n change as A moves over B: along x, y, z, about them at the point.

    World axes. Frame A of ``poses`` is displaced for a look, and put back.
    """
    frame, _, _, point, normal = contact_place(pairs, poses, n)
    r = load9(poses, frame, ROTATION)
    p = load3(poses, frame, POSITION)
    for axis in range(6):
        for sign in (-1.0, 1.0):
            displace(poses, frame, point, r, p, axis, sign * _STEP)
            _, _, gap, at, there = contact_place(pairs, poses, n)
            store9(poses, frame, ROTATION, r)
            store3(poses, frame, POSITION, p)
            found = (gap, there[0], there[1], there[2], at[0], at[1], at[2])
            for i in range(GEOMETRY):
                part = sign * found[i] / (2.0 * _STEP)
                slopes[i, axis] = part if sign < 0.0 else slopes[i, axis] + part
    if pairs.lean[n] == 0.0:  # then it is known without differences
        for axis in range(6):
            slopes[0, axis] = normal[axis] if axis < 3 else 0.0
