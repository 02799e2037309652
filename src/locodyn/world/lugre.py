"""LuGre friction (Canudas de Wit, Olsson, Astrom and Lischinsky 1995): bristles that bend before they slip.

    zdot = v - s0 |v| / g(|v|) z,      F = -(s0 z + s1 zdot + s2 v),      g(s) = F_C + (F_S - F_C) exp(-(s / v_S)^2)

Numbers in this order: (s0, s1, s2) stiffness, damping and viscosity, (F_C, F_S, v_S) Coulomb friction, static friction and the
speed of Stribeck's curve. At a point the bristles are bent along x and y of its axes, but they stand on the ground: where the
point spins with w_z, their deflection turns back in its axes, -w_z e_z x z. It is 1/2 s0 z^2 of energy.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, sqrt
from locodyn.kernel.exponential import decay

_TINY = 1e-200  # (m/s)^2: no slip has the direction zero


@portable
def release(a, b, speed):
    """r = s0 s / g(s), with which bristles slip back at the speed s, and dr/ds; 1/s and 1/m."""
    one = lit(speed, 1.0)
    ratio = speed / lit(speed, b[2])
    peak = lit(speed, b[1] - b[0]) * decay(ratio * ratio)
    g = one / (lit(speed, b[0]) + peak)
    slope = lit(speed, -2.0) * ratio * peak / lit(speed, b[2])
    rate = lit(speed, a[0]) * g
    return rate * speed, rate * (one - speed * slope * g)


@portable(inline=True)
def speed_of(x, y):
    """|(x, y)|, a little more than zero."""
    return sqrt(x * x + y * y + lit(x, _TINY))


@portable
def bristle_rate(a, b, v, z):
    """v - r z of bristles bent by z (2,) that slip with v (2,)."""
    r, _ = release(a, b, speed_of(v[0], v[1]))
    return v[0] - r * z[0], v[1] - r * z[1]


@portable
def bristle_change(a, b, v, z, e, dz):
    """How that changes with v by e and with z by dz."""
    speed = speed_of(v[0], v[1])
    r, slope = release(a, b, speed)
    more = slope * (v[0] * e[0] + v[1] * e[1]) / speed
    return e[0] - more * z[0] - r * dz[0], e[1] - more * z[1] - r * dz[1]


@portable(inline=True)
def bristle_force(a, z, zdot, v):
    """s0 z + s1 zdot + s2 v of one direction: what the bristles resist with."""
    return a[0] * z + a[1] * zdot + a[2] * v


@portable(inline=True)
def turned_back(z, spin):
    """-spin e_z x z: what a deflection on the ground does in axes that spin."""
    return spin * z[1], -(spin * z[0])
