"""Walking by virtual constraints: steps, hybrid zero dynamics, design of gaits by optimisation, libraries of gaits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.lazy import lazy_names

if TYPE_CHECKING:
    from locodyn.walking.following import controllers as controllers
    from locodyn.walking.limits import GaitLimits as GaitLimits
    from locodyn.walking.step_gait import (
        Biped as Biped,
        StepGait as StepGait,
        invariant_gait as invariant_gait,
        level_posture as level_posture,
    )
    from locodyn.walking.zero_dynamics import StepSample as StepSample, ZeroDynamics as ZeroDynamics
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
