"""Cylinders, capsules and boxes cut by the surface of water: sums over slices, exact or nearly so.

Round solids are cut in discs across their axis x, half balls by their latitude. Where a disc is partly wet, its area and moments
are smooth up to the places where the surface leaves its rim, and have roots there: the interval is split there, and
x = x0 + (x1 - x0) s^2 (3 - 2 s) makes the integrand smooth for Gauss and Legendre's points in s. Volumes err by 1e-11 of the
whole where the surface nearly touches the rim of an end, by round-off elsewhere. A box is cut in columns along its steepest axis;
between the kinks, all is polynomial, and Gauss's points are exact.

Cuts are those of :mod:`locodyn.world.hydrostatics`.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import lit, portable, select_lt, sincos, sqrt
from locodyn.lie.arctangent import arctangent
from locodyn.world.hydrostatics import clamped, disc_profile, round_cut
from locodyn.world.law_table import SOLID

_PI = 3.141592653589793
_POINTS = 20
_x, _w = np.polynomial.legendre.leggauss(_POINTS)
_s = 0.5 * (1.0 + _x)
_PLACE = tuple(float(x) for x in _s * _s * (3.0 - 2.0 * _s))
_SHARE = tuple(float(x) for x in 3.0 * _w * _s * (1.0 - _s))
_THREE = tuple(float(x) for x in 0.5 * (1.0 + np.polynomial.legendre.leggauss(3)[0]))
_THREE_SHARE = tuple(float(x) for x in 0.5 * np.polynomial.legendre.leggauss(3)[1])
# A level disc is taken as tilted by so much: its waterplane is spread over this share of its radius, and W errs by the square.
_TILT = 1e-6


@portable(inline=True)
def nothing(o):
    """An empty cut."""
    return (o, o, o, o, o, o, o, o, o, o, o, o, o, o, o)


@portable(inline=True)
def reach(b, c, n):
    """By how much the depth differs between the centre and the rim of an elliptic disc (b, c)."""
    level = lit(n[0], _TILT * _TILT) * b * c * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    return sqrt(b * b * n[1] * n[1] + c * c * n[2] * n[2] + level)


@portable(inline=True)
def with_disc(total, weight, x, b, c, h, n):
    """``total`` and the cut of an elliptic disc (b, c) at x, where the depth of its centre is h, times ``weight``."""
    y = b * b * n[1]
    z = c * c * n[2]
    q = reach(b, c, n)
    back = lit(h, 1.0) / q
    d = clamped(h * back, lit(h, -1.0), lit(h, 1.0))
    whole, area, moment, chord = disc_profile(d)
    size = weight * b * c
    y = y * back
    z = z * back
    area = size * area
    moment = size * moment
    chord = size * chord * back
    first = chord * d
    part = moment * back
    second = first * d - part
    return (
        total[0] + q * size * whole + area * (h - q * d),
        total[1] + area,
        total[2] + area * x,
        total[3] - moment * y,
        total[4] - moment * z,
        total[5] + chord,
        total[6] + chord * x,
        total[7] + first * y,
        total[8] + first * z,
        total[9] + chord * x * x,
        total[10] + first * x * y,
        total[11] + first * x * z,
        total[12] + part * b * b + second * y * y,
        total[13] + second * y * z,
        total[14] + part * c * c + second * z * z,
    )


@portable(inline=True)
def ordered(x, y):
    """The smaller and the larger."""
    return select_lt(x, y, x, y), select_lt(x, y, y, x)


@portable
def with_cylinder(total, a, b, c, h, n):
    """``total`` and the cut of an elliptic cylinder, half length a along x, half axes b and c."""
    q = reach(b, c, n)
    steep = n[0] + select_lt(n[0], lit(h, 0.0), lit(h, -1e-100), lit(h, 1e-100))
    low, high = ordered((h - q) / steep, (h + q) / steep)
    a = lit(h, 0.0) + a
    edges = (-a, clamped(low, -a, a), clamped(high, -a, a), a)
    for piece in range(3):
        wide = edges[piece + 1] - edges[piece]
        for i in range(_POINTS):
            x = edges[piece] + wide * lit(h, _PLACE[i])
            total = with_disc(total, wide * lit(h, _SHARE[i]), x, b, c, h - n[0] * x, n)
    return total


@portable
def with_cap(total, centre, side, r, h, n):
    """``total`` and the cut of the half ball of radius r about x = ``centre``, towards ``side`` (1 or -1)."""
    h = h - n[0] * centre
    one = lit(h, 1.0)
    m = reach(one, one, n)
    m = m * m
    whole = n[0] * n[0] + m
    inside = r * r * whole - h * h
    root = sqrt(m * select_lt(inside, lit(h, 0.0), lit(h, 0.0), inside))
    low, high = ordered((side * h * n[0] - root) / whole, (side * h * n[0] + root) / whole)
    o = lit(h, 0.0)
    r = o + r
    # By the latitude, in which the rim is smooth at the pole too.
    edges = (o, latitude(clamped(low, o, r), r), latitude(clamped(high, o, r), r), lit(h, 0.5 * _PI))
    for piece in range(3):
        wide = edges[piece + 1] - edges[piece]
        for i in range(_POINTS):
            s, c = sincos(edges[piece] + wide * lit(h, _PLACE[i]))
            c = select_lt(lit(h, 1e-12), c, c, lit(h, 1e-12))
            u = r * s
            rim = r * c
            total = with_disc(total, wide * rim * lit(h, _SHARE[i]), centre + side * u, rim, rim, h - side * n[0] * u, n)
    return total


@portable(inline=True)
def latitude(u, r):
    """Of the circle at the height u in a ball of radius r, 0 to pi/2."""
    left = r * r - u * u
    return arctangent(u, sqrt(select_lt(left, lit(u, 0.0), lit(u, 0.0), left)))


@portable(inline=True)
def with_column(total, weight, x, y, c, e, steep):
    """``total`` and the cut of a column at (x, y), from -c to c along z, of the depth e - steep z, times ``weight``."""
    o = e - e
    t = e / steep
    top = clamped(t, o - c, o + c)
    length = weight * (top + c)
    plane = select_lt(o - c, t, select_lt(t, o + c, weight / steep, o), o)
    return (
        total[0] + length * (e - lit(e, 0.5) * steep * (top - c)),
        total[1] + length,
        total[2] + length * x,
        total[3] + length * y,
        total[4] + lit(e, 0.5) * length * (top - c),
        total[5] + plane,
        total[6] + plane * x,
        total[7] + plane * y,
        total[8] + plane * top,
        total[9] + plane * x * x,
        total[10] + plane * x * y,
        total[11] + plane * x * top,
        total[12] + plane * y * y,
        total[13] + plane * y * top,
        total[14] + plane * top * top,
    )


@portable
def columns_cut(a, b, c, h, n):
    """The cut of a box with half lengths (a, b, c) whose steepest axis is z; n[2] > 0."""
    o = lit(h, 0.0)
    small = lit(h, 1e-100)
    along_x = n[0] + select_lt(n[0], o, -small, small)
    along_y = n[1] + select_lt(n[1], o, -small, small)
    low = h - n[2] * c  # depth of the upper and of the lower face of a column on the axis
    high = h + n[2] * c
    shift = n[1] * b
    # The lines where columns begin to be wet and are full cross the edges y = -b, b at these x, which are sorted.
    x1, x2 = ordered((low - shift) / along_x, (low + shift) / along_x)
    x3, x4 = ordered((high - shift) / along_x, (high + shift) / along_x)
    x1, x3 = ordered(x1, x3)
    x2, x4 = ordered(x2, x4)
    x2, x3 = ordered(x2, x3)
    a = o + a
    b = o + b
    edges = (-a, clamped(x1, -a, a), clamped(x2, -a, a), clamped(x3, -a, a), clamped(x4, -a, a), a)
    total = nothing(o)
    for piece in range(5):
        wide = edges[piece + 1] - edges[piece]
        for i in range(3):
            x = edges[piece] + wide * lit(h, _THREE[i])
            here = h - n[0] * x
            y1, y2 = ordered((low - n[0] * x) / along_y, (high - n[0] * x) / along_y)
            lines = (-b, clamped(y1, -b, b), clamped(y2, -b, b), b)
            for part in range(3):
                deep = lines[part + 1] - lines[part]
                for j in range(3):
                    y = lines[part] + deep * lit(h, _THREE[j])
                    weight = wide * deep * lit(h, _THREE_SHARE[i] * _THREE_SHARE[j])
                    total = with_column(total, weight, x, y, c, here - n[1] * y, n[2])
    return total


@portable(inline=True)
def rolled(cut):
    """The cut in axes that are renamed: what was along (x, y, z) is along (y, z, x)."""
    w, v, sx, sy, sz, a, bx, by, bz, cxx, cxy, cxz, cyy, cyz, czz = cut
    return (w, v, sz, sx, sy, a, bz, bx, by, czz, cxz, cyz, cxx, cxy, cyy)


@portable(inline=True)
def chosen(low, high, one, other):
    """The first cut where low < high, else the other."""
    return (
        select_lt(low, high, one[0], other[0]), select_lt(low, high, one[1], other[1]),
        select_lt(low, high, one[2], other[2]), select_lt(low, high, one[3], other[3]),
        select_lt(low, high, one[4], other[4]), select_lt(low, high, one[5], other[5]),
        select_lt(low, high, one[6], other[6]), select_lt(low, high, one[7], other[7]),
        select_lt(low, high, one[8], other[8]), select_lt(low, high, one[9], other[9]),
        select_lt(low, high, one[10], other[10]), select_lt(low, high, one[11], other[11]),
        select_lt(low, high, one[12], other[12]), select_lt(low, high, one[13], other[13]),
        select_lt(low, high, one[14], other[14]),
    )  # fmt: skip


@portable
def box_cut(a, b, c, h, n):
    """The cut of a box with half lengths (a, b, c): its axes are renamed so that the steepest is z, and turned up."""
    o = lit(h, 0.0)
    sizes = (n[0] * n[0], n[1] * n[1], n[2] * n[2])
    # Where y is the steepest, (z, x, y) become (x, y, z), and (y, z, x) where x is.
    side = select_lt(sizes[0], sizes[1], sizes[1], sizes[0])
    is_z = sizes[2] - side
    is_y = sizes[1] - sizes[0]
    half = (o + a, o + b, o + c)
    mx = select_lt(o, is_z, n[0], select_lt(o, is_y, n[2], n[1]))
    my = select_lt(o, is_z, n[1], select_lt(o, is_y, n[0], n[2]))
    mz = select_lt(o, is_z, n[2], select_lt(o, is_y, n[1], n[0]))
    ha = select_lt(o, is_z, half[0], select_lt(o, is_y, half[2], half[1]))
    hb = select_lt(o, is_z, half[1], select_lt(o, is_y, half[0], half[2]))
    hc = select_lt(o, is_z, half[2], select_lt(o, is_y, half[1], half[0]))
    sign = select_lt(mz, o, lit(h, -1.0), lit(h, 1.0))
    w, v, sx, sy, sz, plane, bx, by, bz, cxx, cxy, cxz, cyy, cyz, czz = columns_cut(ha, hb, hc, h, (mx, my, sign * mz))
    cut = (w, v, sx, sy, sign * sz, plane, bx, by, sign * bz, cxx, cxy, sign * cxz, cyy, sign * cyz, czz)
    return chosen(o, is_z, cut, chosen(o, is_y, rolled(rolled(cut)), rolled(cut)))


@portable(called=True)
def displaced(code, axis, a, b, c, h, n):
    """The cut of a solid or section, see :mod:`locodyn.world.law_table`; ``axis``: 0, 1, 2 for that of cylinders and capsules.

    ``a, b, c``: half axes, half lengths, or half length and radii, m; h (m) and n (3,): depth at the centre, and its fall.
    """
    if code == SOLID.box:
        return box_cut(a, b, c, h, n)
    if code == SOLID.cylinder or code == SOLID.capsule:
        m = n
        if axis == 1:
            m = (n[1], n[2], n[0])
        elif axis == 2:
            m = (n[2], n[0], n[1])
        cut = with_cylinder(nothing(lit(h, 0.0)), a, b, c, h, m)
        if code == SOLID.capsule:
            o = lit(h, 0.0)
            cut = with_cap(cut, o + a, lit(h, 1.0), b, h, m)
            cut = with_cap(cut, o - a, lit(h, -1.0), b, h, m)
        if axis == 1:
            cut = rolled(cut)
        elif axis == 2:
            cut = rolled(rolled(cut))
        return cut
    return round_cut(code, a, b, c, h, n)
