"""Runs of the implicit methods, :mod:`locodyn.integrate.implicit.run`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.history import wrong_length
from locodyn.integrate.implicit.arrays import ImplicitScratch, implicit_scratch
from locodyn.integrate.implicit.run import (
    ANEW,
    EVALUATE,
    FAILED,
    START,
    first_stage,
    implicit_run,
    implicit_stage,
    stage_time,
)
from locodyn.integrate.implicit.schemes import SchemeArrays
from locodyn.integrate.implicit.step import evaluate_stage
from locodyn.integrate.steppers.base import FixedRun, Rows, StepFailed, Stepper
from locodyn.kernel.bundle import Bundle

# What a step takes from those before it: accelerations and unknowns to guess from, Newton's matrix, the slopes it was made of and
# how well it did, the length of parts. Where a bundle has scratch beside that, it goes along; of these only some arrays count.
_KEPT = ("history", "stages", "newton", "matrix", "balance", "parts", "tangent", "lanes")
_ONLY = {
    "tangent": ("by_q", "by_v", "by_a", "by_z", "rate_by_q", "rate_by_v", "rate_by_z"),
    "balance": ("energy", "momentum"),
    "lanes": ("factors", "cross_factors", "real_order", "pair_order"),
}


class ImplicitStepper(Stepper):
    """A scheme with Newton's ``tolerance``; ``error``: what parts of a step are adapted to, or 0 for whole steps."""

    def __init__(self, run: FixedRun, scheme: SchemeArrays, tolerance: float, error: float = 0.0) -> None:
        super().__init__(run)
        self.scheme, self.tolerance = scheme, tolerance
        self.scratch = implicit_scratch(run.problem, len(scheme.times), error)
        self.multipliers = [np.zeros((1, self.scratch.stages.multipliers.shape[1]))]
        self._parts: list[Rows] = []
        if run.history is not None:
            self.recall(run.history)
            self.multipliers[0][0] = self.scratch.stages.multipliers[-1]

    def chunk(self, first: int, count: int, q: np.ndarray, v: np.ndarray, rows: Rows) -> int:
        """As of :class:`Stepper`."""
        run, problem, filled, end = self.run, self.run.problem, 0, first + count
        multipliers = np.zeros((len(rows.times), self.scratch.stages.multipliers.shape[1]))
        failed = False
        while first < end and not failed:
            left = rows.part(filled)
            new, first, failed = implicit_run(
                problem.arrays, self.scheme, problem.inputs, run.origin, run.step, first, end - first, run.every, self.tolerance,
                q, v, problem.workspace, self.scratch, left.times, left.q, left.v, multipliers[filled:], left.iterations,
                left.memory,
            )  # fmt: skip
            filled += int(new)
            self._take_parts()
        self.multipliers.append(multipliers[:filled])
        if failed:
            raise not_converged(run.origin + first * run.step, filled)
        return filled

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, scheme, scratch = self.run, self.run.problem, self.scheme, self.scratch
        arrays, inputs, work, state, parts = problem.arrays, problem.inputs, problem.workspace, scratch.state, scratch.parts
        k = first_stage(arrays, scheme, run.time(n), run.step, v, work, scratch)
        while k >= 0:
            time = float(stage_time(k, scheme, run.time(n), parts))
            if k == EVALUATE:  # first without asking, to know the state at which the functions are asked
                if len(arrays.imposed):  # else functions would see imposed coordinates where the stage before had them
                    problem.read_inputs(time, state.q, state.v, forces=False)
                evaluate_stage(arrays, scheme, inputs, parts.part, parts.stage, q, work, scratch)
            problem.read_inputs(time, *((q, v) if k in (START, ANEW) else (state.q, state.v)))
            k = implicit_stage(k, arrays, scheme, inputs, run.step, self.tolerance, q, v, work, scratch)
        self._take_parts()
        if k == FAILED:
            raise not_converged(run.time(n))
        return int(parts.used)

    def follow_parts(self) -> None:
        """As of :class:`Stepper`."""
        self.scratch.trail.wanted = 1

    def parts(self) -> list[Rows]:
        """As of :class:`Stepper`."""
        found, self._parts = self._parts, []
        return found

    def _take_parts(self) -> None:
        """What the trail has, and an empty one."""
        trail = self.scratch.trail
        if trail.count:
            times, q, v, memory = (np.array(one[: trail.count]) for one in (trail.times, trail.q, trail.v, trail.memory))
            self._parts.append(Rows(times, q, v, np.zeros(trail.count, dtype=np.int64), memory))
        trail.count, trail.stride, trail.skipped = 0, 1, 0

    def restart(self) -> None:
        """As of :class:`Stepper`: generalized-alpha and its kin remember accelerations, stages do not."""
        if self.scheme.remembers:
            self.scratch.history.started = 0

    def note(self, q: np.ndarray) -> None:
        """Multipliers of the last stage."""
        self.multipliers.append(self.scratch.stages.multipliers[-1:].copy())

    def history(self) -> np.ndarray:
        """All that a step may take from those before it, in one vector."""
        arrays, numbers = self._kept()
        return np.concatenate([*arrays, np.array([getattr(owner, name) for owner, name in numbers], dtype=float)])

    def recall(self, history: np.ndarray) -> None:
        """What :meth:`history` gave."""
        arrays, numbers = self._kept()
        size = sum(map(len, arrays)) + len(numbers)
        if len(history) != size:
            raise wrong_length(len(history), size)
        for array in arrays:
            array[...], history = history[: len(array)], history[len(array) :]
        for (owner, name), word in zip(numbers, history, strict=True):
            setattr(owner, name, type(getattr(owner, name))(word))

    def _kept(self) -> tuple[list[np.ndarray], list[tuple[Bundle, str]]]:
        """Flat views of the arrays, and the numbers, each with its bundle; found once for the scratch, which stays as it is."""
        kept, words = self.run.problem.kept, f"history of {len(self.scheme.times)} stages"
        if words not in kept:
            found = [(getattr(self.scratch, part), name) for part in _KEPT for name in _names(part, self.scratch)]
            arrays = [(getattr(owner, name), owner, name) for owner, name in found]
            kept[words] = (
                [_flat(value) for value, _, _ in arrays if isinstance(value, np.ndarray)],
                [(owner, name) for value, owner, name in arrays if isinstance(value, (int, float))],
            )
        views: tuple[list[np.ndarray], list[tuple[Bundle, str]]] = kept[words]
        return views

    def complete(self, solution: Solution, done: int) -> None:
        """Multipliers of all rows; at the start those of the first step."""
        super().complete(solution, done)
        if self.run.problem.constraints.rows:
            rows, all_steps = len(solution.times), np.concatenate(self.multipliers)
            kept = self.run.are_kept(self.run.first, len(all_steps) - 1)
            solution.multipliers = all_steps[np.concatenate([[0], 1 + kept])[:rows]]
            if self.run.history is None:
                solution.multipliers[0] = solution.multipliers[min(1, rows - 1)]


def _names(part: str, scratch: ImplicitScratch) -> Iterable[str]:
    """Names of the fields of a part of the scratch that are kept."""
    return _ONLY.get(part) or (one.name for one in fields(getattr(scratch, part)))


def _flat(array: np.ndarray) -> np.ndarray:
    """The numbers of a contiguous array in one row, those of a complex one as pairs; a view."""
    flat = array.reshape(-1)
    return flat.view(float) if flat.dtype.kind == "c" else flat


def not_converged(time: float, rows: int = 0) -> StepFailed:
    """The step from ``time`` on, however short."""
    return StepFailed(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step", rows)
