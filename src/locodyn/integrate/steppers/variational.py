"""Runs of :mod:`locodyn.integrate.variational`."""

from __future__ import annotations

import numpy as np

from locodyn.integrate.steppers.base import FixedRun, Rows, StepFailed, Stepper
from locodyn.integrate.variational import ROUNDS, STEP, begin, finish, new_scratch, solve_position, variational_run


class VariationalStepper(Stepper):
    """The variational integrator."""

    def __init__(self, run: FixedRun, tolerance: float) -> None:
        super().__init__(run)
        self.tolerance = tolerance
        self.scratch = new_scratch(run.problem.model.nf, run.problem.model.nv)

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        filled, failed = variational_run(
            problem.arrays, problem.inputs, run.origin, run.step, first, count, run.every, self.tolerance, q, v,
            problem.workspace, self.scratch, *rows,
        )  # fmt: skip
        if failed >= 0:
            raise no_end(run.origin + failed * run.step, filled)
        return int(filled)

    def step(self, t: float, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        problem, step, s = self.run.problem, self.run.step, self.scratch
        p, inputs, w = problem.arrays, problem.inputs, problem.workspace
        problem.read_inputs(t, q, v)
        begin(p, inputs, step, q, v, w, s)
        problem.read_inputs(t + step, q, v)
        used = solve_position(p, inputs, step, self.tolerance, q, v, w, s)
        if used < 0:
            raise no_end(t)
        # Functions of velocity make the end of the step implicit, as laws do inside ``finish``: as many rounds.
        speed = s.vectors[STEP] / step
        for _ in range(ROUNDS):
            problem.read_inputs(t + step, q, speed)
            finish(p, inputs, step, q, v, w, s)
            speed = v
        return int(used)


def no_end(time: float, rows: int = 0) -> StepFailed:
    """The discrete equation of motion of the step from ``time`` on was not solved."""
    return StepFailed(f"the step at t = {time:g} s did not converge; try a smaller step", rows)
