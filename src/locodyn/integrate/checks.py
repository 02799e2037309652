"""What a run is refused for before its first step: steps and times that make no sense, problems that a method does not take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.base import Event, Method
from locodyn.integrate.explicit_limit import check_compliant, check_servos
from locodyn.integrate.features import Feature
from locodyn.integrate.methods import alternatives, takers
from locodyn.locomotion.arrays import DEPENDENT, IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.robot.friction import FRICTION_LAWS
from locodyn.world.contact_pairs import FRICTION
from locodyn.world.rows import CONTACT, HOLONOMIC, INTERNAL, KINEMATIC, SECTION, TANGENT


def check_numbers(t0: float, t_end: float, step: float, record_every: int) -> None:
    """Refuse steps and times that make no sense."""
    if not (np.isfinite(step) and step > 0.0):
        raise InputError(f"the step is {step!r}; it must be a positive number.")
    if not (np.isfinite(t_end) and t_end > t0):
        raise InputError(f"the end time is {t_end!r}; it must lie after the start time {t0:g} s.")
    if int(record_every) < 1:
        raise InputError(f"record_every is {record_every!r}; it must be 1 or more.")


def features_of(problem: Problem, t0: float = 0.0, events: Sequence[Event] = ()) -> dict[Feature, str]:
    """What the problem has of the features that methods declare, each with the name of one thing that has it, or none.

    ``t0`` (s): when the run begins; ``events``: those that it should find.
    """
    if "features" not in problem.kept:
        problem.kept["features"] = _features(problem)
    found: dict[Feature, str] = dict(problem.kept["features"])
    late = _coordinates(problem, [i for i, servo in problem.servos.items() if servo.begins > t0])
    if late:
        found[Feature.LATE_SERVOS] = late[0]
    if events:
        found[Feature.EVENTS] = ""
    return found


def _features(problem: Problem) -> dict[Feature, str]:
    """Those of :func:`features_of` that are the same in every run."""
    compiled = problem.model.compiled
    owners, lagging = [name.rpartition(".")[0] for name in problem.memories.names], problem.memories.lagging
    named: dict[Feature, Iterable[str]] = {
        **_row_features(problem),
        Feature.STRANDS: compiled.strand_names,
        Feature.IMPOSED: [
            *_coordinates(problem, np.flatnonzero(problem.drive == IMPOSED)),
            *(row.name for row in problem.constraints.rows if row.rate_law >= 0 and row.flags & KINEMATIC),
        ],
        Feature.DEPENDENT: _coordinates(problem, np.flatnonzero(problem.drive == DEPENDENT)),
        Feature.SERVOS: _coordinates(problem, problem.servos),
        Feature.WRENCHES: [one.name for one in (*compiled.wrenches, *problem.compliant)] + [tie.name for tie in compiled.ties],
        Feature.LAGS: [owners[number] for number in lagging],
        Feature.MEMORY: [name for number, name in enumerate(owners) if number not in lagging],
        **_contact_features(problem),
    }
    fluid = problem.model.in_fluid
    plain = {
        Feature.RODS: compiled.has_rods,
        Feature.FLUID: fluid,
        Feature.FUNCTIONS: not problem.is_compiled,
        Feature.SAMPLED_CONTROLLER: isinstance(problem.controller, SampledController),
    }
    first = {feature: next(iter(names), None) for feature, names in named.items()}
    found = {feature: name for feature, name in first.items() if name is not None}
    return found | {feature: "" for feature, there in plain.items() if there}


def _coordinates(problem: Problem, numbers: Iterable[int]) -> list[str]:
    return [problem.model.compiled.coordinate_names[i] for i in numbers]


def _row_features(problem: Problem) -> dict[Feature, list[str]]:
    """Names of the constraint rows of each kind."""
    found: dict[Feature, list[str]] = {}
    for row in problem.constraints.rows:
        held = row.kind == CONTACT or (row.kind == TANGENT and row.flags & HOLONOMIC)
        others = Feature.ROLLING if row.kind == TANGENT else Feature.WHEELS
        feature = Feature.LOOPS if row.kind in INTERNAL else Feature.STANDING if held else others
        if row.kind == SECTION:
            feature = Feature.HELD_RODS if row.flags & HOLONOMIC else Feature.SLIDING_RODS
        found.setdefault(feature, []).append(row.name)
    return found


def _contact_features(problem: Problem) -> dict[Feature, list[str]]:
    """Names of the pairs that may touch; and of their friction what is not Coulomb's ellipse."""
    table = problem.contact.table
    if not len(table):
        return {}
    pairs, law = table.arrays, table.arrays.friction_law
    other = (law != FRICTION.coulomb) & ((pairs.friction_forward > 0.0) | (pairs.friction_backward > 0.0))
    one_way = pairs.friction_forward != pairs.friction_backward
    drilling = (pairs.friction_rolling > 0.0) | (pairs.friction_spinning > 0.0)
    kinds = list(FRICTION_LAWS)
    return {
        Feature.HARD_CONTACT: list(table.names),
        Feature.FRICTION_LAW: [kinds[int(number)] for number in law[other]],
        Feature.ONE_WAY_FRICTION: [table.names[n] for n in np.flatnonzero(one_way)],
        Feature.DRILLING_FRICTION: [table.names[n] for n in np.flatnonzero(drilling)],
    }


def refusal(method: Method, features: dict[Feature, str]) -> str:
    """The sentence that refuses a problem with these features; empty where the method takes it."""
    refused = features.keys() - method.takes
    if not refused:
        return ""
    feature = next(one for one in Feature if one in refused)
    such = f", such as '{features[feature]}'" if features[feature] else ""
    reason = dict(method.reasons).get(feature)
    why = f": {reason}" if reason else ""
    others = takers(features, type(method))
    ways = [f"use {alternatives(others)}"] if others else []
    ways += [feature.remedy] if feature.remedy else []
    return (
        f"the integrator '{method.name}' takes no {feature.words}{such}{why};"
        f" {', or '.join(ways) or 'no other does with the rest of this robot'}."
    )


def check_fit(
    problem: Problem, method: Method, q: np.ndarray, step: float, t0: float, fresh: bool, events: Sequence[Event] = ()
) -> None:
    """Refuse a robot, controller or start that the method does not take; ``fresh``: the run is not resumed."""
    features = features_of(problem, t0, events)
    sentence = refusal(method, features)
    if sentence:
        raise InputError(sentence)
    _check_held_torques(problem, method, q, step)
    check_servos(problem, method, features, q, step)
    check_compliant(problem, method, features, q, step)
    method.check(problem, q, step, fresh)


def _check_held_torques(problem: Problem, method: Method, q: np.ndarray, step: float) -> None:
    """Torques of a controller that are held must not be held too long."""
    controller = problem.controller
    sampled = isinstance(controller, SampledController)
    limit = getattr(controller, "longest_step", None)
    if limit is None or not (sampled or method.holds_torques):
        return
    held = (getattr(controller, "period", None) or step) if sampled else step
    longest = limit(problem.model, q)
    if held > longest:
        raise InputError(
            f"the torques of the controller are held for {held:g} s, but it is stable up to {longest:.3g} s only; take a"
            " shorter step or control period, or servos, which are implicit."
        )
