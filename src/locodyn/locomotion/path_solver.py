"""Many loops: rows solved along their paths through the tree, in time linear in their number.

What :mod:`locodyn.locomotion.row_factors` finds by a pivoted factorisation of all rows, this finds for rows whose rank is known:
the independent rows J of the last settled state. With U the units of the coordinates and M = L^T L the mass matrix, whose factor
has entries between ancestors only (Featherstone 2005),

    smallest step      x = U^2 J^T (J U^2 J^T)^-1 d,
    accelerations      a = M^-1 (tau - h + J^T lambda),   (J M^-1 J^T) lambda = d - J M^-1 (tau - h),

by Cholesky factors within the envelope of :mod:`locodyn.locomotion.row_paths`, each solution improved once by its own residual
(the normal equations square the condition; a step of refinement gives the digits back: Bjorck 1987).

Which rows are independent, and that they are so still, is found in :mod:`locodyn.locomotion.path_rank`.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.locomotion.row_jacobian import add_factors, add_row
from locodyn.locomotion.tree_mass import factor_mass, towards_root, towards_tips

SAFE = 1e-10  # square of the distance of a row from those before it, over its own: below, pivoting decides


@compiled(called=True)
def path_jacobian(problem, rows, paths, poses):
    """J of all rows, as of :func:`~locodyn.locomotion.row_jacobian.row_jacobian`: other entries are zero and stay so."""
    for m in range(paths.row.shape[0]):
        for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
            rows.jacobian[m, paths.reach[n]] = 0.0
        add_row(problem, rows, poses, m, rows.frame[m], rows.cotwist)
        add_row(problem, rows, poses, m, rows.other[m], rows.other_cotwist)
        add_factors(rows, m, rows.coefficient)
        for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
            paths.values[n] = rows.jacobian[m, paths.reach[n]] * rows.units[paths.reach[n]]


@compiled(inline=True)
def times_path(paths, values, m, x):
    """Row m, whose ``values`` along its path are given, times x (e,)."""
    total = 0.0
    for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
        total += values[n] * x[paths.reach[n]]
    return total


@compiled(called=True)
def products(paths, values, result):
    """The products of all chosen rows with each other into the envelope ``result``; unity for the others."""
    spread = paths.spread
    for p in range(paths.row.shape[0]):
        m = paths.row[p]
        base = paths.start[p] - paths.first[p]
        for s in range(paths.first[p], p + 1):
            result[base + s] = 0.0
        if paths.chosen[p] == 0:
            result[base + p] = 1.0
            continue
        for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
            spread[paths.reach[n]] = values[n]
        for s in range(paths.first[p], p + 1):
            if paths.chosen[s] != 0:
                result[base + s] = times_path(paths, values, paths.row[s], spread)
        for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
            spread[paths.reach[n]] = 0.0


@compiled(called=True)
def factor_envelope(paths, a):
    """L L^T = A within the envelope, in place; returns whether all pivots are safe. Tells the smallest and the largest one."""
    paths.smallest = 1e300
    paths.largest = 0.0
    for p in range(paths.row.shape[0]):
        base = paths.start[p] - paths.first[p]
        whole = a[base + p]
        rest = whole
        for s in range(paths.first[p], p):
            other = paths.start[s] - paths.first[s]
            total = a[base + s]
            for r in range(max(paths.first[p], paths.first[s]), s):
                total -= a[base + r] * a[other + r]
            total /= a[other + s]
            a[base + s] = total
            rest -= total * total
        if not rest > SAFE * whole:
            return False
        a[base + p] = sqrt(rest)
        if paths.chosen[p] != 0:
            paths.smallest = min(paths.smallest, a[base + p])
            paths.largest = max(paths.largest, a[base + p])
    return True


@compiled(called=True)
def solve_envelope(paths, factor, b):
    """b = (L L^T)^-1 b, by place."""
    count = paths.row.shape[0]
    for p in range(count):
        base = paths.start[p] - paths.first[p]
        total = b[p]
        for s in range(paths.first[p], p):
            total -= factor[base + s] * b[s]
        b[p] = total / factor[base + p]
    for p in range(count - 1, -1, -1):
        base = paths.start[p] - paths.first[p]
        total = b[p] / factor[base + p]
        b[p] = total
        for s in range(paths.first[p], p):
            b[s] -= factor[base + s] * total


@compiled(inline=True)
def add_rows(paths, values, x):
    """x (e,) += sum of the chosen rows times their numbers in ``right``."""
    for p in range(paths.row.shape[0]):
        if paths.chosen[p] != 0:
            m = paths.row[p]
            for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                x[paths.reach[n]] += values[n] * paths.right[p]


@compiled(called=True)
def in_range(paths, defect, x):
    """x (e,) = the smallest x, in units, with J x = ``defect`` (m,) for the chosen rows."""
    for e in range(x.shape[0]):
        x[e] = 0.0
    for _ in range(2):  # the second time what the first one misses
        for p in range(paths.row.shape[0]):
            m = paths.row[p]
            paths.right[p] = defect[m] - times_path(paths, paths.values, m, x) if paths.chosen[p] != 0 else 0.0
        solve_envelope(paths, paths.factor, paths.right)
        add_rows(paths, paths.values, x)


@compiled(called=True)
def path_step(rows, paths, defect, result):
    """Smallest step in E with J step = defect; returns the largest row that is missed."""
    in_range(paths, defect, result)
    missed = 0.0
    for p in range(paths.row.shape[0]):
        m = paths.row[p]
        if paths.chosen[p] == 0:
            rest = defect[m] - times_path(paths, paths.values, m, result)
            if abs(rest) > abs(missed):
                missed = rest
                rows.missed_row = m
    for e in range(result.shape[0]):
        result[e] *= rows.units[e]
    return missed


@compiled(called=True)
def responses(rows, paths):
    """L^-T J^T of the chosen rows, along their paths."""
    mass = rows.dynamics.mass
    spread = paths.spread
    for p in range(paths.row.shape[0]):
        if paths.chosen[p] != 0:
            m = paths.row[p]
            for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                spread[paths.reach[n]] = rows.jacobian[m, paths.reach[n]]
            for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                e = paths.reach[n]
                value = spread[e] / mass[e, e]
                spread[e] = 0.0
                paths.response[n] = value
                i = paths.up[e]
                while i >= 0:
                    spread[i] -= mass[e, i] * value
                    i = paths.up[i]


@compiled(called=True)
def path_accelerations(problem, rows, paths, q, poses, defect, force, result):
    """Accelerations (e,) under ``force`` (e,), tau - h, with J a = ``defect`` (m,); returns whether the pivots are safe."""
    step = paths.step
    smallest, largest = paths.smallest, paths.largest
    factor_mass(problem, rows, paths.up, q, poses)
    responses(rows, paths)
    products(paths, paths.response, paths.mass_factor)
    safe = factor_envelope(paths, paths.mass_factor)
    paths.smallest = smallest
    paths.largest = largest
    if not safe:
        return False
    for e in range(result.shape[0]):
        step[e] = force[e]
        result[e] = 0.0
    towards_root(rows.dynamics.mass, paths.up, step)
    for again in range(2):
        for p in range(paths.row.shape[0]):
            m = paths.row[p]
            paths.right[p] = 0.0
            if paths.chosen[p] != 0:
                reached = 0.0
                for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                    reached += rows.jacobian[m, paths.reach[n]] * result[paths.reach[n]]
                if again == 0:
                    reached = times_path(paths, paths.response, m, step)
                paths.right[p] = defect[m] - reached
        if again != 0:
            for e in range(result.shape[0]):
                step[e] = 0.0
        solve_envelope(paths, paths.mass_factor, paths.right)
        add_rows(paths, paths.response, step)
        towards_tips(rows.dynamics.mass, paths.up, step)
        for e in range(result.shape[0]):
            result[e] += step[e]
    return True


@compiled(called=True)
def path_forces(rows, paths):
    """Multipliers of the rows with J_E^T lambda = ``sharing.balance``, where only rows that are zero depend on others.

    Returns False, and changes nothing, where others do: their shares need all rows.
    """
    balance = rows.sharing.balance
    static = rows.sharing.static
    rest = paths.step
    limit = rows.rank_tolerance * paths.largest
    for p in range(paths.row.shape[0]):
        if paths.chosen[p] == 0:
            m = paths.row[p]
            for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                if abs(paths.values[n]) > limit:
                    return False
    for e in range(balance.shape[0]):
        balance[e] *= rows.units[e]
    for m in range(paths.row.shape[0]):
        load = static[rows.group[m]]
        rows.multipliers[m] = load
        if load != 0.0:
            for n in range(paths.reach_start[m], paths.reach_start[m + 1]):
                balance[paths.reach[n]] -= paths.values[n] * load
    for e in range(balance.shape[0]):
        rest[e] = balance[e]
    for _ in range(2):
        for p in range(paths.row.shape[0]):
            paths.right[p] = times_path(paths, paths.values, paths.row[p], rest) if paths.chosen[p] != 0 else 0.0
        solve_envelope(paths, paths.factor, paths.right)
        for p in range(paths.row.shape[0]):
            rows.multipliers[paths.row[p]] += paths.right[p]
            paths.right[p] = -paths.right[p]
        add_rows(paths, paths.values, rest)
    rows.sharing.mismatch = 0.0
    for e in range(rest.shape[0]):
        rows.sharing.mismatch = max(rows.sharing.mismatch, abs(rest[e]))
    return True
