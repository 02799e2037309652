"""Contacts on rods that take hold of a section that moves: a plastic impact.

At the instant at which a contact comes, or goes around, its rows hold at once, and with them all others:

    M (v+ - v-) = J^T Lambda,   J v+ = b,

so that of all velocities on the rows v+ is the one nearest to v- in the norm of the mass matrix. It is found from any velocity on
the rows, by a motion in their kernel Z: Z^T M Z z = -Z^T M (v - v-). Imposed coordinates keep their velocities; what their
actuators give in that instant is among what holds. The energy T(v-) - T(v+) is gone (or given, where an obstacle moves). It is
summed up and logged with its time, for records and the account of the run.
"""

from __future__ import annotations

from locodyn.dynamics.totals import TOTALS, totals_of
from locodyn.kernel import compiled
from locodyn.locomotion.row_factors import add_along_kernel, factor_kinematics
from locodyn.locomotion.row_jacobian import free_mass
from locodyn.shape.frame_twists import frame_twists
from locodyn.world.rod_places import LOGGED


@compiled
def before_settling(contacts, v):
    """Keep the velocities as they are before rows that come hold."""
    if contacts is not None:
        for i in range(v.shape[0]):
            contacts.before[i] = v[i]


@compiled
def hold_what_moves(contacts, problem, rows, inputs, q, v, work, rank):
    """Where contacts have come in a run, v is that after a plastic impact; it is on the rows of ``rank``, and stays there.

    Returns the energy that is lost, J.
    """
    lost = 0.0
    if contacts is not None:
        if contacts.struck != 0 and contacts.booking != 0:
            lost = strike(contacts, problem, rows, inputs, q, v, work, rank)
        contacts.struck = 0
    return lost


@compiled(late=1)
def strike(contacts, problem, rows, inputs, q, v, work, rank):
    """The velocity after the impact; returns the energy that it takes, J."""
    if rank < rows.free.shape[0]:
        nearest_by_mass(contacts, problem, rows, q, v, work)
    had = motion_energy(contacts, problem, q, contacts.before, work)
    lost = had - motion_energy(contacts, problem, q, v, work)
    contacts.lost[0] += lost
    n = min(contacts.logged, LOGGED - 1)
    contacts.log[n, 0] = inputs.rows[contacts.clock, 0]
    contacts.log[n, 1] = contacts.lost[0]
    contacts.logged = n + 1
    return lost


@compiled(called=True)
def nearest_by_mass(contacts, problem, rows, q, v, work):
    """Move v along the kernel of the rows to where it is nearest to ``before`` in the norm of M_EE."""
    free = rows.free
    units = rows.units
    basis = rows.factors.basis
    mass = rows.dynamics.mass
    right = rows.dynamics.right
    nearest = rows.dynamics.step
    n = free.shape[0]
    rank = factor_kinematics(problem, rows, work.poses, rows.active, rows.settled_rank, rows.settled_order)
    free_mass(problem, rows, q, work.poses)
    for x in range(rank, n):
        total = 0.0
        for e in range(n):
            momentum = 0.0
            for g in range(n):
                momentum += mass[e, g] * (v[free[g]] - contacts.before[free[g]])
            total -= basis[e, x] * units[e] * momentum
        right[x - rank] = total
    for e in range(n):
        nearest[e] = v[free[e]]
    add_along_kernel(rows, rank, nearest)
    for e in range(n):
        v[free[e]] = nearest[e]


@compiled(called=True)
def motion_energy(contacts, problem, q, v, work):
    """Kinetic energy (J) at (q, v); leaves poses and twists there."""
    frame_twists(problem.frames, problem.constants, q, v, work.poses, work.motions)
    totals_of(problem.frames, problem.constants, problem.gravity, v, work.poses, work.motions, contacts.totals)
    return contacts.totals[TOTALS.kinetic]
