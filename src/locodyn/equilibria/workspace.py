"""Equilibria of a robot whose platform is put at given places: which of them are stable when the drives hold still.

For each place the drives are unknown (Zaccaria, Ida, Briot and Carricato 2022 for continuum parallel robots): with f the forces
of driven coordinates, or the tensions of tendons, and x(q) what is given of the pose of the platform,

    r(q, f) - J^T mu = 0,    Phi(q) = 0,    x(q) = x_given.

Stability is that of the robot with driven coordinates locked and tensions kept: the eigenvalues of the stiffness along the
directions that loops and locks leave open. One of them is zero where the platform can move although the drives hold still (a
singularity: a fold of the equilibria over the drives). Where no equilibrium is found the workspace ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from locodyn.equilibria.balance import Balance
from locodyn.equilibria.continuation import carried_alone, independent_rows
from locodyn.errors import RunError
from locodyn.lie import SO3
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.row_solver import kernel_of
from locodyn.newton import Linearised, damped_newton
from locodyn.robot.layout import DOF_FRAME, FIRST_Q, FIRST_V

DIRECTIONS = ("x", "y", "z", "about_x", "about_y", "about_z")
_MOST_ITERATIONS = 15
_STEP = 1e-6  # of a tension of 1 N in differences

_State = tuple[np.ndarray, np.ndarray, np.ndarray]  # configuration, multipliers of independent rows, efforts


class Place(NamedTuple):
    """An equilibrium with the platform at a given place.

    ``q`` (nq,), ``forces`` (m,) of the independent rows of loops, ``drives`` (d,): positions of driven coordinates and tensions,
    ``efforts`` (d,): forces of driven coordinates and tensions; ``eigenvalues`` (k,) 1/s^2, ascending: squared frequencies of
    small motions with the drives held, negative where they grow; ``change`` (n + m + d, d) of coordinates, forces and efforts
    with the place; ``slope`` (d, d) of the drives with the place; ``side``: sign that changes where the workspace turns.
    """

    q: np.ndarray
    forces: np.ndarray
    drives: np.ndarray
    efforts: np.ndarray
    eigenvalues: np.ndarray
    change: np.ndarray
    slope: np.ndarray
    side: float


class _Pulled(Balance):
    """A balance with tensions (or lengths, pressures) of its own."""

    def __init__(self, problem: Problem, t: float, strands: Sequence[int]) -> None:
        super().__init__(problem, t)
        self.strands, self.tensions = list(strands), np.zeros(len(strands))

    def prepared(self, q: np.ndarray, load: float) -> Any:
        """As of the base, with the tensions."""
        arrays = super().prepared(q, load)
        self.problem.inputs.strands[self.strands] = self.tensions
        return arrays


class TaskEquilibria:
    """Equilibria with the platform at given places.

    ``problem`` has the driven coordinates free; ``coordinates`` are their numbers, ``strands`` those of the driven tendons;
    ``body`` is the platform, ``directions`` are those of :data:`DIRECTIONS` that are given, as many as drives: positions in the
    world, and the rotation vector since the start, in the axes of the platform.
    """

    def __init__(
        self, problem: Problem, q: np.ndarray, body: str, directions: Sequence[str], coordinates: Sequence[int],
        strands: Sequence[int], t: float = 0.0,
    ) -> None:  # fmt: skip
        self.model, self.body = problem.model, body
        self.rows = [DIRECTIONS.index(name) for name in directions]
        self.balance = _Pulled(problem, t, strands)
        self.balance.rows.refuse_rolling("a workspace")
        self.locked = [int(np.flatnonzero(self.balance.free == i)[0]) for i in coordinates]
        frames = [problem.model.frames[problem.model.dofs[i, DOF_FRAME]] for i in coordinates]
        self.positions = [int(frame[FIRST_Q] + i - frame[FIRST_V]) for i, frame in zip(coordinates, frames, strict=True)]
        self.kept = independent_rows(self.balance, q)
        self.reference = problem.model.pose(body, q)[0]

    def task(self, q: np.ndarray) -> np.ndarray:
        """x(q), (d,) m and rad."""
        rotation, position = self.model.pose(self.body, q)
        return np.concatenate([position, SO3.log(self.reference.T @ rotation)])[self.rows]

    def at(self, target: np.ndarray, q: np.ndarray, forces: np.ndarray, efforts: np.ndarray) -> Place | None:
        """The equilibrium near (q, forces, efforts) with x(q) = target; None where Newton's method does not find it."""
        n, m = len(self.balance.free), len(self.kept)
        before, matrix = np.inf, None

        def linearised(here: _State) -> Linearised[_State] | None:
            nonlocal before, matrix
            q, forces, efforts = here
            self.balance.tensions = np.array(efforts[len(self.locked) :], dtype=float)
            right = -self._residual(*here, target)
            step = None if matrix is None else np.linalg.solve(matrix, right)
            size = np.inf if step is None else float(np.abs(step[:n]).max(initial=0.0))
            if step is None or (0.3 * before < size <= 20.0 * max(before, 1.0) and size > 1e-7):  # none, or it is too old
                before, matrix = np.inf, self._matrix(q)
                step = np.linalg.solve(matrix, right)
                size = float(np.abs(step[:n]).max(initial=0.0))
            if not np.isfinite(step).all() or size > 20.0 * max(before, 1.0):
                return None
            last, before = size <= 1e-9 or (size >= 0.5 * before and size <= 1e-7), size

            def ahead(share: float) -> tuple[_State, float]:
                change = share * step
                return (self.balance.moved(q, change[:n]), forces + change[n : n + m], efforts + change[n + m :]), 0.0

            return Linearised(size, ahead, reach=1.0 / max(size, 1e-300), last=last)

        try:
            found = damped_newton((q, forces, efforts), linearised, most=_MOST_ITERATIONS)
        except np.linalg.LinAlgError:
            return None
        if not found.converged:
            return None
        self.balance.tensions = found.x[2][len(self.locked) :].copy()
        return self._told(*found.x)

    def started(self, q: np.ndarray, multipliers: np.ndarray, tensions: np.ndarray) -> Place:
        """The place of an equilibrium (q, multipliers of all rows) at the given tensions."""
        efforts = np.concatenate([np.zeros(len(self.locked)), tensions])
        place = self.at(self.task(q), q, carried_alone(self.balance, q, self.kept, multipliers), efforts)
        if place is None:
            raise RunError(
                "the drives cannot move the platform in all given directions at the start: it lies on the boundary of the"
                " workspace (as with straight rods), or the drives do not act on it; start elsewhere."
            )
        return place

    def next(self, place: Place, move: np.ndarray, longest: float, parts: int = 2) -> Place | None:
        """The equilibrium at a place that is moved by ``move`` (d,), in up to 2^parts parts where needed; None when there is
        none, or a body moves by more than ``longest`` (m) from where the tangent leads: then it is another one.
        """
        n, m = len(self.balance.free), len(self.kept)
        step = place.change @ move
        guess = self.balance.moved(place.q, step[:n])
        found = self.at(self.task(place.q) + move, guess, place.forces + step[n : n + m], place.efforts + step[n + m :])
        if found is not None and found.side == place.side:
            ways = [self.model.kinematics(x)[0][:, 9:] for x in (guess, found.q)]
            if np.abs(ways[1] - ways[0]).max() <= longest:
                return found
        half = self.next(place, 0.5 * move, 0.5 * longest, parts - 1) if parts > 0 else None
        return None if half is None else self.next(half, 0.5 * move, 0.5 * longest, parts - 1)

    def _residual(self, q: np.ndarray, forces: np.ndarray, efforts: np.ndarray, target: np.ndarray) -> np.ndarray:
        """What is left of the three equations, (n + m + d,)."""
        balance = self.balance
        if balance.rows.count:
            balance.multipliers = np.zeros(balance.rows.count)
            balance.multipliers[self.kept] = forces
        r = balance.residual(q, 1.0)
        r[self.locked] -= efforts[: len(self.locked)]
        gap = balance.gap[self.kept] if len(self.kept) else np.zeros(0)
        return np.concatenate([r, gap, self.task(q) - target])

    def _matrix(self, q: np.ndarray) -> np.ndarray:
        """The matrix (n + m + d) of Newton's method at the state of the last residual."""
        balance, n, m, d, k = self.balance, len(self.balance.free), len(self.kept), len(self.rows), len(self.locked)
        jacobian = balance.jacobian[self.kept] if m else np.zeros((0, n))
        matrix = np.zeros((n + m + d, n + m + d))
        matrix[:n, :n] = balance.tangent(q, 1.0)
        matrix[:n, n : n + m], matrix[n : n + m, :n] = -jacobian.T, jacobian
        matrix[n + m :, :n] = self._task_jacobian(q)
        matrix[self.locked, n + m + np.arange(k)] = -1.0
        for j in range(d - k):
            shifted = []
            for side in (1.0, -1.0):
                balance.tensions[j] += side * _STEP
                shifted.append(balance.residual(q, 1.0))
                balance.tensions[j] -= side * _STEP
            matrix[:n, n + m + k + j] = (shifted[0] - shifted[1]) / (2.0 * _STEP)
        return matrix

    def _task_jacobian(self, q: np.ndarray) -> np.ndarray:
        """dx/dq (d, n)."""
        rotation, local = self.model.pose(self.body, q)[0], self.model.jacobian(self.body, q)
        turn = SO3.inverse_tangent(SO3.log(self.reference.T @ rotation))
        return np.vstack([rotation @ local[:3], turn @ local[3:]])[self.rows][:, self.balance.free]

    def _told(self, q: np.ndarray, forces: np.ndarray, efforts: np.ndarray) -> Place:
        from scipy.linalg import eigh

        n, m, d, k = len(self.balance.free), len(self.kept), len(self.rows), len(self.locked)
        self._residual(q, forces, efforts, self.task(q))
        matrix = self._matrix(q)
        tangent, mass = matrix[:n, :n], self.model.mass_matrix(q)[np.ix_(self.balance.free, self.balance.free)]
        weights = np.sqrt(np.diag(mass))
        held = np.vstack([matrix[n : n + m, :n], np.eye(n)[self.locked]]) / weights
        open_ = kernel_of(held) / weights[:, None]
        eigenvalues = eigh(open_.T @ (0.5 * (tangent + tangent.T)) @ open_, open_.T @ mass @ open_, eigvals_only=True)
        unit = np.zeros((n + m + d, d))
        unit[n + m :] = np.eye(d)
        change = np.linalg.solve(matrix, unit)
        slope = np.vstack([change[self.locked], change[n + m + k :]])
        side = float(np.linalg.slogdet(matrix)[0])
        return Place(q, forces, np.array([*q[self.positions], *efforts[k:]]), efforts, eigenvalues, change, slope, side)
