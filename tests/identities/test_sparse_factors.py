"""Sparse factors against NumPy's dense solution, on random matrices with zeros on the diagonal and with rows that are left out.

Bound of a solution x: round-off of a factorisation with row pivots, |A x - b| <= n^2 eps growth |A| |x| (Higham 2002, 9.3) with
the growth of at most 1e3 that random matrices of this size keep to.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_matrix

from locodyn.kernel.sparse import (
    SparseFactors,
    factor_again,
    factor_anew,
    factor_sparse,
    most_entries,
    solve_sparse,
    sparse_factors,
)

EPS = np.finfo(float).eps


def saddle(n: int, m: int, seed: int, kind: type = float) -> np.ndarray:
    """[[S, -J^T], [J, 0]] of n coordinates and m rows, each of which feels four of them; two rows are left out, with a unit."""
    random = np.random.default_rng(seed)
    block = np.diag(2.0 + random.random(n)).astype(kind)
    for _ in range(3 * n):
        i, j = random.integers(n, size=2)
        block[i, j] += random.standard_normal() * (1.0 + (1j if kind is complex else 0.0))
    rows = np.zeros((m, n))
    for j in range(m - 2):
        rows[j, random.choice(n, 4, replace=False)] = random.standard_normal(4)
    matrix = np.block([[block, -rows.T], [rows, np.zeros((m, m))]])
    matrix[[-1, -2], [-1, -2]] = 1.0
    return matrix


def factors_of(matrix: np.ndarray, order: np.ndarray) -> SparseFactors:
    """Of the nonzero entries and the diagonal, in this order of columns."""
    there = (matrix != 0.0) | np.eye(len(matrix), dtype=bool)
    found = csc_matrix(there)
    made = sparse_factors(
        found.indptr.astype(np.int64), found.indices.astype(np.int64), order, complex if np.iscomplexobj(matrix) else float
    )
    fill(made, matrix)
    return made


def fill(made: SparseFactors, matrix: np.ndarray) -> None:
    column = np.repeat(np.arange(len(matrix)), np.diff(made.start))
    made.values[:] = matrix[made.row, column]


def check(made: SparseFactors, matrix: np.ndarray, seed: int) -> None:
    """The solution for random numbers."""
    b = np.random.default_rng(seed).standard_normal(len(matrix)).astype(matrix.dtype)
    x = b.copy()
    solve_sparse(made, x)
    bound = len(matrix) ** 2 * EPS * 1e3 * np.linalg.norm(matrix, np.inf) * np.abs(x).max()
    assert np.abs(matrix @ x - b).max() < bound
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-9, atol=1e-9 * np.abs(x).max())


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("seed", range(8))
def test_solutions_of_random_matrices(kind: type, seed: int) -> None:
    """In random orders of the columns; again with other numbers and the same pivots; room is never less than what is filled."""
    n, m = 30, 12
    matrix, order = saddle(n, m, seed, kind), np.random.default_rng(seed).permutation(n + m)
    made = factors_of(matrix, order)
    factor_sparse(made)
    assert made.known == 1
    check(made, matrix, seed)
    most = most_entries(made.start, made.row, made.order)
    assert len(made.lower) == most <= (n + m) * (n + m - 1) // 2
    assert max(made.lower_start[-1], made.upper_start[-1]) <= most
    pivots = made.pivot.copy()
    matrix = matrix * (1.0 + 0.01 * np.random.default_rng(seed + 100).random(matrix.shape))
    fill(made, matrix)
    factor_sparse(made)
    np.testing.assert_array_equal(made.pivot, pivots)
    check(made, matrix, seed)


def test_a_pivot_that_has_become_small_is_given_up() -> None:
    """The same structure with one pivot at a millionth: the factors are made anew, with another one."""
    matrix = saddle(30, 12, 3)
    made = factors_of(matrix, np.arange(42))
    factor_sparse(made)
    row = int(made.pivot[0])
    below = np.flatnonzero(matrix[:, 0])
    assert len(below) > 1
    matrix[row, 0] = 1e-6 * np.abs(matrix[below, 0]).max()
    fill(made, matrix)
    assert not factor_again(made)
    factor_sparse(made)
    assert made.pivot[0] != row
    check(made, matrix, 0)


def test_a_singular_matrix_gives_no_numbers() -> None:
    """A column of zeros."""
    matrix = saddle(30, 12, 4)
    matrix[:, 7] = 0.0
    made = factors_of(matrix, np.arange(42))
    assert not factor_anew(made)
    factor_sparse(made)
    b = np.ones(42)
    solve_sparse(made, b)
    assert not np.isfinite(b).any()
