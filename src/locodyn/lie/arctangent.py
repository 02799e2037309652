"""The angle of a point in the plane, in the operations of a kernel only."""

from __future__ import annotations

from typing import Any

from locodyn.kernel import lit, portable, select_lt, twin
from locodyn.kernel.twin import register_twin

# Odd polynomial of fdlibm (Sun Microsystems 1993) for atan on [0, 7/16].
_ATAN = (
    3.33333333333329318027e-01,
    -1.99999999998764832476e-01,
    1.42857142725034663711e-01,
    -1.11111104054623557880e-01,
    9.09088713343650656196e-02,
    -7.69187620504482999495e-02,
    6.66107313738753120669e-02,
    -5.83357013379057348645e-02,
    4.97687799461593236017e-02,
    -3.65315727442169155270e-02,
    1.62858201153657823623e-02,
)
_TAN_PI_8 = 0.41421356237309503
_PI_4, _PI_4_LOW = 7.85398163397448278999e-01, 3.06161699786838301793e-17
_PI_2, _PI_2_LOW = 1.57079632679489655800e00, 6.12323399573676603587e-17
_PI, _PI_LOW = 3.14159265358979311600e00, 1.22464679914735317636e-16


@portable
def arctangent(y, x):
    """Angle of the point (x, y) in (-pi, pi] (rad), to within 2 ulp; 0 at the origin. On the cut (x < 0, y = +-0) it is +pi.

    The smaller of abs(x), abs(y) is divided by the larger, the quotient is turned by pi/8 steps into the range of the
    polynomial, and the octant is put back with pi in two parts.
    """
    zero = lit(x, 0.0)
    one = lit(x, 1.0)
    a = select_lt(x, zero, -x, x)
    b = select_lt(y, zero, -y, y)
    low = select_lt(a, b, a, b)
    high = select_lt(a, b, b, a)
    # tan(v - pi/4) = (low - high) / (low + high) where low / high > tan(pi/8).
    turned = high * lit(x, _TAN_PI_8) - low  # negative: turned by pi/4
    numerator = select_lt(turned, zero, low - high, low)
    denominator = select_lt(turned, zero, low + high, high)
    r = numerator / select_lt(zero, denominator, denominator, one)
    z = r * r
    p = lit(x, _ATAN[10])
    for j in range(9, -1, -1):
        p = p * z + lit(x, _ATAN[j])
    tail = r * (z * p)
    v = select_lt(turned, zero, lit(x, _PI_4) + (r - (tail - lit(x, _PI_4_LOW))), r - tail)
    v = select_lt(a, b, lit(x, _PI_2) - (v - lit(x, _PI_2_LOW)), v)
    v = select_lt(x, zero, lit(x, _PI) - (v - lit(x, _PI_LOW)), v)
    return select_lt(y, zero, -v, v)


_code = twin(arctangent)


def _named(y: Any, x: Any) -> Any:
    """``atan2`` of the symbolic engine; a complex number runs the code above, which is analytic inside each octant."""
    modules = (type(y).__module__, type(x).__module__)
    if any(m.startswith("casadi") for m in modules):
        import casadi

        return casadi.atan2(y, x)
    if any(m.startswith(("sympy", "symengine")) for m in modules):
        import sympy

        return sympy.atan2(y, x)
    if hasattr(y, "arctan2") and hasattr(y, "select_lt"):
        return y.arctan2(x)
    return _code(y, x)


register_twin(arctangent, _named)
