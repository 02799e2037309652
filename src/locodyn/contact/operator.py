"""The linear problem inside every contact solver: velocities for given, or linearly responding, contact impulses.

    (M + E + J^T D J) x = rhs + J^T q,        impulses z = q - D (J x + shift)

with M the mass matrix at the middle of the step, E what implicit joint laws add, and D, q of one contact each. A contact with
the world adds the 6 x 6 block X^T D X to the inertia of the touching frame, so that the articulated-body recursion solves the
problem in O(n) and nothing of size contacts x contacts is formed. Where contacts between two frames couple them, and for robots
with bilateral rows or rods, the matrix of all coordinates is built and factored: :mod:`locodyn.contact.dense`.
"""

from __future__ import annotations

from locodyn.contact.block import response_to, scaled
from locodyn.contact.dense import dense_velocity, reduced_velocity
from locodyn.contact.free_heap import heap_again
from locodyn.contact.islands import contact_at, index
from locodyn.contact.recursion import recursive_velocity
from locodyn.contact.rows import dense_twist
from locodyn.dynamics.forward_dynamics import WORK
from locodyn.kernel import compiled
from locodyn.kernel.vector import load3, load9, store3, subtract
from locodyn.shape.kinematics import to_child


@compiled(inline=True)
def relative_twist(contacts, frame_work, i):
    """Velocity (linear; angular) of the touching frame relative to the other one at contact i, in contact axes."""
    k = index(contacts.frame[i])
    u, s = to_child(
        load9(contacts.rotation, i, 0),
        load3(contacts.position, i, 0),
        load3(frame_work, k, WORK.twist),
        load3(frame_work, k, WORK.twist + 3),
    )
    k = contacts.other[i]
    if k >= 0:
        uo, so = to_child(
            load9(contacts.other_rotation, i, 0),
            load3(contacts.other_position, i, 0),
            load3(frame_work, k, WORK.twist),
            load3(frame_work, k, WORK.twist + 3),
        )
        u = subtract(u, uo)
        s = subtract(s, so)
    return u, s


@compiled(called=True)
def respond(problem, contacts, q, work, x, tau):
    """Solve the linear problem; velocities w and impulses z = q - D w of all contacts into ``response`` (normalised)."""
    dense = contacts.robot.dense
    if contacts.bilateral.kernel.shape[0] > 0:
        reduced_velocity(contacts, x)
    elif dense:
        dense_velocity(problem.imposed, contacts, x, tau)
    else:
        recursive_velocity(problem.frames, problem.imposed, contacts, work.work, x, tau)
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        if dense:
            u, s = dense_twist(contacts, x, i)
        else:
            u, s = relative_twist(contacts, work.work, i)
        answer_contact(contacts, i, u, s)


@compiled(inline=True)
def answer_contact(contacts, i, u, s):
    """Velocities w and impulses z = q - D w of contact i into ``response``, from physical velocities (u; s)."""
    u = scaled(load3(contacts.scales, i, 0), u)
    u = (u[0] + contacts.shift[i], u[1], u[2])
    store3(contacts.response.velocity, i, 0, u)
    s = scaled(load3(contacts.scales, i, 3), s)
    store3(contacts.response.velocity, i, 3, s)
    f, n = response_to(contacts, i, u, s)
    store3(contacts.response.impulse, i, 0, subtract(load3(contacts.linear.offset, i, 0), f))
    store3(contacts.response.impulse, i, 3, subtract(load3(contacts.linear.offset, i, 3), n))


@compiled(late=())
def respond_again(problem, contacts, work, x, tau):
    """:func:`respond` of a heap of free bodies where only the offsets q of the law have changed since the last time."""
    heap_again(problem.frames, contacts, work.work, x, tau)
    for c in range(contacts.begin, contacts.end):
        i = contact_at(contacts, c)
        u, s = relative_twist(contacts, work.work, i)
        answer_contact(contacts, i, u, s)
