"""Viscoelastic stick and slip (Aguirre 2010, 4.4.2, (4.16)-(4.21)): a spring and damper along the ground that slips at a limit.

With the deflection z of the spring, its exponent m, and mu by direction,

    T = k |z|^(m-1) z + lambda |z|^m v,      F = -T min(1, F_N / |T / mu|),      zdot = v - b max(0, v . z) z / |z|^2 - x z

The spring stretches with the slip until it carries the limit; from 0.9 to 1 of it b rises from 0 to 1, and the spring slips on as
it is, so that the law is smooth where Aguirre's switches. Where the load falls below what the spring carries, x = (1 - F_N / |T
/ mu|) over the time of relaxation lets it go. It stores k |z|^(m+1) / (m+1).

Deflections have a third part, along the normal of a contact whose normal turns: it has no force.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, select_lt, sqrt

_TINY = 1e-200
_YIELDS = 0.9  # of the limit, where the spring begins to slip


@portable(inline=True)
def stretch(halves, z):
    """|z| and |z|^(m-1), twice the exponent m being ``halves``."""
    size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + lit(z[0], _TINY))
    root = sqrt(size)
    power = lit(size, 1.0)
    for _ in range(int(halves) - 2):
        power = power * root
    return size, power


@portable(inline=True)
def in_limit(limits, x, y):
    """|(x / mu_x, y / mu_y)|: the load under which this force is at its limit."""
    a = x / lit(x, limits[0])
    b = y / lit(x, limits[1])
    return sqrt(a * a + b * b + lit(x, _TINY))


@portable(inline=True)
def in_limit_change(limits, x, y, dx, dy, size):
    """How that, which is ``size``, changes with the force."""
    return (x * dx / lit(x, limits[0] * limits[0]) + y * dy / lit(x, limits[1] * limits[1])) / size


@portable(inline=True)
def yielding(carried, load):
    """How far the spring is from 0.9 to 1 of its limit, 0 to 1."""
    o = lit(load, 0.0)
    one = lit(load, 1.0)
    x = (carried - lit(load, _YIELDS) * load) / (lit(load, 1.0 - _YIELDS) * load + lit(load, _TINY))
    return select_lt(x, o, o, select_lt(one, x, one, x))


@portable
def stick_slip(halves, spring, limits, load, v, z):
    """Force (2,) that resists, zdot (3,), energy and force (3,) of the spring. ``spring``: k, lambda, relaxation s."""
    o = lit(load, 0.0)
    one = lit(load, 1.0)
    size, power = stretch(halves, z)
    k = spring[0] * power
    damping = spring[1] * power * size
    stretched = (k * z[0], k * z[1], k * z[2])
    x = stretched[0] + damping * v[0]
    y = stretched[1] + damping * v[1]
    whole = in_limit(limits, x, y)
    share = select_lt(load, whole, load / whole, one)
    carried = in_limit(limits, stretched[0], stretched[1])
    part = yielding(carried, load)
    slips = part * part * (lit(load, 3.0) - lit(load, 2.0) * part)
    along = (v[0] * z[0] + v[1] * z[1]) / size
    away = slips * select_lt(o, along, along, o) / size
    falls = select_lt(load, carried, one - load / carried, o) / lit(load, spring[2])
    rate = (v[0] - (away + falls) * z[0], v[1] - (away + falls) * z[1], -(z[2] / lit(load, spring[2])))
    stored = k * size * size / lit(load, 0.5 * halves + 1.0)
    return (share * x, share * y), rate, stored, stretched


@portable
def stick_slip_change(halves, spring, limits, load, v, z, more, e, dz):
    """How force (2,) and zdot (3,) change with the load by ``more``, with v by e (2,) and with z by dz (3,)."""
    o = lit(load, 0.0)
    one = lit(load, 1.0)
    size, power = stretch(halves, z)
    longer = (z[0] * dz[0] + z[1] * dz[1] + z[2] * dz[2]) / size
    stiffer = lit(load, 0.5 * halves - 1.0) * power * longer / size
    x = spring[0] * power * z[0]
    y = spring[0] * power * z[1]
    dx = spring[0] * (stiffer * z[0] + power * dz[0])
    dy = spring[0] * (stiffer * z[1] + power * dz[1])
    carried = in_limit(limits, x, y)
    more_carried = in_limit_change(limits, x, y, dx, dy, carried)
    damping = spring[1] * power * size
    more_damping = spring[1] * (stiffer * size + power * longer)
    x = x + damping * v[0]
    y = y + damping * v[1]
    dx = dx + more_damping * v[0] + damping * e[0]
    dy = dy + more_damping * v[1] + damping * e[1]
    whole = in_limit(limits, x, y)
    more_whole = in_limit_change(limits, x, y, dx, dy, whole)
    share = select_lt(load, whole, load / whole, one)
    more_share = select_lt(load, whole, (more - share * more_whole) / whole, o)
    part = yielding(carried, load)
    narrow = lit(load, 1.0 - _YIELDS) * load + lit(load, _TINY)
    wider = (more_carried - (lit(load, _YIELDS) + lit(load, 1.0 - _YIELDS) * part) * more) / narrow
    wider = select_lt(o, part, select_lt(part, one, wider, o), o)
    slips = part * part * (lit(load, 3.0) - lit(load, 2.0) * part)
    more_slips = lit(load, 6.0) * part * (one - part) * wider
    along = (v[0] * z[0] + v[1] * z[1]) / size
    more_along = (e[0] * z[0] + e[1] * z[1] + v[0] * dz[0] + v[1] * dz[1] - along * longer) / size
    more_along = select_lt(o, along, more_along, o)
    along = select_lt(o, along, along, o)
    away = slips * along / size
    more_away = (more_slips * along + slips * more_along - away * longer) / size
    often = one / lit(load, spring[2])
    falls = select_lt(load, carried, one - load / carried, o) * often
    more_falls = select_lt(load, carried, (load / carried * more_carried - more) / carried, o) * often
    slower = away + falls
    more_slower = more_away + more_falls
    rate = (e[0] - more_slower * z[0] - slower * dz[0], e[1] - more_slower * z[1] - slower * dz[1], -(often * dz[2]))
    return (more_share * x + share * dx, more_share * y + share * dy), rate
