"""Runs of :mod:`locodyn.integrate.adams`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.adams import (
    CORRECT,
    DONE,
    TIMES,
    adams_run,
    adams_stage,
    first_stage,
    meets_change,
    new_history,
    new_scratch,
)
from locodyn.integrate.base import Solution
from locodyn.integrate.history import recall_method
from locodyn.integrate.lane_adams import AdamsLanes
from locodyn.integrate.rkmk4 import STAGES
from locodyn.integrate.steppers.base import FixedRun, Launch, Rows, Stepper, here, new_rows
from locodyn.integrate.steppers.runge_kutta import RungeKutta
from locodyn.kernel.kept import Kept

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn


class AdamsStepper(Stepper):
    """Predictor and corrector, started by Runge-Kutta at first, at kinks of the laws, where forces jump and contacts change."""

    def __init__(self, run: FixedRun) -> None:
        super().__init__(run)
        model, states = run.problem.model, run.problem.memories.count
        self.past = new_history(model.nq, model.nv, states)
        recall_method(self.kept(), run.history)
        self.restarts = restart_steps(run)
        self.scratch = new_scratch(model.nq, model.nv, states)
        self.runge_kutta = RungeKutta(run)
        self._lanes = AdamsLanes(run, self.past, self.restarts)

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        filled: int = adams_run(
            problem.arrays, problem.inputs, run.origin, run.step, first, count, run.every, q, v, problem.workspace, self.past,
            self.scratch, self.restarts, rows.times, rows.q, rows.v, rows.memory,
        )  # fmt: skip
        rows.iterations[:filled] = run.every
        return filled

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """As of :class:`Stepper`."""
        from locodyn.integrate.robots import adams_robots

        if launch is here:
            chosen = self._lanes.take(robots, turn, chosen, count)
            if not len(chosen):
                return
        run, problem = self.run, self.run.problem
        launch(
            adams_robots, robots, turn, chosen, count,
            problem.arrays, problem.inputs, run.origin, run.step, problem.workspace, self.past,
            self.scratch, self.restarts, new_rows(problem, 0),
        )  # fmt: skip

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, past, scratch = self.run, self.run.problem, self.past, self.scratch
        if n in self.restarts:
            past.known = 0
        if meets_change(problem.arrays.rows, run.time(n), run.step):
            past.known = 0
            past.evaluations += STAGES
            return self.runge_kutta.step(n, q, v)
        k = first_stage(problem.arrays, q, v, problem.workspace.memory, past, scratch, run.step)
        while k != DONE:
            ahead = 0 < k <= CORRECT
            problem.read_inputs(run.time(n) + TIMES[k] * run.step, *((scratch.stage.q, scratch.stage.v) if ahead else (q, v)))
            k = adams_stage(k, problem.arrays, problem.inputs, run.step, q, v, problem.workspace, past, scratch)
        return 1

    def known(self) -> Kept:
        """As of :class:`Stepper`."""
        return Kept.of((self.past, ("known",)))

    def complete(self, solution: Solution, done: int) -> None:
        """Evaluations as counted."""
        solution.evaluations = self.past.evaluations

    def kept(self) -> Kept:
        """The last states with their accelerations, and how many are known."""
        return Kept.of((self.past, ("known", "q", "v", "a", "memory_rate")))


def restart_steps(run: FixedRun) -> np.ndarray:
    """Numbers of the steps that begin at or next after a kink of a law: the formulas must not look across it."""
    laws = run.problem.table.laws
    numbers = {int(np.ceil((kink - run.origin) / run.step - 1e-9)) for law in laws for kink in law.kinks}
    return np.array(sorted(numbers), dtype=np.int64)
