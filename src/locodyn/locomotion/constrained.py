"""Constrained dynamics: rows of :mod:`locodyn.world.rows`, coordinates free, dependent or imposed.

Coordinates fall into three sets: E, whose force is known (reference joint, torque-driven, passive); D, dependent: actuated
joints that follow from the constraints (Ali 2011, (3.44)); I, imposed. With J the rows,

    J_E v_E = b - (the rest),   M_EE a_E + h_E = tau_E + J_E^T lambda,

and the rank-revealing factorisation J_E^T P = Q R, the columns of Q split into the range of J_E^T and the kernel of J_E: an
orthonormal kernel basis that is computed anew at every evaluation. Velocities are projected on the rows (smallest change),
accelerations solved in both parts: the reduced dynamics (3.69)-(3.70) in the kernel, the kinematics (3.45)-(3.46) in the range.
So no basis has to be smooth or transported, and no derivative of it is ever taken.

Where joints are dependent, the rows determine all coordinates in E that they feel. The others, as rods and passive joints that
carry no wheel, are the kernel, and they do not move D: their dynamics are those of a robot that is given all else.

Everything runs in O(n + m) for robots whose joints are imposed or dependent: rows are carried to the reference body in one
step, dependent joints are found one after the other on the way outward (:mod:`locodyn.locomotion.dependent`), torques come from
inverse dynamics with the contact forces applied.
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.agreement import first_of, less, magnitude, part
from locodyn.locomotion.closure import polish_position, project_position
from locodyn.locomotion.dependent import dependent_motion
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.needed_forces import known_motions, needed_forces
from locodyn.locomotion.path_solver import path_accelerations
from locodyn.locomotion.row_factors import (
    add_along_kernel,
    along_paths,
    factor_kinematics,
    factor_rows,
    forget_gone,
    pivot_ratio,
    range_step,
    settle_rank,
    step_of_rows,
)
from locodyn.locomotion.row_jacobian import free_mass, rod_columns, row_acceleration, row_speed, rows_at
from locodyn.locomotion.singular import continue_velocity
from locodyn.locomotion.taking_hold import before_settling, hold_what_moves
from locodyn.world.rod_places import has_struck, hold_contacts, next_switch, settle_contacts, wrap_contacts
from locodyn.world.rows import fill_rows


@compiled(called=True, lanes=True)
def project_velocity(problem, rows, inputs, q, v, work):
    """Put v on the rows: v_E by the smallest change, v_D one after the other.

    Leaves poses, rows and factors; returns the rank.
    """
    free = rows.free
    active = rows.active
    defect = rows.projection.defect
    change = rows.projection.step
    # Rows of loops depend on velocity through their rates only: one fill for positions, one for the final velocity.
    rows_at(problem, rows, inputs, q, v, work)
    forget_gone(rows.rod_contacts, rows)
    rod_columns(problem, rows, q, work.poses)
    rank = 0
    if free.shape[0] > 0:
        rank = factor_rows(rows.paths, problem, rows, work.poses, active, rows.settled_rank, rows.settled_order)
        for j in range(active.shape[0]):
            m = active[j]
            defect[j] = rows.right_side[m] - row_speed(rows, work.motions, m, v)
        rows.mismatch = first_of(step_of_rows(rows.paths, rows, active, rank, defect, change))
        for e in range(free.shape[0]):
            v[free[e]] += change[e]
        rows.rank = rank
        rows.condition = first_of(pivot_ratio(rows.paths, rows, rank))
    else:
        rows.mismatch = 0.0
        for j in range(active.shape[0]):
            m = active[j]
            rest = rows.right_side[m] - row_speed(rows, work.motions, m, v)
            if less(abs(rows.mismatch), magnitude(rest)):
                rows.mismatch = first_of(rest)
                rows.missed_row = m
    return rank


@compiled(lanes=True)
def accelerate(paths, problem, rows, q, poses, defect, force, result):
    """:func:`~locodyn.locomotion.path_solver.path_accelerations` of a robot that has paths."""
    if paths is not None:
        return path_accelerations(problem, rows, paths, q, poses, defect, force, result)
    return False


@compiled(called=True, lanes=True)
def solve_accelerations(problem, rows, rank, q, v, work, loads, a, tau):
    """a_E from the rows (range) and from the dynamics (kernel), for velocities that are on the rows.

    ``work.motions`` are those of the accelerations ``a``, which are zero in E.
    """
    free = rows.free
    active = rows.active
    units = rows.units
    basis = rows.factors.basis
    defect = rows.dynamics.defect
    change = rows.dynamics.step
    right = rows.dynamics.right
    needed = rows.dynamics.needed
    n = free.shape[0]
    for j in range(active.shape[0]):
        m = active[j]
        defect[j] = rows.right_side_rate[m] - row_acceleration(rows, work.motions, m, v, a)
    if along_paths(rows.paths):
        needed_forces(problem, rows, q, v, a, loads, 0, needed)
        for e in range(n):
            right[e] = tau[free[e]] - needed[free[e]]
        if accelerate(rows.paths, problem, rows, q, work.poses, defect, right, change):
            for e in range(n):
                a[free[e]] = change[e]
            return
        rank = factor_kinematics(problem, rows, work.poses, active, rows.settled_rank, rows.settled_order)
    range_step(rows, active, rank, defect, change)
    for e in range(n):
        a[free[e]] = change[e]
    if rank < n:
        # Kernel: Z^T M Z z = Z^T (tau - h - M a_range), with h + M a_range by inverse dynamics.
        if rows.dependent.shape[0] > 0:  # a_range moves what follows; what no row feels, the kernel, does not
            dependent_motion(problem, rows, q, v, a, work.poses, work.motions)
        free_mass(problem, rows, q, work.poses)
        needed_forces(problem, rows, q, v, a, loads, 0, needed)
        for x in range(rank, n):
            total = lit(right[0], 0.0)
            for e in range(n):
                total += basis[e, x] * units[e] * (tau[free[e]] - needed[free[e]])
            right[x - rank] = total
        add_along_kernel(rows, rank, change)
        for e in range(n):
            a[free[e]] = change[e]


@compiled(called=True, lanes=True)
def constrained_motion(problem, rows, inputs, q, v, work, a):
    """Accelerations on the rows, for the forces in ``work.tau`` and ``work.wrenches``; v is projected. No multipliers yet."""
    free = rows.free
    dependent = rows.dependent
    rows.dynamics.kept = 0
    rank = project_velocity(problem, rows, inputs, q, v, work)
    if rank < rows.settled_rank:
        part(v[0])
        continue_velocity(problem, rows, inputs, q, v, work, a, rank)
    for e in range(free.shape[0]):
        a[free[e]] = 0.0
    if rows.speeds_only != 0 and rank == free.shape[0]:
        return  # the rows give all velocities, also that at the end of the step
    if dependent.shape[0] > 0:
        dependent_motion(problem, rows, q, v, a, work.poses, work.motions)
    else:
        known_motions(problem, rows, q, v, a, work)
    if rows.rates_vary != 0:  # the rates of loops and contacts depend on the velocity, which is now on the rows
        fill_rows(rows, inputs.rows, 1, q, v, work.poses, work.motions)
    apply_known(rows, work.wrenches)
    if free.shape[0] > 0:
        solve_accelerations(problem, rows, rank, q, v, work, work.wrenches, a, work.tau)
    if dependent.shape[0] > 0:
        dependent_motion(problem, rows, q, v, a, work.poses, work.motions)


@compiled(lanes=True)
def settle_loops(paths, rows):
    """Of many loops all rows are holonomic: the rank of their positions is that of their velocities."""
    if paths is not None:
        if paths.on != 0:
            settle_rank(rows, rows.settled_holonomic_rank)


@compiled(called=True, lanes=True)
def settle_rows(problem, rows, inputs, q, v, work, a):
    """Positions on the holonomic rows, velocities on all rows; contacts on rods that come strike what moves."""
    dependent = rows.dependent
    holonomic = rows.holonomic
    left = lit(q[0], 0.0)
    before_settling(rows.rod_contacts, v)
    if holonomic.shape[0] > 0:
        known = rows.settled_holonomic_rank
        left = project_position(problem, rows, inputs, q, v, work)
        if known == 0:
            settle_loops(rows.paths, rows)
    rank = project_velocity(problem, rows, inputs, q, v, work)
    if 0 < holonomic.shape[0] == rows.active.shape[0] and rows.free.shape[0] > 0:
        polish_position(problem, rows, rank, left, q)
    hold_what_moves(rows.rod_contacts, problem, rows, inputs, q, v, work, rank)
    if rank < rows.settled_rank:
        part(v[0])
        continue_velocity(problem, rows, inputs, q, v, work, a, rank)
    settle_rank(rows, rank)
    settle_contacts(rows.rod_contacts)
    if dependent.shape[0] > 0:
        dependent_motion(problem, rows, q, v, a, work.poses, work.motions)


@portable
def within_step(rows, inside, laws):
    """From now on the stages of a step are asked for (1), or settled states (0): contacts on rods then go around."""
    if rows is not None:
        rows.speeds_only = inside * rows.invariant
        hold_contacts(rows.rod_contacts, inside)
        if inside == 0:
            wrap_contacts(rows.rod_contacts, laws)


@portable
def determines(rows):
    """1 where the rows give all velocities, at the state looked at last, and these do not depend on where the robot is."""
    if rows is not None:
        if rows.invariant != 0 and rows.rank == rows.free.shape[0]:
            return 1
    return 0


@portable
def is_struck(rows):
    """Whether contacts on rods have come, or gone around, and the state is still that before."""
    if rows is not None:
        return has_struck(rows.rod_contacts)
    return False


@compiled(called=True)
def change_contacts(contacts, rows, problem, inputs, q, v, work, a):
    """At the end of a step contacts come, go and wrap, and the state is put on the rows that hold from now on.

    Returns 2 where contacts have come or gone, 1 where an abscissa has gone around, else 0.
    """
    contacts.held = 0
    contacts.wrapped = 0
    rows_at(problem, rows, inputs, q, v, work)
    changed = contacts.changed
    if contacts.struck != 0 or changed != 0:
        settle_rows(problem, rows, inputs, q, v, work, a)
    return 2 if changed != 0 else contacts.wrapped


@compiled
def hold_rows(rows, held):
    """Contacts on rods stay as they are (1), or come, go and wrap (0)."""
    if rows is not None:
        hold_contacts(rows.rod_contacts, held)


@compiled
def next_change(rows, t, end):
    """The first time after t (s) and before ``end`` at which other rows hold, or ``end``."""
    if rows is not None:
        return next_switch(rows.rod_contacts, t, end)
    return end
