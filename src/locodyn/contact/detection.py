"""Which contacts are closed, and their axes: the geometry of one step."""

from __future__ import annotations

from locodyn.contact.broad_phase import refresh_candidates
from locodyn.contact.islands import index
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, cross, load3, load9, multiply, rotate, rotate_back, store3, store9, subtract
from locodyn.robot.layout import PARENT
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.world.contact_pairs import forward_axis, pair_gap
from locodyn.world.gaps import PAIR

SKIN = 1e-7  # m: what round-off and tolerance may lift a robot that rests on the ground


@compiled(called=True)
def world_poses(frames, frame_work, poses):
    """World poses from those in the parents, which inverse dynamics has left in ``frame_work``."""
    for k in range(frames.shape[0]):
        r = load9(frame_work, k, 0)
        x = load3(frame_work, k, 9)
        parent = frames[k, PARENT]
        if parent >= 0:
            r0 = load9(poses, parent, ROTATION)
            x = add(load3(poses, parent, POSITION), rotate(r0, x))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, x)


@compiled(inline=True)
def advance_travel(contacts, poses):
    """Add to ``travel`` a bound of the way of every frame's surfaces since the last look: |dp| + reach |dR| (Frobenius)."""
    last = contacts.detection.poses
    for k in range(poses.shape[0]):
        x, r = load3(poses, k, POSITION), load9(poses, k, ROTATION)
        x0, r0 = load3(last, k, POSITION), load9(last, k, ROTATION)
        moved = 0.0
        for j in range(3):
            moved += (x[j] - x0[j]) * (x[j] - x0[j])
        turned = 0.0
        for j in range(9):
            turned += (r[j] - r0[j]) * (r[j] - r0[j])
        contacts.detection.travel[k] += sqrt(moved) + contacts.detection.reach[k] * sqrt(turned)
        store3(last, k, POSITION, x)
        store9(last, k, ROTATION, r)


@compiled(called=True)
def find_closed(contacts, poses, step):
    """The closed contacts: all pairs whose gap is not positive (beyond round-off); returns their number.

    In a step that looks ahead also inelastic pairs whose gap is less than twice the way of their sides in a step, ``stride``.
    A pair is looked at when the ways that its two sides have gone since the last look could have used up the gap found then, or
    a fifth of it where it must be seen ahead: nothing is missed, and what is far away costs one comparison; of many bodies,
    those that are far apart cost none (:mod:`locodyn.contact.broad_phase`).
    """
    advance_travel(contacts, poses)
    ahead = step > 0.0 and contacts.ahead
    count = 0
    world = poses.shape[0]
    refresh_candidates(contacts, poses)
    for m in range(contacts.broad.candidates):
        n = index(contacts.broad.candidate[m])
        frame = contacts.pairs.frame[n]
        other = contacts.pairs.other[n]
        way = (
            contacts.detection.travel[frame if frame >= 0 else world] + contacts.detection.travel[other if other >= 0 else world]
        )
        if way < contacts.detection.due[n]:
            continue
        gap, point, normal = pair_gap(contacts.pairs, poses, n)
        margin = SKIN
        near = SKIN
        share = 1.0
        if ahead and contacts.pairs.restitution[n] == 0.0:
            near = 10.0 * SKIN
            margin = near + 2.0 * (
                contacts.detection.stride[frame if frame >= 0 else world]
                + contacts.detection.stride[other if other >= 0 else world]
            )
            share = 0.2
        contacts.detection.due[n] = way + share * (
            gap - contacts.pairs.lean[n] - near
        )  # how a cylinder leans may change at once with the normal
        kind = contacts.pairs.kind[n]
        # The foot of the perpendicular on terrain is the nearest one only near the surface.
        if kind == PAIR.terrain or kind == PAIR.rim_terrain or kind == PAIR.ellipsoid_terrain:
            contacts.detection.due[n] = way + min(0.5, share) * max(0.0, gap - contacts.pairs.spacing[n])
        if kind == PAIR.sides:  # those that do not cross count as farther apart by both diameters, and may cross at once
            apart = 2.0 * (contacts.pairs.own_half[n, 0] + contacts.pairs.other_half[n, 0])
            contacts.detection.due[n] = way + share * max(0.0, gap - apart - near)
        if gap > margin:
            continue
        place(contacts, poses, count, n, gap, point, normal, step)
        if kind != PAIR.support:
            contacts.report.deepest = max(contacts.report.deepest, -gap)
        count += 1
    contacts.closed = count
    return count


@compiled(inline=True)
def place(contacts, poses, i, n, gap, point, normal, step):
    """Row i of the closed contacts: axes, scales of the rows, known radius."""
    frame = contacts.pairs.frame[n]
    other = contacts.pairs.other[n]
    if frame < 0:
        frame = other
        other = -1
        normal = (-normal[0], -normal[1], -normal[2])
    r, x = load9(poses, frame, ROTATION), load3(poses, frame, POSITION)
    forward, _ = forward_axis(contacts.pairs, poses, n, frame, normal)
    side = cross(normal, forward)
    basis = (
        normal[0], forward[0], side[0], normal[1], forward[1], side[1], normal[2], forward[2], side[2],
    )  # fmt: skip
    laws = contacts.pair_laws
    scales, turning, units = load3(laws.scales, n, 0), load3(laws.scales, n, 3), load3(laws.units, n, 0)
    forward_share, backward_share, load = laws.forward_share[n], laws.backward_share[n], laws.load[n]
    # All but the pose of another body has been read.
    contacts.heap.filled = 0
    contacts.pair[i] = n
    contacts.frame[i] = frame
    contacts.other[i] = other
    store3(contacts.point, i, 0, point)
    store9(contacts.basis, i, 0, basis)
    store9(contacts.rotation, i, 0, multiply_back(r, basis))
    store3(contacts.position, i, 0, rotate_back(r, subtract(point, x)))
    if other >= 0:
        ro = load9(poses, other, ROTATION)
        store9(contacts.other_rotation, i, 0, multiply_back(ro, basis))
        store3(contacts.other_position, i, 0, rotate_back(ro, subtract(point, load3(poses, other, POSITION))))
    contacts.gap[i] = gap
    contacts.least_impulse[i] = 0.0
    store3(contacts.scales, i, 0, scales)
    store3(contacts.scales, i, 3, turning)
    store3(contacts.units, i, 0, units)
    contacts.forward_share[i] = forward_share
    contacts.backward_share[i] = backward_share
    contacts.known_radius[i] = load * step if load > 0.0 else load


@compiled(inline=True)
def multiply_back(a, b):
    """A^T B."""
    return multiply((a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]), b)
