"""Runge-Kutta of order 4 on the configuration group (Munthe-Kaas 1999), at fixed step.

With q = q_n (+) u the equation reads udot = T(u)^-1 v, vdot = a(t, q, v) on a vector space, and the classical scheme applies
to (u, v).
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.record import record
from locodyn.kernel import kernel, lit, routine
from locodyn.locomotion.arrays import ProblemArrays, WorkArrays
from locodyn.locomotion.rhs import accelerations, read_laws, settle
from locodyn.shape.configuration import moved_configuration, step_rate

# Rows of the scratch array of the workspace.
U, V, SUM_U, SUM_V, RATE, ACCELERATION = range(6)


STAGES = ((0.5, 2.0), (0.5, 2.0), (1.0, 1.0))  # after the first: part of the step, weight


@routine
def begin(p, inputs, q, v, w, step):
    """First stage at (t, q, v). ``inputs`` are those at t; imposed coordinates of q and v are put in place."""
    stage = w.stage
    accelerations(p, inputs, q, v, w, stage[ACCELERATION])
    for i in range(v.shape[0]):
        stage[SUM_U, i] = v[i]
        stage[SUM_V, i] = stage[ACCELERATION, i]
        stage[RATE, i] = v[i]


@routine
def go_on(p, inputs, q, v, w, step, fraction, weight):
    """A further stage at t + fraction * step, reached along the rates of the stage before, with its weight in the sum."""
    stage = w.stage
    advance = step * fraction
    for i in range(v.shape[0]):
        stage[U, i] = advance * stage[RATE, i]
        stage[V, i] = v[i] + advance * stage[ACCELERATION, i]
    moved_configuration(p.frames, q, stage[U], w.position[0])
    accelerations(p, inputs, w.position[0], stage[V], w, stage[ACCELERATION])
    step_rate(p.frames, stage[U], stage[V], stage[RATE])
    for i in range(v.shape[0]):
        stage[SUM_U, i] = stage[SUM_U, i] + weight * stage[RATE, i]
        stage[SUM_V, i] = stage[SUM_V, i] + weight * stage[ACCELERATION, i]


def stage_state(
    p: ProblemArrays, q: np.ndarray, v: np.ndarray, w: WorkArrays, step: float, fraction: float
) -> tuple[np.ndarray, np.ndarray]:
    """The state at which :func:`go_on` will ask for accelerations; a controller in Python sees it beforehand."""
    position = np.empty_like(q)
    moved_configuration(p.frames, q, step * fraction * w.stage[RATE], position)
    return position, v + step * fraction * w.stage[ACCELERATION]


@routine
def finish(p, inputs, q, v, w, step):
    """q = q (+) step/6 sum of rates, v likewise; imposed coordinates go where ``inputs``, those at the end, put them."""
    share = lit(step, 1.0) / lit(step, 6.0) * step
    stage = w.stage
    for i in range(v.shape[0]):
        stage[U, i] = share * stage[SUM_U, i]
        v[i] = v[i] + share * stage[SUM_V, i]
    moved_configuration(p.frames, q, stage[U], q)
    settle(p.constraints, p, inputs, q, v, w, stage[ACCELERATION])


@routine
def rkmk4_step(p, inputs, t, step, q, v, w):
    """Advance (q, v) from t by ``step``, in place. Laws are data; ``q``, ``v`` may hold lanes."""
    half = lit(step, 0.5)
    one = lit(step, 1.0)
    two = lit(step, 2.0)
    read_laws(p, t, inputs)
    begin(p, inputs, q, v, w, step)
    read_laws(p, t + half * step, inputs)
    go_on(p, inputs, q, v, w, step, half, two)
    go_on(p, inputs, q, v, w, step, half, two)
    read_laws(p, t + step, inputs)
    go_on(p, inputs, q, v, w, step, one, one)
    finish(p, inputs, q, v, w, step)


@kernel
def rkmk4_run(p, inputs, start, step, first, count, every, q, v, w, times, out_q, out_v):
    """``count`` steps from number ``first``, recording every ``every``-th state into the rows of ``out_q``, ``out_v``."""
    row = 0
    for n in range(first, first + count):
        rkmk4_step(p, inputs, start + n * step, step, q, v, w)
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, times, out_q, out_v)
            row += 1
    return row
