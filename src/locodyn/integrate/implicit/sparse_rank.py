"""Which rows of many are independent at the beginning of an implicit step: those of the last settled state, as long as it holds.

With J the chosen rows, scaled to unit length, in the units of the coordinates, one sparse factorisation answers two questions:

    [ I  -J^T ] [ x ]   [ 0 ]          [ I  -J^T ] [ x ]   [ r ]
    [ J    0  ] [ mu ] = [ d ],        [ J    0  ] [ mu ] = [ 0 ].

For random numbers d the smallest x is about |d| over the smallest singular value of J: where it is large, rows may have become
dependent. For random numbers r, x lies in the kernel of J, and rows that depend on J must be zero along it. Where either is in
doubt, the pivoted factorisation of all rows decides (:func:`~locodyn.locomotion.row_factors.factor_kinematics`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.integrate.implicit.pattern import new_rank_factors
from locodyn.integrate.implicit.sparse import add_sparse_rows, is_sparse
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.sparse import SparseFactors, factor_sparse, solve_sparse
from locodyn.locomotion.path_rank import DOUBT
from locodyn.locomotion.row_factors import choose_rows, sizes
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem


class RankCheck(Bundle):
    """The factors of n coordinates and active rows together, and scratch; empty where all rows are factored."""

    factors: SparseFactors
    scales: np.ndarray  # (n,) units of coordinates, then one over the lengths of rows
    side: np.ndarray  # (n,) right-hand side, then the solution
    probe: np.ndarray  # (n,) numbers that no row knows of


def new_rank_check(problem: Problem, sparse: bool) -> RankCheck:
    """Room for a robot, empty unless its factors are ``sparse``."""
    factors = new_rank_factors(problem, sparse)
    n = len(factors.order)
    return RankCheck(factors=factors, scales=np.zeros(n), side=np.zeros(n), probe=np.random.default_rng(1).standard_normal(n))


@compiled
def choose_independent(problem, rows, inputs, q, work, matrix, check):
    """Independent rows at the configuration q: 1 in ``matrix.chosen`` (active,), 0 for others."""
    if is_sparse(check.factors) and rows.settled_rank > 0:
        rows_at(problem, rows, inputs, q, rows.zero, work)
        rod_columns(problem, rows, q, work.poses)
        row_jacobian(problem, rows, work.poses)
        for j in range(rows.active.shape[0]):
            matrix.chosen[j] = 0
        for j in range(rows.settled_rank):
            matrix.chosen[rows.settled_order[j]] = 1
        if holds_still(rows, matrix, check) != 0.0:
            return
    choose_rows(problem, rows, inputs, q, work, matrix.chosen)


@compiled(late=1)
def holds_still(rows, matrix, check):
    """1 where the chosen rows are independent beyond doubt, and all others depend on them; else 0."""
    factors, scales, side = check.factors, check.scales, check.side
    count = rows.active.shape[0]
    n = scales.shape[0] - count
    for j in range(n):
        scales[j] = rows.units[rows.place[j]] if rows.place[j] >= 0 else 1.0
        for p in range(factors.start[j], factors.start[j + 1]):
            if factors.row[p] < n:
                factors.values[p] = 1.0
    add_sparse_rows(rows, matrix, scales, n, 0.0, True, factors)
    factor_sparse(factors)
    longest = 0.0
    for i in range(n + count):
        side[i] = 0.0
        if i >= n and scales[i] > 0.0:
            side[i] = check.probe[i]
            longest = max(longest, 1.0 / scales[i])
    solve_sparse(factors, side)
    total = 0.0
    for j in range(n):
        total += side[j] * side[j]
    away = sqrt(total)  # about one over the smallest singular value
    if not away < 1.0 / DOUBT:
        return 0.0
    if rows.settled_rank == count:
        return 1.0
    scale, blur = sizes(rows, rows.active, rows.settled_rank)
    limit = max(rows.rank_tolerance * max(longest, 1e-3 * scale), blur * longest * max(away, 1.0))
    most = 0.0
    for i in range(n + count):
        side[i] = check.probe[i] if i < n and rows.place[i] >= 0 else 0.0
        most = max(most, abs(side[i]))
    solve_sparse(factors, side)
    groups = rows.groups
    for j in range(count):
        if matrix.chosen[j] == 0:
            m = rows.active[j]
            total = 0.0
            for p in range(groups.reach_start[m], groups.reach_start[m + 1]):
                e = groups.reach[p]
                total += rows.jacobian[m, e] * rows.units[e] * side[rows.free[e]]
            if abs(total) > limit * most:
                return 0.0
    return 1.0
