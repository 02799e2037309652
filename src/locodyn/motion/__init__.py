"""Time laws r(t) as data: value, first and second derivative."""

from locodyn.motion.base import Law
from locodyn.motion.function import LawLike, as_law, function
from locodyn.motion.interpolation import samples, spline
from locodyn.motion.laws import constant, cosine, cycloid, polynomial, ramp, sine, transition
from locodyn.motion.measured import filtered, from_csv

__all__ = [
    "Law",
    "LawLike",
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
