"""Programs and expressions in other engines: SymPy and CasADi."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from locodyn.symbolic.program import Program

_ARITHMETIC: dict[str, Callable[..., Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def sympy_functions() -> dict[str, Callable[..., Any]]:
    """The operations of a program in SymPy; numbers become exact rationals."""
    import sympy

    return _ARITHMETIC | {
        "sin": sympy.sin,
        "cos": sympy.cos,
        "exp": sympy.exp,
        "sqrt": sympy.sqrt,
        "floor": sympy.floor,
        "atan2": sympy.atan2,
        "select": lambda a, b, less, otherwise: sympy.Piecewise((less, a < b), (otherwise, True)),
        "number": lambda x: sympy.nsimplify(x, rational=True),
    }


def casadi_functions() -> dict[str, Callable[..., Any]]:
    """The operations of a program in CasADi."""
    import casadi

    return _ARITHMETIC | {
        "sin": casadi.sin,
        "cos": casadi.cos,
        "exp": casadi.exp,
        "sqrt": casadi.sqrt,
        "floor": casadi.floor,
        "atan2": casadi.atan2,
        "select": lambda a, b, less, otherwise: casadi.if_else(a < b, less, otherwise),
        "number": casadi.SX,
    }


def to_sympy(thing: Any) -> Any:
    """An expression, an array of them, or the outputs of a program, in SymPy; symbols keep their names and are real.

    >>> from locodyn.symbolic import symbols
    >>> m, l = symbols("m l")
    >>> to_sympy(m * l**2 / 2)
    l**2*m/2
    """
    import sympy

    if isinstance(thing, Program):
        return thing.run({name: sympy.Symbol(name, real=True) for name in thing.names}, sympy_functions())
    values = np.asarray(thing, dtype=object)
    result = np.empty(values.shape, dtype=object)
    result.reshape(-1)[:] = to_sympy(Program(list(values.flat)))
    return result if values.shape else result[()]
