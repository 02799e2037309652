"""The kernels of feedback of a twist (:class:`~locodyn.world.feedback.Feedback`): K_P e + K_I z, zdot = e.

e = Ad(g^-1 g_d) eta_d - eta (Gotelli 2024, 3.9.2). Along a displacement (d; t) of the point and a change (e; f) of its twist it
changes by D x t + turn x d - e (Gotelli 2024, (3.62)); D, turn: the desired velocity and angular velocity, seen from the point.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, load3, rotate_back, subtract
from locodyn.world.law_table import GAINS


@portable
def desired_twist(laws, angles, row, r, p):
    """Ad(g^-1 g_d) eta_d of a feedback law at a point with world pose (r, p): the desired motion, seen from the point."""
    o = lit(p[0], 0.0)
    t = laws.target[row]
    away = (p[0] - lit(o, angles[t, 0]), p[1] - lit(o, angles[t + 1, 0]), p[2] - lit(o, angles[t + 2, 0]))
    turn = (lit(o, angles[t + 3, 0]), lit(o, angles[t + 4, 0]), lit(o, angles[t + 5, 0]))
    speed = (lit(o, angles[t, 1]), lit(o, angles[t + 1, 1]), lit(o, angles[t + 2, 1]))
    return rotate_back(r, add(speed, cross(turn, away))), rotate_back(r, turn)


@portable(inline=True)
def by_component(a, x):
    """a_i x_i."""
    return a[0] * x[0], a[1] * x[1], a[2] * x[2]


@portable(inline=True)
def feedback_wrench(laws, angles, memory, row, r, p, x, w):
    """Force and moment of feedback ``row`` at a point with world pose (r, p) and body twist (x; w)."""
    n = laws.numbers
    e, f = desired_twist(laws, angles, row, r, p)
    force = by_component(load3(n, row, GAINS.force), subtract(e, x))
    moment = by_component(load3(n, row, GAINS.moment), subtract(f, w))
    m = laws.memory[row]
    if m >= 0:
        z = memory.value
        force = add(force, by_component(load3(n, row, GAINS.force_integral), (z[m], z[m + 1], z[m + 2])))
        moment = add(moment, by_component(load3(n, row, GAINS.moment_integral), (z[m + 3], z[m + 4], z[m + 5])))
    return force, moment


@portable(inline=True)
def feedback_change(laws, angles, row, r, p, d, t, e, f, dz):
    """Changes of force, moment and rates of the states (6,); ``dz`` (6,): that of the states."""
    n = laws.numbers
    o = lit(p[0], 0.0)
    rates = (o, o, o, o, o, o)
    speed, turn = desired_twist(laws, angles, row, r, p)
    one = subtract(add(cross(speed, t), cross(turn, d)), e)
    two = subtract(cross(turn, t), f)
    force = by_component(load3(n, row, GAINS.force), one)
    moment = by_component(load3(n, row, GAINS.moment), two)
    if laws.memory[row] >= 0:
        force = add(force, by_component(load3(n, row, GAINS.force_integral), (dz[0], dz[1], dz[2])))
        moment = add(moment, by_component(load3(n, row, GAINS.moment_integral), (dz[3], dz[4], dz[5])))
        rates = (one[0], one[1], one[2], two[0], two[1], two[2])
    return force, moment, rates
