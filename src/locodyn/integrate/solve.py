"""Run a problem through time: choose the method, work in chunks, keep what there is when something goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import METHODS, Event, Progress, Solution
from locodyn.integrate.checks import check_fit, check_numbers
from locodyn.kernel.entry import numbers
from locodyn.locomotion.compatibility import first_contradiction
from locodyn.locomotion.problem import Problem
from locodyn.typing import Array


def solve(
    problem: Problem,
    q0: Array,
    v0: Array,
    t0: float = 0.0,
    t_end: float = 1.0,
    step: float = 0.01,
    tolerance: float = 1e-9,
    method: str = "rkmk4",
    record_every: int = 1,
    on_progress: Progress | None = None,
    events: Sequence[Event] = (),
    origin: float | None = None,
    history: np.ndarray | None = None,
    rho_inf: float = 0.9,
) -> Solution:
    """Integrate from (q0, v0) at ``t0`` to ``t_end``.

    Parameters
    ----------
    problem : Problem
    q0, v0 : (nq,), (nv,) start; imposed coordinates are put where their motion says.
    t0, t_end, step : s. With a fixed step the run ends at the whole number of steps nearest to ``t_end``; the adaptive method
        records at multiples of ``step * record_every``.
    tolerance : relative and absolute error per step of the adaptive method; the residual of the variational one; the last Newton
        correction of implicit ones, relative to accelerations.
    method : one of :data:`~locodyn.integrate.base.METHODS`.
    record_every : record every so many steps.
    on_progress : called with the time reached, often enough for a progress bar.
    events : functions g(t, q, v); with ``adaptive`` the times of their zeros are found, and the run goes on. A function with
        the attribute ``terminal = True`` ends it.
    origin : s, where a run began that goes on here at ``t0``; steps are counted from there, so that a resumed run is the
        uninterrupted one bit by bit.
    history : ``Solution.history`` of the run that goes on here, for a multistep method (impulses of the last step for hard
        contact); without it the run starts anew.
    rho_inf : numerical damping of generalized-alpha, HHT and WBZ: 1 none, 0 all at high frequencies.
    """
    check_numbers(method, t0, t_end, step, tolerance, record_every, events)
    model = problem.model
    q, v = model.normalised(q0), numbers(v0, "v0")
    if v.shape != (model.nv,):
        raise InputError(f"v0 has {v.size} entries; robot '{model.compiled.name}' needs {model.nv}.")
    problem.check_motion(t0, t_end)
    q, v = problem.start_state(t0, q, v)
    check_fit(problem, method, q, step, t0, origin is None or origin == t0)
    if method == "event_driven":
        from locodyn.integrate.event_driven import run_events

        return run_events(problem, q, v, t0, t_end, step * record_every, tolerance, on_progress)
    if METHODS[method].adaptive:
        from locodyn.integrate.adaptive import run_adaptive

        solution = run_adaptive(problem, q, v, t0, t_end, step * record_every, tolerance, on_progress, events)
    elif method == "quasi_static":
        from locodyn.integrate.equilibria.quasi_static import run_quasi_static

        return run_quasi_static(problem, q, t0, t_end, step, tolerance, int(record_every), on_progress)
    else:
        from locodyn.integrate.fixed import run_fixed

        began = t0 if origin is None else float(origin)
        every = int(record_every)
        solution = run_fixed(problem, q, v, t0, t_end, step, tolerance, method, every, on_progress, began, history, rho_inf)
    return _until_contradiction(problem, solution) if problem.constraints.rows else solution


def _until_contradiction(problem: Problem, solution: Solution) -> Solution:
    """The solution up to the first state at which the constraints contradict each other, marked as failed there."""
    found = first_contradiction(problem, solution.times, solution.q, solution.v)
    if found is None:
        return solution
    end, sentence = max(1, found[0]), f"failed: {found[1]}"
    parts = {name: getattr(solution, name)[:end] for name in ("times", "q", "v", "iterations")}
    return replace(solution, **parts, status=sentence, message=sentence, history=None)
