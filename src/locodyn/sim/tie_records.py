"""What results tell of cables, springs and torsion springs: tensions and lengths, moments and angles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.world.ties import tie_state

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim.scenario import Scenario


def tie_label(scenario: Scenario, name: str) -> dict[str, str]:
    """Units of ``tie_tension`` or ``tie_length``: of torsion springs those of moments and angles."""
    plain, turning = ("N", "N m") if name == "tie_tension" else ("m", "rad")
    units = [turning if one.tie.turns else plain for one in scenario.compiled.ties]
    return {"units": " or ".join(sorted(set(units))), "units_by_tie": ", ".join(units)}


def tie_records(scenario: Scenario, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    """``tie_tension`` and ``tie_length``, (N, n) each, in the states q (N, nq), v (N, nv) at ``times`` (N,).

    A quasi-static run is at rest at each of its times.
    """
    if scenario.numerics.method.inertia:
        return _series(scenario.problem, times, q, v)
    from locodyn.integrate.quasi_static import resting

    return _series(resting(scenario.problem), times, q, np.zeros_like(v))


def _series(problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
    ties, inputs = problem.arrays.wrenches.ties, problem.inputs
    found = np.empty((2, len(times), len(ties.first)))
    for i, (t, one, speed) in enumerate(zip(times, q, v, strict=True)):
        problem.read_inputs(float(t), one, speed, forces=False)
        poses, motions = problem.model.kinematics(one, speed)
        for n in range(len(ties.first)):
            (x, _), answer, _ = tie_state(ties, inputs.rows, n, one, poses, motions)
            found[:, i, n] = answer[0], x
    return {"tie_tension": found[0], "tie_length": found[1]}
