"""Runs of :mod:`locodyn.integrate.variational`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.discrete_lagrangian import new_scratch
from locodyn.integrate.steppers.base import FixedRun, Launch, Rows, StepFailed, Stepper, here, new_rows
from locodyn.integrate.variational import STAGES, variational_run, variational_stage

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn


class VariationalStepper(Stepper):
    """The variational integrator."""

    def __init__(self, run: FixedRun, tolerance: float) -> None:
        super().__init__(run)
        self.tolerance, model = tolerance, run.problem.model
        laws = len(run.problem.inputs.rows)
        rods = model.compiled.has_rods
        self.scratch = new_scratch(model.nf, model.nq, model.nv, run.problem.memories.count, laws, rods)

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        filled, failed = variational_run(
            problem.arrays, problem.inputs, run.origin, run.step, first, count, run.every, self.tolerance, q, v,
            problem.workspace, self.scratch, *rows,
        )  # fmt: skip
        if failed >= 0:
            raise not_converged(run.origin + failed * run.step, filled)
        return int(filled)

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """As of :class:`Stepper`."""
        from locodyn.integrate.robots import variational_robots

        run, problem = self.run, self.run.problem
        launch(
            variational_robots, robots, turn, chosen, count,
            problem.arrays, problem.inputs, run.origin, run.step, self.tolerance, problem.workspace,
            self.scratch, new_rows(problem, 0),
        )  # fmt: skip

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, scratch = self.run, self.run.problem, self.scratch
        for k in range(STAGES):
            problem.read_inputs(run.time(n if k == 0 else n + 1), q, v)
            variational_stage(k, problem.arrays, problem.inputs, run.step, self.tolerance, q, v, problem.workspace, scratch)
            if k > 0 and scratch.iterations < 0:
                raise not_converged(run.time(n))
        return int(scratch.iterations)


def not_converged(time: float, rows: int = 0) -> StepFailed:
    """The discrete equation of motion of the step from ``time`` on was not solved."""
    return StepFailed(f"the step at t = {time:g} s did not converge; try a smaller step", rows)
