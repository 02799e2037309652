"""Walking by virtual constraints: steps, hybrid zero dynamics, design of gaits by optimisation, libraries of gaits."""

from locodyn.walking.following import controllers
from locodyn.walking.limits import GaitLimits
from locodyn.walking.step_gait import Biped, StepGait, invariant_gait, level_posture
from locodyn.walking.zero_dynamics import StepSample, ZeroDynamics

__all__ = ["Biped", "GaitLimits", "StepGait", "StepSample", "ZeroDynamics", "controllers", "invariant_gait", "level_posture"]
