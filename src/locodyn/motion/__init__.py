"""Time laws r(t) as data: value, first and second derivative."""

from typing import Any

from locodyn.motion.base import Law
from locodyn.motion.filtered import filtered
from locodyn.motion.function import as_law, function
from locodyn.motion.interpolation import samples, spline
from locodyn.motion.laws import constant, cosine, cycloid, polynomial, ramp, sine, transition
from locodyn.motion.measured import from_csv

__all__ = [
    "Law",
    "MotionTable",
    "as_law",
    "constant",
    "cosine",
    "cycloid",
    "filtered",
    "from_csv",
    "function",
    "polynomial",
    "ramp",
    "samples",
    "sine",
    "spline",
    "transition",
]


def __getattr__(name: str) -> Any:
    if name == "MotionTable":  # needs compiled code: loads when used
        from locodyn.motion.table import MotionTable

        return MotionTable
    raise AttributeError(f"module 'locodyn.motion' has no attribute '{name}'")
