"""Velocities where the rows lose rank for an instant: the derivative of what was lost decides (Ali 2011, wheeled snake at k pi).

At such an instant there are w with w^T J = 0 that are not there before and after it, and J v = b leaves a direction open. Since
w^T (J v - b) = 0 holds along the whole motion, so does its derivative, and its unknown acceleration drops out with w^T J:

    w^T (Jdot v - bdot) = 0,

one equation for each direction that was lost. On wheels it is linear in the free velocities, on loops quadratic (the branches
of a linkage that is folded flat): Newton from the velocity that the integrator has reached.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.dense import pivoted_qr, smallest_step
from locodyn.locomotion.row_jacobian import row_acceleration
from locodyn.shape.kinematics import frame_motions
from locodyn.world.rows import fill_rows

ITERATIONS = 4


@compiled(called=True)
def rate_defects(problem, rows, inputs, q, v, work, result):
    """bdot - (Jdot v + J a) of the active rows, for the accelerations in ``limit.acceleration``, into ``result``."""
    active = rows.active
    acceleration = rows.limit.acceleration
    frame_motions(problem.frames, problem.constants, q, v, acceleration, work.motions)
    fill_rows(rows, inputs.rows, 1, q, v, work.poses, work.motions)
    for j in range(active.shape[0]):
        m = active[j]
        result[j] = rows.right_side_rate[m] - row_acceleration(rows, work.motions, m, v, acceleration)


@compiled
def shift_velocity(rows, x, size, v):
    """v_E += size times column x of the kernel basis."""
    free = rows.free
    units = rows.units
    basis = rows.factors.basis
    for e in range(free.shape[0]):
        v[free[e]] += size * basis[e, x] * units[e]


@compiled(called=True)
def rate_system(problem, rows, inputs, q, v, work, rank):
    """G z = g, the rates of the lost combinations along the kernel: G^T into ``limit.factors``, g into ``limit.defect``.

    Differences over one unit to both sides are exact, as rates are polynomials of degree two in v. Returns the largest rate of
    a single row, against which combinations count as zero.
    """
    active = rows.active
    factor = rows.factors.factor
    order = rows.factors.order
    rates = rows.limit.rates
    limit = rows.limit.factors.factor
    other = rows.limit.other
    defect = rows.limit.defect
    share = rows.limit.share
    n = rows.free.shape[0]
    count = active.shape[0]
    largest = 0.0
    rate_defects(problem, rows, inputs, q, v, work, rates[n])
    for x in range(rank, n):
        shift_velocity(rows, x, 1.0, v)
        rate_defects(problem, rows, inputs, q, v, work, rates[x])
        shift_velocity(rows, x, -2.0, v)
        rate_defects(problem, rows, inputs, q, v, work, other)
        shift_velocity(rows, x, 1.0, v)
        for j in range(count):
            rates[x, j] = 0.5 * (other[j] - rates[x, j])
            largest = max(largest, abs(rates[x, j]))
    for j in range(rank, count):
        # Row j less the independent rows that it consists of: R11 share = R12[:, j].
        for i in range(rank - 1, -1, -1):
            total = factor[i, j]
            for k in range(i + 1, rank):
                total -= factor[i, k] * share[k]
            share[i] = total / factor[i, i]
        for x in range(rank, n + 1):
            total = rates[x, order[j]]
            for i in range(rank):
                total -= share[i] * rates[x, order[i]]
            if x < n:
                limit[x - rank, j - rank] = total
            else:
                defect[j - rank] = total
    return largest


@compiled(late=())
def continue_velocity(problem, rows, inputs, q, v, work, a, rank):
    """Change v_E along the kernel of the rows, by the smallest amount, until the rates of the lost rows vanish.

    ``a``: accelerations of imposed coordinates. The factors of the rows at (q, v) are there; v is on the rows and stays there.
    """
    free = rows.free
    place = rows.place
    limit = rows.limit.factors
    defect = rows.limit.defect
    right = rows.limit.right
    change = rows.limit.step
    acceleration = rows.limit.acceleration
    n = free.shape[0] - rank
    count = rows.active.shape[0] - rank
    for i in range(v.shape[0]):
        acceleration[i] = 0.0 if place[i] >= 0 else a[i]
    for x in range(n):
        change[x] = 0.0
    first = 0.0
    for iteration in range(ITERATIONS):
        largest = rate_system(problem, rows, inputs, q, v, work, rank)
        missed = 0.0
        for j in range(count):
            missed = max(missed, abs(defect[j]))
        if iteration == 0:
            first = missed
        if missed > first:  # no branch is near: leave the velocity as it was
            for x in range(n):
                shift_velocity(rows, rank + x, -change[x], v)
            return
        if missed <= rows.rank_tolerance * largest * 1e-4:
            return
        found = pivoted_qr(limit.factor, n, count, limit.basis, limit.order, rows.rank_tolerance, largest, 0, 0.0, 0)
        smallest_step(limit, n, count, found, defect, right)
        for x in range(n):
            change[x] += right[x]
            shift_velocity(rows, rank + x, right[x], v)
