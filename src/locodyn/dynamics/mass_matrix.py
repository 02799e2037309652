"""Mass matrix by composite bodies (Walker and Orin 1982; Ali 2011, (3.23)-(3.28)), in the axes of the reference frame F0.

Axes are those of F0, moments are taken about the origin of each frame: no inertia is ever rotated twice, and long robots lose no
digits to a distant origin.
"""

from __future__ import annotations

from locodyn.dynamics.added_mass import add_fluid_mass
from locodyn.dynamics.inertia import load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.kernel import lit, portable
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    increase3,
    load3,
    load6,
    load9,
    rotate,
    scale,
    store3,
    store6,
    subtract,
    transform_symmetric,
)
from locodyn.record import record
from locodyn.robot.layout import (
    ANGULAR,
    CODE,
    COUNT_V,
    DOF_ARMATURE,
    DOF_AXIS,
    FIRST_COLUMN,
    FIRST_V,
    FLUID,
    LINEAR,
    PARENT,
    ROD,
    ROOT,
)
from locodyn.shape.columns import COLUMN
from locodyn.shape.columns import RATE as MOMENTUM
from locodyn.shape.jacobian import axis_vector
from locodyn.shape.kinematics import POSITION, ROTATION

# A composite inertia: mass, first moment, inertia about the frame's origin; axes of F0.
COMPOSITE = record(mass=1, moment=3, inertia=6)


@portable(inline=True)
def shifted(m, h, inertia, d):
    """The same inertia about an origin that lies at -d: (m, h + m d, I + (2 h.d + m d.d) 1 - h d^T - d h^T - m d d^T)."""
    g = add(h, scale(m, d))
    s = dot(h, d) + dot(g, d)
    return (
        g,
        (
            inertia[0] + s - (h[0] * d[0] + d[0] * g[0]),
            inertia[1] - (h[0] * d[1] + d[0] * g[1]),
            inertia[2] - (h[0] * d[2] + d[0] * g[2]),
            inertia[3] + s - (h[1] * d[1] + d[1] * g[1]),
            inertia[4] - (h[1] * d[2] + d[1] * g[2]),
            inertia[5] + s - (h[2] * d[2] + d[2] * g[2]),
        ),
    )


@portable
def composite_inertias(frames, constants, poses, composites):
    """Inertia of each frame together with all that it carries (Ali 2011, (3.23)), about its origin, axes of F0.

    ``poses`` as of :func:`~locodyn.shape.kinematics.frame_poses` with ``in_world`` = 0; ``composites`` (n, COMPOSITE.size). A
    slice of a rod stands for itself and what is attached to it, not for the slices after it: the frame that carries the rod
    gets them all.
    """
    n = frames.shape[0]
    for k in range(n):
        m, h, inertia = load_inertia(constants, k)
        r = load9(poses, k, ROTATION)
        composites[k, COMPOSITE.mass] = m
        store3(composites, k, COMPOSITE.moment, rotate(r, h))
        store6(composites, k, COMPOSITE.inertia, transform_symmetric(r, inertia))
    for k in range(n - 1, 0, -1):
        parent = frames[k, ROOT]
        d = subtract(load3(poses, k, POSITION), load3(poses, parent, POSITION))
        m = composites[k, COMPOSITE.mass]
        h, inertia = shifted(m, load3(composites, k, COMPOSITE.moment), load6(composites, k, COMPOSITE.inertia), d)
        composites[parent, COMPOSITE.mass] = composites[parent, COMPOSITE.mass] + m
        increase3(composites, parent, COMPOSITE.moment, h)
        for j in range(6):
            composites[parent, COMPOSITE.inertia + j] = composites[parent, COMPOSITE.inertia + j] + inertia[j]


@portable(inline=True)
def mass_matrix(frames, constants, dofs, dof_constants, poses, composites, matrix):
    """M(r), (nv, nv), symmetric: kinetic energy = 1/2 v^T M v. Armature included.

    Rows and columns of the reference joint come first: M = [[M0, Mr], [Mr^T, m]] (Ali 2011, 2.12).
    """
    composite_inertias(frames, constants, poses, composites)
    fill(matrix, lit(poses[0, 0], 0.0))
    for k in range(frames.shape[0]):
        first = frames[k, FIRST_V]
        m = composites[k, COMPOSITE.mass]
        h = load3(composites, k, COMPOSITE.moment)
        inertia = load6(composites, k, COMPOSITE.inertia)
        for i in range(first, first + frames[k, COUNT_V]):
            e = axis_vector(poses, k, dofs[i, DOF_AXIS])
            # Momentum of the composite body for a unit rate of coordinate i, about the origin of frame k.
            f, n = momentum(m, h, inertia, scale(dof_constants[i, LINEAR], e), scale(dof_constants[i, ANGULAR], e))
            for j in range(first, i + 1):
                matrix[i, j] = along(dofs, dof_constants, poses, k, j, f, n)
                matrix[j, i] = matrix[i, j]
            matrix[i, i] = matrix[i, i] + dof_constants[i, DOF_ARMATURE]
            # The same momentum about the origins of the ancestors, along their axes.
            p = load3(poses, k, POSITION)
            c = frames[k, PARENT]
            while c >= 0:
                pc = load3(poses, c, POSITION)
                n = add(n, cross(subtract(p, pc), f))
                p = pc
                for j in range(frames[c, FIRST_V], frames[c, FIRST_V] + frames[c, COUNT_V]):
                    matrix[i, j] = along(dofs, dof_constants, poses, c, j, f, n)
                    matrix[j, i] = matrix[i, j]
                c = frames[c, PARENT]


@portable(late=())
def mass_matrix_with_rods(frames, constants, dof_constants, poses, composites, columns, matrix):
    """M(r), (nv, nv), of a robot with rods: sum of X_k^T I_k X_k over the slices of each rod, composite bodies for the rest.

    ``columns`` as of :func:`~locodyn.shape.columns.frame_columns` for the same ``poses``; their second half is overwritten.
    The fluid that frames move along is included.
    """
    composite_inertias(frames, constants, poses, composites)
    fill(matrix, lit(poses[0, 0], 0.0))
    for k in range(frames.shape[0]):
        first = frames[k, FIRST_V]
        row = frames[k, FIRST_COLUMN]
        count = frames[k, COUNT_V]
        m = composites[k, COMPOSITE.mass]
        h, inertia = shifted(
            m, load3(composites, k, COMPOSITE.moment), load6(composites, k, COMPOSITE.inertia), load3(poses, k, POSITION)
        )
        for i in range(count):
            x = load3(columns, row + i, COLUMN)
            w = load3(columns, row + i, COLUMN + 3)
            f, n = momentum(m, h, inertia, x, w)
            for j in range(i + 1):
                entry = dot(load3(columns, row + j, COLUMN), f) + dot(load3(columns, row + j, COLUMN + 3), n)
                matrix[first + i, first + j] = matrix[first + i, first + j] + entry
            # Momentum for a unit rate of coordinate i: of a rod, the sum over its slices.
            if frames[k, PARENT] != frames[k, ROOT]:
                before = frames[frames[k, PARENT], FIRST_COLUMN] + i
                f = add(f, load3(columns, before, MOMENTUM))
                n = add(n, load3(columns, before, MOMENTUM + 3))
            store3(columns, row + i, MOMENTUM, f)
            store3(columns, row + i, MOMENTUM + 3, n)
        # Coupling with the joints that carry this one; a rod does it with its last slice, when its momentum is complete.
        if k + 1 < frames.shape[0] and frames[k + 1, CODE] == ROD and frames[k + 1, FIRST_V] == first:
            continue
        for i in range(count):
            matrix[first + i, first + i] = matrix[first + i, first + i] + dof_constants[first + i, DOF_ARMATURE]
            f = load3(columns, row + i, MOMENTUM)
            n = load3(columns, row + i, MOMENTUM + 3)
            c = frames[k, ROOT]
            while c >= 0:
                for j in range(frames[c, COUNT_V]):
                    before = frames[c, FIRST_COLUMN] + j
                    entry = dot(load3(columns, before, COLUMN), f) + dot(load3(columns, before, COLUMN + 3), n)
                    matrix[first + i, frames[c, FIRST_V] + j] = entry
                    matrix[frames[c, FIRST_V] + j, first + i] = entry
                c = frames[c, ROOT]
            for j in range(i):
                matrix[first + j, first + i] = matrix[first + i, first + j]
    if moves_fluid(frames):
        add_fluid_mass(frames, constants, poses, columns, COLUMN, matrix)


@portable(inline=True)
def along(dofs, dof_constants, poses, k, j, f, n):
    """S_j^T (f; n) for coordinate j of frame k, all in the axes of the poses."""
    e = axis_vector(poses, k, dofs[j, DOF_AXIS])
    return dof_constants[j, LINEAR] * dot(e, f) + dof_constants[j, ANGULAR] * dot(e, n)


@portable
def moves_fluid(frames):
    """True when some frame moves fluid along: composite bodies are then no rigid bodies."""
    for k in range(frames.shape[0]):
        if frames[k, FLUID] != 0:
            return True
    return False


@portable(late=())
def mass_matrix_by_columns(frames, constants, q, zero, no_gravity, no_wrench, unit, work, matrix):
    """M(r), column by column from inverse dynamics at rest: for robots in a fluid, O(n^2).

    ``zero``, ``unit`` (nv,) and ``no_gravity`` (3,) are zeros, ``no_wrench`` (0, 6); ``work`` of inverse dynamics.
    """
    for i in range(matrix.shape[0]):
        unit[i] = lit(q[0], 1.0)
        inverse_dynamics(frames, constants, no_gravity, q, zero, unit, no_wrench, work, matrix[i])
        unit[i] = lit(q[0], 0.0)
