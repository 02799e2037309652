"""Runge-Kutta of order 4 on the configuration group (Munthe-Kaas 1999), at fixed step.

With q = q_n (+) u the equation reads udot = T(u)^-1 v, vdot = a(t, q, v, z), zdot = f(t, q, v, z) on a vector space, and the
classical scheme applies to (u, v, z); z are the states of laws with memory.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.record import record
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.lanes import lane_blocks
from locodyn.locomotion.constrained import determines, is_struck, next_change, within_step
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.rhs import accelerations, impose, read_laws, settle
from locodyn.shape.configuration import moved_configuration, step_rate

TIMES = (0.0, 0.5, 0.5, 1.0)  # of the stages, in parts of a step
WEIGHTS = (1.0, 2.0, 2.0, 1.0)  # over 6
STAGES = 4


class Scratch(Bundle):
    """A stage, and sums over the stages of a step."""

    q: np.ndarray  # (nq,) where the stage is
    v: np.ndarray  # (nv,)
    middle: np.ndarray  # (nv,) velocity of the first stage in the middle
    u: np.ndarray  # (nv,) the way there
    rate: np.ndarray  # (nv,) of u
    acceleration: np.ndarray  # (nv,)
    sum_u: np.ndarray  # (nv,) weighted rates
    sum_v: np.ndarray  # (nv,) weighted accelerations
    sum_memory: np.ndarray  # (nz,) weighted rates of the states of laws


_ALONG = ("v", "middle", "u", "rate", "acceleration", "sum_u", "sum_v")


def new_scratch(nq: int, nv: int, states: int = 0) -> Scratch:
    """Scratch of one robot whose laws have so many states."""
    return Scratch(q=np.zeros(nq), sum_memory=np.zeros(states), **{name: np.zeros(nv) for name in _ALONG})


def new_lane_scratch(nq: int, nv: int) -> Scratch:
    """Scratch of one block of robots, which compiled code sees through :func:`~locodyn.kernel.lanes.as_lanes`."""
    return Scratch(q=lane_blocks(1, nq)[0], sum_memory=lane_blocks(1, 0)[0], **{name: lane_blocks(1, nv)[0] for name in _ALONG})


@portable(inline=True)
def reach(frames, q, v, memory, scratch, advance):
    """The state of the next stage, ``advance`` (s) ahead along the rates of this one."""
    for c in range(memory.value.shape[0]):
        memory.value[c] = memory.state[c] + advance * memory.rate[c]
    for i in range(v.shape[0]):
        scratch.u[i] = advance * scratch.rate[i]
        scratch.v[i] = v[i] + advance * scratch.acceleration[i]
    moved_configuration(frames, q, scratch.u, scratch.q)


@portable(called=True)
def first_stage(problem, inputs, q, v, work, scratch, step):
    """Rates at (q, v). ``inputs`` are those there; imposed coordinates of q and v are put in place."""
    begin_memory(work.memory)
    within_step(problem.rows, 1, inputs.rows)
    known = determines(problem.rows) != 0 and scratch.sum_memory.shape[0] == 0
    if known:  # the settled velocity is that of the rows
        for i in range(v.shape[0]):
            scratch.acceleration[i] = lit(step, 0.0)
    else:
        accelerations(problem, inputs, q, v, work, scratch.acceleration)
    for c in range(scratch.sum_memory.shape[0]):
        scratch.sum_memory[c] = work.memory.rate[c]
    for i in range(v.shape[0]):
        scratch.sum_u[i] = v[i]
        scratch.sum_v[i] = scratch.acceleration[i]
        scratch.rate[i] = v[i]
    reach(problem.frames, q, v, work.memory, scratch, TIMES[1] * step)


@portable(called=True)
def next_stage(k, problem, inputs, q, v, work, scratch, step):
    """Rates of stage k at the state that was reached, under the ``inputs`` at its time, with their weight in the sums."""
    known = k == 2 and determines(problem.rows) != 0 and scratch.sum_memory.shape[0] == 0
    if known:  # the velocity in the middle, wherever the robot is
        for i in range(v.shape[0]):
            scratch.v[i] = scratch.middle[i]
    else:
        accelerations(problem, inputs, scratch.q, scratch.v, work, scratch.acceleration)
    if k == 1:
        for i in range(v.shape[0]):
            scratch.middle[i] = scratch.v[i]
    step_rate(problem.frames, scratch.u, scratch.v, scratch.rate)
    for c in range(scratch.sum_memory.shape[0]):
        scratch.sum_memory[c] = scratch.sum_memory[c] + WEIGHTS[k] * work.memory.rate[c]
    for i in range(v.shape[0]):
        scratch.sum_u[i] = scratch.sum_u[i] + WEIGHTS[k] * scratch.rate[i]
        scratch.sum_v[i] = scratch.sum_v[i] + WEIGHTS[k] * scratch.acceleration[i]
    if k < STAGES - 1:
        reach(problem.frames, q, v, work.memory, scratch, TIMES[k + 1] * step)


@portable(called=True)
def finish(problem, inputs, q, v, work, scratch, step):
    """q = q (+) step/6 sum of rates, v likewise; imposed coordinates go where ``inputs``, those at the end, put them."""
    share = lit(step, 1.0) / lit(step, 6.0) * step
    for c in range(scratch.sum_memory.shape[0]):
        work.memory.state[c] = work.memory.state[c] + share * scratch.sum_memory[c]
    begin_memory(work.memory)
    for i in range(v.shape[0]):
        scratch.u[i] = share * scratch.sum_u[i]
        v[i] = v[i] + share * scratch.sum_v[i]
    moved_configuration(problem.frames, q, scratch.u, q)
    known = determines(problem.rows) != 0 and scratch.sum_memory.shape[0] == 0
    within_step(problem.rows, 0, inputs.rows)
    struck = is_struck(problem.rows)
    if known:
        for i in range(v.shape[0]):
            v[i] = scratch.v[i]  # of the last stage: the velocity of its time, wherever the robot is
        if not struck:
            impose(problem, inputs, q, v, scratch.acceleration)
            return
    settle(problem.rows, problem, inputs, q, v, work, scratch.acceleration)


@portable(inline=True)
def rkmk4_stage(k, problem, inputs, step, q, v, work, scratch):
    """Stage k of a step of (q, v), under the inputs at TIMES[k]; the next one asks at the state that is left in ``scratch``."""
    if k == 0:
        first_stage(problem, inputs, q, v, work, scratch, step)
    else:
        next_stage(k, problem, inputs, q, v, work, scratch, step)
    if k == STAGES - 1:
        finish(problem, inputs, q, v, work, scratch, step)


@portable(called=True)
def rkmk4_step(problem, inputs, t, step, q, v, work, scratch):
    """Advance (q, v) from t by ``step``, in place. Laws are data; ``q``, ``v`` may hold lanes."""
    for k in range(STAGES):
        if k == 0 or TIMES[k] != TIMES[k - 1]:
            read_laws(problem, t + TIMES[k] * step, inputs)
        rkmk4_stage(k, problem, inputs, step, q, v, work, scratch)


@compiled(called=True)
def rkmk4_parts(problem, inputs, t, step, q, v, work, scratch):
    """:func:`rkmk4_step` in parts that end where contacts come or go."""
    end = t + step
    change = next_change(problem.rows, t, end)
    while change < end:
        rkmk4_step(problem, inputs, t, change - t, q, v, work, scratch)
        t = change
        step = end - t
        change = next_change(problem.rows, t, end)
    rkmk4_step(problem, inputs, t, step, q, v, work, scratch)


@compiled
def rkmk4_run(problem, inputs, start, step, first, count, every, q, v, work, scratch, times, out_q, out_v, out_memory):
    """``count`` steps from number ``first``, recording every ``every``-th state into the rows of ``out_...``."""
    row = 0
    for n in range(first, first + count):
        rkmk4_parts(problem, inputs, start + n * step, step, q, v, work, scratch)
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, work.memory.state, times, out_q, out_v, out_memory)
            row += 1
    return row
