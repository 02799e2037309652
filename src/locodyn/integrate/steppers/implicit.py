"""Runs of the implicit methods, :mod:`locodyn.integrate.implicit.run`."""

from __future__ import annotations

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.implicit.arrays import implicit_scratch
from locodyn.integrate.implicit.newton import correct
from locodyn.integrate.implicit.run import AGAIN, ATTEMPTS, GIVEN_UP, implicit_run, judged, next_part
from locodyn.integrate.implicit.schemes import SchemeArrays
from locodyn.integrate.implicit.step import begin_step, evaluate_stage, finish_step, start, start_anew
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
            problem.workspace, self.scratch, rows.times, rows.q, rows.v, multipliers, rows.iterations,
        )  # fmt: skip
        self.multipliers.append(multipliers[:filled])
        if failed >= 0:
            raise not_converged(run.origin + failed * run.step, filled)
        return int(filled)

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`; the loop of :func:`~locodyn.integrate.implicit.run.implicit_step`."""
        problem, step, scratch, t = self.run.problem, self.run.step, self.scratch, self.run.time(n)
        arrays, inputs, work = problem.arrays, problem.inputs, problem.workspace
        if scratch.history.started == 0:
            problem.read_inputs(t, q, v)
            start(arrays, self.scheme, inputs, q, v, work, scratch)
        done, used = 0.0, 0
        while done < step * (1.0 - 1e-9):
            part = float(next_part(step, done, scratch))
            for attempt in range(ATTEMPTS):
                code, rounds = self.attempt(t + done, part, attempt, q, v)
                used += rounds
                if code > 0:
                    break
            verdict = judged(arrays, self.scheme, step, part, code, v, scratch)
            if verdict == GIVEN_UP:
                raise not_converged(t)
            if verdict == AGAIN:
                continue
            problem.read_inputs(t + done + part, scratch.state.q, scratch.state.v)
            finish_step(arrays, self.scheme, inputs, part, q, v, work, scratch)
            done += part
        return used

    def attempt(self, t: float, part: float, attempt: int, q: np.ndarray, v: np.ndarray) -> tuple[int, int]:
        """Newton's method on a part of a step, from its first or another guess: (1 converged or -1, corrections)."""
        problem, scheme, scratch = self.run.problem, self.scheme, self.scratch
        arrays, inputs, work = problem.arrays, problem.inputs, problem.workspace
        if attempt == 1:
            problem.read_inputs(t, q, v)
            start_anew(arrays, scheme, inputs, q, v, work, scratch)
        begin_step(arrays, scheme, part, attempt, v, scratch)
        code, used = 0, 0
        while code == 0:
            for k, share in enumerate(scheme.times):
                if len(arrays.imposed):  # else functions would see imposed coordinates where the stage before had them
                    problem.read_inputs(t + share * part, scratch.state.q, scratch.state.v, forces=False)
                evaluate_stage(
                    arrays, scheme, inputs, part, k, q, work, scratch
                )  # to know the state at which the functions are asked
                problem.read_inputs(t + share * part, scratch.state.q, scratch.state.v)
                evaluate_stage(arrays, scheme, inputs, part, k, q, work, scratch)
            code, used = int(correct(arrays, scheme, part, self.tolerance, v, scratch)), used + 1
        return code, used

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
            rows = len(solution.times)
            solution.multipliers = np.concatenate(self.multipliers)[:rows]
            solution.multipliers[0] = solution.multipliers[min(1, rows - 1)]


def not_converged(time: float, rows: int = 0) -> StepFailed:
    """The step from ``time`` on, however short."""
    return StepFailed(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step", rows)
