"""Robots of a batch that take four at a time through the steps of one: a lane of a SIMD register for each.

Kernels of smooth trees are portable: they run on lanes as they run on numbers, with the same bits. That is so for Runge-Kutta
steps of robots without rods, wheels, loops and contacts of pairs of bodies. Robots whose laws remember, that take actions, or
that differ in their parameters go one by one (:mod:`locodyn.integrate.robots`): lanes share all but the state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.integrate.rkmk4 import new_lane_scratch, rkmk4_step
from locodyn.kernel import compiled
from locodyn.kernel.lanes import WIDTH, as_lanes, field_as_lanes, lane_blocks
from locodyn.locomotion.arrays import new_inputs, new_lane_work

if TYPE_CHECKING:
    from locodyn.integrate.robots import Robots
    from locodyn.integrate.steppers.base import FixedRun

LEAST = 8 * WIDTH  # robots for which lanes are worth their compilation
_SOUND = -1  # as in locodyn.integrate.robots, whose kernels are not needed here

command_as_lanes = field_as_lanes("command")


@compiled
def rkmk4_lanes(robots, chosen, count, problem, inputs, start, step, q, v, workspace, scratch):
    """``count`` steps of the robots ``chosen`` (n,), which have made the same number; ``q`` (nq, lanes), ``v`` (nv, lanes): room.

    As of :func:`~locodyn.integrate.robots.rkmk4_robots`, a robot whose state is not finite in the end stays where it was.
    """
    work = as_lanes(workspace)
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
            rkmk4_step(problem, command_as_lanes(inputs), start + n * step, step, state, speed, work, stages)
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

    def take(self, robots: Robots, chosen: np.ndarray, count: int) -> bool:
        """Make the steps of these robots, if they can go in lanes; whether they could."""
        if len(chosen) < LEAST or robots.own.shape[1] or not self._smooth:
            return False
        sound = chosen[robots.failed[chosen] == _SOUND]
        if len(np.unique(robots.done[sound])) != 1:
            return False
        run, problem = self.run, self.run.problem
        inputs, q, v, work, scratch = self._room
        rkmk4_lanes(robots, sound, count, problem.arrays, inputs, run.origin, run.step, q, v, work, scratch)
        return True

    @cached_property
    def _smooth(self) -> bool:
        """Whether the kernels of the problem run on lanes."""
        problem = self.run.problem
        pairs = len(problem.contact.table) > 0 or any(one.law.pair >= 0 for one in problem.compliant)
        held = problem.arrays.rows is not None or len(problem.arrays.strands) > 0
        return problem.is_compiled and not (pairs or held or problem.model.compiled.has_rods)

    @cached_property
    def _room(self) -> tuple[Any, ...]:
        """Inputs, positions, velocities, workspace and scratch of four robots."""
        model, inputs = self.run.problem.model, self.run.problem.inputs
        lanes = replace(new_inputs(model.nf, model.nv, row_laws=len(inputs.rows)), command=lane_blocks(1, model.nv)[0])
        q, v = lane_blocks(1, model.nq)[0], lane_blocks(1, model.nv)[0]
        return lanes, q, v, new_lane_work(model.nf, model.nv), new_lane_scratch(model.nq, model.nv)
