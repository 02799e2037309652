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
             the point is the one in contact, which gives C (the label law Gamma_X Cdot = V_cX - V_X of Ali 2011, 5.3,
             without its drift), and its centre stays on the point
===========  ============================================================================================================

C is constant, or a law of time that may wrap around, or (PEG) a function of the motion. A contact may be there at some times
only; its rows are zero at others. Where it comes, an obstacle without a place of its own is put where its section is then, and
stays (Ali 2011, 6.2.2: "the pose of the clamped end at the switching instant"). Within a step of an integrator contacts neither
come nor go nor wrap (``held``): they do between steps. Steps end where contacts come and go, and where a peg runs off the body.

With (V; Omega) the twist of the material at C, w a cotwist there and g = (r, p) the pose of the section in the node K before it,
a row reads w . (Ad(g^-1) eta_K + sum_j S_j qdot_j) = b: a cotwist on K, and factors on the coordinates of the rod.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, dot, load3, multiply, rotate, rotate_back, scale, store3, subtract
from locodyn.lie.matrices import transpose
from locodyn.lie.so3 import log_matrix
from locodyn.robot.layout import COUNT_V, PARENT
from locodyn.shape.kinematics import TWIST, to_child, to_parent
from locodyn.shape.section import section_columns, section_pose
from locodyn.world.rod_places import (
    ANCHOR,
    INSTANT,
    PEG,
    in_world,
    is_there,
    obstacle_motion,
    place_of,
    plant_obstacle,
    slice_of,
    time_on_body,
)

BACK = 1e-4  # of the length of a rod: so near must a section come back to a peg that the body had left


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
def speed_of_peg(contacts, k, place, q, v, poses, motions, c, point, vc):
    """Cdot (m/s) of peg c, whose obstacle has its ``point`` (3,) move with vc (3,): d/dt of the first component of d is zero."""
    node = contacts.frames[k, PARENT]
    r, p, sx, sw, cx, cw = section_pose(contacts.sections, contacts.frames, contacts.constants, k, place, q, v)
    axes, at = in_world(poses, node, r, p)
    x, w = to_child(r, p, load3(motions, node, TWIST), load3(motions, node, TWIST + 3))
    x, w = add(x, sx), add(w, sw)
    # Where a peg comes, its point is put at the centre of the section.
    d = (0.0, 0.0, 0.0) if contacts.fresh[c] != 0 else rotate_back(axes, subtract(at, point))
    speed = -(x[0] - cross(w, d)[0] - rotate_back(axes, vc)[0]) / (cx[0] - cross(cw, d)[0])
    if contacts.held == 0:
        contacts.leaves[c] = time_on_body(contacts, c, speed)
    return speed


@compiled(called=True)
def fill_contact_rows(rows, contacts, laws, along_time, q, v, poses, motions, c):
    """All rows of contact c, which is there."""
    sections = contacts.sections
    turned, point, vc, ac, wc, dwc = obstacle_motion(contacts, laws, along_time, c)
    place, speed, second = place_of(contacts, laws, along_time, q, v, poses, c, point)
    k = slice_of(contacts, c, place)
    node = contacts.frames[k, PARENT]
    if contacts.kind[c] == PEG:
        speed = speed_of_peg(contacts, k, place, q, v, poses, motions, c, point, vc)
    r, p, sx, sw, cx, cw, dcx, dcw = section_columns(sections, contacts.frames, contacts.constants, k, place, speed, q, v)
    axes, at = in_world(poses, node, r, p)
    store3(contacts.point, c, 0, at)
    if contacts.fresh[c] != 0:
        plant_obstacle(contacts, laws, c, axes, at)
        turned, point, vc, ac, wc, dwc = obstacle_motion(contacts, laws, along_time, c)
    x, w = to_child(r, p, load3(motions, node, TWIST), load3(motions, node, TWIST + 3))
    x, w = add(x, sx), add(w, sw)  # of the material at C
    d = rotate_back(axes, subtract(at, point))
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


@compiled
def note_place(rows, contacts, laws, c, beyond):
    """How far contact c, which comes, is from its section, for Python to judge: its rows would put the body elsewhere."""
    apart = contacts.distance[c] if beyond else 0.0
    for m in range(contacts.first_row[c], contacts.first_row[c] + contacts.count[c]):
        apart = max(apart, abs(rows.residual[m]))
    if apart > contacts.missed[c, 1]:
        contacts.missed[c, 0] = laws[contacts.clock, 0]
        contacts.missed[c, 1] = apart


@compiled(called=True)
def fill_all_contacts(contacts, rows, laws, along_time, q, v, poses, motions):
    """The rows of all contacts on rods."""
    for c in range(contacts.kind.shape[0]):
        there = contacts.there[c]
        comes = False
        if contacts.held == 0:
            there = 1 if is_there(contacts, laws, c) else 0
            if there > contacts.due[c]:
                comes = contacts.arrives[c] == 0 and contacts.booking != 0
                contacts.fresh[c] = contacts.arrives[c]
                contacts.there[c] = 1  # a peg looks along the whole rod
                contacts.changed = 1
                contacts.struck = 1
            contacts.due[c] = there
        if there != 0:
            fill_contact_rows(rows, contacts, laws, along_time, q, v, poses, motions, c)
            beyond = contacts.abscissa[c] < -INSTANT or contacts.abscissa[c] > contacts.length[c] + INSTANT
            beyond = beyond or contacts.leaves[c] < INSTANT
            # A peg that the body has left takes hold again of what comes back the same way, not of what passes by.
            if comes:
                note_place(rows, contacts, laws, c, beyond)
            passed = contacts.kind[c] == PEG and contacts.there[c] == 0 and contacts.distance[c] > BACK * contacts.length[c]
            if contacts.held == 0 and (beyond or passed):
                there = 0  # it has left the body
        if there == 0:
            clear_rows(rows, contacts, c)
        if there != contacts.there[c]:
            contacts.there[c] = there
            contacts.changed = 1
            contacts.struck = max(contacts.struck, there)


@compiled
def fill_rod_contacts(contacts, rows, laws, along_time, q, v, poses, motions):
    """The rows of contacts on rods; nothing without. An argument of its own, so that the branch is chosen at compile time."""
    if contacts is not None:
        fill_all_contacts(contacts, rows, laws, along_time, q, v, poses, motions)
