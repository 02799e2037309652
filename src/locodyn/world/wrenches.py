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
from locodyn.world.law_table import (
    ANCHOR,
    ARCTAN,
    DRAG,
    FACTOR,
    FEEDBACK,
    FIRST,
    FRAME,
    KIND,
    MEMORY,
    POINT_POSITION,
    POINT_ROTATION,
    SHARE,
    SHARED,
    SLIDING,
    STEERING,
    TARGET,
    THRUST,
    WAKE,
    WORLD_FORCE,
)


@portable(inline=True)
def resistance(linear, quadratic, v):
    """c v + d |v| v."""
    size = select_lt(v, lit(v, 0.0), -v, v)
    return v * (linear + quadratic * size)


@portable
def desired_twist(laws, angles, row, r, p):
    """Ad(g^-1 g_d) eta_d of a feedback law at a point with world pose (r, p): the desired motion, seen from the point."""
    o = lit(p[0], 0.0)
    t = laws[row, TARGET]
    away = (p[0] - lit(o, angles[t, 0]), p[1] - lit(o, angles[t + 1, 0]), p[2] - lit(o, angles[t + 2, 0]))
    turn = (lit(o, angles[t + 3, 0]), lit(o, angles[t + 4, 0]), lit(o, angles[t + 5, 0]))
    speed = (lit(o, angles[t, 1]), lit(o, angles[t + 1, 1]), lit(o, angles[t + 2, 1]))
    return rotate_back(r, add(speed, cross(turn, away))), rotate_back(r, turn)


@portable
def law_wrench(laws, parameters, angles, v, row, r, p, x, w):
    """Force, moment, stored energy and lost power of law ``row`` at a point with world pose (r, p) and body twist (x; w).

    ``v`` (nv,): velocity coordinates, among them the integrals of feedback laws.
    """
    o = lit(p[0], 0.0)
    force = (o, o, o)
    moment = (o, o, o)
    stored = o
    lost = o
    kind = laws[row, KIND]
    a = load3(parameters, row, FIRST)
    b = load3(parameters, row, FIRST + 3)
    if kind == WORLD_FORCE:
        force = rotate_back(r, (o + a[0], o + a[1], o + a[2]))
        moment = rotate_back(r, (o + b[0], o + b[1], o + b[2]))
        stored = o - dot(p, a)
    elif kind == THRUST:
        force = (o + a[0], o + a[1], o + a[2])
        moment = (o + b[0], o + b[1], o + b[2])
    elif kind == DRAG:
        e = load3(parameters, row, FIRST + 6)
        force = (-resistance(a[0], b[0], x[0]), -resistance(a[1], b[1], x[1]), -resistance(a[2], b[2], x[2]))
        moment = (o - e[0] * w[0], o - e[1] * w[1], o - e[2] * w[2])
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
        m = laws[row, MEMORY]
        if m >= 0:
            c = load3(parameters, row, FIRST + 6)
            d = load3(parameters, row, FIRST + 9)
            force = add(force, (c[0] * v[m], c[1] * v[m + 1], c[2] * v[m + 2]))
            moment = add(moment, (d[0] * v[m + 3], d[1] * v[m + 4], d[2] * v[m + 5]))
    return force, moment, stored, lost


@portable(inline=True)
def amount(laws, parameters, angles, row, one):
    """What law ``row`` is multiplied with: its share along a rod, its factor at this time."""
    if laws[row, SHARED] == 1:
        one = one * parameters[row, SHARE]
    if laws[row, FACTOR] >= 0:
        one = one * lit(one, angles[laws[row, FACTOR], 0])
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
def steered_point(laws, parameters, angles, row):
    """Axes of the point of a law in its frame, turned about their z axis by the steering angle, and the rate of that angle.

    ``angles`` (k, 3): value, rate, acceleration of the laws of steering. Robots in lanes share them.
    """
    r0 = load9(parameters, row, POINT_ROTATION)
    rate = 0.0
    law = laws[row, STEERING]
    if law >= 0:
        s, c = sincos(angles[law, 0])
        rate = angles[law, 1]
        r0 = multiply(r0, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
    return r0, rate


@portable(inline=True)
def point_motion(laws, parameters, angles, poses, motions, row):
    """Place (r0, p0) of the point of law ``row`` in its frame, its world pose (r, p), its twist (x; w), its steering rate."""
    k = laws[row, FRAME]
    r0, rate = steered_point(laws, parameters, angles, row)
    p0 = load3(parameters, row, POINT_POSITION)
    rk = load9(poses, k, ROTATION)
    p = add(load3(poses, k, POSITION), rotate(rk, p0))
    x, w = to_child(r0, p0, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    return r0, p0, multiply(rk, r0), p, x, (w[0], w[1], w[2] + rate), rate


@portable(inline=True)
def point_wrench(laws, parameters, angles, poses, motions, v, row):
    """Force and moment of law ``row`` in its own axes r0 (turned by its steering), with the motion of its point.

    Returns (place (r0, p0) in its frame, twist (x; w) and steering rate, (force, moment), (stored energy, lost power)).
    """
    r0, p0, r, p, x, w, rate = point_motion(laws, parameters, angles, poses, motions, row)
    force, moment, energy, power = law_wrench(laws, parameters, angles, v, row, r, p, x, w)
    if laws[row, SHARED] == 1 or laws[row, FACTOR] >= 0:
        scaling = amount(laws, parameters, angles, row, lit(p[0], 1.0))
        force = scale(scaling, force)
        moment = scale(scaling, moment)
        energy = scaling * energy
        power = scaling * power
    return (r0, p0), (x, w, rate), (force, moment), (energy, power)


@portable
def add_wrenches(laws, parameters, angles, poses, motions, v, wrenches):
    """Add the wrenches of all laws to ``wrenches`` (nf, 6).

    Returns (stored energy J, lost power W, power from outside W, power W of steering motors against the moment of the contact).
    ``poses``, ``motions``: world poses and body motions of the frames; ``angles`` (k, 3): laws of time at this instant; ``v``
    (nv,): velocity coordinates.
    """
    o = lit(poses[0, 0], 0.0)
    stored = o
    lost = o
    outside = o
    steering = o
    for row in range(laws.shape[0]):
        k = laws[row, FRAME]
        place, twist, load, tally = point_wrench(laws, parameters, angles, poses, motions, v, row)
        (r0, p0), (x, w, rate), (force, moment), (energy, power) = place, twist, load, tally
        lost = lost + power
        kind = laws[row, KIND]
        if kind == THRUST or kind == FEEDBACK or laws[row, FACTOR] >= 0:
            outside = outside + dot(force, x) + dot(moment, w)
        else:
            stored = stored + energy
            if kind == WORLD_FORCE:
                outside = outside + dot(moment, w)
        steering = steering - moment[2] * rate
        f, c = to_parent(r0, p0, force, moment)
        increase3(wrenches, k, 0, f)
        increase3(wrenches, k, 3, c)
    return stored, lost, outside, steering


@portable
def add_memory_forces(laws, parameters, angles, poses, motions, tau):
    """Add the errors of feedback laws to the forces on the coordinates whose velocities are their integrals (inertia 1)."""
    for row in range(laws.shape[0]):
        m = laws[row, MEMORY]
        if m >= 0:
            _, _, r, p, x, w, _ = point_motion(laws, parameters, angles, poses, motions, row)
            e, f = desired_twist(laws, angles, row, r, p)
            for j in range(3):
                tau[m + j] = tau[m + j] + (e[j] - x[j])
                tau[m + 3 + j] = tau[m + 3 + j] + (f[j] - w[j])


@portable
def contact_forces(laws, parameters, angles, poses, motions, v, forces):
    """Forces of all laws on the robot, in world axes, into ``forces`` (m, 3), N."""
    for row in range(laws.shape[0]):
        place, _, load, _ = point_wrench(laws, parameters, angles, poses, motions, v, row)
        f = rotate(multiply(load9(poses, laws[row, FRAME], ROTATION), place[0]), load[0])
        for j in range(3):
            forces[row, j] = f[j]
