"""Small dense linear algebra in kernels: rank-revealing QR, triangular solves, Cholesky. Nothing allocates.

For one robot, or for lanes of robots of one rank: each has pivots of its own (:mod:`locodyn.kernel.agreement`). Matrices are at
most a few tens wide.
"""

from __future__ import annotations

from locodyn.kernel.agreement import (
    differs,
    exchange,
    exchange_in,
    larger,
    last_place,
    less,
    magnitude,
    picked,
    place,
    where_at_most,
)
from locodyn.kernel.compile import compiled, portable
from locodyn.kernel.primitives import lit, select_lt, sqrt


@portable
def fill(array, value):
    """Set all entries of a 2-D array."""
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] = value


@compiled(inline=True, lanes=True)
def longest_column(a, k, rows, end):
    """Place and length of the column from k on, before the place ``end``, with the largest rest in the rows from k on."""
    largest = lit(a[k, k], -1.0)
    best = place(largest, k)
    for j in range(k, last_place(end)):
        total = lit(largest, 0.0)
        for i in range(k, rows):
            total += a[i, j] * a[i, j]
        total = where_at_most(end, j, lit(largest, -1.0), total)
        best = select_lt(largest, total, place(largest, j), best)
        largest = larger(largest, total)
    return best, sqrt(largest)


@compiled(inline=True, lanes=True)
def reflect(a, rows, columns, q, k, size):
    """Reflection 1 - u u^T / s of A and Q that sends the rest of column k, of length ``size``, to (-sign size, 0, ...)."""
    alpha = select_lt(lit(size, 0.0), a[k, k], -size, size)
    s = size * size - a[k, k] * alpha
    head = a[k, k] - alpha
    inverse = lit(size, 1.0) / s
    for j in range(k + 1, columns):
        total = head * a[k, j]
        for i in range(k + 1, rows):
            total += a[i, k] * a[i, j]
        total *= inverse
        a[k, j] -= total * head
        for i in range(k + 1, rows):
            a[i, j] -= total * a[i, k]
    for i in range(rows):
        total = q[i, k] * head
        for j in range(k + 1, rows):
            total += q[i, j] * a[j, k]
        total *= inverse
        q[i, k] -= total * head
        for j in range(k + 1, rows):
            q[i, j] -= total * a[j, k]
    a[k, k] = alpha
    for i in range(k + 1, rows):
        a[i, k] = 0.0


@compiled(called=True, lanes=True)
def pivoted_qr(a, rows, columns, q, permutation, tolerance, scale, settled, blur, ahead):
    """A P = Q R by Householder reflections with column pivoting; returns the rank.

    Parameters
    ----------
    a : (>= rows, >= columns), overwritten by R (upper trapezoidal, the rest zero).
    q : (>= rows, >= rows), filled with Q.
    permutation : (>= columns,) places: column j of R belongs to column ``permutation[j]`` of A.
    tolerance, scale : a diagonal entry below tolerance times the first one, or times ``scale``, ends the factorisation.
    settled, blur : entries of A are wrong by ``blur`` times the first diagonal entry, but the rank of the right ones is
        known to be ``settled`` at least. Further columns count where their rest is more than the error, which is seen
        through those before them: blur first / last diagonal entry.
    ahead : place up to which columns of A come before the others as long as they are independent (0: none).
    """
    for i in range(rows):
        for j in range(rows):
            q[i, j] = 0.0
        q[i, i] = 1.0
    for j in range(columns):
        permutation[j] = j
    rank = 0
    first = lit(scale, 0.0)
    for k in range(min(rows, columns)):
        # Column with the largest rest: sums are taken anew, since updated ones lose digits.
        best, size = longest_column(a, k, rows, where_at_most(ahead, k, place(first, columns), ahead))
        if k == 0:
            first = size
        least = tolerance * larger(first, scale)
        gone = where_at_most(size, least, lit(first, 1.0), lit(first, 0.0))
        if less(0.0, where_at_most(ahead, k, lit(first, 0.0), gone)):  # a position more special than the settled one
            ahead = place(first, 0)
            settled = k
            best, size = longest_column(a, k, rows, place(first, columns))
            gone = where_at_most(size, least, lit(first, 1.0), lit(first, 0.0))
        gone = where_at_most(size, 0.0, lit(first, 1.0), gone)
        if k > 0 and k >= settled:
            gone = where_at_most(size * magnitude(a[k - 1, k - 1]), blur * first * first, lit(first, 1.0), gone)
        if less(0.0, gone):
            break
        if differs(best, k):
            for i in range(rows):
                exchange_in(a, i, k, best)
            exchange(permutation, k, best)
        reflect(a, rows, columns, q, k, size)
        rank += 1
    for i in range(rank, rows):
        for j in range(rank, columns):
            a[i, j] = 0.0
    return rank


@compiled(lanes=True)
def solve_transposed(r, rank, b, x):
    """x with R11^T x = b for the leading upper triangle of R. ``b`` and ``x`` may be the same."""
    for i in range(rank):
        total = b[i]
        for j in range(i):
            total -= r[j, i] * x[j]
        x[i] = total / r[i, i]


@compiled(lanes=True)
def smallest_step(factors, rows, columns, rank, b, x):
    """x (rows,) of smallest norm with A^T x = b (columns,) for the independent columns of A, ``rank`` of them.

    ``factors``: a bundle with A P = Q R of :func:`pivoted_qr` as ``factor``, ``basis``, ``order``, and scratch ``ordered``,
    ``coefficients``. Returns by how much the worst of the other columns is missed, and its place (0 where none is).
    """
    factor = factors.factor
    order = factors.order
    ordered = factors.ordered
    coefficients = factors.coefficients
    for j in range(columns):
        ordered[j] = picked(b, order[j])
    solve_transposed(factor, rank, ordered, coefficients)
    missed = lit(ordered[0], 0.0)
    worst = place(missed, 0)
    for j in range(rank, columns):
        rest = ordered[j]
        for i in range(rank):
            rest -= factor[i, j] * coefficients[i]
        worst = select_lt(magnitude(missed), magnitude(rest), order[j], worst)
        missed = select_lt(magnitude(missed), magnitude(rest), rest, missed)
    for e in range(rows):
        total = lit(missed, 0.0)
        for i in range(rank):
            total += factors.basis[e, i] * coefficients[i]
        x[e] = total
    return missed, worst


@compiled
def smallest_solution(r, rank, columns, b, x):
    """x (columns,) of smallest norm with R x = b for the first ``rank`` rows of R, which are independent.

    The rows are orthonormalised one after the other, twice each (R = L Z, overwritten by Z); then x = Z^T L^-1 b. ``b`` is
    overwritten.
    """
    for i in range(rank):
        # What earlier rows contribute goes to the right-hand side as it is taken out of the row.
        for _ in range(2):
            for j in range(i):
                part = 0.0
                for k in range(columns):
                    part += r[i, k] * r[j, k]
                for k in range(columns):
                    r[i, k] -= part * r[j, k]
                b[i] -= part * b[j]
        size = 0.0
        for k in range(columns):
            size += r[i, k] * r[i, k]
        size = 1.0 / sqrt(size)
        for k in range(columns):
            r[i, k] *= size
        b[i] *= size
    for k in range(columns):
        total = 0.0
        for i in range(rank):
            total += r[i, k] * b[i]
        x[k] = total


@compiled(lanes=True)
def cholesky(m, n):
    """L L^T = M in the lower triangle of M, symmetric positive definite (n, n). Returns False if it is not."""
    for j in range(n):
        d = m[j, j]
        for k in range(j):
            d -= m[j, k] * m[j, k]
        if not less(0.0, d):
            return False
        d = sqrt(d)
        m[j, j] = d
        for i in range(j + 1, n):
            total = m[i, j]
            for k in range(j):
                total -= m[i, k] * m[j, k]
            m[i, j] = total / d
    return True


@compiled(lanes=True)
def solve_factored(factor, n, b):
    """b = (L L^T)^-1 b for the factor of :func:`cholesky`."""
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= factor[i, k] * b[k]
        b[i] = total / factor[i, i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total -= factor[k, i] * b[k]
        b[i] = total / factor[i, i]


@compiled(lanes=True)
def solve_positive(m, n, b):
    """b = M^-1 b, M symmetric positive definite (its lower triangle is overwritten). Returns False if it is not."""
    if not cholesky(m, n):
        return False
    solve_factored(m, n, b)
    return True


@compiled
def lu_factor(m, pivots):
    """L U = P M in place with row pivots, M real or complex (n, n), ``pivots`` (n,) int64. Returns False if M is singular.

    On the diagonal stands the inverse of that of U.
    """
    n = m.shape[0]
    for k in range(n):
        best = k
        largest = abs(m[k, k].real) + abs(m[k, k].imag)
        for i in range(k + 1, n):
            size = abs(m[i, k].real) + abs(m[i, k].imag)
            if size > largest:
                largest = size
                best = i
        pivots[k] = best
        if not largest > 0.0:
            return False
        if best != k:
            for j in range(n):
                m[k, j], m[best, j] = m[best, j], m[k, j]
        inverse = 1.0 / m[k, k]
        m[k, k] = inverse
        for i in range(k + 1, n):
            ratio = m[i, k] * inverse
            m[i, k] = ratio
            for j in range(k + 1, n):
                m[i, j] -= ratio * m[k, j]
    return True


@compiled
def lu_solve(m, pivots, b):
    """b = M^-1 b for the factors of :func:`lu_factor`."""
    n = m.shape[0]
    for k in range(n):
        other = pivots[k]
        if other != k:
            b[k], b[other] = b[other], b[k]
    for i in range(1, n):
        b[i] -= row_times(m, i, b, 0, i)
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - row_times(m, i, b, i + 1, n)) * m[i, i]


@compiled(inline=True)
def row_times(m, i, b, first, last):
    """sum of m[i, j] b[j] for j = first ... last - 1, in two sums that do not wait for each other."""
    even = b[i] * 0.0
    odd = even
    for j in range(first, last - 1, 2):
        even += m[i, j] * b[j]
        odd += m[i, j + 1] * b[j + 1]
    if (last - first) % 2 != 0:
        even += m[i, last - 1] * b[last - 1]
    return even + odd
