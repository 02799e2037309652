"""Robots of a batch that take four at a time through the steps of one: a lane of a SIMD register for each.

Kernels of smooth trees are portable: they run on lanes as they run on numbers, with the same bits. That is so for Runge-Kutta
steps of robots without rods, wheels, loops and contacts of pairs of bodies. Lanes have states and laws of their own: actions,
gaits, targets of servos. Robots whose laws remember, or that differ in other parameters, go one by one
(:mod:`locodyn.integrate.robots`): all else is shared.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.integrate.rkmk4 import STAGES, TIMES, new_lane_scratch, rkmk4_stage
from locodyn.kernel import compiled
from locodyn.kernel.lanes import WIDTH, as_lanes, field_as_lanes, lane_blocks
from locodyn.kernel.swap import bring
from locodyn.locomotion.arrays import new_lane_work
from locodyn.locomotion.rhs import read_laws

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots, Turn
    from locodyn.integrate.steppers.base import FixedRun

LEAST = 8 * WIDTH  # robots for which lanes are worth their compilation
_SOUND = -1  # as in locodyn.integrate.robots, whose kernels are not needed here

command_as_lanes, motion_as_lanes = field_as_lanes("command"), field_as_lanes("motion")


@compiled
def read_lanes(robots, swap, chosen, first, t, problem, single, inputs):
    """Laws at time t of a block of robots, each with the numbers that it brings, into lanes of ``inputs``; ``single``: of one."""
    alike = robots.own.shape[1] == 0
    for m in range(WIDTH):
        if m == 0 or not alike:
            if not alike:
                bring(swap, robots.own[chosen[min(first + m, chosen.shape[0] - 1)]])
            read_laws(problem, t, single)
        for i in range(single.command.shape[0]):
            inputs.command[i, m] = single.command[i]
            for j in range(3):
                inputs.motion[j, i, m] = single.motion[j, i]


@compiled
def rkmk4_lanes(robots, swap, chosen, count, problem, single, inputs, start, step, q, v, workspace, scratch):
    """``count`` steps of the robots ``chosen`` (n,), which have made the same number; ``q`` (nq, lanes), ``v`` (nv, lanes): room.

    As of :func:`~locodyn.integrate.robots.rkmk4_robots`, a robot whose state is not finite in the end stays where it was. What
    ``swap`` brings are numbers of laws.
    """
    work = as_lanes(workspace)
    driven = command_as_lanes(motion_as_lanes(inputs))
    stages = as_lanes(scratch)
    state = as_lanes(q)
    speed = as_lanes(v)
    for first in range(0, chosen.shape[0], WIDTH):
        done = robots.done[chosen[first]]
        for m in range(WIDTH):  # a block that is not full goes with copies of the last robot
            r = chosen[min(first + m, chosen.shape[0] - 1)]
            for i in range(q.shape[0]):
                q[i, m] = robots.q[r, i]
            for i in range(v.shape[0]):
                v[i, m] = robots.v[r, i]
        for n in range(done, done + count):
            for k in range(STAGES):
                if k == 0 or TIMES[k] != TIMES[k - 1]:
                    read_lanes(robots, swap, chosen, first, start + n * step + TIMES[k] * step, problem, single, inputs)
                rkmk4_stage(k, problem, driven, step, state, speed, work, stages)
        for m in range(min(WIDTH, chosen.shape[0] - first)):
            leave_lane(robots, chosen[first + m], count, q, v, m)


@compiled
def leave_lane(robots, r, count, q, v, m):
    """Give robot r the state of lane m, if it is finite."""
    finite = True
    for i in range(q.shape[0]):
        finite = finite and np.isfinite(q[i, m])
    for i in range(v.shape[0]):
        finite = finite and np.isfinite(v[i, m])
    if not finite:
        robots.failed[r] = robots.done[r] + count - 1
        return
    for i in range(q.shape[0]):
        robots.q[r, i] = q[i, m]
    for i in range(v.shape[0]):
        robots.v[r, i] = v[i, m]
    robots.done[r] += count


class Lanes:
    """Room of one thread, and which robots it takes."""

    def __init__(self, run: FixedRun) -> None:
        self.run = run

    def take(self, robots: Robots, turn: Turn, chosen: np.ndarray, count: int) -> bool:
        """Make the steps of these robots, if they can go in lanes; whether they could."""
        if len(chosen) < LEAST or not (self._smooth and self._brings_laws(turn)):
            return False
        sound = chosen[robots.failed[chosen] == _SOUND]
        if len(np.unique(robots.done[sound])) != 1:
            return False
        run, problem = self.run, self.run.problem
        inputs, q, v, work, scratch = self._room
        rkmk4_lanes(
            robots, turn.swap, sound, count, problem.arrays, problem.inputs, inputs, run.origin, run.step, q, v, work, scratch
        )  # fmt: skip
        return True

    def _brings_laws(self, turn: Turn) -> bool:
        """Whether robots bring nothing along but numbers of laws that drive coordinates."""
        swap, problem = turn.swap, self.run.problem
        own = np.flatnonzero(swap.count)
        if not len(own):
            return True
        if own[0] < swap.written or len(problem.inputs.rows):
            return False
        arrays = [getattr(problem.arrays.laws, one.name) for one in fields(problem.arrays.laws)]
        spans = [(one.ctypes.data, one.ctypes.data + one.nbytes) for one in arrays]
        return all(any(begin <= swap.at[k] < end for begin, end in spans) for k in own)

    @cached_property
    def _smooth(self) -> bool:
        """Whether the kernels of the problem run on lanes."""
        problem = self.run.problem
        pairs = len(problem.contact.table) > 0 or any(one.law.pair >= 0 for one in problem.compliant)
        held = problem.arrays.rows is not None or len(problem.arrays.strands) > 0
        return problem.is_compiled and not (pairs or held or problem.model.compiled.has_rods)

    @cached_property
    def _room(self) -> tuple[Any, ...]:
        """Inputs, positions, velocities, workspace and scratch of four robots. What laws of rows give, all of them share."""
        model = self.run.problem.model
        nq, nv = model.nq, model.nv
        inputs = replace(self.run.problem.inputs, command=lane_blocks(1, nv)[0], motion=lane_blocks(1, 3, nv)[0])
        return inputs, lane_blocks(1, nq)[0], lane_blocks(1, nv)[0], new_lane_work(model.nf, nv), new_lane_scratch(nq, nv)
