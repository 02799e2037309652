"""Constrained dynamics: rows of :mod:`locodyn.world.rows`, coordinates free, dependent or imposed.

Coordinates fall into three sets: E, whose force is known (reference joint, torque-driven, passive); D, dependent: actuated
joints that follow from the constraints (Ali 2011, (3.44)); I, imposed. With J the rows,

    J_E v_E = b - (the rest),   M_EE a_E + h_E = tau_E + J_E^T lambda,

and the rank-revealing factorisation J_E^T P = Q R, the columns of Q split into the range of J_E^T and the kernel of J_E: an
orthonormal kernel basis that is computed anew at every evaluation. Velocities are projected on the rows (smallest change),
accelerations solved in both parts: the reduced dynamics (3.69)-(3.70) in the kernel, the kinematics (3.45)-(3.46) in the range.
So no basis has to be smooth or transported, and no derivative of it is ever taken.

Everything runs in O(n + m) for robots whose joints are imposed or dependent: rows are carried to the reference body in one
step, dependent joints are found one after the other on the way outward (:mod:`locodyn.locomotion.dependent`), torques come from
inverse dynamics with the contact forces applied.
"""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import routine
from locodyn.kernel.dense import pivoted_qr, solve_positive, solve_transposed
from locodyn.kernel.handle import float_table, floats, integer_table, integers
from locodyn.locomotion.dependent import dependent_motion
from locodyn.locomotion.fields import (
    ACTIVE_AT,
    BASIS_AT,
    COTWISTS_AT,
    CULPRIT_AT,
    DATA_AT,
    DEPENDENT_AT,
    E_VECTORS_AT,
    FACTOR_AT,
    FREE_AT,
    HOLONOMIC_AT,
    JACOBIAN_AT,
    MASS_AT,
    NEEDED_AT,
    NOMINAL_AT,
    ORDER_AT,
    REDUCED_AT,
    ROW_VECTORS_AT,
    ROWS_AT,
    SETTLED_ORDER_AT,
    SHIFT_AT,
    SIDES_AT,
    STATUS_AT,
    TOLERANCE_AT,
    UNITS_AT,
    WORK_AT,
)
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.row_jacobian import free_mass, rod_columns, row_acceleration, row_jacobian, row_speed, rows_at
from locodyn.locomotion.scratch import (
    BLUR,
    CLOSED,
    CONDITION,
    DEFECT,
    MISMATCH,
    MOST_ITERATIONS,
    NEAR,
    RANK,
    RHS,
    SORTED,
    SPREAD,
    STEP,
    UNKNOWN,
)
from locodyn.locomotion.singular import continue_velocity
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_motions
from locodyn.world.rows import RESIDUAL, SIDE, SIDE_RATE, fill_rows


@routine
def factor_kinematics(p, c, poses, active, settled, chosen):
    """J_E of the rows ``active``, and its factors; returns the rank.

    ``settled``: the rank at a settled state, where loops are closed (0: not known); ``chosen`` (active,) or (0,): the order
    of the rows there. Rows that are redundant only where a loop is closed (Bricard, Bennett) are independent off the closure:
    by an amount that grows as the residual, and as its inverse through the nearest singular value. Such an amount is no rank.
    So at a state that is off the closure, as inside the steps of an integrator, the rank is the settled one, and rows beyond
    it count only where they stand out of that error: at the stages after a singular start rank grows as the step, the error
    as its square. Nor may the choice of the independent rows change from stage to stage: any choice has the same motion on
    the closure, but another one off it, which would cost two orders. A run on ``settled`` rows is as accurate as that of a
    loop that has no others. A loop without redundant rows is not concerned: all its rows are settled.
    """
    free = integers(c, FREE_AT)
    units = floats(c, UNITS_AT)
    tolerance = floats(c, TOLERANCE_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    status = floats(c, STATUS_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    factor = float_table(c, FACTOR_AT)
    basis = float_table(c, BASIS_AT)
    order = integers(c, ORDER_AT)
    row_jacobian(p, c, poses)
    n = free.shape[0]
    count = active.shape[0]
    # Entries far below what the cotwists can give are round-off, also when nothing larger is there.
    scale = 0.0
    off = 0.0
    for j in range(count):
        size = 0.0
        for i in range(12):
            unit = tolerance[2] if i % 6 < 3 else 1.0
            size = max(size, abs(cotwists[active[j], i]) * unit)
        scale = max(scale, size)
        if abs(sides[active[j], RESIDUAL]) > off * size:
            off = abs(sides[active[j], RESIDUAL]) / size
    blur = SPREAD * off if off > CLOSED and settled > 0 else 0.0
    ahead = settled if blur > 0.0 and settled < chosen.shape[0] else 0
    for j in range(count):
        m = active[chosen[j]] if ahead > 0 else active[j]
        for e in range(n):
            factor[e, j] = jacobian[m, e] * units[e]
    rank = pivoted_qr(factor, n, count, basis, order, tolerance[0], 1e-3 * scale, settled, blur, ahead)
    if ahead > 0:
        for j in range(count):
            order[j] = chosen[order[j]]
    status[BLUR] = blur
    return rank


@routine
def range_step(c, active, rank, defect, result):
    """Smallest step in E with J step = defect (over the rows ``active``); returns the largest row that is missed."""
    free = integers(c, FREE_AT)
    units = floats(c, UNITS_AT)
    factor = float_table(c, FACTOR_AT)
    basis = float_table(c, BASIS_AT)
    order = integers(c, ORDER_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    culprit = integers(c, CULPRIT_AT)
    n = free.shape[0]
    ordered = row_vectors[SORTED]
    for j in range(active.shape[0]):
        ordered[j] = defect[order[j]]
    solve_transposed(factor, rank, ordered, e_vectors[UNKNOWN])
    missed = 0.0
    for j in range(rank, active.shape[0]):
        rest = ordered[j]
        for i in range(rank):
            rest -= factor[i, j] * e_vectors[UNKNOWN, i]
        if abs(rest) > abs(missed):
            missed = rest
            culprit[0] = active[order[j]]
    for e in range(n):
        total = 0.0
        for i in range(rank):
            total += basis[e, i] * e_vectors[UNKNOWN, i]
        result[e] = total * units[e]
    return missed


@routine
def project_velocity(p, c, inputs, q, v, w):
    """Put v on the rows: v_E by the smallest change, v_D one after the other.

    Leaves poses, rows and factors; returns the rank.
    """
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    sides = float_table(c, SIDES_AT)
    factor = float_table(c, FACTOR_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    culprit = integers(c, CULPRIT_AT)
    status = floats(c, STATUS_AT)
    # Rows of loops depend on velocity through their rates only: one fill for positions, one for the final velocity.
    rows_at(p, c, inputs, q, v, w)
    rod_columns(p, c, q, w.poses)
    rank = 0
    if free.shape[0] > 0:
        rank = factor_kinematics(p, c, w.poses, active, integers(c, NOMINAL_AT)[0], integers(c, SETTLED_ORDER_AT))
        defect = row_vectors[DEFECT]
        for j in range(active.shape[0]):
            m = active[j]
            defect[j] = sides[m, SIDE] - row_speed(c, w.motions, m, v)
        status[MISMATCH] = range_step(c, active, rank, defect, e_vectors[STEP])
        for e in range(free.shape[0]):
            v[free[e]] += e_vectors[STEP, e]
        status[RANK] = rank
        nominal = max(rank, integers(c, NOMINAL_AT)[0])  # entries of the factor beyond the rank are zero
        status[CONDITION] = abs(factor[nominal - 1, nominal - 1] / factor[0, 0]) if rank > 0 else 0.0
    else:
        status[MISMATCH] = 0.0
        for j in range(active.shape[0]):
            m = active[j]
            rest = sides[m, SIDE] - row_speed(c, w.motions, m, v)
            if abs(rest) > abs(status[MISMATCH]):
                status[MISMATCH] = rest
                culprit[0] = m
    return rank


@routine
def project_position(p, c, inputs, q, v, w):
    """Newton on the holonomic rows: coordinates in E move until the residuals vanish; returns the largest residual left."""
    free = integers(c, FREE_AT)
    holonomic = integers(c, HOLONOMIC_AT)
    tolerance = floats(c, TOLERANCE_AT)
    sides = float_table(c, SIDES_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    shift = floats(c, SHIFT_AT)
    nominal = integers(c, NOMINAL_AT)
    worst = 0.0
    for _ in range(MOST_ITERATIONS):
        rows_at(p, c, inputs, q, v, w)
        rod_columns(p, c, q, w.poses)
        defect = row_vectors[DEFECT]
        worst = 0.0
        for j in range(holonomic.shape[0]):
            defect[j] = -sides[holonomic[j], RESIDUAL]
            worst = max(worst, abs(defect[j]))
        if worst <= tolerance[1] and nominal[1] > 0:
            return worst
        rank = factor_kinematics(p, c, w.poses, holonomic, nominal[1], holonomic[:0])
        if worst <= tolerance[1]:
            nominal[1] = rank
            return worst
        missed = range_step(c, holonomic, rank, defect, e_vectors[STEP])
        for i in range(v.shape[0]):
            shift[i] = 0.0
        for e in range(free.shape[0]):
            shift[free[e]] = e_vectors[STEP, e]
        moved_configuration(p.frames, q, shift, q)
        if worst < NEAR and abs(missed) <= tolerance[1] and nominal[1] > 0:
            return worst * worst  # what Newton leaves of so small a residual: not worth another look
    return worst


@routine
def solve_accelerations(p, c, rank, q, v, w, loads, a, tau):
    """a_E from the rows (range) and from the dynamics (kernel), for velocities that are on the rows.

    ``w.motions`` are those of the accelerations ``a``, which are zero in E.
    """
    free = integers(c, FREE_AT)
    active = integers(c, ACTIVE_AT)
    units = floats(c, UNITS_AT)
    sides = float_table(c, SIDES_AT)
    basis = float_table(c, BASIS_AT)
    mass = float_table(c, MASS_AT)
    reduced = float_table(c, REDUCED_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    row_vectors = float_table(c, ROW_VECTORS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    n = free.shape[0]
    defect = row_vectors[DEFECT]
    for j in range(active.shape[0]):
        m = active[j]
        defect[j] = sides[m, SIDE_RATE] - row_acceleration(c, w.motions, m, a)
    range_step(c, active, rank, defect, e_vectors[STEP])
    for e in range(n):
        a[free[e]] = e_vectors[STEP, e]
    if rank < n:
        # Kernel: Z^T M Z z = Z^T (tau - h - M a_range), with h + M a_range by inverse dynamics.
        free_mass(p, c, q, w.poses)
        inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
        for x in range(rank, n):
            total = 0.0
            for e in range(n):
                total += basis[e, x] * units[e] * (tau[free[e]] - needed[free[e]])
            e_vectors[RHS, x - rank] = total
            for e in range(n):
                part = 0.0
                for g in range(n):
                    part += mass[e, g] * basis[g, x] * units[g]
                e_vectors[UNKNOWN, e] = units[e] * part
            for y in range(rank, x + 1):
                total = 0.0
                for e in range(n):
                    total += basis[e, y] * e_vectors[UNKNOWN, e]
                reduced[x - rank, y - rank] = total
        solve_positive(reduced, n - rank, e_vectors[RHS])
        for e in range(n):
            total = 0.0
            for x in range(rank, n):
                total += basis[e, x] * e_vectors[RHS, x - rank]
            a[free[e]] += total * units[e]


@routine
def constrained_motion(p, c, inputs, q, v, w, a):
    """Accelerations on the rows, for applied forces ``w.tau`` and wrenches ``w.wrenches``; v is projected. No multipliers yet."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    free = integers(c, FREE_AT)
    dependent = integers(c, DEPENDENT_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    holonomic = integers(c, HOLONOMIC_AT)
    rank = project_velocity(p, c, inputs, q, v, w)
    if rank < integers(c, NOMINAL_AT)[0]:
        continue_velocity(p, c, inputs, q, v, w, a, rank)
    for e in range(free.shape[0]):
        a[free[e]] = 0.0
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)
    else:
        frame_motions(p.frames, p.constants, q, v, a, w.motions)
    if holonomic.shape[0] > 0:  # the rates of loops and contacts depend on the velocity, which is now on the rows
        fill_rows(rows, data, inputs.rows, w.poses, w.motions, cotwists, sides)
    apply_known(c, w.wrenches)
    if free.shape[0] > 0:
        solve_accelerations(p, c, rank, q, v, w, w.wrenches, a, w.tau)
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)


@routine
def settle_rank(c, rank):
    """Keep rank and order of the rows at a settled state, for states off the closure that follow; not those of a lower rank."""
    nominal = integers(c, NOMINAL_AT)
    order = integers(c, ORDER_AT)
    settled_order = integers(c, SETTLED_ORDER_AT)
    if rank >= nominal[0]:
        nominal[0] = rank
        for j in range(settled_order.shape[0]):
            settled_order[j] = order[j]


@routine
def settle_rows(p, c, inputs, q, v, w, a):
    """Positions on the holonomic rows, velocities on all rows."""
    dependent = integers(c, DEPENDENT_AT)
    holonomic = integers(c, HOLONOMIC_AT)
    if holonomic.shape[0] > 0:
        project_position(p, c, inputs, q, v, w)
    nominal = integers(c, NOMINAL_AT)
    rank = project_velocity(p, c, inputs, q, v, w)
    if rank < nominal[0]:
        continue_velocity(p, c, inputs, q, v, w, a, rank)
    settle_rank(c, rank)
    if dependent.shape[0] > 0:
        dependent_motion(p, c, q, v, a, w.poses, w.motions)
