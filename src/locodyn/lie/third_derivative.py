"""The third derivative of the right Jacobian of SO(3), which second time derivatives of that of SE(3) need."""

from __future__ import annotations

import math

from locodyn.kernel import lit, portable, select_lt
from locodyn.kernel.vector import add, dot, scale
from locodyn.lie.matrices import combine, jordan, skew_and_symmetric, symmetric_sum

_TERMS = 14  # as of :mod:`locodyn.lie.series`
_SERIES_9 = tuple((-1.0) ** j / math.factorial(2 * j + 9) for j in range(_TERMS))
_INVERSE_7 = 1.0 / math.factorial(7)


@portable
def ninth(z, c7):
    """c9 = (1/7! - c7) / z of z = t^2, by its series up to 4 rad."""
    c9 = lit(z, _SERIES_9[_TERMS - 1])
    for j in range(_TERMS - 2, -1, -1):
        c9 = c9 * z + lit(z, _SERIES_9[j])
    edge = lit(z, 16.0)
    far = select_lt(z, edge, edge, z)
    return select_lt(z, edge, c9, (lit(z, _INVERSE_7) - c7) / far)


@portable(inline=True)
def scalar_derivatives(d1, d2, d3, su, sv, uv, vv):
    """(D f[u], D f[v], D2 f[u, v], D2 f[v, v], D3 f[u, v, v]) of f(theta.theta) with d = f', f'', f''' (primes: 2 d/dz)."""
    third = d3 * su * sv * sv + d2 * (vv * su + (uv + uv) * sv)
    return d1 * su, d1 * sv, d2 * su * sv + d1 * uv, d2 * sv * sv + d1 * vv, third


@portable
def jacobian_third_derivative_from(c, theta, u, v):
    """D3 T(theta)[u, v, v], 9-tuple, with c = stumpff(theta.theta).

    T = 1 - b hat(theta) + c hat(theta)^2 with b = c2, c = c3 and, a prime being twice the derivative to t^2,
    b''' = -c5 + 9 c6 - 33 c7 + 48 c8,  c''' = -c6 + 12 c7 - 57 c8 + 105 c9.
    """
    _, _, _, c3, c4, c5, c6, c7, c8 = c
    z = dot(theta, theta)
    c9 = ninth(z, c7)
    su = dot(theta, u)
    sv = dot(theta, v)
    uv = dot(u, v)
    vv = dot(v, v)
    two = lit(z, 2.0)
    b1 = two * c4 - c3
    b2 = (c4 - lit(z, 5.0) * c5) + lit(z, 8.0) * c6
    b3 = (lit(z, 9.0) * c6 - c5) + (lit(z, 48.0) * c8 - lit(z, 33.0) * c7)
    k1 = lit(z, 3.0) * c5 - c4
    k2 = (c5 - lit(z, 7.0) * c6) + lit(z, 15.0) * c7
    k3 = (lit(z, 12.0) * c7 - c6) + (lit(z, 105.0) * c9 - lit(z, 57.0) * c8)
    _, _, buv, bvv, b = scalar_derivatives(b1, b2, b3, su, sv, uv, vv)
    ku, kv, kuv, kvv, k = scalar_derivatives(k1, k2, k3, su, sv, uv, vv)
    skew = add(combine(-b, theta, -(two * buv), v), scale(-bvv, u))
    half = lit(z, 0.5)
    along = jordan(theta, add(combine(half * k, theta, two * kuv, v), scale(kvv, u)))
    across = jordan(v, combine(ku, v, two * kv, u))
    return skew_and_symmetric(lit(z, 0.0), skew, symmetric_sum(along, across))
