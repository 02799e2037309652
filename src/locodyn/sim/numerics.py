"""The integrator and the step of a run: those that are named, or those that suit the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.base import AUTO

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario


def with_numerics(scenario: Scenario, q0: np.ndarray, v0: np.ndarray) -> tuple[Scenario, str]:
    """The scenario with its integrator and a step that fits into the run; why, in words, where the integrator was not named.

    ``q0`` (nq,), ``v0`` (nv,): the start. An explicit integrator that was named, but is not stable there, gives a warning.
    """
    from locodyn.integrate.choice import choose, warn_beyond_limit

    problem = scenario.problem
    if scenario.numerics.integrator != AUTO:
        fitting = scenario.on_whole_steps()
        warn_beyond_limit(problem, scenario.numerics.method, q0, v0, fitting.numerics.step)
        return fitting, ""
    choice = choose(problem, q0, v0, None if scenario.numerics.step_is_free else scenario.numerics.step)
    return scenario.computed_with(choice.method.name, choice.step).on_whole_steps(), choice.words
