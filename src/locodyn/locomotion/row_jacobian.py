"""Constraint rows along the coordinates: their Jacobian, speeds and accelerations; the mass matrix of free coordinates."""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inertia import momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.mass_matrix import COMPOSITE, along, composite_inertias, mass_matrix_with_rods, moves_fluid
from locodyn.kernel import compiled, portable
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
from locodyn.shape.frame_twists import frame_twists
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import ACCELERATION, POSITION, ROTATION, TWIST
from locodyn.world.rows import coefficient_times, fill_rows, row_times


@compiled(called=True, lanes=True)
def rows_at(problem, rows, inputs, q, v, work):
    """Poses and twists of the frames at (q, v), and the rows there."""
    frame_twists(problem.frames, problem.constants, q, v, work.poses, work.motions)
    fill_rows(rows, inputs.rows, 1, q, v, work.poses, work.motions)


@portable(called=True)
def row_jacobian(problem, rows, poses):
    """J_E (m, |E|) into ``jacobian``: each row carried to the frames that have a coordinate in E, nothing in between."""
    free = rows.free
    jacobian = rows.jacobian
    for m in range(rows.kind.shape[0]):
        for e in range(free.shape[0]):
            jacobian[m, e] = 0.0
        add_row(problem, rows, poses, m, rows.frame[m], rows.cotwist)
        add_row(problem, rows, poses, m, rows.other[m], rows.other_cotwist)
        add_factors(rows, m, rows.coefficient)


@portable(inline=True)
def add_factors(rows, m, coefficient):
    """Add to the Jacobian the factors of row m on coordinates in E."""
    for j in range(rows.coordinates[m]):
        e = rows.place[rows.coordinate[m, j]]
        if e >= 0:
            rows.jacobian[m, e] += coefficient[m, j]


@portable(inline=True)
def add_row(problem, rows, poses, m, k, cotwist):
    """Add to the Jacobian the part of row m that acts on frame k (-1: none) with ``cotwist`` (m, 6)."""
    place = rows.place
    ancestor = rows.free_ancestor
    jacobian = rows.jacobian
    if k >= 0:
        r = load9(poses, k, ROTATION)
        f = rotate(r, load3(cotwist, m, 0))
        n = rotate(r, load3(cotwist, m, 3))
        at = load3(poses, k, POSITION)
        k = ancestor[k]
        while k >= 0:
            here = load3(poses, k, POSITION)
            n = add(n, cross(subtract(at, here), f))
            at = here
            first = problem.frames[k, FIRST_V]
            if problem.frames[k, CODE] == ROD:
                columns = rows.columns
                moment = add(n, cross(here, f))  # about the origin of the world, as the columns
                for j in range(problem.frames[k, COUNT_V]):
                    if place[first + j] >= 0:
                        row = problem.frames[k, FIRST_COLUMN] + j
                        jacobian[m, place[first + j]] += dot(load3(columns, row, COLUMN), f)
                        jacobian[m, place[first + j]] += dot(load3(columns, row, COLUMN + 3), moment)
            else:
                for i in range(first, first + problem.frames[k, COUNT_V]):
                    if place[i] >= 0:
                        jacobian[m, place[i]] += along(problem.dofs, problem.dof_constants, poses, k, i, f, n)
            parent = problem.frames[k, ROOT]
            k = ancestor[parent] if parent >= 0 else -1


@portable(inline=True)
def row_speed(rows, motions, m, v):
    """w . eta + c v of row m."""
    total = row_times(rows.cotwist, m, motions, rows.frame[m], TWIST)
    total += row_times(rows.other_cotwist, m, motions, rows.other[m], TWIST)
    return total + coefficient_times(rows.coefficient, m, rows, v)


@portable(inline=True)
def row_acceleration(rows, motions, m, v, a):
    """w . etadot + wdot . eta + c a + cdot v of row m."""
    k = rows.frame[m]
    other = rows.other[m]
    first = row_times(rows.cotwist, m, motions, k, ACCELERATION) + row_times(rows.cotwist_rate, m, motions, k, TWIST)
    second = row_times(rows.other_cotwist, m, motions, other, ACCELERATION)
    second += row_times(rows.other_cotwist_rate, m, motions, other, TWIST)
    total = first + second + coefficient_times(rows.coefficient, m, rows, a)
    return total + coefficient_times(rows.coefficient_rate, m, rows, v)


@compiled(called=True, lanes=True)
def free_mass(problem, rows, q, poses):
    """M_EE: from composite inertias, or in a fluid from inverse dynamics."""
    if moves_fluid(problem.frames):
        free_mass_by_columns(problem, rows, q)
        return
    if has_rods(problem.constants):
        if rows.bending == 0:
            all_columns(problem, rows, q, poses)
        free_mass_with_rods(problem, rows, poses)
        return
    free = rows.free
    mass = rows.dynamics.mass
    composite_inertias(problem.frames, problem.constants, poses, rows.dynamics.composites)
    for e in range(free.shape[0]):
        for j in range(free.shape[0]):
            mass[e, j] = 0.0
    for e in range(free.shape[0]):
        add_mass(problem, rows, poses, e)


@compiled(inline=True, lanes=True)
def add_mass(problem, rows, poses, e):
    """Row and column e of M_EE, up to the diagonal and zero so far, from the composite inertias; without rods and fluids."""
    place = rows.place
    ancestor = rows.free_ancestor
    mass = rows.dynamics.mass
    composites = rows.dynamics.composites
    i = rows.free[e]
    k = problem.dofs[i, DOF_FRAME]
    axis = axis_vector(poses, k, problem.dofs[i, DOF_AXIS])
    f, n = momentum(
        composites[k, COMPOSITE.mass],
        load3(composites, k, COMPOSITE.moment),
        load6(composites, k, COMPOSITE.inertia),
        scale(problem.dof_constants[i, LINEAR], axis),
        scale(problem.dof_constants[i, ANGULAR], axis),
    )
    mass[e, e] += problem.dof_constants[i, DOF_ARMATURE]
    at = load3(poses, k, POSITION)
    while k >= 0:
        here = load3(poses, k, POSITION)
        n = add(n, cross(subtract(at, here), f))
        at = here
        first = problem.frames[k, FIRST_V]
        for j in range(first, first + problem.frames[k, COUNT_V]):
            other = place[j]
            if 0 <= other <= e:
                mass[e, other] += along(problem.dofs, problem.dof_constants, poses, k, j, f, n)
                mass[other, e] = mass[e, other]
        parent = problem.frames[k, PARENT]
        k = ancestor[parent] if parent >= 0 else -1


@compiled
def whole_mass(problem, rows, poses):
    """M of a robot with rods into ``dynamics.full_mass``, from the columns of all coordinates, see :func:`rod_columns`."""
    mass_matrix_with_rods(
        problem.frames, problem.constants, problem.dof_constants, poses, rows.dynamics.composites, rows.columns,
        rows.dynamics.full_mass,
    )  # fmt: skip


@compiled(late=())
def mass_of_all(problem, rows, q, poses):
    """The same at the configuration q, where the columns need not be known."""
    if rows.bending == 0:
        all_columns(problem, rows, q, poses)
    whole_mass(problem, rows, poses)


@compiled(late=())
def free_mass_with_rods(problem, rows, poses):
    """M_EE of a robot with rods."""
    free = rows.free
    mass = rows.dynamics.mass
    full = rows.dynamics.full_mass
    whole_mass(problem, rows, poses)
    for e in range(free.shape[0]):
        for g in range(free.shape[0]):
            mass[e, g] = full[free[e], free[g]]


@compiled(called=True, lanes=True)
def rod_columns(problem, rows, q, poses):
    """The columns of a robot with rods at the configuration q, whose poses in the world are given, where the rows need them."""
    if has_rods(problem.constants) and rows.bending > 0:
        all_columns(problem, rows, q, poses)


@compiled(late=())
def all_columns(problem, rows, q, poses):
    """The columns of a robot with rods at the configuration q."""
    frame_columns(problem.frames, problem.constants, problem.dofs, problem.dof_constants, q, poses, rows.columns)


@compiled(late=(), lanes=True)
def free_mass_by_columns(problem, rows, q):
    """M_EE, column by column: inverse dynamics for a unit acceleration, less that for none."""
    free = rows.free
    mass = rows.dynamics.mass
    zero = rows.zero
    unit = rows.dynamics.unit
    column = rows.dynamics.column
    at_rest = rows.dynamics.at_rest
    no_loads = rows.sharing.loads[:0]
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, zero, zero, no_loads, rows.inverse, at_rest)
    for e in range(free.shape[0]):
        unit[free[e]] = 1.0
        inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, zero, unit, no_loads, rows.inverse, column)
        unit[free[e]] = 0.0
        for j in range(free.shape[0]):
            mass[e, j] = column[free[j]] - at_rest[free[j]]
