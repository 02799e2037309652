"""Poincare maps of motions in phases: strides, their fixed points, multipliers, and the basin around them.

The section is where a phase begins. A robot on an even floor may be shifted along it: what a stride returns is taken up to such
shifts, and their trivial multipliers 1 are left out. With a mirror, a stride is one step: it ends where the mirror image of the
first phase begins, and the state is mirrored back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.motion.base import TERM, positive
from locodyn.newton import Linearised, damped_newton
from locodyn.phases.admissibility import Violation, is_limited, joined_violations, observed, violations
from locodyn.phases.hybrid_problem import Change, HybridProblem
from locodyn.phases.passage import Passage, travel
from locodyn.phases.variation import passage_matrix, scales

if TYPE_CHECKING:
    from locodyn.sim.scenario import Scenario

# Newton's method: rounds; the longest step, relative to the sizes of the state; the shortest share of a step; the change of a
# stride below which steps are taken as they are.
_ROUNDS, _LONGEST, _SHORTEST, _NEAR = 30, 0.3, 1e-3, 1e-6
_EXACT = 1e-9  # of a symmetry: what it may leave
_FELT = 1e-6  # change of accelerations, relative: round-off of controllers is below it
_LOOKS = 100  # in a phase, at what is not admissible


@dataclass(frozen=True)
class Stride:
    """From a state at the section to the next one.

    ``q``, ``v``: the state after it. ``duration`` s. ``advance`` (3,) m: how far the mass centre went. ``loss`` J in impacts.
    """

    start_q: np.ndarray
    start_v: np.ndarray
    q: np.ndarray
    v: np.ndarray
    duration: float
    advance: np.ndarray
    mirrored: bool
    passages: tuple[Passage, ...] = field(repr=False)
    changes: tuple[Change, ...] = field(repr=False)

    @property
    def loss(self) -> float:
        """Energy lost in impacts, J."""
        return sum(change.impact.loss for change in self.changes)

    @property
    def speed(self) -> float:
        """Mean speed along x and y, m/s."""
        return float(np.hypot(*self.advance[:2]) / self.duration)


@dataclass(frozen=True)
class Orbit:
    """A fixed point of the map: a gait that repeats itself.

    ``q``, ``v``: at the beginning of the phase. ``multipliers``: of the section, the largest first, without those of shifts.
    ``defect``: what a stride still changes, in units of the robot. ``matrix`` (2 nv, 2 nv): derivative of the stride up to
    shifts. ``rounds`` of Newton's method.
    """

    q: np.ndarray
    v: np.ndarray
    stride: Stride
    multipliers: np.ndarray
    matrix: np.ndarray
    defect: float
    rounds: int

    @property
    def stable(self) -> bool:
        """Whether all multipliers lie inside the unit circle."""
        return bool(np.abs(self.multipliers).max(initial=0.0) < 1.0)


class PoincareMap:
    """The return map of a robot in phases.

    Parameters
    ----------
    robot : HybridProblem, or a scenario with phases
    phase : str
        At the beginning of which the section is; by default the first one.
    tolerance : float
        Of the integration.
    longest : s
        A stride that takes longer has failed.

    >>> import locodyn as ld
    >>> step = PoincareMap(ld.zoo.compass_gait())  # doctest: +SKIP
    >>> step.fixed_point().multipliers[:2]                   # doctest: +SKIP
    """

    def __init__(
        self, robot: HybridProblem | Scenario, phase: str | None = None, *, tolerance: float = 1e-11, longest: float = 20.0
    ) -> None:
        self.hybrid: HybridProblem = robot if isinstance(robot, HybridProblem) else robot.hybrid
        self.scenario = None if isinstance(robot, HybridProblem) else robot
        self.phase = self.hybrid.phases.start if phase is None else phase
        if self.phase not in self.hybrid.problems:
            raise InputError(f"there is no phase '{self.phase}' at which a stride could begin.")
        self.model, self.tolerance = self.hybrid.model, positive(tolerance, "the tolerance of strides")
        self.longest = positive(longest, "the longest time of a stride")
        for held in self.model.compiled.rod_contacts:
            raise InputError(
                f"the {held.contact.kind} '{held.contact.name}' holds rod '{held.body}' at a place in the world, where no later"
                " stride finds it; take it out to look at strides, or run the scenario."
            )
        for state in self.hybrid.problems[self.phase].memories.names:
            raise InputError(
                f"the state '{state}' of a law with memory would be one more of a stride, which the map of strides does not know;"
                " take the law out, or run the scenario."
            )
        for phase, problem in self.hybrid.problems.items():
            for law in problem.table.laws:
                if any(term.kind != TERM.polynomial or len(term.coefficients) > 1 or term.window for term in law.terms):
                    raise InputError(
                        f"phase '{phase}' has the law {law.describe()} of time, which begins anew with no stride; let a"
                        " controller follow it from the beginning of the phase (TimedConstraints)."
                    )

    # -------------------------------------------------------------------------------------------------------------- strides
    def _ends(self, name: str) -> tuple[bool, bool]:
        """Whether a stride ends where this phase begins, and whether it is the mirror image of the first."""
        if name == self.phase:
            return True, False
        mirror, phases = self.hybrid.phases.mirror, self.hybrid.phases
        if mirror is None:
            return False, False
        one, two = phases[self.phase], phases[name]
        image = {mirror.other_foot(foot) for foot in one.feet} == set(two.feet)
        return (True, True) if image and len(one.locked) == len(two.locked) else (False, False)

    def __call__(self, q: np.ndarray, v: np.ndarray) -> Stride:
        """One stride from the state (q, v); :class:`RunError` where the robot falls or a stride takes too long."""
        hybrid, phase, t = self.hybrid, self.phase, 0.0
        passages: list[Passage] = []
        changes: list[Change] = []
        place, speed, mirrored, done = np.array(q, dtype=float), np.array(v, dtype=float), False, False
        while not done:
            way = travel(hybrid, phase, t, place, speed, self.longest, self.tolerance)
            if way.transition is None or way.failure:
                why = way.failure or f"phase '{phase}' has not ended after {self.longest:g} s"
                raise RunError(f"the stride has no end: {why}.")
            change = hybrid.change(way.transition, way.end, *way.state(way.end))
            if change.refusal:
                raise RunError(f"the stride has no end: at t = {way.end:g} s {change.refusal}")
            passages.append(way)
            changes.append(change)
            phase, t, place, speed = way.transition.target, way.end, change.q, change.v
            done, mirrored = self._ends(phase)
        begun = passages[0]
        advance = self.model.centre_of_mass(place) - self.model.centre_of_mass(begun.q)
        if mirrored:
            place, speed = hybrid.exchanged(place, speed)
        return Stride(begun.q, begun.v, place, speed, t, advance, mirrored, tuple(passages), tuple(changes))

    def matrix(self, stride: Stride) -> np.ndarray:
        """Derivative (2 nv, 2 nv) of the state after a stride by the state before it, exact up to round-off of slopes."""
        product = np.eye(2 * self.model.nv)
        for way, change in zip(stride.passages, stride.changes, strict=True):
            product = passage_matrix(self.hybrid, way, change) @ product
        if stride.mirrored:
            # Positions of single-axis joints are exchanged as their rates are.
            turn = self.hybrid.mirror_matrices[1]
            n = self.model.nv
            both = np.zeros((2 * n, 2 * n))
            both[:n, :n] = both[n:, n:] = turn
            product = both @ product
        return product

    # --------------------------------------------------------------------------------------------------------------- shifts
    @cached_property
    def _bodies(self) -> tuple[str, ...]:
        return tuple(self.model.compiled.body_names)

    def shifts(self, q: np.ndarray) -> np.ndarray:
        """Velocities (nv, k) that move the whole robot along the floor of its feet: symmetries of the map; without feet none."""
        model, parts = self.model, []
        contact = next(iter(self.hybrid.feet.contacts.values()), None)
        if contact is None:
            return np.zeros((model.nv, 0))
        floor = np.asarray(contact.plane, dtype=float)
        for name in self._bodies:
            jacobian, rotation = model.jacobian(name, q), model.pose(name, q)[0]
            parts.append(np.vstack([rotation @ jacobian[:3], rotation @ jacobian[3:]]))
        rows = np.vstack(parts)
        found = []
        for direction in floor[:, :2].T:
            wanted = np.tile(np.concatenate([direction, np.zeros(3)]), len(self._bodies))
            moved = np.array([p for p in range(len(wanted)) if np.abs(rows[p]).any()])
            speed = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            off = (rows @ speed - wanted)[moved] if len(moved) else wanted
            if np.abs(off).max(initial=0.0) < _EXACT and np.abs(speed).max(initial=0.0) > _EXACT:
                found.append(speed)
        return np.array(found).T.reshape(model.nv, len(found))

    def up_to_shifts(self, q: np.ndarray) -> np.ndarray:
        """Projector (2 nv, 2 nv) that takes shifts out of a change of state, but for those that a spring or so would feel."""
        n = self.model.nv
        result, shifts = np.eye(2 * n), self.shifts(q)
        shifts = shifts[:, [not self._feels(q, one) for one in shifts.T]]
        if shifts.shape[1]:
            result[:n, :n] -= shifts @ np.linalg.pinv(shifts)
        return result

    def _feels(self, q: np.ndarray, shift: np.ndarray) -> bool:
        """Whether the robot at rest accelerates otherwise where it is shifted by its length."""
        problem, rest = self.hybrid.problems[self.phase], np.zeros(self.model.nv)
        there = self.model.move(q, problem.constraints.length * shift)
        one, two = (np.array(problem.accelerations(0.0, place, rest.copy())) for place in (q.copy(), there))
        return bool(np.abs(one - two).max() > _FELT * max(1.0, float(np.abs(one).max())))

    def violations(self, stride: Stride) -> list[Violation]:
        """What the ground does not allow about a stride, as runs tell it; looked at at the ends of its steps and between them."""
        found = [Violation(what, foot, way.phase, way.end, amount)
                 for way, change in zip(stride.passages, stride.changes, strict=True)
                 for what, foot, amount in change.remarks]  # fmt: skip
        for way in stride.passages:
            if is_limited(self.hybrid, way.phase):
                interval = (way.end - way.begin) / _LOOKS
                marks = np.unique([*np.linspace(way.begin, way.end, _LOOKS + 1), *(piece.end for piece in way.pieces)])
                series = observed(self.hybrid, way, marks[marks <= way.end])
                found += violations(self.hybrid, way, series, interval)
        return joined_violations(found)

    # --------------------------------------------------------------------------------------------------------- fixed points
    def fixed_point(self, q: np.ndarray | None = None, v: np.ndarray | None = None, tolerance: float = 1e-10) -> Orbit:
        """The gait near the state (q, v), by Newton's method with the derivative of the stride; by default near the start."""
        if q is None or v is None:
            if self.scenario is None:
                raise InputError("a problem has no start of its own; give the state (q, v) near which the gait is.")
            q, v = self.scenario.initial_state()
        n = self.model.nv

        def linearised(here: Stride) -> Linearised[Stride]:
            q, v, sizes, off = here.start_q, here.start_v, scales(self.hybrid, here.start_v), self._off(here)
            size = float(np.abs(off / sizes).max())
            if size <= tolerance:
                return Linearised(size, lambda share: (here, size), solved=True)
            step = np.linalg.solve(np.eye(2 * n) - self._section_matrix(here), off)

            def ahead(share: float) -> tuple[Stride, float]:
                try:
                    there = self(self.model.move(q, share * step[:n]), v + share * step[n:])
                except RunError:  # it falls: nearer to where it walks
                    return here, np.inf
                return there, float(np.abs(self._off(there) / sizes).max())

            longest = _LONGEST / float(np.abs(step / sizes).max())
            return Linearised(size, ahead, reach=min(1.0, longest), free=size <= _NEAR)

        begin = self(np.array(q, dtype=float), np.array(v, dtype=float))
        found = damped_newton(begin, linearised, most=_ROUNDS, shortest=_SHORTEST)
        stride, defect = found.x, linearised(found.x).size
        if not found.converged:
            raise RunError(
                f"no gait was found near this state: after {found.iterations} rounds a stride still changes it by {defect:.2g}."
            )
        matrix = self._section_matrix(stride)
        return Orbit(stride.start_q, stride.start_v, stride, sorted_multipliers(matrix), matrix, defect, found.iterations - 1)

    def _off(self, stride: Stride) -> np.ndarray:
        """What a stride changes (2 nv,), up to shifts."""
        change = np.concatenate([self.model.difference(stride.start_q, stride.q), stride.v - stride.start_v])
        return np.asarray(self.up_to_shifts(stride.start_q) @ change)

    def _section_matrix(self, stride: Stride) -> np.ndarray:
        """Derivative (2 nv, 2 nv) of the stride up to shifts."""
        return np.asarray(self.up_to_shifts(stride.start_q) @ self.matrix(stride))

    def basin(
        self, orbit: Orbit, size: float, count: int = 20, strides: int = 30, seed: int = 0, near: float = 1e-3
    ) -> tuple[float, np.ndarray]:
        """Share of ``count`` random starts about a gait from which the robot comes back to it, and their changes (count, 2 nv).

        ``size``: of the changes, relative to 1 rad, the robot's length and its pace; they are put on the rows of the phase.
        ``near``: after ``strides`` the state must be so close to the gait, relative to the same.
        """
        rng = np.random.default_rng(seed)
        n, sizes = self.model.nv, scales(self.hybrid, orbit.v)
        changes, back = size * sizes * rng.uniform(-1.0, 1.0, (count, 2 * n)), 0
        for change in changes:
            q, v = self.model.move(orbit.q, change[:n]), orbit.v + change[n:]
            try:
                for _ in range(strides):
                    stride = self(q, v)
                    q, v = stride.q, stride.v
            except RunError:
                continue
            off = self.up_to_shifts(orbit.q) @ np.concatenate([self.model.difference(orbit.q, q), v - orbit.v])
            back += bool(np.abs(off / sizes).max() < near)
        return back / count, changes


def sorted_multipliers(matrix: np.ndarray) -> np.ndarray:
    """Eigenvalues, the largest first."""
    found = np.linalg.eigvals(matrix)
    return found[np.lexsort((-found.imag, -np.abs(found).round(12)))]
