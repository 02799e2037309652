"""Ideal wheels, rolling surfaces and loops in the step of hard contact: bilateral rows beside unilateral contacts.

    (M(q_M) + E) (v_E - v_A) = dt (tau - h) + J^T P + G(q_M)^T L,        G(q_E) v_E = b(t_E)

Impulses L act along the rows G of the middle of the step; velocities are on the rows of its end, so that the work of scleronomic
rows in a step, L . G(q_M) (v_A + v_E) / 2, is of third order. The end depends on v_E: a sweep of the step moves the velocity by
the smallest change onto what is missed there, and solves for the rest in the kernel Z of G(q_M). Rows may be redundant: rank and
kernel are those of :func:`~locodyn.locomotion.constrained.factor_kinematics`. Holonomic rows are kept by the projection of
:func:`~locodyn.locomotion.constrained.project_position`, whose work is of third order in the step as well.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import fill
from locodyn.locomotion.constrained import factor_kinematics, project_position, project_velocity, range_step, settle_rank
from locodyn.locomotion.contact.arrays import IMPACT_LOSS, KERNEL, LOOP_GAP, PARTICULAR, RHS, SUPPLIED, ZERO, X
from locodyn.locomotion.contact.dense import reduce_problem
from locodyn.locomotion.contact.outward import close_outward
from locodyn.locomotion.multipliers import share_forces
from locodyn.locomotion.rhs import impose
from locodyn.locomotion.row_jacobian import rod_columns, row_speed, rows_at
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import TWIST, frame_poses
from locodyn.world.rows import COEFFICIENT, COORDINATE, FLAGS, FORCE, FRAME, KNOWN, OTHER, W_B


@kernel
def begin_rows(r, p, c, inputs, q_mid, v, w):
    """Rows of the middle, ``inputs`` being those at the middle; nothing without rows."""
    if r is not None:
        factor_rows(p, r, c, inputs, q_mid, v, w)


@routine
def factor_rows(p, r, c, inputs, q_mid, v, w):
    """G at q_M: factors, the basis Z of its kernel in all coordinates, cotwists and right-hand sides."""
    free = r.free
    units = r.units
    basis = r.factors.basis
    cotwists = r.cotwists
    rows_at(p, r, inputs, q_mid, v, w)
    rod_columns(p, r, q_mid, w.poses)
    rank = 0
    if free.shape[0] > 0:
        rank = factor_kinematics(p, r, w.poses, r.active, r.settled_rank, r.settled_order)
    r.rank = rank
    count = free.shape[0] - rank
    c.counts[KERNEL] = count
    fill(c.kernel, 0.0)
    for e in range(free.shape[0]):
        for a in range(count):
            c.kernel[free[e], a] = units[e] * basis[e, rank + a]
    for m in range(c.row_sides.shape[0]):
        c.row_sides[m] = r.right_side[m]
        for j in range(12):
            c.row_cotwists[m, j] = cotwists[m, j]


@kernel
def aim(r, p, c, inputs, step, q_mid, x, w):
    """Prepare a sweep; returns by how much the velocity x misses the rows of the end (m/s or rad/s), 0 without rows."""
    if r is None:
        return 0.0
    return aim_at_rows(p, r, c, inputs, step, q_mid, x, w)


@routine
def aim_at_rows(p, r, c, inputs, step, q_mid, x, w):
    """x_p: the smallest change of x with G(q_M) (x_p - x) = b - G(q_E) x. ``inputs`` are those at the end."""
    free = r.free
    active = r.active
    defect = c.row_defect
    change = c.row_step
    q_end = w.position[1]
    for i in range(x.shape[0]):
        w.stage[3, i] = 0.5 * step * x[i]
        c.vectors[PARTICULAR, i] = x[i]
    moved_configuration(p.frames, q_mid, w.stage[3], q_end)
    impose(p, inputs, q_end, w.stage[3], w.stage[4])
    rows_at(p, r, inputs, q_end, x, w)
    missed = 0.0
    for j in range(active.shape[0]):
        defect[j] = r.right_side[active[j]] - row_speed(r, w.motions, active[j], x)
        missed = max(missed, abs(defect[j]))
    if free.shape[0] > 0:
        range_step(r, active, r.rank, defect, change)
        for e in range(free.shape[0]):
            c.vectors[PARTICULAR, free[e]] += change[e]
    frame_poses(p.frames, p.constants, q_mid, 1, w.poses)  # of the middle again
    return missed


@kernel
def reduce_rows(r, c):
    """The problem on the rows; nothing without rows."""
    if r is not None:
        reduce_problem(c)


@kernel
def add_given(r, c, work, wrenches):
    """Add the wrenches of rows whose force is given (driven wheels) to ``wrenches``; returns their power at the twists, W."""
    power = 0.0
    if r is not None:
        rows = r.table
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & KNOWN:
                for j in range(6):
                    wrenches[rows[m, FRAME], j] += c.row_sides[m] * c.row_cotwists[m, j]
                    power += c.row_sides[m] * c.row_cotwists[m, j] * work[rows[m, FRAME], TWIST + j]
    return power


@kernel
def has_given(r):
    """Whether a row has a given force."""
    if r is not None:
        rows = r.table
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & KNOWN:
                return True
    return False


@kernel
def book_rows(r, p, c, step, q_mid, v, w, tau):
    """Impulses of the rows, from the balance ``tau`` of :func:`~locodyn.locomotion.contact.dense.balance`; nothing without."""
    if r is not None:
        share_impulses(p, r, c, step, q_mid, v, w, tau)


@routine
def share_impulses(p, r, c, step, q_mid, v, w, tau):
    """L with G^T L = tau - rhs in the free coordinates, into ``row_impulse``; what they take of imposed coordinates, their work.

    Redundant rows share as the weights of the constraints say. ``tau`` of imposed coordinates is left with their own impulse
    and the right-hand side. L . b is supplied; what L . G(q_M) (v_A + v_E) / 2 is beyond that, through impacts, counts as their
    loss.
    """
    x = c.vectors[X]
    rows = r.table
    data = r.data
    free = r.free
    multipliers = r.multipliers
    balance = r.sharing.balance
    work = 0.0
    for e in range(free.shape[0]):
        i = free[e]
        balance[e] = (tau[i] - c.vectors[RHS, i]) / step
        work += 0.5 * (v[i] + x[i]) * (tau[i] - c.vectors[RHS, i])
    share_forces(r)
    fill(w.wrenches, 0.0)
    for m in range(rows.shape[0]):
        given = rows[m, FLAGS] & KNOWN
        c.row_impulse[m] += step * (c.row_sides[m] if given else multipliers[m])
        if not given and rows[m, FLAGS] & FORCE:
            c.report[SUPPLIED] += step * multipliers[m] * c.row_sides[m]
            work -= step * multipliers[m] * c.row_sides[m]
            for j in range(6):
                if rows[m, FRAME] >= 0:
                    w.wrenches[rows[m, FRAME], j] += step * multipliers[m] * c.row_cotwists[m, j]
                if rows[m, OTHER] >= 0:
                    w.wrenches[rows[m, OTHER], j] += step * multipliers[m] * c.row_cotwists[m, W_B + j]
    if p.imposed.shape[0] > 0:
        taken = w.stage[3]
        still = c.vectors[ZERO]
        room = w.inverse if has_rods(p.constants) else w.work
        inverse_dynamics(p.frames, p.constants, c.still, q_mid, still, still, w.wrenches, room, taken)
        for m in range(rows.shape[0]):
            i = rows[m, COORDINATE]
            if i >= 0:
                taken[i] -= step * multipliers[m] * data[m, COEFFICIENT]
        for i in range(tau.shape[0]):
            if p.imposed[i] != 0:
                tau[i] += taken[i]
                work -= 0.5 * (v[i] + x[i]) * taken[i]
    c.report[IMPACT_LOSS] -= work


@kernel
def end_rows(r, p, c, inputs, q, v, w):
    """The state at the end of the step on all rows: positions on holonomic ones, velocities by the smallest change."""
    if r is not None:
        if r.holonomic.shape[0] > 0:
            close_loops(p, r, c, inputs, q, v, w)
        settle_rank(r, project_velocity(p, r, inputs, q, v, w))


@routine
def close_loops(p, r, c, inputs, q, v, w):
    """Loops closed, outward first where the options say so; how far they were open is kept in the report."""
    holonomic = r.holonomic
    rows_at(p, r, inputs, q, v, w)
    for j in range(holonomic.shape[0]):
        c.report[LOOP_GAP] = max(c.report[LOOP_GAP], abs(r.residual[holonomic[j]]))
    if c.outward.shape[0] > 0:
        close_outward(p, c, q, w)
    project_position(p, r, inputs, q, v, w)
