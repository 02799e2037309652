"""The balance of a robot at rest, r(q, load) = 0, and Newton's method for it.

A step d is shortened until the next simplified step K^-1 r(q (+) lambda d) is smaller: the natural monotonicity test (Deuflhard
2004, 3.1.4). With loops, unknowns are steps and multipliers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.equilibria.closed_loops import HolonomicRows, solve_saddle
from locodyn.errors import RunError
from locodyn.locomotion.arrays import IMPOSED
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import Tangent, motion_residual, motion_tangent, new_tangent
from locodyn.locomotion.rhs import impose
from locodyn.shape.configuration import configuration_difference, moved_configuration

MOST_ITERATIONS = 60
_SHORTEST = 1e-4  # of a Newton step


class Balance:
    """r(q, load) and its tangent for one problem at one time."""

    def __init__(self, problem: Problem, t: float) -> None:
        problem.memories.refuse("statics")
        self.rows = HolonomicRows(problem, "statics")
        self.multipliers = np.zeros(self.rows.count)
        self.problem, self.t = problem, float(t)
        self.room: Tangent = new_tangent(problem.model)
        self.zero = np.zeros(problem.model.nv)
        self.free = np.flatnonzero(problem.drive != IMPOSED)
        self.plain = problem.arrays
        self.loaded = replace(self.plain, gravity=self.plain.gravity.copy())  # with gravity times the load

    def prepared(self, q: np.ndarray, load: float) -> Any:
        """Inputs at the configuration, arrays with gravity times the load."""
        self.problem.read_inputs(self.t, q, self.zero)
        self.problem.inputs.motion[1:] = 0.0  # at rest also targets of servos have no rate that damping would follow
        self.problem.inputs.command[:] *= load
        self.loaded.gravity[:] = load * self.plain.gravity
        return self.loaded

    def residual(self, q: np.ndarray, load: float) -> np.ndarray:
        """r (e,) of the free coordinates, forces of the loops included."""
        p = self.prepared(q, load)
        motion_residual(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load)
        if self.rows.count:
            self.gap, self.jacobian = self.rows.at(q)
            return self.room.residual[self.free] - self.jacobian.T @ self.multipliers
        return self.room.residual[self.free].copy()

    def stiffness(self, q: np.ndarray, load: float) -> np.ndarray:
        """K at the configuration of the last residual."""
        p = self.prepared(q, load)
        motion_tangent(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load, 1)
        return self.room.by_q[np.ix_(self.free, self.free)].copy()

    def tangent(self, q: np.ndarray, load: float) -> np.ndarray:
        """K (e, e) with the change of the forces in the loops, at the configuration of the last residual."""
        stiffness = self.stiffness(q, load)
        return stiffness - self.rows.geometric(q, self.multipliers) if self.rows.count else stiffness

    def imposed(self, q: np.ndarray) -> np.ndarray:
        """A copy of q with imposed coordinates where their laws put them at the time of the balance."""
        placed = q.copy()
        self.problem.read_inputs(self.t, placed, self.zero)
        impose(self.plain, self.problem.inputs, placed, self.zero.copy(), self.zero.copy())
        return placed

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by a step (e,) of the free coordinates."""
        u, result = np.zeros(self.problem.model.nv), np.empty_like(q)
        u[self.free] = step
        moved_configuration(self.problem.model.frames, q, u, result)
        return result

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """The step (e,) from q0 to q1."""
        u = np.empty(self.problem.model.nv)
        configuration_difference(self.problem.model.frames, q0, q1, u)
        return u[self.free]

    def kernel(self, weights: np.ndarray) -> np.ndarray:
        """Orthonormal directions (e, k), in units of 1/weights, that the loops leave open at the last residual."""
        if not self.rows.count:
            return np.eye(len(self.free))
        _, sizes, right = np.linalg.svd(self.jacobian / weights)
        rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=1e-300)))
        return right[rank:].T

    def solved(self, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
        """matrix^-1 right; a sentence where it is singular."""
        try:
            return np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            raise RunError(
                "the stiffness of the robot is singular: something can move without resistance; hold it by an imposed coordinate"
                " or a spring, or start from a bent shape."
            ) from None


def weights_of(stiffness: np.ndarray) -> np.ndarray:
    """Square roots of the diagonal: lengths of steps compare as energies do, whatever the units of the coordinates."""
    diagonal = np.abs(np.diag(stiffness))
    found: np.ndarray = np.sqrt(np.maximum(diagonal, 1e-12 * diagonal.max(initial=1e-300)))
    return found


def _closed_newton(balance: Balance, q: np.ndarray, load: float, tolerance: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """As :func:`newton` with loops: unknowns are steps and multipliers; K has the change of the forces in the loops."""
    damping, last = 1.0, False
    for iteration in range(1, MOST_ITERATIONS + 1):
        r = balance.residual(q, load)
        gap, jacobian = balance.gap, balance.jacobian
        stiffness = balance.tangent(q, load)
        if not np.isfinite(stiffness).all():
            return None
        weights = weights_of(stiffness)
        step, change = solve_saddle(stiffness, jacobian, -r, -gap)
        size = float(np.linalg.norm(weights * step))
        forces = balance.multipliers
        while True:
            balance.multipliers = forces + damping * change
            trial = balance.moved(q, damping * step)
            r_trial = balance.residual(trial, load)
            ahead = (
                solve_saddle(stiffness, jacobian, -r_trial, -balance.gap)[0] if np.isfinite(r_trial).all() else np.full(1, np.inf)
            )
            length = float(np.linalg.norm(weights * ahead))
            if length <= (1.0 - 0.25 * damping) * size or last or size <= tolerance * scale_of(balance, q, weights):
                break
            damping *= 0.5
            if damping < _SHORTEST:
                balance.multipliers = forces
                return None
        q = trial
        if last or size <= 1e-3 * tolerance * scale_of(balance, q, weights):
            balance.residual(q, load)
            return q, balance.tangent(q, load), iteration  # with the forces of the end, which stability depends on
        last = damping == 1.0 and length <= tolerance * scale_of(balance, q, weights)
        damping = min(1.0, 4.0 * damping)
    return None


def newton(balance: Balance, q: np.ndarray, load: float, tolerance: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """(q, K, iterations) of the equilibrium near q, or None when Newton gets stuck."""
    if balance.rows.count:
        return _closed_newton(balance, q, load, tolerance)
    r = balance.residual(q, load)
    damping, last = 1.0, False
    for iteration in range(1, MOST_ITERATIONS + 1):
        stiffness = balance.stiffness(q, load)
        if not np.isfinite(stiffness).all():
            return None
        weights = weights_of(stiffness)
        step = -balance.solved(stiffness, r)
        size = float(np.linalg.norm(weights * step))
        while True:
            trial = balance.moved(q, damping * step)
            r_trial = balance.residual(trial, load)
            ahead = np.linalg.norm(weights * balance.solved(stiffness, r_trial)) if np.isfinite(r_trial).all() else np.inf
            if ahead <= (1.0 - 0.25 * damping) * size or size == 0.0 or (last and ahead <= 2.0 * size):
                break
            if size <= tolerance * scale_of(balance, q, weights):  # round-off: it does not get smaller
                return q, stiffness, iteration
            damping *= 0.5
            if damping < _SHORTEST:
                return None
        q, r = trial, r_trial
        if last or size == 0.0:
            return q, balance.stiffness(q, load), iteration
        last = damping == 1.0 and float(ahead) <= tolerance * scale_of(balance, q, weights)
        damping = min(1.0, 4.0 * damping)
    return None


def scale_of(balance: Balance, q: np.ndarray, weights: np.ndarray) -> float:
    """How large a step would be a large one: from the neutral configuration, or a hundredth of the units."""
    away = balance.difference(np.asarray(balance.problem.model.neutral()), q)
    return float(np.linalg.norm(weights * away) + 1e-2 * weights.max(initial=0.0))
