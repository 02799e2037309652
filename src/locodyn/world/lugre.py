"""LuGre friction (Canudas de Wit, Olsson, Astrom and Lischinsky 1995): bristles that bend before they slip, in two directions.

    zdot_i = v_i - r s_i / C_i^2 z_i,      F_i = -(s_i z_i + d_i zdot_i + c_i v_i),      i = x, y

with the stiffness s, damping d, viscosity c and Coulomb friction C of each direction. The bristles let go at the rate

    r = |C v| / (1 + (p - 1) exp(-(|v| / v_S)^2)),      p = |S^2 v| |C v| / (|S v| |C^2 v|)

where S is static friction and v_S the speed of Stribeck's curve: in steady slip the force is -C^2 v / |C v| on the ellipse of the
Coulomb frictions, which takes the most power of all forces on it (Velenis, Tsiotras, Canudas de Wit and Sorine 2005). Where both
directions are alike, r s / C^2 = s |v| / g(|v|), g = C + (S - C) exp(-(|v| / v_S)^2).

At a point the bristles are bent along x and
y of its axes, but they stand on the ground: where the point spins with w_z, their deflection turns back in its axes, -w_z e_z x
z. It is 1/2 (s_x z_x^2 + s_y z_y^2) of energy.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, sqrt
from locodyn.kernel.exponential import decay
from locodyn.kernel.vector import load3
from locodyn.world.law_table import BRISTLES

_TINY = 1e-200  # of a squared speed: no slip has the direction zero


@portable(inline=True)
def load_bristles(numbers, row, at):
    """A ``BRISTLES`` from column ``at`` on: along x and along y (s, d, c); (C_x, C_y, v_S); (S_x, S_y)."""
    slip = at + BRISTLES.coulomb
    rest = at + BRISTLES.static
    moving = (numbers[row, slip], numbers[row, slip + 1], numbers[row, at + BRISTLES.speed])
    still = (numbers[row, rest], numbers[row, rest + 1])
    return load3(numbers, row, at + BRISTLES.along), load3(numbers, row, at + BRISTLES.across), moving, still


@portable(inline=True)
def square(a, b, v):
    """(a v_x)^2 + (b v_y)^2, a little more than zero."""
    x = a * v[0]
    y = b * v[1]
    return x * x + y * y + lit(x, _TINY)


@portable(inline=True)
def growth(a, b, v, e, size):
    """How the root of that, which is ``size``, grows with v by e, over itself."""
    return ((a * a) * v[0] * e[0] + (b * b) * v[1] * e[1]) / size


@portable
def release(bristles, v):
    """r, |C v|, p and exp(-(|v| / v_S)^2) of bristles that slip with v (2,)."""
    _, _, c, s = bristles
    one = lit(v[0], 1.0)
    # One root for p: where both directions are alike it is a number, which programs of symbols find under a root alone.
    size = square(c[0], c[1], v)
    at_rest = square(s[0] * s[0], s[1] * s[1], v) / square(s[0], s[1], v)
    ratio = sqrt(at_rest * (size / square(c[0] * c[0], c[1] * c[1], v)))
    slow = decay((v[0] * v[0] + v[1] * v[1]) / lit(v[0], c[2] * c[2]))
    slip = sqrt(size)
    return slip / (one + (ratio - one) * slow), slip, ratio, slow


@portable
def release_change(bristles, v, e):
    """How r changes with v by e."""
    _, _, c, s = bristles
    one = lit(v[0], 1.0)
    r, slip, ratio, slow = release(bristles, v)
    more = growth(c[0], c[1], v, e, square(c[0], c[1], v))
    parts = more - growth(c[0] * c[0], c[1] * c[1], v, e, square(c[0] * c[0], c[1] * c[1], v))
    parts = parts + growth(s[0] * s[0], s[1] * s[1], v, e, square(s[0] * s[0], s[1] * s[1], v))
    parts = parts - growth(s[0], s[1], v, e, square(s[0], s[1], v))
    slower = lit(v[0], -2.0) * slow * (v[0] * e[0] + v[1] * e[1]) / lit(v[0], c[2] * c[2])
    weak = one / (one + (ratio - one) * slow)
    return weak * (slip * more - r * (ratio * parts * slow + (ratio - one) * slower))


@portable(inline=True)
def grips(bristles):
    """s / C^2 of both directions."""
    a, b, c, _ = bristles
    return a[0] / (c[0] * c[0]), b[0] / (c[1] * c[1])


@portable
def bristle_rate(bristles, v, z):
    """zdot (2,) of bristles bent by z (2,) that slip with v (2,)."""
    r, _, _, _ = release(bristles, v)
    x, y = grips(bristles)
    return v[0] - x * r * z[0], v[1] - y * r * z[1]


@portable
def bristle_change(bristles, v, z, e, dz):
    """How that changes with v by e and with z by dz."""
    r, _, _, _ = release(bristles, v)
    more = release_change(bristles, v, e)
    x, y = grips(bristles)
    return e[0] - x * (more * z[0] + r * dz[0]), e[1] - y * (more * z[1] + r * dz[1])


@portable(inline=True)
def bristle_force(a, z, zdot, v):
    """s z + d zdot + c v of one direction: what the bristles resist with."""
    return a[0] * z + a[1] * zdot + a[2] * v


@portable(inline=True)
def turned_back(z, spin):
    """-spin e_z x z: what a deflection on the ground does in axes that spin."""
    return spin * z[1], -(spin * z[0])
