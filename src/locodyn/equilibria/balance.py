"""The balance of a robot at rest, r(q, load) = 0, and Newton's method for it.

A step d is shortened until the next simplified step K^-1 r(q (+) lambda d) is smaller (:mod:`locodyn.newton`). With loops and
wheels, unknowns are steps and multipliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from locodyn.equilibria.rows_at_rest import RowsAtRest
from locodyn.errors import InputError, RunError
from locodyn.locomotion.arrays import IMPOSED, Inputs
from locodyn.locomotion.memories import NO_MEMORIES
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import Tangent, motion_residual, motion_tangent, new_tangent
from locodyn.locomotion.rhs import applied_forces, impose
from locodyn.newton import Linearised, damped_newton
from locodyn.shape.configuration import configuration_difference, moved_configuration

MOST_ITERATIONS = 60
_SHORTEST = 1e-4  # of a Newton step
_UNBALANCED = 1e-8  # force that no row and no stiffness takes, relative to that of a large step
_TOUCH = 1e-6  # m, as at the start of runs
_NO_RESISTANCE = (
    "the stiffness of the robot is singular: something can move without resistance; hold it by an imposed coordinate or a spring,"
    " or start from a bent shape."
)

_State = tuple[np.ndarray, np.ndarray]  # configuration (nq,), multipliers (k,)
Solve = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, float]]  # see RowFactors.solve


def still_targets(inputs: Inputs) -> None:
    """Inputs of a robot at rest: targets of servos have no rate that damping would follow, nor do lengths of cables."""
    inputs.motion[1:] = 0.0
    inputs.rows[:, 1:] = 0.0


def check_apart(problem: Problem, q: np.ndarray) -> None:
    """:class:`InputError` where surfaces of hard contact, which statics does not know, overlap at an equilibrium."""
    depth, name = problem.contact.overlap(q)
    if depth > _TOUCH:
        raise InputError(
            f"the equilibrium has '{name}' overlap by {depth:.3g} m, since statics knows no hard contact; let the robot come to"
            " rest in a run with 'moreau', or make contact compliant."
        )


class Balance:
    """r(q, load) and its tangent for one problem at one time.

    ``before``: time (s) and configuration (nq,) from which wheels roll; None: each step of the search rolls by itself.
    """

    def __init__(self, problem: Problem, t: float) -> None:
        problem.memories.refuse_undetermined("statics")
        self.rows = RowsAtRest(problem)
        self.multipliers = np.zeros(self.rows.count)
        self.problem, self.t = problem, float(t)
        self.before: tuple[float, np.ndarray] | None = None
        self.room: Tangent = new_tangent(problem.model)
        self.zero = np.zeros(problem.model.nv)
        self.free = np.flatnonzero(problem.drive != IMPOSED)
        self.plain = replace(problem.arrays, drives=NO_MEMORIES)  # at rest an actuator that lags gives what it is told
        self.loaded = replace(self.plain, gravity=self.plain.gravity.copy())  # with gravity times the load

    def prepared(self, q: np.ndarray, load: float) -> Any:
        """Inputs at the configuration, arrays with gravity times the load."""
        self.problem.switch_servos(self.t)
        self.problem.read_inputs(self.t, q, self.zero)
        still_targets(self.problem.inputs)
        self.problem.inputs.command[:] *= load
        self.loaded.gravity[:] = load * self.plain.gravity
        return self.loaded

    def pull(self, q: np.ndarray, load: float) -> np.ndarray:
        """r (e,) of the free coordinates without the forces of the rows; leaves ``gap`` (k,) and ``jacobian`` (k, e) of these."""
        slipped = self._slipped(q)
        p = self.prepared(q, load)
        motion_residual(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load)
        self.place = q
        self.gap, self.jacobian = self.rows.at(q)
        self.gap[self.rows.rolling] = slipped
        pull: np.ndarray = self.room.residual[self.free]
        return pull - self.rows.known_pull if self.rows.count else pull

    def _slipped(self, q: np.ndarray) -> np.ndarray | float:
        """What rolling rows miss of the way here; a sleeve that runs along a rod is where it is in the middle of that time."""
        if self.before is None or not len(self.rows.rolling):
            return 0.0
        t, place = self.before
        self.problem.read_inputs(0.5 * (t + self.t), q, self.zero)
        return self.rows.slipped(place, q)

    def residual(self, q: np.ndarray, load: float) -> np.ndarray:
        """r (e,) of the free coordinates, forces of the rows included."""
        pull = self.pull(q, load)
        return pull - self.jacobian.T @ self.multipliers if self.rows.count else pull

    def stiffness(self, q: np.ndarray, load: float) -> np.ndarray:
        """K at the configuration of the last residual."""
        p = self.prepared(q, load)
        motion_tangent(p, self.problem.inputs, q, self.zero, self.zero, self.problem.workspace, self.room, load, 1)
        return self.room.by_q[np.ix_(self.free, self.free)].copy()

    def moving_tangent(self, q: np.ndarray) -> Tangent:
        """Slopes by positions, velocities, accelerations and the states of laws, at rest in q."""
        problem, room = self.problem, new_tangent(self.problem.model, self.problem.memories.count)
        self.memory(q)
        self.prepared(q, 1.0)
        motion_residual(problem.arrays, problem.inputs, q, self.zero, self.zero, problem.workspace, room, 1.0)
        motion_tangent(problem.arrays, problem.inputs, q, self.zero, self.zero, problem.workspace, room, 1.0, 1)
        return room

    def tangent(self, q: np.ndarray, load: float) -> np.ndarray:
        """K (e, e) with the change of the forces of the rows, at the configuration of the last residual."""
        stiffness = self.stiffness(q, load)
        return stiffness - self.rows.geometric(q, self.multipliers) if self.rows.count else stiffness

    def imposed(self, q: np.ndarray) -> np.ndarray:
        """A copy of q with imposed coordinates where their laws put them at the time of the balance."""
        placed = q.copy()
        self.problem.read_inputs(self.t, placed, self.zero)
        impose(self.plain, self.problem.inputs, placed, self.zero.copy(), self.zero.copy())
        return placed

    def memory(self, q: np.ndarray, load: float = 1.0) -> np.ndarray:
        """States (nz,) of laws with memory at rest in q: their rates vanish."""
        if not self.problem.memories.count:
            return self.zero[:0]
        memory, tau = self.problem.workspace.memory, np.zeros(self.problem.model.nv)
        self.prepared(q, load)
        memory.value[:] = 0.0
        applied_forces(self.problem.arrays, self.problem.inputs, q, self.zero, memory, tau)
        memory.value[:] = self.problem.memories.at_rest(memory.rate)
        return memory.value.copy()

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
        """Orthonormal directions (e, k), in units of 1/weights, that the rows leave open at the last residual."""
        return self.rows.factored(self.place).kernel_in(weights) if self.rows.count else np.eye(len(self.free))

    def solver(self, q: np.ndarray, matrix: np.ndarray) -> Solve:
        """The function (force (e,), gap (k,)) -> (x, mu, ...) with matrix x - J^T mu = force, J x = gap, for the rows J at q."""
        if not self.rows.count:
            return lambda force, gap: (self.solved(matrix, force), gap, 0.0)
        factors = self.rows.factored(q)
        return lambda force, gap: factors.solve(matrix, force, gap)

    def solved(self, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
        """matrix^-1 right; a sentence where it is singular."""
        try:
            return np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            raise RunError(_NO_RESISTANCE) from None


def weights_of(stiffness: np.ndarray) -> np.ndarray:
    """Square roots of the diagonal: lengths of steps compare as energies do, whatever the units of the coordinates."""
    diagonal = np.abs(np.diag(stiffness))
    found: np.ndarray = np.sqrt(np.maximum(diagonal, 1e-12 * diagonal.max(initial=1e-300)))
    return found


def newton(balance: Balance, q: np.ndarray, load: float, tolerance: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """(q, K, iterations) of the equilibrium near q, or None when Newton's method gets stuck.

    Unknowns are steps of the free coordinates and, with rows, their multipliers, which the balance is left with.
    """

    def linearised(here: _State) -> Linearised[_State] | None:
        q, forces = here
        balance.multipliers = forces
        pull, gap = balance.pull(q, load), balance.gap
        stiffness = balance.tangent(q, load)
        if not (np.isfinite(stiffness).all() and np.isfinite(pull).all()):
            return None
        weights = weights_of(stiffness)
        solve = balance.solver(q, stiffness)
        step, new, unresisted = solve(-pull, -gap)
        size, scale = float(np.linalg.norm(weights * step)), scale_of(balance, q, weights)
        if unresisted > _UNBALANCED * weights.max(initial=0.0) * scale:
            raise RunError(_NO_RESISTANCE)

        def ahead(share: float) -> tuple[_State, float]:
            trial, shared = balance.moved(q, share * step), forces + share * (new - forces)
            balance.multipliers = shared
            rest = balance.residual(trial, load)
            if not np.isfinite(rest).all():
                return (trial, shared), np.inf
            return (trial, shared), float(np.linalg.norm(weights * solve(-rest, -balance.gap)[0]))

        return Linearised(size, ahead, last=size <= tolerance * scale)

    start = (q, balance.multipliers)
    found = damped_newton(start, linearised, most=MOST_ITERATIONS, slack=0.25, shortest=_SHORTEST, growth=4.0)
    q, balance.multipliers = found.x
    if not found.converged:
        return None
    if balance.rows.count:
        balance.multipliers = balance.rows.factored(q).multipliers(balance.pull(q, load))
    balance.residual(q, load)
    return q, balance.tangent(q, load), found.iterations  # with the forces of the end, which stability depends on


def scale_of(balance: Balance, q: np.ndarray, weights: np.ndarray) -> float:
    """How large a step would be a large one: from the neutral configuration, or a hundredth of the units."""
    away = balance.difference(np.asarray(balance.problem.model.neutral()), q)
    return float(np.linalg.norm(weights * away) + 1e-2 * weights.max(initial=0.0))
