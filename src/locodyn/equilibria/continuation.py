"""Equilibria along one parameter, with loops: what a path needs at each of its points.

With p the factor of the loads, or the time at which all laws are read, an equilibrium solves F(q, mu, p) = 0 with

    F = (r(q, p) - J(q)^T mu ; Phi(q)),    A = dF/d(q, mu) = [[K - d(J^T mu)/dq, -J^T], [J, 0]].

Redundant rows of the loops are left out: the independent ones are found by rank at the first point. A point is a
:class:`Point`; the unit tangent of the path (du, dp), with du along the free coordinates, is measured by du . du + (scale dp)^2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from locodyn.equilibria.balance import Balance
from locodyn.equilibria.statics import Equilibrium, result_of
from locodyn.errors import RunError
from locodyn.newton import Linearised, damped_newton

_LATER = 1e-6  # of the scale of time, in differences along it
_CENTRAL = ((-1.0, -0.5), (1.0, 0.5))  # place and weight of values, both of order 2
_FORWARD = ((0.0, -1.5), (1.0, 2.0), (2.0, -0.5))
_MOST_CORRECTIONS = 15


class Point(NamedTuple):
    """A point of a path: configuration (nq,), multipliers of the independent rows (m,), parameter."""

    q: np.ndarray
    forces: np.ndarray
    parameter: float


class Continuation:
    """F and its derivatives along the factor of the loads or along time.

    ``forward``: the path is followed forward only, and where a law has a kink its rate is the one that follows.
    """

    def __init__(self, balance: Balance, q: np.ndarray, along: str, scale: float, forward: bool = False) -> None:
        self.balance, self.along, self.scale = balance, along, float(scale)
        self.differences = _FORWARD if forward else _CENTRAL
        self.n = len(balance.free)
        self.kept = independent_rows(balance, q)
        self.metric = np.concatenate([np.ones(self.n), np.zeros(len(self.kept)), [self.scale**2]])

    def set(self, point: Point) -> tuple[np.ndarray, float]:
        """(q, factor of the loads) of a point; the balance has its time and multipliers."""
        if self.along == "time":
            self.balance.t = point.parameter
        if self.balance.rows.count:
            self.balance.multipliers = np.zeros(self.balance.rows.count)
            self.balance.multipliers[self.kept] = point.forces
        return (self.balance.imposed(point.q), 1.0) if self.along == "time" else (point.q, point.parameter)

    def value(self, point: Point) -> np.ndarray:
        """F (n + m,)."""
        q, load = self.set(point)
        r = self.balance.residual(q, load)
        return np.concatenate([r, self.balance.gap[self.kept]]) if len(self.kept) else r

    def matrix(self, point: Point) -> np.ndarray:
        """(A, dF/dp): (n + m, n + m + 1)."""
        h = 0.5 if self.along == "load" else _LATER / self.scale
        values = [weight * self.value(point._replace(parameter=point.parameter + n * h)) for n, weight in self.differences]
        q, load = self.set(point)
        self.balance.residual(q, load)
        jacobian = self.balance.jacobian[self.kept] if len(self.kept) else np.zeros((0, self.n))
        m = len(jacobian)
        tangent = self.balance.tangent(q, load)
        square = np.block([[tangent, -jacobian.T], [jacobian, np.zeros((m, m))]])
        return np.column_stack([square, np.sum(values, axis=0) / h])

    def moved(self, point: Point, step: np.ndarray) -> Point:
        """The point moved by (u, change of the multipliers, change of the parameter)."""
        parameter = point.parameter + float(step[-1])
        moved = Point(self.balance.moved(point.q, step[: self.n]), point.forces + step[self.n : -1], parameter)
        return moved._replace(q=self.set(moved)[0])

    def along_path(self, matrix: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Unit tangent (n + m + 1,) of the path, on the side of ``direction``."""
        right = np.zeros(len(direction))
        right[-1] = 1.0
        tangent = self.balance.solved(np.vstack([matrix, self.metric * direction]), right)
        return tangent / self.length(tangent)

    def length(self, step: np.ndarray) -> float:
        """sqrt(u . u + (scale dp)^2)."""
        return float(np.sqrt(step @ (self.metric * step)))

    def corrected(
        self, point: Point, direction: np.ndarray, arc: float, tolerance: float
    ) -> tuple[Point, np.ndarray, int] | None:
        """(point, matrix, corrections) by Newton in the plane at the distance ``arc`` along ``direction``; None: not found."""
        matrix = np.zeros(0)

        def linearised(total: np.ndarray) -> Linearised[np.ndarray] | None:
            nonlocal matrix
            here = self.moved(point, total)
            value, matrix = self.value(here), self.matrix(here)
            bordered = np.vstack([matrix, self.metric * direction])
            try:
                step = -self.balance.solved(bordered, np.concatenate([value, [total @ (self.metric * direction) - arc]]))
            except RunError:
                return None
            size = self.length(step)
            if not np.isfinite(step).all() or size > 2.0 * abs(arc):
                return None
            return Linearised(size, lambda share: (total + step, 0.0), last=size <= max(tolerance, 1e-13) * abs(arc))

        found = damped_newton(arc * direction, linearised, most=_MOST_CORRECTIONS)
        return (self.moved(point, found.x), matrix, found.iterations) if found.converged else None

    def equilibrium(self, point: Point, matrix: np.ndarray, iterations: int) -> Equilibrium:
        """What is told of a point."""
        q, load = self.set(point)
        self.balance.residual(q, load)
        return result_of(self.balance, q, load, matrix[: self.n, : self.n], iterations)


def independent_rows(balance: Balance, q: np.ndarray) -> np.ndarray:
    """Numbers of rows of the loops that are independent at q, as many as their rank."""
    if not balance.rows.count:
        return np.zeros(0, dtype=np.int64)
    return balance.rows.factored(q).independent


def carried(balance: Balance, q: np.ndarray, kept: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Multipliers of the independent rows ``kept`` alone at q with J^T mu = force (e,)."""
    if not len(kept):
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(balance.rows.at(q)[1][kept].T, force, rcond=None)[0])


def carried_alone(balance: Balance, q: np.ndarray, kept: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Multipliers of the independent rows ``kept`` alone at q with the force of those of all rows, ``multipliers`` (k,)."""
    return carried(balance, q, kept, balance.rows.at(q)[1].T @ multipliers) if len(kept) else np.zeros(0)
