"""One phase in time: from a state to the first transition, by Dormand-Prince 8(5,3) with dense output."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.integrate.base import Progress
from locodyn.integrate.grip_losses import missed_place
from locodyn.integrate.local_state import ContactChanges, Local
from locodyn.locomotion.constrained import hold_rows
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.rod_contacts import recall, remembered
from locodyn.phases.compiled_steps import CompiledSteps, law_of
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.transition import BOTH, Transition
from locodyn.shape.configuration import moved_configuration
from locodyn.world.rod_places import INSTANT

_WRAPS = 1001  # times between which abscissas of contacts on rods are looked at for wraps
_LOOKS = (0.25, 0.5, 0.75, 1.0)  # parts of a step at which guards are looked at, so that one that dips is seen


Began = tuple[float, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Brought:
    """What a phase takes from what was before it, besides the state (q, v).

    ``memory`` (nz,): states of laws with memory; None: those of the start. ``began``: time and state (q, v) where the phase
    began, if not here. ``contacts``: what contacts on rods remember; None: they take hold anew.
    """

    memory: np.ndarray | None = None
    began: Began | None = None
    contacts: np.ndarray | None = None


@dataclass
class Piece:
    """A step: from ``begin`` to ``end`` (s), about the configuration ``anchor`` (nq,); ``dense``: its local state at a time.

    ``contacts``: what contacts on rods remember in it.
    """

    begin: float
    end: float
    anchor: np.ndarray
    dense: Callable[[float], np.ndarray]
    contacts: np.ndarray


@dataclass
class Passage:
    """The motion in one phase from the state (q, v, memory); ``transition``: what ended it at ``end`` (s), or None.

    ``contacts``: what contacts on rods remember at its end. ``losses``: (time s, energy J) of those that took hold of a section
    that moved, a plastic impact; ``struck``: time (s) and state (q, v) after each. ``failure``: why it stopped, in words.
    """

    problem: Problem
    phase: str
    begin: float
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    end: float
    contacts: np.ndarray
    pieces: list[Piece] = field(default_factory=list)
    losses: list[tuple[float, float]] = field(default_factory=list)
    struck: list[Began] = field(default_factory=list)
    transition: Transition | None = None
    failure: str = ""
    evaluations: int = 0

    def _piece(self, t: float) -> Piece:
        number = bisect.bisect_left(self.pieces, t, key=lambda piece: piece.end)
        return self.pieces[min(number, len(self.pieces) - 1)]

    def contacts_at(self, t: float) -> np.ndarray:
        """What contacts on rods remember at a time within the passage."""
        return self.contacts if t >= self.end or not self.pieces else self._piece(t).contacts

    def raw(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """State of the dense output at a time, off the rows by its error; that of laws with memory goes to the problem."""
        model, piece = self.problem.model, self._piece(t)
        y, q = piece.dense(t), np.empty(model.nq)
        recall(self.problem, piece.contacts)
        moved_configuration(model.frames, piece.anchor, np.ascontiguousarray(y[: model.nv]), q)
        self.problem.workspace.memory.value[:] = y[2 * model.nv :]
        return q, np.array(y[model.nv : 2 * model.nv])

    def state(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at a time within the passage, on motions and rows; laws with memory are put to theirs."""
        if t <= self.begin or not self.pieces:
            self.problem.workspace.memory.value[:] = self.memory
            return self.q.copy(), self.v.copy()
        q, v = self.raw(t)
        for time, struck_q, struck_v in self.struck:
            if abs(t - time) <= INSTANT:
                return struck_q.copy(), struck_v.copy()
        rows = self.problem.arrays.rows
        if rows is None and not len(self.problem.arrays.imposed):
            return q, v
        hold_rows(rows, 1)
        q, v = self.problem.imposed_state(t, q, v)
        hold_rows(rows, 0)
        return q, v

    def states(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (N, nq), v (N, nv) and states (N, nz) of laws with memory at several times."""
        found = [(*self.state(float(t)), np.array(self.problem.workspace.memory.value)) for t in times]
        q, v, memory = (np.array(column) for column in zip(*found, strict=True))
        return q, v, memory


def travel(
    hybrid: HybridProblem, phase: str, t: float, q: np.ndarray, v: np.ndarray, t_end: float, tolerance: float,
    on_progress: Progress | None = None, brought: Brought | None = None,
) -> Passage:  # fmt: skip
    """From the state (q, v) at time t to the first transition out of ``phase``, at the latest to ``t_end`` (s)."""
    problem, brought = hybrid.problems[phase], brought or Brought()
    q, v = problem.start_state(t, q, v, brought.contacts)
    hybrid.phases.restart(phase, *((t, q, v) if brought.began is None else brought.began))
    kept = problem.memories.start(None) if brought.memory is None else brought.memory
    problem.workspace.memory.value[:] = kept
    way = Passage(problem, phase, t, q.copy(), v.copy(), np.array(kept), t, remembered(problem))
    try:
        _follow(hybrid, way, t_end, tolerance, on_progress)
    finally:
        hold_rows(problem.arrays.rows, 0)
    return way


def _follow(hybrid: HybridProblem, way: Passage, t_end: float, tolerance: float, on_progress: Progress | None) -> None:
    """Steps of a passage that has begun, to its end."""
    problem, t, q, v = way.problem, way.begin, way.q, way.v
    local, changes = Local(problem, q), ContactChanges(problem, t_end, np.linspace(t, t_end, _WRAPS))
    state, words = np.concatenate([np.zeros(local.nv), v, way.memory]), {"rtol": max(tolerance, 3e-14), "atol": tolerance}
    compiled, law = law_of(problem)
    solver = (
        CompiledSteps(local, law, t, state, changes.bound(t), **words)
        if compiled
        else DOP853(local, t, state, changes.bound(t), **words)
    )
    guards = hybrid.phases.out_of(way.phase)
    values = [one.guard(hybrid, t, q, v) for one in guards]
    way.transition = next((one for one, value in zip(guards, values, strict=True) if one.at_once(hybrid, value)), None)
    values = [0.0 if abs(value) <= one.rest(hybrid) else value for one, value in zip(guards, values, strict=True)]
    stands = hybrid.feet.centre_height(q) > 0.0
    while solver.status == "running" and way.transition is None:
        with np.errstate(over="ignore", invalid="ignore"):  # a step on stiff ground that was tried too long is given up
            message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            way.failure = f"no step small enough at t = {solver.t:g} s ({message or 'the state is not a number'})"
            break
        dense = solver.dense_output()
        changes.cut(local, dense, solver)
        way.contacts = remembered(problem)
        way.pieces.append(Piece(float(solver.t_old), float(solver.t), local.anchor.copy(), dense, way.contacts))
        way.end = float(solver.t)
        values = _look(hybrid, way, guards, values)
        if stands and way.transition is None and hybrid.feet.centre_height(way.raw(way.end)[0]) < 0.0:
            _fall(hybrid, way)
            break
        if on_progress is not None:
            on_progress(way.end)
        if way.transition is None:
            hold_rows(problem.arrays.rows, 1)  # looks at guards have let them go
            _pass_by(way, changes, local, solver)
            if way.failure:
                break
    way.evaluations = solver.nfev


def _fall(hybrid: HybridProblem, way: Passage) -> None:
    """The passage ends where the mass centre comes down to the ground on which only feet stand: the rest would go through it."""
    piece = way.pieces[-1]

    def height(t: float) -> float:
        return hybrid.feet.centre_height(way.raw(t)[0])

    way.end = piece.end = float(brentq(height, piece.begin, piece.end)) if height(piece.begin) > 0.0 else piece.begin
    name = hybrid.model.compiled.name
    way.failure = f"'{name}' has fallen: its mass centre comes down to the ground of its feet at t = {way.end:g} s"


def _pass_by(way: Passage, changes: ContactChanges, local: Local, solver: DOP853) -> None:
    """Contacts on rods change between two steps; what takes hold of a section that moves is a plastic impact."""
    contacts = None if changes.rows is None else changes.rows.rod_contacts
    if contacts is None:
        changes.pass_by(local, solver)
        return
    before, (q, v) = contacts.there.copy(), local.state(solver.y)
    contacts.missed[:] = 0.0
    changes.pass_by(local, solver)
    missed = missed_place(way.problem, np.array([way.end]))
    if missed is not None:
        way.failure = missed[1].removesuffix(".")
    elif (contacts.there > before).any():
        model, after = way.problem.model, local.state(solver.y)
        way.losses.append((way.end, model.kinetic_energy(q, v) - model.kinetic_energy(*after)))
        way.struck.append((way.end, *after))
        way.contacts = remembered(way.problem)


def _look(hybrid: HybridProblem, way: Passage, guards: tuple[Transition, ...], before: list[float]) -> list[float]:
    """Guards at the end of the last step; the first zero that counts ends the passage there."""
    piece = way.pieces[-1]
    times = [piece.begin, *(piece.begin + part * (piece.end - piece.begin) for part in _LOOKS)]
    first, after = None, []
    for one, value in zip(guards, before, strict=True):
        rest = one.rest(hybrid)

        def at(t: float, level: float = 0.0, one: Transition = one) -> float:
            return one.guard(hybrid, t, *way.raw(t)) - level

        for start, stop in zip([times[0], *times], times, strict=False):  # first the gap that projection leaves between steps
            new = at(stop)
            if value == 0.0 and abs(new) <= rest:
                continue  # it has not left the zero at which it began
            passes = value * new < 0.0 or (new == 0.0 and value != 0.0) or (value == 0.0 < rest)
            if passes and (one.sense == BOTH or one.sense * (new - value) > 0.0):
                level = 0.0 if value != 0.0 else math.copysign(rest, new)
                zero = float(brentq(at, start, stop, (level,), 1e-15, 8.9e-16)) if start < stop else start
                if one.armed(hybrid, way.raw(zero)[0]) and (first is None or zero < first):
                    first, way.transition = zero, one
            value = new
        after.append(value)
    if first is not None:
        way.end = piece.end = first
    return after
