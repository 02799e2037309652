"""What a run in turn takes over from the one before it.

The same robot under the same numerics goes on bit by bit, as a resumed run does. Another one takes over by name what both have:
joints, states of laws, torques that a sampled controller holds or that are on their way, and impulses of hard contact. Its rows
settle anew, and methods that look back begin anew, because forces jump where parts come and go.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.integrate.history import contact_kept, memories_of, recall_method
from locodyn.locomotion.sampled_controller import SampledController
from locodyn.sim.about import about
from locodyn.sim.same_run import differences
from locodyn.sim.seen_numbers import seen_numbers
from locodyn.sim.start import Start, positions, velocities
from locodyn.sim.start_kept import StartWarning, largest_change
from locodyn.world.gaps import PAIR

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem
    from locodyn.sim.result import Result
    from locodyn.sim.scenario import Scenario

_OVERLAP = 1e-6  # m, of surfaces that a part brings along
_BY_PAIR = ("step", "force", "force_change", "acceleration")  # of a warm start
_BY_CONTACT = ("impulse", "basis", "scales", "known_radius")  # of contacts that are closed


@dataclass(frozen=True, eq=False)
class HandOver:
    """Where a run begins: time (s), positions (nq,), velocities (nv,), states of laws (nz,); what the first step needs besides.

    ``jump``: the largest change of a velocity, of coordinates that the robot before had too.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    jump: float = 0.0
    history: np.ndarray | None = None


def first_of(scenario: Scenario) -> HandOver:
    """The start of the first run."""
    scenario.check_motion(0.0)
    return HandOver(0.0, *scenario.initial_state(), scenario.initial_memory())


def state_of(before: Result, scenario: Scenario, t: float) -> HandOver:
    """State of the scenario at t: that of the run before, by name, on its own constraints.

    Joints that the robot before did not have begin as the start of the scenario says.
    """
    assert before.model is not None and before.q is not None and before.v is not None and before.scenario is not None
    scenario.check_motion(t)
    start = Start.carried_over(before.model, before.q[-1], before.v[-1], scenario.model)
    placed, wanted = np.array(start.positions, dtype=float), np.array(start.velocities, dtype=float)
    robot = scenario.compiled
    own = positions(robot, scenario.start.positions), velocities(robot, scenario.start.velocities)
    for name in set(robot.joint_names) - set(before.model.compiled.joint_names):
        joint = robot.joint_index(name)
        for target, source, spans in zip((placed, wanted), own, (robot.joint_positions, robot.joint_velocities), strict=True):
            target[spans[joint]] = source[spans[joint]]
    q, v = scenario.problem.start_state(t, placed, wanted.copy())
    _check_places(before, scenario, t, placed, q)
    known = set(before.model.compiled.coordinate_names)
    common = [i for i, name in enumerate(scenario.compiled.coordinate_names) if name in known]
    memory, names = np.array(scenario.initial_memory(), dtype=float), scenario.problem.memories.names
    for name, value in zip(before.scenario.problem.memories.names, _states(before), strict=True):
        if name in names:
            memory[names.index(name)] = value
    return HandOver(t, q, v, memory, float(np.abs(v - wanted)[common].max(initial=0.0)))


def _check_places(before: Result, scenario: Scenario, t: float, placed: np.ndarray, q: np.ndarray) -> None:
    """Refuse an imposed motion that is elsewhere than the run before has left its joint; say what constraints have moved.

    ``placed`` (nq,): positions that were handed over; ``q`` (nq,): those with which the run begins.
    """
    assert before.model is not None
    robot, there = scenario.compiled, set(before.model.compiled.position_names)
    known = np.array([name in there for name in robot.position_names])
    imposed = np.isin(robot.position_names, list(scenario.drive.imposed))
    for chosen, end in ((known & imposed, True), (known & ~imposed, False)):
        worst = largest_change(placed, q, chosen)
        if worst is None:
            continue
        name, moved = robot.position_names[worst], f"from {placed[worst]:.6g} to {q[worst]:.6g}"
        if end:
            raise InputError(
                f"the imposed motion of '{name}' would take it {moved} at once at t = {t:g} s, where '{scenario.name}' begins;"
                " give a law that begins where the run before ends."
            )
        warnings.warn(
            f"at t = {t:g} s, where '{scenario.name}' begins, '{name}' was moved {moved} to agree with its constraints.",
            StartWarning,
            stacklevel=5,
        )


def with_history(begin: HandOver, before: Result, scenario: Scenario, origin: float) -> HandOver:
    """The same with what the first step needs; ``scenario`` has its step, which is counted from ``origin`` (s) on."""
    assert before.scenario is not None
    if _is_same(before, scenario) and _remember_alike(before.scenario, scenario):
        history = _known(before)
        if history is not None and scenario.numerics.integrator == "moreau":
            history = _without_sums(scenario.problem, history)
        assert before.q is not None and before.v is not None
        return HandOver(begin.t, before.q[-1].copy(), before.v[-1].copy(), begin.memory, 0.0, history)
    _check_new_surfaces(before.scenario.problem, scenario.problem, begin.q)
    history = _by_name(begin, before, scenario, origin)
    return HandOver(begin.t, begin.q, begin.v, begin.memory, begin.jump, history)


def _states(result: Result) -> np.ndarray:
    """States of laws where the run ended."""
    return np.atleast_1d(np.asarray(result.attributes.get("resume_memory", np.zeros(0)), dtype=float))


def _known(result: Result) -> np.ndarray | None:
    history = result.attributes.get("resume_history")
    return None if history is None else np.atleast_1d(np.asarray(history, dtype=float))


def _is_same(before: Result, scenario: Scenario) -> bool:
    """Whether the robot before, its drives and its numerics are those of the scenario."""
    assert before.scenario is not None
    if next(differences(before.attributes, about(scenario)), None) is not None:
        return False
    return before.scenario is scenario or seen_numbers(before.scenario) == seen_numbers(scenario)


def _remember_alike(one: Scenario, two: Scenario) -> bool:
    """Whether what one run remembers is what the other does: the same controller, the same contacts in the same order."""
    first, second = one.problem, two.problem
    laws = first.controller, second.controller
    sampled = [law for law in laws if isinstance(law, SampledController)]
    same_law = not sampled or (len(sampled) == 2 and sampled[0].is_like(sampled[1]))
    return same_law and list(first.contact.table.names) == list(second.contact.table.names)


def _without_sums(problem: Problem, history: np.ndarray) -> np.ndarray:
    """The history of a run with hard contact whose sums, such as lost energy, begin anew."""
    own = contact_kept(problem)
    front, back = np.split(history, [len(history) - own.size])
    recall_method(own, back)
    problem.contact.arrays.report.clear()
    return np.concatenate([front, own.vector()])


def _by_name(begin: HandOver, before: Result, scenario: Scenario, origin: float) -> np.ndarray | None:
    """What another robot takes over besides its state; None where there is nothing, or its method counts no steps."""
    assert before.scenario is not None
    numerics, old, new = scenario.numerics, before.scenario.problem, scenario.problem
    told, hits = _known(before), numerics.integrator == "moreau" and before.scenario.numerics.integrator == "moreau"
    same_step = before.scenario.numerics.step == numerics.step
    holds = isinstance(old.controller, SampledController) and isinstance(new.controller, SampledController)
    holds = holds and same_step and origin == 0.0  # both count control periods alike
    if told is None or not (hits or holds) or numerics.method.subject(new) is not new:
        return None
    parts = memories_of(old)
    torques = told[sum(map(len, parts)) - len(parts[-1]) : sum(map(len, parts))] if parts else told[:0]
    if hits:
        recall_method(contact_kept(old), told[sum(map(len, parts)) :])
        pairs, closed = _impulses(old)
    if isinstance(new.controller, SampledController):
        new.controller.begin(new, begin.t - origin, numerics.step)
        if holds:
            assert isinstance(old.controller, SampledController)
            new.controller.take_over(torques, old.controller, _places(old, new))
    front = np.concatenate([np.zeros(0), *memories_of(new)])
    if not hits:
        return front  # what the method itself remembers begins anew
    new.contact.begin(begin.q)
    _put(new, pairs, closed)
    return np.concatenate([front, contact_kept(new).vector()])


def _places(old: Problem, new: Problem) -> list[tuple[int, int]]:
    """Numbers of the coordinates of both robots."""
    first, second = (list(one.model.compiled.coordinate_names) for one in (old, new))
    return [(first.index(name), i) for i, name in enumerate(second) if name in first]


def _impulses(problem: Problem) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """By names of pairs: the warm start of each, and the last impulses of those that are closed."""
    contacts, names = problem.contact.arrays, problem.contact.table.names
    warm = {name: {key: getattr(contacts.warm, key)[n].copy() for key in _BY_PAIR} for n, name in enumerate(names)}
    for one in warm.values():  # steps are counted anew
        one["step"] = contacts.warm.steps - one["step"]
    last = {
        names[int(contacts.pair[i])]: {key: getattr(contacts, key)[i].copy() for key in _BY_CONTACT}
        for i in range(contacts.closed)
    }
    return warm, last


def _put(problem: Problem, pairs: dict[str, dict[str, Any]], closed: dict[str, dict[str, Any]]) -> None:
    """The same into another robot, as far as it has these pairs."""
    contacts, names = problem.contact.arrays, list(problem.contact.table.names)
    contacts.warm.steps = 1 + max((int(one["step"]) for one in pairs.values()), default=0)
    for n, name in enumerate(names):
        if name in pairs:
            for key in _BY_PAIR[1:]:
                getattr(contacts.warm, key)[n] = pairs[name][key]
            contacts.warm.step[n] = contacts.warm.steps - int(pairs[name]["step"])
    known = [name for name in closed if name in names]
    for i, name in enumerate(known):
        contacts.pair[i] = names.index(name)
        for key in _BY_CONTACT:
            getattr(contacts, key)[i] = closed[name][key]
    contacts.closed = len(known)


def _check_new_surfaces(old: Problem, new: Problem, q: np.ndarray) -> None:
    """Refuse parts that come with an overlap; what touched before may be a little inside, as steps leave it."""
    had, table = set(old.contact.table.names), new.contact.table
    fresh = [n for n, name in enumerate(table.names) if name not in had and table.arrays.kind[n] != PAIR.support]
    if not fresh:
        return
    deepest = min(zip(new.contact.gaps(q, fresh), fresh, strict=True))
    if deepest[0] < -_OVERLAP:
        raise InputError(
            f"the part that comes has '{table.names[deepest[1]]}' overlap by {-deepest[0]:.3g} m; give it a place at"
            " which nothing overlaps."
        )
