"""How kernels are written, compiled, cached, spread over SIMD lanes and run on symbols."""

from locodyn.kernel.compile import compiled, portable
from locodyn.kernel.primitives import exp, floor, fma, lit, select_lt, sincos, sqrt
from locodyn.kernel.twin import twin

__all__ = [
    "compiled",
    "exp",
    "floor",
    "fma",
    "lit",
    "portable",
    "select_lt",
    "sincos",
    "sqrt",
    "twin",
]
