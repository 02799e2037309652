"""How kernels are written, compiled, cached, spread over SIMD lanes and run on symbols."""

from locodyn.kernel.compile import kernel, routine, step
from locodyn.kernel.primitives import exp, fma, lit, select_lt, sincos, sqrt
from locodyn.kernel.twin import twin

__all__ = [
    "exp",
    "fma",
    "kernel",
    "lit",
    "routine",
    "select_lt",
    "sincos",
    "sqrt",
    "step",
    "twin",
]
