"""Linear systems of expressions, solved by elimination: pivots chosen by numbers, zeros skipped.

The rows J v = b of a robot are solved for as many of its speeds as they determine; those left are the independent speeds.
A pivot must be large where the robot starts; among those that are, the cheapest is taken (Markowitz 1957: few entries in its
row and column; a number before an expression).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.symbolic.expression import Expression

SMALLEST = 0.05  # of the largest entry of its row that a pivot must have
NOTHING = 1e-9


def is_zero(x: Any) -> bool:
    """Whether an entry is the number zero."""
    return not isinstance(x, Expression) and x == 0


class Elimination:
    """Factors of the rows ``matrix`` (m, n).

    Parameters
    ----------
    matrix : (m, n) expressions or numbers
    points : (k, m, n) the same as numbers, at one or more points; columns in comparable units
    late : (n,) int
        Columns with a larger number are solved for only where no other will do: their speeds are to stay independent.
    solved : columns to be solved for, or None for a choice by the above.

    After it, ``rows`` and ``columns`` are the pivots in their order, ``independent`` the columns left.
    """

    def __init__(self, matrix: np.ndarray, points: np.ndarray, late: Sequence[int], solved: Sequence[int] | None = None) -> None:
        self.matrix, self.points = matrix.copy(), np.array(points, dtype=float)
        self.rows: list[int] = []
        self.columns: list[int] = []
        self._steps: list[tuple[int, Any, dict[int, Any]]] = []
        rest = list(range(matrix.shape[0]))
        allowed = list(range(matrix.shape[1]) if solved is None else solved)
        self._scale = np.abs(self.points).max(initial=0.0)
        while rest and allowed and (pivot := self._pivot(rest, allowed, late)) is not None:
            row, column = pivot
            rest.remove(row)
            allowed.remove(column)
            self._eliminate(row, column, rest)
        self.redundant = rest
        self.independent = [i for i in range(matrix.shape[1]) if i not in self.columns]

    def _pivot(self, rest: list[int], allowed: list[int], late: Sequence[int]) -> tuple[int, int] | None:
        best, chosen = None, None
        sizes = np.abs(self.points).min(axis=0)
        for row in rest:
            largest = sizes[row, allowed].max()
            if largest <= NOTHING * self._scale:
                continue
            across = sum(not is_zero(x) for x in self.matrix[row]) - 1
            for column in allowed:
                if sizes[row, column] >= SMALLEST * largest and not is_zero(self.matrix[row, column]):
                    down = sum(not is_zero(self.matrix[r, column]) for r in rest) - 1
                    cost = across * down + isinstance(self.matrix[row, column], Expression)
                    score = (late[column], cost, -sizes[row, column])
                    if best is None or score < best:
                        best, chosen = score, (row, column)
        return chosen

    def _eliminate(self, row: int, column: int, rest: list[int]) -> None:
        a, points = self.matrix, self.points
        inverse = 1 / a[row, column]
        points[:, row] /= points[:, row, column][:, None]
        others = [j for j in range(a.shape[1]) if j not in (*self.columns, column) and not is_zero(a[row, j])]
        for j in others:
            a[row, j] = a[row, j] * inverse
        factors = {}
        for r in rest:
            if not is_zero(a[r, column]):
                factors[r] = a[r, column]
                points[:, r] -= points[:, r, column][:, None] * points[:, row]
                for j in others:
                    a[r, j] = a[r, j] - factors[r] * a[row, j]
                    if is_zero(a[r, j]):
                        points[:, r, j] = 0.0
                a[r, column] = 0
        self.rows.append(row)
        self.columns.append(column)
        self._steps.append((row, inverse, factors))

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.rows)

    def solve(self, right: np.ndarray) -> dict[int, Any]:
        """{column: x} with (matrix x)[rows] = right, independent columns zero."""
        b = list(right)
        for row, inverse, factors in self._steps:
            b[row] = b[row] * inverse
            for r, factor in factors.items():
                b[r] = b[r] - factor * b[row]
        return self._back(b)

    def _back(self, b: list[Any]) -> dict[int, Any]:
        x: dict[int, Any] = {}
        for row, column in zip(reversed(self.rows), reversed(self.columns), strict=True):
            total = b[row]
            for other, value in x.items():
                total = total - self.matrix[row, other] * value
            x[column] = total
        return x

    def kernel(self) -> np.ndarray:
        """H (n, n - rank) with matrix H = 0 and the identity in the rows of the independent columns."""
        n = self.matrix.shape[1]
        h = np.full((n, len(self.independent)), 0, dtype=object)
        for k, i in enumerate(self.independent):
            h[i, k] = 1
            for column, value in self._back([-x for x in self.matrix[:, i]]).items():
                h[column, k] = value
        return h

    def solve_transposed(self, right: np.ndarray) -> dict[int, Any]:
        """{row: y} with (y^T matrix)[columns] = right[columns], rows that are redundant zero."""
        # P matrix = L U: first U^T z = right, then L^T y = z.
        z: dict[int, Any] = {}
        for k, column in enumerate(self.columns):
            total = right[column]
            for row in self.rows[:k]:
                total = total - self.matrix[row, column] * z[row]
            z[self.rows[k]] = total
        y: dict[int, Any] = {}
        for row, inverse, factors in reversed(self._steps):
            total = z[row]
            for r, factor in factors.items():
                if r in y:
                    total = total - factor * y[r]
            y[row] = total * inverse
        return y


def solve_symmetric(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x with matrix x = right for a positive definite matrix (n, n), by L D L^T."""
    n = len(right)
    a, x = matrix.copy(), np.array(right, dtype=object)
    inverse = [0] * n
    for k in range(n):
        inverse[k] = 1 / a[k, k]
        for i in range(k + 1, n):
            if not is_zero(a[i, k]):
                factor = a[i, k] * inverse[k]
                for j in range(k + 1, i + 1):
                    a[i, j] = a[i, j] - factor * a[j, k]
                x[i] = x[i] - factor * x[k]
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, n):
            total = total - a[j, k] * x[j]
        x[k] = total * inverse[k]
    return x
