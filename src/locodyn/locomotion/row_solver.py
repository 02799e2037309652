"""Bilateral rows for code in Python (statics, paths of equilibria, workspaces, connections): what runs use, on NumPy arrays.

Rank, units and shares are those of :mod:`locodyn.locomotion.row_factors`, the Jacobian is that of
:mod:`locodyn.locomotion.row_jacobian`. With these factors a saddle

    K x - J^T mu = f,      J x = d

is solved as a run solves for accelerations: x has the smallest part along the range of J^T that gives J x = d, and a part along
the kernel Z from Z^T K Z z = Z^T (f - K x); mu are the smallest multipliers, in the weights of the constraints, that balance the
rest. Rows may be redundant. Some are so only where loops are closed (Bricard's and Bennett's linkages): where a loop is open,
rows that do not stand out of how far it is open do not count, else forces there would hold the linkage in any position.
"""

from __future__ import annotations

import numpy as np

from locodyn.locomotion.arrays import Inputs, ProblemArrays, WorkArrays
from locodyn.locomotion.constraint_arrays import ConstraintArrays
from locodyn.locomotion.row_factors import factor_kinematics, range_step, share_forces
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at

RANK_TOLERANCE = 1e-9  # of a pivot, or of a singular value, relative to the first
_ROUND_OFF = 1e-15  # of a stiffness, relative to the largest
_NO_STIFFNESS = 1e-10  # of a direction that rows leave open, relative to the largest


class RowSolver:
    """The rows ``numbers`` (k,) of a robot along its free coordinates (e,), at any configuration."""

    def __init__(
        self, problem: ProblemArrays, rows: ConstraintArrays, inputs: Inputs, work: WorkArrays, numbers: np.ndarray
    ) -> None:
        self.problem, self.rows, self.inputs, self.work = problem, rows, inputs, work
        self.numbers = np.asarray(numbers, dtype=np.int64)

    def fill(self, q: np.ndarray) -> None:
        """Poses, rows and the columns of rods at the configuration q, at rest."""
        rows_at(self.problem, self.rows, self.inputs, q, self.rows.zero, self.work)
        rod_columns(self.problem, self.rows, q, self.work.poses)

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(residuals Phi (k,) m or rad, J (k, e)) of the rows at q."""
        self.fill(q)
        row_jacobian(self.problem, self.rows, self.work.poses)
        return self.rows.residual[self.numbers], self.rows.jacobian[self.numbers]

    def factored(self, q: np.ndarray, settled: int = 0) -> RowFactors:
        """The factors of the rows at q; ``settled``: a rank that they have at closed positions (0: judge by tolerance alone)."""
        self.fill(q)
        rows = self.rows
        rank = factor_kinematics(self.problem, rows, self.work.poses, self.numbers, settled, rows.settled_order[:0])
        return RowFactors(rows, self.numbers, rank)


class RowFactors:
    """Rank, independent rows, kernel, steps and multipliers of k rows at one configuration.

    ``jacobian`` (k, e); ``rank``; ``independent`` (rank,): places of rows that are independent, ascending; ``kernel``
    (e, e - rank): directions that the rows leave open, orthonormal in the units of the coordinates.
    """

    def __init__(self, rows: ConstraintArrays, numbers: np.ndarray, rank: int) -> None:
        made = rows.factors
        self._rows, self._numbers, self._blur = rows, numbers, rows.blur
        self._factor, self._basis, self._order = made.factor.copy(), made.basis.copy(), made.order.copy()
        self._all, self._units = rows.jacobian.copy(), rows.units.copy()
        self.rank, self.jacobian = rank, self._all[numbers]

    def _restored(self) -> ConstraintArrays:
        """The arrays of the rows with these factors: others may have been made since."""
        rows, made = self._rows, self._rows.factors
        made.factor[:], made.basis[:], made.order[:] = self._factor, self._basis, self._order
        rows.jacobian[:], rows.rank, rows.blur = self._all, self.rank, self._blur
        return rows

    @property
    def independent(self) -> np.ndarray:
        """Places of independent rows among the k, ascending, (rank,) int."""
        return np.sort(self._order[: self.rank])

    @property
    def kernel(self) -> np.ndarray:
        """Directions that the rows leave open, (e, e - rank) along the coordinates."""
        kernel: np.ndarray = self._units[:, None] * self._basis[:, self.rank :]
        return kernel

    def kernel_in(self, weights: np.ndarray) -> np.ndarray:
        """The same directions, orthonormal (e, e - rank) in coordinates times ``weights`` (e,)."""
        return np.asarray(np.linalg.qr(weights[:, None] * self.kernel)[0])

    def step(self, defect: np.ndarray) -> np.ndarray:
        """The smallest x (e,) with J x = defect (k,), for the independent rows."""
        result = np.zeros(len(self._units))
        range_step(self._restored(), self._numbers, self.rank, np.ascontiguousarray(defect), result)
        return result

    def multipliers(self, force: np.ndarray) -> np.ndarray:
        """The smallest multipliers mu (k,) with J^T mu = force (e,), as far as rows can give it."""
        rows = self._restored()
        rows.sharing.balance[:] = force
        share_forces(rows)
        found: np.ndarray = rows.multipliers[self._numbers]
        return found

    def solve(self, matrix: np.ndarray, force: np.ndarray, defect: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """(x (e,), mu (k,)) with matrix x - J^T mu = force, J x = defect; x is smallest where nothing resists.

        Third, the largest part of the force along directions that rows leave open and nothing resists: 0 where all is balanced.
        """
        x, kernel = self.step(defect), self.kernel
        reduced = kernel.T @ matrix @ kernel
        largest = np.abs(matrix * np.outer(self._units, self._units)).max(initial=0.0)
        reduced[np.abs(reduced) <= _ROUND_OFF * largest] = 0.0
        sizes = np.abs(np.diag(reduced))
        scale = 1.0 / np.sqrt(np.maximum(sizes, 1e-14 * (sizes.max(initial=0.0) or 1.0)))  # to a unit diagonal
        right = scale * (kernel.T @ (force - matrix @ x))
        reduced *= np.outer(scale, scale)
        found, _, resisting, _ = np.linalg.lstsq(reduced, right, rcond=_NO_STIFFNESS)
        unresisted = np.abs((right - reduced @ found) / scale).max() if resisting < len(right) else 0.0
        x = x + kernel @ (scale * found)
        return x, self.multipliers(matrix @ x - force), float(unresisted)


def kernel_of(matrix: np.ndarray, tolerance: float = RANK_TOLERANCE, size: float | None = None) -> np.ndarray:
    """Orthonormal basis (n, k) of the kernel of rows (m, n) that are scaled already; see :func:`rank_of`."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, values, right = np.linalg.svd(matrix)
    return np.asarray(right[rank_of(values, tolerance, size) :].T)


def rank_of(singular_values: np.ndarray, tolerance: float = RANK_TOLERANCE, size: float | None = None) -> int:
    """How many singular values count: those above ``tolerance`` times ``size``, by default the largest of them."""
    largest = singular_values.max(initial=0.0) if size is None else size
    return int(np.sum(singular_values > tolerance * largest))
