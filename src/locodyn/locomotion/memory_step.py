"""One implicit equation for the states of laws with memory, at a motion that is known: z = aim + share f(z).

Steps that are explicit in the motion solve it for the end (trapezoids) or the middle of a step: a stiff memory, such as bristles
in fast slip, takes the steps of the motion then. Newton's method with the exact slopes df/dz, block by block.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.locomotion.arrays import REMEMBERS
from locodyn.locomotion.drive_memory import bristle_slopes
from locodyn.locomotion.pair_tangent import pair_state_slopes
from locodyn.world.law_slopes import state_slope
from locodyn.world.law_table import LAW, MOST_STATES


class MemoryStep(Bundle):
    """The equation, and scratch of its solution."""

    aim: np.ndarray  # (nz,)
    slopes: np.ndarray = columns(MOST_STATES)  # (nz, 6) df/dz of each block
    matrix: np.ndarray = columns(MOST_STATES)  # (6, 6)
    pivots: np.ndarray  # (6,) int64
    side: np.ndarray  # (6,)


def new_memory_step(states: int) -> MemoryStep:
    """Room for so many states."""
    return MemoryStep(
        aim=np.zeros(states), slopes=np.zeros((states, MOST_STATES)), matrix=np.zeros((MOST_STATES, MOST_STATES)),
        pivots=np.zeros(MOST_STATES, dtype=np.int64), side=np.zeros(MOST_STATES),
    )  # fmt: skip


@compiled(called=True)
def state_slopes(problem, inputs, v, work, slopes):
    """``slopes`` (nz, 6): df/dz of each block, at the motion whose poses and twists are in ``work``; zero for functions."""
    for m in range(slopes.shape[0]):
        for c in range(MOST_STATES):
            slopes[m, c] = 0.0
    laws, drives = problem.wrenches, problem.drives
    for row in range(laws.frame.shape[0]):
        if laws.memory[row] >= 0 and laws.kind[row] != LAW.user and laws.kind[row] != LAW.pair:
            for c in range(laws.states[row]):
                _, _, rates = state_slope(laws, inputs.rows, work.poses, work.motions, work.memory, row, c)
                for j in range(laws.states[row]):
                    slopes[laws.memory[row] + j, c] = rates[j]
    pair_state_slopes(laws.pairs, laws, work.poses, work.motions, work.memory, slopes)
    for k in range(drives.kind.shape[0]):
        if drives.kind[k] == REMEMBERS.bristles:
            _, _, _, slopes[drives.memory[k], 0] = bristle_slopes(drives, k, v, work.memory)
        else:
            slopes[drives.memory[k], 0] = -1.0 / drives.numbers[k, 0]


@compiled(late=())
def solve_states(problem, inputs, share, v, work, scratch):
    """``memory.value`` after one correction, from the rates that were found at it; laws are linear in their states, mostly."""
    memory, matrix, side = work.memory, scratch.matrix, scratch.side
    state_slopes(problem, inputs, v, work, scratch.slopes)
    for b in range(problem.blocks.first.shape[0]):
        first, count = problem.blocks.first[b], problem.blocks.count[b]
        for i in range(MOST_STATES):
            side[i] = 0.0
            if i < count:
                side[i] = scratch.aim[first + i] + share * memory.rate[first + i] - memory.value[first + i]
            for j in range(MOST_STATES):
                matrix[i, j] = 1.0 if i == j else 0.0
                if i < count and j < count:
                    matrix[i, j] -= share * scratch.slopes[first + i, j]
        lu_factor(matrix, scratch.pivots)
        lu_solve(matrix, scratch.pivots, side)
        for i in range(count):
            memory.value[first + i] += side[i]


@compiled
def aim_from(memory, share, scratch):
    """aim = z_A + share zdot_A, of the beginning of the step."""
    for c in range(scratch.aim.shape[0]):
        scratch.aim[c] = memory.state[c] + share * memory.rate[c]
