"""Adaptive integration with dense output and events: SciPy's DOP853 on local coordinates.

After each accepted step the local coordinates u are taken about the configuration reached, so that they stay small and no
chart is ever left:
q = q_n (+) u, udot = T(u)^-1 v, vdot = a. The states z of laws with memory are further components.

Contacts on rods stay as they are within a step. Steps end where contacts come, go or wrap around by their laws of time, and the
method starts anew there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.integrate.base import Event, Progress, Solution
from locodyn.locomotion.constrained import hold_rows, next_change
from locodyn.locomotion.problem import Problem
from locodyn.shape.configuration import moved_configuration, step_rate
from locodyn.world.rod_rows import INSTANT


class Local:
    """The equation of motion about an anchor configuration, of the local state y = (u, v, z)."""

    def __init__(self, problem: Problem, anchor: np.ndarray) -> None:
        self.problem, self.anchor = problem, anchor.copy()
        self.nv, self.memory = problem.model.nv, problem.workspace.memory

    def state(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configuration and velocities; the states of laws are put where the problem looks for them."""
        q = np.empty(self.problem.model.nq)
        moved_configuration(self.problem.model.frames, self.anchor, np.ascontiguousarray(y[: self.nv]), q)
        self.memory.value[:] = y[2 * self.nv :]
        return q, np.array(y[self.nv : 2 * self.nv])

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of the local state."""
        u = np.ascontiguousarray(y[: self.nv])
        q, v = self.state(y)
        rate = np.empty(self.nv)
        a = self.problem.accelerations(t, q, v)
        step_rate(self.problem.model.frames, u, v, rate)
        return np.concatenate([rate, a, self.memory.rate])


def run_adaptive(
    problem: Problem,
    q: np.ndarray,
    v: np.ndarray,
    t0: float,
    t_end: float,
    interval: float,
    tolerance: float,
    on_progress: Progress | None,
    events: Sequence[Event],
    memory: np.ndarray,
) -> Solution:
    """Integrate to ``t_end``, record at t0 + multiples of ``interval``; arguments as of :func:`locodyn.integrate.solve`."""
    times = record_times(t0, t_end, interval)
    local, rows, wraps = Local(problem, q), problem.arrays.rows, wrap_times(problem, times)
    nv = local.nv
    solver, evaluations = started(local, t0, np.concatenate([np.zeros(nv), v, memory]), t_end, wraps, tolerance), 0
    rows_q, rows_v, rows_memory, rounds = [q.copy()], [v.copy()], [np.array(memory)], [0]
    found: list[list[float]] = [[] for _ in events]
    values = [event(t0, q, v) for event in events]
    row, since, status, end = 1, 0, "completed", t_end
    try:
        while solver.status == "running" and status == "completed":
            message = solver.step()
            since += 1
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                status = f"failed: no step small enough at t = {solver.t:g} s ({message or 'the state is not a number'})"
                break
            dense = solver.dense_output()
            last = _note_zeros(events, values, found, local, dense, solver)
            if last is not None:
                status, end = "ended by an event", last
            reached = min(solver.t, end)
            while row < len(times) and times[row] <= reached:
                y = solver.y if times[row] == solver.t else dense(times[row])
                state_q, state_v = local.state(y)
                rows_memory.append(np.array(y[2 * nv :]))
                state_q, state_v = problem.imposed_state(times[row], state_q, state_v)
                rows_q.append(state_q)
                rows_v.append(state_v)
                rounds.append(since)
                row, since = row + 1, 0
            hold_rows(rows, 0)
            start_anew(problem, local, solver)
            hold_rows(rows, 1)
            if solver.status == "finished" and solver.t < t_end:
                evaluations += solver.nfev
                solver = started(local, solver.t, solver.y, t_end, wraps, tolerance)
            if on_progress is not None:
                on_progress(float(reached))
    except KeyboardInterrupt:
        status = f"interrupted at t = {times[row - 1]:g} s"
    finally:
        hold_rows(rows, 0)
    return Solution(
        times[:row], np.array(rows_q), np.array(rows_v), np.array(rounds), status=status, evaluations=evaluations + solver.nfev,
        step=0.0, message=status, events=[np.array(f) for f in found], memory=np.array(rows_memory),
    )  # fmt: skip


def record_times(t0: float, t_end: float, interval: float) -> np.ndarray:
    """t0, t0 + interval, ... and t_end, s."""
    count = int(np.floor((t_end - t0) / interval * (1.0 + 1e-12)))
    times: np.ndarray = t0 + interval * np.arange(count + 1)
    return np.append(times, t_end) if times[-1] < t_end - 1e-9 * interval else times


def started(local: Local, t: float, y: np.ndarray, t_end: float, wraps: Sequence[float], tolerance: float) -> DOP853:
    """The method from t (s) to the next change of contacts, or to the end; contacts stay as they are from now on."""
    rows = local.problem.arrays.rows
    hold_rows(rows, 1)
    bound = float(next_change(rows, t, min([t_end, *(x for x in wraps if x > t + INSTANT)])))
    return DOP853(local, t, y, bound, rtol=max(tolerance, 3e-14), atol=tolerance)


def wrap_times(problem: Problem, times: np.ndarray) -> list[float]:
    """When abscissas of contacts on rods go around, s, by their laws; looked for between the ``times`` of records."""
    contacts = None if problem.arrays.rows is None else problem.arrays.rows.rod_contacts
    if contacts is None:
        return []
    found: set[float] = set()
    for c in np.flatnonzero(contacts.wrap_length > 0.0):
        law = problem.constraints.laws[int(contacts.law[c])][1]
        first, length = float(contacts.wrap_first[c]), float(contacts.wrap_length[c])
        place = (np.asarray(law(times), dtype=float) - first) / length
        for n in np.flatnonzero(np.diff(np.floor(place))):
            edge = first + length * max(np.floor(place[n]), np.floor(place[n + 1]))
            ends = float(law(times[n])) - edge, float(law(times[n + 1])) - edge
            if ends[0] * ends[1] < 0.0:
                found.add(float(brentq(lambda t, law=law, edge=edge: float(law(t)) - edge, times[n], times[n + 1], xtol=1e-13)))
            else:
                found.add(float(times[n] if ends[0] == 0.0 else times[n + 1]))
    return sorted(found)


def start_anew(problem: Problem, local: Local, solver: DOP853) -> None:
    """Local coordinates about the present state: the rate of u at u = 0 is v, and the acceleration is what it was."""
    nv = local.nv
    local.anchor, speed = local.state(solver.y)
    if problem.constraints.rows:
        local.anchor, speed = problem.imposed_state(solver.t, local.anchor, speed)
        solver.y = np.concatenate([np.zeros(nv), speed, solver.y[2 * nv :]])
        solver.f = local(solver.t, solver.y)
    else:
        solver.y = np.concatenate([np.zeros(nv), speed, solver.y[2 * nv :]])
        solver.f = np.concatenate([speed, solver.f[nv:]])


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
