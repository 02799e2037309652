"""The matrix of Newton's method in implicit steps: its blocks with the active rows, and their factors.

With K, C, M the derivatives of the residual, J the active rows and mu an eigenvalue of the scheme, a block is

    [ M b0 + h C b1 + h^2 K b2    -J^T ] [ accelerations ]   [ -residual            ]
    [ J                             0  ] [ multipliers   ] = [ -Phi / (h^2 b2)  or  -(J v - b) / (h b1) ]

with (b0, b1, b2) = (1, mu, mu^2) for collocation. Divided by powers of the step, the rows do not depend on it (Bottasso, Bauchau
and Cardona 2007; Gotelli 2024); besides, coordinates are scaled to a unit diagonal and rows to unit length. Rows that depend on
others (a pin in a planar robot) are left out: a rank-revealing factorisation at the beginning of the step, where positions are on
the rows, chooses. States of laws with memory are taken out (:mod:`locodyn.integrate.implicit.memory`).
"""

from __future__ import annotations

from locodyn.dynamics.strands import strand_tension
from locodyn.integrate.implicit.lanes import pack_factors
from locodyn.integrate.implicit.memory import add_states, invert_blocks, weigh_states
from locodyn.integrate.implicit.sparse import factor_sparse_block, is_sparse, scale_block
from locodyn.integrate.implicit.sparse_rank import choose_independent
from locodyn.integrate.implicit.split import split_rows, split_tangent
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.dense import lu_factor
from locodyn.locomotion.residual import motion_tangent
from locodyn.locomotion.rhs import applied_forces
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_residual import add_row_geometry, row_slopes
from locodyn.robot.layout import MASS
from locodyn.world.rows import HOLONOMIC

_ROUND_OFF = 1e-14  # of coordinates, in their units


@compiled
def add_rows_to(rows, chosen, slopes, scales, n, ratio, held, matrix):
    """The scaled rows, below and beside the block of the coordinates; a unit for those that are not chosen.

    Rows that are held by velocities change with the configuration too: ``ratio`` (h b2 / b1) times their slopes. ``held``:
    holonomic rows are held by positions.
    """
    active = rows.active
    free = rows.free
    jacobian = rows.jacobian
    for j in range(active.shape[0]):
        for i in range(matrix.shape[0]):
            matrix[n + j, i] = 0.0
            matrix[i, n + j] = 0.0
        size = 0.0
        for e in range(free.shape[0]):
            entry = jacobian[active[j], e] * scales[free[e]]
            size += entry * entry
        if chosen[j] == 0 or size == 0.0:
            scales[n + j] = 0.0
            matrix[n + j, n + j] = 1.0
            continue
        scales[n + j] = 1.0 / sqrt(size)
        positions = held and rows.flags[active[j]] & HOLONOMIC
        for e in range(free.shape[0]):
            scale = scales[n + j] * scales[free[e]]
            matrix[free[e], n + j] = -scale * jacobian[active[j], e]
            matrix[n + j, free[e]] = scale * jacobian[active[j], e]
            if not positions:
                matrix[n + j, free[e]] += scale * ratio * slopes[j, free[e]]


@compiled
def fill_block(tangent, h, factors, scales, matrix):
    """matrix = b0 M + h b1 C + h^2 b2 K for the factors (b0, b1, b2), scaled to a diagonal of about 1."""
    n = tangent.by_a.shape[0]
    b0 = factors[0]
    b1 = h * factors[1]
    b2 = h * h * factors[2]
    scale_block(tangent, b0, b1, b2, scales)
    for i in range(n):
        for j in range(n):
            entry = b0 * tangent.by_a[i, j] + b1 * tangent.by_v[i, j] + b2 * tangent.by_q[i, j]
            matrix[i, j] = entry * (scales[i] * scales[j])


@compiled
def tangent_with_rows(rows, problem, inputs, q, work, scratch):
    """M, C, K at the state of the stage; with rows also their Jacobian, and the change of their forces in K if exact."""
    tangent, state, matrix = scratch.tangent, scratch.state, scratch.matrix
    if rows is None:
        motion_tangent(problem, inputs, state.q, state.v, state.a, work, tangent, 1.0, matrix.exact)
        return
    motion_tangent(problem, state.loaded, state.q, state.v, state.a, work, tangent, 1.0, matrix.exact)
    choose_independent(problem, rows, inputs, q, work, matrix, scratch.ranks)
    rows_at(problem, rows, inputs, state.q, state.v, work)
    rod_columns(problem, rows, state.q, work.poses)
    if matrix.exact != 0:
        multipliers = scratch.stages.multipliers[scratch.stages.unknown.shape[0] - 1]
        add_row_geometry(problem, rows, inputs, state.q, multipliers, work, tangent.by_q)
        if scratch.stages.unknown.shape[0] > 1 or rows.holonomic.shape[0] < rows.active.shape[0]:  # some are held by velocities
            row_slopes(problem, rows, inputs, state.q, state.v, work, matrix.shift, matrix.moved, matrix.gaps, matrix.slopes)
        rows_at(problem, rows, inputs, state.q, state.v, work)
    row_jacobian(problem, rows, work.poses)


@compiled
def add_rows(rows, matrix, held, scales, n, ratio, block):
    """:func:`add_rows_to` where there are rows."""
    if rows is not None:
        add_rows_to(rows, matrix.chosen, matrix.slopes, scales, n, ratio, held, block)


@compiled
def add_split_rows(rows, problem, matrix, state, n, ratio):
    """:func:`~locodyn.integrate.implicit.split.split_rows` where there are rows."""
    if rows is not None:
        split_rows(problem, rows, state, matrix, matrix.real_scales, n, ratio, matrix.real)


@compiled
def position_round_off(rows, weight, factor):
    """Acceleration that moves coordinates by their round-off, in the norm of the mass matrix: rows cannot ask for less."""
    total = 0.0
    if rows is not None:
        free = rows.free
        units = rows.units
        for e in range(free.shape[0]):
            total += (weight[free[e]] * units[e]) ** 2
    return _ROUND_OFF * sqrt(total) / factor


@compiled
def unheld_accelerations(problem, inputs, q, stage_q, memory, matrix, by_a):
    """Accelerations that the forces at the beginning of the step would make if nothing held them, in the norm of the mass matrix.

    At rest they tell what is round-off. Not those at the stage: a first guess may be far off.
    """
    n = by_a.shape[0]
    mass = 0.0
    for k in range(problem.frames.shape[0]):
        mass += problem.constants[k, MASS]
    gravity = problem.gravity
    fall = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    applied_forces(problem, inputs, q, matrix.rest, memory, matrix.applied)
    total = 0.0
    for i in range(n):
        if by_a[i, i] > 0.0:
            total += matrix.applied[i] * matrix.applied[i] / by_a[i, i]
    pull = 0.0  # strands may balance each other: their sum is then round-off itself
    strands, points = problem.strands, problem.strand_points
    for row in range(strands.shape[0]):
        tension = strand_tension(problem.dofs, strands, problem.strand_constants, points, row, memory.strands[row], stage_q)
        pull += abs(tension)
    return sqrt(mass * fall) + sqrt(total) + (pull / sqrt(mass) if mass > 0.0 else 0.0)


@compiled(inline=True)
def make_real_block(problem, scheme, h, scratch):
    """The block of the real eigenvalue, and its factors."""
    rows, tangent, matrix, scales = problem.rows, scratch.tangent, scratch.matrix, scratch.matrix.real_scales
    n = tangent.by_a.shape[0]
    held = scheme.times.shape[0] == 1
    if is_sparse(scratch.real):
        factor_sparse_block(rows, matrix, tangent, h, scheme.real[0], held, scales, scratch.real)
        return
    b1, b2 = scheme.real[0, 1], scheme.real[0, 2]
    fill_block(tangent, h, scheme.real[0], scales, matrix.real)
    invert_blocks(problem, scheme.real[0], h, tangent.rate_by_z, matrix.memory_order, matrix.real_memory)
    add_states(problem, tangent, scheme.real[0], h, matrix.real_memory, scales, matrix.real)
    add_rows(rows, matrix, held, scales, n, h * b2 / b1, matrix.real)
    if scheme.split != 0:
        add_split_rows(rows, problem, matrix, scratch.state, n, h * b2 / b1)
    lu_factor(matrix.real, matrix.real_pivots)


@compiled(inline=True)
def make_pair_block(problem, scheme, h, scratch):
    """The block of the pair of complex eigenvalues, and its factors."""
    rows, tangent, matrix, scales = problem.rows, scratch.tangent, scratch.matrix, scratch.matrix.pair_scales
    n = tangent.by_a.shape[0]
    held = scheme.times.shape[0] == 1
    if is_sparse(scratch.pair):
        factor_sparse_block(rows, matrix, tangent, h, scheme.pair[0], held, scales, scratch.pair)
        return
    fill_block(tangent, h, scheme.pair[0], scales, matrix.pair)
    invert_blocks(problem, scheme.pair[0], h, tangent.rate_by_z, matrix.memory_order, matrix.pair_memory)
    add_states(problem, tangent, scheme.pair[0], h, matrix.pair_memory, scales, matrix.pair)
    add_rows(rows, matrix, held, scales, n, h * scheme.pair[0, 2] / scheme.pair[0, 1], matrix.pair)
    lu_factor(matrix.pair, matrix.pair_pivots)
    if scratch.lanes.q.shape[0] > 0:
        pack_factors(scheme, matrix, scratch.lanes)


@compiled(called=True)
def make_matrix(problem, scheme, inputs, h, q, work, scratch):
    """Tangent at the state of the stage, blocks of Newton's matrix, factors; q is the configuration at the beginning."""
    rows, tangent, matrix = problem.rows, scratch.tangent, scratch.matrix
    tangent_with_rows(rows, problem, inputs, q, work, scratch)
    if scheme.split != 0:
        split_tangent(problem, scratch.state, tangent)
    for i in range(tangent.by_a.shape[0]):
        matrix.weight[i] = sqrt(abs(tangent.by_a[i, i]))
    weigh_states(tangent, h, matrix.memory_weight)
    matrix.floor = 0.0
    if scheme.real.shape[0] > 0:
        make_real_block(problem, scheme, h, scratch)
        matrix.floor = position_round_off(rows, matrix.weight, h * h * scheme.real[0, 2])
    if scheme.pair.shape[0] > 0:
        make_pair_block(problem, scheme, h, scratch)
    matrix.forces = unheld_accelerations(problem, inputs, q, scratch.state.q, work.memory, matrix, tangent.by_a)
    matrix.age = 0
    matrix.step = h
