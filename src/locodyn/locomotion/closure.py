"""Positions on holonomic rows: loops that close, surfaces that stay on their planes, couplings, by Newton's method.

Robots in lanes need it for different times. Those that are closed wait for the others where they are.
"""

from __future__ import annotations

from locodyn.kernel import compiled, lit, select_lt
from locodyn.kernel.agreement import (
    anywhere_at_most,
    at_most,
    everywhere_at_most,
    larger,
    less,
    magnitude,
    picked,
    where_at_most,
)
from locodyn.locomotion.row_factors import factor_rows, forget_gone, pivot_ratio, step_of_rows
from locodyn.locomotion.row_jacobian import rod_columns, rows_at
from locodyn.shape.configuration import moved_configuration
from locodyn.world.rod_places import are_there

MOST_ITERATIONS = 20
ROUND_OFF = 1e-15  # of lengths, in the closure of loops
WELL = 0.1  # last over first pivot: rows of loops that are far from losing rank
NEAR = 1e-7  # residual (m, rad) whose square is round-off


@compiled(called=True, lanes=True)
def move_free(problem, rows, change, q):
    """Move q by ``change`` (|E|,) of the free coordinates, in place."""
    shift = rows.projection.shift
    for i in range(shift.shape[0]):
        shift[i] = 0.0
    for e in range(rows.free.shape[0]):
        shift[rows.free[e]] = change[e]
    moved_configuration(problem.frames, q, shift, q)


@compiled(lanes=True)
def keep_place(rows, q):
    """Note the configuration q, for :func:`put_back`."""
    for i in range(q.shape[0]):
        rows.projection.place[i] = q[i]


@compiled(lanes=True)
def put_back(rows, a, b, q):
    """Robots in lanes with a <= b go back to the configuration that was noted last."""
    for i in range(q.shape[0]):
        q[i] = where_at_most(a, b, rows.projection.place[i], q[i])


@compiled(called=True, lanes=True)
def project_position(problem, rows, inputs, q, v, work):
    """Newton on the holonomic rows: coordinates in E move until the residuals vanish; returns the largest residual left."""
    holonomic = rows.holonomic
    defect = rows.projection.defect
    change = rows.projection.step
    closed = rows.position_tolerance
    worst = lit(q[0], 0.0)
    for _ in range(MOST_ITERATIONS):
        rows_at(problem, rows, inputs, q, v, work)
        forget_gone(rows.rod_contacts, rows)
        rod_columns(problem, rows, q, work.poses)
        worst = lit(q[0], 0.0)
        for j in range(holonomic.shape[0]):
            defect[j] = -rows.residual[holonomic[j]]
            worst = larger(worst, magnitude(defect[j]))
        settled = rows.settled_holonomic_rank
        if settled > 0 and everywhere_at_most(worst, closed):
            return worst
        rank = factor_rows(rows.paths, problem, rows, work.poses, holonomic, settled, rows.settled_order[:0])
        if settled == 0 and at_most(worst, closed):
            rows.settled_holonomic_rank = rank
            return worst
        if are_there(rows.rod_contacts):
            met = lit(worst, 0.0)  # of the independent rows: those beyond them agree to the error of slices only
            for j in range(rank):
                met = larger(met, magnitude(picked(defect, rows.factors.order[j])))
            if at_most(met, closed):
                rows.settled_holonomic_rank = rank
                return worst
        missed = magnitude(step_of_rows(rows.paths, rows, holonomic, rank, defect, change))
        some = settled > 0 and anywhere_at_most(worst, closed)  # robots in lanes
        if some:
            keep_place(rows, q)
        move_free(problem, rows, change, q)
        if some:  # are closed already, and wait for others
            put_back(rows, worst, closed, q)
            missed = where_at_most(worst, closed, lit(worst, 0.0), missed)
        if settled > 0 and less(where_at_most(worst, closed, lit(worst, 0.0), worst), NEAR) and at_most(missed, closed):
            # What Newton leaves of so small a residual: not worth another look.
            return where_at_most(worst, closed, worst, worst * worst)
    return worst


@compiled(called=True, lanes=True)
def polish_position(problem, rows, rank, left, q):
    """One correction more of a configuration that is closed to its tolerance, by the factors that its velocity has just left.

    ``left`` of the closure is then its round-off, not the sum of those of all steps. It matters where a loop comes near a
    position at which its rows lose rank: a residual c turns into accelerations that grow as c over the cube of the distance.
    """
    open_yet = where_at_most(left, ROUND_OFF * rows.length, lit(left, 0.0), lit(left, 1.0))
    open_yet = where_at_most(left, rows.position_tolerance, open_yet, lit(left, 0.0))
    open_yet = select_lt(lit(left, WELL), pivot_ratio(rows.paths, rows, rank), open_yet, lit(left, 0.0))
    if anywhere_at_most(1.0, open_yet):
        defect = rows.projection.defect
        change = rows.projection.step
        for j in range(rows.active.shape[0]):
            defect[j] = -rows.residual[rows.active[j]]
        step_of_rows(rows.paths, rows, rows.active, rank, defect, change)
        keep_place(rows, q)
        move_free(problem, rows, change, q)
        put_back(rows, open_yet, 0.0, q)
