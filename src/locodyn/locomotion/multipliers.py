"""Contact forces and the forces of imposed joints: multipliers of the rows, of smallest norm where contacts are redundant."""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import pivoted_qr, smallest_solution
from locodyn.kernel.handle import float_table, floats, integer_table, integers
from locodyn.locomotion.fields import (
    COTWISTS_AT,
    DATA_AT,
    E_VECTORS_AT,
    FORCE_BASIS_AT,
    FORCE_FACTOR_AT,
    FORCE_ORDER_AT,
    FREE_AT,
    GROUP_FORCE_AT,
    JACOBIAN_AT,
    LOADS_AT,
    METHOD_AT,
    MULTIPLIERS_AT,
    NEEDED_AT,
    PLACE_AT,
    ROW_VECTORS_AT,
    ROWS_AT,
    SHIFT_AT,
    SIDES_AT,
    STATIC_AT,
    STATUS_AT,
    TOLERANCE_AT,
    UNITS_AT,
    WEIGHTS_AT,
    WORK_AT,
)
from locodyn.locomotion.projective import projective_torques
from locodyn.locomotion.scratch import (
    BALANCE,
    BLUR,
    EXACT,
    FORCE_MISMATCH,
    FORCE_RANK,
    FORCE_SCALE,
    PROJECTIVE,
    RANK,
    RHS,
    SORTED,
)
from locodyn.world.rows import COEFFICIENT, COORDINATE, FLAGS, FORCE, FRAME, GROUP, KNOWN, OTHER, SIDE, W_A, W_B


@routine
def share_forces(c):
    """lambda of smallest weighted norm with J_E^T lambda = balance, rows of one group sharing one value; returns the rank.

    The balance is in ``e_vectors[BALANCE]`` (N or N m) and is left there less the static loading, times the units of the
    coordinates; the status tells what no row can give (``FORCE_MISMATCH``, J). A static loading (``static``, the user's) may be
    added in the kernel of J_E^T.
    """
    rows = integer_table(c, ROWS_AT)
    units = floats(c, UNITS_AT)
    weights = floats(c, WEIGHTS_AT)
    static = floats(c, STATIC_AT)
    tolerance = floats(c, TOLERANCE_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    force_factor = float_table(c, FORCE_FACTOR_AT)
    force_basis = float_table(c, FORCE_BASIS_AT)
    force_order = integers(c, FORCE_ORDER_AT)
    group_force = floats(c, GROUP_FORCE_AT)
    multipliers = floats(c, MULTIPLIERS_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    ordered = float_table(c, ROW_VECTORS_AT)[SORTED]
    status = floats(c, STATUS_AT)
    n = integers(c, FREE_AT).shape[0]
    groups = weights.shape[0]
    for e in range(n):
        for g in range(groups):
            force_factor[e, g] = 0.0
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                force_factor[e, rows[m, GROUP]] += jacobian[m, e] * units[e] * weights[rows[m, GROUP]]
    rank = pivoted_qr(force_factor, n, groups, force_basis, force_order, tolerance[0], 0.0, int(status[RANK]), status[BLUR], 0)
    # Balance left when the static loading acts, in the basis of the range: R (P^T mu) = Q^T balance.
    for e in range(n):
        total = e_vectors[BALANCE, e]
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                total -= jacobian[m, e] * static[rows[m, GROUP]]
        e_vectors[BALANCE, e] = total * units[e]
    missed = 0.0
    for x in range(n):
        total = 0.0
        for e in range(n):
            total += force_basis[e, x] * e_vectors[BALANCE, e]
        e_vectors[RHS, x] = total
        if x >= rank:
            missed = max(missed, abs(total))
    status[FORCE_RANK] = rank
    status[FORCE_MISMATCH] = missed
    smallest_solution(force_factor, rank, groups, e_vectors[RHS], ordered)
    for g in range(groups):
        group_force[force_order[g]] = ordered[g]
    for g in range(groups):
        group_force[g] = group_force[g] * weights[g] + static[g]
    for m in range(rows.shape[0]):
        multipliers[m] = group_force[rows[m, GROUP]] if rows[m, FLAGS] & FORCE else 0.0
    return rank


@routine
def solve_multipliers(p, c, q, v, a, loads, tau):
    """lambda with J_E^T lambda = (M a + h - tau)_E, shared as :func:`share_forces` does.

    ``needed`` is left with M a + h of all coordinates; the status with the largest force at work (``FORCE_SCALE``) times the
    units of the coordinates: J.
    """
    free = integers(c, FREE_AT)
    units = floats(c, UNITS_AT)
    e_vectors = float_table(c, E_VECTORS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    shift = floats(c, SHIFT_AT)
    status = floats(c, STATUS_AT)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
    n = free.shape[0]
    for e in range(n):
        e_vectors[BALANCE, e] = needed[free[e]] - tau[free[e]]
    share_forces(c)
    # Scale of the forces at work: what the motion would need without any load.
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads[:0], work, shift)
    largest = 0.0
    for e in range(n):
        largest = max(largest, abs(e_vectors[BALANCE, e]), abs(shift[free[e]]) * units[e])
    status[FORCE_SCALE] = largest


@kernel
def apply_known(c, loads):
    """Add the wrenches of rows whose force is given (driven wheels) to ``loads`` (nf, 6)."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    sides = float_table(c, SIDES_AT)
    for m in range(rows.shape[0]):
        if rows[m, FLAGS] & KNOWN:
            for j in range(6):
                loads[rows[m, FRAME], j] += sides[m, SIDE] * cotwists[m, W_A + j]


@kernel
def apply_multipliers(c, multipliers, loads):
    """Add the wrenches of the multipliers (m,) of all rows to ``loads`` (nf, 6)."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    for m in range(rows.shape[0]):
        k = rows[m, FRAME]
        other = rows[m, OTHER]
        for j in range(6):
            if k >= 0:
                loads[k, j] += multipliers[m] * cotwists[m, W_A + j]
            if other >= 0:
                loads[other, j] += multipliers[m] * cotwists[m, W_B + j]


@routine
def constrained_forces(p, c, q, v, w, a):
    """Multipliers, and the forces of imposed and dependent coordinates into ``w.tau``; call after the motion is known."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    place = integers(c, PLACE_AT)
    multipliers = floats(c, MULTIPLIERS_AT)
    work = float_table(c, WORK_AT)
    needed = floats(c, NEEDED_AT)
    loads = float_table(c, LOADS_AT)
    method = integers(c, METHOD_AT)
    solve_multipliers(p, c, q, v, a, w.wrenches, w.tau)
    if method[0] == PROJECTIVE:
        projective_torques(p, c, v, a, w.wrenches, needed)
    if method[0] != EXACT:
        for i in range(v.shape[0]):
            if place[i] < 0:
                w.tau[i] = needed[i]
        return
    for k in range(p.frames.shape[0]):
        for j in range(6):
            loads[k, j] = w.wrenches[k, j]
    apply_multipliers(c, multipliers, loads)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, work, needed)
    for m in range(rows.shape[0]):
        i = rows[m, COORDINATE]
        if i >= 0:
            needed[i] -= multipliers[m] * data[m, COEFFICIENT]
    for i in range(v.shape[0]):
        if place[i] < 0:
            w.tau[i] = needed[i]
