"""Runs of the implicit methods, :mod:`locodyn.integrate.implicit.run`."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.base import Solution
from locodyn.integrate.history import recall_method
from locodyn.integrate.implicit.arrays import ImplicitScratch, implicit_scratch, with_trail
from locodyn.integrate.implicit.run import FAILED, STAGE, first_stage, implicit_run, implicit_stage, stage_time
from locodyn.integrate.implicit.schemes import SchemeArrays
from locodyn.integrate.implicit.step import evaluate_stage
from locodyn.integrate.steppers.base import FixedRun, Launch, Rows, StepFailed, Stepper, here, new_rows
from locodyn.kernel.kept import Kept
from locodyn.kernel.sparse import FACTORS

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn

# What a step takes from those before it: accelerations and unknowns to guess from, Newton's matrix, the slopes it was made of and
# how well it did, the length of parts. Where a bundle has scratch beside that, it goes along; of these only some arrays count.
_KEPT = ("history", "stages", "newton", "matrix", "balance", "parts", "tangent", "lanes", "real", "pair", "closing")
_ONLY = {
    "tangent": ("by_q", "by_v", "by_a", "by_z", "rate_by_q", "rate_by_v", "rate_by_z"),
    "balance": ("energy", "momentum"),
    "lanes": ("factors", "cross_factors", "real_order", "pair_order"),
    "real": FACTORS,
    "pair": FACTORS,
    "closing": FACTORS,
}


class ImplicitStepper(Stepper):
    """A scheme with Newton's ``tolerance``; ``error``: what parts of a step are adapted to, or 0 for whole steps."""

    def __init__(self, run: FixedRun, scheme: SchemeArrays, tolerance: float, error: float = 0.0) -> None:
        super().__init__(run)
        self.scheme, self.tolerance = scheme, tolerance
        self.scratch = implicit_scratch(run.problem, len(scheme.times), error, scheme.split)
        self.multipliers = [np.zeros((1, self.scratch.stages.multipliers.shape[1]))]
        self._parts: list[Rows] = []
        if run.history is not None:
            recall_method(self.kept(), run.history)
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

    def robots(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int, launch: Launch = here) -> None:
        """As of :class:`Stepper`."""
        from locodyn.integrate.robots import implicit_robots

        run, problem = self.run, self.run.problem
        launch(
            implicit_robots, robots, turn, chosen, count,
            problem.arrays, self.scheme, problem.inputs, run.origin, run.step, self.tolerance,
            problem.workspace, self.scratch, new_rows(problem, 0), np.zeros((0, self.scratch.stages.multipliers.shape[1])),
        )  # fmt: skip

    def step(self, n: int, q: np.ndarray, v: np.ndarray) -> int:
        """As of :class:`Stepper`."""
        run, problem, scheme, scratch = self.run, self.run.problem, self.scheme, self.scratch
        arrays, inputs, work, state, parts = problem.arrays, problem.inputs, problem.workspace, scratch.state, scratch.parts
        k = first_stage(arrays, scheme, run.time(n), run.step, v, work, scratch)
        while k >= 0:
            time = float(stage_time(k, scheme, run.time(n), parts))
            if k == STAGE.evaluate:  # first without asking, to know the state at which the functions are asked
                if len(arrays.imposed):  # else functions would see imposed coordinates where the stage before had them
                    problem.read_inputs(time, state.q, state.v, forces=False)
                evaluate_stage(arrays, scheme, inputs, parts.part, parts.stage, q, work, scratch)
            problem.read_inputs(time, *((q, v) if k in (STAGE.start, STAGE.anew) else (state.q, state.v)))
            k = implicit_stage(k, arrays, scheme, inputs, run.step, self.tolerance, q, v, work, scratch)
        self._take_parts()
        if k == FAILED:
            raise not_converged(run.time(n))
        return int(parts.used)

    def follow_parts(self) -> None:
        """As of :class:`Stepper`."""
        self.scratch = with_trail(self.run.problem, self.scratch, self.scheme.split)
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
        if trail.wanted:
            trail.count, trail.stride, trail.skipped = 0, 1, 0

    def known(self) -> Kept:
        """As of :class:`Stepper`: generalized-alpha and its kin remember accelerations, the error of adapted parts needs them."""
        remembers = self.scheme.remembers or self.scratch.parts.error > 0.0
        return Kept.of((self.scratch.history, ("started",))) if remembers else Kept(())

    def note(self, q: np.ndarray) -> None:
        """Multipliers of the last stage."""
        self.multipliers.append(self.scratch.stages.multipliers[-1:].copy())

    def kept(self) -> Kept:
        """All that a step may take from those before it; found once for the scratch, which stays as it is."""
        found, words = self.run.problem.kept, f"history of {len(self.scheme.times)} stages, {self.scheme.split}"
        if words not in found:
            found[words] = Kept.of(*((getattr(self.scratch, part), _names(part, self.scratch)) for part in _KEPT))
        kept: Kept = found[words]
        return kept

    def complete(self, solution: Solution, done: int) -> None:
        """Multipliers of all rows; at the start those of the first step."""
        super().complete(solution, done)
        if self.run.problem.constraints.rows:
            rows, all_steps = len(solution.times), np.concatenate(self.multipliers)
            kept = self.run.are_kept(self.run.first, len(all_steps) - 1)
            solution.multipliers = all_steps[np.concatenate([[0], 1 + kept])[:rows]]
            if self.run.history is None:
                solution.multipliers[0] = solution.multipliers[min(1, rows - 1)]


def _names(part: str, scratch: ImplicitScratch) -> list[str]:
    """Names of the fields of a part of the scratch that are kept."""
    owner = getattr(scratch, part)
    names = _ONLY.get(part) or [one.name for one in fields(owner)]
    return [name for name in names if isinstance(getattr(owner, name), (np.ndarray, int, float))]


def not_converged(time: float, rows: int = 0) -> StepFailed:
    """The step from ``time`` on, however short."""
    return StepFailed(f"the step at t = {time:g} s did not converge, and neither did parts of it; try a smaller step", rows)
