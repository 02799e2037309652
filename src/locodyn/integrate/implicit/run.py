"""Implicit runs: steps that are tried again from another guess, then in parts, until Newton's method converges.

A step that was divided leaves its parts to the next one; they grow again where few corrections are enough
(:mod:`locodyn.integrate.implicit.error`, also for parts that are adapted to an error).

The mathematics of a step is in :mod:`locodyn.integrate.implicit.step`. A run is one compiled call where all laws are data; with
functions of the user the same steps are driven from Python.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.implicit.error import is_accepted
from locodyn.integrate.implicit.newton import correct
from locodyn.integrate.implicit.step import begin_step, evaluate_stages, finish_step, start, start_anew
from locodyn.integrate.record import record
from locodyn.kernel import compiled
from locodyn.locomotion.rhs import read_laws

ATTEMPTS = 3
ACCEPTED, AGAIN, GIVEN_UP = range(3)
SMALLEST_PART, SMALLEST_ADAPTED = 1.0 / 256.0, 1e-7  # of a step


@compiled(called=True)
def implicit_step(problem, scheme, inputs, t, step, tolerance, q, v, work, scratch):
    """Advance (q, v) from t by ``step``, in place; returns the number of Newton corrections, or -1."""
    if scratch.history.started == 0:
        read_laws(problem, t, inputs)
        start(problem, scheme, inputs, q, v, work, scratch)
    done = 0.0
    used = 0
    while done < step * (1.0 - 1e-9):
        part = next_part(step, done, scratch)
        code = -1
        attempt = 0
        while code < 0 and attempt < ATTEMPTS:
            if attempt == 1:
                read_laws(problem, t + done, inputs)
                start_anew(problem, scheme, inputs, q, v, work, scratch)
            begin_step(problem, scheme, part, attempt, v, scratch)
            code = 0
            while code == 0:
                evaluate_stages(problem, scheme, inputs, t + done, part, q, work, scratch)
                code = correct(problem, scheme, part, tolerance, v, scratch)
                used += 1
            attempt += 1
        verdict = judged(problem, scheme, step, part, code, v, scratch)
        if verdict == GIVEN_UP:
            return -1
        if verdict == AGAIN:
            continue
        if problem.laws.start.shape[0] > 1:
            read_laws(problem, t + done + part, inputs)
        finish_step(problem, scheme, inputs, part, q, v, work, scratch)
        done += part
    return used


@compiled
def judged(problem, scheme, step, part, code, v, scratch):
    """What becomes of a part of a step that Newton's method left with ``code``; the share is set for the next."""
    if code < 0:
        scratch.parts.share *= 0.5
    if scratch.parts.share < (SMALLEST_PART if scratch.parts.error == 0.0 else SMALLEST_ADAPTED):
        return GIVEN_UP
    if code < 0 or not is_accepted(problem, scheme, step, part, v, scratch):
        return AGAIN
    return ACCEPTED


@compiled
def next_part(step, done, scratch):
    """The next part of a step: what is left after ``done`` in equal parts, none longer than the share."""
    left = step - done
    return left / np.ceil(left / (scratch.parts.share * step) - 1e-6)


@compiled
def implicit_run(
    problem, scheme, inputs, origin, step, first, count, every, tolerance, q, v, work, scratch, times, out_q, out_v,
    out_multipliers, iterations,
):  # fmt: skip
    """``count`` steps from number ``first``; returns (recorded rows, number of the step that did not converge or -1).

    ``out_multipliers`` (N, m): multipliers of all rows, those of the last stage of a step.
    """
    row = 0
    used = 0
    for n in range(first, first + count):
        rounds = implicit_step(problem, scheme, inputs, origin + n * step, step, tolerance, q, v, work, scratch)
        if rounds < 0:
            return row, n
        used += rounds
        if (n + 1) % every == 0:
            record(row, origin + (n + 1) * step, q, v, times, out_q, out_v)
            iterations[row] = used
            for m in range(out_multipliers.shape[1]):
                out_multipliers[row, m] = scratch.stages.multipliers[scheme.times.shape[0], m]
            row += 1
            used = 0
    return row, -1
