"""Adaptive integration with dense output and events: SciPy's DOP853 on local coordinates.

After each accepted step the local coordinates u are taken about the configuration reached, so that they stay small and no
chart is ever left:
q = q_n (+) u, udot = T(u)^-1 v, vdot = a. The states z of laws with memory are further components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.integrate.base import Event, Progress, Solution
from locodyn.locomotion.problem import Problem
from locodyn.shape.configuration import moved_configuration, step_rate


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
    count = int(np.floor((t_end - t0) / interval * (1.0 + 1e-12)))
    times = t0 + interval * np.arange(count + 1)
    if times[-1] < t_end - 1e-9 * interval:
        times = np.append(times, t_end)
    local = Local(problem, q)
    nv = local.nv
    solver = DOP853(local, t0, np.concatenate([np.zeros(nv), v, memory]), t_end, rtol=max(tolerance, 3e-14), atol=tolerance)
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
            for number, event in enumerate(events):
                values[number], zero = _zero(event, values[number], local, dense, solver)
                if zero is not None:
                    found[number].append(zero)
                    if getattr(event, "terminal", False):
                        status, end = "ended by an event", zero
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
            start_anew(problem, local, solver)
            if on_progress is not None:
                on_progress(float(reached))
    except KeyboardInterrupt:
        status = f"interrupted at t = {times[row - 1]:g} s"
    return Solution(
        times[:row], np.array(rows_q), np.array(rows_v), np.array(rounds), status=status, evaluations=solver.nfev,
        step=0.0, message=status, events=[np.array(f) for f in found], memory=np.array(rows_memory),
    )  # fmt: skip


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
