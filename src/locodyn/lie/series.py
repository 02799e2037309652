"""The functions of a squared angle that every exponential and tangent map is made of, exact to round-off at zero.

With z = t^2 the Stumpff functions c_n(z) = sum_j (-z)^j / (2j + n)! are

    c0 = cos t    c1 = sin t / t    c2 = (1 - cos t) / t^2    c3 = (t - sin t) / t^3    c4 = (t^2/2 - 1 + cos t) / t^4  ...

They are smooth in z, obey  c_n = 1/n! - z c_{n+2}  and  2 dc_n/dz = n c_{n+2} - c_{n+1},  so that every derivative of a
tangent map is again a combination of them, without a division by the angle.

Where a closed form cancels, the two highest functions are summed as power series and the recurrence is run downwards, each
function up to the angle where it would itself begin to cancel: c0, c1 to 0.5 rad, c2 to 2 rad, c3 to 3 rad,
c4 ... c8 to 4 rad. Beyond, the closed form. In its symbolic life (SymPy) a function is its closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from locodyn.kernel import fma, lit, portable, select_lt, sincos, sqrt, twin
from locodyn.kernel.twin import register_twin

_TERMS = 14  # the first term left out, at 4 rad: 8! 16^14 / 36! < 1e-19 of the whole
_SERIES_7 = tuple((-1.0) ** j / math.factorial(2 * j + 7) for j in range(_TERMS))
_SERIES_8 = tuple((-1.0) ** j / math.factorial(2 * j + 8) for j in range(_TERMS))
_SHORT_TERMS = 7  # the same at 0.5 rad: 0.25^8 / 16! < 1e-18
_SERIES_2 = tuple((-1.0) ** j / math.factorial(2 * j + 2) for j in range(_SHORT_TERMS))
_SERIES_3 = tuple((-1.0) ** j / math.factorial(2 * j + 3) for j in range(_SHORT_TERMS))
_INVERSE = tuple(1.0 / math.factorial(n) for n in range(7))


@portable
def cos_sinc(z):
    """(cos t, sin t / t) of z = t^2 (rad^2), z >= 0."""
    c2 = lit(z, _SERIES_2[_SHORT_TERMS - 1])
    c3 = lit(z, _SERIES_3[_SHORT_TERMS - 1])
    for j in range(_SHORT_TERMS - 2, -1, -1):
        c2 = c2 * z + lit(z, _SERIES_2[j])
        c3 = c3 * z + lit(z, _SERIES_3[j])
    one = lit(z, 1.0)
    near = lit(z, 0.25)
    t = sqrt(select_lt(z, near, near, z))
    s, c = sincos(t)
    return select_lt(z, near, one - z * c2, c), select_lt(z, near, one - z * c3, s / t)


@portable(inline=True)
def stumpff(z):
    """(c0, c1, ..., c8) of z = t^2 (rad^2), z >= 0."""
    c7 = lit(z, _SERIES_7[_TERMS - 1])
    c8 = lit(z, _SERIES_8[_TERMS - 1])
    for j in range(_TERMS - 2, -1, -1):
        c7 = fma(c7, z, lit(z, _SERIES_7[j]))
        c8 = fma(c8, z, lit(z, _SERIES_8[j]))
    # Closed forms. The clamp keeps the side that is not chosen, and its derivative, finite.
    one = lit(z, 1.0)
    near = lit(z, 0.25)
    far = select_lt(z, near, near, z)
    t = sqrt(far)
    s, c = sincos(t)
    inverse = one / far
    far2 = (one - c) * inverse
    far3 = (t - s) / (t * far)
    far4 = (lit(z, _INVERSE[2]) - far2) * inverse
    far5 = (lit(z, _INVERSE[3]) - far3) * inverse
    far6 = (lit(z, _INVERSE[4]) - far4) * inverse
    far7 = (lit(z, _INVERSE[5]) - far5) * inverse
    far8 = (lit(z, _INVERSE[6]) - far6) * inverse
    # Downward recurrence, each function up to its own border.
    edge = lit(z, 16.0)
    c8 = select_lt(z, edge, c8, far8)
    c7 = select_lt(z, edge, c7, far7)
    c6 = select_lt(z, edge, lit(z, _INVERSE[6]) - z * c8, far6)
    c5 = select_lt(z, edge, lit(z, _INVERSE[5]) - z * c7, far5)
    c4 = select_lt(z, edge, lit(z, _INVERSE[4]) - z * c6, far4)
    c3 = select_lt(z, lit(z, 9.0), lit(z, _INVERSE[3]) - z * c5, far3)
    c2 = select_lt(z, lit(z, 4.0), lit(z, _INVERSE[2]) - z * c4, far2)
    c1 = select_lt(z, near, one - z * c3, s / t)
    c0 = select_lt(z, near, one - z * c2, c)
    return c0, c1, c2, c3, c4, c5, c6, c7, c8


@portable
def inverse_tangent_series(z):
    """(k, dk/dz, d2k/dz2) of k(z) = (1 - (t/2) cot(t/2)) / t^2, z = t^2 < (2 pi)^2 (rad^2).

    k is the last coefficient of T^-1 = 1 + hat/2 + k hat^2; k = 1/12 + z/720 + z^2/30240 + ... In Stumpff functions

        k = (c3 - 2 c4) / (2 c2)    dk/dz = (c5 - 4 c6) / (4 c2)    d2k/dz2 = k dk/dz - (c6 - 9 c7 + 24 c8) / (8 c2)

    where no sine is divided by, so that pi is an ordinary point.
    """
    _, _, c2, c3, c4, c5, c6, c7, c8 = stumpff(z)
    r = lit(z, 0.5) / c2
    k = (c3 - lit(z, 2.0) * c4) * r
    k1 = lit(z, 0.5) * (c5 - lit(z, 4.0) * c6) * r
    k2 = k * k1 - lit(z, 0.25) * ((c6 - lit(z, 9.0) * c7) + lit(z, 24.0) * c8) * r
    return k, k1, k2


def _closed_form(code: Callable[..., Any], count: int) -> Callable[..., Any]:
    """``code``, except on SymPy symbols: there the closed forms of c0 ... c_(count-1)."""

    def plain(z: Any) -> Any:
        if not type(z).__module__.startswith(("sympy", "symengine")):
            return code(z)
        import sympy

        if z == 0:
            return tuple(sympy.Integer(1) / sympy.factorial(n) for n in range(count))
        t = sympy.sqrt(z)
        found = [sympy.cos(t), sympy.sin(t) / t]
        for n in range(count - 2):
            found.append((sympy.Integer(1) / sympy.factorial(n) - found[n]) / z)
        return tuple(found)

    return plain


register_twin(cos_sinc, _closed_form(twin(cos_sinc), 2))
register_twin(stumpff, _closed_form(twin(stumpff), 9))
