"""A scenario solved here, at the times at which a reference is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import RunError
from locodyn.integrate import Solution, solve
from locodyn.judge import timed
from locodyn.sim import Scenario


def run_own(scenario: Scenario, step: float, samples: int, method: str, **options: float) -> tuple[Solution, float]:
    """States at ``samples`` times from 0 to the end of the scenario, and CPU time (s).

    ``step`` (s) is that of a method with fixed steps; the adaptive ones take a ``tolerance`` instead and record at the samples.
    """
    between = scenario.recording.t_end / (samples - 1)
    every = round(between / step)
    problem, start = scenario.problem, scenario.initial_state()
    given: dict[str, Any] = {"t_end": scenario.recording.t_end, "step": step, "method": method, "record_every": every, **options}
    solution, spent = timed(lambda: solve(problem, *start, **given))
    if solution.status != "completed" or len(solution.times) != samples:
        raise RunError(f"the run ended with '{solution.status}' at {solution.times[-1]:g} s.")
    return solution, spent


def places(scenario: Scenario, solution: Solution, name: str, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """Positions (samples, 3) of a point of a body or marker, m."""
    found = []
    for q in solution.q:
        rotation, origin = scenario.model.pose(name, q)
        found.append(origin + rotation @ np.asarray(point, dtype=float))
    return np.array(found)


def worst_distance(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest distance between two paths."""
    return float(np.linalg.norm(found - wanted, axis=1).max())
