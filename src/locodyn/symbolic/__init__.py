"""The kernels on symbols: closed forms of any robot."""

from locodyn.symbolic.expression import Expression, symbols
from locodyn.symbolic.model import SymbolicModel

__all__ = ["Expression", "SymbolicModel", "symbols"]
