"""Hybrid systems: phases in which other feet hold, the guards between them, impacts, exchange of legs, Poincare maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.phases.admissibility import Violation as Violation
    from locodyn.phases.gait_branch import Bifurcation as Bifurcation, GaitBranch as GaitBranch, gait_branch as gait_branch
    from locodyn.phases.hybrid_problem import HybridProblem as HybridProblem
    from locodyn.phases.impact import Impact as Impact, plastic_impact as plastic_impact
    from locodyn.phases.phases import Mirror as Mirror
    from locodyn.phases.phases import Phase as Phase, Phases as Phases
    from locodyn.phases.poincare import Orbit as Orbit, PoincareMap as PoincareMap, Stride as Stride
    from locodyn.phases.transition import (
        LiftOff as LiftOff,
        Reaches as Reaches,
        Touchdown as Touchdown,
        Transition as Transition,
        When as When,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
