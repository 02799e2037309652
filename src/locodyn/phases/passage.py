"""One phase in time: from a state to the first transition, by Dormand-Prince 8(5,3) with dense output."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from locodyn.integrate.adaptive import Local, start_anew
from locodyn.integrate.base import Progress
from locodyn.locomotion.problem import Problem
from locodyn.phases.hybrid_problem import HybridProblem
from locodyn.phases.transition import BOTH, Transition
from locodyn.shape.configuration import moved_configuration

_LOOKS = (0.25, 0.5, 0.75, 1.0)  # parts of a step at which guards are looked at, so that one that dips is seen


Began = tuple[float, np.ndarray, np.ndarray]


@dataclass
class Piece:
    """A step: from ``begin`` to ``end`` (s), about the configuration ``anchor`` (nq,); ``dense``: its local state at a time."""

    begin: float
    end: float
    anchor: np.ndarray
    dense: Callable[[float], np.ndarray]


@dataclass
class Passage:
    """The motion in one phase from the state (q, v, memory); ``transition``: what ended it at ``end`` (s), or None.

    ``failure``: why it stopped, in words.
    """

    problem: Problem
    phase: str
    begin: float
    q: np.ndarray
    v: np.ndarray
    memory: np.ndarray
    end: float
    pieces: list[Piece] = field(default_factory=list)
    transition: Transition | None = None
    failure: str = ""
    evaluations: int = 0

    def raw(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """State of the dense output at a time, off the rows by its error; that of laws with memory goes to the problem."""
        model, number = self.problem.model, bisect.bisect_left(self.pieces, t, key=lambda piece: piece.end)
        piece = self.pieces[min(number, len(self.pieces) - 1)]
        y, q = piece.dense(t), np.empty(model.nq)
        moved_configuration(model.frames, piece.anchor, np.ascontiguousarray(y[: model.nv]), q)
        self.problem.workspace.memory.value[:] = y[2 * model.nv :]
        return q, np.array(y[model.nv : 2 * model.nv])

    def state(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """State (q, v) at a time within the passage, on motions and rows; laws with memory are put to theirs."""
        if t <= self.begin or not self.pieces:
            self.problem.workspace.memory.value[:] = self.memory
            return self.q.copy(), self.v.copy()
        q, v = self.raw(t)
        rows = self.problem.arrays.rows is not None or len(self.problem.arrays.imposed)
        return self.problem.imposed_state(t, q, v) if rows else (q, v)

    def states(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (N, nq), v (N, nv) and states (N, nz) of laws with memory at several times."""
        found = [(*self.state(float(t)), np.array(self.problem.workspace.memory.value)) for t in times]
        q, v, memory = (np.array(column) for column in zip(*found, strict=True))
        return q, v, memory


def travel(
    hybrid: HybridProblem, phase: str, t: float, q: np.ndarray, v: np.ndarray, t_end: float, tolerance: float,
    on_progress: Progress | None = None, memory: np.ndarray | None = None, began: Began | None = None,
) -> Passage:  # fmt: skip
    """From the state (q, v, memory) at time t to the first transition out of ``phase``, at the latest to ``t_end`` (s).

    ``began``: time and state (q, v) where the phase began, if not here.
    """
    problem = hybrid.problems[phase]
    q, v = problem.start_state(t, q, v)
    hybrid.phases.restart(phase, *((t, q, v) if began is None else began))
    kept = problem.memories.start(None) if memory is None else memory
    problem.workspace.memory.value[:] = kept
    way = Passage(problem, phase, t, q.copy(), v.copy(), np.array(kept), t)
    local = Local(problem, q)
    solver = DOP853(local, t, np.concatenate([np.zeros(local.nv), v, kept]), t_end, rtol=max(tolerance, 3e-14), atol=tolerance)
    guards = hybrid.phases.out_of(phase)
    values = [one.guard(hybrid, t, q, v) for one in guards]
    while solver.status == "running" and way.transition is None:
        with np.errstate(over="ignore", invalid="ignore"):  # a step on stiff ground that was tried too long is given up
            message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            way.failure = f"no step small enough at t = {solver.t:g} s ({message or 'the state is not a number'})"
            break
        way.pieces.append(Piece(float(solver.t_old), float(solver.t), local.anchor.copy(), solver.dense_output()))
        way.end = float(solver.t)
        values = _look(hybrid, way, guards, values)
        if on_progress is not None:
            on_progress(way.end)
        start_anew(problem, local, solver)
    way.evaluations = solver.nfev
    return way


def _look(hybrid: HybridProblem, way: Passage, guards: tuple[Transition, ...], before: list[float]) -> list[float]:
    """Guards at the end of the last step; the first zero that counts ends the passage there."""
    piece = way.pieces[-1]
    times = [piece.begin, *(piece.begin + part * (piece.end - piece.begin) for part in _LOOKS)]
    first, after = None, []
    for one, value in zip(guards, before, strict=True):

        def at(t: float, one: Transition = one) -> float:
            return one.guard(hybrid, t, *way.raw(t))

        for start, stop in zip([times[0], *times], times, strict=False):  # first the gap that projection leaves between steps
            new = at(stop)
            passes = value * new < 0.0 or (new == 0.0 and value != 0.0)
            if passes and (one.sense == BOTH or one.sense * (new - value) > 0.0):
                zero = float(brentq(at, start, stop, xtol=1e-15, rtol=8.9e-16)) if start < stop else start
                if one.armed(hybrid, way.raw(zero)[0]) and (first is None or zero < first):
                    first, way.transition = zero, one
            value = new
        after.append(value)
    if first is not None:
        way.end = piece.end = first
    return after
