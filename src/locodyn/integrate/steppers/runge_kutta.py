"""Runs of :mod:`locodyn.integrate.rkmk4`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.lane_robots import Lanes
from locodyn.integrate.rkmk4 import TIMES, new_scratch, rkmk4_run, rkmk4_stage
from locodyn.integrate.steppers.base import FixedRun, Launch, Rows, Stepper, here, new_rows
from locodyn.locomotion.constrained import next_change

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn


class RungeKutta(Stepper):
    """Runge-Kutta of order 4."""

    def __init__(self, run: FixedRun) -> None:
        super().__init__(run)
        self.scratch = new_scratch(run.problem.model.nq, run.problem.model.nv, run.problem.memories.count)
        self._lanes = Lanes(run)

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        filled: int = rkmk4_run(
            problem.arrays, problem.inputs, run.origin, run.step, first, count, run.every, q, v, problem.workspace, self.scratch,
            rows.times, rows.q, rows.v, rows.memory,
        )  # fmt: skip
        rows.iterations[:filled] = run.every
        return filled

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """As of :class:`Stepper`."""
        from locodyn.integrate.robots import rkmk4_robots

        if launch is here:
            chosen = self._lanes.take(robots, turn, chosen, count)
            if not len(chosen):
                return
        run, problem = self.run, self.run.problem
        launch(
            rkmk4_robots, robots, turn, chosen, count,
            problem.arrays, problem.inputs, run.origin, run.step, problem.workspace, self.scratch,
            new_rows(problem, 0),
        )  # fmt: skip

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, scratch = self.run, self.run.problem, self.scratch
        t, step = run.time(n), run.step
        end, change = t + step, 0.0
        while change < end:  # in parts that end where contacts come or go
            change = float(next_change(problem.arrays.rows, t, end))
            part = change - t if change < end else step
            for k, share in enumerate(TIMES):
                problem.read_inputs(t + share * part, *((q, v) if k == 0 else (scratch.q, scratch.v)))
                rkmk4_stage(k, problem.arrays, problem.inputs, part, q, v, problem.workspace, scratch)
            t, step = change, end - change
        return 1

    def complete(self, solution: Solution, done: int) -> None:
        """Four evaluations a step."""
        solution.evaluations = 4 * done
