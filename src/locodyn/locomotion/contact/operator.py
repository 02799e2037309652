"""The linear problem inside every contact solver: velocities for given, or linearly responding, contact impulses.

    (M + E + J^T D J) x = rhs + J^T q,        impulses z = q - D (J x + shift)

with M the mass matrix at the middle of the step, E what implicit joint laws add, and D, q of one contact each. A contact with
the world adds the 6 x 6 block X^T D X to the inertia of the touching frame, so that the articulated-body recursion solves the
problem in O(n) and nothing of size contacts x contacts is formed. Where contacts between two frames couple them, and for robots
with bilateral rows or rods, the matrix of all coordinates is built and factored: :mod:`locodyn.locomotion.contact.dense`.
"""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import TWIST as WORK_TWIST
from locodyn.kernel import routine, step
from locodyn.kernel.vector import load3, load9, store3, subtract
from locodyn.locomotion.contact.arrays import (
    CLOSED,
    DENSE,
    OFFSET,
    ON,
    POSITION_ON,
    POSITION_REACTION,
    REACTION,
    ROTATION_ON,
    ROTATION_REACTION,
    SCALES,
    SHIFT,
    W_NEXT,
    Z_NEXT,
)
from locodyn.locomotion.contact.block import response_to, scaled
from locodyn.locomotion.contact.dense import dense_twist, dense_velocity, reduced_velocity
from locodyn.locomotion.contact.recursion import recursive_velocity
from locodyn.shape.kinematics import to_child


@step
def relative_twist(c, work, i):
    """Velocity (linear; angular) of the touching frame relative to the other one at contact i, in contact axes, from ``work``."""
    row = c.contact
    k = c.closed[i, ON]
    u, s = to_child(
        load9(row, i, ROTATION_ON), load3(row, i, POSITION_ON), load3(work, k, WORK_TWIST), load3(work, k, WORK_TWIST + 3)
    )
    k = c.closed[i, REACTION]
    if k >= 0:
        uo, so = to_child(
            load9(row, i, ROTATION_REACTION),
            load3(row, i, POSITION_REACTION),
            load3(work, k, WORK_TWIST),
            load3(work, k, WORK_TWIST + 3),
        )
        u = subtract(u, uo)
        s = subtract(s, so)
    return u, s


@routine
def respond(p, c, q, w, x, tau):
    """Solve the linear problem; velocities w and impulses z = q - D w of all contacts into W_NEXT and Z_NEXT (normalised)."""
    dense = c.counts[DENSE] != 0
    if c.kernel.shape[0] > 0:
        reduced_velocity(c, x)
    elif dense:
        dense_velocity(p.imposed, c, x, tau)
    else:
        recursive_velocity(p.frames, c.constants, p.imposed, c, w.work, x, tau)
    row = c.contact
    for i in range(c.counts[CLOSED]):
        if dense:
            u, s = dense_twist(c, x, i)
        else:
            u, s = relative_twist(c, w.work, i)
        u = scaled(load3(row, i, SCALES), u)
        u = (u[0] + row[i, SHIFT], u[1], u[2])
        store3(row, i, W_NEXT, u)
        s = scaled(load3(row, i, SCALES + 3), s)
        store3(row, i, W_NEXT + 3, s)
        f, n = response_to(c, i, u, s)
        store3(row, i, Z_NEXT, subtract(load3(row, i, OFFSET), f))
        store3(row, i, Z_NEXT + 3, subtract(load3(row, i, OFFSET + 3), n))
