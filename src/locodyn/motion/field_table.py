"""The kernels that read strain fields. Columns, kinds of profiles and their obligations: :mod:`locodyn.motion.field_base`."""

from __future__ import annotations

from locodyn.kernel import compiled, exp, lit, portable, select_lt, sincos
from locodyn.motion.field_base import PROFILE, TERM, WAVE

_EDGE = 1.0 / 700.0  # 1 - u^2 is kept above it: exp(1 - 700) is 1e-304


@portable
def bump(u):
    """exp(g), g = 1 - 1 / (1 - u^2), and its three derivatives; zero beyond the edge."""
    one = lit(u, 1.0)
    edge = lit(u, _EDGE)
    z = one - u * u
    inverse = one / select_lt(z, edge, edge, z)
    i2 = inverse * inverse
    f = select_lt(edge, z, exp(one - inverse), lit(u, 0.0))
    g1 = lit(u, -2.0) * u * i2
    g2 = i2 * (lit(u, -2.0) - lit(u, 8.0) * u * u * inverse)
    g3 = u * i2 * inverse * (lit(u, -24.0) - lit(u, 48.0) * u * u * inverse)
    return f, g1 * f, (g2 + g1 * g1) * f, (g3 + lit(u, 3.0) * g1 * g2 + g1 * g1 * g1) * f


@portable
def smooth_step(u):
    """The septic step and its three derivatives."""
    zero = lit(u, 0.0)
    one = lit(u, 1.0)
    x = select_lt(u, zero, zero, select_lt(one, u, one, u))
    y = one - x
    xy = x * y
    value = x * x * x * x * (lit(u, 35.0) - x * (lit(u, 84.0) - x * (lit(u, 70.0) - x * lit(u, 20.0))))
    return value, lit(u, 140.0) * xy * xy * xy, lit(u, 420.0) * xy * xy * (y - x), lit(u, 840.0) * xy * ((y - x) * (y - x) - xy)


@portable
def front_step(u):
    """The step of degree 11, whose first five derivatives are zero at both ends, f' = 2772 (x y)^5, and its three derivatives."""
    zero = lit(u, 0.0)
    one = lit(u, 1.0)
    x = select_lt(u, zero, zero, select_lt(one, u, one, u))
    y = one - x
    w = x * y
    w3 = w * w * w
    d = y - x
    x3 = x * x * x
    upper = lit(u, 3080.0) - x * (lit(u, 1386.0) - x * lit(u, 252.0))
    value = x3 * x3 * (lit(u, 462.0) - x * (lit(u, 1980.0) - x * (lit(u, 3465.0) - x * upper)))
    return value, lit(u, 2772.0) * w3 * w * w, lit(u, 13860.0) * w3 * w * d, lit(u, 27720.0) * w3 * (d * d + d * d - w)


@portable
def polynomial_jet(table, row, first, count, u):
    """Value and three derivatives of the polynomial with ``count`` coefficients from column ``first`` on."""
    value = lit(u, 0.0)
    one = lit(u, 0.0)
    half = lit(u, 0.0)
    sixth = lit(u, 0.0)
    for k in range(count - 1, -1, -1):
        sixth = sixth * u + half
        half = half * u + one
        one = one * u + value
        value = value * u + table[row, first + k]
    return value, one, half + half, lit(u, 6.0) * sixth


@portable
def profile_jet(table, row, first, u):
    """f, f', f'', f''' of the profile in columns ``first`` ... of a row, at u."""
    kind = int(table[row, first + PROFILE.kind])
    if kind == WAVE.sine:
        s, c = sincos(u)
        return s, c, -s, -c
    if kind == WAVE.cosine:
        s, c = sincos(u)
        return c, -s, -c, s
    if kind == WAVE.polynomial:
        return polynomial_jet(table, row, first + PROFILE.coefficients, int(table[row, first + PROFILE.degree]) + 1, u)
    if kind == WAVE.bump:
        return bump(u)
    if kind == WAVE.front:
        return front_step(u)
    return smooth_step(u)


@portable(inline=True)
def jet_product(a, b):
    """(a b) and its three derivatives from those of a and b (Leibniz)."""
    two = lit(a[0], 2.0)
    three = lit(a[0], 3.0)
    return (
        a[0] * b[0],
        a[1] * b[0] + a[0] * b[1],
        a[2] * b[0] + two * a[1] * b[1] + a[0] * b[2],
        a[3] * b[0] + three * (a[2] * b[1] + a[1] * b[2]) + a[0] * b[3],
    )


@portable
def term_jet(table, row, first, s, phase, ds, dphase):
    """A term without its amplitude at (s, phase), and its first three derivatives along the direction (ds, dphase).

    Along (0, 1): derivatives by the phase at one place; along (1, 0): by the place at one phase; along (rate of s, rate of the
    phase): by the time, at a place that moves evenly.
    """
    o = lit(phase, 0.0)
    result = (o + table[row, first + TERM.scale], o, o, o)
    for n in range(int(table[row, first + TERM.count])):
        c = first + TERM.size + n * PROFILE.size
        u = table[row, c + PROFILE.along] * s + table[row, c + PROFILE.across] * phase + table[row, c + PROFILE.shift]
        slope = table[row, c + PROFILE.along] * ds + table[row, c + PROFILE.across] * dphase
        f = profile_jet(table, row, c, u)
        result = jet_product(result, (f[0], slope * f[1], slope * slope * f[2], slope * slope * slope * f[3]))
    return result


@portable
def term_partials(table, row, first, s, phase):
    """A term without its amplitude at (s, phase) = (s, p), and its partial derivatives: (f, f_s, f_p, f_ss, f_sp, f_pp)."""
    o = lit(phase, 0.0)
    two = lit(phase, 2.0)
    f, fs, fp, fss, fsp, fpp = o + table[row, first + TERM.scale], o, o, o, o, o
    for n in range(int(table[row, first + TERM.count])):
        c = first + TERM.size + n * PROFILE.size
        a = table[row, c + PROFILE.along]
        b = table[row, c + PROFILE.across]
        g, g1, g2, _ = profile_jet(table, row, c, a * s + b * phase + table[row, c + PROFILE.shift])
        fss = fss * g + two * a * fs * g1 + a * a * f * g2
        fsp = fsp * g + (a * fp + b * fs) * g1 + a * b * f * g2
        fpp = fpp * g + two * b * fp * g1 + b * b * f * g2
        fs = fs * g + a * f * g1
        fp = fp * g + b * f * g1
        f = f * g
    return f, fs, fp, fss, fsp, fpp


@compiled
def fields_along(table, places, q, v, a, out):
    """Sums of all terms at the ``places`` (m,) for N states: ``out`` (3, N, m, 6), values, rates, accelerations.

    ``q``, ``v``, ``a`` (N, n): coordinates, their rates and accelerations; ``table``: rows of terms from column 0 on.
    """
    for n in range(q.shape[0]):
        for row in range(table.shape[0]):
            phase = int(table[row, TERM.phase])
            amplitude = int(table[row, TERM.amplitude])
            x, dx, ddx = 0.0, 0.0, 0.0
            if phase >= 0:
                x, dx, ddx = q[n, phase], v[n, phase], a[n, phase]
            y, dy, ddy = 1.0, 0.0, 0.0
            if amplitude >= 0:
                y, dy, ddy = q[n, amplitude], v[n, amplitude], a[n, amplitude]
            c = int(table[row, TERM.strain])
            for m in range(places.shape[0]):
                p = term_jet(table, row, 0, places[m], x, 0.0, 1.0)
                out[0, n, m, c] += y * p[0]
                out[1, n, m, c] += y * p[1] * dx + p[0] * dy
                out[2, n, m, c] += y * (p[1] * ddx + p[2] * dx * dx) + 2.0 * p[1] * dx * dy + p[0] * ddy
