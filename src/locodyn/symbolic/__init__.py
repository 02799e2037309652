"""The kernels on symbols: closed forms of any robot."""

from locodyn.symbolic.model import SymbolicModel

__all__ = ["SymbolicModel"]
