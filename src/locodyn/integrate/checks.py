"""What a run is refused for before its first step: numbers that are none, robots that an integrator does not take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.base import METHODS, Event
from locodyn.integrate.explicit_limit import check_servos
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED
from locodyn.locomotion.contact.arrays import DENSE
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.world.rows import KINEMATIC


def check_numbers(
    method: str, t0: float, t_end: float, step: float, tolerance: float, record_every: int, events: Sequence[Event]
) -> None:
    """Refuse an unknown integrator, and steps, tolerances and times that are none."""
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


def check_fit(problem: Problem, method: str, q: np.ndarray, step: float, t0: float, fresh: bool) -> None:
    """Refuse a robot, controller or start that the integrator does not take; ``fresh``: the run is not resumed."""
    model = problem.model
    if problem.constraints.rows and method == "variational":
        raise InputError("the integrator 'variational' takes robots without wheels or loops; use 'rkmk4', 'adams' or 'adaptive'.")
    if model.compiled.has_rods and method == "variational":
        raise InputError(f"the integrator '{method}' takes robots without rods; use 'gauss2', 'radau3' or 'generalized_alpha'.")
    if METHODS[method].implicit:
        _check_implicit(problem, method)
    _check_controller(problem, method, q, step)
    check_servos(problem, method, q, step)
    _check_contact(problem, method, q, step, t0, fresh)


def _check_implicit(problem: Problem, method: str) -> None:
    """Implicit integrators take loops, wheels and rolling surfaces, but no joints that follow from wheels."""
    kinds = problem.drive.tolist()
    if DEPENDENT in kinds:
        raise InputError(f"the integrator '{method}' takes no dependent joints; make them passive, or use 'rkmk4' or 'adaptive'.")
    driven = IMPOSED in kinds or any(row.rate >= 0 and row.flags & KINEMATIC for row in problem.constraints.rows)
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
    limit = getattr(controller, "longest_step", None)
    if limit is not None and (sampled or method == "moreau"):
        held = (getattr(controller, "period", None) or step) if sampled else step
        longest = limit(problem.model, q)
        if held > longest:
            raise InputError(
                f"the torques of the controller are held for {held:g} s, but it is stable up to {longest:.3g} s only; take a"
                " shorter step or control period, or servos, which are implicit."
            )


def _check_contact(problem: Problem, method: str, q: np.ndarray, step: float, t0: float, fresh: bool) -> None:
    """Hard contact needs its own integrator, which takes no dependent joints; a fresh start no overlap."""
    if method != "moreau" and any(servo.begins > t0 for servo in problem.servos.values()):
        raise InputError(f"the integrator '{method}' takes servos that are on from the start; use 'moreau', or leave out begins.")
    if method == "event_driven":
        from locodyn.integrate.event_driven import check

        check(problem)
        return problem.contact.check_start(q)
    if method != "moreau":
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
    if problem.model.in_fluid and problem.contact.arrays.counts[DENSE]:
        raise InputError(
            "the integrator 'moreau' takes robots that move fluid along without wheels, loops, rods and contacts between bodies,"
            " and with the solver 'newton' only."
        )
    if fresh:
        problem.contact.check_start(q)
    problem.contact.check_explicit_servos(problem.model.mass_matrix(q), step)
