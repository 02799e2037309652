"""Contact forces and the forces of imposed joints: multipliers of the rows, of smallest norm where contacts are redundant."""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import pivoted_qr, smallest_solution
from locodyn.locomotion.projective import projective_torques
from locodyn.world.rows import COEFFICIENT, COORDINATE, FLAGS, FORCE, FRAME, GROUP, KNOWN, OTHER, SIDE, W_A, W_B

# How the forces of imposed joints are computed.
EXACT, NO_CONTACT, PROJECTIVE = range(3)


@routine
def share_forces(c):
    """lambda of smallest weighted norm with J_E^T lambda = balance, rows of one group sharing one value; returns the rank.

    The balance is in ``sharing.balance`` (N or N m) and is left there less the static loading, times the units of the
    coordinates; ``sharing.mismatch`` (J) is left with what no row can give. A static loading (``static``, the user's) may be
    added in the kernel of J_E^T.
    """
    rows = c.table
    units = c.units
    weights = c.sharing.weights
    static = c.sharing.static
    jacobian = c.jacobian
    force_factor = c.sharing.factor
    force_basis = c.sharing.basis
    force_order = c.sharing.order
    group_force = c.sharing.group_force
    multipliers = c.multipliers
    balance = c.sharing.balance
    right = c.sharing.right
    ordered = c.sharing.ordered
    n = c.free.shape[0]
    groups = weights.shape[0]
    for e in range(n):
        for g in range(groups):
            force_factor[e, g] = 0.0
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                force_factor[e, rows[m, GROUP]] += jacobian[m, e] * units[e] * weights[rows[m, GROUP]]
    rank = pivoted_qr(force_factor, n, groups, force_basis, force_order, c.rank_tolerance, 0.0, c.rank, c.blur, 0)
    # Balance left when the static loading acts, in the basis of the range: R (P^T mu) = Q^T balance.
    for e in range(n):
        total = balance[e]
        for m in range(rows.shape[0]):
            if rows[m, FLAGS] & FORCE:
                total -= jacobian[m, e] * static[rows[m, GROUP]]
        balance[e] = total * units[e]
    missed = 0.0
    for x in range(n):
        total = 0.0
        for e in range(n):
            total += force_basis[e, x] * balance[e]
        right[x] = total
        if x >= rank:
            missed = max(missed, abs(total))
    c.sharing.mismatch = missed
    smallest_solution(force_factor, rank, groups, right, ordered)
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

    ``needed`` is left with M a + h of all coordinates; ``sharing.scale`` (J) with the largest force at work
    times the units of the coordinates.
    """
    free = c.free
    units = c.units
    balance = c.sharing.balance
    needed = c.sharing.needed
    unloaded = c.sharing.unloaded
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, c.inverse, needed)
    n = free.shape[0]
    for e in range(n):
        balance[e] = needed[free[e]] - tau[free[e]]
    share_forces(c)
    # Scale of the forces at work: what the motion would need without any load.
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads[:0], c.inverse, unloaded)
    largest = 0.0
    for e in range(n):
        largest = max(largest, abs(balance[e]), abs(unloaded[free[e]]) * units[e])
    c.sharing.scale = largest


@kernel
def apply_known(c, loads):
    """Add the wrenches of rows whose force is given (driven wheels) to ``loads`` (nf, 6)."""
    rows = c.table
    cotwists = c.cotwists
    sides = c.sides
    for m in range(rows.shape[0]):
        if rows[m, FLAGS] & KNOWN:
            for j in range(6):
                loads[rows[m, FRAME], j] += sides[m, SIDE] * cotwists[m, W_A + j]


@kernel
def apply_multipliers(c, multipliers, loads):
    """Add the wrenches of the multipliers (m,) of all rows to ``loads`` (nf, 6)."""
    rows = c.table
    cotwists = c.cotwists
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
    rows = c.table
    data = c.data
    place = c.place
    multipliers = c.multipliers
    needed = c.sharing.needed
    loads = c.sharing.loads
    solve_multipliers(p, c, q, v, a, w.wrenches, w.tau)
    if c.torque_method == PROJECTIVE:
        projective_torques(p, c, v, a, w.wrenches, needed)
    if c.torque_method != EXACT:
        for i in range(v.shape[0]):
            if place[i] < 0:
                w.tau[i] = needed[i]
        return
    for k in range(p.frames.shape[0]):
        for j in range(6):
            loads[k, j] = w.wrenches[k, j]
    apply_multipliers(c, multipliers, loads)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, loads, c.inverse, needed)
    for m in range(rows.shape[0]):
        i = rows[m, COORDINATE]
        if i >= 0:
            needed[i] -= multipliers[m] * data[m, COEFFICIENT]
    for i in range(v.shape[0]):
        if place[i] < 0:
            w.tau[i] = needed[i]
