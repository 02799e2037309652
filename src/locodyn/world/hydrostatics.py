"""What a body displaces of water whose surface is a plane: volume, moments and the waterplane, exactly.

In the axes of the body, the water has the depth D(x) = h - n . x, positive where it is wet; n is not of length one under waves.
All of hydrostatics follows from the potential

    W(h, n) = integral of D over the wet part of the body

since its derivatives are the displaced volume and its first moment, V = W_h and S = -W_n, and the moments of the waterplane,
A = W_hh, B = -W_hn, C = W_nn: integrals of 1, x and x x^T over it, divided by |n|. An ellipsoid is the image of a ball, and an
elliptic section that of a disc; with the half axes a and q = |a n| the cut goes through the ball at d = h / q, and one function
of d, its antiderivative and two moments say all (Archimedes for the ball). Other solids are sums of slices:
:mod:`locodyn.world.hydrostatic_slices`.

A *cut* is the tuple (W, V, S (3), A, B (3), C (6: xx, xy, xz, yy, yz, zz)), 15 numbers.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, select_lt, sqrt
from locodyn.lie.arctangent import arctangent
from locodyn.world.law_table import SOLID

_PI = 3.141592653589793


@portable(inline=True)
def clamped(x, low, high):
    """x, but not below ``low`` nor above ``high``."""
    return select_lt(x, low, low, select_lt(high, x, high, x))


@portable(inline=True)
def ball_profile(d):
    """Of a ball of radius 1, wet up to d in [-1, 1]: integral of the volume, volume, minus its moment, section area."""
    rest = lit(d, 1.0) - d * d
    square = d * d
    total = lit(d, _PI) * (lit(d, 0.25) + d * (lit(d, 2.0 / 3.0) + lit(d, 0.5) * d - square * d * lit(d, 1.0 / 12.0)))
    volume = lit(d, _PI) * (lit(d, 2.0 / 3.0) + d - square * d * lit(d, 1.0 / 3.0))
    return total, volume, lit(d, 0.25 * _PI) * rest * rest, lit(d, _PI) * rest


@portable(inline=True)
def disc_profile(d):
    """Of a disc of radius 1, wet up to d in [-1, 1]: integral of the area, area, minus its moment, length of the chord."""
    rest = select_lt(lit(d, 0.0), lit(d, 1.0) - d * d, lit(d, 1.0) - d * d, lit(d, 0.0))
    half = sqrt(rest)
    angle = lit(d, 0.5 * _PI) + arctangent(d, half)
    cube = rest * half
    return d * angle + half - cube * lit(d, 1.0 / 3.0), angle + d * half, lit(d, 2.0 / 3.0) * cube, lit(d, 2.0) * half


@portable(inline=True)
def round_cut(code, a, b, c, h, n):
    """The cut of an ellipsoid with half axes (a, b, c), or of a metre of an elliptic section (b, c), spread by ``a`` along x.

    The spread stands for the length of rod that a section represents: a rod that dips vertically sinks smoothly.
    """
    x = a * a * n[0]
    y = b * b * n[1]
    z = c * c * n[2]
    q = sqrt(x * n[0] + y * n[1] + z * n[2] + lit(h, 1e-200))
    back = lit(h, 1.0) / q
    d = clamped(h * back, lit(h, -1.0), lit(h, 1.0))
    if code == SOLID.section:
        total, volume, moment, plane = disc_profile(d)
        size = b * c
    else:
        total, volume, moment, plane = ball_profile(d)
        size = a * b * c
    x = x * back
    y = y * back
    z = z * back
    volume = size * volume
    moment = size * moment
    plane = size * plane * back
    first = plane * d
    round_part = moment * back
    second = first * d - round_part
    return (
        q * size * total + volume * (h - q * d),
        volume,
        -moment * x,
        -moment * y,
        -moment * z,
        plane,
        first * x,
        first * y,
        first * z,
        round_part * a * a + second * x * x,
        second * x * y,
        second * x * z,
        round_part * b * b + second * y * y,
        second * y * z,
        round_part * c * c + second * z * z,
    )
