"""Implicit runs: steps that are tried again from another guess, then in parts, until Newton's method converges.

A step that was divided leaves its parts to the next one; they grow again where few corrections are enough
(:mod:`locodyn.integrate.implicit.error`, also for parts that are adapted to an error).

The mathematics of a step is in :mod:`locodyn.integrate.implicit.step`. Its control flow is here, once: a step is a sequence of
stages, each under inputs at its own time (:func:`stage_time`), and :func:`implicit_stage` says which one follows. Compiled code
reads laws between them; where functions of the user have their say, Python asks those (``integrate/steppers/implicit.py``).
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.implicit.error import is_accepted
from locodyn.integrate.implicit.lanes import evaluate_in_lanes
from locodyn.integrate.implicit.newton import correct
from locodyn.integrate.implicit.step import begin_step, evaluate_stage, finish_step, renew_matrix, start, start_anew
from locodyn.integrate.implicit.trail import is_long, note_part
from locodyn.integrate.record import record
from locodyn.kernel import compiled
from locodyn.locomotion.constrained import hold_rows, next_change
from locodyn.locomotion.residual import acts_outside
from locodyn.locomotion.rhs import read_laws
from locodyn.record import codes

# Stages of a step: accelerations at the start, and again for a second guess; a stage of the scheme; the end of a part.
STAGE = codes("start", "anew", "evaluate", "finish")
DONE, FAILED = -1, -2
ATTEMPTS = 3
VERDICT = codes("accepted", "again", "given_up")  # on a part of a step
SMALLEST_PART, SMALLEST_ADAPTED = 1.0 / 256.0, 1e-7  # of a step


@compiled
def first_stage(problem, scheme, t, step, v, work, scratch):
    """The stage that a step from t on begins with."""
    scratch.parts.start = t
    scratch.parts.done = 0.0
    scratch.parts.used = 0
    return STAGE.start if scratch.history.started == 0 else begin_part(problem, scheme, step, v, work, scratch)


@compiled
def stage_time(k, scheme, t, parts):
    """When the inputs of stage k of a step from t on are asked for, s."""
    if k == STAGE.evaluate:
        return t + parts.done + scheme.times[parts.stage] * parts.part
    return t + parts.done + parts.part if k == STAGE.finish else t + parts.done


@compiled(inline=True)
def implicit_stage(k, problem, scheme, inputs, step, tolerance, q, v, work, scratch):
    """Stage k of a step of (q, v), under the inputs at its time; returns the number of the next one, DONE or FAILED."""
    parts = scratch.parts
    if k == STAGE.start:
        start(problem, scheme, inputs, q, v, work, scratch)
        return begin_part(problem, scheme, step, v, work, scratch)
    if k == STAGE.anew:
        start_anew(problem, scheme, inputs, q, v, work, scratch)
        return begin_attempt(problem, scheme, v, work, scratch)
    if k == STAGE.evaluate:
        evaluate_stage(problem, scheme, inputs, parts.part, parts.stage, q, work, scratch)
        parts.stage += 1
        if parts.stage < scheme.times.shape[0]:
            return STAGE.evaluate
        return after_stages(problem, scheme, step, tolerance, v, work, scratch)
    finish_step(problem, scheme, inputs, parts.part, q, v, work, scratch)
    parts.done += parts.part
    if parts.done >= step * (1.0 - 1e-9):
        return DONE
    note_part(scratch.trail, parts.start + parts.done, q, v, work.memory.state)
    return begin_part(problem, scheme, step, v, work, scratch) if scratch.history.started != 0 else STAGE.start


@compiled(called=True)
def begin_part(problem, scheme, step, v, work, scratch):
    """What is left of a step in equal parts, none longer than the share: the first attempt at the next one."""
    parts = scratch.parts
    left = step - parts.done
    change = next_change(problem.rows, parts.start + parts.done, parts.start + step)
    if change < parts.start + step:
        left = change - parts.start - parts.done
    parts.part = left / np.ceil(left / (parts.share * step) - 1e-6)
    parts.attempt = 0
    return begin_attempt(problem, scheme, v, work, scratch)


@compiled(called=True)
def begin_attempt(problem, scheme, v, work, scratch):
    """Newton's method from the first guess, or from another one."""
    hold_rows(problem.rows, 1)
    begin_step(problem, scheme, scratch.parts.part, scratch.parts.attempt, v, work.memory, scratch)
    scratch.parts.stage = 0
    return STAGE.evaluate


@compiled(called=True)
def after_stages(problem, scheme, step, tolerance, v, work, scratch):
    """One correction of Newton's method from the residuals of all stages, and what follows."""
    parts = scratch.parts
    code = correct(problem, scheme, parts.part, tolerance, v, scratch)
    parts.used += 1
    parts.stage = 0
    if code == 0:
        return STAGE.evaluate
    if code < 0 and parts.attempt < ATTEMPTS - 1:
        parts.attempt += 1
        return STAGE.anew if parts.attempt == 1 else begin_attempt(problem, scheme, v, work, scratch)
    verdict = judged(problem, scheme, step, parts.part, code, v, scratch)
    if verdict == VERDICT.given_up:
        hold_rows(problem.rows, 0)
        return FAILED
    return STAGE.finish if verdict == VERDICT.accepted else begin_part(problem, scheme, step, v, work, scratch)


@compiled
def judged(problem, scheme, step, part, code, v, scratch):
    """What becomes of a part of a step that Newton's method left with ``code``; the share is set for the next."""
    if code < 0:
        scratch.parts.share *= 0.5
    if scratch.parts.share < (SMALLEST_PART if scratch.parts.error == 0.0 else SMALLEST_ADAPTED):
        return VERDICT.given_up
    if code < 0 or not is_accepted(problem, scheme, step, part, v, scratch):
        return VERDICT.again
    return VERDICT.accepted


@compiled(called=True)
def implicit_step(problem, scheme, inputs, t, step, tolerance, q, v, work, scratch):
    """Advance (q, v) from t by ``step``, in place; returns the number of Newton corrections, or -1. Laws are data.

    Where nothing but weight and the forces of joints and rods acts, the stages of the scheme are evaluated all at once
    (:mod:`locodyn.integrate.implicit.lanes`).
    """
    parts = scratch.parts
    at_once = scratch.lanes.q.shape[0] > 0 and scheme.conserves == 0 and not acts_outside(problem, inputs)
    k = first_stage(problem, scheme, t, step, v, work, scratch)
    while k >= 0:
        if k == STAGE.evaluate and at_once:
            evaluate_in_lanes(problem, scheme, inputs, t + parts.done, parts.part, q, scratch.stages, scratch.lanes)
            renew_matrix(problem, scheme, inputs, parts.part, q, work, scratch)
            k = after_stages(problem, scheme, step, tolerance, v, work, scratch)
            continue
        if k != STAGE.finish or problem.laws.start.shape[0] > 1:
            read_laws(problem, stage_time(k, scheme, t, parts), inputs)
        k = implicit_stage(k, problem, scheme, inputs, step, tolerance, q, v, work, scratch)
    return parts.used if k == DONE else -1


@compiled
def implicit_run(
    problem, scheme, inputs, origin, step, first, count, every, tolerance, q, v, work, scratch, times, out_q, out_v,
    out_multipliers, iterations, out_memory,
):  # fmt: skip
    """``count`` steps from number ``first``, fewer where the trail of their parts is long or a step does not converge.

    Returns (recorded rows, number of the next step, whether it did not converge). ``out_multipliers`` (N, m): multipliers of all
    rows, those of the last stage of a step.
    """
    row = 0
    used = 0
    for n in range(first, first + count):
        rounds = implicit_step(problem, scheme, inputs, origin + n * step, step, tolerance, q, v, work, scratch)
        if rounds < 0:
            return row, n, True
        used += rounds
        if (n + 1) % every == 0:
            record(row, origin + (n + 1) * step, q, v, work.memory.state, times, out_q, out_v, out_memory)
            iterations[row] = used
            for m in range(out_multipliers.shape[1]):
                out_multipliers[row, m] = scratch.stages.multipliers[scheme.times.shape[0], m]
            row += 1
            used = 0
            if is_long(scratch.trail):
                return row, n + 1, False
    return row, first + count, False
