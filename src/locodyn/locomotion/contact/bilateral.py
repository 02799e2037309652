"""Ideal wheels, rolling surfaces and loops in the step of hard contact: bilateral rows beside unilateral contacts.

    (M(q_M) + E) (v_E - v_A) = dt (tau - h) + J^T P + G(q_M)^T L,        G(q_E) v_E = b(t_E)

Impulses L act along the rows G of the middle of the step; velocities are on the rows of its end, so that the work of scleronomic
rows in a step, L . G(q_M) (v_A + v_E) / 2, is of third order. The end depends on v_E: a sweep of the step moves the velocity by
the smallest change onto what is missed there, and solves for the rest in the kernel Z of G(q_M). Rows may be redundant: rank and
kernel are those of :func:`~locodyn.locomotion.row_factors.factor_kinematics`. Holonomic rows are kept by the projection of
:func:`~locodyn.locomotion.closure.project_position`, whose work is of third order in the step as well.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import compiled
from locodyn.kernel.dense import fill
from locodyn.locomotion.closure import project_position
from locodyn.locomotion.constrained import project_velocity
from locodyn.locomotion.contact.outward import close_outward
from locodyn.locomotion.rhs import impose
from locodyn.locomotion.row_factors import factor_kinematics, range_step, settle_rank, share_forces
from locodyn.locomotion.row_jacobian import rod_columns, row_speed, rows_at
from locodyn.locomotion.taking_hold import before_settling, hold_what_moves
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import TWIST, frame_poses
from locodyn.world.rows import FORCE, KNOWN


@compiled
def begin_rows(rows, problem, contacts, inputs, q_mid, v, work):
    """Rows of the middle, ``inputs`` being those at the middle; nothing without rows."""
    if rows is not None:
        factor_rows(problem, rows, contacts, inputs, q_mid, v, work)


@compiled(called=True)
def factor_rows(problem, rows, contacts, inputs, q_mid, v, work):
    """G at q_M: factors, the basis Z of its kernel in all coordinates, cotwists and right-hand sides."""
    free = rows.free
    units = rows.units
    basis = rows.factors.basis
    rows_at(problem, rows, inputs, q_mid, v, work)
    rod_columns(problem, rows, q_mid, work.poses)
    rank = 0
    if free.shape[0] > 0:
        rank = factor_kinematics(problem, rows, work.poses, rows.active, rows.settled_rank, rows.settled_order)
    rows.rank = rank
    count = free.shape[0] - rank
    contacts.bilateral.kernel_size = count
    fill(contacts.bilateral.kernel, 0.0)
    for e in range(free.shape[0]):
        for a in range(count):
            contacts.bilateral.kernel[free[e], a] = units[e] * basis[e, rank + a]
    for m in range(contacts.bilateral.right_side.shape[0]):
        contacts.bilateral.right_side[m] = rows.right_side[m]
        for j in range(6):
            contacts.bilateral.cotwist[m, j] = rows.cotwist[m, j]
            contacts.bilateral.other_cotwist[m, j] = rows.other_cotwist[m, j]
        contacts.bilateral.frame[m] = rows.frame[m]
        for j in range(rows.coordinates[m]):
            contacts.bilateral.coefficient[m, j] = rows.coefficient[m, j]


@compiled
def aim(rows, problem, contacts, inputs, step, q_mid, x, work):
    """Prepare a sweep; returns by how much the velocity x misses the rows of the end (m/s or rad/s), 0 without rows."""
    if rows is None:
        return 0.0
    return aim_at_rows(problem, rows, contacts, inputs, step, q_mid, x, work)


@compiled(called=True)
def aim_at_rows(problem, rows, contacts, inputs, step, q_mid, x, work):
    """x_p: the smallest change of x with G(q_M) (x_p - x) = b - G(q_E) x. ``inputs`` are those at the end."""
    free = rows.free
    active = rows.active
    defect = contacts.bilateral.defect
    change = contacts.bilateral.change
    q_end = contacts.bilateral.q_end
    shift = contacts.bilateral.shift
    for i in range(x.shape[0]):
        shift[i] = 0.5 * step * x[i]
        contacts.bilateral.particular[i] = x[i]
    moved_configuration(problem.frames, q_mid, shift, q_end)
    impose(problem, inputs, q_end, shift, contacts.bilateral.acceleration)
    rows_at(problem, rows, inputs, q_end, x, work)
    missed = 0.0
    for j in range(active.shape[0]):
        defect[j] = rows.right_side[active[j]] - row_speed(rows, work.motions, active[j], x)
        missed = max(missed, abs(defect[j]))
    if free.shape[0] > 0:
        range_step(rows, active, rows.rank, defect, change)
        for e in range(free.shape[0]):
            contacts.bilateral.particular[free[e]] += change[e]
    frame_poses(problem.frames, problem.constants, q_mid, 1, work.poses)  # of the middle again
    return missed


@compiled
def add_known(rows, contacts, motions, wrenches):
    """Add the wrenches of rows whose force is given (driven wheels) to ``wrenches``; returns their power at the twists, W."""
    power = 0.0
    if rows is not None:
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & KNOWN:
                for j in range(6):
                    wrenches[rows.frame[m], j] += contacts.bilateral.right_side[m] * contacts.bilateral.cotwist[m, j]
                    power += (
                        contacts.bilateral.right_side[m] * contacts.bilateral.cotwist[m, j] * motions[rows.frame[m], TWIST + j]
                    )
    return power


@compiled
def has_known(rows):
    """Whether a row has a given force."""
    if rows is not None:
        for m in range(rows.kind.shape[0]):
            if rows.flags[m] & KNOWN:
                return True
    return False


@compiled
def book_rows(rows, problem, contacts, step, q_mid, v, work, tau):
    """Impulses of the rows, from the balance ``tau`` of :func:`~locodyn.contact.dense.balance`; nothing without."""
    if rows is not None:
        share_impulses(problem, rows, contacts, step, q_mid, v, work, tau)


@compiled(called=True)
def share_impulses(problem, rows, contacts, step, q_mid, v, work, tau):
    """L with G^T L = tau - rhs in the free coordinates, into ``row_impulse``; what they take of imposed coordinates, their work.

    Redundant rows share as the weights of the constraints say. ``tau`` of imposed coordinates is left with their own impulse
    and the right-hand side. L . b is supplied; what L . G(q_M) (v_A + v_E) / 2 is beyond that, through impacts, counts as their
    loss.
    """
    x = contacts.end_velocity
    free = rows.free
    multipliers = rows.multipliers
    balance = rows.sharing.balance
    energy = 0.0
    for e in range(free.shape[0]):
        i = free[e]
        balance[e] = (tau[i] - contacts.rhs[i]) / step
        energy += 0.5 * (v[i] + x[i]) * (tau[i] - contacts.rhs[i])
    share_forces(rows)
    fill(work.wrenches, 0.0)
    for m in range(rows.kind.shape[0]):
        known = rows.flags[m] & KNOWN
        contacts.bilateral.impulse[m] += step * (contacts.bilateral.right_side[m] if known else multipliers[m])
        if not known and rows.flags[m] & FORCE:
            contacts.report.supplied += step * multipliers[m] * contacts.bilateral.right_side[m]
            energy -= step * multipliers[m] * contacts.bilateral.right_side[m]
            for j in range(6):
                if contacts.bilateral.frame[m] >= 0:
                    work.wrenches[contacts.bilateral.frame[m], j] += step * multipliers[m] * contacts.bilateral.cotwist[m, j]
                if rows.other[m] >= 0:
                    work.wrenches[rows.other[m], j] += step * multipliers[m] * contacts.bilateral.other_cotwist[m, j]
    if problem.imposed.shape[0] > 0:
        taken = contacts.bilateral.taken
        still = contacts.zero
        room = work.inverse if has_rods(problem.constants) else work.work
        inverse_dynamics(problem.frames, problem.constants, contacts.no_gravity, q_mid, still, still, work.wrenches, room, taken)
        for m in range(rows.kind.shape[0]):
            for j in range(rows.coordinates[m]):
                taken[rows.coordinate[m, j]] -= step * multipliers[m] * contacts.bilateral.coefficient[m, j]
        for i in range(tau.shape[0]):
            if problem.imposed[i] != 0:
                tau[i] += taken[i]
                energy -= 0.5 * (v[i] + x[i]) * taken[i]
    contacts.report.impact_loss -= energy


@compiled
def end_rows(rows, problem, contacts, inputs, q, v, work):
    """The state at the end of the step on all rows: positions on holonomic ones, velocities by the smallest change.

    Contacts on rods that come after the middle of the step strike here.
    """
    if rows is not None:
        if rows.holonomic.shape[0] > 0:
            close_loops(problem, rows, contacts, inputs, q, v, work)
        before_settling(rows.rod_contacts, v)
        rank = project_velocity(problem, rows, inputs, q, v, work)
        contacts.report.impact_loss += hold_what_moves(rows.rod_contacts, problem, rows, inputs, q, v, work, rank)
        settle_rank(rows, rank)


@compiled(called=True)
def close_loops(problem, rows, contacts, inputs, q, v, work):
    """Loops closed, outward first where the options say so; how far they were open is kept in the report."""
    holonomic = rows.holonomic
    rows_at(problem, rows, inputs, q, v, work)
    for j in range(holonomic.shape[0]):
        contacts.report.loop_gap = max(contacts.report.loop_gap, abs(rows.residual[holonomic[j]]))
    if contacts.outward.first.shape[0] > 0:
        close_outward(problem, contacts.outward, q, work)
    project_position(problem, rows, inputs, q, v, work)
