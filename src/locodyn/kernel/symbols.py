"""The primitives of a kernel on things that are not machine numbers: expressions, symbols of SymPy or CasADi, complex numbers.

The choice follows the type of the argument, never a global switch: a symbol must not silently become a float. An expression
(:mod:`locodyn.symbolic`) is known by its methods ``sin``, ``cos``, ``exp``, ``sqrt``, ``floor``, ``arctan2`` and
``select_lt``.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np


def _engine(*values: Any) -> str:
    for x in values:
        module = type(x).__module__
        if module.startswith("casadi"):
            return "casadi"
        if module.startswith(("sympy", "symengine")):
            return "sympy"
        if hasattr(x, "select_lt"):
            return "expression"
    return "complex" if any(isinstance(x, complex) for x in values) else "float"


def lit(like: Any, value: Any) -> Any:
    """A constant: symbols need no cast. SymPy gets an exact number, so that differences simplify to zero."""
    if isinstance(value, float) and _engine(like) == "sympy":
        import sympy

        return sympy.nsimplify(value, rational=True)
    return value


def fma(a: Any, b: Any, c: Any) -> Any:
    """a b + c."""
    return a * b + c


def sqrt(x: Any) -> Any:
    """Square root."""
    engine = _engine(x)
    if engine == "sympy":
        import sympy

        return sympy.sqrt(x)
    if engine == "casadi":
        import casadi

        return casadi.sqrt(x)
    if engine == "expression":
        return x.sqrt()
    return cmath.sqrt(x) if engine == "complex" else math.sqrt(x)


def exp(x: Any) -> Any:
    """Exponential function."""
    engine = _engine(x)
    if engine == "sympy":
        import sympy

        return sympy.exp(x)
    if engine == "casadi":
        import casadi

        return casadi.exp(x)
    if engine == "expression":
        return x.exp()
    return cmath.exp(x) if engine == "complex" else math.exp(x)


def floor(x: Any) -> Any:
    """Largest whole number that is not above x. A complex number is taken by its real part (complex step)."""
    engine = _engine(x)
    if engine == "sympy":
        import sympy

        return sympy.floor(x)
    if engine == "casadi":
        import casadi

        return casadi.floor(x)
    return x.floor() if engine == "expression" else float(np.floor(np.real(x)))


def sincos(x: Any) -> tuple[Any, Any]:
    """Sine and cosine."""
    engine = _engine(x)
    if engine == "sympy":
        import sympy

        return sympy.sin(x), sympy.cos(x)
    if engine == "casadi":
        import casadi

        return casadi.sin(x), casadi.cos(x)
    if engine == "expression":
        return x.sin(), x.cos()
    return (cmath.sin(x), cmath.cos(x)) if engine == "complex" else (math.sin(x), math.cos(x))


def select_lt(a: Any, b: Any, if_less: Any, otherwise: Any) -> Any:
    """``if_less`` where a < b, else ``otherwise``. A complex number is compared by its real part (complex step)."""
    engine = _engine(a, b)
    if engine == "expression":
        return next(x for x in (a, b) if hasattr(x, "select_lt")).select_lt(a, b, if_less, otherwise)
    if engine == "sympy":
        import sympy

        return sympy.Piecewise((if_less, a < b), (otherwise, True))
    if engine == "casadi":
        import casadi

        return casadi.if_else(a < b, if_less, otherwise)
    return if_less if np.real(a) < np.real(b) else otherwise
