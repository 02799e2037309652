"""The kernels of laws of water: buoyancy under a surface that is flat or carries a long wave, and how far a body is wet.

Under the wave eta(x, t) = A cos(k . x - phi(t)) the pressure is hydrostatic, rho g (level + eta - z), as in waves that are long
against the depth of the body, and the surface is its tangent plane above the point of the law. With the direction k of the wave
and the slope eta' along it the depth falls by n = e_z - eta' k, and the stored energy is rho g W(h, n)
(:mod:`locodyn.world.hydrostatics`), so that

    force   rho g (V n - eta'' (S . k) k),     moment   rho g S x n

at the point: V n acts at the centre of the displaced volume; the second term is that of the slope of the wave there. The
wave does the work rho g (V eta_t + (S . k) eta'_t) for each second.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, sincos, sqrt
from locodyn.kernel.vector import add, cross, dot, load3, rotate_back, scale, subtract
from locodyn.world.hydrostatic_slices import displaced
from locodyn.world.law_table import WET


@portable(inline=True)
def surface_above(laws, angles, row, r, p):
    """The surface at a point with world pose (r, p): depth h (m), its fall n (3,), direction k (3,) of the wave, and the wave.

    n and k are in the axes of the point; of the wave: eta', eta'', eta''' (1, 1/m, 1/m^2), the rates of eta and eta' (m/s, 1/s).
    """
    o = lit(p[0], 0.0)
    up = rotate_back(r, (o, o, lit(o, 1.0)))
    h = laws.numbers[row, WET.level] - p[2]
    if laws.target[row] < 0:
        return h, up, (o, o, o), (o, o, o, o, o)
    kx = laws.numbers[row, WET.wave]
    ky = laws.numbers[row, WET.wave + 1]
    number = sqrt(o + kx * kx + ky * ky)
    k = rotate_back(r, ((o + kx) / number, (o + ky) / number, o))
    law = laws.target[row]
    s, c = sincos(kx * p[0] + ky * p[1] - lit(o, angles[law, 0]))
    a = laws.numbers[row, WET.amplitude]
    rate = lit(o, angles[law, 1])
    slope = -a * number * s
    bend = -a * number * number * c
    wave = (slope, bend, a * number * number * number * s, a * rate * s, a * number * rate * c)
    return h + a * c, subtract(up, scale(slope, k)), k, wave


@portable(inline=True)
def cut_below(laws, row, h, n):
    """What law ``row`` displaces there: a cut of :mod:`locodyn.world.hydrostatics`."""
    o = lit(h, 0.0)
    a = load3(laws.numbers, row, WET.half_axes)
    return displaced(laws.shape[row], laws.axis[row], o + a[0], o + a[1], o + a[2], h, n)


@portable(late=(3, 3, 1, 1))
def buoyancy(laws, angles, row, r, p):
    """Force, moment, stored energy and minus the power of the wave."""
    h, n, k, wave = surface_above(laws, angles, row, r, p)
    cut = cut_below(laws, row, h, n)
    weight = lit(h, 0.0) + laws.numbers[row, WET.weight]
    s = (cut[2], cut[3], cut[4])
    along = dot(s, k)
    force = subtract(scale(weight * cut[1], n), scale(weight * wave[1] * along, k))
    power = weight * (cut[1] * wave[3] + along * wave[4])
    return force, scale(weight, cross(s, n)), weight * cut[0], -power


@portable(inline=True)
def moved_surface(h, n, k, wave, d, t):
    """Changes of (h, n, k, eta'') along a displacement (d; t) of the point."""
    along = dot(k, d)
    turned = subtract(cross(n, t), scale(wave[1] * along, k))
    return lit(h, 0.0) - dot(n, d), turned, cross(k, t), wave[2] * along


@portable(inline=True)
def moved_cut(cut, dh, dn):
    """Changes of V and S."""
    b = (cut[6], cut[7], cut[8])
    dv = cut[5] * dh - dot(b, dn)
    ds = (
        cut[6] * dh - cut[9] * dn[0] - cut[10] * dn[1] - cut[11] * dn[2],
        cut[7] * dh - cut[10] * dn[0] - cut[12] * dn[1] - cut[13] * dn[2],
        cut[8] * dh - cut[11] * dn[0] - cut[13] * dn[1] - cut[14] * dn[2],
    )
    return dv, ds


@portable(late=(3, 3))
def buoyancy_change(laws, angles, row, r, p, d, t):
    """Changes of force and moment along a displacement (d; t) of the point."""
    h, n, k, wave = surface_above(laws, angles, row, r, p)
    cut = cut_below(laws, row, h, n)
    dh, dn, dk, dbend = moved_surface(h, n, k, wave, d, t)
    dv, ds = moved_cut(cut, dh, dn)
    s = (cut[2], cut[3], cut[4])
    along = dot(s, k)
    pull = dbend * along + wave[1] * (dot(ds, k) + dot(s, dk))
    force = subtract(add(scale(dv, n), scale(cut[1], dn)), add(scale(pull, k), scale(wave[1] * along, dk)))
    moment = add(cross(ds, n), cross(s, dn))
    weight = lit(h, 0.0) + laws.numbers[row, WET.weight]
    return scale(weight, force), scale(weight, moment)


@portable(late=1)
def wet_share(laws, angles, row, r, p):
    """The wet part of the volume, 0 to 1."""
    h, n, _, _ = surface_above(laws, angles, row, r, p)
    return cut_below(laws, row, h, n)[1] / laws.numbers[row, WET.volume]


@portable(late=1)
def wet_share_change(laws, angles, row, r, p, d, t):
    """Its change along a displacement (d; t) of the point."""
    h, n, k, wave = surface_above(laws, angles, row, r, p)
    dh, dn, _, _ = moved_surface(h, n, k, wave, d, t)
    return moved_cut(cut_below(laws, row, h, n), dh, dn)[0] / laws.numbers[row, WET.volume]
