"""Workspace of implicit runs, and the entries of their status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locodyn.dynamics import totals
from locodyn.dynamics.inverse_dynamics import work_columns
from locodyn.kernel.lanes import WIDTH, lane_blocks
from locodyn.locomotion.residual import Tangent, new_tangent
from locodyn.robot.layout import CODE, FREE, PLANAR, SPHERICAL
from locodyn.world.rows import LOOP

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

# Entries of the status.
ITERATION, NORM, ETA, AGE, FACTORED_STEP, EXACT, STARTED, LAST_STEP, EVALUATIONS, FORCES = range(10)
GAP, FLOOR, LENGTH, ENERGY, MATRICES, PART, ERROR, SPEED = range(10, 18)
ATTEMPT, STRIDE, NEXT_STRIDE, MADE_HERE, GUESS, EASY_PARTS = range(18, 24)
CURVED = 24  # 1 where some joint turns in space or moves in the plane: its positions are no sums of its velocities
STATUS = 25
# First guesses of schemes that remember accelerations: the same one, no motion, no acceleration.
SAME, STILL, INERTIAL = range(3)
# The correction before, and the one that was just made.
LAST, NEW = range(2)
# Rows of the vectors along coordinates.
PSEUDO, ACCELERATION, WEIGHT, END, PASSIVE = range(5)
VECTORS = 5
# Rows of the vectors along coordinates and rows.
RIGHT, REAL_SCALE, PAIR_SCALE, END_SCALE = range(4)
LONG_VECTORS = 4
# Rows of the stages side by side.
LANE_Q, LANE_V, LANE_A, LANE_TAU, LANE_FORCES, LANE_U, LANE_STATE = range(7)
LANE_VECTORS = 7
# Entries of a balance: linear, then angular momentum (world axes, about the origin), or their rates; power.
POWER = 6
BALANCE = 7
_CURVED = frozenset((FREE, PLANAR, SPHERICAL))


class ImplicitScratch(NamedTuple):
    """Workspace of an implicit run: S stages, nv coordinates, m rows, of which A are active; n = nv + A."""

    tangent: Tangent
    real_matrix: Any  # (n, n)
    pair_matrix: Any  # (n, n) complex
    end_matrix: Any  # (n, n)
    real_pivots: Any
    pair_pivots: Any
    end_pivots: Any
    pair_vector: Any  # (n,) complex
    unknown: Any  # (S, nv) A
    known: Any  # (3 S, nv): U0, V0, a0 of each stage
    position: Any  # (S, nv) U
    velocity: Any  # (S, nv) V
    correction: Any  # (S, nv) of U on groups
    residual: Any  # (S, nv)
    stage_q: Any  # (nq,)
    moved_q: Any  # (nq,)
    stage_v: Any  # (nv,)
    stage_a: Any  # (nv,)
    vectors: Any  # (VECTORS, nv)
    long_vectors: Any  # (LONG_VECTORS, n)
    status: Any  # (STATUS,)
    multipliers: Any  # (S + 1, m) of the stages; at the end of the last step
    gaps: Any  # (S, A) what the active rows miss at the stages
    slopes: Any  # (A, nv) change of J v with the configuration
    turns: Any  # (2, S, nv) corrections of A: LAST, NEW
    row_turns: Any  # (2, S, A) those of multipliers
    chosen: Any  # (A,) int64: 1 for rows that are independent of those chosen before
    loads: Any  # (nf, 6) wrenches of the rows and of functions of the user
    rates: Any  # (S, BALANCE) of energy and momentum at the stages
    momentum: Any  # (6,) that the robot should have
    base: Any  # (1,) int64: 6 or 3 components of momentum that belong to the reference joint, or 0
    totals: Any  # (TOTALS,)
    totals_work: Any  # (nf, WORK)
    lanes: Any  # (LANE_VECTORS, max(nq, nv), WIDTH): the stages side by side; empty where they are taken one by one
    lane_work: Any  # (nf, work_columns, WIDTH)
    lane_scheme: Any  # (3 S + 1, WIDTH) coefficients of the stages
    lane_factors: Any  # (2, nv, nv, WIDTH) of the blocks of Newton's matrix
    lane_order: Any  # (2, nv) int64: order of the rows of the blocks


def implicit_scratch(problem: Problem, stages: int, error: float = 0.0) -> ImplicitScratch:
    """The workspace of a new run, that of the run of this problem before where it fits.

    ``error``: what steps are adapted to, relative, or 0 for steps of one length.
    """
    s = problem.kept.get(stages)
    if s is None:
        s = problem.kept[stages] = _new_scratch(problem, stages)
    for part in (s.status, s.multipliers, s.gaps, s.slopes, s.chosen):
        part.fill(0)
    arrays = problem.constraints.arrays
    s.status[LENGTH] = 0.0 if arrays is None else arrays.length
    s.status[PART], s.status[ERROR] = 1.0, error
    s.status[CURVED] = float(not _CURVED.isdisjoint(problem.model.frames[:, CODE].tolist()))
    return s


def _new_scratch(problem: Problem, stages: int) -> ImplicitScratch:
    """Room for a scheme with so many stages."""
    model, arrays, zeros = problem.model, problem.constraints.arrays, np.zeros
    rows = len(problem.constraints.rows)
    active = 0 if arrays is None else len(arrays.active)
    nq, nv, nf, n = model.nq, model.nv, model.nf, model.nv + active
    whole = np.int64
    return ImplicitScratch(
        new_tangent(model), zeros((n, n)), zeros((n, n), dtype=complex), zeros((n, n)), zeros(n, dtype=whole),
        zeros(n, dtype=whole), zeros(n, dtype=whole), zeros(n, dtype=complex),
        zeros((stages, nv)), zeros((3 * stages, nv)), zeros((stages, nv)), zeros((stages, nv)), zeros((stages, nv)),
        zeros((stages, nv)), zeros(nq), zeros(nq), zeros(nv), zeros(nv), zeros((VECTORS, nv)), zeros((LONG_VECTORS, n)),
        zeros(STATUS), zeros((stages + 1, rows)), zeros((stages, active)), zeros((active, nv)),
        zeros((2, stages, nv)), zeros((2, stages, active)), zeros(active, dtype=np.int64),
        zeros((nf if rows else 0, 6)),
        zeros((stages, BALANCE)), zeros(6), np.array([_moving_base(problem)], dtype=np.int64), zeros(totals.TOTALS),
        zeros((nf, totals.WORK)), *_new_lanes(problem, stages),
    )  # fmt: skip


def _new_lanes(problem: Problem, stages: int) -> tuple[np.ndarray, ...]:
    """Room for the stages side by side in :mod:`locodyn.kernel.lanes`, if there are several and no constraint rows."""
    model, side_by_side = problem.model, 1 < stages <= WIDTH and not problem.constraints.rows
    length, frames, nv = (max(model.nq, model.nv), model.nf, model.nv) if side_by_side else (0, 0, 0)
    return (
        lane_blocks(1, LANE_VECTORS, length)[0], lane_blocks(1, frames, work_columns(model.compiled.has_rods))[0],
        lane_blocks(1, 3 * stages + 1)[0], lane_blocks(1, 2, nv, nv)[0], np.zeros((2, nv), dtype=np.int64),
    )  # fmt: skip


def _moving_base(problem: Problem) -> int:
    """Components of momentum that the reference joint moves and nothing on the ground holds: 6, 3 or 0."""
    held = any(row.kind != LOOP or min(row.frame, row.other) < 0 for row in problem.constraints.rows)
    return 0 if held else {FREE: 6, PLANAR: 3}.get(int(problem.model.compiled.base_code), 0)
