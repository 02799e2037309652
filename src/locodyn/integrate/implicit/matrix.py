"""The matrix of Newton's method in implicit steps: its blocks with the active rows, and their factors.

With K, C, M the derivatives of the residual, J the active rows and mu an eigenvalue of the scheme, a block is

    [ M b0 + h C b1 + h^2 K b2    -J^T ] [ accelerations ]   [ -residual            ]
    [ J                             0  ] [ multipliers   ] = [ -Phi / (h^2 b2)  or  -(J v - b) / (h b1) ]

with (b0, b1, b2) = (1, mu, mu^2) for collocation. Divided by powers of the step, the rows do not depend on it (Bottasso, Bauchau
and Cardona 2007; Gotelli 2024); besides, coordinates are scaled to a unit diagonal and rows to unit length. Rows that depend on
others (a pin in a planar robot) are left out: a rank-revealing factorisation at the beginning of the step, where positions are on
the rows, chooses.
"""

from __future__ import annotations

from locodyn.dynamics.strands import strand_tension
from locodyn.integrate.implicit.lanes import pack_factors
from locodyn.integrate.implicit.scratch import (
    AGE,
    END,
    EXACT,
    FACTORED_STEP,
    FLOOR,
    FORCES,
    MATRICES,
    PAIR_SCALE,
    PASSIVE,
    REAL_SCALE,
    RIGHT,
    WEIGHT,
)
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.dense import lu_factor
from locodyn.locomotion.constrained import factor_kinematics
from locodyn.locomotion.residual import motion_tangent
from locodyn.locomotion.rhs import applied_forces
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import add_row_geometry, row_slopes, with_loads
from locodyn.robot.layout import MASS
from locodyn.world.rows import FLAGS, HOLONOMIC

_ROUND_OFF = 1e-14  # of coordinates, in their units


@routine
def choose_rows(p, c, inputs, q, w, s):
    """Independent rows at the configuration q."""
    active = c.active
    order = c.factors.order
    rows_at(p, c, inputs, q, c.zero, w)
    rod_columns(p, c, q, w.poses)
    rank = factor_kinematics(p, c, w.poses, active, c.settled_rank, c.settled_order)
    for j in range(active.shape[0]):
        s.chosen[j] = 0
    for j in range(rank):
        s.chosen[order[j]] = 1


@kernel
def add_rows_to(c, s, scales, n, ratio, held, matrix):
    """The scaled rows, below and beside the block of the coordinates; a unit for those that are not chosen.

    Rows that are held by velocities change with the configuration too: ``ratio`` (h b2 / b1) times their slopes. ``held``:
    holonomic rows are held by positions.
    """
    active = c.active
    free = c.free
    rows = c.table
    jacobian = c.jacobian
    for j in range(active.shape[0]):
        for i in range(matrix.shape[0]):
            matrix[n + j, i] = 0.0
            matrix[i, n + j] = 0.0
        size = 0.0
        for e in range(free.shape[0]):
            entry = jacobian[active[j], e] * scales[free[e]]
            size += entry * entry
        if s.chosen[j] == 0 or size == 0.0:
            scales[n + j] = 0.0
            matrix[n + j, n + j] = 1.0
            continue
        scales[n + j] = 1.0 / sqrt(size)
        positions = held and rows[active[j], FLAGS] & HOLONOMIC
        for e in range(free.shape[0]):
            scale = scales[n + j] * scales[free[e]]
            matrix[free[e], n + j] = -scale * jacobian[active[j], e]
            matrix[n + j, free[e]] = scale * jacobian[active[j], e]
            if not positions:
                matrix[n + j, free[e]] += scale * ratio * s.slopes[j, free[e]]


@kernel
def fill_block(t, h, factors, scales, matrix):
    """matrix = b0 M + h b1 C + h^2 b2 K for the factors (b0, b1, b2), scaled to a diagonal of about 1."""
    n = t.by_a.shape[0]
    b0 = factors[0]
    b1 = h * factors[1]
    b2 = h * h * factors[2]
    largest = 0.0
    for i in range(n):
        size = abs(b0) * abs(t.by_a[i, i]) + abs(b1) * abs(t.by_v[i, i]) + abs(b2) * abs(t.by_q[i, i])
        scales[i] = size
        largest = max(largest, size)
    for i in range(n):
        scales[i] = 1.0 / sqrt(max(scales[i], 1e-14 * largest, 1e-300))
    for i in range(n):
        for j in range(n):
            entry = b0 * t.by_a[i, j] + b1 * t.by_v[i, j] + b2 * t.by_q[i, j]
            matrix[i, j] = entry * (scales[i] * scales[j])


@kernel
def tangent_with_rows(constraints, p, inputs, q, w, s, exact):
    """M, C, K at the state in the workspace; with rows also their Jacobian, and the change of their forces in K if ``exact``."""
    t = s.tangent
    if constraints is None:
        motion_tangent(p, inputs, s.stage_q, s.stage_v, s.stage_a, w, t, 1.0, exact)
        return
    motion_tangent(p, with_loads(inputs, s.loads), s.stage_q, s.stage_v, s.stage_a, w, t, 1.0, exact)
    choose_rows(p, constraints, inputs, q, w, s)
    rows_at(p, constraints, inputs, s.stage_q, s.stage_v, w)
    rod_columns(p, constraints, s.stage_q, w.poses)
    if exact != 0:
        add_row_geometry(p, constraints, inputs, s.stage_q, s.multipliers[s.unknown.shape[0] - 1], w, t.by_q)
        row_slopes(p, constraints, inputs, s.stage_q, s.stage_v, w, s.vectors[END], s.moved_q, s.long_vectors[RIGHT], s.slopes)
        rows_at(p, constraints, inputs, s.stage_q, s.stage_v, w)
    row_jacobian(p, constraints, w.poses)


@kernel
def add_rows(constraints, s, scales, n, ratio, matrix):
    """:func:`add_rows_to` where there are rows."""
    if constraints is not None:
        add_rows_to(constraints, s, scales, n, ratio, s.unknown.shape[0] == 1, matrix)


@kernel
def position_round_off(constraints, s, factor):
    """Acceleration that moves coordinates by their round-off, in the norm of the mass matrix: rows cannot ask for less."""
    total = 0.0
    if constraints is not None:
        free = constraints.free
        units = constraints.units
        for e in range(free.shape[0]):
            total += (s.vectors[WEIGHT, free[e]] * units[e]) ** 2
    return _ROUND_OFF * sqrt(total) / factor


@routine
def make_matrix(p, c, inputs, h, q, w, s):
    """Tangent at the state in the workspace, blocks of Newton's matrix, factors; q is the configuration at the beginning."""
    t = s.tangent
    tangent_with_rows(p.constraints, p, inputs, q, w, s, 1 if s.status[EXACT] > 0.0 else 0)
    n = s.stage_v.shape[0]
    for i in range(n):
        s.vectors[WEIGHT, i] = sqrt(abs(t.by_a[i, i]))
    s.status[FLOOR] = 0.0
    if c.real.shape[0] > 0:
        fill_block(t, h, c.real[0], s.long_vectors[REAL_SCALE], s.real_matrix)
        add_rows(p.constraints, s, s.long_vectors[REAL_SCALE], n, h * c.real[0, 2] / c.real[0, 1], s.real_matrix)
        lu_factor(s.real_matrix, s.real_pivots)
        s.status[FLOOR] = position_round_off(p.constraints, s, h * h * c.real[0, 2])
    if c.pair.shape[0] > 0:
        fill_block(t, h, c.pair[0], s.long_vectors[PAIR_SCALE], s.pair_matrix)
        add_rows(p.constraints, s, s.long_vectors[PAIR_SCALE], n, h * c.pair[0, 2] / c.pair[0, 1], s.pair_matrix)
        lu_factor(s.pair_matrix, s.pair_pivots)
        if s.lanes.shape[1] > 0:
            pack_factors(c, s)
    # Accelerations that the forces at the beginning of the step would make if nothing held them: at rest they tell what is
    # round-off. Not those at the stage: a first guess may be far off.
    mass = 0.0
    for k in range(p.frames.shape[0]):
        mass += p.constants[k, MASS]
    fall = p.gravity[0] * p.gravity[0] + p.gravity[1] * p.gravity[1] + p.gravity[2] * p.gravity[2]
    rest = s.vectors[END]
    forces = s.vectors[PASSIVE]
    for i in range(n):
        rest[i] = 0.0
    applied_forces(p, inputs, q, rest, forces)
    total = 0.0
    for i in range(n):
        if t.by_a[i, i] > 0.0:
            total += forces[i] * forces[i] / t.by_a[i, i]
    pull = 0.0  # strands may balance each other: their sum is then round-off itself
    for row in range(p.strands.shape[0]):
        pull += abs(strand_tension(p.dofs, p.strands, p.strand_constants, p.strand_points, row, inputs.strands[row], s.stage_q))
    s.status[FORCES] = sqrt(mass * fall) + sqrt(total) + (pull / sqrt(mass) if mass > 0.0 else 0.0)
    s.status[AGE] = 0.0
    s.status[FACTORED_STEP] = h
    s.status[MATRICES] += 1.0
