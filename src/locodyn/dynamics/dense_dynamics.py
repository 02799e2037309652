"""Forward and hybrid dynamics of robots with rods: the mass matrix, factored.

The coordinates of a rod move all its slices at once, so that the O(n) elimination of :mod:`locodyn.dynamics.forward_dynamics`
does not apply; there are few of them, and M_ff a_f = tau_f - bias_f is solved by L D L^T.
"""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.mass_matrix import mass_matrix_with_rods
from locodyn.kernel import lit, portable
from locodyn.robot.layout import CONSTANT_COLUMNS
from locodyn.shape.columns import frame_columns
from locodyn.shape.kinematics import frame_poses


@portable
def has_rods(constants):
    """True for the constants of a robot with rods: no other has columns beyond the common ones."""
    return constants.shape[1] > CONSTANT_COLUMNS


@portable
def factor(m):
    """M = L D L^T in place: L below the diagonal, 1/D on it. No choice depends on data, so that it runs on lanes and symbols."""
    n = m.shape[0]
    for j in range(n):
        d = m[j, j]
        for k in range(j):
            d = d - m[j, k] * m[j, k] * m[k, k]  # row j holds L D, the diagonal 1/D
        m[j, j] = lit(d, 1.0) / d
        for i in range(j + 1, n):
            total = m[i, j]
            for k in range(j):
                total = total - m[i, k] * m[j, k] * m[k, k]
            m[i, j] = total


@portable
def solve_factored(m, b):
    """b = M^-1 b for the factors of :func:`factor`."""
    n = m.shape[0]
    for i in range(n):
        total = b[i]
        for k in range(i):
            total = total - m[i, k] * m[k, k] * b[k]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total = total - m[k, i] * b[k]
        b[i] = total * m[i, i]


@portable(late=())
def dense_dynamics(
    frames,
    constants,
    dofs,
    dof_constants,
    gravity,
    imposed,
    q,
    v,
    wrenches,
    work,
    poses,
    composites,
    columns,
    matrix,
    rest,
    a,
    tau,
):
    """:func:`~locodyn.dynamics.forward_dynamics.hybrid_dynamics` for robots with rods.

    Parameters as there, and workspace: ``work`` (n, ROD_WORK.size) of inverse dynamics, ``poses`` (n, 12),
    ``composites`` (n, COMPOSITE.size), ``columns`` (number of columns, COLUMNS), ``matrix`` (nv, nv), ``rest`` (nv,).
    """
    mixed = imposed.shape[0] > 0
    nv = v.shape[0]
    frame_poses(frames, constants, q, 0, poses)
    frame_columns(frames, constants, dofs, dof_constants, q, poses, columns)
    mass_matrix_with_rods(frames, constants, dof_constants, poses, composites, columns, matrix)
    for i in range(nv):
        if not (mixed and imposed[i] != 0):
            a[i] = lit(q[0], 0.0)
    inverse_dynamics(frames, constants, gravity, q, v, a, wrenches, work, rest)
    for i in range(nv):
        if mixed and imposed[i] != 0:
            continue
        a[i] = tau[i] - rest[i]
    # Imposed coordinates: their rows stay for the forces, in the part above the diagonal; below it they are decoupled.
    if mixed:
        for i in range(nv):
            for j in range(i + 1):
                if imposed[i] != 0 or imposed[j] != 0:
                    matrix[i, j] = lit(q[0], 1.0) if i == j else lit(q[0], 0.0)
    factor(matrix)
    solve_factored(matrix, a)
    if mixed:
        for i in range(nv):
            if imposed[i] != 0:
                total = rest[i]
                for j in range(nv):
                    if imposed[j] == 0:
                        total = total + matrix[min(i, j), max(i, j)] * a[j]
                tau[i] = total
