"""The kernels of the wrench laws: the wrench of each at its point, and their sum. Their table: :mod:`locodyn.world.law_table`."""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_momentum
from locodyn.kernel import lit, portable, select_lt, sincos
from locodyn.kernel.vector import add, dot, increase3, load3, load9, multiply, rotate, rotate_back, scale, subtract
from locodyn.robot.layout import FLUID
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.world.buoyant import buoyancy, wet_share
from locodyn.world.compliant import compliant_rates, compliant_wrench
from locodyn.world.compliant_pairs import add_pair_wrenches, pair_forces
from locodyn.world.dry_friction import friction_force, friction_rates
from locodyn.world.law_table import LAW, LOAD, RESISTANCE, SPRING, TAIL, WET
from locodyn.world.ties import add_tie_wrenches
from locodyn.world.twist_feedback import desired_twist, feedback_wrench


@portable(inline=True)
def acts_at_point(laws, row):
    """Whether law ``row`` acts on one frame, at a point of it: not so of two surfaces that touch, of cables and springs."""
    return laws.kind[row] != LAW.pair and laws.kind[row] != LAW.tie


@portable(inline=True)
def resistance(linear, quadratic, v):
    """c v + d |v| v."""
    size = select_lt(v, lit(v, 0.0), -v, v)
    return v * (linear + quadratic * size)


@portable(inline=True)
def drag(laws, row, at, x, w):
    """Force and moment of resistance, its numbers (``RESISTANCE``) from column ``at`` on."""
    o = lit(x[0], 0.0)
    a = load3(laws.numbers, row, at + RESISTANCE.linear)
    b = load3(laws.numbers, row, at + RESISTANCE.quadratic)
    e = load3(laws.numbers, row, at + RESISTANCE.angular)
    force = (-resistance(a[0], b[0], x[0]), -resistance(a[1], b[1], x[1]), -resistance(a[2], b[2], x[2]))
    return force, (o - e[0] * w[0], o - e[1] * w[1], o - e[2] * w[2])


@portable(inline=True)
def fluid_velocity(laws, row, at, r):
    """Velocity of the fluid of a drag, in the axes r of its point; its numbers begin with column ``at``."""
    o = lit(r[0], 0.0)
    c = load3(laws.numbers, row, at + RESISTANCE.current)
    return rotate_back(r, (o + c[0], o + c[1], o + c[2]))


@portable(inline=True)
def against_fluid(laws, row, at, r, x):
    """The velocity x of the point of a drag less that of the fluid."""
    if laws.flows[row] == 1:
        x = subtract(x, fluid_velocity(laws, row, at, r))
    return x


@portable(late=(3, 3, 1, 1))
def law_wrench(laws, angles, memory, row, r, p, x, w):
    """Force, moment, stored energy and lost power of law ``row`` at a point with world pose (r, p) and body twist (x; w).

    The lost power of buoyancy is minus what a wave gives, that of drag what the fluid makes heat of. ``memory.value``: states of
    all laws.
    """
    o = lit(p[0], 0.0)
    force = (o, o, o)
    moment = (o, o, o)
    stored = o
    lost = o
    kind = laws.kind[row]
    n = laws.numbers
    if kind == LAW.world_force or kind == LAW.thrust:
        a = load3(n, row, LOAD.force)
        b = load3(n, row, LOAD.moment)
        force = (o + a[0], o + a[1], o + a[2])
        moment = (o + b[0], o + b[1], o + b[2])
        if kind == LAW.world_force:
            force = rotate_back(r, force)
            moment = rotate_back(r, moment)
            stored = o - dot(p, a)
    elif kind == LAW.drag:
        x = against_fluid(laws, row, 0, r, x)
        force, moment = drag(laws, row, 0, x, w)
        lost = o - dot(force, x) - dot(moment, w)
    elif kind == LAW.sliding or kind == LAW.arctan or kind == LAW.lugre:
        force, stored, lost = friction_force(laws, memory, row, x, w)
    elif kind == LAW.anchor:
        stiffness = n[row, SPRING.stiffness]
        damping = n[row, SPRING.damping]
        a = load3(n, row, SPRING.place)
        d = subtract(p, (o + a[0], o + a[1], o + a[2]))
        force = add(rotate_back(r, scale(o - stiffness, d)), scale(o - damping, x))
        stored = lit(o, 0.5) * stiffness * dot(d, d)
        lost = damping * dot(x, x)
    elif kind == LAW.wake:
        y = n[row, TAIL.added_mass] * x[1]
        z = n[row, TAIL.added_mass + 1] * x[2]
        shed = lit(o, 0.5) * (y * x[1] + z * x[2])
        force = (o - shed, x[0] * y, x[0] * z)
        lost = o - x[0] * shed
    elif kind == LAW.feedback:
        force, moment = feedback_wrench(laws, angles, memory, row, r, p, x, w)
    elif kind == LAW.compliant:
        force, moment, stored, lost = compliant_wrench(laws, memory, row, r, p, x, w)
    elif kind == LAW.buoyancy:
        force, moment, stored, lost = buoyancy(laws, angles, row, r, p)
    elif kind == LAW.wet_drag:
        x = against_fluid(laws, row, WET.resistance, r, x)
        force, moment = drag(laws, row, WET.resistance, x, w)
        wet = wet_share(laws, angles, row, r, p)
        force = scale(wet, force)
        moment = scale(wet, moment)
        lost = o - dot(force, x) - dot(moment, w)
    return force, moment, stored, lost


@portable(late=())
def law_rates(laws, angles, memory, row, r, p, x, w):
    """Rates of the states of law ``row`` into ``memory.rate``, its point being at (r, p) with the twist (x; w)."""
    m = laws.memory[row]
    if laws.kind[row] == LAW.feedback:
        e, f = desired_twist(laws, angles, row, r, p)
        for j in range(3):
            memory.rate[m + j] = e[j] - x[j]
            memory.rate[m + 3 + j] = f[j] - w[j]
    elif laws.kind[row] == LAW.lugre:
        bent = friction_rates(laws, memory, row, x, w)
        memory.rate[m] = bent[0]
        memory.rate[m + 1] = bent[1]
    elif laws.kind[row] == LAW.compliant:
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
def add_wrenches(laws, angles, q, poses, motions, memory, wrenches):
    """Add the wrenches of all laws to ``wrenches`` (nf, 6); the rates of their states go to ``memory.rate``.

    Returns (stored energy J, lost power W, power from outside W, power W of steering motors against the moment of the contact).
    ``poses``, ``motions``: world poses and body motions of the frames at the configuration q; ``angles`` (k, 3): laws of time at
    this instant; ``memory.value``: states of the laws.
    """
    o = lit(poses[0, 0], 0.0)
    stored = o
    lost = o
    outside = o
    steering = o
    for row in range(laws.frame.shape[0]):
        if not acts_at_point(laws, row):
            continue
        k = laws.frame[row]
        place, twist, load, tally = point_wrench(laws, angles, poses, motions, memory, row)
        (r0, p0), (x, w, rate), (force, moment), (energy, power) = place, twist, load, tally
        kind = laws.kind[row]
        if kind == LAW.buoyancy:
            outside = outside - power
        else:
            lost = lost + power
        if laws.flows[row] == 1:  # what the fluid gives, beside what it takes
            outside = outside + dot(force, x) + dot(moment, w) + power
        if kind == LAW.thrust or kind == LAW.feedback or laws.factor[row] >= 0:
            outside = outside + dot(force, x) + dot(moment, w)
        else:
            stored = stored + energy
            if kind == LAW.world_force:
                outside = outside + dot(moment, w)
        steering = steering - moment[2] * rate
        f, c = to_parent(r0, p0, force, moment)
        increase3(wrenches, k, 0, f)
        increase3(wrenches, k, 3, c)
    in_pairs, rubbed = add_pairs(laws.pairs, laws, poses, motions, memory, wrenches)
    in_ties, damped, supplied = o, o, o
    if laws.ties.first.shape[0] > 0:
        in_ties, damped, supplied = add_tie_wrenches(laws.ties, angles, q, poses, motions, wrenches)
    return stored + in_pairs + in_ties, lost + rubbed + damped, outside + supplied, steering


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
    """Forces of all laws on the robot but cables and springs, in world axes, into ``forces`` (m, 3), N."""
    add_pair_forces(laws.pairs, laws, poses, motions, memory, forces)
    for row in range(laws.frame.shape[0]):
        if not acts_at_point(laws, row):
            continue
        place, _, load, _ = point_wrench(laws, angles, poses, motions, memory, row)
        f = rotate(multiply(load9(poses, laws.frame[row], ROTATION), place[0]), load[0])
        for j in range(3):
            forces[row, j] = f[j]
