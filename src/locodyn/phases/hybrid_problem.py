"""A robot in phases: the problem of each phase, and what a transition makes of a state."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.integrate.checks import features_of, refusal
from locodyn.integrate.methods.adaptive import Adaptive
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.record import row_names
from locodyn.locomotion.rod_contacts import recall
from locodyn.phases.feet import Feet
from locodyn.phases.impact import Impact, held_rows, plastic_impact
from locodyn.phases.phases import Phase, Phases
from locodyn.phases.transition import Transition, exchanges, landed

_SLOW = 1e-9  # m/s relative to the speeds of the robot: a foot that leaves slower than this rests
_NO_PULL = 1e-9  # relative to the largest impulse
_ON_GROUND = 1e-6  # of the robot's length: feet that are so near to the ground land at once


@dataclass(frozen=True)
class Change:
    """What a transition did: time (s), state after it, the impact, and what about it is not admissible, in words."""

    transition: Transition
    time: float
    q: np.ndarray
    v: np.ndarray
    impact: Impact
    remarks: tuple[tuple[str, str, float], ...] = ()  # what, foot, amount
    refusal: str = ""


class HybridProblem:
    """The problems of all phases of one robot.

    Parameters
    ----------
    phases : Phases
    make : function(Phase) -> Problem
        All of them have one model.
    """

    def __init__(self, phases: Phases, make: Callable[[Phase], Problem]) -> None:
        self.phases = phases
        self._make = make
        self.problems: dict[str, Problem] = {name: make(phases[name]) for name in phases}
        for problem in self.problems.values():
            if sentence := refusal(Adaptive(), features_of(problem)):
                raise InputError(sentence)
        self.model = self.problems[phases.start].model
        self.feet = Feet(self.model)
        self._check_memories()
        for one in filter(exchanges, phases.transitions):
            mirrors = f"the legs change their names from '{one.source}' to '{one.target}', which mirrors the robot, but"
            instead = "give each leg a phase of its own instead of exchange=True."
            for held in self.model.compiled.rod_contacts:
                raise InputError(
                    f"{mirrors} the {held.contact.kind} '{held.contact.name}' holds rod '{held.body}' at a place in the world;"
                    f" {instead}"
                )
            for state in self.problems[one.source].memories.names:
                raise InputError(f"{mirrors} nothing says what becomes of the state '{state}' of a law with memory; {instead}")
        self._landing: dict[tuple[str, ...], Problem] = {}
        for name, phase in phases.phases.items():
            for foot in phase.feet:
                self.feet.check(foot, f"phase '{name}'")
            for joint in phase.locked:
                self.position(joint)
        for transition in phases.transitions:
            transition.check(self)
        if phases.mirror is not None:
            for foot in (*phases.mirror.feet, *phases.mirror.feet.values()):
                self.feet.check(foot, "the mirror")
            self.mirror_matrices  # noqa: B018  refuses what the robot does not have

    @cached_property
    def mirror_matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """As of :meth:`~locodyn.phases.phases.Mirror.matrices`."""
        assert self.phases.mirror is not None
        return self.phases.mirror.matrices(self.model)

    @cached_property
    def loose(self) -> Problem:
        """The robot where no foot holds and no joint is locked."""
        return self._make(Phase())

    def position(self, coordinate: str) -> int:
        """Where the position of a coordinate stands in q."""
        return self.model.position_of(coordinate)

    def _check_memories(self) -> None:
        """Refuse phases whose laws remember other states than those of the first one: they are handed on."""
        start = self.phases.start
        own = self.problems[start].memories.names
        for name, problem in self.problems.items():
            for state in sorted(set(own) ^ set(problem.memories.names)):
                here, there = (start, name) if state in own else (name, start)
                raise InputError(
                    f"phase '{here}' has the state '{state}' of a law with memory, but phase '{there}' does not; give both"
                    " phases laws with the same states."
                )

    def row_names(self) -> dict[str, list[str]]:
        """Names along the dimensions ``constraint``, ``contact`` and ``wheel``, of all phases."""
        found: dict[str, dict[str, None]] = {}
        for problem in self.problems.values():
            for what, names in row_names(problem).items():
                found.setdefault(what, {}).update(dict.fromkeys(names))
        return {what: list(names) for what, names in found.items()}

    def row_force(self, phase: str, row: str, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Force along a row that holds in a phase, N or N m; laws with memory are where the problem has put them."""
        problem = self.problems[phase]
        names = [one.name for one in problem.constraints.rows]
        series = problem.series(np.array([t]), q[None], v[None], np.array(problem.workspace.memory.value)[None])
        return float(series["multiplier"][0, names.index(row)])

    def freedoms(self, phase: str, q: np.ndarray) -> int:
        """How many independent velocities feet, loops and locked joints of a phase leave at the configuration q (nq,)."""
        if phase not in self.problems:
            raise InputError(f"there is no phase '{phase}'{nearest(phase, self.problems)}")
        _, rows, _ = held_rows(self.problems[phase], 0.0, q, np.zeros(self.model.nv))
        return self.model.nv - int(np.linalg.matrix_rank(rows)) if len(rows) else self.model.nv

    def actuation_degree(self, phase: str, actuators: Collection[str], q: np.ndarray) -> int:
        """Actuators less freedoms (Aguirre 2010, 1.2): negative is under-actuated, zero fully, positive over-actuated."""
        for name in actuators:
            self.position(name)
        return len(set(actuators)) - self.freedoms(phase, q)

    # ---------------------------------------------------------------------------------------------------------- transitions
    def after(self, transition: Transition) -> tuple[str, ...]:
        """Feet that hold after a transition, by the names that they have before it."""
        return tuple(self.name_after(transition, foot) for foot in self.phases[transition.target].feet)  # it undoes itself

    def name_after(self, transition: Transition, foot: str) -> str:
        """What a foot is called after a transition that may exchange the legs."""
        mirror = self.phases.mirror
        return mirror.other_foot(foot) if mirror and exchanges(transition) else foot

    def landing_problem(self, transition: Transition) -> Problem:
        """The problem whose rows hold after a transition, by the names before it."""
        stiff = getattr(transition, "stiff", {})
        if not exchanges(transition) and not stiff:
            return self.problems[transition.target]
        target = self.phases[transition.target]
        locked = self.mirrored_locks(target) if exchanges(transition) else target.locked
        phase = Phase(self.after(transition), None, {**locked, **stiff})
        key = (*phase.feet, *sorted(phase.locked))
        if key not in self._landing:
            self._landing[key] = self._make(phase)
        return self._landing[key]

    def mirrored_locks(self, phase: Phase) -> dict[str, float]:
        """Joints that a phase locks, with their angles (rad), by the names that they have before the legs are exchanged."""
        mirror = self.phases.mirror
        pairs = {} if mirror is None else {**mirror.pairs, **{two: one for one, two in mirror.pairs.items()}}
        return {pairs.get(name, name): value for name, value in phase.locked.items()}

    def change(
        self, transition: Transition, t: float, q: np.ndarray, v: np.ndarray, contacts: np.ndarray | None = None
    ) -> Change:
        """Impact of what lands, and exchange of the legs, at the state (q, v) of the guard.

        ``contacts``: what contacts on rods remember there; they hold through the impact.
        """
        begin, end = landed(self.phases[transition.source].feet, self.after(transition))
        locks = set(self.mirrored_locks(self.phases[transition.target]) if exchanges(transition)
                    else self.phases[transition.target].locked)  # fmt: skip
        if begin or locks - set(self.phases[transition.source].locked):
            problem = self.landing_problem(transition)
            if contacts is not None:
                recall(problem, contacts)
            impact = plastic_impact(problem, t, q, v)
        else:
            impact = Impact(v.copy(), {}, 0.0)
        remarks, refusal = self._judge(transition, q, v, impact, begin, end)
        q, v = self.exchanged(q, impact.velocity) if exchanges(transition) else (q.copy(), impact.velocity)
        return Change(transition, t, q, v, impact, remarks, refusal)

    def exchanged(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state with left and right changed."""
        positions, velocities = self.mirror_matrices
        return positions @ q, velocities @ v

    def _judge(
        self, transition: Transition, q: np.ndarray, v: np.ndarray, impact: Impact, begin: list[str], end: list[str]
    ) -> tuple[tuple[tuple[str, str, float], ...], str]:
        """What is not admissible about an impact, and what the impact map does not cover."""
        remarks: list[tuple[str, str, float]] = []
        for foot in begin:
            height = self.feet.height(foot, q)
            if abs(height) > _ON_GROUND * self.problems[transition.source].constraints.length:
                return (), (
                    f"the foot '{foot}' begins to hold in phase '{transition.target}', but it is {abs(height):.3g} m"
                    f" {'above' if height > 0.0 else 'below'} the ground; lead to a phase in which only feet that are on it hold."
                )
        largest = max((abs(one) for one in impact.impulse.values()), default=0.0)
        for foot in self.after(transition):
            normal = impact.impulse.get(f"{foot}.normal")
            if normal is None:
                continue
            along = math.hypot(*(impact.impulse.get(f"{foot}.{way}", 0.0) for way in ("first", "second")))
            if normal < -_NO_PULL * largest and foot in begin:
                remarks.append(("impulse pulls (N s)", foot, -normal))
            elif normal < -_NO_PULL * largest:
                return (), (
                    f"the impact of '{begin[0] if begin else transition.source}' would have to hold '{foot}' down by"
                    f" {-normal:.3g} N s: the foot bounces off, which this impact map of phase '{transition.target}' does not"
                    f" cover; let '{foot}' leave the ground there."
                )
            elif self.phases.friction is not None and along > self.phases.friction * normal * (1.0 + _NO_PULL):
                remarks.append(("impact slips, friction needed", foot, float(along / normal) if normal > 0.0 else np.inf))
        pace = float(np.abs(v).max(initial=0.0)) * self.problems[transition.source].constraints.length
        for foot in end if begin else ():
            speed = self.feet.rising_speed(foot, q, impact.velocity)
            if speed < -_SLOW * pace and not self.phases.scuffing:
                return tuple(remarks), (
                    f"after the impact of '{begin[0]}' the foot '{foot}' would go into the ground at {-speed:.3g} m/s: both feet"
                    f" hold, which the impact map into phase '{transition.target}' does not cover; lead to a phase in which both"
                    " do."
                )
        return tuple(remarks), ""
