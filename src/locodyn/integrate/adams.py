"""Predictor and corrector of Adams on the configuration group, at fixed step: order 5, two evaluations a step.

About the present configuration q_n the equation reads, with q = q_n (+) u, on a vector space: udot = T(u)^-1 v, vdot =
a(t, q, v). There Adams and Bashforth predict and Adams and Moulton correct (PECE; Hairer, Norsett, Wanner, III.1), with f the
rates of (u, v) at t_n, t_n-1, ...:

    x*    = x + h/24  (55 f_0 - 59 f_-1 + 37 f_-2 - 9 f_-3)
    x_n+1 = x + h/720 (251 f* + 646 f_0 - 264 f_-1 + 106 f_-2 - 19 f_-3).

The rates of earlier instants are carried to the chart of today: u_-k = log(q_n^-1 q_n-k), rate T(u_-k)^-1 v_n-k. So a motion
with constant body velocities (a screw) is exact, and no quaternion leaves the unit sphere. Three steps of Runge-Kutta start it,
and start it again where a law has a kink.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.integrate.record import record
from locodyn.integrate.rkmk4 import rkmk4_step
from locodyn.kernel import kernel, lit, routine
from locodyn.locomotion.rhs import accelerations, read_laws, settle
from locodyn.shape.configuration import configuration_difference, moved_configuration, step_rate

POINTS = 4  # instants that the formulas look at

# Rows of the scratch array of the workspace: step, velocity, rates and acceleration of the prediction, then earlier rates.
U, V, RATE, ACCELERATION, BEFORE = range(5)

KNOWN, EVALUATIONS = range(2)


class History(NamedTuple):
    """The last states with their accelerations, the present one first."""

    q: Any  # (POINTS, nq)
    v: Any  # (POINTS, nv)
    a: Any  # (POINTS, nv)
    counts: Any  # (2,) int64: instants known (0 to POINTS), evaluations of the dynamics so far


def new_history(nq: int, nv: int, rows: np.ndarray | None = None) -> History:
    """An empty history, or one from ``rows`` (k, nq + 2 nv) as :func:`history_rows` gives them."""
    past = History(np.zeros((POINTS, nq)), np.zeros((POINTS, nv)), np.zeros((POINTS, nv)), np.zeros(2, dtype=np.int64))
    if rows is not None:
        count = len(rows)
        past.q[:count], past.v[:count], past.a[:count] = np.split(rows, (nq, nq + nv), axis=1)
        past.counts[KNOWN] = count
    return past


def history_rows(past: History) -> np.ndarray:
    """The known instants as rows (k, nq + 2 nv), to go on with later."""
    return np.hstack([past.q, past.v, past.a])[: past.counts[KNOWN]]


@routine
def remember(p, inputs, q, v, w, past):
    """Put the state (q, v) in front of the history, with its acceleration under ``inputs``."""
    for row in range(POINTS - 1, 0, -1):
        for i in range(q.shape[0]):
            past.q[row, i] = past.q[row - 1, i]
        for i in range(v.shape[0]):
            past.v[row, i] = past.v[row - 1, i]
            past.a[row, i] = past.a[row - 1, i]
    accelerations(p, inputs, q, v, w, past.a[0])
    for i in range(q.shape[0]):
        past.q[0, i] = q[i]
    for i in range(v.shape[0]):
        past.v[0, i] = v[i]
    if past.counts[KNOWN] < POINTS:
        past.counts[KNOWN] += 1
    past.counts[EVALUATIONS] += 1


@kernel
def predict(p, q, v, w, past, step):
    """Adams-Bashforth: the predicted state goes to ``w.position[0]`` and the row V of the scratch."""
    stage = w.stage
    for k in range(1, POINTS):
        configuration_difference(p.frames, q, past.q[k], stage[U])
        step_rate(p.frames, stage[U], past.v[k], stage[BEFORE + k - 1])
    share = step / lit(step, 24.0)
    c0 = lit(step, 55.0) * share
    c1 = lit(step, -59.0) * share
    c2 = lit(step, 37.0) * share
    c3 = lit(step, -9.0) * share
    for i in range(v.shape[0]):
        stage[U, i] = c0 * v[i] + c1 * stage[BEFORE, i] + c2 * stage[BEFORE + 1, i] + c3 * stage[BEFORE + 2, i]
        stage[V, i] = v[i] + (c0 * past.a[0, i] + c1 * past.a[1, i] + c2 * past.a[2, i] + c3 * past.a[3, i])
    moved_configuration(p.frames, q, stage[U], w.position[0])


@routine
def correct(p, inputs, q, v, w, past, step):
    """Adams-Moulton, after :func:`predict`: (q, v) go to the end of the step. ``inputs`` are those there."""
    stage = w.stage
    accelerations(p, inputs, w.position[0], stage[V], w, stage[ACCELERATION])
    past.counts[EVALUATIONS] += 1
    step_rate(p.frames, stage[U], stage[V], stage[RATE])
    share = step / lit(step, 720.0)
    c = lit(step, 251.0) * share
    c0 = lit(step, 646.0) * share
    c1 = lit(step, -264.0) * share
    c2 = lit(step, 106.0) * share
    c3 = lit(step, -19.0) * share
    for i in range(v.shape[0]):
        earlier = c1 * stage[BEFORE, i] + c2 * stage[BEFORE + 1, i] + c3 * stage[BEFORE + 2, i]
        stage[U, i] = c * stage[RATE, i] + c0 * v[i] + earlier
        earlier = c0 * past.a[0, i] + c1 * past.a[1, i] + c2 * past.a[2, i] + c3 * past.a[3, i]
        v[i] = v[i] + (c * stage[ACCELERATION, i] + earlier)
    moved_configuration(p.frames, q, stage[U], q)
    settle(p.constraints, p, inputs, q, v, w, stage[ACCELERATION])


@routine
def adams_step(p, inputs, t, step, q, v, w, past):
    """Advance (q, v) from t by ``step``, in place; Runge-Kutta while fewer than POINTS instants are known."""
    if past.counts[KNOWN] == 0:
        read_laws(p, t, inputs)
        remember(p, inputs, q, v, w, past)
    if past.counts[KNOWN] < POINTS:
        rkmk4_step(p, inputs, t, step, q, v, w)
        past.counts[EVALUATIONS] += 4
    else:
        predict(p, q, v, w, past, step)
        read_laws(p, t + step, inputs)
        correct(p, inputs, q, v, w, past, step)
    remember(p, inputs, q, v, w, past)


@kernel
def adams_run(p, inputs, start, step, first, count, every, q, v, w, past, restarts, times, out_q, out_v):
    """``count`` steps from number ``first``, recording every ``every``-th state; the history is dropped before ``restarts``."""
    row = 0
    k = 0
    for n in range(first, first + count):
        while k < restarts.shape[0] and restarts[k] < n:
            k += 1
        if k < restarts.shape[0] and restarts[k] == n:
            past.counts[KNOWN] = 0
        adams_step(p, inputs, start + n * step, step, q, v, w, past)
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, times, out_q, out_v)
            row += 1
    return row
