"""Run a problem through time with a method: check what is given, run, keep what there is when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Event, Method, Progress, Run, Solution
from locodyn.integrate.checks import check_fit, check_numbers
from locodyn.integrate.methods import method_of
from locodyn.kernel.entry import numbers
from locodyn.locomotion.compatibility import first_contradiction
from locodyn.locomotion.problem import Problem
from locodyn.typing import Array

_ROUND_OFF = 1e-8  # relative: what a step may miss of motions and rows at its end


def solve(
    problem: Problem,
    q0: Array,
    v0: Array,
    t0: float = 0.0,
    t_end: float = 1.0,
    step: float = 0.01,
    tolerance: float | None = None,
    method: str | Method = "rkmk4",
    record_every: int = 1,
    on_progress: Progress | None = None,
    events: Sequence[Event] = (),
    origin: float | None = None,
    history: np.ndarray | None = None,
    rho_inf: float | None = None,
    memory: Mapping[str, float] | Sequence[float] | np.ndarray | None = None,
    sums_work: bool = False,
    pause: Callable[[int], bool] | None = None,
) -> Solution:
    """Integrate from (q0, v0) at ``t0`` to ``t_end``.

    Parameters
    ----------
    problem : Problem
    q0, v0 : (nq,), (nv,) start; imposed coordinates are put where their motion says.
    t0, t_end, step : s. With a fixed step the run ends at the whole number of steps nearest to ``t_end``; the adaptive method
        records at multiples of ``step * record_every``.
    method : a method with its options, such as ``Radau3(tolerance=1e-8)``, or the name of one of
        :data:`~locodyn.integrate.methods.METHODS`.
    tolerance, rho_inf : options of a method that is given by its name; None: its own.
    record_every : record every so many steps.
    on_progress : called with the time reached, often enough for a progress bar.
    events : functions g(t, q, v); with ``adaptive`` the times of their zeros are found, and the run goes on. A function with
        the attribute ``terminal = True`` ends it.
    origin : s, where a run began that goes on here at ``t0``; steps are counted from there, so that a resumed run is the
        uninterrupted one bit by bit.
    history : ``Solution.history`` of the run that goes on here: what its last step leaves to the next one besides the state, see
        :mod:`locodyn.integrate.history`; without it methods, contacts and controllers start anew.
    memory : states of laws with memory at the start, by name or all of them; by default zero.
    sums_work : of fixed steps, sum up the work between records that powers at the records do not tell, for the energy account.
    pause : asked at records, with their number so far, whether to stop there for now; the solution then says ``paused``.
    """
    chosen = method_of(method, tolerance=tolerance, rho_inf=rho_inf)
    check_numbers(t0, t_end, step, record_every)
    q, v = problem.model.normalised(q0), numbers(v0, "v0")
    if v.shape != (problem.model.nv,):
        raise InputError(f"v0 has {v.size} entries; robot '{problem.model.compiled.name}' needs {problem.model.nv}.")
    z = problem.memories.start(memory)
    problem.workspace.memory.state[:] = problem.workspace.memory.value[:] = z
    problem.check_motion(t0, t_end)
    given = q, v
    q, v = problem.start_state(t0, q, v)
    if origin is not None and origin != t0 and (history is not None or all(map(_nearly, given, (q, v)))):
        q, v = given  # bit by bit: it is the end of a step, on motions and rows as far as the method puts it there
    check_fit(problem, chosen, q, step, t0, origin is None or origin == t0, events)
    began = t0 if origin is None else float(origin)
    solution = chosen.run(
        Run(problem, q, v, t0, t_end, step, int(record_every), began, z, on_progress, events, history, sums_work, pause)
    )
    return _until_contradiction(problem, solution) if problem.constraints.rows and chosen.inertia else solution


def _nearly(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two states differ by no more than the tolerances of a step."""
    return bool(np.abs(one - two).max(initial=0.0) <= _ROUND_OFF * (1.0 + np.abs(one).max(initial=0.0)))


def _until_contradiction(problem: Problem, solution: Solution) -> Solution:
    """The solution up to the first state at which the constraints contradict each other, marked as failed there."""
    found = first_contradiction(problem, solution.times, solution.q, solution.v)
    if found is None:
        return solution
    end, sentence = max(1, found[0]), f"failed: {found[1]}"
    parts = {name: getattr(solution, name)[:end] for name in ("times", "q", "v", "iterations", "memory")}
    return replace(solution, **parts, status=sentence, message=sentence, history=None)
