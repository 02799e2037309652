"""Sparse L U factors in kernels: column by column with row pivots (Gilbert and Peierls 1988). Nothing allocates.

For matrices whose structure is known beforehand, and of whose entries few are structurally nonzero. Python chooses the order of
the columns once for each structure. The first factorisation finds the pivots: in each column, of the entries that are at least a
tenth of the largest one, that on the diagonal, else that of the row with the fewest entries. Later ones take the same pivots and
the same structure of the factors, as long as each pivot is still large in its column (:data:`SAFE`); else pivots are looked for
anew. So the factors are as good as those of :func:`~locodyn.kernel.dense.lu_factor`, whose rule is that of the largest, up to a
bounded growth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.kernel.bundle import Bundle
from locodyn.kernel.compile import compiled
from locodyn.kernel.primitives import sqrt

LEAST = 0.1  # share of the largest entry of a column that a pivot has at least
SAFE = 0.01  # share down to which one that is known serves again
# What of them a later solution takes.
FACTORS = ("known", "pivot", "place", "inverse", "lower_start", "lower_row", "lower", "upper_start", "upper_step", "upper")


class SparseFactors(Bundle):
    """A matrix A (n, n) by columns, its factors, and scratch; real or complex. With n = 0 nothing is sparse.

    Step k eliminates column ``order[k]``; the row of its pivot is ``pivot[k]``.
    """

    start: np.ndarray  # (n + 1,) int64, where a column begins in
    row: np.ndarray  # (s,) int64, rows of the entries, and
    values: np.ndarray  # (s,) their values
    order: np.ndarray  # (n,) int64
    count: np.ndarray  # (n,) int64, entries of a row
    known: int = 0  # 1 once there are pivots
    pivot: np.ndarray  # (n,) int64
    place: np.ndarray  # (n,) int64, step of which a row is the pivot, or -1
    inverse: np.ndarray  # (n,) one over the pivot
    lower_start: np.ndarray  # (n + 1,) int64, where step k begins in
    lower_row: np.ndarray  # (most_entries,) int64, rows below the pivot, and
    lower: np.ndarray  # the entries of L there
    upper_start: np.ndarray  # (n + 1,) int64
    upper_step: np.ndarray  # (most_entries,) int64, steps before this one, in the order in which they are taken, and
    upper: np.ndarray  # the entries of U there
    spread: np.ndarray  # (n,) a column by rows
    mark: np.ndarray  # (n,) int64, scratch of ``reach``
    stack: np.ndarray  # (n,) int64
    next_entry: np.ndarray  # (n,) int64
    reached: np.ndarray  # (n,) int64


def sparse_factors(start: np.ndarray, row: np.ndarray, order: np.ndarray, kind: type = float) -> SparseFactors:
    """Room for a matrix of this structure, whose diagonal has no structural zeros, with any pivots."""
    n, zeros, most = len(order), np.zeros, most_entries(start, row, order)
    whole: dict[str, Any] = {
        name: zeros(n, dtype=np.int64) for name in ("pivot", "place", "mark", "stack", "next_entry", "reached")
    }
    whole |= {name: zeros(n + 1, dtype=np.int64) for name in ("lower_start", "upper_start")}
    whole |= {name: zeros(most, dtype=np.int64) for name in ("lower_row", "upper_step")}
    return SparseFactors(
        start=start, row=row, order=order, count=np.bincount(row, minlength=n).astype(np.int64),
        values=zeros(len(row), dtype=kind), inverse=zeros(n, dtype=kind), spread=zeros(n, dtype=kind),
        lower=zeros(most, dtype=kind), upper=zeros(most, dtype=kind), **whole,
    )  # fmt: skip


def most_entries(start: np.ndarray, row: np.ndarray, order: np.ndarray) -> int:
    """Entries above the diagonal of R in A = Q R: as many have L and U at most below and above theirs (George and Ng 1987)."""
    place = np.argsort(order)
    rows: list[set[int]] = [set() for _ in order]
    for j in range(len(order)):
        for i in row[start[j] : start[j + 1]]:
            rows[i].add(int(place[j]))
    first: list[list[set[int]]] = [[] for _ in order]
    for one in rows:
        first[min(one)].append(one)
    total = 0
    for k in range(len(order)):
        merged = set().union(*first[k]) - {k}
        total += len(merged)
        if merged:
            first[min(merged)].append(merged)
    return total


def no_factors(kind: type = float) -> SparseFactors:
    """Where nothing is sparse."""
    none = np.zeros(0, dtype=np.int64)
    return sparse_factors(np.zeros(1, dtype=np.int64), none, none, kind)


@compiled(inline=True)
def size_of(x):
    """Size of a number, real or complex, by what every device rounds alike."""
    return sqrt(x.real * x.real + x.imag * x.imag)


@compiled
def reach(f, k):
    """Rows of column ``order[k]`` after the steps before k: ``reached[first:]``, each before those that it changes."""
    n = f.order.shape[0]
    mark, stack, next_entry, place, start = f.mark, f.stack, f.next_entry, f.place, f.lower_start
    first = n
    j = f.order[k]
    for p in range(f.start[j], f.start[j + 1]):
        if mark[f.row[p]] == k:
            continue
        depth = 0
        stack[0] = f.row[p]
        mark[f.row[p]] = k
        c = place[f.row[p]]
        next_entry[0] = start[c] if c >= 0 else 0
        while depth >= 0:
            i = stack[depth]
            c = place[i]
            end = start[c + 1] if c >= 0 else 0
            m = next_entry[depth]
            while m < end and mark[f.lower_row[m]] == k:
                m += 1
            if m < end:
                next_entry[depth] = m + 1
                i = f.lower_row[m]
                depth += 1
                stack[depth] = i
                mark[i] = k
                c = place[i]
                next_entry[depth] = start[c] if c >= 0 else 0
            else:
                depth -= 1
                first -= 1
                f.reached[first] = i
    return first


@compiled
def take_step(f, x, c):
    """The column less x times column c of L."""
    for m in range(f.lower_start[c], f.lower_start[c + 1]):
        f.spread[f.lower_row[m]] -= f.lower[m] * x


@compiled
def best_pivot(f, j, k, first):
    """Row of the pivot among those that are left; -1 where all their entries are zero."""
    largest = 0.0
    for m in range(first, f.order.shape[0]):
        if f.place[f.reached[m]] < 0:
            largest = max(largest, size_of(f.spread[f.reached[m]]))
    if not largest > 0.0:
        return -1
    if f.mark[j] == k and f.place[j] < 0 and size_of(f.spread[j]) >= LEAST * largest:
        return j
    best = -1
    for m in range(first, f.order.shape[0]):
        i = f.reached[m]
        if f.place[i] < 0 and size_of(f.spread[i]) >= LEAST * largest and (best < 0 or f.count[i] < f.count[best]):
            best = i
    return best


@compiled(called=True)
def factor_anew(f):
    """Pivots, and the factors; returns whether there are such."""
    n = f.order.shape[0]
    f.known = 0
    for i in range(n):
        f.place[i] = -1
        f.mark[i] = -1
    for k in range(n):
        j = f.order[k]
        first = reach(f, k)
        for m in range(first, n):
            f.spread[f.reached[m]] = 0.0
        for p in range(f.start[j], f.start[j + 1]):
            f.spread[f.row[p]] = f.values[p]
        u = f.upper_start[k]
        for m in range(first, n):
            c = f.place[f.reached[m]]
            if c >= 0:
                x = f.spread[f.reached[m]]
                f.upper_step[u] = c
                f.upper[u] = x
                u += 1
                take_step(f, x, c)
        f.upper_start[k + 1] = u
        best = best_pivot(f, j, k, first)
        if best < 0:
            return False
        inverse = 1.0 / f.spread[best]
        s = f.lower_start[k]
        for m in range(first, n):
            i = f.reached[m]
            if f.place[i] < 0 and i != best:
                f.lower_row[s] = i
                f.lower[s] = f.spread[i] * inverse
                s += 1
        f.lower_start[k + 1] = s
        f.inverse[k] = inverse
        f.pivot[k] = best
        f.place[best] = k
    f.known = 1
    return True


@compiled(called=True)
def factor_again(f):
    """The factors with the pivots that are known; returns whether each is still large enough in its column."""
    for k in range(f.order.shape[0]):
        j = f.order[k]
        best = f.pivot[k]
        for m in range(f.upper_start[k], f.upper_start[k + 1]):
            f.spread[f.pivot[f.upper_step[m]]] = 0.0
        f.spread[best] = 0.0
        for m in range(f.lower_start[k], f.lower_start[k + 1]):
            f.spread[f.lower_row[m]] = 0.0
        for p in range(f.start[j], f.start[j + 1]):
            f.spread[f.row[p]] = f.values[p]
        for m in range(f.upper_start[k], f.upper_start[k + 1]):
            c = f.upper_step[m]
            x = f.spread[f.pivot[c]]
            f.upper[m] = x
            take_step(f, x, c)
        largest = 0.0
        for m in range(f.lower_start[k], f.lower_start[k + 1]):
            largest = max(largest, size_of(f.spread[f.lower_row[m]]))
        size = size_of(f.spread[best])
        if not (size > 0.0 and size >= SAFE * largest):
            return False
        inverse = 1.0 / f.spread[best]
        f.inverse[k] = inverse
        for m in range(f.lower_start[k], f.lower_start[k + 1]):
            f.lower[m] = f.spread[f.lower_row[m]] * inverse
    return True


@compiled(late=())
def factor_sparse(f):
    """L U = P A Q from ``values``. A singular matrix leaves factors that give no number, as a division by zero does."""
    if f.known != 0 and factor_again(f):
        return
    if not factor_anew(f):
        for k in range(f.order.shape[0]):
            f.inverse[k] = np.nan


@compiled(late=())
def solve_sparse(f, b):
    """b = A^-1 b for the factors of :func:`factor_sparse`; b real or complex as A is."""
    n = f.order.shape[0]
    x = f.spread
    for k in range(n):
        y = b[f.pivot[k]]
        x[k] = y
        for m in range(f.lower_start[k], f.lower_start[k + 1]):
            b[f.lower_row[m]] -= f.lower[m] * y
    for k in range(n - 1, -1, -1):
        y = x[k] * f.inverse[k]
        b[f.order[k]] = y
        for m in range(f.upper_start[k], f.upper_start[k + 1]):
            x[f.upper_step[m]] -= f.upper[m] * y
