"""In which numbers scenarios differ: the arrays that compiled steps read, compared one by one.

Whatever a scenario says, masses or friction or the amplitude of a gait, ends in these arrays, with all that follows from it. So
nothing has to be known of parameters here: two robots can share a batch when their arrays have the same shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numba import typeof

from locodyn.errors import InputError
from locodyn.kernel.kept import WORD
from locodyn.sim.seen_numbers import numbers_of
from locodyn.sim.stepping import Simulation, with_actions

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

Difference = dict[str, np.ndarray]  # numbers that are not those of the first scenario, by the path of their field


def differences(
    scenarios: Sequence[Scenario], actions: Sequence[str] | None, first: Simulation, numbers: Sequence[int] | np.ndarray = ()
) -> list[Difference]:
    """Of each scenario, before any step has written into its arrays. What steps write belongs to a robot anyway.

    ``numbers``: of the robots that they belong to, by default from 0 on.
    """
    problem = first.problem
    pattern, kind = numbers_of(first.scenario.changed().problem), typeof(problem.arrays)
    rows = problem.constraints.kept().views if problem.constraints.rows else ()
    written = {view.ctypes.data for view in (*rows, *first.stepper.kept().views) if len(view)}
    ours = {path for path, view in numbers_of(problem).items() if view.ctypes.data not in written}
    begins, result = [servo.begins for servo in problem.servos.values()], []
    for r, scenario in zip(numbers if len(numbers) else range(len(scenarios)), scenarios, strict=True):
        other = with_actions(scenario, actions)[0].problem
        own = numbers_of(other)
        if own.keys() != pattern.keys() or typeof(other.arrays) != kind:
            raise _another_structure(scenario, first.scenario, r, "other parts")
        changed = {path for path, view in own.items() if not np.array_equal(view, pattern[path])}
        for path in changed:
            if len(own[path]) != len(pattern[path]) or own[path].itemsize != WORD:
                raise _another_structure(scenario, first.scenario, r, f"other '{path}'")
        if [servo.begins for servo in other.servos.values()] != begins:
            raise InputError(
                f"the servos of robot number {r} of the batch begin at other times than those of the first one; give all the"
                " same."
            )
        result.append({path: own[path].copy() for path in changed & ours})
    if any("gains" in one for one in result) and any(servo.begins > 0.0 for servo in problem.servos.values()):
        raise InputError("servos that begin late must have the same gains in all robots of a batch.")
    return result


def check_same_method(one: Simulation, first: Simulation, number: int) -> None:
    """Robots of a batch make the same steps, at the same times."""
    method, step = one.scenario.numerics.method, one.dt
    if method != first.scenario.numerics.method or step != first.dt:
        raise InputError(
            f"robot number {number} of the batch runs with '{method.name}' in steps of {step:g} s, the first one with"
            f" '{first.scenario.numerics.method.name}' and {first.dt:g} s; name the same integrator and dt for all."
        )
    if one.action_names != first.action_names:
        raise InputError(f"robot number {number} of the batch has other actions than the first one; name the same for all.")
    restarts, usual = (getattr(sim.stepper, "restarts", np.zeros(0)) for sim in (one, first))
    if not np.array_equal(restarts, usual):
        raise InputError(
            f"the laws of robot number {number} of the batch have kinks at other times than those of the first one, where"
            f" '{method.name}' starts anew; take 'rkmk4', or the same times."
        )


def _another_structure(scenario: Scenario, first: Scenario, number: int, what: str) -> InputError:
    return InputError(
        f"robot number {number} of the batch, '{scenario.name}', has another structure than the first one, '{first.name}'"
        f" ({what}); robots of a batch may differ in numbers only."
    )
