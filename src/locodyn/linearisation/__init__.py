"""Steady motions, the linear systems about them, and their stability along a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.linearisation.eigenvalue_sweep import (
        Boundary as Boundary,
        EigenvalueSweep as EigenvalueSweep,
        eigenvalue_sweep as eigenvalue_sweep,
    )
    from locodyn.linearisation.linearisation import Linearisation as Linearisation, Mode as Mode
    from locodyn.linearisation.linearise import linearise as linearise
    from locodyn.linearisation.steady_motion import SteadyMotion as SteadyMotion, steady_motion as steady_motion
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
