"""Run a problem through time: choose the method, work in chunks, keep what there is when something goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import METHODS, Event, Progress, Solution
from locodyn.kernel.entry import numbers
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED
from locodyn.locomotion.compatibility import first_contradiction
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.world.rows import KINEMATIC


def solve(
    problem: Problem,
    q0: Any,
    v0: Any,
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
    the attribute
        ``terminal = True`` ends it.
    origin : s, where a run began that goes on here at ``t0``; steps are counted from there, so that a resumed run is the
    uninterrupted
        one bit by bit.
    history : ``Solution.history`` of the run that goes on here, for a multistep method (impulses of the last step for hard
        contact); without it the run starts anew.
    rho_inf : numerical damping of generalized-alpha, HHT and WBZ: 1 none, 0 all at high frequencies.
    """
    if method not in METHODS:
        raise InputError(f"unknown integrator '{method}'{nearest(method, METHODS)}")
    for name, value in (("the step", step), ("the tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} is {value!r}; it must be a positive number.")
    if not (np.isfinite(t_end) and t_end > t0):
        raise InputError(f"the end time is {t_end!r}; it must lie after the start time {t0:g} s.")
    if int(record_every) < 1:
        raise InputError(f"record_every is {record_every!r}; it must be 1 or more.")
    if events and not METHODS[method].adaptive:
        raise InputError(f"events need the integrator 'adaptive'; '{method}' does not find them.")
    model = problem.model
    q, v = model.normalised(q0), numbers(v0, "v0")
    if v.shape != (model.nv,):
        raise InputError(f"v0 has {v.size} entries; robot '{model.compiled.name}' needs {model.nv}.")
    problem.check_motion(t0, t_end)
    q, v = problem.start_state(t0, q, v)
    if problem.constraints.rows and method == "variational":
        raise InputError("the integrator 'variational' takes robots without wheels or loops; use 'rkmk4', 'adams' or 'adaptive'.")
    if model.compiled.has_rods and method == "variational":
        raise InputError(f"the integrator '{method}' takes robots without rods; use 'gauss2', 'radau3' or 'generalized_alpha'.")
    if METHODS[method].implicit:
        _check_implicit(problem, method)
    _check_controller(problem, method, q, step)
    _check_contact(problem, method, q, step, t0, origin is None or origin == t0)
    if method == "event_driven":
        from locodyn.integrate.event_driven import run_events

        return run_events(problem, q, v, t0, t_end, step * record_every, tolerance, on_progress)
    if METHODS[method].adaptive:
        from locodyn.integrate.adaptive import run_adaptive

        solution = run_adaptive(problem, q, v, t0, t_end, step * record_every, tolerance, on_progress, events)
    elif method == "quasi_static":
        from locodyn.integrate.quasi_static import run_quasi_static

        return run_quasi_static(problem, q, t0, t_end, step, tolerance, int(record_every), on_progress)
    else:
        from locodyn.integrate.fixed import run_fixed

        began = t0 if origin is None else float(origin)
        every = int(record_every)
        solution = run_fixed(problem, q, v, t0, t_end, step, tolerance, method, every, on_progress, began, history, rho_inf)
    return _until_contradiction(problem, solution) if problem.constraints.rows else solution


def _check_implicit(problem: Problem, method: str) -> None:
    """Implicit integrators take loops, wheels and rolling surfaces, but no joints that follow from wheels."""
    if np.any(problem.drive == DEPENDENT):
        raise InputError(f"the integrator '{method}' takes no dependent joints; make them passive, or use 'rkmk4' or 'adaptive'.")
    driven = np.any(problem.drive == IMPOSED) or any(row.rate >= 0 and row.flags & KINEMATIC for row in problem.constraints.rows)
    if method == "energy_momentum" and driven:
        raise InputError(
            "the integrator 'energy_momentum' takes no imposed motions, whose work it does not know; use 'gauss2', or drive by"
            " torques."
        )
    if method == "energy_momentum" and any(wrench.memory >= 0 for wrench in problem.model.compiled.wrenches):
        raise InputError("the integrator 'energy_momentum' takes no feedback with an integral: it has no energy; use 'gauss2'.")


def _check_controller(problem: Problem, method: str, q: np.ndarray, step: float) -> None:
    """A sampled controller needs a fixed step; torques that are held must not be held too long."""
    controller = problem.controller
    sampled = isinstance(controller, SampledController)
    if sampled and METHODS[method].adaptive:
        raise InputError(f"a sampled controller needs a fixed step; '{method}' has none: use 'rkmk4', 'radau3' or 'moreau'.")
    if sampled or (method == "moreau" and hasattr(controller, "longest_step")):
        held = (getattr(controller, "period", None) or step) if sampled else step
        longest = controller.longest_step(problem.model, q)  # type: ignore[union-attr]
        if held > longest:
            raise InputError(
                f"the torques of the controller are held for {held:g} s, but it is stable up to {longest:.3g} s only; take a"
                " shorter step or control period, or servos, which are implicit."
            )


def _check_contact(problem: Problem, method: str, q: np.ndarray, step: float, t0: float, fresh: bool) -> None:
    """Hard contact needs its own integrator, which takes no dependent joints; a fresh start no overlap."""
    if method == "event_driven":
        from locodyn.integrate.event_driven import check

        check(problem)
        return problem.contact.check_start(q)
    if method != "moreau":
        if any(servo.begins > t0 for servo in problem.servos.values()):
            raise InputError(
                f"the integrator '{method}' takes servos that are on from the start; use 'moreau', or leave out begins."
            )
        if len(problem.contact.table):
            raise InputError(
                f"the integrator '{method}' does not see hard contacts; use 'moreau' or 'event_driven', or leave out obstacles."
            )
        return
    if (problem.drive == DEPENDENT).any():
        name = problem.model.compiled.coordinate_names[int(np.argmax(problem.drive == DEPENDENT))]
        raise InputError(f"the integrator 'moreau' takes no dependent joints, such as '{name}'; impose it, or make it passive.")
    for wrench in problem.model.compiled.wrenches:
        if wrench.memory >= 0:
            raise InputError(
                f"the integrator 'moreau' takes no feedback with an integral, such as '{wrench.name}'; leave it at zero."
            )
    if problem.model.in_fluid and problem.contact.arrays.mass.size:
        raise InputError(
            "the integrator 'moreau' takes robots that move fluid along without wheels, loops, rods and contacts between bodies,"
            " and with the solver 'newton' only."
        )
    if fresh:
        problem.contact.check_start(q)
    problem.contact.check_explicit_servos(problem.model.mass_matrix(q), step)


def _until_contradiction(problem: Problem, solution: Solution) -> Solution:
    """The solution up to the first state at which the constraints contradict each other, marked as failed there."""
    found = first_contradiction(problem, solution.times, solution.q, solution.v)
    if found is None:
        return solution
    end, sentence = max(1, found[0]), f"failed: {found[1]}"
    parts = {name: getattr(solution, name)[:end] for name in ("times", "q", "v", "iterations")}
    return replace(solution, **parts, status=sentence, message=sentence, history=None)
