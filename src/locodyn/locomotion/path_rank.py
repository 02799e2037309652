"""Many loops: which rows are independent, along their paths through the tree, and whether they are so still.

Where nothing is settled, the Cholesky factor of the products of all rows tells how far each is from those before it: a row at
round-off depends on them and is left out. Where a rank is settled, that it is still what it was is checked every time by the
pivots, and by a vector of random numbers: less its part along the independent rows, it must be in the kernel of the others too.
Where something is in doubt, the pivoted factorisation of all rows decides, by its own rule
(:func:`~locodyn.locomotion.row_factors.factor_kinematics`).
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.locomotion.path_solver import (
    SAFE,
    add_rows,
    factor_envelope,
    path_jacobian,
    products,
    solve_envelope,
    times_path,
)

DOUBT = 1e-5  # smallest over largest pivot: below, pivoting decides
DEPENDS = 1e-13  # square of the distance of a row from those before it, over its own, that is round-off


@compiled(called=True)
def depend_still(rows, paths, scale, blur):
    """Whether all rows that are not chosen vanish on the kernel of the chosen ones: looked at along a random vector.

    The bounds are those of :func:`~locodyn.locomotion.row_factors.factor_kinematics`.
    """
    limit = rows.rank_tolerance * max(paths.largest, 1e-3 * scale)
    limit = max(limit, blur * paths.largest * paths.largest / paths.smallest)
    tested = paths.tested
    size = 0.0
    for e in range(tested.shape[0]):
        tested[e] = paths.probe[e]
        size = max(size, abs(paths.probe[e]))
    for _ in range(2):
        for p in range(paths.row.shape[0]):
            paths.right[p] = -times_path(paths, paths.values, paths.row[p], tested) if paths.chosen[p] != 0 else 0.0
        solve_envelope(paths, paths.factor, paths.right)
        add_rows(paths, paths.values, tested)
    for p in range(paths.row.shape[0]):
        if paths.chosen[p] == 0 and abs(times_path(paths, paths.values, paths.row[p], tested)) > limit * size:
            return False
    return True


@compiled(called=True)
def factor_paths(problem, rows, paths, poses, scale, blur):
    """Factors of the rows that were independent at the last settled state; returns whether these are so still, and no others.

    ``scale``, ``blur``: as of :func:`~locodyn.locomotion.row_factors.sizes`.
    """
    path_jacobian(problem, rows, paths, poses)
    for p in range(paths.row.shape[0]):
        paths.chosen[p] = 0
    for j in range(rows.settled_rank):
        paths.chosen[paths.place[rows.settled_order[j]]] = 1
    products(paths, paths.values, paths.factor)
    if not factor_envelope(paths, paths.factor) or paths.smallest <= DOUBT * max(paths.largest, 1e-3 * scale):
        return False
    return depend_still(rows, paths, scale, blur)


@compiled(called=True)
def drop_dependent(rows, paths, scale):
    """The factor of the products of all rows, without those that depend on rows before them; returns the rank, -1 in doubt.

    Rows that are dropped are no longer ``chosen``. In doubt is a row that is neither at round-off from those before it nor safely
    away from them.
    """
    a = paths.factor
    most = 1e-6 * scale * scale
    for p in range(paths.row.shape[0]):
        most = max(most, a[paths.start[p + 1] - 1])
    least = rows.rank_tolerance * rows.rank_tolerance * most
    rank = 0
    paths.smallest = 1e300
    paths.largest = 0.0
    for p in range(paths.row.shape[0]):
        base = paths.start[p] - paths.first[p]
        whole = a[base + p]
        rest = whole
        for s in range(paths.first[p], p):
            total = 0.0
            if paths.chosen[s] != 0:
                other = paths.start[s] - paths.first[s]
                total = a[base + s]
                for r in range(max(paths.first[p], paths.first[s]), s):
                    total -= a[base + r] * a[other + r]
                total /= a[other + s]
            a[base + s] = total
            rest -= total * total
        if whole <= least or rest <= DEPENDS * whole:
            paths.chosen[p] = 0
            for s in range(paths.first[p], p):
                a[base + s] = 0.0
            a[base + p] = 1.0
            continue
        if not rest > SAFE * whole:
            return -1
        rank += 1
        a[base + p] = sqrt(rest)
        paths.smallest = min(paths.smallest, a[base + p])
        paths.largest = max(paths.largest, a[base + p])
    return rank


@compiled(called=True)
def find_paths(problem, rows, paths, poses, scale):
    """Factors of independent rows where nothing is known of them, and their order; returns the rank, or 0 in doubt."""
    path_jacobian(problem, rows, paths, poses)
    count = paths.row.shape[0]
    for p in range(count):
        paths.chosen[p] = 1
    products(paths, paths.values, paths.factor)
    rank = drop_dependent(rows, paths, scale)
    if rank <= 0 or paths.smallest <= DOUBT * max(paths.largest, 1e-3 * scale) or not depend_still(rows, paths, scale, 0.0):
        return 0
    first = 0
    last = rank
    for p in range(count):
        if paths.chosen[p] != 0:
            rows.factors.order[first] = paths.row[p]
            first += 1
        else:
            rows.factors.order[last] = paths.row[p]
            last += 1
    return rank
