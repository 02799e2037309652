"""The kernels of the wrench laws: the wrench of each at its point, and their sum. Their table: :mod:`locodyn.world.law_table`."""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_momentum
from locodyn.kernel import lit, portable, select_lt, sincos, sqrt
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
    subtract,
)
from locodyn.lie.arctangent import arctangent
from locodyn.robot.layout import FLUID
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.world.buoyant import buoyancy, wet_share
from locodyn.world.compliant import compliant_rates, compliant_wrench
from locodyn.world.compliant_pairs import add_pair_wrenches, pair_forces
from locodyn.world.law_table import (
    ANCHOR,
    ARCTAN,
    BUOYANCY,
    COMPLIANT,
    DRAG,
    FEEDBACK,
    LUGRE,
    PAIR,
    RESISTANCE,
    SLIDING,
    THRUST,
    WAKE,
    WET_DRAG,
    WORLD_FORCE,
)
from locodyn.world.lugre import bristle_force, bristle_rate, load_bristles, turned_back


@portable(inline=True)
def resistance(linear, quadratic, v):
    """c v + d |v| v."""
    size = select_lt(v, lit(v, 0.0), -v, v)
    return v * (linear + quadratic * size)


@portable(inline=True)
def drag(laws, row, at, x, w):
    """Force and moment of resistance, its numbers from column ``at`` on: linear, quadratic, angular."""
    o = lit(x[0], 0.0)
    a = load3(laws.numbers, row, at)
    b = load3(laws.numbers, row, at + 3)
    e = load3(laws.numbers, row, at + 6)
    force = (-resistance(a[0], b[0], x[0]), -resistance(a[1], b[1], x[1]), -resistance(a[2], b[2], x[2]))
    return force, (o - e[0] * w[0], o - e[1] * w[1], o - e[2] * w[2])


@portable
def desired_twist(laws, angles, row, r, p):
    """Ad(g^-1 g_d) eta_d of a feedback law at a point with world pose (r, p): the desired motion, seen from the point."""
    o = lit(p[0], 0.0)
    t = laws.target[row]
    away = (p[0] - lit(o, angles[t, 0]), p[1] - lit(o, angles[t + 1, 0]), p[2] - lit(o, angles[t + 2, 0]))
    turn = (lit(o, angles[t + 3, 0]), lit(o, angles[t + 4, 0]), lit(o, angles[t + 5, 0]))
    speed = (lit(o, angles[t, 1]), lit(o, angles[t + 1, 1]), lit(o, angles[t + 2, 1]))
    return rotate_back(r, add(speed, cross(turn, away))), rotate_back(r, turn)


@portable
def law_wrench(laws, angles, memory, row, r, p, x, w):
    """Force, moment, stored energy and lost power of law ``row`` at a point with world pose (r, p) and body twist (x; w).

    The lost power of buoyancy is minus what a wave gives.     ``memory.value``: states of all laws.
    """
    o = lit(p[0], 0.0)
    force = (o, o, o)
    moment = (o, o, o)
    stored = o
    lost = o
    kind = laws.kind[row]
    a = load3(laws.numbers, row, 0)
    b = load3(laws.numbers, row, 3)
    if kind == WORLD_FORCE:
        force = rotate_back(r, (o + a[0], o + a[1], o + a[2]))
        moment = rotate_back(r, (o + b[0], o + b[1], o + b[2]))
        stored = o - dot(p, a)
    elif kind == THRUST:
        force = (o + a[0], o + a[1], o + a[2])
        moment = (o + b[0], o + b[1], o + b[2])
    elif kind == DRAG:
        force, moment = drag(laws, row, 0, x, w)
        lost = o - dot(force, x) - dot(moment, w)
    elif kind == SLIDING:
        along = x[0] * x[0]
        across = x[1] * x[1]
        rest = b[1] * b[1]  # a[2]: 1 where one direction uses up the friction of the other, 0 where they are independent
        pressure = (b[0] / sqrt(along + a[2] * across + rest), b[0] / sqrt(a[2] * along + across + rest))
        force = (o - a[0] * pressure[0] * x[0], o - a[1] * pressure[1] * x[1], o)
        lost = o - dot(force, x)
    elif kind == ARCTAN:
        along = a[0] * arctangent(x[0], o + a[2]) + b[0] * x[0]
        across = a[1] * arctangent(x[1], o + a[2]) + b[1] * x[1]
        force = (o - along, o - across, o)
        lost = o - dot(force, x)
    elif kind == ANCHOR:
        d = subtract(p, (o + a[0], o + a[1], o + a[2]))
        pull = scale(o - b[0], d)
        force = add(rotate_back(r, pull), scale(o - b[1], x))
        stored = lit(o, 0.5) * b[0] * dot(d, d)
        lost = b[1] * dot(x, x)
    elif kind == WAKE:
        y = a[0] * x[1]
        z = a[1] * x[2]
        shed = lit(o, 0.5) * (y * x[1] + z * x[2])
        force = (o - shed, x[0] * y, x[0] * z)
        lost = o - x[0] * shed
    elif kind == FEEDBACK:
        e, f = desired_twist(laws, angles, row, r, p)
        e = subtract(e, x)
        f = subtract(f, w)
        force = (a[0] * e[0], a[1] * e[1], a[2] * e[2])
        moment = (b[0] * f[0], b[1] * f[1], b[2] * f[2])
        m = laws.memory[row]
        if m >= 0:
            c = load3(laws.numbers, row, 6)
            d = load3(laws.numbers, row, 9)
            z = memory.value
            force = add(force, (c[0] * z[m], c[1] * z[m + 1], c[2] * z[m + 2]))
            moment = add(moment, (d[0] * z[m + 3], d[1] * z[m + 4], d[2] * z[m + 5]))
    elif kind == LUGRE:
        m = laws.memory[row]
        z = (memory.value[m], memory.value[m + 1])
        bristles = load_bristles(laws.numbers, row, 0)
        bent = bristle_rate(bristles, (x[0], x[1]), z)
        a, b, _, _ = bristles
        force = (o - bristle_force(a, z[0], bent[0], x[0]), o - bristle_force(b, z[1], bent[1], x[1]), o)
        turned = turned_back(z, w[2])
        stored = lit(o, 0.5) * (a[0] * z[0] * z[0] + b[0] * z[1] * z[1])
        lost = o - dot(force, x) - a[0] * z[0] * (bent[0] + turned[0]) - b[0] * z[1] * (bent[1] + turned[1])
    elif kind == COMPLIANT:
        force, moment, stored, lost = compliant_wrench(laws, memory, row, r, p, x, w)
    elif kind == BUOYANCY:
        force, moment, stored, lost = buoyancy(laws, angles, row, r, p)
    elif kind == WET_DRAG:
        force, moment = drag(laws, row, RESISTANCE, x, w)
        wet = wet_share(laws, angles, row, r, p)
        force = scale(wet, force)
        moment = scale(wet, moment)
        lost = o - dot(force, x) - dot(moment, w)
    return force, moment, stored, lost


@portable
def law_rates(laws, angles, memory, row, r, p, x, w):
    """Rates of the states of law ``row`` into ``memory.rate``, its point being at (r, p) with the twist (x; w)."""
    m = laws.memory[row]
    if laws.kind[row] == FEEDBACK:
        e, f = desired_twist(laws, angles, row, r, p)
        for j in range(3):
            memory.rate[m + j] = e[j] - x[j]
            memory.rate[m + 3 + j] = f[j] - w[j]
    elif laws.kind[row] == LUGRE:
        z = (memory.value[m], memory.value[m + 1])
        bent = bristle_rate(load_bristles(laws.numbers, row, 0), (x[0], x[1]), z)
        turned = turned_back(z, w[2])
        memory.rate[m] = bent[0] + turned[0]
        memory.rate[m + 1] = bent[1] + turned[1]
    elif laws.kind[row] == COMPLIANT:
        bent = compliant_rates(laws, memory, row, r, p, x, w)
        memory.rate[m] = bent[0]
        memory.rate[m + 1] = bent[1]


@portable(inline=True)
def amount(laws, angles, row, one):
    """What law ``row`` is multiplied with: its share along a rod, its factor at this time."""
    if laws.shared[row] == 1:
        one = one * laws.share[row]
    if laws.factor[row] >= 0:
        one = one * lit(one, angles[laws.factor[row], 0])
    return one


@portable
def add_fluid_weight(frames, constants, gravity, poses, wrenches):
    """Take the weight of the fluid moved along out again: the recursions carry gravity as an acceleration of everything.

    Adds -M_fluid (R^T g; 0) to ``wrenches`` (nf, 6) of the frames that move fluid along.
    """
    for k in range(frames.shape[0]):
        if frames[k, FLUID] != 0:
            o = lit(poses[k, 0], 0.0)
            g = rotate_back(load9(poses, k, ROTATION), (o - gravity[0], o - gravity[1], o - gravity[2]))
            f, n = fluid_momentum(constants, k, g, (o, o, o))
            increase3(wrenches, k, 0, f)
            increase3(wrenches, k, 3, n)


@portable(inline=True)
def steered_point(laws, angles, row):
    """Axes of the point of a law in its frame, turned about their z axis by the steering angle, and the rate of that angle.

    ``angles`` (k, 3): value, rate, acceleration of the laws of steering. Robots in lanes share them.
    """
    r0 = load9(laws.rotation, row, 0)
    rate = 0.0
    law = laws.steering[row]
    if law >= 0:
        s, c = sincos(angles[law, 0])
        rate = angles[law, 1]
        r0 = multiply(r0, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
    return r0, rate


@portable(inline=True)
def point_motion(laws, angles, poses, motions, row):
    """Place (r0, p0) of the point of law ``row`` in its frame, its world pose (r, p), its twist (x; w), its steering rate."""
    k = laws.frame[row]
    r0, rate = steered_point(laws, angles, row)
    p0 = load3(laws.position, row, 0)
    rk = load9(poses, k, ROTATION)
    p = add(load3(poses, k, POSITION), rotate(rk, p0))
    x, w = to_child(r0, p0, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    return r0, p0, multiply(rk, r0), p, x, (w[0], w[1], w[2] + rate), rate


@portable(inline=True)
def point_wrench(laws, angles, poses, motions, memory, row):
    """Force and moment of law ``row`` in its own axes r0 (turned by its steering), with the motion of its point.

    Returns (place (r0, p0) in its frame, twist (x; w) and steering rate, (force, moment), (stored energy, lost power)).
    """
    r0, p0, r, p, x, w, rate = point_motion(laws, angles, poses, motions, row)
    if laws.memory[row] >= 0:
        law_rates(laws, angles, memory, row, r, p, x, w)
    force, moment, energy, power = law_wrench(laws, angles, memory, row, r, p, x, w)
    if laws.shared[row] == 1 or laws.factor[row] >= 0:
        scaling = amount(laws, angles, row, lit(p[0], 1.0))
        force = scale(scaling, force)
        moment = scale(scaling, moment)
        energy = scaling * energy
        power = scaling * power
    return (r0, p0), (x, w, rate), (force, moment), (energy, power)


@portable
def add_wrenches(laws, angles, poses, motions, memory, wrenches):
    """Add the wrenches of all laws to ``wrenches`` (nf, 6); the rates of their states go to ``memory.rate``.

    Returns (stored energy J, lost power W, power from outside W, power W of steering motors against the moment of the contact).
    ``poses``, ``motions``: world poses and body motions of the frames; ``angles`` (k, 3): laws of time at this instant;
    ``memory.value``: states of the laws.
    """
    o = lit(poses[0, 0], 0.0)
    stored = o
    lost = o
    outside = o
    steering = o
    for row in range(laws.frame.shape[0]):
        if laws.kind[row] == PAIR:
            continue
        k = laws.frame[row]
        place, twist, load, tally = point_wrench(laws, angles, poses, motions, memory, row)
        (r0, p0), (x, w, rate), (force, moment), (energy, power) = place, twist, load, tally
        kind = laws.kind[row]
        if kind == BUOYANCY:
            outside = outside - power
        else:
            lost = lost + power
        if kind == THRUST or kind == FEEDBACK or laws.factor[row] >= 0:
            outside = outside + dot(force, x) + dot(moment, w)
        else:
            stored = stored + energy
            if kind == WORLD_FORCE:
                outside = outside + dot(moment, w)
        steering = steering - moment[2] * rate
        f, c = to_parent(r0, p0, force, moment)
        increase3(wrenches, k, 0, f)
        increase3(wrenches, k, 3, c)
    in_pairs, rubbed = add_pairs(laws.pairs, laws, poses, motions, memory, wrenches)
    return stored + in_pairs, lost + rubbed, outside, steering


@portable
def add_pairs(pairs, laws, poses, motions, memory, wrenches):
    """Compliant contacts of two surfaces: (stored energy J, lost power W). The type of ``pairs`` tells whether there are any."""
    if pairs is None:
        return lit(poses[0, 0], 0.0), lit(poses[0, 0], 0.0)
    return add_pair_wrenches(pairs, laws, poses, motions, memory, wrenches)


@portable
def add_pair_forces(pairs, laws, poses, motions, memory, forces):
    """Their forces."""
    if pairs is not None:
        pair_forces(pairs, laws, poses, motions, memory, forces)


@portable
def contact_forces(laws, angles, poses, motions, memory, forces):
    """Forces of all laws on the robot, in world axes, into ``forces`` (m, 3), N."""
    add_pair_forces(laws.pairs, laws, poses, motions, memory, forces)
    for row in range(laws.frame.shape[0]):
        if laws.kind[row] == PAIR:
            continue
        place, _, load, _ = point_wrench(laws, angles, poses, motions, memory, row)
        f = rotate(multiply(load9(poses, laws.frame[row], ROTATION), place[0]), load[0])
        for j in range(3):
            forces[row, j] = f[j]
