"""Ideal contacts on a rod: constraint rows at an abscissa C of it (Ali 2011, 5.3; numbers of his equations below).

===========  ============================================================================================================
kind         rows
===========  ============================================================================================================
ANCHOR       the section at C stays in the frame of the obstacle: g(C(t)) = g_c(t), so eta(C) + S_C Cdot = eta_c, (5.35) and
             (5.38): the place of the contact is fixed in space, the material slides through it where C moves. Without
             slip: the material at C has the velocity of the obstacle, eta(C) = eta_c, whatever Cdot
SLEEVE       the section at C slides and bends freely, but moves neither sideways nor about its axis relative to the obstacle:
             V_Y, V_Z and Omega_X are those of the obstacle (5.40)
PEG          a sleeve that stays at a point p_c of the obstacle while the body slides through: the section whose plane holds
             the point is the one in contact, which gives C (the label law Gamma_X Cdot = V_cX - V_X of the source, without
             its drift), and its centre stays on the point
===========  ============================================================================================================

C is constant, or a law of time that may wrap around, or (PEG) a function of the motion. A contact may be there at some times
only; its rows are zero at others. Where it comes, an obstacle without a place of its own is put where its section is then, and
stays (Ali 2011, 6.2.2: "the pose of the clamped end at the switching instant"). Within a step of an integrator contacts neither
come nor go nor wrap (``held``): they do between steps.

With (V; Omega) the twist of the material at C, w a cotwist there and g = (r, p) the pose of the section in the node K before it,
a row reads w . (Ad(g^-1) eta_K + sum_j S_j qdot_j) = b: a cotwist on K, and factors on the coordinates of the rod.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.vector import add, cross, dot, load3, load9, multiply, rotate, rotate_back, scale, store3, subtract
from locodyn.lie.matrices import transpose
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import log_matrix
from locodyn.robot.layout import COUNT_V, PARENT
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.shape.rod import exponential
from locodyn.shape.section import RodSections, section_columns, section_pose

ANCHOR, SLEEVE, PEG = range(3)
INSTANT = 1e-9  # s: a contact is there from this time before it begins
ITERATIONS = 30  # of Newton's method for the place of a peg
CLOSE = 1e-14  # of the length of the rod, its tolerance
BACK = 1e-4  # of that length: so near must a section come back to a peg that the body had left
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
    moves: np.ndarray = columns(4)  # (n, 4) int64, laws of its displacement along x, y, z of the world and of its turn; -1
    begins: np.ndarray  # (n,) s: the contact is there from this time of each period ...
    ends: np.ndarray  # (n,) s ... to before this one
    period: np.ndarray  # (n,) s; 0: there is no period
    clock: int  # law that is the time, -1: all contacts are always there
    abscissa: np.ndarray  # (n,) m, where the contact is now: given if there is no law, found for a peg
    first_abscissa: np.ndarray  # (n,) m, of a peg, where it comes
    distance: np.ndarray  # (n,) m, of a peg, from its point to the centre of its section
    there: np.ndarray  # (n,) int64, 1 where the contact is there now
    due: np.ndarray  # (n,) int64, 1 where the time says that it is; it may have left the body
    arrives: np.ndarray  # (n,) int64, 1 where the obstacle has no place but that of the section when the contact comes
    fresh: np.ndarray  # (n,) int64, 1 from when such a contact comes until a settled state says where
    rounds: np.ndarray  # (n,) how often the abscissa has gone around
    held: int = 0  # whether contacts stay as they are: within a step
    point: np.ndarray = columns(3)  # (n, 3) m, the centre of its section in the world
    changed: int = 0  # whether contacts have come or gone since rows were last filled
    wrapped: int = 0  # whether an abscissa has gone around
    frames: np.ndarray  # of the robot
    constants: np.ndarray
    sections: RodSections

    @property
    def is_invariant(self) -> bool:
        """Whether all contacts are always there, stand still and hold velocities only."""
        return not self.keeps.any() and bool((self.moves < 0).all()) and self.clock < 0


@compiled
def obstacle_motion(contacts, laws, along_time, c):
    """Pose (R, p) of the obstacle in the world; velocity and acceleration of its point (world), turn rate and its rate (own)."""
    turned = load9(contacts.rotation, c, 0)
    at = load3(contacts.position, c, 0)
    nothing = (0.0, 0.0, 0.0)
    if max(contacts.moves[c, 0], contacts.moves[c, 1], contacts.moves[c, 2], contacts.moves[c, 3]) < 0:
        return turned, at, nothing, nothing, nothing, nothing
    x, dx, ddx = law_at(contacts, laws, along_time, c, 0)
    y, dy, ddy = law_at(contacts, laws, along_time, c, 1)
    z, dz, ddz = law_at(contacts, laws, along_time, c, 2)
    angle, rate, second = law_at(contacts, laws, along_time, c, 3)
    axis = load3(contacts.axis, c, 0)
    turn, _ = exponential(stumpff(angle * angle), nothing, scale(angle, axis))
    return multiply(turned, turn), add(at, (x, y, z)), (dx, dy, dz), (ddx, ddy, ddz), scale(rate, axis), scale(second, axis)


@compiled
def plant_obstacle(contacts, laws, c, axes, at):
    """Put the obstacle of contact c so that it has the pose (axes, at) now, with its motion."""
    x, _, _ = law_at(contacts, laws, 0, c, 0)
    y, _, _ = law_at(contacts, laws, 0, c, 1)
    z, _, _ = law_at(contacts, laws, 0, c, 2)
    angle, _, _ = law_at(contacts, laws, 0, c, 3)
    turn, _ = exponential(stumpff(angle * angle), (0.0, 0.0, 0.0), scale(angle, load3(contacts.axis, c, 0)))
    rotation = multiply(axes, transpose(turn))
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
def go_around(contacts, c, place):
    """How often the abscissa of contact c has gone around where its law says ``place`` (m)."""
    rounds = np.floor((place - contacts.wrap_first[c]) / contacts.wrap_length[c])
    if rounds != contacts.rounds[c]:
        contacts.rounds[c] = rounds
        contacts.wrapped = 1


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


@compiled
def clear_rows(rows, contacts, c):
    """The contact is not there: its rows ask for nothing."""
    for m in range(contacts.first_row[c], contacts.first_row[c] + contacts.count[c]):
        rows.right_side[m] = 0.0
        rows.right_side_rate[m] = 0.0
        rows.residual[m] = 0.0
        for j in range(6):
            rows.cotwist[m, j] = 0.0
            rows.cotwist_rate[m, j] = 0.0
        for j in range(rows.coordinates[m]):
            rows.coefficient[m, j] = 0.0
            rows.coefficient_rate[m, j] = 0.0


@compiled
def put_row(rows, contacts, k, r, p, tx, tw, m, f, n, df, dn):
    """Row m: the cotwist (f; n) of the section (r, p) in slice k, and its rate (df; dn), on the node and on the coordinates.

    (tx; tw) is the twist with which the section moves relative to the node.
    """
    rows.frame[m] = contacts.frames[k, PARENT]
    a, b = to_parent(r, p, f, n)
    store3(rows.cotwist, m, 0, a)
    store3(rows.cotwist, m, 3, b)
    # d/dt Ad(g^-1)^T w = Ad(g^-1)^T (wdot - ad(s)^T w)
    a, b = to_parent(r, p, subtract(df, cross(f, tw)), subtract(dn, add(cross(f, tx), cross(n, tw))))
    store3(rows.cotwist_rate, m, 0, a)
    store3(rows.cotwist_rate, m, 3, b)
    for j in range(contacts.frames[k, COUNT_V]):
        x, w = load3(contacts.sections.columns, j, 0), load3(contacts.sections.columns, j, 3)
        dx, dw = load3(contacts.sections.column_rates, j, 0), load3(contacts.sections.column_rates, j, 3)
        rows.coefficient[m, j] = dot(f, x) + dot(n, w)
        rows.coefficient_rate[m, j] = dot(df, x) + dot(dn, w) + dot(f, dx) + dot(n, dw)


@compiled(inline=True)
def unit(c):
    """Unit cotwist of component c: (linear, angular)."""
    return (
        (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0),
        (1.0 if c == 3 else 0.0, 1.0 if c == 4 else 0.0, 1.0 if c == 5 else 0.0),
    )


@compiled(called=True)
def fill_contact_rows(rows, contacts, laws, along_time, q, v, poses, motions, c):
    """All rows of contact c, which is there."""
    sections = contacts.sections
    turned, point, vc, ac, wc, dwc = obstacle_motion(contacts, laws, along_time, c)
    place, speed, second = place_of(contacts, laws, along_time, q, v, poses, c, point)
    k = slice_of(contacts, c, place)
    node = contacts.frames[k, PARENT]
    r, p, sx, sw, cx, cw = section_pose(sections, contacts.frames, contacts.constants, k, place, q, v)
    axes, at = in_world(poses, node, r, p)
    store3(contacts.point, c, 0, at)
    if contacts.fresh[c] != 0:
        plant_obstacle(contacts, laws, c, axes, at)
        turned, point, vc, ac, wc, dwc = obstacle_motion(contacts, laws, along_time, c)
    x, w = to_child(r, p, load3(motions, node, TWIST), load3(motions, node, TWIST + 3))
    x, w = add(x, sx), add(w, sw)  # of the material at C
    d = rotate_back(axes, subtract(at, point))
    if contacts.kind[c] == PEG:  # d/dt of the first component of d is zero
        speed = -(x[0] - cross(w, d)[0] - rotate_back(axes, vc)[0]) / (cx[0] - cross(cw, d)[0])
    cx, cw, dcx, dcw = section_columns(sections, contacts.frames, contacts.constants, k, place, speed, q, v)
    tx, tw = add(sx, scale(speed, cx)), add(sw, scale(speed, cw))
    moving_x, moving_w = add(x, scale(speed, cx)), add(w, scale(speed, cw))
    for n in range(contacts.count[c]):
        m = contacts.first_row[c] + n
        component = contacts.component[c, n]
        if contacts.kind[c] == ANCHOR:
            f, g, df, dg, b, db, residual = anchor_row(
                component, turned, axes, subtract(at, point), moving_x, moving_w, vc, ac, wc, dwc
            )
            if contacts.slips[c] != 0:
                b -= speed * (dot(f, cx) + dot(g, cw))
                db -= speed * (dot(df, cx) + dot(dg, cw) + dot(f, dcx) + dot(g, dcw)) + second * (dot(f, cx) + dot(g, cw))
        elif contacts.kind[c] == PEG and component < 3:
            f, g, df, dg, b, db, residual = peg_row(component, axes, d, x, w, speed, cx, cw, dcx, dcw, moving_w, vc, ac)
        else:
            f, g = unit(component)
            df, dg = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            residual = 0.0
            b, db = sleeve_side(component, turned, axes, subtract(at, point), moving_x, moving_w, vc, ac, wc, dwc)
        put_row(rows, contacts, k, r, p, tx, tw, m, f, g, df, dg)
        rows.right_side[m] = b
        rows.right_side_rate[m] = db
        rows.residual[m] = residual if contacts.keeps[c] != 0 else 0.0


@compiled
def anchor_row(component, turned, axes, off, x, w, vc, ac, wc, dwc):
    """A component of the motion of the section relative to the obstacle, in the axes of the obstacle.

    ``off`` (3,) m from the obstacle to the section, world; (x; w) the twist with which the section moves, its place C included.
    Returns cotwist, its rate, right-hand side, its rate, residual.
    """
    r = multiply(transpose(turned), axes)
    p = rotate_back(turned, off)
    va = rotate_back(turned, vc)
    dva = subtract(rotate_back(turned, ac), cross(wc, va))
    turn = subtract(w, rotate_back(r, wc))  # relative angular velocity, axes of the section
    a, b = unit(component)
    pdot = subtract(rotate(r, x), add(va, cross(wc, p)))
    f, n = rotate_back(r, a), rotate_back(r, b)
    side = dot(a, add(va, cross(wc, p))) + dot(b, wc)
    side_rate = dot(a, add(dva, add(cross(dwc, p), cross(wc, pdot)))) + dot(b, dwc)
    return f, n, cross(f, turn), cross(n, turn), side, side_rate, dot(a, p) + dot(b, log_matrix(r))


@compiled
def sleeve_side(component, turned, axes, off, x, w, vc, ac, wc, dwc):
    """Right-hand side of a row of a sleeve, and its rate: the velocity of the obstacle at the section, in its axes."""
    f, n = unit(component)
    spin, spin_rate = rotate(turned, wc), rotate(turned, dwc)
    u = add(vc, cross(spin, off))
    du = add(ac, add(cross(spin_rate, off), cross(spin, subtract(rotate(axes, x), vc))))
    u, du, spin, spin_rate = (
        rotate_back(axes, u),
        rotate_back(axes, du),
        rotate_back(axes, spin),
        rotate_back(axes, spin_rate),
    )
    side_rate = dot(f, subtract(du, cross(w, u))) + dot(n, subtract(spin_rate, cross(w, spin)))
    return dot(f, u) + dot(n, spin), side_rate


@compiled
def peg_row(component, axes, d, x, w, speed, cx, cw, dcx, dcw, moving_w, vc, ac):
    """d_i of the vector d from the point to the section, in the axes of the section; its first component is kept at zero by C.

    ddot = V - Omega x d - v_c + (S_C,lin - S_C,ang x d) Cdot; with Cdot from the first component, a = e_i - rho e_X, the row is
    a . (V - Omega x d) = a . v_c.
    """
    v, dv = rotate_back(axes, vc), rotate_back(axes, ac)
    dv = subtract(dv, cross(moving_w, v))
    slide = subtract(cx, cross(cw, d))
    ddot = add(subtract(subtract(x, cross(w, d)), v), scale(speed, slide))
    slide_rate = subtract(dcx, add(cross(dcw, d), cross(cw, ddot)))
    e, _ = unit(component)
    rho = dot(e, slide) / slide[0]
    rho_rate = (dot(e, slide_rate) - rho * slide_rate[0]) / slide[0]
    a = subtract(e, (rho, 0.0, 0.0))
    da = (-rho_rate, 0.0, 0.0)
    return a, cross(a, d), da, add(cross(da, d), cross(a, ddot)), dot(a, v), dot(da, v) + dot(a, dv), dot(e, d)


@compiled(called=True)
def fill_all_contacts(contacts, rows, laws, along_time, q, v, poses, motions):
    """The rows of all contacts on rods."""
    for c in range(contacts.kind.shape[0]):
        there = contacts.there[c]
        if contacts.held == 0:
            there = 1 if is_there(contacts, laws, c) else 0
            if there > contacts.due[c]:
                contacts.fresh[c] = contacts.arrives[c]
                contacts.there[c] = 1  # a peg looks along the whole rod
                contacts.changed = 1
            contacts.due[c] = there
        if there != 0:
            fill_contact_rows(rows, contacts, laws, along_time, q, v, poses, motions, c)
            beyond = contacts.abscissa[c] < -INSTANT or contacts.abscissa[c] > contacts.length[c] + INSTANT
            # A peg that the body has left takes hold again of what comes back the same way, not of what passes by.
            passed = contacts.kind[c] == PEG and contacts.there[c] == 0 and contacts.distance[c] > BACK * contacts.length[c]
            if contacts.held == 0 and (beyond or passed):
                there = 0  # it has left the body
        if there == 0:
            clear_rows(rows, contacts, c)
        if there != contacts.there[c]:
            contacts.there[c] = there
            contacts.changed = 1


@compiled
def fill_rod_contacts(contacts, rows, laws, along_time, q, v, poses, motions):
    """The rows of contacts on rods; nothing without. An argument of its own, so that the branch is chosen at compile time."""
    if contacts is not None:
        fill_all_contacts(contacts, rows, laws, along_time, q, v, poses, motions)


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


@compiled(inline=True)
def next_instant(at, period, t):
    """The first of the times at, at + period, ... (s) that is later than t."""
    if period > 0.0:
        at += period * (np.floor((t + INSTANT - at) / period) + 1.0)
    return at if at > t + INSTANT else np.inf


@compiled
def next_switch(contacts, t, end):
    """The first time after t (s) and before ``end`` at which a contact comes or goes, or ``end``."""
    if contacts is not None:
        if contacts.clock >= 0:
            for c in range(contacts.kind.shape[0]):
                if contacts.ends[c] > contacts.begins[c]:
                    first = next_instant(contacts.begins[c], contacts.period[c], t)
                    last = next_instant(contacts.ends[c], contacts.period[c], t)
                    if min(first, last) < end - INSTANT:
                        end = min(first, last)
    return end
