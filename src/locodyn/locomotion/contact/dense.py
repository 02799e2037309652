"""The linear problem of contacts with the matrix of all coordinates: contacts between bodies, bilateral rows, rods.

    (M + E + J^T D J) x = rhs + J^T q + G^T L,        G x = G x_p

with G the bilateral rows (none: factors of the whole matrix, LU, since D has no symmetry). On rows, x = x_p + Z y with Z a basis
of their kernel: the problem of y has the matrix Z^T (M + E + J^T D J) Z, whatever the rank of the rows, and L follows from the
balance.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.joint_laws import viscosity_column
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_with_rods
from locodyn.kernel import kernel, routine
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.kernel.vector import add, cross, load3, load9, rotate_back, scale, subtract
from locodyn.locomotion.contact.arrays import (
    BASIS,
    CLOSED,
    DIAGONAL,
    KERNEL,
    ON,
    PARTICULAR,
    POINT,
    REACTION,
    REDUCED,
    REDUCED_RHS,
    RHS,
    THETA,
)
from locodyn.locomotion.contact.block import answer, law_wrench, responds
from locodyn.locomotion.contact.law import impulses
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_AXIS,
    DOF_CONSTANT_COLUMNS,
    FIRST_COLUMN,
    FIRST_V,
    LINEAR,
    PARENT,
    ROD,
    ROOT,
)
from locodyn.shape.columns import COLUMN, frame_columns
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import POSITION


@routine
def contact_rows(p, c, q, w):
    """Rows of all closed contacts: six velocities in contact axes for a unit rate of each coordinate; which ones are not zero.

    ``w.poses`` are those of q in the world; of robots with rods the columns at q are left in ``w.columns``.
    """
    nv = p.dofs.shape[0]
    if has_rods(p.constants):
        frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, w.poses, w.columns)
    for i in range(c.counts[CLOSED]):
        for j in range(6):
            for m in range(nv):
                c.jacobian[6 * i + j, m] = 0.0
        add_frame(p, c, w, i, c.closed[i, ON], 1.0)
        if c.closed[i, REACTION] >= 0:
            add_frame(p, c, w, i, c.closed[i, REACTION], -1.0)
        found = 0
        for m in range(nv):
            size = 0.0
            for j in range(6):
                size = max(size, abs(c.jacobian[6 * i + j, m]))
            if size > 0.0:
                found += 1
                c.columns[i, found] = m
        c.columns[i, 0] = found


@kernel
def add_frame(p, c, w, i, frame, sign):
    """Add ``sign`` times the velocity of frame ``frame`` at contact i."""
    if has_rods(p.constants):
        add_columns(p.frames, w.columns, c, i, frame, sign)
    else:
        add_rows(p.frames, p.dofs, p.dof_constants, w.poses, c, i, frame, sign)


@kernel
def add_columns(frames, columns, c, i, frame, sign):
    """:func:`add_rows` from the columns of all coordinates, which are twists about the origin of the world."""
    basis = load9(c.contact, i, BASIS)
    point = load3(c.contact, i, POINT)
    k = frame
    while k >= 0:
        for j in range(frames[k, COUNT_V]):
            turn = scale(sign, load3(columns, frames[k, FIRST_COLUMN] + j, COLUMN + 3))
            u = add(scale(sign, load3(columns, frames[k, FIRST_COLUMN] + j, COLUMN)), cross(turn, point))
            store_row(c, i, frames[k, FIRST_V] + j, rotate_back(basis, u), rotate_back(basis, turn))
        k = frames[k, ROOT]


@kernel
def store_row(c, i, m, u, s):
    """Add the velocities (u; s) for a unit rate of coordinate m to the rows of contact i."""
    for j in range(3):
        c.jacobian[6 * i + j, m] += u[j]
        c.jacobian[6 * i + 3 + j, m] += s[j]


@kernel
def add_rows(frames, dofs, dof_constants, poses, c, i, frame, sign):
    """Add ``sign`` times the velocity of frame ``frame`` at contact i."""
    basis = load9(c.contact, i, BASIS)
    point = load3(c.contact, i, POINT)
    k = frame
    while k >= 0:
        arm = subtract(point, load3(poses, k, POSITION))
        for m in range(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]):
            e = axis_vector(poses, k, dofs[m, DOF_AXIS])
            turn = scale(sign * dof_constants[m, ANGULAR], e)
            u = rotate_back(basis, add(scale(sign * dof_constants[m, LINEAR], e), cross(turn, arm)))
            store_row(c, i, m, u, rotate_back(basis, turn))
        k = frames[k, PARENT]


@routine
def fill_mass(p, c, step, w):
    """The mass matrix at ``w.poses`` (of rods: with the columns in ``w.columns``), with what implicit laws add."""
    if has_rods(p.constants):
        mass_matrix_with_rods(p.frames, p.constants, p.dof_constants, w.poses, c.composites, w.columns, c.mass)
        for k in range(p.frames.shape[0]):
            if is_rod(p.frames, k):
                first = p.frames[k, FIRST_V]
                for i in range(first, first + p.frames[k, COUNT_V]):
                    for j in range(first, first + p.frames[k, COUNT_V]):
                        elastic, viscous = rod_entries(p.dof_constants, first, i, j)
                        c.mass[i, j] += c.settings[THETA] * step * (viscous + 0.5 * step * elastic)
    else:
        mass_matrix(p.frames, p.constants, p.dofs, p.dof_constants, w.poses, c.composites, c.mass)
    for i in range(c.mass.shape[0]):
        c.mass[i, i] += c.vectors[DIAGONAL, i]


@kernel
def is_rod(frames, k):
    """Whether frame k is the first slice of a rod."""
    return frames[k, CODE] == ROD and frames[k, PARENT] == frames[k, ROOT]


@kernel
def rod_entries(dof_constants, first, i, j):
    """Entry (i, j) of stiffness and viscosity of the rod with the velocities from ``first`` on."""
    column = j - first
    return dof_constants[i, DOF_CONSTANT_COLUMNS + column], dof_constants[i, viscosity_column(dof_constants) + column]


@routine
def dense_velocity(imposed, c, x, tau):
    """x of the linear problem by factors of the whole matrix (LU); imposed entries of x are given. ``tau`` is scratch."""
    nv = x.shape[0]
    mixed = imposed.shape[0] > 0
    for i in range(nv):
        tau[i] = c.vectors[RHS, i]
        for j in range(nv):
            c.factor[i, j] = c.mass[i, j]
    for i in range(c.counts[CLOSED]):
        if not responds(c.contact, i):
            continue
        f, s = law_wrench(c, i)
        first = 6 * i
        for n in range(1, c.columns[i, 0] + 1):
            m = c.columns[i, n]
            u = (c.jacobian[first, m], c.jacobian[first + 1, m], c.jacobian[first + 2, m])
            w = (c.jacobian[first + 3, m], c.jacobian[first + 4, m], c.jacobian[first + 5, m])
            tau[m] += u[0] * f[0] + u[1] * f[1] + u[2] * f[2] + w[0] * s[0] + w[1] * s[1] + w[2] * s[2]
            du, dw = answer(c, i, u, w)
            for o in range(1, c.columns[i, 0] + 1):
                b = c.columns[i, o]
                c.factor[b, m] += (
                    du[0] * c.jacobian[first, b] + du[1] * c.jacobian[first + 1, b] + du[2] * c.jacobian[first + 2, b]
                ) + (dw[0] * c.jacobian[first + 3, b] + dw[1] * c.jacobian[first + 4, b] + dw[2] * c.jacobian[first + 5, b])
    if mixed:  # unit rows for imposed coordinates; what they need is the balance of their own row
        for i in range(nv):
            if imposed[i] != 0:
                for j in range(nv):
                    c.factor[i, j] = 0.0
                c.factor[i, i] = 1.0
                tau[i] = x[i]
    lu_factor(c.factor, c.pivots)
    lu_solve(c.factor, c.pivots, tau)
    for i in range(nv):
        x[i] = tau[i]


@routine
def balance(c, x, tau):
    """tau = (M + E) x - J^T P: what actuators and bilateral rows must give beside the right-hand side."""
    nv = x.shape[0]
    for i in range(nv):
        total = 0.0
        for j in range(nv):
            total += c.mass[i, j] * x[j]
        tau[i] = total
    for i in range(c.counts[CLOSED]):
        f, s = impulses(c, i)
        for n in range(1, c.columns[i, 0] + 1):
            m = c.columns[i, n]
            for j in range(3):
                tau[m] -= c.jacobian[6 * i + j, m] * f[j] + c.jacobian[6 * i + 3 + j, m] * s[j]


@routine
def reduce_problem(c):
    """Matrix, rows of contacts and right-hand side of the problem of y, x = x_p + Z y; ``factor`` is scratch."""
    nv = c.mass.shape[0]
    count = c.counts[KERNEL]
    for i in range(nv):
        for b in range(count):
            total = 0.0
            for j in range(nv):
                total += c.mass[i, j] * c.kernel[j, b]
            c.factor[i, b] = total
    for a in range(count):
        for b in range(a + 1):
            total = 0.0
            for i in range(nv):
                total += c.kernel[i, a] * c.factor[i, b]
            c.reduced[a, b] = total
    for i in range(c.counts[CLOSED]):
        for r in range(6 * i, 6 * i + 6):
            for a in range(count):
                total = 0.0
                for n in range(1, c.columns[i, 0] + 1):
                    m = c.columns[i, n]
                    total += c.jacobian[r, m] * c.kernel[m, a]
                c.reduced_rows[r, a] = total
    reduce_right_side(c)


@kernel
def reduce_right_side(c):
    """Z^T (rhs - (M + E) x_p)."""
    rest = c.vectors[REDUCED]
    for i in range(c.mass.shape[0]):
        total = c.vectors[RHS, i]
        for j in range(c.mass.shape[0]):
            total -= c.mass[i, j] * c.vectors[PARTICULAR, j]
        rest[i] = total
    for a in range(c.counts[KERNEL]):
        total = 0.0
        for i in range(c.mass.shape[0]):
            total += c.kernel[i, a] * rest[i]
        c.vectors[REDUCED_RHS, a] = total


@routine
def reduced_velocity(c, x):
    """x of the linear problem on the bilateral rows, see :func:`reduce_problem`; unit rows fill the matrix up."""
    count = c.counts[KERNEL]
    y = c.vectors[REDUCED]
    for a in range(x.shape[0]):
        y[a] = c.vectors[REDUCED_RHS, a] if a < count else 0.0
        for b in range(x.shape[0]):
            inside = a < count and b < count
            c.factor[a, b] = c.reduced[max(a, b), min(a, b)] if inside else (1.0 if a == b else 0.0)
    for i in range(c.counts[CLOSED]):
        if not responds(c.contact, i):
            continue
        f, s = law_wrench(c, i)
        u, turn = dense_twist(c, c.vectors[PARTICULAR], i)
        fu, su = answer(c, i, u, turn)
        f = subtract(f, fu)
        s = subtract(s, su)
        first = 6 * i
        for a in range(count):
            u = (c.reduced_rows[first, a], c.reduced_rows[first + 1, a], c.reduced_rows[first + 2, a])
            turn = (c.reduced_rows[first + 3, a], c.reduced_rows[first + 4, a], c.reduced_rows[first + 5, a])
            y[a] += u[0] * f[0] + u[1] * f[1] + u[2] * f[2] + turn[0] * s[0] + turn[1] * s[1] + turn[2] * s[2]
            du, dt = answer(c, i, u, turn)
            for b in range(count):
                for j in range(3):
                    c.factor[b, a] += du[j] * c.reduced_rows[first + j, b] + dt[j] * c.reduced_rows[first + 3 + j, b]
    lu_factor(c.factor, c.pivots)
    lu_solve(c.factor, c.pivots, y)
    for i in range(x.shape[0]):
        total = c.vectors[PARTICULAR, i]
        for a in range(count):
            total += c.kernel[i, a] * y[a]
        x[i] = total


@kernel
def dense_twist(c, x, i):
    """Velocity at contact i in contact axes from its rows."""
    first = 6 * i
    u = (0.0, 0.0, 0.0)
    s = (0.0, 0.0, 0.0)
    for n in range(1, c.columns[i, 0] + 1):
        m = c.columns[i, n]
        u = add(u, scale(x[m], (c.jacobian[first, m], c.jacobian[first + 1, m], c.jacobian[first + 2, m])))
        s = add(s, scale(x[m], (c.jacobian[first + 3, m], c.jacobian[first + 4, m], c.jacobian[first + 5, m])))
    return u, s
