"""Which contacts are closed, and their axes: the geometry of one step."""

from __future__ import annotations

from locodyn.kernel import kernel, routine, sqrt, step
from locodyn.kernel.vector import cross, dot, load3, load9, multiply, rotate, rotate_back, scale, store3, store9, subtract
from locodyn.locomotion.contact.arrays import (
    AHEAD,
    BASIS,
    CLOSED,
    DEEPEST,
    GAP,
    KNOWN_RADIUS,
    LAW_ROW,
    LEAST,
    ON,
    PAIR,
    POINT,
    POSITION_ON,
    POSITION_REACTION,
    REACTION,
    ROTATION_ON,
    ROTATION_REACTION,
    SCALES,
)
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.world.contact_pairs import (
    DIRECTION,
    FRAME,
    KIND,
    LEAN,
    OTHER,
    RESTITUTION,
    SPACING,
    pair_gap,
)
from locodyn.world.gaps import ELLIPSOID_TERRAIN, RIM_TERRAIN, SUPPORT, TERRAIN, sideways, unit

SKIN = 1e-7  # m: what round-off and tolerance may lift a robot that rests on the ground


@step
def advance_travel(c, poses):
    """Add to ``travel`` a bound of the way of every frame's surfaces since the last look: |dp| + reach |dR| (Frobenius)."""
    for k in range(poses.shape[0]):
        moved = 0.0
        for j in range(3):
            d = poses[k, POSITION + j] - c.seen[k, POSITION + j]
            moved += d * d
        turned = 0.0
        for j in range(9):
            d = poses[k, ROTATION + j] - c.seen[k, ROTATION + j]
            turned += d * d
        c.travel[k] += sqrt(moved) + c.reach[k] * sqrt(turned)
        for j in range(12):
            c.seen[k, j] = poses[k, j]


@routine
def find_closed(c, poses, step):
    """Fill ``closed`` and ``contact`` with all pairs whose gap is not positive (beyond round-off); returns their number.

    In a step that looks ahead also inelastic pairs whose gap is less than twice the way of their sides in a step, ``stride``.
    A pair is looked at when the ways that its two sides have gone since the last look could have used up the gap found then, or
    a fifth of it where it must be seen ahead: nothing is missed, and what is far away costs one comparison.
    """
    advance_travel(c, poses)
    ahead = step > 0.0 and c.counts[AHEAD] != 0
    count = 0
    world = poses.shape[0]
    for n in range(c.pairs.shape[0]):
        frame = c.pairs[n, FRAME]
        other = c.pairs[n, OTHER]
        way = c.travel[frame if frame >= 0 else world] + c.travel[other if other >= 0 else world]
        if way < c.due[n]:
            continue
        gap, point, normal = pair_gap(c.pairs, c.data, c.heights, poses, n)
        c.gaps[n] = gap
        margin = SKIN
        near = SKIN
        share = 1.0
        if ahead and c.data[n, RESTITUTION] == 0.0:
            near = 10.0 * SKIN
            margin = near + 2.0 * (c.stride[frame if frame >= 0 else world] + c.stride[other if other >= 0 else world])
            share = 0.2
        c.due[n] = way + share * (gap - c.data[n, LEAN] - near)  # how a cylinder leans may change at once with the normal
        kind = c.pairs[n, KIND]
        # The foot of the perpendicular on terrain is the nearest one only near the surface.
        if kind == TERRAIN or kind == RIM_TERRAIN or kind == ELLIPSOID_TERRAIN:
            c.due[n] = way + min(0.5, share) * max(0.0, gap - c.data[n, SPACING])
        if gap > margin:
            continue
        if frame < 0:
            frame = other
            other = -1
            normal = (-normal[0], -normal[1], -normal[2])
        place(c, poses, count, n, frame, other, point, normal, gap, step)
        if kind != SUPPORT:
            c.report[DEEPEST] = max(c.report[DEEPEST], -gap)
        count += 1
    c.counts[CLOSED] = count
    return count


@step
def place(c, poses, i, n, frame, other, point, normal, gap, step):
    """Row i of the closed contacts: axes, scales of the rows, known radius."""
    c.closed[i, PAIR] = n
    c.closed[i, ON] = frame
    c.closed[i, REACTION] = other
    r = load9(poses, frame, ROTATION)
    # Forward: the direction of the surface in the tangent plane; any other where that is along the normal.
    lead = rotate(r, load3(c.data, n, DIRECTION))
    flat = subtract(lead, scale(dot(lead, normal), normal))
    if dot(flat, flat) > 1e-12:
        forward, _ = unit(flat, lead)
    else:
        forward = sideways(normal)
    side = cross(normal, forward)
    basis = (
        normal[0], forward[0], side[0], normal[1], forward[1], side[1], normal[2], forward[2], side[2],
    )  # fmt: skip
    row = c.contact
    store3(row, i, POINT, point)
    store9(row, i, BASIS, basis)
    store9(row, i, ROTATION_ON, multiply_back(r, basis))
    store3(row, i, POSITION_ON, rotate_back(r, subtract(point, load3(poses, frame, POSITION))))
    if other >= 0:
        ro = load9(poses, other, ROTATION)
        store9(row, i, ROTATION_REACTION, multiply_back(ro, basis))
        store3(row, i, POSITION_REACTION, rotate_back(ro, subtract(point, load3(poses, other, POSITION))))
    row[i, GAP] = gap
    row[i, LEAST] = 0.0
    for j in range(LAW_ROW):
        row[i, SCALES + j] = c.law_rows[n, j]
    if row[i, KNOWN_RADIUS] > 0.0:
        row[i, KNOWN_RADIUS] *= step  # a known load


@step
def multiply_back(a, b):
    """A^T B."""
    return multiply((a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]), b)


@kernel
def world_vector(c, i, x):
    """A vector in the axes of contact i in world axes."""
    return rotate(load9(c.contact, i, BASIS), x)
