"""Newton's matrix of robots with many rods or loops: its entries, without the zeros between them, and its factors.

The equations and their scaling are those of :mod:`locodyn.integrate.implicit.matrix`, the entries those that
:mod:`locodyn.integrate.implicit.pattern` has found.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.dense import lu_solve
from locodyn.kernel.sparse import factor_sparse, size_of, solve_sparse
from locodyn.world.rows import HOLONOMIC


@compiled(inline=True)
def is_sparse(sparse):
    """Whether a robot has a structure."""
    return sparse.order.shape[0] > 0


@compiled(inline=True)
def solve_factored_block(sparse, block, pivots, side):
    """``side`` = A^-1 ``side``, by the factors of either kind."""
    if is_sparse(sparse):
        solve_sparse(sparse, side)
    else:
        lu_solve(block, pivots, side)


@compiled(inline=True)
def scale_block(tangent, b0, b1, b2, scales):
    """``scales`` (n + active,) of the coordinates: the diagonal of b0 M + b1 C + b2 K becomes about 1."""
    n = tangent.by_a.shape[0]
    s0, s1, s2 = size_of(b0), size_of(b1), size_of(b2)
    largest = 0.0
    for i in range(n):
        size = s0 * abs(tangent.by_a[i, i]) + s1 * abs(tangent.by_v[i, i]) + s2 * abs(tangent.by_q[i, i])
        scales[i] = size
        largest = max(largest, size)
    for i in range(n):
        scales[i] = 1.0 / sqrt(max(scales[i], 1e-14 * largest, 1e-300))


@compiled(late=())
def factor_sparse_block(rows, matrix, tangent, h, factors, held, scales, sparse):
    """Entries and factors of the block for (b0, b1, b2) = ``factors``, with the active rows; ``held``: by positions."""
    n = tangent.by_a.shape[0]
    b0 = factors[0]
    b1 = h * factors[1]
    b2 = h * h * factors[2]
    scale_block(tangent, b0, b1, b2, scales)
    for j in range(n):
        for p in range(sparse.start[j], sparse.start[j + 1]):
            i = sparse.row[p]
            if i < n:
                entry = b0 * tangent.by_a[i, j] + b1 * tangent.by_v[i, j] + b2 * tangent.by_q[i, j]
                sparse.values[p] = entry * (scales[i] * scales[j])
    add_sparse_rows(rows, matrix, scales, n, h * factors[2] / factors[1], held, sparse)
    factor_sparse(sparse)


@compiled(late=())
def factor_sparse_end(rows, matrix, block, scales, sparse):
    """Factors of the saddle point matrix of the end of a step; ``block`` (nv, nv) of the coordinates, not scaled."""
    n = block.shape[0]
    for j in range(n):
        for p in range(sparse.start[j], sparse.start[j + 1]):
            i = sparse.row[p]
            if i < n:
                held = rows.place[i] < 0 or rows.place[j] < 0
                sparse.values[p] = (1.0 if i == j else 0.0) if held else block[i, j] * scales[i] * scales[j]
    add_sparse_rows(rows, matrix, scales, n, 0.0, False, sparse)
    factor_sparse(sparse)


@compiled(late=())
def error_of_slopes(sparse, tangent, b1, fast, far, error):
    """``error`` (n + active,) += M fast - b1 K far."""
    n = tangent.by_a.shape[0]
    for j in range(n):
        for p in range(sparse.start[j], sparse.start[j + 1]):
            i = sparse.row[p]
            if i < n:
                error[i] += tangent.by_a[i, j] * fast[j] - b1 * tangent.by_q[i, j] * far[j]


@compiled
def add_sparse_rows(rows, matrix, scales, n, ratio, held, sparse):
    """:func:`~locodyn.integrate.implicit.matrix.add_rows_to` where there are rows."""
    if rows is not None:
        scale_rows(rows, matrix.chosen, scales, n, sparse)
        fill_rows_of_coordinates(rows, matrix, scales, n, ratio, held, sparse)
        fill_multipliers(rows, matrix.chosen, scales, n, sparse)


@compiled
def scale_rows(rows, chosen, scales, n, sparse):
    """``scales`` of the multipliers: scaled rows of unit length; zero for those that are not chosen."""
    active = rows.active
    for m in range(active.shape[0]):
        scales[n + m] = 0.0
    for j in range(n):
        e = rows.place[j]
        for p in range(sparse.start[j], sparse.start[j + 1]):
            m = sparse.row[p] - n
            if m >= 0 and e >= 0:
                entry = rows.jacobian[active[m], e] * scales[j]
                scales[n + m] += entry * entry
    for m in range(active.shape[0]):
        scales[n + m] = 0.0 if chosen[m] == 0 or scales[n + m] == 0.0 else 1.0 / sqrt(scales[n + m])


@compiled
def fill_rows_of_coordinates(rows, matrix, scales, n, ratio, held, sparse):
    """The rows below the block of the coordinates; those held by velocities change with the configuration too."""
    active = rows.active
    for j in range(n):
        e = rows.place[j]
        for p in range(sparse.start[j], sparse.start[j + 1]):
            m = sparse.row[p] - n
            if m < 0:
                continue
            if e < 0:
                sparse.values[p] = 0.0
                continue
            scale = scales[n + m] * scales[j]
            sparse.values[p] = scale * rows.jacobian[active[m], e]
            if not (held and rows.flags[active[m]] & HOLONOMIC):
                sparse.values[p] += scale * ratio * matrix.slopes[m, j]


@compiled
def fill_multipliers(rows, chosen, scales, n, sparse):
    """The forces of the rows, beside the block of the coordinates; a unit for rows that are not chosen."""
    for m in range(rows.active.shape[0]):
        j = n + m
        for p in range(sparse.start[j], sparse.start[j + 1]):
            i = sparse.row[p]
            if i >= n:
                sparse.values[p] = 1.0 if scales[j] == 0.0 else 0.0
            else:
                e = rows.place[i]
                sparse.values[p] = -(scales[j] * scales[i]) * rows.jacobian[rows.active[m], e] if e >= 0 else 0.0
