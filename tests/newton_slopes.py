"""The matrix of Newton's method in implicit steps, as the kernels give it and by differences."""

from __future__ import annotations

import numpy as np

from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import motion_residual, motion_tangent, new_tangent

STEP = 1e-6  # of central differences: errors of 1e-12 third derivatives, and of round-off of forces


class NewtonSlopes:
    """Slopes of the balance (nv,) and of the rates of states (nz,), one below the other, at (q, v, a) with states z.

    ``places`` (nv + nz, nv): by the configuration, ``speeds`` (nv + nz, nv), ``states`` (nv + nz, nz).
    """

    def __init__(self, problem: Problem, q: np.ndarray, v: np.ndarray, a: np.ndarray, z: np.ndarray, t: float) -> None:
        self.problem, self.q, self.v, self.a, self.z = problem, q, v, a, z
        self.tangent = new_tangent(problem.model, len(z))
        problem.read_inputs(t, q, v)
        self._balance(q, v, z)
        motion_tangent(problem.arrays, problem.inputs, q, v, a, problem.workspace, self.tangent, 1.0, 1)
        rate_by_z, blocks = np.zeros((len(z), len(z))), problem.arrays.blocks
        for first, count in zip(blocks.first, blocks.count, strict=True):
            rate_by_z[first : first + count, first : first + count] = self.tangent.rate_by_z[first : first + count, :count]
        self.places = np.vstack([self.tangent.by_q, self.tangent.rate_by_q])
        self.speeds = np.vstack([self.tangent.by_v, self.tangent.rate_by_v])
        self.states = np.vstack([self.tangent.by_z, rate_by_z])

    def _balance(self, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        problem, memory = self.problem, self.problem.workspace.memory
        memory.value[:] = z
        motion_residual(problem.arrays, problem.inputs, q, v, self.a, problem.workspace, self.tangent, 1.0)
        return np.concatenate([self.tangent.residual, memory.rate])

    def along(
        self, move: np.ndarray | float = 0.0, faster: np.ndarray | float = 0.0, other: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """The derivative along a change of configuration, velocity and states, by differences."""
        moves = move + np.zeros(self.problem.model.nv)
        ends = [
            self._balance(self.problem.model.move(self.q, s * moves), self.v + s * faster, self.z + s * other)
            for s in (STEP, -STEP)
        ]
        return (ends[0] - ends[1]) / (2.0 * STEP)
