"""Runs of :mod:`locodyn.integrate.rkmk4`."""

from __future__ import annotations

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.rkmk4 import STAGES, begin, finish, go_on, rkmk4_run, stage_state
from locodyn.integrate.steppers.base import Rows, Stepper
from locodyn.locomotion.problem import Problem


class RungeKutta(Stepper):
    """Runge-Kutta of order 4."""

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        filled: int = rkmk4_run(
            problem.arrays, problem.inputs, run.origin, run.step, first, count, run.every, q, v, problem.workspace, *rows[:3]
        )
        rows.iterations[:filled] = run.every
        return filled

    def step(self, t: float, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        return step_in_python(self.run.problem, t, self.run.step, q, v)

    def complete(self, solution: Solution, done: int) -> None:
        """Four evaluations a step."""
        solution.evaluations = 4 * done


def step_in_python(problem: Problem, t: float, step: float, q: np.ndarray, v: np.ndarray) -> int:
    """One step with functions of the user, who are asked at every stage; as :func:`~locodyn.integrate.rkmk4.rkmk4_step`."""
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace
    problem.read_inputs(t, q, v)
    begin(p, inputs, q, v, w, step)
    for fraction, weight in STAGES:
        stage_q, stage_v = stage_state(p, q, v, w, step, fraction)
        problem.read_inputs(t + fraction * step, stage_q, stage_v)
        go_on(p, inputs, q, v, w, step, fraction, weight)
    finish(p, inputs, q, v, w, step)
    return 1
