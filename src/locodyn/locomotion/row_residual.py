"""Constraint rows in the residual of the equation of motion: their forces as wrenches, what they miss, their exact tangent.

Implicit steps and statics solve r(t, q, v, a) - J(q)^T lambda = 0 with Phi(q) = 0 (holonomic rows) or J(q) v = b(t) (all rows).
A multiplier times the cotwists of its row is a wrench on the frames of the row: so the residual needs no Jacobian. How J^T lambda
changes with q has two parts: that of wrenches fixed in their frames, which the derivatives of inverse dynamics give, and the
change of the cotwists, which the rows know as their rates along a velocity (Gotelli 2024, (3.53)-(3.56), for any row).
"""

from __future__ import annotations

from locodyn.kernel import kernel, routine
from locodyn.kernel.handle import float_table, floats, integer_table, integers
from locodyn.locomotion.arrays import Inputs
from locodyn.locomotion.fields import (
    ACTIVE_AT,
    COTWISTS_AT,
    DATA_AT,
    FREE_AT,
    JACOBIAN_AT,
    PLACE_AT,
    ROWS_AT,
    SIDES_AT,
    UNIT_AT,
    UNITS_AT,
    ZERO_AT,
)
from locodyn.locomotion.multipliers import apply_known
from locodyn.locomotion.row_jacobian import add_row, row_speed
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.kinematics import frame_motions, frame_poses
from locodyn.world.rows import (
    COEFFICIENT,
    COORDINATE,
    FLAGS,
    FRAME,
    HOLONOMIC,
    KIND,
    OTHER,
    POINT,
    RATE_A,
    RATE_B,
    RESIDUAL,
    SIDE,
    TURN,
    W_A,
    W_B,
    fill_rows,
)

_SHIFT = 6.0e-6  # of a coordinate of 1, in central differences


@routine
def rows_at(p, c, inputs, q, v, w):
    """Poses and motions of the frames at (q, v), without accelerations, and the rows there."""
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    frame_motions(p.frames, p.constants, q, v, floats(c, ZERO_AT), w.motions)
    fill_rows(
        integer_table(c, ROWS_AT), float_table(c, DATA_AT), inputs.rows, w.poses, w.motions, float_table(c, COTWISTS_AT),
        float_table(c, SIDES_AT),
    )  # fmt: skip


@kernel
def row_gaps(c, positions, motions, v, gaps):
    """What the active rows miss into ``gaps`` (active,): Phi of holonomic rows if ``positions``, J v - b of the others."""
    rows = integer_table(c, ROWS_AT)
    active = integers(c, ACTIVE_AT)
    sides = float_table(c, SIDES_AT)
    for j in range(active.shape[0]):
        m = active[j]
        if positions and rows[m, FLAGS] & HOLONOMIC:
            gaps[j] = sides[m, RESIDUAL]
        else:
            gaps[j] = row_speed(c, motions, m, v) - sides[m, SIDE]


@kernel
def row_loads(c, wrenches, multipliers, loads):
    """``loads`` (nf, 6) = ``wrenches`` (nf, 6) or (0, 6), forces that are given (driven wheels), multipliers (m,) of the rows."""
    rows = integer_table(c, ROWS_AT)
    cotwists = float_table(c, COTWISTS_AT)
    for k in range(loads.shape[0]):
        for i in range(6):
            loads[k, i] = wrenches[k, i] if wrenches.shape[0] > 0 else 0.0
    apply_known(c, loads)
    for m in range(rows.shape[0]):
        k = rows[m, FRAME]
        other = rows[m, OTHER]
        for i in range(6):
            if k >= 0:
                loads[k, i] += multipliers[m] * cotwists[m, W_A + i]
            if other >= 0:
                loads[other, i] += multipliers[m] * cotwists[m, W_B + i]


@kernel
def take_coordinate_forces(c, multipliers, residual):
    """Subtract what multipliers (m,) do directly along a coordinate (a wheel that is a body) from ``residual`` (nv,)."""
    rows = integer_table(c, ROWS_AT)
    data = float_table(c, DATA_AT)
    place = integers(c, PLACE_AT)
    for m in range(rows.shape[0]):
        i = rows[m, COORDINATE]
        if i >= 0 and place[i] >= 0:
            residual[i] -= multipliers[m] * data[m, COEFFICIENT]


@kernel
def with_loads(inputs, loads):
    """The inputs with these wrenches (nf, 6) on the frames."""
    return Inputs(inputs.motion, inputs.command, loads, inputs.rows, inputs.strands)


@routine
def add_row_geometry(p, c, inputs, q, multipliers, w, by_q):
    """by_q -= the change of J^T lambda with q that comes from the cotwists, column by column; exact.

    ``w.poses`` and the columns of rods (:func:`~locodyn.locomotion.row_jacobian.rod_columns`) are those at q. Rows, motions
    and Jacobian are left changed.
    """
    rows = integer_table(c, ROWS_AT)
    free = integers(c, FREE_AT)
    jacobian = float_table(c, JACOBIAN_AT)
    unit = floats(c, UNIT_AT)
    bends = False
    for m in range(rows.shape[0]):
        bends = bends or (rows[m, KIND] != POINT and rows[m, KIND] != TURN and multipliers[m] != 0.0)
    if not bends:  # cotwists of wheels are fixed in their frames
        return
    for e in range(free.shape[0]):
        i = free[e]
        unit[i] = 1.0
        frame_motions(p.frames, p.constants, q, unit, floats(c, ZERO_AT), w.motions)
        unit[i] = 0.0
        fill_rows(
            rows, float_table(c, DATA_AT), inputs.rows, w.poses, w.motions, float_table(c, COTWISTS_AT), float_table(c, SIDES_AT)
        )
        for m in range(rows.shape[0]):
            if rows[m, KIND] == POINT or rows[m, KIND] == TURN or multipliers[m] == 0.0:
                continue
            for g in range(free.shape[0]):
                jacobian[m, g] = 0.0
            add_row(p, c, w.poses, m, rows[m, FRAME], RATE_A)
            add_row(p, c, w.poses, m, rows[m, OTHER], RATE_B)
            for g in range(free.shape[0]):
                by_q[free[g], i] -= multipliers[m] * jacobian[m, g]


@routine
def row_slopes(p, c, inputs, q, v, w, shift, moved, gaps, slopes):
    """``slopes`` (active, nv): the change of J v with the configuration at fixed v, by central differences.

    ``shift`` (nv,), ``moved`` (nq,), ``gaps`` (active,): scratch. Rows, poses and motions are left changed.
    """
    free = integers(c, FREE_AT)
    units = floats(c, UNITS_AT)
    for i in range(v.shape[0]):
        shift[i] = 0.0
    for e in range(free.shape[0]):
        i = free[e]
        for j in range(slopes.shape[0]):
            slopes[j, i] = 0.0
        for side in range(2):
            sign = 1.0 - 2.0 * side
            shift[i] = sign * _SHIFT * units[e]
            moved_configuration(p.frames, q, shift, moved)
            rows_at(p, c, inputs, moved, v, w)
            row_gaps(c, False, w.motions, v, gaps)
            for j in range(slopes.shape[0]):
                slopes[j, i] += 0.5 * sign * gaps[j] / (_SHIFT * units[e])
        shift[i] = 0.0
