"""Robots of a batch that take four at a time through the steps of one: a lane of a SIMD register for each.

Kernels of trees and of their rows run on lanes as they run on numbers, with the same bits. That is so for Runge-Kutta steps of
robots without rods, contacts of pairs of bodies and many loops. Lanes have states and laws of their own: actions, gaits, targets
of servos, steering. Robots whose laws remember, or that differ in other parameters, go one by one
(:mod:`locodyn.integrate.robots`): all else is shared.

Wheels and loops make steps choose by numbers: pivots, a rank, how often a loop is closed. Pivots are each robot's own. Where
robots do not choose alike otherwise (one comes to a singular position, or needs one more correction), they part
(:mod:`locodyn.kernel.agreement`): the four go on alone from where the call found them, and for some more steps, lest robots
that part often lose time.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.integrate.rkmk4 import STAGES, TIMES, new_lane_scratch, rkmk4_stage
from locodyn.kernel import compiled
from locodyn.kernel.agreement import RobotsPart
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.lanes import WIDTH, as_lanes, fields_as_lanes, lane_blocks
from locodyn.kernel.swap import bring, bring_read, take
from locodyn.locomotion.arrays import new_lane_work
from locodyn.locomotion.constraint_arrays import new_lane_rows, rows_as_lanes
from locodyn.locomotion.rhs import read_laws

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn
    from locodyn.integrate.steppers.base import FixedRun
    from locodyn.locomotion.arrays import ProblemArrays

LEAST = 8 * WIDTH  # robots for which lanes are worth their compilation
LONGEST = 16  # calls as long as that in which robots have parted, until they go together again: 1, then 2, 4 and so on
_SOUND = -1  # as in locodyn.integrate.robots, whose kernels are not needed here

drives_as_lanes = fields_as_lanes("command", "motion")
laws_as_lanes = fields_as_lanes("command", "motion", "rows")


class Blocks(Bundle):
    """Robots in blocks of a register, and those that leave them."""

    first: int = 0  # place of the first robot of the block whose turn it is
    own_laws: int  # whether robots bring numbers of laws along
    alike: np.ndarray  # (w,) int64: 1 for words that robots of one block have in common
    parted: np.ndarray  # (B,) int64: 1 for robots, by their place, that go one by one


@compiled
def read_lanes(robots, swap, chosen, blocks, t, problem, single, inputs):
    """Laws at time t of a block of robots, each with the numbers that it brings, into lanes of ``inputs``; ``single``: of one."""
    for m in range(WIDTH):
        if m == 0 or blocks.own_laws != 0:
            if blocks.own_laws != 0:
                bring_read(swap, robots.own[chosen[min(blocks.first + m, chosen.shape[0] - 1)]])
            read_laws(problem, t, single)
        for i in range(single.command.shape[0]):
            inputs.command[i, m] = single.command[i]
            for j in range(3):
                inputs.motion[j, i, m] = single.motion[j, i]
        read_row_laws(problem.rows, single, inputs, m)


@compiled
def read_row_laws(rows, single, inputs, m):
    """The laws of rows of the robot in lane m."""
    if rows is not None:
        for k in range(single.rows.shape[0]):
            for j in range(3):
                inputs.rows[k, j, m] = single.rows[k, j]


@compiled
def inputs_in_lanes(rows, inputs):
    """Inputs of four robots as kernels see them: all have the laws of rows, or each its own where there are rows."""
    if rows is not None:
        return laws_as_lanes(inputs)
    return drives_as_lanes(inputs)


@compiled
def enter_rows(rows, laned, m):
    """Into lane m of ``laned`` what the robot whose words have been brought knows of its settled rows."""
    if rows is not None:
        laned.rank = rows.rank
        laned.settled_rank = rows.settled_rank
        laned.settled_holonomic_rank = rows.settled_holonomic_rank
        for j in range(rows.settled_order.shape[0]):
            laned.settled_order[j, m] = rows.settled_order[j]


@compiled
def leave_rows(rows, laned, m):
    """The other way round."""
    if rows is not None:
        rows.rank = laned.rank
        rows.settled_rank = laned.settled_rank
        rows.settled_holonomic_rank = laned.settled_holonomic_rank
        for j in range(rows.settled_order.shape[0]):
            rows.settled_order[j] = int(laned.settled_order[j, m])


@compiled
def enter_past(past, pasts, m):
    """Into lane m of ``pasts`` the history (:mod:`locodyn.integrate.adams`) of the robot whose words have been brought."""
    if past is not None:
        pasts.known = past.known
        for row in range(past.q.shape[0]):
            for i in range(past.q.shape[1]):
                pasts.q[row, i, m] = past.q[row, i]
            for i in range(past.v.shape[1]):
                pasts.v[row, i, m] = past.v[row, i]
                pasts.a[row, i, m] = past.a[row, i]


@compiled
def leave_past(past, pasts, m):
    """The other way round."""
    if past is not None:
        past.known = pasts.known
        for row in range(past.q.shape[0]):
            for i in range(past.q.shape[1]):
                past.q[row, i] = pasts.q[row, i, m]
            for i in range(past.v.shape[1]):
                past.v[row, i] = pasts.v[row, i, m]
                past.a[row, i] = pasts.a[row, i, m]


@compiled
def enter_block(robots, swap, chosen, blocks, problem, laned, past, pasts, q, v):
    """The robots of a block, which is filled with copies of the last one, with what they take along; whether they fit."""
    leader = chosen[blocks.first]
    for m in range(WIDTH):
        r = chosen[min(blocks.first + m, chosen.shape[0] - 1)]
        for i in range(blocks.alike.shape[0]):
            if blocks.alike[i] != 0 and robots.own[r, i] != robots.own[leader, i]:
                return False
        if blocks.alike.shape[0] > 0:
            bring(swap, robots.own[r])
        enter_rows(problem.rows, laned.rows, m)
        enter_past(past, pasts, m)
        for i in range(q.shape[0]):
            q[i, m] = robots.q[r, i]
        for i in range(v.shape[0]):
            v[i, m] = robots.v[r, i]
    return True


@compiled
def leave_block(robots, swap, chosen, blocks, count, problem, laned, past, pasts, q, v):
    """Give the robots of a block what they have after ``count`` steps; one whose state is not finite stays where it was."""
    for n in range(blocks.first, min(blocks.first + WIDTH, chosen.shape[0])):
        r = chosen[n]
        m = n - blocks.first
        finite = True
        for i in range(q.shape[0]):
            finite = finite and np.isfinite(q[i, m])
        for i in range(v.shape[0]):
            finite = finite and np.isfinite(v[i, m])
        if not finite:
            robots.failed[r] = robots.done[r] + count - 1
            continue
        leave_rows(problem.rows, laned.rows, m)
        leave_past(past, pasts, m)
        if blocks.alike.shape[0] > 0:
            take(swap, robots.own[r])
        for i in range(q.shape[0]):
            robots.q[r, i] = q[i, m]
        for i in range(v.shape[0]):
            robots.v[r, i] = v[i, m]
        robots.done[r] += count


@compiled
def next_block(chosen, blocks, fits):
    """On to the robots after this block, which go one by one if they do not fit."""
    last = min(blocks.first + WIDTH, chosen.shape[0])
    if not fits:
        for n in range(blocks.first, last):
            blocks.parted[n] = 1
    blocks.first = last


@compiled
def rkmk4_lanes(robots, swap, chosen, blocks, count, problem, laned, single, inputs, start, step, q, v, workspace, scratch):
    """``count`` steps of the robots ``chosen`` (n,), which have made the same number, from block ``blocks.first`` on.

    ``problem`` of one robot; ``laned``: the same with the rows of four, whose inputs are ``inputs``; ``q`` (nq, lanes), ``v``
    (nv, lanes): room. As of :func:`~locodyn.integrate.robots.rkmk4_robots`, a robot whose state is not finite in the end stays
    where it was. Robots that do not fit into one block are noted in ``blocks.parted``.
    """
    work = as_lanes(workspace)
    driven = inputs_in_lanes(problem.rows, inputs)
    many = rows_as_lanes(laned)
    stages = as_lanes(scratch)
    state = as_lanes(q)
    speed = as_lanes(v)
    while blocks.first < chosen.shape[0]:
        fits = enter_block(robots, swap, chosen, blocks, problem, laned, None, None, q, v)
        if fits:
            done = robots.done[chosen[blocks.first]]
            for n in range(done, done + count):
                for k in range(STAGES):
                    if k == 0 or TIMES[k] != TIMES[k - 1]:
                        read_lanes(robots, swap, chosen, blocks, start + n * step + TIMES[k] * step, problem, single, inputs)
                    rkmk4_stage(k, many, driven, step, state, speed, work, stages)
            leave_block(robots, swap, chosen, blocks, count, problem, laned, None, None, q, v)
        next_block(chosen, blocks, fits)


class Lanes:
    """Room of one thread, and which robots it takes."""

    def __init__(self, run: FixedRun) -> None:
        self.run = run
        self._blocks: Blocks | None = None
        self._alone = self._calls = np.zeros(0, dtype=np.int64)  # steps for which each robot goes alone yet; calls next time

    def take(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int) -> np.ndarray:
        """Make the steps of the robots among ``chosen`` (n,) that can go in lanes; returns the others, who have made none."""
        if len(chosen) < LEAST or not (self._fits and self._brings_laws(turn)):
            return chosen
        sound = chosen[robots.failed[chosen] == _SOUND]
        if len(np.unique(robots.done[sound])) != 1:
            return chosen
        blocks, alone = self._blocks_of(robots, turn), self._alone[sound]
        together = sound if not alone.any() else sound[alone <= 0]
        others = sound[:0] if together is sound else sound[alone > 0]
        self._alone[others] -= count
        if len(together) < WIDTH:
            return chosen
        blocks.first, blocks.parted[: len(together)] = 0, 0
        while blocks.first < len(together):
            self._go(robots, turn, together, blocks, count)
        apart = blocks.parted[: len(together)] != 0
        parted = together[apart]
        self._alone[parted] = self._calls[parted] * count
        self._calls[parted] = np.minimum(2 * self._calls[parted], LONGEST)
        self._calls[together[~apart]] = 1
        return np.concatenate([others, parted])

    def _go(self, robots: Robots, turn: Turn, together: np.ndarray, blocks: Blocks, count: int) -> None:
        """Blocks of robots from the present one on, as far as they stay together."""
        try:
            self._steps(robots, turn, together, blocks, count)
        except RobotsPart:
            blocks.parted[blocks.first : blocks.first + WIDTH] = 1
            blocks.first += WIDTH

    def _steps(self, robots: Robots, turn: Turn, together: np.ndarray, blocks: Blocks, count: int) -> None:
        """By the kernel of the method."""
        run, problem = self.run, self.run.problem
        inputs, q, v, work = self._room
        scratch = self._scratch
        rkmk4_lanes(
            robots, turn.swap, together, blocks, count, problem.arrays, self._laned, problem.inputs, inputs, run.origin,
            run.step, q, v, work, scratch,
        )  # fmt: skip

    @cached_property
    def _scratch(self) -> Any:
        """Of the method, for four robots."""
        return new_lane_scratch(self.run.problem.model.nq, self.run.problem.model.nv)

    def _brings_laws(self, turn: Turn) -> bool:
        """Whether robots bring nothing along but what steps leave behind, and numbers of laws that drive coordinates."""
        swap, problem = turn.swap, self.run.problem
        own = np.flatnonzero(swap.count)
        own = own[own >= swap.written]
        if not len(own):
            return True
        if len(problem.inputs.rows) and problem.arrays.rows is None:
            return False
        arrays = [getattr(problem.arrays.laws, one.name) for one in fields(problem.arrays.laws)]
        spans = [(one.ctypes.data, one.ctypes.data + one.nbytes) for one in arrays]
        return all(any(begin <= swap.at[k] < end for begin, end in spans) for k in own)

    @cached_property
    def _fits(self) -> bool:
        """Whether the kernels of the problem run on lanes."""
        problem, rows = self.run.problem, self.run.problem.arrays.rows
        pairs = len(problem.contact.table) > 0 or any(one.law.pair >= 0 for one in problem.compliant)
        held = len(problem.arrays.strands) > 0 or problem.memories.count > 0
        if rows is not None:
            held = held or rows.rod_contacts is not None or rows.paths is not None or not len(rows.free)
        return problem.is_compiled and not (pairs or held or problem.model.compiled.has_rods)

    def _blocks_of(self, robots: Robots, turn: Turn) -> Blocks:
        """What tells the robots of this batch apart."""
        if self._blocks is None:
            swap = turn.swap
            alike = np.ones(int(swap.count[: swap.written].sum()), dtype=np.int64)
            for array in self._differs():
                begin = int(swap.count[: np.flatnonzero(swap.at == array.ctypes.data)[0]].sum())
                alike[begin : begin + array.size] = 0
            count = len(robots.done)
            self._blocks = Blocks(
                own_laws=int(swap.count[swap.written :].any()), alike=alike, parted=np.zeros(count, dtype=np.int64)
            )
            self._alone, self._calls = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64)
        return self._blocks

    def _differs(self) -> list[np.ndarray]:
        """What robots of one block know that need not be alike."""
        rows = self.run.problem.arrays.rows
        return [] if rows is None else [rows.settled_order]

    @cached_property
    def _laned(self) -> ProblemArrays:
        """The problem with rows of four robots."""
        arrays = self.run.problem.arrays
        return arrays if arrays.rows is None else replace(arrays, rows=new_lane_rows(arrays.rows))

    @cached_property
    def _room(self) -> tuple[Any, ...]:
        """Inputs, positions, velocities and workspace of four robots. Without rows all share the laws of rows."""
        model, inputs = self.run.problem.model, self.run.problem.inputs
        nq, nv = model.nq, model.nv
        driven = {"command": lane_blocks(1, nv)[0], "motion": lane_blocks(1, 3, nv)[0]}
        if self.run.problem.arrays.rows is not None:
            driven["rows"] = lane_blocks(1, *inputs.rows.shape)[0]
        return replace(inputs, **driven), lane_blocks(1, nq)[0], lane_blocks(1, nv)[0], new_lane_work(model.nf, nv)
