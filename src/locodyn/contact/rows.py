"""Rows of the closed contacts: how each coordinate moves a contact, in the axes of the contact."""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, load3, load9, rotate_back, scale, subtract
from locodyn.robot.layout import ANGULAR, COUNT_V, DOF_AXIS, FIRST_COLUMN, FIRST_V, LINEAR, PARENT, ROOT
from locodyn.shape.columns import COLUMN, frame_columns
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import POSITION


@compiled(late=())
def contact_rows(problem, contacts, q, work):
    """Rows of all closed contacts: six velocities in contact axes for a unit rate of each coordinate; which ones are not zero.

    ``work.poses`` are those of q in the world; of robots with rods or in a fluid the columns at q are left in ``work.columns``.
    """
    nv = problem.dofs.shape[0]
    if work.columns.shape[0] > 0:
        frame_columns(problem.frames, problem.constants, problem.dofs, problem.dof_constants, q, work.poses, work.columns)
    for i in range(contacts.closed):
        for j in range(6):
            for m in range(nv):
                contacts.robot.jacobian[6 * i + j, m] = 0.0
        add_frame(problem, contacts, work, i, contacts.frame[i], 1.0)
        if contacts.other[i] >= 0:
            add_frame(problem, contacts, work, i, contacts.other[i], -1.0)
        found = 0
        for m in range(nv):
            size = 0.0
            for j in range(6):
                size = max(size, abs(contacts.robot.jacobian[6 * i + j, m]))
            if size > 0.0:
                found += 1
                contacts.robot.movers[i, found] = m
        contacts.robot.movers[i, 0] = found


@compiled
def add_frame(problem, contacts, work, i, frame, sign):
    """Add ``sign`` times the velocity of frame ``frame`` at contact i."""
    if has_rods(problem.constants):
        add_columns(problem.frames, work.columns, contacts, i, frame, sign)
    else:
        add_rows(problem.frames, problem.dofs, problem.dof_constants, work.poses, contacts, i, frame, sign)


@compiled
def add_columns(frames, columns, contacts, i, frame, sign):
    """:func:`add_rows` from the columns of all coordinates, which are twists about the origin of the world."""
    basis = load9(contacts.basis, i, 0)
    point = load3(contacts.point, i, 0)
    k = frame
    while k >= 0:
        for j in range(frames[k, COUNT_V]):
            turn = scale(sign, load3(columns, frames[k, FIRST_COLUMN] + j, COLUMN + 3))
            u = add(scale(sign, load3(columns, frames[k, FIRST_COLUMN] + j, COLUMN)), cross(turn, point))
            store_row(contacts, i, frames[k, FIRST_V] + j, rotate_back(basis, u), rotate_back(basis, turn))
        k = frames[k, ROOT]


@compiled
def store_row(contacts, i, m, u, s):
    """Add the velocities (u; s) for a unit rate of coordinate m to the rows of contact i."""
    for j in range(3):
        contacts.robot.jacobian[6 * i + j, m] += u[j]
        contacts.robot.jacobian[6 * i + 3 + j, m] += s[j]


@compiled
def add_rows(frames, dofs, dof_constants, poses, contacts, i, frame, sign):
    """Add ``sign`` times the velocity of frame ``frame`` at contact i."""
    basis = load9(contacts.basis, i, 0)
    point = load3(contacts.point, i, 0)
    k = frame
    while k >= 0:
        arm = subtract(point, load3(poses, k, POSITION))
        for m in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
            e = axis_vector(poses, k, dofs[m, DOF_AXIS])
            turn = scale(sign * dof_constants[m, ANGULAR], e)
            u = rotate_back(basis, add(scale(sign * dof_constants[m, LINEAR], e), cross(turn, arm)))
            store_row(contacts, i, m, u, rotate_back(basis, turn))
        k = frames[k, PARENT]


@compiled
def dense_twist(contacts, x, i):
    """Velocity at contact i in contact axes from its rows."""
    first = 6 * i
    u = (0.0, 0.0, 0.0)
    s = (0.0, 0.0, 0.0)
    for n in range(1, contacts.robot.movers[i, 0] + 1):
        m = contacts.robot.movers[i, n]
        u = add(
            u,
            scale(
                x[m],
                (contacts.robot.jacobian[first, m], contacts.robot.jacobian[first + 1, m], contacts.robot.jacobian[first + 2, m]),
            ),
        )
        s = add(
            s,
            scale(
                x[m],
                (
                    contacts.robot.jacobian[first + 3, m],
                    contacts.robot.jacobian[first + 4, m],
                    contacts.robot.jacobian[first + 5, m],
                ),
            ),
        )
    return u, s
