"""The linear problem of contacts with the matrix of all coordinates: contacts between bodies, bilateral rows, rods.

    (M + E + J^T D J) x = rhs + J^T q + G^T L,        G x = G x_p

with G the bilateral rows (none: factors of the whole matrix, LU, since D has no symmetry). On rows, x = x_p + Z y with Z a basis
of their kernel: the problem of y has the matrix Z^T (M + E + J^T D J) Z, whatever the rank of the rows, and L follows from the
balance.
"""

from __future__ import annotations

from locodyn.contact.block import answer, law_wrench, responds
from locodyn.contact.law import impulses
from locodyn.contact.rows import dense_twist
from locodyn.dynamics.added_mass import add_fluid_mass
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.joint_laws import viscosity_column
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_with_rods, moves_fluid
from locodyn.kernel import compiled
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.kernel.vector import subtract
from locodyn.robot.layout import (
    CODE,
    COUNT_V,
    DOF_CONSTANT_COLUMNS,
    FIRST_V,
    PARENT,
    ROD,
    ROOT,
)
from locodyn.shape.columns import COLUMN


@compiled(late=())
def fill_mass(problem, contacts, step, work):
    """The mass matrix at ``work.poses`` with what implicit laws add; of rods and in a fluid ``work.columns`` are read."""
    if has_rods(problem.constants):
        mass_matrix_with_rods(
            problem.frames,
            problem.constants,
            problem.dof_constants,
            work.poses,
            contacts.robot.composites,
            work.columns,
            contacts.robot.mass,
        )
        for k in range(problem.frames.shape[0]):
            if is_rod(problem.frames, k):
                first = problem.frames[k, FIRST_V]
                for i in range(first, first + problem.frames[k, COUNT_V]):
                    for j in range(first, first + problem.frames[k, COUNT_V]):
                        elastic, viscous = rod_entries(problem.dof_constants, first, i, j)
                        contacts.robot.mass[i, j] += contacts.theta * step * (viscous + 0.5 * step * elastic)
    else:
        mass_matrix(
            problem.frames,
            problem.constants,
            problem.dofs,
            problem.dof_constants,
            work.poses,
            contacts.robot.composites,
            contacts.robot.mass,
        )
        if moves_fluid(problem.frames):
            add_fluid_mass(problem.frames, problem.constants, work.poses, work.columns, COLUMN, contacts.robot.mass)
    for i in range(contacts.robot.mass.shape[0]):
        contacts.robot.mass[i, i] += contacts.robot.added[i]


@compiled
def is_rod(frames, k):
    """Whether frame k is the first slice of a rod."""
    return frames[k, CODE] == ROD and frames[k, PARENT] == frames[k, ROOT]


@compiled
def rod_entries(dof_constants, first, i, j):
    """Entry (i, j) of stiffness and viscosity of the rod with the velocities from ``first`` on."""
    column = j - first
    return dof_constants[i, DOF_CONSTANT_COLUMNS + column], dof_constants[i, viscosity_column(dof_constants) + column]


@compiled(late=())
def dense_velocity(imposed, contacts, x, tau):
    """x of the linear problem by factors of the whole matrix (LU); imposed entries of x are given. ``tau`` is scratch."""
    nv = x.shape[0]
    mixed = imposed.shape[0] > 0
    for i in range(nv):
        tau[i] = contacts.rhs[i]
        for j in range(nv):
            contacts.robot.factor[i, j] = contacts.robot.mass[i, j]
    for i in range(contacts.closed):
        if not responds(contacts, i):
            continue
        f, s = law_wrench(contacts, i)
        first = 6 * i
        for n in range(1, contacts.robot.movers[i, 0] + 1):
            m = contacts.robot.movers[i, n]
            u = (contacts.robot.jacobian[first, m], contacts.robot.jacobian[first + 1, m], contacts.robot.jacobian[first + 2, m])
            turn = (
                contacts.robot.jacobian[first + 3, m],
                contacts.robot.jacobian[first + 4, m],
                contacts.robot.jacobian[first + 5, m],
            )
            tau[m] += u[0] * f[0] + u[1] * f[1] + u[2] * f[2] + turn[0] * s[0] + turn[1] * s[1] + turn[2] * s[2]
            du, dw = answer(contacts, i, u, turn)
            for o in range(1, contacts.robot.movers[i, 0] + 1):
                b = contacts.robot.movers[i, o]
                contacts.robot.factor[b, m] += (
                    du[0] * contacts.robot.jacobian[first, b]
                    + du[1] * contacts.robot.jacobian[first + 1, b]
                    + du[2] * contacts.robot.jacobian[first + 2, b]
                ) + (
                    dw[0] * contacts.robot.jacobian[first + 3, b]
                    + dw[1] * contacts.robot.jacobian[first + 4, b]
                    + dw[2] * contacts.robot.jacobian[first + 5, b]
                )
    if mixed:  # unit rows for imposed coordinates; what they need is the balance of their own row
        for i in range(nv):
            if imposed[i] != 0:
                for j in range(nv):
                    contacts.robot.factor[i, j] = 0.0
                contacts.robot.factor[i, i] = 1.0
                tau[i] = x[i]
    lu_factor(contacts.robot.factor, contacts.robot.pivots)
    lu_solve(contacts.robot.factor, contacts.robot.pivots, tau)
    for i in range(nv):
        x[i] = tau[i]


@compiled(late=())
def balance(contacts, x, tau):
    """tau = (M + E) x - J^T P: what actuators and bilateral rows must give beside the right-hand side."""
    nv = x.shape[0]
    for i in range(nv):
        total = 0.0
        for j in range(nv):
            total += contacts.robot.mass[i, j] * x[j]
        tau[i] = total
    for i in range(contacts.closed):
        f, s = impulses(contacts, i)
        for n in range(1, contacts.robot.movers[i, 0] + 1):
            m = contacts.robot.movers[i, n]
            for j in range(3):
                tau[m] -= contacts.robot.jacobian[6 * i + j, m] * f[j] + contacts.robot.jacobian[6 * i + 3 + j, m] * s[j]


@compiled
def reduce_rows(rows, contacts):
    """The problem on the rows; nothing without rows."""
    if rows is not None:
        reduce_problem(contacts)


@compiled(called=True)
def reduce_problem(contacts):
    """Matrix, rows of contacts and right-hand side of the problem of y, x = x_p + Z y; ``factor`` is scratch."""
    nv = contacts.robot.mass.shape[0]
    count = contacts.bilateral.kernel_size
    for i in range(nv):
        for b in range(count):
            total = 0.0
            for j in range(nv):
                total += contacts.robot.mass[i, j] * contacts.bilateral.kernel[j, b]
            contacts.robot.factor[i, b] = total
    for a in range(count):
        for b in range(a + 1):
            total = 0.0
            for i in range(nv):
                total += contacts.bilateral.kernel[i, a] * contacts.robot.factor[i, b]
            contacts.bilateral.reduced[a, b] = total
    for i in range(contacts.closed):
        for r in range(6 * i, 6 * i + 6):
            for a in range(count):
                total = 0.0
                for n in range(1, contacts.robot.movers[i, 0] + 1):
                    m = contacts.robot.movers[i, n]
                    total += contacts.robot.jacobian[r, m] * contacts.bilateral.kernel[m, a]
                contacts.bilateral.reduced_rows[r, a] = total
    reduce_right_side(contacts)


@compiled
def reduce_right_side(contacts):
    """Z^T (rhs - (M + E) x_p)."""
    rest = contacts.bilateral.reduced_velocity
    for i in range(contacts.robot.mass.shape[0]):
        total = contacts.rhs[i]
        for j in range(contacts.robot.mass.shape[0]):
            total -= contacts.robot.mass[i, j] * contacts.bilateral.particular[j]
        rest[i] = total
    for a in range(contacts.bilateral.kernel_size):
        total = 0.0
        for i in range(contacts.robot.mass.shape[0]):
            total += contacts.bilateral.kernel[i, a] * rest[i]
        contacts.bilateral.reduced_rhs[a] = total


@compiled(late=())
def reduced_velocity(contacts, x):
    """x of the linear problem on the bilateral rows, see :func:`reduce_problem`; unit rows fill the matrix up."""
    count = contacts.bilateral.kernel_size
    y = contacts.bilateral.reduced_velocity
    for a in range(x.shape[0]):
        y[a] = contacts.bilateral.reduced_rhs[a] if a < count else 0.0
        for b in range(x.shape[0]):
            inside = a < count and b < count
            contacts.robot.factor[a, b] = contacts.bilateral.reduced[max(a, b), min(a, b)] if inside else (1.0 if a == b else 0.0)
    for i in range(contacts.closed):
        if not responds(contacts, i):
            continue
        f, s = law_wrench(contacts, i)
        u, turn = dense_twist(contacts, contacts.bilateral.particular, i)
        fu, su = answer(contacts, i, u, turn)
        f = subtract(f, fu)
        s = subtract(s, su)
        first = 6 * i
        for a in range(count):
            u = (
                contacts.bilateral.reduced_rows[first, a],
                contacts.bilateral.reduced_rows[first + 1, a],
                contacts.bilateral.reduced_rows[first + 2, a],
            )
            turn = (
                contacts.bilateral.reduced_rows[first + 3, a],
                contacts.bilateral.reduced_rows[first + 4, a],
                contacts.bilateral.reduced_rows[first + 5, a],
            )
            y[a] += u[0] * f[0] + u[1] * f[1] + u[2] * f[2] + turn[0] * s[0] + turn[1] * s[1] + turn[2] * s[2]
            du, dt = answer(contacts, i, u, turn)
            for b in range(count):
                for j in range(3):
                    contacts.robot.factor[b, a] += (
                        du[j] * contacts.bilateral.reduced_rows[first + j, b]
                        + dt[j] * contacts.bilateral.reduced_rows[first + 3 + j, b]
                    )
    lu_factor(contacts.robot.factor, contacts.robot.pivots)
    lu_solve(contacts.robot.factor, contacts.robot.pivots, y)
    for i in range(x.shape[0]):
        total = contacts.bilateral.particular[i]
        for a in range(count):
            total += contacts.bilateral.kernel[i, a] * y[a]
        x[i] = total
