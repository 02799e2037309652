"""Bodies that rest: an island that the impulses of the last step hold where it is needs no solution.

A heap that has settled asks for the same impulses in every step. With them given, the dynamics is solved body by body: contacts
couple nothing, no factors are needed. If all velocities that come out are below ``strict`` over the mean mass of a link, and the
impulses are on the rigid law by as much, the pair is one that the solver would accept. The island then stays exactly at rest,
until a force, a body that comes, or one that goes changes the balance by more than that: nothing has to wake it.
"""

from __future__ import annotations

from locodyn.contact.block import clear_law
from locodyn.contact.islands import contact_at, coordinate_at
from locodyn.contact.law import copy_rows, natural_residual
from locodyn.contact.newton import new_pair
from locodyn.kernel import compiled


@compiled(late=1)
def falls_asleep(problem, contacts, q, work, tau, strict):
    """1 where the centres, impulses of the last step, hold the island at rest to ``strict`` (N s), with that pair; else 0."""
    newton = contacts.newton
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        clear_law(contacts, i)
        for j in range(6):
            contacts.linear.offset[i, j] = contacts.centre[i, j]
    new_pair(problem, contacts, q, work, tau)
    for c in range(contacts.islands.first, contacts.islands.last):
        if not abs(newton.next_end_velocity[coordinate_at(contacts, c)]) * contacts.mean_mass <= strict:
            return 0.0
    copy_rows(contacts, contacts.impulse, newton.best_impulse)
    copy_rows(contacts, contacts.velocity, newton.best_velocity)
    copy_rows(contacts, contacts.response.impulse, contacts.impulse)
    copy_rows(contacts, contacts.response.velocity, contacts.velocity)
    newton.residual = natural_residual(contacts, contacts.mean_mass)
    if not newton.residual <= strict:
        copy_rows(contacts, newton.best_impulse, contacts.impulse)
        copy_rows(contacts, newton.best_velocity, contacts.velocity)
        return 0.0
    for c in range(contacts.islands.first, contacts.islands.last):
        m = coordinate_at(contacts, c)
        if not (problem.imposed.shape[0] > 0 and problem.imposed[m] != 0):
            contacts.end_velocity[m] = 0.0
    return 1.0
