"""Implicit runs: steps that are tried again from another guess, then in parts, until Newton's method converges.

A step that was divided leaves its parts to the next one; they grow again where few corrections are enough
(:mod:`locodyn.integrate.implicit_error`, also for parts that are adapted to an error).

The mathematics of a step is in :mod:`locodyn.integrate.implicit`. A run is one compiled call where all laws are data; with
functions of the user the same steps are driven from Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.integrate.implicit import begin_step, evaluate_stage, evaluate_stages, finish_step, start, start_anew
from locodyn.integrate.implicit_error import is_accepted
from locodyn.integrate.implicit_newton import correct
from locodyn.integrate.implicit_scratch import ERROR, PART, STARTED, ImplicitScratch
from locodyn.integrate.schemes import SchemeArrays
from locodyn.kernel import kernel, routine
from locodyn.locomotion.rhs import read_laws

ATTEMPTS = 3
SMALLEST_PART, SMALLEST_ADAPTED = 1.0 / 256.0, 1e-7  # of a step


class NoStep(RuntimeError):
    """A step did not converge, however short; ``rows`` recorded states went before."""

    def __init__(self, time: float, rows: int) -> None:
        super().__init__(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step")
        self.time, self.rows = time, rows


@routine
def implicit_step(p, c, inputs, t, step, tolerance, q, v, w, s):
    """Advance (q, v) from t by ``step``, in place; returns the number of Newton corrections, or -1."""
    if s.status[STARTED] == 0.0:
        read_laws(p, t, inputs)
        start(p, c, inputs, q, v, w, s)
    done = 0.0
    used = 0
    while done < step * (1.0 - 1e-9):
        part = next_part(step, done, s)
        code = -1
        attempt = 0
        while code < 0 and attempt < ATTEMPTS:
            if attempt == 1:
                read_laws(p, t + done, inputs)
                start_anew(p, c, inputs, q, v, w, s)
            begin_step(p, c, part, attempt, v, s)
            code = 0
            while code == 0:
                evaluate_stages(p, c, inputs, t + done, part, q, w, s)
                code = correct(p, c, part, tolerance, v, s)
                used += 1
            attempt += 1
        if code < 0:
            s.status[PART] *= 0.5
        if s.status[PART] < (SMALLEST_PART if s.status[ERROR] == 0.0 else SMALLEST_ADAPTED):
            return -1
        if code < 0 or not is_accepted(p, c, step, part, v, s):
            continue
        if p.starts.shape[0] > 1:
            read_laws(p, t + done + part, inputs)
        finish_step(p, c, inputs, part, q, v, w, s)
        done += part
    return used


@kernel
def next_part(step, done, s):
    """The next part of a step: what is left after ``done`` in equal parts, none longer than the share in the status."""
    left = step - done
    return left / np.ceil(left / (s.status[PART] * step) - 1e-6)


@kernel
def implicit_run(p, c, inputs, origin, step, first, count, every, tolerance, q, v, w, s, times, out_q, out_v, out_m, iterations):
    """``count`` steps from number ``first``; returns (recorded rows, number of the step that did not converge or -1).

    ``out_m`` (N, m): multipliers of all rows, those of the last stage of a step.
    """
    row = 0
    used = 0
    for n in range(first, first + count):
        rounds = implicit_step(p, c, inputs, origin + n * step, step, tolerance, q, v, w, s)
        if rounds < 0:
            return row, n
        used += rounds
        if (n + 1) % every == 0:
            times[row] = origin + (n + 1) * step
            iterations[row] = used
            for i in range(q.shape[0]):
                out_q[row, i] = q[i]
            for i in range(v.shape[0]):
                out_v[row, i] = v[i]
            for m in range(out_m.shape[1]):
                out_m[row, m] = s.multipliers[c.times.shape[0], m]
            row += 1
            used = 0
    return row, -1


def compiled_run(problem: Any, scheme: SchemeArrays, tolerance: float, s: ImplicitScratch, multipliers: list[np.ndarray]) -> Any:
    """run(...) as :func:`~locodyn.integrate.fixed.run_fixed` calls it; multipliers of the recorded rows are appended."""
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace

    def run(
        origin: float, step: float, first: int, count: int, every: int, q: np.ndarray, v: np.ndarray, times: np.ndarray,
        out_q: np.ndarray, out_v: np.ndarray, iterations: np.ndarray,
    ) -> int:  # fmt: skip
        out_m = np.zeros((len(times), s.multipliers.shape[1]))
        rows, failed = implicit_run(
            p, scheme, inputs, origin, step, first, count, every, tolerance, q, v, w, s, times, out_q, out_v, out_m, iterations
        )
        multipliers.append(out_m[:rows])
        if failed >= 0:
            raise NoStep(origin + failed * step, rows)
        return int(rows)

    return run


def python_stepper(problem: Any, scheme: SchemeArrays, tolerance: float, s: ImplicitScratch) -> Any:
    """One step with functions of the user in it: stepper(t, step, q, v) -> corrections, in place. As :func:`implicit_step`."""
    p, inputs, w = problem.arrays, problem.inputs, problem.workspace

    def tried(t: float, part: float, attempt: int, q: np.ndarray, v: np.ndarray) -> tuple[int, int]:
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
            code, used = int(correct(p, scheme, part, tolerance, v, s)), used + 1
        return code, used

    def stepper(t: float, step: float, q: np.ndarray, v: np.ndarray) -> int:
        if s.status[STARTED] == 0.0:
            problem.read_inputs(t, q, v)
            start(p, scheme, inputs, q, v, w, s)
        done, used = 0.0, 0
        while done < step * (1.0 - 1e-9):
            part = float(next_part(step, done, s))
            for attempt in range(ATTEMPTS):
                code, rounds = tried(t + done, part, attempt, q, v)
                used += rounds
                if code > 0:
                    break
            if code < 0:
                s.status[PART] *= 0.5
            if s.status[PART] < (SMALLEST_PART if s.status[ERROR] == 0.0 else SMALLEST_ADAPTED):
                raise NoStep(t, 0)
            if code < 0 or not is_accepted(p, scheme, step, part, v, s):
                continue
            problem.read_inputs(t + done + part, s.stage_q, s.stage_v)
            finish_step(p, scheme, inputs, part, q, v, w, s)
            done += part
        return used

    return stepper
