"""The mass matrix of a tree and its factor, M = L^T L, with entries between ancestors only (Featherstone 2005).

``up`` (e,) tells for each free coordinate the next one on the way to the root, or -1.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.mass_matrix import composite_inertias
from locodyn.kernel import compiled, sqrt
from locodyn.locomotion.row_jacobian import add_mass, mass_of_all


@compiled
def rigid_mass(problem, rows, up, poses):
    """Entries between ancestors, of a robot without rods."""
    mass = rows.dynamics.mass
    composite_inertias(problem.frames, problem.constants, poses, rows.dynamics.composites)
    for e in range(up.shape[0]):
        i = e
        while i >= 0:
            mass[e, i] = 0.0
            i = up[i]
    for e in range(up.shape[0]):
        add_mass(problem, rows, poses, e)


@compiled
def mass_with_rods(problem, rows, up, q, poses):
    """Entries between ancestors, of a robot with rods."""
    mass, full, free = rows.dynamics.mass, rows.dynamics.full_mass, rows.free
    mass_of_all(problem, rows, q, poses)
    for e in range(up.shape[0]):
        i = e
        while i >= 0:
            mass[e, i] = full[free[e], free[i]]
            i = up[i]


@compiled(called=True)
def factor_mass(problem, rows, up, q, poses):
    """M = L^T L of the free coordinates, entries between ancestors only, in ``dynamics.mass``."""
    mass = rows.dynamics.mass
    n = up.shape[0]
    if has_rods(problem.constants):
        mass_with_rods(problem, rows, up, q, poses)
    else:
        rigid_mass(problem, rows, up, poses)
    for e in range(n - 1, -1, -1):
        mass[e, e] = sqrt(mass[e, e])
        i = up[e]
        while i >= 0:
            mass[e, i] /= mass[e, e]
            i = up[i]
        i = up[e]
        while i >= 0:
            j = i
            while j >= 0:
                mass[i, j] -= mass[e, i] * mass[e, j]
                j = up[j]
            i = up[i]


@compiled(called=True)
def towards_root(mass, up, x):
    """x = L^-T x."""
    for e in range(x.shape[0] - 1, -1, -1):
        x[e] /= mass[e, e]
        i = up[e]
        while i >= 0:
            x[i] -= mass[e, i] * x[e]
            i = up[i]


@compiled(called=True)
def towards_tips(mass, up, x):
    """x = L^-1 x."""
    for e in range(x.shape[0]):
        i = up[e]
        while i >= 0:
            x[e] -= mass[e, i] * x[i]
            i = up[i]
        x[e] /= mass[e, e]
