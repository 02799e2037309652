"""Loops and points that stay in statics: positions on their rows, forces by multipliers.

With Phi(q) the residuals of the holonomic rows and J their Jacobian, an equilibrium solves (Gotelli 2024, (3.1), (3.5))

    r(q) - J^T lambda = 0,     Phi(q) = 0.

Rows may be redundant (a pin in a planar robot): the linear systems are solved for the smallest multipliers. Some are redundant
only where loops are closed (Bricard's and Bennett's linkages): directions of J that are no larger than the loops are open do not
count, else forces there would hold the linkage in any position.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.errors import InputError
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.residual import new_tangent
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import add_row_geometry, row_loads

_RANK = 1e-10
_OPEN, _MOST_OPEN = 100.0, 1e-3  # singular values of unit rows, over the opening of the loops in units of coordinates; at most


class HolonomicRows:
    """Phi and J of the rows of a problem."""

    def __init__(self, problem: Problem, what: str) -> None:
        self.problem = problem
        arrays = problem.constraints.arrays
        holonomic = set() if arrays is None else set(arrays.holonomic.tolist())
        if arrays is not None and (len(arrays.dependent) or any(m not in holonomic for m in arrays.active)):
            raise InputError(f"{what} takes loops and points that stay, but no wheels that roll; use 'rkmk4' or 'adaptive'.")
        self.arrays = arrays
        self.count = 0 if arrays is None else len(arrays.holonomic)
        self.zero = np.zeros(problem.model.nv)
        self.room, self.loads = new_tangent(problem.model), np.zeros((problem.model.nf, 6))

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Phi (h,), J (h, free coordinates)) at a configuration."""
        if self.arrays is None:
            return np.zeros(0), np.zeros((0, len(self.zero)))
        p, w, c, arrays = self.problem.arrays, self.problem.workspace, self.problem.arrays.rows, self.arrays
        rows_at(p, c, self.problem.inputs, q, self.zero, w)
        rod_columns(p, c, q, w.poses)
        row_jacobian(p, c, w.poses)
        return arrays.residual[arrays.holonomic], arrays.jacobian[arrays.holonomic].copy()

    def geometric(self, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """d(J^T lambda)/dq (e, e), exact: wrenches fixed in their frames, and the change of the rows with the configuration."""
        p, w, c, room = self.problem.arrays, self.problem.workspace, self.problem.arrays.rows, self.room
        forces = np.zeros(len(self.arrays.kind))
        forces[self.arrays.holonomic] = multipliers
        rows_at(p, c, self.problem.inputs, q, self.zero, w)
        row_loads(c, np.zeros((0, 6)), forces, self.loads)
        inverse_dynamics_derivatives(
            p.frames, p.constants, p.dofs, p.dof_constants, np.zeros(3), q, self.zero, self.zero, self.loads, room.work,
            room.dof_work, room.by_q, room.by_v, room.by_a,
        )  # fmt: skip
        rod_columns(p, c, q, w.poses)
        add_row_geometry(p, c, self.problem.inputs, q, forces, w, room.by_q)
        return -room.by_q[np.ix_(self.arrays.free, self.arrays.free)]


def solve_saddle(matrix: np.ndarray, jacobian: np.ndarray, force: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x, mu) with matrix x - J^T mu = force, J x = gap; mu of smallest norm where rows are redundant.

    Columns are scaled to a unit diagonal and rows to unit length, so that ranks do not depend on units.
    """
    n, m = len(force), len(gap)
    if m == 0:
        return np.linalg.solve(matrix, force), np.zeros(0)
    diagonal = np.abs(np.diag(matrix))
    scale = 1.0 / np.sqrt(np.maximum(diagonal, 1e-14 * diagonal.max(initial=1e-300)))
    scaled = jacobian * scale
    sizes = np.linalg.norm(scaled, axis=1)
    rows = 1.0 / np.where(sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300), sizes, np.inf)
    left, values, right = np.linalg.svd(scaled * rows[:, None], full_matrices=False)
    opening = float(np.abs(gap / np.maximum(np.linalg.norm(jacobian, axis=1), 1e-300) * (rows > 0.0)).max())
    counts = values > max(_RANK, min(_MOST_OPEN, _OPEN * opening)) * values.max(initial=0.0)
    scaled = (left[:, counts] * values[counts]) @ right[counts]
    system = np.block([[matrix * np.outer(scale, scale), -scaled.T], [scaled, np.zeros((m, m))]])
    closing = left[:, counts] @ (left[:, counts].T @ (gap * rows))
    found = np.linalg.lstsq(system, np.concatenate([force * scale, closing]), rcond=_RANK)[0]
    return found[:n] * scale, found[n:] * rows
