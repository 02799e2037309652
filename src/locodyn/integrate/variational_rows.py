"""Wheels and loops in the variational integrator: forces along the constraint rows at both ends of a step.

With J the rows, Phi the residuals of those that are derivatives of positions, P- and P+ the momenta that the discrete Lagrangian
has at the ends of a step, and u the way from q_k to q_k+1,

    p_k   = P-(q_k, q_k+1) - h/2 Q_k - J_k^T lambda,           Phi(q_k+1) = 0,    J(q_k (+) u/2) u = h b
    p_k+1 = P+(q_k, q_k+1) + h/2 Q_k+1 + J_k+1^T mu,           J_k+1 v_k+1 = b_k+1.

On loops it is RATTLE (Andersen 1983; Marsden and West 2001, 3.5.1), symplectic; on wheels and rolling surfaces a discrete
Lagrange-d'Alembert principle (Cortes and Martinez 2001) with the rows at the middle of the step, which is symmetric in time, so
that energy does not drift where the motion is reversible. Both have order 2. Multipliers are eliminated along the kernel of the
rows: rank, redundant rows and kernel are those of :mod:`locodyn.locomotion.row_factors`.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.integrate.discrete_lagrangian import discrete_momenta, project, relative_poses
from locodyn.kernel import compiled
from locodyn.kernel.dense import fill
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.row_factors import add_along_kernel, factor_kinematics, range_step, settle_rank
from locodyn.locomotion.row_jacobian import free_mass, rod_columns, row_speed, rows_at
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.frame_twists import frame_twists
from locodyn.world.rows import HOLONOMIC, fill_rows

MOST_ITERATIONS = 100
_ROUND_OFF = 1e-15
_MISSED = 1e-10  # m or rad: rows that are missed by less, and by no less than in the iteration before, are met to round-off


@compiled
def hold_start(rows, problem, inputs, q, v, work, scratch):
    """Factors and mass matrix of the rows at the start of a step; nothing without rows."""
    if rows is not None:
        factor_rows(problem, rows, inputs, q, v, work, scratch)
        for k in range(scratch.laws.shape[0]):
            for j in range(3):
                scratch.laws[k, j] = inputs.rows[k, j]


@compiled
def hold_end(rows, problem, inputs, q, v, work, scratch):
    """The same at its end, where loops are closed."""
    if rows is not None:
        factor_rows(problem, rows, inputs, q, v, work, scratch)
        settle_rank(rows, scratch.rank)


@compiled(called=True)
def factor_rows(problem, rows, inputs, q, v, work, scratch):
    """J = Q R at q, its rank into ``rank``, and M of the free coordinates."""
    rows_at(problem, rows, inputs, q, v, work)
    rank = 0
    if rows.free.shape[0] > 0:
        rod_columns(problem, rows, q, work.poses)
        rank = factor_kinematics(problem, rows, work.poses, rows.active, rows.settled_rank, rows.settled_order)
        free_mass(problem, rows, q, work.poses)
    rows.rank = rank
    scratch.rank = rank


@compiled
def known_forces(rows, outside, work):
    """Add the wrenches of driven wheels to ``work.wrenches``, empty so far unless ``outside``; False without rows."""
    if rows is None:
        return False
    if not outside:
        fill(work.wrenches, 0.0)
    apply_known(rows, work.wrenches)
    return True


@compiled(called=True)
def position_on_rows(problem, rows, inputs, step, tolerance, q, work, scratch):
    """Find the step to q_k+1; q is moved to the end of the step. Returns iterations, or -1."""
    free, active, units, basis = rows.free, rows.active, rows.units, rows.factors.basis
    defect, change, right = rows.dynamics.defect, rows.dynamics.step, rows.dynamics.right
    u, residual, target = scratch.move, scratch.residual, scratch.target
    n = free.shape[0]
    rank = scratch.rank
    for k in range(scratch.laws.shape[0]):
        for j in range(3):
            scratch.laws[k, j] = 0.5 * (scratch.laws[k, j] + inputs.rows[k, j])
    scale = 0.0
    small = 0.0
    for e in range(n):
        scale = max(scale, abs(target[free[e]]) * units[e])
        small = max(small, 1e3 * _ROUND_OFF / step * rows.dynamics.mass[e, e] * units[e] * units[e])  # of log(g) / h
    small = max(small, tolerance * scale)
    before = np.inf
    missed_before = np.inf
    for iteration in range(1, MOST_ITERATIONS + 1):
        missed = miss_rows(problem, rows, inputs, step, q, work, scratch)
        relative_poses(problem.frames, problem.constants, scratch.q, scratch.then)
        discrete_momenta(problem.frames, problem.constants, step, -1.0, scratch)
        project(problem.frames, problem.constants, scratch.now, scratch.momentum, q, scratch.work, u, 1.0 / step, residual)
        worst = 0.0
        for x in range(rank, n):
            total = 0.0
            for e in range(n):
                total += basis[e, x] * units[e] * (target[free[e]] - residual[free[e]])
            right[x - rank] = step * total
            worst = max(worst, abs(total))
        # Down to round-off, of momenta and of rows; what is small and no longer falls is round-off too.
        still = worst <= _ROUND_OFF * scale or (worst <= small and worst >= 0.5 * before) or worst == 0.0
        met = missed <= rows.position_tolerance or (missed <= _MISSED and missed >= 0.5 * missed_before)
        if still and met:
            for i in range(q.shape[0]):
                q[i] = scratch.q[i]
            return iteration
        if not (worst < 1e300 and missed < 1e300):
            return -1
        before = worst
        missed_before = missed
        for j in range(active.shape[0]):
            defect[j] = -defect[j]
        range_step(rows, active, rank, defect, change)
        move_along_kernel(rows, rank)
        for e in range(n):
            u[free[e]] += change[e]
    return -1


@compiled
def miss_rows(problem, rows, inputs, step, q, work, scratch):
    """What the step ``move`` misses of the rows, into ``defect``; the largest of the independent ones. ``scratch.q``: its end."""
    active, order, defect, u = rows.active, rows.factors.order, rows.dynamics.defect, scratch.move
    half = scratch.correction
    for i in range(u.shape[0]):
        half[i] = 0.5 * u[i]
    moved_configuration(problem.frames, q, half, scratch.middle)
    frame_twists(problem.frames, problem.constants, scratch.middle, u, work.poses, work.motions)
    fill_rows(rows, scratch.laws, 1, scratch.middle, u, work.poses, work.motions)
    for j in range(active.shape[0]):
        if not rows.flags[active[j]] & HOLONOMIC:
            defect[j] = row_speed(rows, work.motions, active[j], u) - step * rows.right_side[active[j]]
    moved_configuration(problem.frames, q, u, scratch.q)
    rows_at(problem, rows, inputs, scratch.q, u, work)
    for j in range(active.shape[0]):
        if rows.flags[active[j]] & HOLONOMIC:
            defect[j] = rows.residual[active[j]]
    missed = 0.0
    for j in range(scratch.rank):
        missed = max(missed, abs(defect[order[j]]))
    return missed


@compiled
def move_along_kernel(rows, rank):
    """Add to ``step`` x the part Z z with Z^T M Z z = right - Z^T M x, Z the kernel of the rows."""
    units, basis, mass = rows.units, rows.factors.basis, rows.dynamics.mass
    right, product, change = rows.dynamics.right, rows.dynamics.product, rows.dynamics.step
    n = units.shape[0]
    if rank == n:
        return
    for e in range(n):
        total = 0.0
        for g in range(n):
            total += mass[e, g] * change[g]
        product[e] = units[e] * total
    for x in range(rank, n):
        for e in range(n):
            right[x - rank] -= basis[e, x] * product[e]
    add_along_kernel(rows, rank, change)


@compiled(called=True)
def end_on_rows(problem, rows, q, v, work, scratch):
    """v at the configuration q with the momentum ``residual`` along the kernel of the rows, and on the rows."""
    free, active, units, basis = rows.free, rows.active, rows.units, rows.factors.basis
    defect, change, right, needed = rows.dynamics.defect, rows.dynamics.step, rows.dynamics.right, rows.dynamics.needed
    n = free.shape[0]
    rank = scratch.rank
    for e in range(n):
        v[free[e]] = 0.0
    frame_twists(problem.frames, problem.constants, q, v, work.poses, work.motions)
    for j in range(active.shape[0]):
        defect[j] = rows.right_side[active[j]] - row_speed(rows, work.motions, active[j], v)
    # M v of imposed coordinates; that of the others is M of the free ones.
    no_loads = work.wrenches[:0]
    inverse_dynamics(problem.frames, problem.constants, scratch.no_gravity, q, scratch.zero, v, no_loads, scratch.work, needed)
    range_step(rows, active, rank, defect, change)
    for x in range(rank, n):
        total = 0.0
        for e in range(n):
            total += basis[e, x] * units[e] * (scratch.residual[free[e]] - needed[free[e]])
        right[x - rank] = total
    move_along_kernel(rows, rank)
    for e in range(n):
        v[free[e]] = change[e]
