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
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.rhs import accelerations, read_laws, settle
from locodyn.shape.configuration import moved_configuration, step_rate

TIMES = (0.0, 0.5, 0.5, 1.0)  # of the stages, in parts of a step
WEIGHTS = (1.0, 2.0, 2.0, 1.0)  # over 6
STAGES = 4


class Scratch(Bundle):
    """A stage, and sums over the stages of a step."""

    q: np.ndarray  # (nq,) where the stage is
    v: np.ndarray  # (nv,)
    u: np.ndarray  # (nv,) the way there
    rate: np.ndarray  # (nv,) of u
    acceleration: np.ndarray  # (nv,)
    sum_u: np.ndarray  # (nv,) weighted rates
    sum_v: np.ndarray  # (nv,) weighted accelerations
    sum_memory: np.ndarray  # (nz,) weighted rates of the states of laws


_ALONG = ("v", "u", "rate", "acceleration", "sum_u", "sum_v")


def new_scratch(nq: int, nv: int, states: int = 0) -> Scratch:
    """Scratch of one robot whose laws have so many states."""
    return Scratch(q=np.zeros(nq), sum_memory=np.zeros(states), **{name: np.zeros(nv) for name in _ALONG})


def new_lane_scratch(nq: int, nv: int) -> Scratch:
    """Scratch of one block of robots, which compiled code sees through :func:`~locodyn.kernel.lanes.as_lanes`."""
    return Scratch(q=lane_blocks(1, nq)[0], sum_memory=lane_blocks(1, 0)[0], **{name: lane_blocks(1, nv)[0] for name in _ALONG})


@portable(inline=True)
def reach(frames, q, v, memory, s, advance):
    """The state of the next stage, ``advance`` (s) ahead along the rates of this one."""
    for c in range(memory.value.shape[0]):
        memory.value[c] = memory.state[c] + advance * memory.rate[c]
    for i in range(v.shape[0]):
        s.u[i] = advance * s.rate[i]
        s.v[i] = v[i] + advance * s.acceleration[i]
    moved_configuration(frames, q, s.u, s.q)


@portable(called=True)
def first_stage(p, inputs, q, v, w, s, step):
    """Rates at (q, v). ``inputs`` are those there; imposed coordinates of q and v are put in place."""
    begin_memory(w.memory)
    accelerations(p, inputs, q, v, w, s.acceleration)
    for c in range(s.sum_memory.shape[0]):
        s.sum_memory[c] = w.memory.rate[c]
    for i in range(v.shape[0]):
        s.sum_u[i] = v[i]
        s.sum_v[i] = s.acceleration[i]
        s.rate[i] = v[i]
    reach(p.frames, q, v, w.memory, s, TIMES[1] * step)


@portable(called=True)
def next_stage(k, p, inputs, q, v, w, s, step):
    """Rates of stage k at the state that was reached, under the ``inputs`` at its time, with their weight in the sums."""
    accelerations(p, inputs, s.q, s.v, w, s.acceleration)
    step_rate(p.frames, s.u, s.v, s.rate)
    for c in range(s.sum_memory.shape[0]):
        s.sum_memory[c] = s.sum_memory[c] + WEIGHTS[k] * w.memory.rate[c]
    for i in range(v.shape[0]):
        s.sum_u[i] = s.sum_u[i] + WEIGHTS[k] * s.rate[i]
        s.sum_v[i] = s.sum_v[i] + WEIGHTS[k] * s.acceleration[i]
    if k < STAGES - 1:
        reach(p.frames, q, v, w.memory, s, TIMES[k + 1] * step)


@portable(called=True)
def finish(p, inputs, q, v, w, s, step):
    """q = q (+) step/6 sum of rates, v likewise; imposed coordinates go where ``inputs``, those at the end, put them."""
    share = lit(step, 1.0) / lit(step, 6.0) * step
    for c in range(s.sum_memory.shape[0]):
        w.memory.state[c] = w.memory.state[c] + share * s.sum_memory[c]
    begin_memory(w.memory)
    for i in range(v.shape[0]):
        s.u[i] = share * s.sum_u[i]
        v[i] = v[i] + share * s.sum_v[i]
    moved_configuration(p.frames, q, s.u, q)
    settle(p.constraints, p, inputs, q, v, w, s.acceleration)


@portable(inline=True)
def rkmk4_stage(k, p, inputs, step, q, v, w, s):
    """Stage k of a step of (q, v), under the inputs at TIMES[k]; the next one asks at the state that is left in ``s``."""
    if k == 0:
        first_stage(p, inputs, q, v, w, s, step)
    else:
        next_stage(k, p, inputs, q, v, w, s, step)
    if k == STAGES - 1:
        finish(p, inputs, q, v, w, s, step)


@portable(called=True)
def rkmk4_step(p, inputs, t, step, q, v, w, s):
    """Advance (q, v) from t by ``step``, in place. Laws are data; ``q``, ``v`` may hold lanes."""
    for k in range(STAGES):
        if k == 0 or TIMES[k] != TIMES[k - 1]:
            read_laws(p, t + TIMES[k] * step, inputs)
        rkmk4_stage(k, p, inputs, step, q, v, w, s)


@compiled
def rkmk4_run(p, inputs, start, step, first, count, every, q, v, w, s, times, out_q, out_v, out_memory):
    """``count`` steps from number ``first``, recording every ``every``-th state into the rows of ``out_...``."""
    row = 0
    for n in range(first, first + count):
        rkmk4_step(p, inputs, start + n * step, step, q, v, w, s)
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, w.memory, times, out_q, out_v, out_memory)
            row += 1
    return row
