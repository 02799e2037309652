"""Whole runs in one compiled call, robot after robot: the start, the steps of ``rkmk4``, and a look back at the records.

What a run does in Python around its steps takes as long as some hundred steps of a small robot. Here many runs do the same
things, with the same kernels in the same order, and so get the same bits. A run that is not plain in any way (constraints that
contradict each other, a step that may be too long, a state that is not finite) is marked, and made again in full by whoever
asked: nothing is judged here that a single run judges otherwise.
"""

from __future__ import annotations

import numpy as np

from locodyn.integrate.linear_modes import MOVE
from locodyn.integrate.moreau import is_finite
from locodyn.integrate.rkmk4 import rkmk4_run
from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.swap import bring
from locodyn.locomotion.compatibility import LATER
from locodyn.locomotion.rhs import accelerations, read_laws, settle
from locodyn.locomotion.series import sample_with_residual
from locodyn.locomotion.settled_states import is_contradicted, settle_states
from locodyn.shape.configuration import moved_configuration

PLAIN, DOUBTFUL = 0, 1


class Runs(Bundle):
    """B runs with N records each: where they begin, what each brings along, what there is at their records."""

    words: np.ndarray  # (B, w) int64: numbers of laws, robot and world
    q: np.ndarray  # (B, nq) the start that is given; imposed coordinates go where their laws begin
    v: np.ndarray  # (B, nv)
    begun_q: np.ndarray  # (B, nq) the start on motions and rows
    begun_v: np.ndarray  # (B, nv)
    times: np.ndarray  # (B N,) s
    conditions: np.ndarray  # (B N,) how near the rows are to losing rank
    residual: np.ndarray  # (B N,) how well constraints hold
    doubt: np.ndarray  # (B,) int64: PLAIN or DOUBTFUL
    free: np.ndarray  # (n,) int64: coordinates that are not imposed
    fastest: float  # 1/s: rates up to here are beyond doubt
    records: int  # N


class RunScratch(Bundle):
    """Room for one state and what is computed at it."""

    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    other_q: np.ndarray  # (nq,)
    other_v: np.ndarray  # (nv,)
    change: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    above: np.ndarray  # (nv,) accelerations on one side of a difference
    sums: np.ndarray  # (nv,) of sizes of slopes


def new_run_scratch(nq: int, nv: int) -> RunScratch:
    """For a robot with nq positions and nv velocities."""
    names = {"q": nq, "v": nv, "other_q": nq, "other_v": nv, "change": nv, "a": nv, "above": nv, "sums": nv}
    return RunScratch(**{name: np.zeros(count) for name, count in names.items()})


@compiled
def settled(problem, inputs, t, q, v, work, a, state_q, state_v):
    """Copy (q, v) to (state_q, state_v) and put it on motions and rows at time t, as ``Problem.imposed_state`` does."""
    for i in range(q.shape[0]):
        state_q[i] = q[i]
    for i in range(v.shape[0]):
        state_v[i] = v[i]
        a[i] = 0.0
    read_laws(problem, t, inputs)
    settle(problem.rows, problem, inputs, state_q, state_v, work, a)


@compiled
def start(rows, problem, inputs, q, v, work, room, begun_q, begun_v):
    """The state at which a run from (q, v) begins, as of ``Problem.start_state``; whether nothing speaks against it."""
    if rows is None:
        settled(problem, inputs, 0.0, q, v, work, room.a, begun_q, begun_v)
        return PLAIN
    rows.settled_rank = 0
    rows.settled_holonomic_rank = 0
    settled(problem, inputs, 0.0, q, v, work, room.a, room.q, room.v)
    settled(problem, inputs, 0.0, q, v, work, room.a, room.q, room.v)
    doubt = is_contradicted(rows, room.v, work)
    for i in range(v.shape[0]):
        room.change[i] = LATER * room.v[i]
    moved_configuration(problem.frames, room.q, room.change, begun_q)
    settled(problem, inputs, LATER, begun_q, room.v, work, room.a, room.other_q, room.other_v)
    settled(problem, inputs, 0.0, room.q, room.v, work, room.a, begun_q, begun_v)
    return doubt


@compiled
def difference(problem, inputs, i, by, is_speed, q, work, room):
    """Leave a(+) - a(-) in ``room.a``: accelerations at rest in q beside which coordinate i is moved, or moves, by +-``by``."""
    for side in range(2):
        size = by if side == 0 else -by
        for j in range(room.v.shape[0]):
            room.change[j] = 0.0
            room.v[j] = 0.0
            room.a[j] = 0.0
        for j in range(q.shape[0]):
            room.q[j] = q[j]
        if is_speed != 0:
            room.v[i] = size
        else:
            room.change[i] = size
            moved_configuration(problem.frames, q, room.change, room.q)
        if problem.rows is not None:
            settle(problem.rows, problem, inputs, room.q, room.v, work, room.a)
        accelerations(problem, inputs, room.q, room.v, work, room.a)
        if side == 0:
            for j in range(room.a.shape[0]):
                room.above[j] = room.a[j]
    for j in range(room.a.shape[0]):
        room.a[j] = room.above[j] - room.a[j]


@compiled
def is_slow(problem, inputs, runs, speed, q, work, room):
    """PLAIN where no mode at rest in q has a rate above ``runs.fastest``.

    The matrix of :mod:`locodyn.integrate.linear_modes`, with displacements in units of 1 / ``fastest``, has no eigenvalue beyond
    its largest row sum (Gershgorin): ``fastest`` in the upper rows, and in the others what is summed up here.
    """
    read_laws(problem, 0.0, inputs)
    free = runs.free
    for j in range(room.sums.shape[0]):
        room.sums[j] = 0.0
    for k in range(free.shape[0]):
        difference(problem, inputs, free[k], MOVE, 0, q, work, room)
        for j in range(room.a.shape[0]):
            room.sums[j] += abs(room.a[j]) / (2.0 * MOVE * runs.fastest)
        difference(problem, inputs, free[k], speed, 1, q, work, room)
        for j in range(room.a.shape[0]):
            room.sums[j] += abs(room.a[j]) / (2.0 * speed)
    for k in range(free.shape[0]):
        if not room.sums[free[k]] <= runs.fastest:  # NaN is not
            return DOUBTFUL
    return PLAIN


@compiled
def look_back(rows, problem, inputs, bodies, runs, first, work, room, total, out):
    """Judge the records of a run, from row ``first`` on, and compute what there is at them."""
    last = first + runs.records
    if rows is not None:
        rows.speeds_only = 0
        stop = settle_states(
            problem, rows, inputs, 1, 1, runs.times[first:last], out.q[first:last], out.v[first:last], 0, work, room.a,
            room.q, room.v, runs.conditions[first:last],
        )  # fmt: skip
        if stop < runs.records:
            return DOUBTFUL
    for n in range(first, last):
        read_laws(problem, runs.times[n], inputs)
        sample_with_residual(problem, inputs, bodies, n, work, total, room.change, room.other_q, room.other_v, out, runs.residual)
    return PLAIN


@compiled
def whole_run(r, runs, problem, inputs, bodies, step, steps, every, speed, work, scratch, room, total, out):
    """Run number r, whose numbers are in place."""
    begun_q = runs.begun_q[r]
    begun_v = runs.begun_v[r]
    if start(problem.rows, problem, inputs, runs.q[r], runs.v[r], work, room, begun_q, begun_v) != PLAIN:
        return DOUBTFUL
    if is_slow(problem, inputs, runs, speed, begun_q, work, room) != PLAIN:
        return DOUBTFUL
    start(problem.rows, problem, inputs, runs.q[r], runs.v[r], work, room, begun_q, begun_v)
    first = r * runs.records
    last = first + runs.records
    runs.times[first] = 0.0
    for i in range(begun_q.shape[0]):
        out.q[first, i] = begun_q[i]
        room.q[i] = begun_q[i]
    for i in range(begun_v.shape[0]):
        out.v[first, i] = begun_v[i]
        room.v[i] = begun_v[i]
    rkmk4_run(
        problem, inputs, 0.0, step, 0, steps, every, room.q, room.v, work, scratch, runs.times[first + 1 : last],
        out.q[first + 1 : last], out.v[first + 1 : last], out.memory[first + 1 : last],
    )  # fmt: skip
    for n in range(first, last):
        if not is_finite(out.q[n], out.v[n]):
            return DOUBTFUL
    return look_back(problem.rows, problem, inputs, bodies, runs, first, work, room, total, out)


@compiled
def whole_runs(count, swap, runs, problem, inputs, bodies, step, steps, every, speed, work, scratch, room, total, out):
    """The first ``count`` of ``runs``, one after the other; ``out``: samples (B N, ...), of run r from row r N on."""
    for r in range(count):
        bring(swap, runs.words[r])
        runs.doubt[r] = whole_run(r, runs, problem, inputs, bodies, step, steps, every, speed, work, scratch, room, total, out)


def beyond_doubt(step: float) -> float:
    """Rates (1/s) up to which ``rkmk4`` follows any motion at this step (s): half a radian a step (integrate.choice, 3)."""
    return 0.5 / step
