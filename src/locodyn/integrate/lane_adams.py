"""Robots of a batch that take four at a time through the steps of :mod:`locodyn.integrate.adams`.

As of :mod:`locodyn.integrate.lane_robots`; each lane has a history of its own, and all know the same number of instants.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.integrate.adams import DONE, TIMES, History, adams_stage, first_stage, new_lane_history, new_lane_scratch
from locodyn.integrate.lane_robots import Blocks, Lanes, enter_block, inputs_in_lanes, leave_block, next_block, read_lanes
from locodyn.kernel import compiled
from locodyn.kernel.lanes import as_lanes
from locodyn.locomotion.constraint_arrays import rows_as_lanes

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn
    from locodyn.integrate.steppers.base import FixedRun


@compiled
def adams_lanes(
    robots,
    swap,
    chosen,
    blocks,
    count,
    problem,
    laned,
    single,
    inputs,
    start,
    step,
    q,
    v,
    workspace,
    past,
    pasts,
    scratch,
    restarts,
):
    """As :func:`~locodyn.integrate.lane_robots.rkmk4_lanes`; ``past`` of one robot, ``pasts`` of four."""
    work = as_lanes(workspace)
    driven = inputs_in_lanes(problem.rows, inputs)
    many = rows_as_lanes(laned)
    histories = as_lanes(pasts)
    stages = as_lanes(scratch)
    state = as_lanes(q)
    speed = as_lanes(v)
    while blocks.first < chosen.shape[0]:
        fits = enter_block(robots, swap, chosen, blocks, problem, laned, past, pasts, q, v)
        if fits:
            done = robots.done[chosen[blocks.first]]
            j = 0
            for n in range(done, done + count):
                while j < restarts.shape[0] and restarts[j] < n:
                    j += 1
                if j < restarts.shape[0] and restarts[j] == n:
                    histories.known = 0
                known = -1.0
                k = first_stage(many, state, speed, work.memory, histories, stages, step)
                while k != DONE:
                    if TIMES[k] != known:
                        known = TIMES[k]
                        read_lanes(robots, swap, chosen, blocks, start + n * step + known * step, problem, single, inputs)
                    k = adams_stage(k, many, driven, step, state, speed, work, histories, stages)
            leave_block(robots, swap, chosen, blocks, count, problem, laned, past, pasts, q, v)
        next_block(chosen, blocks, fits)


class AdamsLanes(Lanes):
    """Room of one thread whose history of one robot is ``past``."""

    def __init__(self, run: FixedRun, past: History, restarts: np.ndarray) -> None:
        super().__init__(run)
        self._past, self._restarts = past, restarts

    def _steps(self, robots: Robots, turn: Turn, together: np.ndarray, blocks: Blocks, count: int) -> None:
        run, problem = self.run, self.run.problem
        inputs, q, v, work = self._room
        adams_lanes(
            robots, turn.swap, together, blocks, count, problem.arrays, self._laned, problem.inputs, inputs, run.origin,
            run.step, q, v, work, self._past, self._pasts, self._scratch, self._restarts,
        )  # fmt: skip

    def _differs(self) -> list[np.ndarray]:
        return [*super()._differs(), self._past.q, self._past.v, self._past.a]

    @cached_property
    def _pasts(self) -> History:
        """Histories of four robots."""
        return new_lane_history(self.run.problem.model.nq, self.run.problem.model.nv)

    @cached_property
    def _scratch(self) -> Any:
        """Of the method, for four robots."""
        return new_lane_scratch(self.run.problem.model.nq, self.run.problem.model.nv)
