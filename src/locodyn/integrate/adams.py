"""Predictor and corrector of Adams on the configuration group, at fixed step: order 5, two evaluations a step.

About the present configuration q_n the equation reads, with q = q_n (+) u, on a vector space: udot = T(u)^-1 v, vdot =
a(t, q, v). There Adams and Bashforth predict and Adams and Moulton correct (PECE; Hairer, Norsett, Wanner, III.1), with f the
rates of (u, v) at t_n, t_n-1, ...:

    x*    = x + h/24  (55 f_0 - 59 f_-1 + 37 f_-2 - 9 f_-3)
    x_n+1 = x + h/720 (251 f* + 646 f_0 - 264 f_-1 + 106 f_-2 - 19 f_-3).

The rates of earlier instants are carried to the chart of today: u_-k = log(q_n^-1 q_n-k), rate T(u_-k)^-1 v_n-k. So a motion
with constant body velocities (a screw) is exact, and no quaternion leaves the unit sphere. Three steps of Runge-Kutta start it,
and start it again where a law has a kink and where contacts on rods come or go.

Where the rows give all velocities, wherever the robot is (left-invariance), one evaluation a step is enough: the velocity at the
predicted state is that at the end of the step, and no acceleration is asked for.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate import rkmk4
from locodyn.integrate.record import record
from locodyn.integrate.rkmk4 import STAGES, rkmk4_parts, rkmk4_stage
from locodyn.kernel import compiled, lit
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.lanes import lane_blocks
from locodyn.locomotion.constrained import determines, is_struck, next_change, within_step
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.rhs import accelerations, impose, read_laws, settle
from locodyn.shape.configuration import configuration_difference, moved_configuration, step_rate

POINTS = 4  # instants that the formulas look at
# Stages of a step: those of Runge-Kutta come first. Times in parts of a step.
CORRECT, REMEMBER, RESTART, DONE = 4, 5, 6, -1
TIMES = (*rkmk4.TIMES, 1.0, 1.0, 0.0)


class Scratch(Bundle):
    """The predicted state as a stage of the Runge-Kutta method that starts the formulas; earlier rates in the chart of today."""

    stage: rkmk4.Scratch
    before: np.ndarray  # (POINTS - 1, nv)


def new_scratch(nq: int, nv: int, states: int) -> Scratch:
    """Scratch of one robot whose laws have so many states."""
    return Scratch(stage=rkmk4.new_scratch(nq, nv, states), before=np.zeros((POINTS - 1, nv)))


def new_lane_scratch(nq: int, nv: int) -> Scratch:
    """Scratch of one block of robots, which compiled code sees through :func:`~locodyn.kernel.lanes.as_lanes`."""
    return Scratch(stage=rkmk4.new_lane_scratch(nq, nv), before=lane_blocks(1, POINTS - 1, nv)[0])


class History(Bundle):
    """The last states with their accelerations, the present one first."""

    q: np.ndarray  # (POINTS, nq)
    v: np.ndarray  # (POINTS, nv)
    a: np.ndarray  # (POINTS, nv)
    memory_rate: np.ndarray  # (POINTS, nz) rates of the states of laws
    known: int = 0  # instants, 0 to POINTS
    evaluations: int = 0  # of the dynamics, so far


def new_history(nq: int, nv: int, states: int) -> History:
    """An empty history."""
    return History(
        q=np.zeros((POINTS, nq)), v=np.zeros((POINTS, nv)), a=np.zeros((POINTS, nv)), memory_rate=np.zeros((POINTS, states)),
    )  # fmt: skip


def new_lane_history(nq: int, nv: int) -> History:
    """An empty history of one block of robots, whose laws have no states."""
    blocks = {"q": nq, "v": nv, "a": nv, "memory_rate": 0}
    return History(**{name: lane_blocks(1, POINTS, size)[0] for name, size in blocks.items()})


@compiled(called=True, lanes=True)
def remember(problem, inputs, q, v, work, past):
    """Put the state (q, v) in front of the history, with its acceleration under ``inputs``."""
    for row in range(POINTS - 1, 0, -1):
        for i in range(q.shape[0]):
            past.q[row, i] = past.q[row - 1, i]
        for i in range(v.shape[0]):
            past.v[row, i] = past.v[row - 1, i]
            past.a[row, i] = past.a[row - 1, i]
        for c in range(past.memory_rate.shape[1]):
            past.memory_rate[row, c] = past.memory_rate[row - 1, c]
    begin_memory(work.memory)
    if past.known > 0 and is_known(problem, past):
        for i in range(v.shape[0]):
            past.a[0, i] = 0.0
    else:
        accelerations(problem, inputs, q, v, work, past.a[0])
        past.evaluations += 1
    for i in range(q.shape[0]):
        past.q[0, i] = q[i]
    for i in range(v.shape[0]):
        past.v[0, i] = v[i]
    for c in range(past.memory_rate.shape[1]):
        past.memory_rate[0, c] = work.memory.rate[c]
    if past.known < POINTS:
        past.known += 1


@compiled(inline=True, lanes=True)
def is_known(problem, past):
    """Whether the rows gave all velocities at the state looked at last, wherever the robot is, and no law has a state."""
    return determines(problem.rows) != 0 and past.memory_rate.shape[1] == 0


@compiled(lanes=True)
def predict(problem, q, v, memory, past, scratch, step):
    """Adams-Bashforth: the predicted state goes to ``scratch.stage`` and ``memory.value``."""
    stage = scratch.stage
    for k in range(1, POINTS):
        configuration_difference(problem.frames, q, past.q[k], stage.u)
        step_rate(problem.frames, stage.u, past.v[k], scratch.before[k - 1])
    share = step / lit(step, 24.0)
    c0 = lit(step, 55.0) * share
    c1 = lit(step, -59.0) * share
    c2 = lit(step, 37.0) * share
    c3 = lit(step, -9.0) * share
    for i in range(v.shape[0]):
        stage.u[i] = c0 * v[i] + c1 * scratch.before[0, i] + c2 * scratch.before[1, i] + c3 * scratch.before[2, i]
        stage.v[i] = v[i] + (c0 * past.a[0, i] + c1 * past.a[1, i] + c2 * past.a[2, i] + c3 * past.a[3, i])
    rate = past.memory_rate
    for c in range(rate.shape[1]):
        memory.value[c] = memory.state[c] + (c0 * rate[0, c] + c1 * rate[1, c] + c2 * rate[2, c] + c3 * rate[3, c])
    moved_configuration(problem.frames, q, stage.u, stage.q)


@compiled(called=True, lanes=True)
def correct(problem, inputs, q, v, work, past, scratch, step):
    """Adams-Moulton, after :func:`predict`: (q, v) go to the end of the step. ``inputs`` are those there."""
    stage = scratch.stage
    within_step(problem.rows, 1, inputs.rows)
    accelerations(problem, inputs, stage.q, stage.v, work, stage.acceleration)
    known = is_known(problem, past)
    within_step(problem.rows, 0, inputs.rows)
    past.evaluations += 1
    step_rate(problem.frames, stage.u, stage.v, stage.rate)
    share = step / lit(step, 720.0)
    c = lit(step, 251.0) * share
    c0 = lit(step, 646.0) * share
    c1 = lit(step, -264.0) * share
    c2 = lit(step, 106.0) * share
    c3 = lit(step, -19.0) * share
    for i in range(v.shape[0]):
        earlier = c1 * scratch.before[0, i] + c2 * scratch.before[1, i] + c3 * scratch.before[2, i]
        stage.u[i] = c * stage.rate[i] + c0 * v[i] + earlier
        earlier = c0 * past.a[0, i] + c1 * past.a[1, i] + c2 * past.a[2, i] + c3 * past.a[3, i]
        v[i] = v[i] + (c * stage.acceleration[i] + earlier)
    memory, rate = work.memory, past.memory_rate
    for i in range(rate.shape[1]):
        earlier = c0 * rate[0, i] + c1 * rate[1, i] + c2 * rate[2, i] + c3 * rate[3, i]
        memory.state[i] = memory.state[i] + (c * memory.rate[i] + earlier)
    begin_memory(memory)
    moved_configuration(problem.frames, q, stage.u, q)
    if known:
        for i in range(v.shape[0]):
            v[i] = stage.v[i]
    if known and not is_struck(problem.rows):
        impose(problem, inputs, q, v, stage.acceleration)
    else:
        settle(problem.rows, problem, inputs, q, v, work, stage.acceleration)


@compiled(lanes=True)
def first_stage(problem, q, v, memory, past, scratch, step):
    """The stage that a step begins with: RESTART, 0 of Runge-Kutta, or CORRECT, whose state is predicted here."""
    if past.known == POINTS:
        predict(problem, q, v, memory, past, scratch, step)
        return CORRECT
    return 0 if past.known > 0 else RESTART


@compiled(inline=True, lanes=True)
def adams_stage(k, problem, inputs, step, q, v, work, past, scratch):
    """Stage k of a step of (q, v), under the inputs at its time; returns the number of the next one, or DONE."""
    if k == RESTART:
        remember(problem, inputs, q, v, work, past)
        return 0
    if k == REMEMBER:
        remember(problem, inputs, q, v, work, past)
        return DONE
    if k == CORRECT:
        correct(problem, inputs, q, v, work, past, scratch, step)
        return REMEMBER
    rkmk4_stage(k, problem, inputs, step, q, v, work, scratch.stage)
    past.evaluations += 1
    return k + 1 if k + 1 < STAGES else REMEMBER


@compiled(called=True)
def adams_step(problem, inputs, t, step, q, v, work, past, scratch):
    """Advance (q, v) from t by ``step``, in place. Laws are data; Runge-Kutta while fewer than POINTS instants are known."""
    known = -1.0
    k = first_stage(problem, q, v, work.memory, past, scratch, step)
    while k != DONE:
        if TIMES[k] != known:
            known = TIMES[k]
            read_laws(problem, t + known * step, inputs)
        k = adams_stage(k, problem, inputs, step, q, v, work, past, scratch)


@compiled
def meets_change(rows, t, step):
    """Whether contacts come or go at t (s) or in the step from there: Runge-Kutta then goes on, and the history is dropped."""
    end = t + step
    return next_change(rows, t - 0.5 * step, end) < end


@compiled
def adams_run(
    problem, inputs, start, step, first, count, every, q, v, work, past, scratch, restarts, times, out_q, out_v, out_memory
):
    """``count`` steps from number ``first``, recording every ``every``-th state; the history is dropped before ``restarts``."""
    row = 0
    k = 0
    for n in range(first, first + count):
        while k < restarts.shape[0] and restarts[k] < n:
            k += 1
        if k < restarts.shape[0] and restarts[k] == n:
            past.known = 0
        if meets_change(problem.rows, start + n * step, step):
            past.known = 0
            past.evaluations += STAGES
            rkmk4_parts(problem, inputs, start + n * step, step, q, v, work, scratch.stage)
        else:
            adams_step(problem, inputs, start + n * step, step, q, v, work, past, scratch)
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, work.memory.state, times, out_q, out_v, out_memory)
            row += 1
    return row
