"""Contact forces and the forces of imposed joints: multipliers of the rows, of smallest norm where contacts are redundant."""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import forces_under
from locodyn.kernel import compiled, portable
from locodyn.locomotion.needed_forces import needed_forces
from locodyn.locomotion.projective import projective_torques
from locodyn.locomotion.row_factors import forces_of_rows
from locodyn.record import codes
from locodyn.world.rows import KNOWN, take_along

# How the forces of imposed joints are computed.
TORQUES = codes("exact", "no_contact", "projective")


@compiled(called=True)
def solve_multipliers(problem, rows, q, v, a, loads, tau):
    """lambda with J_E^T lambda = (M a + h - tau)_E, shared as :func:`~locodyn.locomotion.row_factors.share_forces` does.

    ``needed`` is left with M a + h of all coordinates; ``sharing.scale`` (J) with the largest force at work
    times the units of the coordinates.
    """
    free = rows.free
    units = rows.units
    balance = rows.sharing.balance
    needed = rows.sharing.needed
    unloaded = rows.sharing.unloaded
    along_rods = 0 if rows.torque_method == TORQUES.exact else 1  # these follow with the forces of the rows
    needed_forces(problem, rows, q, v, a, loads, along_rods, needed)
    n = free.shape[0]
    for e in range(n):
        balance[e] = needed[free[e]] - tau[free[e]]
    forces_of_rows(rows.paths, rows)
    # Scale of the forces at work: what the motion would need without any load.
    largest = 0.0
    if is_loaded(loads):
        forces_under(problem.frames, problem.constants, q, a, loads[:0], min(rows.bending, 1), rows.inverse, unloaded)
    else:
        for e in range(n):
            unloaded[free[e]] = needed[free[e]]
    for e in range(n):
        largest = max(largest, abs(balance[e]), abs(unloaded[free[e]]) * units[e])
    rows.sharing.scale = largest


@compiled
def is_loaded(loads):
    """Whether any wrench is not zero."""
    for k in range(loads.shape[0]):
        for j in range(6):
            if loads[k, j] != 0.0:
                return True
    return False


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
    if rows.torque_method == TORQUES.projective:
        projective_torques(problem, rows, a, work.wrenches, needed)
    if rows.torque_method != TORQUES.exact:
        for i in range(v.shape[0]):
            if place[i] < 0:
                work.tau[i] = needed[i]
        return
    for k in range(problem.frames.shape[0]):
        for j in range(6):
            loads[k, j] = work.wrenches[k, j]
    apply_multipliers(rows, multipliers, loads)
    forces_under(problem.frames, problem.constants, q, a, loads, 1, rows.inverse, needed)
    for m in range(rows.kind.shape[0]):
        take_along(rows, m, multipliers[m], needed)
    for i in range(v.shape[0]):
        if place[i] < 0:
            work.tau[i] = needed[i]
