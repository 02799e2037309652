"""The kernels on symbols: closed forms of any robot."""

from locodyn.symbolic.engines import to_sympy
from locodyn.symbolic.expression import Expression, symbols
from locodyn.symbolic.function import Function
from locodyn.symbolic.generator import FUNCTIONS, Generator
from locodyn.symbolic.model import SymbolicModel
from locodyn.symbolic.parameters import symbolic_robot
from locodyn.symbolic.problem import SymbolicProblem

__all__ = [
    "FUNCTIONS",
    "Expression",
    "Function",
    "Generator",
    "SymbolicModel",
    "SymbolicProblem",
    "symbolic_robot",
    "symbols",
    "to_sympy",
]
