"""The few operations a kernel may use besides ``+ - * /``.

Each has four lives: a double, lanes of doubles, a symbol (SymPy or CasADi), a complex number (for complex-step tests).
The compiled lives are here; the symbolic ones are the plain Python bodies, used by :mod:`locodyn.kernel.twin`.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

import locodyn.kernel.symbols as symbols
from locodyn.kernel.compile import portable
from locodyn.kernel.lanes import LanesType, lane_intrinsic, lanes, lanes_among, spread


@intrinsic
def lit(typingctx: Any, like: Any, value: Any) -> Any:
    """``value`` (a constant, or a plain number beside lanes) in the element type of ``like``."""
    if isinstance(value, LanesType):
        return lanes(like, value), lambda context, builder, sig, args: args[1]
    if isinstance(like, LanesType):

        def spread_value(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return spread(builder, context.cast(builder, args[1], value, types.float64))

        return lanes(like, value), spread_value
    if isinstance(like, types.Float):

        def cast_value(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return context.cast(builder, args[1], value, like)

        return like(like, value), cast_value
    return None


@intrinsic
def by_precision(typingctx: Any, like: Any, double: Any, single: Any) -> Any:
    """The constant ``double`` in the element type of ``like``, or ``single`` where that is float32."""
    if like == types.float32:

        def cast_single(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return context.cast(builder, args[2], single, like)

        return like(like, double, single), cast_single
    if isinstance(like, LanesType):

        def spread_double(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return spread(builder, context.cast(builder, args[1], double, types.float64))

        return lanes(like, double, single), spread_double
    return (like(like, double, single), lambda context, builder, sig, args: args[1]) if like == types.float64 else None


def _on_each(name: str, x: Any) -> Any:
    """Signature and code of a function of LLVM on one number, or on each lane."""
    if isinstance(x, LanesType):
        return lanes(x), lambda context, builder, sig, args: lane_intrinsic(builder, name, args)
    if isinstance(x, types.Float):

        def scalar(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [args[0].type]), args)

        return x(x), scalar
    return None


@intrinsic
def sqrt(typingctx: Any, x: Any) -> Any:
    """Square root."""
    return _on_each("sqrt", x)


@intrinsic
def floor(typingctx: Any, x: Any) -> Any:
    """Largest whole number that is not above x."""
    return _on_each("floor", x)


@intrinsic
def exp(typingctx: Any, x: Any) -> Any:
    """Exponential function; that of the C library in every lane, so that one robot and lanes of robots round alike."""
    return _on_each("exp", x)


@intrinsic
def fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c with one rounding. Written out, so that one robot and lanes of robots round alike."""
    result = lanes_among((a, b, c))
    in_lanes = result is not None
    if not in_lanes:
        if not all(isinstance(x, types.Float) for x in (a, b, c)):
            return None
        result = c

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return lane_intrinsic(builder, "fma", args) if in_lanes else builder.fma(*args)

    return result(result, result, result), codegen


@intrinsic
def select_lt(typingctx: Any, a: Any, b: Any, if_less: Any, otherwise: Any) -> Any:
    """``if_less`` where a < b, else ``otherwise``; both are evaluated."""
    args = (a, b, if_less, otherwise)
    if any(isinstance(x, LanesType) for x in args):
        result: Any = lanes
    elif all(isinstance(x, types.Float) for x in args):
        result = if_less
    elif all(isinstance(x, types.Float) for x in args[:2]) and all(isinstance(x, types.Integer) for x in args[2:]):
        result = types.int64  # places of :mod:`locodyn.kernel.agreement`
    else:
        return None

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", values[0], values[1]), values[2], values[3])

    compared = (result, result) if result != types.int64 else (a, a)
    return result(*compared, result, result), codegen


# Cody-Waite split of pi/2, in double and in single precision: the first two parts have 33 significant bits, so that k * part is
# exact for |k| < 2^20; in single precision 11 bits, exact for |k| < 2^13.
_PI_2_A = (1.57079632673412561417e00, 1.5703125)
_PI_2_B = (6.07710050630396597660e-11, 4.837512969970703e-04)
_PI_2_C = (2.02226624879595063154e-21, 7.549790126404332e-08)
_ROUND = (6755399441055744.0, 12582912.0)  # 1.5 * 2^52, 2^23: adding and subtracting it rounds to the nearest integer


@portable(inline=True)
def sincos(x):
    """(sin x, cos x) to within 1 ulp for abs(x) < pi/4 and 3 ulp for abs(x) < 1e6 rad, in the operations of a kernel only.

    In single precision to 2e-7 for abs(x) < 1e3 rad.

    Reduction to [-pi/4, pi/4] (Cody and Waite 1980), minimax polynomials of fdlibm (Sun Microsystems 1993).
    """
    whole = by_precision(x, _ROUND[0], _ROUND[1])
    k = (x * lit(x, 0.6366197723675814) + whole) - whole
    r = (x - k * by_precision(x, _PI_2_A[0], _PI_2_A[1])) - k * by_precision(x, _PI_2_B[0], _PI_2_B[1])
    r = r - k * by_precision(x, _PI_2_C[0], _PI_2_C[1])
    z = r * r
    s = lit(x, 1.58969099521155010221e-10)
    s = s * z + lit(x, -2.50507602534068634195e-08)
    s = s * z + lit(x, 2.75573137070700676789e-06)
    s = s * z + lit(x, -1.98412698298579493134e-04)
    s = s * z + lit(x, 8.33333333332248946124e-03)
    s = s * z + lit(x, -1.66666666666666324348e-01)
    s = r + r * (z * s)
    c = lit(x, -1.13596475577881948265e-11)
    c = c * z + lit(x, 2.08757232129817482790e-09)
    c = c * z + lit(x, -2.75573143513906633035e-07)
    c = c * z + lit(x, 2.48015872894767294178e-05)
    c = c * z + lit(x, -1.38888888888741095749e-03)
    c = c * z + lit(x, 4.16666666666666019037e-02)
    half = lit(x, 0.5) * z
    one = lit(x, 1.0)
    w = one - half
    c = w + (((one - w) - half) + z * (z * c))
    # Quadrant k mod 4 as a number in {-2, -1, 0, 1, 2}.
    quarter = (k * lit(x, 0.25) + whole) - whole
    m = k - lit(x, 4.0) * quarter
    m2 = m * m
    swapped_s = select_lt(m, lit(x, 0.0), -c, c)  # m = -1, 1
    swapped_c = select_lt(m, lit(x, 0.0), s, -s)
    straight_s = select_lt(lit(x, 2.0), m2, -s, s)  # m = -2, 2 against 0
    straight_c = select_lt(lit(x, 2.0), m2, -c, c)
    odd = (m2 - lit(x, 1.0)) * (m2 - lit(x, 1.0))  # 0 when |m| = 1
    return (
        select_lt(odd, lit(x, 0.5), swapped_s, straight_s),
        select_lt(odd, lit(x, 0.5), swapped_c, straight_c),
    )


TWINS: dict[Any, Any] = {
    lit: symbols.lit,
    by_precision: lambda like, double, single: symbols.lit(like, double),
    fma: symbols.fma,
    sqrt: symbols.sqrt,
    floor: symbols.floor,
    exp: symbols.exp,
    select_lt: symbols.select_lt,
    sincos: symbols.sincos,
}
