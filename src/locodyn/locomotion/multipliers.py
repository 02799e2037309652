"""Contact forces and the forces of imposed joints: multipliers of the rows, of smallest norm where contacts are redundant."""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import compiled, portable
from locodyn.kernel.dense import pivoted_qr, smallest_solution
from locodyn.locomotion.projective import projective_torques
from locodyn.world.rows import FORCE, KNOWN, take_along

# How the forces of imposed joints are computed.
EXACT, NO_CONTACT, PROJECTIVE = range(3)


@compiled(called=True)
def share_forces(rows):
    """lambda of smallest weighted norm with J_E^T lambda = balance, rows of one group sharing one value; returns the rank.

    The balance is in ``sharing.balance`` (N or N m) and is left there less the static loading, times the units of the
    coordinates; ``sharing.mismatch`` (J) is left with what no row can give. A static loading (``static``, the user's) may be
    added in the kernel of J_E^T.
    """
    units = rows.units
    weights = rows.sharing.weights
    static = rows.sharing.static
    jacobian = rows.jacobian
    force_factor = rows.sharing.factor
    force_basis = rows.sharing.basis
    force_order = rows.sharing.order
    group_force = rows.sharing.group_force
    multipliers = rows.multipliers
    balance = rows.sharing.balance
    right = rows.sharing.right
    ordered = rows.sharing.ordered
    n = rows.free.shape[0]
    groups = weights.shape[0]
    for e in range(n):
        for g in range(groups):
            force_factor[e, g] = 0.0
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & FORCE:
                force_factor[e, rows.group[m]] += jacobian[m, e] * units[e] * weights[rows.group[m]]
    rank = pivoted_qr(force_factor, n, groups, force_basis, force_order, rows.rank_tolerance, 0.0, rows.rank, rows.blur, 0)
    # Balance left when the static loading acts, in the basis of the range: R (P^T mu) = Q^T balance.
    for e in range(n):
        total = balance[e]
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & FORCE:
                total -= jacobian[m, e] * static[rows.group[m]]
        balance[e] = total * units[e]
    missed = 0.0
    for x in range(n):
        total = 0.0
        for e in range(n):
            total += force_basis[e, x] * balance[e]
        right[x] = total
        if x >= rank:
            missed = max(missed, abs(total))
    rows.sharing.mismatch = missed
    smallest_solution(force_factor, rank, groups, right, ordered)
    for g in range(groups):
        group_force[force_order[g]] = ordered[g]
    for g in range(groups):
        group_force[g] = group_force[g] * weights[g] + static[g]
    for m in range(rows.kind.shape[0]):
        multipliers[m] = group_force[rows.group[m]] if rows.flags[m] & FORCE else 0.0
    return rank


@compiled(called=True)
def solve_multipliers(problem, rows, q, v, a, loads, tau):
    """lambda with J_E^T lambda = (M a + h - tau)_E, shared as :func:`share_forces` does.

    ``needed`` is left with M a + h of all coordinates; ``sharing.scale`` (J) with the largest force at work
    times the units of the coordinates.
    """
    free = rows.free
    units = rows.units
    balance = rows.sharing.balance
    needed = rows.sharing.needed
    unloaded = rows.sharing.unloaded
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, v, a, loads, rows.inverse, needed)
    n = free.shape[0]
    for e in range(n):
        balance[e] = needed[free[e]] - tau[free[e]]
    share_forces(rows)
    # Scale of the forces at work: what the motion would need without any load.
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, v, a, loads[:0], rows.inverse, unloaded)
    largest = 0.0
    for e in range(n):
        largest = max(largest, abs(balance[e]), abs(unloaded[free[e]]) * units[e])
    rows.sharing.scale = largest


@portable
def apply_known(rows, loads):
    """Add the wrenches of rows whose force is given (driven wheels) to ``loads`` (nf, 6)."""
    for m in range(rows.kind.shape[0]):
        if rows.flags[m] & KNOWN:
            for j in range(6):
                loads[rows.frame[m], j] += rows.right_side[m] * rows.cotwist[m, j]


@compiled
def apply_multipliers(rows, multipliers, loads):
    """Add the wrenches of the multipliers (m,) of all rows to ``loads`` (nf, 6)."""
    for m in range(rows.kind.shape[0]):
        k = rows.frame[m]
        other = rows.other[m]
        for j in range(6):
            if k >= 0:
                loads[k, j] += multipliers[m] * rows.cotwist[m, j]
            if other >= 0:
                loads[other, j] += multipliers[m] * rows.other_cotwist[m, j]


@compiled(called=True)
def constrained_forces(problem, rows, q, v, work, a):
    """Multipliers, and the forces of imposed and dependent coordinates into ``work.tau``; call after the motion is known."""
    place = rows.place
    multipliers = rows.multipliers
    needed = rows.sharing.needed
    loads = rows.sharing.loads
    solve_multipliers(problem, rows, q, v, a, work.wrenches, work.tau)
    if rows.torque_method == PROJECTIVE:
        projective_torques(problem, rows, v, a, work.wrenches, needed)
    if rows.torque_method != EXACT:
        for i in range(v.shape[0]):
            if place[i] < 0:
                work.tau[i] = needed[i]
        return
    for k in range(problem.frames.shape[0]):
        for j in range(6):
            loads[k, j] = work.wrenches[k, j]
    apply_multipliers(rows, multipliers, loads)
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, v, a, loads, rows.inverse, needed)
    for m in range(rows.kind.shape[0]):
        take_along(rows, m, multipliers[m], needed)
    for i in range(v.shape[0]):
        if place[i] < 0:
            work.tau[i] = needed[i]
