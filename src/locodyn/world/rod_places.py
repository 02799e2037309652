"""Contacts on rods: which there are, where their obstacles are, at which abscissa they hold the rod, when they come and go.

The rows that follow from them: :mod:`locodyn.world.rod_rows`.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.vector import add, cross, dot, load3, load9, multiply, rotate, rotate_back, scale, store3, subtract
from locodyn.lie.matrices import transpose
from locodyn.lie.so3 import exp_matrix, right_jacobian_apply, right_jacobian_derivative
from locodyn.robot.layout import PARENT
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.shape.section import RodSections, section_pose

ANCHOR, SLEEVE, PEG = range(3)  # kinds, see locodyn.world.rod_rows
INSTANT = 1e-9  # s: a contact is there from this time before it begins
ITERATIONS = 30  # of Newton's method for the place of a peg
CLOSE = 1e-14  # of the length of the rod, its tolerance
SLOW = 1e-6  # 1/s, lengths of the rod in a second: a peg so slow does not run off its end within a step
LOGGED = 256  # impacts that are kept until Python looks at them
LOST = 0.01  # of that length: a section so far from a peg may not be the one that it holds


class RodContacts(Bundle):
    """n contacts on rods. Each fills ``count`` rows from ``first_row`` on."""

    kind: np.ndarray  # (n,) int64: ANCHOR to PEG
    first_row: np.ndarray  # (n,) int64
    count: np.ndarray  # (n,) int64
    component: np.ndarray = columns(6)  # (n, 6) int64, of each row: 0 ... 2 along x, y, z, 3 ... 5 about them
    first_slice: np.ndarray  # (n,) int64, frames of the slices of the rod: from this one ...
    last_slice: np.ndarray  # (n,) int64 ... to this one
    length: np.ndarray  # (n,) m, of the rod
    law: np.ndarray  # (n,) int64, of the abscissa; -1: none
    wrap_first: np.ndarray  # (n,) m, the abscissa goes around from here ...
    wrap_length: np.ndarray  # (n,) m ... over this length; 0: it does not
    keeps: np.ndarray  # (n,) int64, 1 where positions are kept, 0 where only velocities are
    slips: np.ndarray  # (n,) int64, 1 where the place of an anchor is fixed in space, 0 where the material is
    rotation: np.ndarray = columns(9)  # (n, 9) of the obstacle in the world, before it moves
    position: np.ndarray = columns(3)  # (n, 3) m
    axis: np.ndarray = columns(3)  # (n, 3) about which it turns, in its own axes
    moves: np.ndarray = columns(7)  # (n, 7) int64, laws of its displacement (world), its turn, its rotation vector (own); -1
    begins: np.ndarray  # (n,) s: the contact is there from this time of each period ...
    ends: np.ndarray  # (n,) s ... to before this one
    period: np.ndarray  # (n,) s; 0: there is no period
    clock: int  # law that is the time, -1: all contacts are always there, none goes around or leaves
    abscissa: np.ndarray  # (n,) m, where the contact is now: given if there is no law, found for a peg
    first_abscissa: np.ndarray  # (n,) m, of a peg, where it comes
    distance: np.ndarray  # (n,) m, of a peg, from its point to the centre of its section
    there: np.ndarray  # (n,) int64, 1 where the contact is there now
    due: np.ndarray  # (n,) int64, 1 where the time says that it is; it may have left the body
    leaves: np.ndarray  # (n,) s from the settled state looked at last until a peg runs off the body, at its speed there
    arrives: np.ndarray  # (n,) int64, 1 where the obstacle has no place but that of the section when the contact comes
    fresh: np.ndarray  # (n,) int64, 1 from when such a contact comes until a settled state says where
    rounds: np.ndarray  # (n,) how often the abscissa has gone around
    held: int = 0  # whether contacts stay as they are: within a step
    point: np.ndarray = columns(3)  # (n, 3) m, the centre of its section in the world
    changed: int = 0  # whether contacts have come or gone since rows were last filled
    wrapped: int = 0  # whether an abscissa has gone around
    struck: int = 0  # whether contacts have come, or gone around, since the last settled state
    booking: int = 0  # whether a run goes on, in which what they strike is an impact
    lost: np.ndarray  # (1,) J, energy lost in such impacts since the start
    log: np.ndarray = columns(2)  # (LOGGED, 2) s, J: time of the last impacts, and what was lost up to each
    logged: int = 0  # how many of them there are
    missed: np.ndarray = columns(2)  # (n, 2) s; m or rad: how far from its place a section was when its contact came, at worst
    before: np.ndarray  # (nv,) velocities before an impact
    totals: np.ndarray  # scratch: totals of the robot
    frames: np.ndarray  # of the robot
    constants: np.ndarray
    sections: RodSections

    @property
    def is_invariant(self) -> bool:
        """Whether all contacts are always there, stand still and hold velocities only."""
        return not self.keeps.any() and bool((self.moves < 0).all()) and not (self.ends > self.begins).any()


@compiled
def obstacle_motion(contacts, laws, along_time, c):
    """Pose (R, p) of the obstacle in the world; velocity and acceleration of its point (world), turn rate and its rate (own)."""
    turned = load9(contacts.rotation, c, 0)
    at = load3(contacts.position, c, 0)
    nothing = (0.0, 0.0, 0.0)
    if stands_still(contacts, c):
        return turned, at, nothing, nothing, nothing, nothing
    x, dx, ddx = law_at(contacts, laws, along_time, c, 0)
    y, dy, ddy = law_at(contacts, laws, along_time, c, 1)
    z, dz, ddz = law_at(contacts, laws, along_time, c, 2)
    theta, rate, second = rotation_vector(contacts, laws, along_time, c)
    spin = right_jacobian_apply(theta, rate)
    spin_rate = add(right_jacobian_apply(theta, second), rotate(right_jacobian_derivative(theta, rate), rate))
    return multiply(turned, exp_matrix(theta)), add(at, (x, y, z)), (dx, dy, dz), (ddx, ddy, ddz), spin, spin_rate


@compiled(inline=True)
def stands_still(contacts, c):
    """Whether the obstacle of contact c has no law of motion."""
    for n in range(contacts.moves.shape[1]):
        if contacts.moves[c, n] >= 0:
            return False
    return True


@compiled
def rotation_vector(contacts, laws, along_time, c):
    """theta (rad) of the obstacle of contact c, its rate and acceleration: R = R_0 exp(theta^), its turn and more."""
    angle, rate, second = law_at(contacts, laws, along_time, c, 3)
    x, dx, ddx = law_at(contacts, laws, along_time, c, 4)
    y, dy, ddy = law_at(contacts, laws, along_time, c, 5)
    z, dz, ddz = law_at(contacts, laws, along_time, c, 6)
    axis = load3(contacts.axis, c, 0)
    return (
        add(scale(angle, axis), (x, y, z)),
        add(scale(rate, axis), (dx, dy, dz)),
        add(scale(second, axis), (ddx, ddy, ddz)),
    )


@compiled
def plant_obstacle(contacts, laws, c, axes, at):
    """Put the obstacle of contact c so that it has the pose (axes, at) now, with its motion."""
    x, _, _ = law_at(contacts, laws, 0, c, 0)
    y, _, _ = law_at(contacts, laws, 0, c, 1)
    z, _, _ = law_at(contacts, laws, 0, c, 2)
    theta, _, _ = rotation_vector(contacts, laws, 0, c)
    rotation = multiply(axes, transpose(exp_matrix(theta)))
    for j in range(9):
        contacts.rotation[c, j] = rotation[j]
    store3(contacts.position, c, 0, subtract(at, (x, y, z)))


@compiled(inline=True)
def law_at(contacts, laws, along_time, c, n):
    """Law n of the motion of the obstacle of contact c; it stands still where a derivative is not along time."""
    law = contacts.moves[c, n]
    if law < 0:
        return 0.0, 0.0, 0.0
    return laws[law, 0], along_time * laws[law, 1], along_time * laws[law, 2]


@compiled(inline=True)
def is_there(contacts, laws, c):
    """Whether contact c is there at the present time."""
    if contacts.clock < 0 or contacts.ends[c] <= contacts.begins[c]:
        return True
    t = laws[contacts.clock, 0] + INSTANT
    if contacts.period[c] > 0.0:
        t -= contacts.period[c] * np.floor(t / contacts.period[c])
    return contacts.begins[c] <= t and t < contacts.ends[c]


@compiled(inline=True)
def slice_of(contacts, c, place):
    """The slice of the rod of contact c in which ``place`` (m) is; beyond its ends the first or the last one."""
    k = contacts.first_slice[c]
    while k < contacts.last_slice[c] and contacts.sections.start[k + 1] <= place:
        k += 1
    return k


@compiled
def plane_through(contacts, q, v, poses, c, point, place):
    """Abscissa of a section whose plane holds the ``point`` (3,), by Newton's method from ``place`` on, and its distance (m)."""
    distance = 0.0
    for _ in range(ITERATIONS):
        k = slice_of(contacts, c, place)
        r, p, _, _, cx, cw = section_pose(contacts.sections, contacts.frames, contacts.constants, k, place, q, v)
        axes, at = in_world(poses, contacts.frames[k, PARENT], r, p)
        d = rotate_back(axes, subtract(at, point))
        distance = sqrt(dot(d, d))
        step_length = d[0] / (cx[0] - cross(cw, d)[0])
        place -= min(max(step_length, -0.25 * contacts.length[c]), 0.25 * contacts.length[c])
        if abs(step_length) <= CLOSE * contacts.length[c]:
            break
    return place, distance


@compiled
def find_peg(contacts, q, v, poses, c, point):
    """Abscissa of the section whose plane holds the ``point`` (3,): near the last one, or else where the body is nearest.

    A body that winds has several such sections. The one in contact is that whose centre is on the point, so that a look at
    another time, or a peg that comes, finds it whatever was before.
    """
    place, distance = plane_through(contacts, q, v, poses, c, point, contacts.abscissa[c])
    if contacts.there[c] != 0 and not distance <= LOST * contacts.length[c]:
        nearest = contacts.length[c] * 1e3
        start = place
        for k in range(contacts.first_slice[c], contacts.last_slice[c] + 1):
            off = subtract(load3(poses, k, POSITION), point)
            if dot(off, off) < nearest * nearest:
                nearest = sqrt(dot(off, off))
                start = contacts.length[c] if k == contacts.last_slice[c] else contacts.sections.start[k + 1]
        other, apart = plane_through(contacts, q, v, poses, c, point, start)
        if not distance <= apart:
            place, distance = other, apart
    contacts.abscissa[c] = place
    contacts.distance[c] = distance
    return place


@compiled(inline=True)
def in_world(poses, k, r, p):
    """The pose (r, p) in frame k, seen from the world."""
    turn = load9(poses, k, ROTATION)
    return multiply(turn, r), add(load3(poses, k, POSITION), rotate(turn, p))


@compiled(inline=True)
def time_on_body(contacts, c, speed):
    """Time (s) until a peg whose abscissa moves with ``speed`` (m/s) runs off the body; a peg at rest at an end stays on it."""
    left = np.inf
    if speed > SLOW * contacts.length[c]:
        left = (contacts.length[c] - contacts.abscissa[c]) / speed
    elif speed < -SLOW * contacts.length[c]:
        left = -contacts.abscissa[c] / speed
    return left


@compiled(inline=True)
def go_around(contacts, c, place):
    """How often the abscissa of contact c has gone around where its law says ``place`` (m)."""
    rounds = np.floor((place - contacts.wrap_first[c]) / contacts.wrap_length[c])
    if rounds != contacts.rounds[c]:
        contacts.rounds[c] = rounds
        contacts.wrapped = 1
        contacts.struck = 1


@compiled
def place_of(contacts, laws, along_time, q, v, poses, c, point):
    """(C, Cdot, Cddot) of contact c; those of a peg follow later, from the motion."""
    if contacts.kind[c] == PEG:
        if contacts.fresh[c] != 0:
            contacts.abscissa[c] = contacts.first_abscissa[c]
            contacts.distance[c] = 0.0
            return contacts.abscissa[c], 0.0, 0.0
        return find_peg(contacts, q, v, poses, c, point), 0.0, 0.0
    law = contacts.law[c]
    if law < 0:
        return contacts.abscissa[c], 0.0, 0.0
    place = laws[law, 0]
    if contacts.wrap_length[c] > 0.0:
        if contacts.held == 0:
            go_around(contacts, c, place)
        place -= contacts.wrap_length[c] * contacts.rounds[c]
    contacts.abscissa[c] = place
    return place, along_time * laws[law, 1], along_time * laws[law, 2]


# ---------------------------------------------------------------------------------------------------------------- in time
@compiled
def are_there(contacts):
    """Whether a robot has contacts on rods."""
    return contacts is not None


@compiled
def hold_contacts(contacts, held):
    """Contacts stay as they are from now on (1), or come, go and wrap as they must (0)."""
    if contacts is not None:
        contacts.held = held


@compiled
def wrap_contacts(contacts, laws):
    """Abscissas go around where their laws say so."""
    if contacts is not None:
        for c in range(contacts.kind.shape[0]):
            if contacts.wrap_length[c] > 0.0:
                go_around(contacts, c, laws[contacts.law[c], 0])


@compiled
def settle_contacts(contacts):
    """The state is settled: what came is where it is."""
    if contacts is not None:
        for c in range(contacts.fresh.shape[0]):
            contacts.fresh[c] = 0


@compiled
def has_struck(contacts):
    """Whether contacts have come, or gone around, since the last settled state."""
    if contacts is not None:
        return contacts.struck != 0
    return False


@compiled(inline=True)
def next_instant(at, period, t):
    """The first of the times at, at + period, ... (s) that is later than t."""
    if period > 0.0:
        at += period * (np.floor((t + INSTANT - at) / period) + 1.0)
    return at if at > t + INSTANT else np.inf


@compiled
def next_switch(contacts, t, end):
    """The first time after t (s) and before ``end`` at which a contact comes or goes, or ``end``.

    When a peg runs off the body is told by its speed at t, the time of the settled state looked at last: a step that ends there
    ends before or a little beyond, with the square of its length, and the next one tells better (Newton's method).
    """
    if contacts is not None:
        for c in range(contacts.kind.shape[0]):
            if contacts.clock >= 0 and contacts.ends[c] > contacts.begins[c]:
                first = next_instant(contacts.begins[c], contacts.period[c], t)
                last = next_instant(contacts.ends[c], contacts.period[c], t)
                if min(first, last) < end - INSTANT:
                    end = min(first, last)
            if contacts.there[c] != 0 and contacts.leaves[c] > INSTANT and t + contacts.leaves[c] < end - INSTANT:
                end = t + contacts.leaves[c]
    return end
