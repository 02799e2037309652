"""Hybrid systems: phases in which other feet hold, the guards between them, impacts, exchange of legs, Poincare maps."""

from locodyn.phases.admissibility import Violation
from locodyn.phases.gait_branch import Bifurcation, GaitBranch, gait_branch
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.impact import Impact, plastic_impact
from locodyn.phases.mirror import Mirror
from locodyn.phases.phases import Phase, Phases
from locodyn.phases.poincare import Orbit, PoincareMap, Stride
from locodyn.phases.transition import LiftOff, Reaches, Touchdown, Transition, When

__all__ = [
    "Bifurcation",
    "GaitBranch",
    "HybridProblem",
    "Impact",
    "LiftOff",
    "Mirror",
    "Orbit",
    "Phase",
    "Phases",
    "PoincareMap",
    "Reaches",
    "Stride",
    "Touchdown",
    "Transition",
    "Violation",
    "When",
    "gait_branch",
    "plastic_impact",
]
