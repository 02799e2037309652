"""Constraint rows along the coordinates: their Jacobian, speeds and accelerations; the mass matrix of free coordinates."""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inertia import momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.mass_matrix import (
    INERTIA,
    MASS,
    MOMENT,
    along,
    composite_inertias,
    mass_matrix_with_rods,
    moves_fluid,
)
from locodyn.kernel import routine, step
from locodyn.kernel.vector import add, cross, dot, load3, load6, load9, rotate, scale, subtract
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_ARMATURE,
    DOF_AXIS,
    DOF_FRAME,
    FIRST_COLUMN,
    FIRST_V,
    LINEAR,
    PARENT,
    ROD,
    ROOT,
)
from locodyn.shape.columns import COLUMN, frame_columns
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import ACCELERATION, POSITION, ROTATION, TWIST, frame_motions, frame_poses
from locodyn.world.rows import COEFFICIENT, COORDINATE, FRAME, OTHER, RATE_A, RATE_B, W_A, W_B, fill_rows, row_times


@routine
def rows_at(p, c, inputs, q, v, w):
    """Poses and motions of the frames at (q, v), without accelerations, and the rows there."""
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    frame_motions(p.frames, p.constants, q, v, c.zero, w.motions)
    fill_rows(
        c.table, c.data, inputs.rows, w.poses, w.motions, c.cotwists,
        c.sides,
    )  # fmt: skip


@routine
def row_jacobian(p, c, poses):
    """J_E (m, |E|) into ``jacobian``: each row carried to the frames that have a coordinate in E, nothing in between."""
    rows = c.table
    data = c.data
    free = c.free
    place = c.place
    jacobian = c.jacobian
    for m in range(rows.shape[0]):
        for e in range(free.shape[0]):
            jacobian[m, e] = 0.0
        add_row(p, c, poses, m, rows[m, FRAME], W_A)
        add_row(p, c, poses, m, rows[m, OTHER], W_B)
        i = rows[m, COORDINATE]
        if i >= 0 and place[i] >= 0:
            jacobian[m, place[i]] += data[m, COEFFICIENT]


@step
def add_row(p, c, poses, m, k, column):
    """Add the part of row m that acts on frame k (-1: none)."""
    place = c.place
    climb = c.free_ancestor
    cotwists = c.cotwists
    jacobian = c.jacobian
    if k >= 0:
        r = load9(poses, k, ROTATION)
        f = rotate(r, load3(cotwists, m, column))
        n = rotate(r, load3(cotwists, m, column + 3))
        at = load3(poses, k, POSITION)
        k = climb[k]
        while k >= 0:
            here = load3(poses, k, POSITION)
            n = add(n, cross(subtract(at, here), f))
            at = here
            first = p.frames[k, FIRST_V]
            if p.frames[k, CODE] == ROD:
                columns = c.columns
                moment = add(n, cross(here, f))  # about the origin of the world, as the columns
                for j in range(p.frames[k, COUNT_V]):
                    if place[first + j] >= 0:
                        row = p.frames[k, FIRST_COLUMN] + j
                        jacobian[m, place[first + j]] += dot(load3(columns, row, COLUMN), f)
                        jacobian[m, place[first + j]] += dot(load3(columns, row, COLUMN + 3), moment)
            else:
                for i in range(first, first + p.frames[k, COUNT_V]):
                    if place[i] >= 0:
                        jacobian[m, place[i]] += along(p.dofs, p.dof_constants, poses, k, i, f, n)
            parent = p.frames[k, ROOT]
            k = climb[parent] if parent >= 0 else -1


@step
def row_speed(c, motions, m, v):
    """w . eta + c v of row m."""
    rows = c.table
    data = c.data
    cotwists = c.cotwists
    total = row_times(cotwists, m, W_A, motions, rows[m, FRAME], TWIST)
    total += row_times(cotwists, m, W_B, motions, rows[m, OTHER], TWIST)
    i = rows[m, COORDINATE]
    return total + data[m, COEFFICIENT] * v[i] if i >= 0 else total


@step
def row_acceleration(c, motions, m, a):
    """w . etadot + wdot . eta + c a of row m."""
    rows = c.table
    data = c.data
    cotwists = c.cotwists
    k = rows[m, FRAME]
    other = rows[m, OTHER]
    total = row_times(cotwists, m, W_A, motions, k, ACCELERATION) + row_times(cotwists, m, RATE_A, motions, k, TWIST)
    total += row_times(cotwists, m, W_B, motions, other, ACCELERATION) + row_times(cotwists, m, RATE_B, motions, other, TWIST)
    i = rows[m, COORDINATE]
    return total + data[m, COEFFICIENT] * a[i] if i >= 0 else total


@routine
def free_mass(p, c, q, poses):
    """M_EE: from composite inertias, or in a fluid from inverse dynamics."""
    if moves_fluid(p.frames):
        free_mass_by_columns(p, c, q)
        return
    if has_rods(p.constants):
        free_mass_with_rods(p, c, poses)
        return
    free = c.free
    place = c.place
    climb = c.free_ancestor
    mass = c.dynamics.mass
    composites = c.dynamics.composites
    composite_inertias(p.frames, p.constants, poses, composites)
    for e in range(free.shape[0]):
        for j in range(free.shape[0]):
            mass[e, j] = 0.0
    for e in range(free.shape[0]):
        i = free[e]
        k = p.dofs[i, DOF_FRAME]
        axis = axis_vector(poses, k, p.dofs[i, DOF_AXIS])
        f, n = momentum(
            composites[k, MASS],
            load3(composites, k, MOMENT),
            load6(composites, k, INERTIA),
            scale(p.dof_constants[i, LINEAR], axis),
            scale(p.dof_constants[i, ANGULAR], axis),
        )
        mass[e, e] += p.dof_constants[i, DOF_ARMATURE]
        at = load3(poses, k, POSITION)
        while k >= 0:
            here = load3(poses, k, POSITION)
            n = add(n, cross(subtract(at, here), f))
            at = here
            first = p.frames[k, FIRST_V]
            for j in range(first, first + p.frames[k, COUNT_V]):
                other = place[j]
                if 0 <= other <= e:
                    mass[e, other] += along(p.dofs, p.dof_constants, poses, k, j, f, n)
                    mass[other, e] = mass[e, other]
            parent = p.frames[k, PARENT]
            k = climb[parent] if parent >= 0 else -1


@routine
def free_mass_with_rods(p, c, poses):
    """M_EE of a robot with rods, from the columns of all coordinates, see :func:`rod_columns`."""
    free = c.free
    mass = c.dynamics.mass
    full = c.dynamics.full_mass
    columns = c.columns
    mass_matrix_with_rods(p.frames, p.constants, p.dof_constants, poses, c.dynamics.composites, columns, full)
    for e in range(free.shape[0]):
        for g in range(free.shape[0]):
            mass[e, g] = full[free[e], free[g]]


@routine
def rod_columns(p, c, q, poses):
    """The columns of a robot with rods at the configuration q, whose poses in the world are given."""
    if has_rods(p.constants):
        frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, poses, c.columns)


@routine
def free_mass_by_columns(p, c, q):
    """M_EE, column by column: inverse dynamics for a unit acceleration, less that for none."""
    free = c.free
    mass = c.dynamics.mass
    zero = c.zero
    unit = c.dynamics.unit
    column = c.dynamics.column
    at_rest = c.dynamics.at_rest
    no_loads = c.sharing.loads[:0]
    inverse_dynamics(p.frames, p.constants, p.gravity, q, zero, zero, no_loads, c.inverse, at_rest)
    for e in range(free.shape[0]):
        unit[free[e]] = 1.0
        inverse_dynamics(p.frames, p.constants, p.gravity, q, zero, unit, no_loads, c.inverse, column)
        unit[free[e]] = 0.0
        for j in range(free.shape[0]):
            mass[e, j] = column[free[j]] - at_rest[free[j]]
