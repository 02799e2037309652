"""Cables, springs and dampers between points of bodies and of the world, and torsion springs between bodies: ties.

A tie has one coordinate x(q). Of a cable through points x_0 ... x_m it is the length L = sum |x_i - x_(i-1)|; a spring is a cable
through two points. Of a torsion spring between frames A and B it is the angle by which B is turned against A about their z axes:
with R = R_A^T R_B,

    theta = atan2(R_21 - R_12, R_11 + R_22) in (-pi, pi],     thetadot = g . omega,     g = (R_31, R_32, 1 + R_33) / (1 + R_33),

the twist of R = swing twist, omega being the angular velocity of B over A in the axes of B. (From the quaternion (w, x, y, z) of
R: theta = 2 atan2(z, w), R_33 = 2 (w^2 + z^2) - 1, R_31 = 2 (x z - w y), R_32 = 2 (y z + w x).) Where all joints between the two
frames turn about these axes, theta is the sum of their angles instead, through any number of turns.

Its tension, which draws the points together, follows from the elongation e = x - x0(t) and its rate:

    T = s(e) + d(edot),     s = T0 + k e  or a curve,     d = c edot and, where there is one, a curve.

One that only pulls is slack where s <= 0, and never pushes: T = max(0, s + d) elsewhere. By virtual work the forces are -T dx/dq.
Their power is -T xdot = -d/dt U(e) - (T - s) edot - T x0dot: stored energy U = integral of s, what dampers lose, and what comes
in from outside by the motor that changes the rest length x0. A tension that is a law of time has no U: its power is from outside.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, select_lt, sqrt
from locodyn.kernel.vector import add, cross, dot, increase3, load3, load9, multiply, rotate, rotate_back, scale, subtract
from locodyn.lie.arctangent import arctangent
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST
from locodyn.world.law_table import PIECE, TIE


@portable
def curve_at(pieces, first, count, x):
    """Value, slope and integral at x of the curve that has ``count`` pieces, from number ``first`` on.

    All pieces are evaluated, so that robots in lanes may be on different ones.
    """
    value = lit(x, 0.0)
    slope = lit(x, 0.0)
    integral = lit(x, 0.0)
    half = lit(x, 0.5)
    third = lit(x, 1.0 / 3.0)
    for k in range(first, first + count):
        u = x - pieces[k, PIECE.start]
        c0 = pieces[k, PIECE.coefficients]
        c1 = pieces[k, PIECE.coefficients + 1]
        c2 = pieces[k, PIECE.coefficients + 2]
        c3 = pieces[k, PIECE.coefficients + 3]
        here = c0 + u * (c1 + u * (c2 + u * c3))
        rise = c1 + u * (c2 + c2 + u * (c3 + c3 + c3))
        area = pieces[k, PIECE.integral] + u * (c0 + u * half * (c1 + u * third * (c2 + c2 + u * half * (c3 + c3 + c3))))
        if k == first:
            value = here
            slope = rise
            integral = area
        else:
            zero = lit(x, 0.0)
            value = select_lt(u, zero, value, here)
            slope = select_lt(u, zero, slope, rise)
            integral = select_lt(u, zero, integral, area)
    return value, slope, integral


@portable
def tie_tension(ties, angles, n, x, rate):
    """Of tie n at the coordinate x and its rate: (T, dT/dx, dT/dxdot), (stored energy, lost power, power from outside).

    ``angles`` (k, 3): laws of time at this instant.
    """
    zero = lit(x, 0.0)
    tension = zero + ties.numbers[n, TIE.tension]
    stiffness = zero + ties.numbers[n, TIE.stiffness]
    damping = zero + ties.numbers[n, TIE.damping]
    rest = zero + ties.numbers[n, TIE.rest]
    drawn = zero
    if ties.rest_law[n] >= 0:
        rest = lit(x, angles[ties.rest_law[n], 0])
        drawn = lit(x, angles[ties.rest_law[n], 1])
    e = x - rest
    speed = rate - drawn
    spring = tension + stiffness * e
    stored = e * (tension + lit(x, 0.5) * stiffness * e) - ties.numbers[n, TIE.slack]
    if ties.curve_count[n] > 0:
        spring, stiffness, stored = curve_at(ties.pieces, ties.curve[n], ties.curve_count[n], e)
    if ties.tension_law[n] >= 0:
        spring = lit(x, angles[ties.tension_law[n], 0])
        stored = zero
    force = spring + damping * speed
    if ties.damper_count[n] > 0:
        more, steeper, _ = curve_at(ties.pieces, ties.damper[n], ties.damper_count[n], speed)
        force = force + more
        damping = damping + steeper
    if ties.pulls[n] == 1:
        taut = select_lt(zero, spring, select_lt(zero, force, lit(x, 1.0), zero), zero)
        force = taut * force
        stiffness = taut * stiffness
        damping = taut * damping
        stored = select_lt(zero, spring, stored, zero)
        spring = select_lt(zero, spring, spring, zero)
    lost = (force - spring) * speed
    outside = zero - force * drawn
    if ties.tension_law[n] >= 0:
        outside = zero - spring * rate
    return (force, stiffness, damping), (stored, lost, outside)


@portable(inline=True)
def point_motion_of(ties, i, poses, motions):
    """Place and velocity of point i, world axes."""
    k = ties.frame[i]
    p0 = load3(ties.position, i, 0)
    o = lit(poses[0, 0], 0.0)
    place = (o + p0[0], o + p0[1], o + p0[2])
    velocity = (o, o, o)
    if k >= 0:
        r = load9(poses, k, ROTATION)
        place = add(load3(poses, k, POSITION), rotate(r, place))
        velocity = rotate(r, add(load3(motions, k, TWIST), cross(load3(motions, k, TWIST + 3), p0)))
    return place, velocity


@portable(inline=True)
def way(ties, a, b):
    """Length of the way from a to b and its direction, zero where they coincide."""
    d = subtract(b, a)
    length = sqrt(dot(d, d) + ties.least)
    return length, scale(lit(length, 1.0) / length, d)


@portable
def cable_motion(ties, n, poses, motions):
    """Length of cable n and its rate."""
    length = lit(poses[0, 0], 0.0)
    rate = lit(poses[0, 0], 0.0)
    first = ties.first[n]
    for i in range(first + 1, first + ties.count[n]):
        a, va = point_motion_of(ties, i - 1, poses, motions)
        b, vb = point_motion_of(ties, i, poses, motions)
        part, u = way(ties, a, b)
        length = length + part
        rate = rate + dot(u, subtract(vb, va))
    return length, rate


@portable(inline=True)
def axes_and_spin(ties, i, poses, motions):
    """Axes of point i and the angular velocity of its frame, world axes."""
    k = ties.frame[i]
    o = lit(poses[0, 0], 0.0)
    one = lit(poses[0, 0], 1.0)
    r0 = load9(ties.rotation, i, 0)
    frame = (one, o, o, o, one, o, o, o, one)
    spin = (o, o, o)
    if k >= 0:
        frame = load9(poses, k, ROTATION)
        spin = rotate(frame, load3(motions, k, TWIST + 3))
    return multiply(frame, r0), spin


@portable
def twist_motion(ties, n, q, poses, motions):
    """Angle of torsion spring n, its rate, and its gradient (3,) along turns of the second frame over the first, world axes."""
    ra, wa = axes_and_spin(ties, ties.first[n], poses, motions)
    rb, wb = axes_and_spin(ties, ties.first[n] + 1, poses, motions)
    one = lit(poses[0, 0], 1.0)
    # Columns of R_B in the axes of A: R = R_A^T R_B.
    x = rotate_back(ra, (rb[0], rb[3], rb[6]))
    y = rotate_back(ra, (rb[1], rb[4], rb[7]))
    z = rotate_back(ra, (rb[2], rb[5], rb[8]))
    angle = arctangent(x[1] - y[0], x[0] + y[1])
    if ties.joint_count[n] > 0:
        angle = lit(poses[0, 0], 0.0) + ties.unturned[n]
        for j in range(ties.joints[n], ties.joints[n] + ties.joint_count[n]):
            angle = angle + ties.joint_factor[j] * q[ties.joint_position[j]]
    share = one / (one + z[2])
    gradient = rotate(rb, (share * x[2], share * y[2], one))
    return angle, dot(gradient, subtract(wb, wa)), gradient


@portable
def tie_state(ties, angles, n, q, poses, motions):
    """(coordinate, rate) of tie n at the configuration q, and what :func:`tie_tension` tells of it."""
    if ties.turns[n] == 1:
        x, rate, _ = twist_motion(ties, n, q, poses, motions)
    else:
        x, rate = cable_motion(ties, n, poses, motions)
    force, tally = tie_tension(ties, angles, n, x, rate)
    return (x, rate), force, tally


@portable(inline=True)
def push_frame(ties, i, poses, force, moment, wrenches):
    """Add a force at point i and a moment, world axes, to the wrench on its frame; nothing for the world."""
    k = ties.frame[i]
    if k >= 0:
        r = load9(poses, k, ROTATION)
        f = rotate_back(r, force)
        increase3(wrenches, k, 0, f)
        increase3(wrenches, k, 3, add(cross(load3(ties.position, i, 0), f), rotate_back(r, moment)))


@portable(late=(1, 1, 1))
def add_tie_wrenches(ties, angles, q, poses, motions, wrenches):
    """Add the wrenches of all ties to ``wrenches`` (nf, 6); (stored energy J, lost power W, power from outside W).

    ``poses``, ``motions``: world poses and body motions of the frames at the configuration q.
    """
    o = lit(poses[0, 0], 0.0)
    stored = o
    lost = o
    outside = o
    nothing = (o, o, o)
    for n in range(ties.first.shape[0]):
        _, answer, tally = tie_state(ties, angles, n, q, poses, motions)
        tension = answer[0]
        stored = stored + tally[0]
        lost = lost + tally[1]
        outside = outside + tally[2]
        first = ties.first[n]
        if ties.turns[n] == 1:
            _, _, gradient = twist_motion(ties, n, q, poses, motions)
            push_frame(ties, first, poses, nothing, scale(tension, gradient), wrenches)
            push_frame(ties, first + 1, poses, nothing, scale(o - tension, gradient), wrenches)
            continue
        for i in range(first + 1, first + ties.count[n]):
            a, _ = point_motion_of(ties, i - 1, poses, motions)
            b, _ = point_motion_of(ties, i, poses, motions)
            _, u = way(ties, a, b)
            push_frame(ties, i - 1, poses, scale(tension, u), nothing, wrenches)
            push_frame(ties, i, poses, scale(o - tension, u), nothing, wrenches)
    return stored, lost, outside
