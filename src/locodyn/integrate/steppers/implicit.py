"""Runs of the implicit methods, :mod:`locodyn.integrate.implicit.run`."""

from __future__ import annotations

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.implicit.arrays import implicit_scratch
from locodyn.integrate.implicit.run import (
    ANEW,
    EVALUATE,
    FAILED,
    START,
    first_stage,
    implicit_run,
    implicit_stage,
    stage_time,
)
from locodyn.integrate.implicit.schemes import SchemeArrays
from locodyn.integrate.implicit.step import evaluate_stage
from locodyn.integrate.steppers.base import FixedRun, Rows, StepFailed, Stepper


class ImplicitStepper(Stepper):
    """A scheme with Newton's ``tolerance``; ``error``: what parts of a step are adapted to, or 0 for whole steps."""

    def __init__(self, run: FixedRun, scheme: SchemeArrays, tolerance: float, error: float = 0.0) -> None:
        super().__init__(run)
        self.scheme, self.tolerance = scheme, tolerance
        self.scratch = implicit_scratch(run.problem, len(scheme.times), error)
        self.multipliers = [np.zeros((1, self.scratch.stages.multipliers.shape[1]))]

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        multipliers = np.zeros((len(rows.times), self.scratch.stages.multipliers.shape[1]))
        filled, failed = implicit_run(
            problem.arrays, self.scheme, problem.inputs, run.origin, run.step, first, count, run.every, self.tolerance, q, v,
            problem.workspace, self.scratch, rows.times, rows.q, rows.v, multipliers, rows.iterations, rows.memory,
        )  # fmt: skip
        self.multipliers.append(multipliers[:filled])
        if failed >= 0:
            raise not_converged(run.origin + failed * run.step, filled)
        return int(filled)

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, scheme, scratch = self.run, self.run.problem, self.scheme, self.scratch
        arrays, inputs, work, state, parts = problem.arrays, problem.inputs, problem.workspace, scratch.state, scratch.parts
        k = first_stage(arrays, scheme, run.time(n), run.step, v, work, scratch)
        while k >= 0:
            time = float(stage_time(k, scheme, run.time(n), parts))
            if k == EVALUATE:  # first without asking, to know the state at which the functions are asked
                if len(arrays.imposed):  # else functions would see imposed coordinates where the stage before had them
                    problem.read_inputs(time, state.q, state.v, forces=False)
                evaluate_stage(arrays, scheme, inputs, parts.part, parts.stage, q, work, scratch)
            problem.read_inputs(time, *((q, v) if k in (START, ANEW) else (state.q, state.v)))
            k = implicit_stage(k, arrays, scheme, inputs, run.step, self.tolerance, q, v, work, scratch)
        if k == FAILED:
            raise not_converged(run.time(n))
        return int(parts.used)

    def restart(self) -> None:
        """As of :class:`Stepper`: generalized-alpha and its kin remember accelerations, stages do not."""
        if self.scheme.remembers:
            self.scratch.history.started = 0

    def note(self, q: np.ndarray) -> None:
        """Multipliers of the last stage."""
        self.multipliers.append(self.scratch.stages.multipliers[-1:].copy())

    def complete(self, solution: Solution, done: int) -> None:
        """Multipliers of all rows; at the start those of the first step."""
        super().complete(solution, done)
        if self.run.problem.constraints.rows:
            rows, all_steps = len(solution.times), np.concatenate(self.multipliers)
            kept = self.run.are_kept(self.run.first, len(all_steps) - 1)
            solution.multipliers = all_steps[np.concatenate([[0], 1 + kept])[:rows]]
            solution.multipliers[0] = solution.multipliers[min(1, rows - 1)]


def not_converged(time: float, rows: int = 0) -> StepFailed:
    """The step from ``time`` on, however short."""
    return StepFailed(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step", rows)
