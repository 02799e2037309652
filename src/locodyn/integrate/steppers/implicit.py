"""Runs of the implicit methods, :mod:`locodyn.integrate.implicit.run`."""

from __future__ import annotations

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.implicit.newton import correct
from locodyn.integrate.implicit.run import AGAIN, ATTEMPTS, GIVEN_UP, implicit_run, judged, next_part
from locodyn.integrate.implicit.schemes import SchemeArrays
from locodyn.integrate.implicit.scratch import STARTED, implicit_scratch
from locodyn.integrate.implicit.step import begin_step, evaluate_stage, finish_step, start, start_anew
from locodyn.integrate.steppers.base import FixedRun, Rows, StepFailed, Stepper


class ImplicitStepper(Stepper):
    """A scheme with Newton's ``tolerance``; ``error``: what parts of a step are adapted to, or 0 for whole steps."""

    def __init__(self, run: FixedRun, scheme: SchemeArrays, tolerance: float, error: float = 0.0) -> None:
        super().__init__(run)
        self.scheme, self.tolerance = scheme, tolerance
        self.scratch = implicit_scratch(run.problem, len(scheme.times), error)
        self.multipliers = [np.zeros((1, self.scratch.multipliers.shape[1]))]

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem = self.run, self.run.problem
        multipliers = np.zeros((len(rows.times), self.scratch.multipliers.shape[1]))
        filled, failed = implicit_run(
            problem.arrays, self.scheme, problem.inputs, run.origin, run.step, first, count, run.every, self.tolerance, q, v,
            problem.workspace, self.scratch, rows.times, rows.q, rows.v, multipliers, rows.iterations,
        )  # fmt: skip
        self.multipliers.append(multipliers[:filled])
        if failed >= 0:
            raise no_end(run.origin + failed * run.step, filled)
        return int(filled)

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`; the loop of :func:`~locodyn.integrate.implicit.run.implicit_step`."""
        problem, step, s, t = self.run.problem, self.run.step, self.scratch, self.run.time(n)
        p, inputs, w = problem.arrays, problem.inputs, problem.workspace
        if s.status[STARTED] == 0.0:
            problem.read_inputs(t, q, v)
            start(p, self.scheme, inputs, q, v, w, s)
        done, used = 0.0, 0
        while done < step * (1.0 - 1e-9):
            part = float(next_part(step, done, s))
            for attempt in range(ATTEMPTS):
                code, rounds = self.attempt(t + done, part, attempt, q, v)
                used += rounds
                if code > 0:
                    break
            verdict = judged(p, self.scheme, step, part, code, v, s)
            if verdict == GIVEN_UP:
                raise no_end(t)
            if verdict == AGAIN:
                continue
            problem.read_inputs(t + done + part, s.stage_q, s.stage_v)
            finish_step(p, self.scheme, inputs, part, q, v, w, s)
            done += part
        return used

    def attempt(self, t: float, part: float, attempt: int, q: np.ndarray, v: np.ndarray) -> tuple[int, int]:
        """Newton's method on a part of a step, from its first or another guess: (1 converged or -1, corrections)."""
        problem, scheme, s = self.run.problem, self.scheme, self.scratch
        p, inputs, w = problem.arrays, problem.inputs, problem.workspace
        if attempt == 1:
            problem.read_inputs(t, q, v)
            start_anew(p, scheme, inputs, q, v, w, s)
        begin_step(p, scheme, part, attempt, v, s)
        code, used = 0, 0
        while code == 0:
            for k, share in enumerate(scheme.times):
                evaluate_stage(p, scheme, inputs, part, k, q, w, s)  # to know the state at which the functions are asked
                problem.read_inputs(t + share * part, s.stage_q, s.stage_v)
                evaluate_stage(p, scheme, inputs, part, k, q, w, s)
            code, used = int(correct(p, scheme, part, self.tolerance, v, s)), used + 1
        return code, used

    def restart(self) -> None:
        """As of :class:`Stepper`: generalized-alpha and its kin remember accelerations, stages do not."""
        if len(self.scheme.alpha):
            self.scratch.status[STARTED] = 0.0

    def note(self, q: np.ndarray) -> None:
        """Multipliers of the last stage."""
        self.multipliers.append(self.scratch.multipliers[-1:].copy())

    def complete(self, solution: Solution, done: int) -> None:
        """Multipliers of all rows; at the start those of the first step."""
        super().complete(solution, done)
        if self.run.problem.constraints.rows:
            rows = len(solution.times)
            solution.multipliers = np.concatenate(self.multipliers)[:rows]
            solution.multipliers[0] = solution.multipliers[min(1, rows - 1)]


def no_end(time: float, rows: int = 0) -> StepFailed:
    """The step from ``time`` on, however short."""
    return StepFailed(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step", rows)
