"""Steady motions, the linear systems about them, and their stability along a parameter."""

from locodyn.linearisation.eigenvalue_sweep import Boundary, EigenvalueSweep, eigenvalue_sweep
from locodyn.linearisation.linearisation import Linearisation, Mode
from locodyn.linearisation.linearise import linearise
from locodyn.linearisation.steady_motion import SteadyMotion, steady_motion

__all__ = [
    "Boundary",
    "EigenvalueSweep",
    "Linearisation",
    "Mode",
    "SteadyMotion",
    "eigenvalue_sweep",
    "linearise",
    "steady_motion",
]
