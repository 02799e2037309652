"""Adaptive integration with dense output and events: SciPy's DOP853 on local coordinates.

After each accepted step the local coordinates are taken about the configuration reached, so that no chart is ever left
(:mod:`locodyn.integrate.local_state`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.integrate.base import Event, Run, Solution
from locodyn.integrate.grip_losses import GripLosses
from locodyn.integrate.history import memories_of, recall, wrong_length
from locodyn.integrate.local_state import ContactChanges, Local
from locodyn.integrate.methods.adaptive import Adaptive
from locodyn.integrate.step_work import StepWork
from locodyn.locomotion.constrained import hold_rows


class _Rows:
    """Records so far: states, and steps since the record before; ``next_time`` is that of the next one."""

    def __init__(self, run: Run, since: int) -> None:
        self.run, self.interval = run, run.step * run.every
        self.times, self.q, self.v, self.memory = [run.t0], [run.q.copy()], [run.v.copy()], [np.array(run.memory)]
        self.rounds, self.since = [0], since
        self._number = int(np.floor((run.t0 - run.origin) / self.interval * (1.0 + 1e-12))) + 1

    @property
    def next_time(self) -> float:
        """At multiples of the interval from the beginning of the run, and at its end; infinite after that."""
        if self.times[-1] >= self.run.t_end:
            return np.inf
        time = self.run.origin + self.interval * self._number
        return self.run.t_end if time > self.run.t_end - 1e-9 * self.interval else time

    def add(self, local: Local, y: np.ndarray) -> None:
        """The state at the next time."""
        q, v = local.problem.imposed_state(self.next_time, *local.state(y))
        self.times.append(self.next_time)
        self.q.append(q)
        self.v.append(v)
        self.memory.append(np.array(y[2 * local.nv :]))
        self.rounds.append(self.since)
        self._number, self.since = self._number + 1, 0


def run_adaptive(run: Run, tolerance: float) -> Solution:
    """Integrate to ``t_end``, record at multiples of ``step * every`` from the origin on and at the end."""
    problem, events, changes = run.problem, run.watch.events, _changes(run)
    local, solver, since, open_states = _begun(run, tolerance, changes)
    rows, work, losses = _Rows(run, since), StepWork(run, Adaptive.order, open_states), GripLosses(problem)
    found: list[list[float]] = [[] for _ in events]
    values = [event(run.t0, run.q, run.v) for event in events]
    status, end, paused, mark = "completed", run.t_end, False, (0, run.history, run.t0)
    try:
        while solver.status == "running" and status == "completed":
            message = solver.step()
            rows.since += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                status = f"failed: no step small enough at t = {solver.t:g} s ({message or 'the state is not a number'})"
                break
            dense = solver.dense_output()
            changes.cut(local, dense, solver)
            last = _note_zeros(events, values, found, local, dense, solver)
            if last is not None:
                status, end = "ended by an event", last
            reached = min(solver.t, end)
            if work.wanted:
                for time in (0.5 * (solver.t_old + reached), float(reached)):
                    work.pass_by(time, *local.whole_state(dense(time)))
            after = solver.t if losses.contacts is not None else np.inf  # a record at a change is that after it
            while rows.next_time <= reached and rows.next_time != after:
                _note(rows, work, local, solver.y if rows.next_time == solver.t else dense(rows.next_time))
            changes.pass_by(local, solver)
            losses.look()
            if rows.next_time <= reached:
                _note(rows, work, local, solver.y)
            mark = len(rows.times), _remembered(local, solver, rows.since), solver.t
            if run.watch.on_progress is not None:
                run.watch.on_progress(float(reached))
            if run.watch.pause is not None and solver.status == "running" and run.watch.pause(len(rows.times)):
                status, paused = f"interrupted at t = {rows.times[-1]:g} s", True
    except KeyboardInterrupt:
        status = f"interrupted at t = {rows.times[-1]:g} s"
    finally:
        hold_rows(problem.arrays.rows, 0)
    solution = Solution(
        np.array(rows.times), np.array(rows.q), np.array(rows.v), np.array(rows.rounds), status=status, evaluations=solver.nfev,
        step=0.0, message=status, events=[np.array(f) for f in found], memory=np.array(rows.memory), paused=paused,
    )  # fmt: skip
    if mark[0] == len(rows.times):
        solution.history = np.concatenate([mark[1], work.since(mark[2])])
    solution.recorded |= work.close(len(rows.times)) | losses.close(solution.times)
    return solution


def _note(rows: _Rows, work: StepWork, local: Local, y: np.ndarray) -> None:
    """Record the state y."""
    rows.add(local, y)
    work.record(rows.times[-1], rows.q[-1], rows.v[-1], rows.memory[-1])


def _changes(run: Run) -> ContactChanges:
    """Wraps of abscissas are looked for between the times of records, from the origin of the run on."""
    count = int(np.ceil((run.t_end - run.origin) / (run.step * run.every))) + 1
    return ContactChanges(run.problem, run.t_end, run.origin + run.step * run.every * np.arange(count + 1))


def _begun(run: Run, tolerance: float, changes: ContactChanges) -> tuple[Local, DOP853, int, np.ndarray]:
    """The equation and its solver at the start, or where the run that goes on here had come to; steps since its last record.

    And the states (k, 1 + nq + nv + nz) that these steps passed by.
    """
    problem = run.problem
    words = {"rtol": max(tolerance, 3e-14), "atol": tolerance}
    known = recall(problem, run.history)
    if known is None:
        local = Local(problem, run.q)
        state = np.concatenate([np.zeros(local.nv), run.v, run.memory])
        return local, DOP853(local, run.t0, state, changes.bound(run.t0), **words), 0, np.zeros((0, 0))
    nq, nz = problem.model.nq, problem.memories.count
    size, width = 2 * problem.model.nv + nz, 1 + nq + problem.model.nv + nz
    need = 3 + nq + 2 * size
    if len(known) < need or (len(known) - need) % width:
        raise wrong_length(len(known), need)
    (time, length, since), anchor, state, rates, passed = np.split(known, (3, 3 + nq, 3 + nq + size, need))
    local = Local(problem, anchor)
    bound = changes.bound(time)
    solver = DOP853(lambda t, y: rates, time, state, bound, first_step=min(length, bound - time), **words)
    solver.fun, solver.nfev, solver.h_abs = _counted(solver, local), 0, length
    return local, solver, int(since), passed.reshape(-1, width)


def _counted(solver: DOP853, local: Local) -> Callable[[float, np.ndarray], np.ndarray]:
    def rates(t: float, y: np.ndarray) -> np.ndarray:
        solver.nfev += 1
        return local(t, y)

    return rates


def _remembered(local: Local, solver: DOP853, since: int) -> np.ndarray:
    """What :func:`_begun` goes on from; the state is between two records."""
    own = np.concatenate([[solver.t, solver.h_abs, since], local.anchor, solver.y, solver.f])
    return np.concatenate([*memories_of(local.problem), own])


def _note_zeros(
    events: Sequence[Event],
    values: list[float],
    found: list[list[float]],
    local: Local,
    dense: Callable[[float], np.ndarray],
    solver: DOP853,
) -> float | None:
    """Add the zeros of this step to ``found`` and put ``values`` to its end; the time of an event that ends the run, or None."""
    last = None
    for number, event in enumerate(events):
        values[number], zero = _zero(event, values[number], local, dense, solver)
        if zero is not None:
            found[number].append(zero)
            if getattr(event, "terminal", False):
                last = zero
    return last


def _zero(
    event: Event, before: float, local: Local, dense: Callable[[float], np.ndarray], solver: DOP853
) -> tuple[float, float | None]:
    """(value of the event at the end of the step, time of its zero within the step or None)."""

    def value(t: float) -> float:
        return float(event(t, *local.state(dense(t))))

    after = value(solver.t)
    direction = getattr(event, "direction", 0)
    if before * after < 0.0 and direction * (after - before) >= 0.0:
        return after, float(brentq(value, solver.t_old, solver.t, xtol=1e-14, rtol=1e-14))
    return after, None
