"""The memory of an implicit run: one bundle for each algorithm, with what it keeps, what it tells and its scratch.

Sizes: S stages, nv coordinates, nz states of laws, m rows, of which A are active; n = nv + A. Each algorithm writes into its own
bundle and reads those of others, so that one may call another between two of its lines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from locodyn.dynamics import totals
from locodyn.dynamics.inverse_dynamics import work_columns
from locodyn.integrate.implicit.pattern import new_sparse
from locodyn.integrate.implicit.sparse_rank import RankCheck, new_rank_check
from locodyn.integrate.implicit.trail import Trail, new_trail
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.lanes import WIDTH, lane_blocks
from locodyn.kernel.sparse import SparseFactors, no_factors
from locodyn.locomotion.residual import Tangent, new_tangent
from locodyn.robot.layout import CODE, FREE, PLANAR, SPHERICAL
from locodyn.world.law_table import MOST_STATES
from locodyn.world.rows import INTERNAL, LOOP

if TYPE_CHECKING:
    from locodyn.locomotion.arrays import Inputs
    from locodyn.locomotion.problem import Problem

_CURVED = frozenset((FREE, PLANAR, SPHERICAL))


class History(Bundle):
    """What a step knows of those before: :mod:`locodyn.integrate.implicit.step`."""

    started: int = 0  # 1 once there are accelerations
    guess: int = 0  # first guess that would have been best, one of GUESS of step.py
    last_step: float = 0.0  # s, its length; -1 at the start, 0 after a failure: nothing to extrapolate
    acceleration: np.ndarray  # (nv,) at the end of the step before
    velocity: np.ndarray  # (nv,) rates there of joints that are stepped apart: ``implicit/split.py``
    pseudo: np.ndarray  # (nv,) the a of generalized-alpha
    memory_rate: np.ndarray  # (nz,) of the states of laws, likewise
    memory_pseudo: np.ndarray  # (nz,)


class Stages(Bundle):
    """The stages of a step, and scratch of ``begin_step`` and ``group_correction``."""

    curved: int  # 1 where some joint turns in space or moves in the plane: its positions are no sums of its velocities
    unknown: np.ndarray  # (S, nv) A
    known_position: np.ndarray  # (S, nv) U0
    known_velocity: np.ndarray  # (S, nv) V0
    known_acceleration: np.ndarray  # (S, nv) a0
    correction: np.ndarray  # (S, nv) of U on groups
    residual: np.ndarray  # (S, nv) of the equation of motion
    memory: np.ndarray  # (S, nz) unknown rates of the states of laws, see :mod:`locodyn.integrate.implicit.memory`
    known_memory: np.ndarray  # (S, nz) known parts of these states
    known_memory_rate: np.ndarray  # (S, nz) and of their rates
    memory_residual: np.ndarray  # (S, nz) what their equations miss
    memory_guess: np.ndarray  # (S, nz) first guess
    gaps: np.ndarray  # (S, A) what the active rows miss
    multipliers: np.ndarray  # (S + 1, m) of the stages; at the end of the last step
    guess: np.ndarray  # (S, nv) first guess of the unknowns
    position: np.ndarray  # (S, nv) U
    velocity: np.ndarray  # (S, nv) V
    rate: np.ndarray  # (S, nv) T(U)^-1 V


class StageState(Bundle):
    """The stage that is looked at, or the mean of all."""

    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    motion: np.ndarray  # (nv,) from the beginning of the step to here
    along: np.ndarray  # (nv,) scratch of ``implicit/split.py``: the same on SE(3)
    loads: np.ndarray  # (nf, 6) wrenches of the rows and of functions of the user; (0, 6) without rows
    loaded: Inputs  # those of the problem, with these wrenches


class NewtonState(Bundle):
    """Corrections of a step, of accelerations and of multipliers: :mod:`locodyn.integrate.implicit.newton`, ``damping``."""

    iteration: int = 0  # corrections in this attempt
    attempt: int = 0
    made_here: int = 0  # 1 where the matrix was made for the last correction
    norm: float = 0.0  # of the last correction
    eta: float = 0.0  # error that is left over the last correction
    stride: float = 0.0  # share of the last correction that was taken; 0: nothing to compare with
    next_stride: float = 0.0
    gap: float = 0.0  # the worst of holonomic rows that are held by positions
    length: float = 0.0  # m, of the robot
    last: np.ndarray  # (S, nv) the correction before
    new: np.ndarray  # (S, nv) the one that was just made
    last_of_rows: np.ndarray  # (S, A) those of multipliers
    new_of_rows: np.ndarray  # (S, A)
    last_of_memory: np.ndarray  # (S, nz) those of the rates of states
    new_of_memory: np.ndarray  # (S, nz)


class NewtonMatrix(Bundle):
    """Blocks of Newton's matrix and their factors: :mod:`locodyn.integrate.implicit.matrix`."""

    age: int = 0  # corrections made with it; -1: it must be made anew
    exact: int = 0  # 1: with all terms
    step: float = 0.0  # s, length of the step that it was made for
    floor: float = 0.0  # correction that is round-off of positions
    forces: float = 0.0  # size of the accelerations that the forces would make if nothing held them
    weight: np.ndarray  # (nv,) root of the diagonal of the mass matrix: the norm of corrections
    real: np.ndarray  # (n, n)
    real_pivots: np.ndarray  # (n,) int64
    real_scales: np.ndarray  # (n,)
    real_side: np.ndarray  # (n,) right-hand side, then the solution
    pair: np.ndarray  # (n, n) complex
    pair_pivots: np.ndarray  # (n,) int64
    pair_scales: np.ndarray  # (n,)
    pair_side: np.ndarray  # (n,) complex
    chosen: np.ndarray  # (A,) int64: 1 for rows that are independent of those chosen before
    slopes: np.ndarray  # (A, nv) change of J v with the configuration
    shift: np.ndarray  # (nv,) scratch of these slopes
    moved: np.ndarray  # (nq,)
    gaps: np.ndarray  # (A,)
    rest: np.ndarray  # (nv,) no velocity
    applied: np.ndarray  # (nv,) forces there
    memory_weight: np.ndarray  # (nz,) what a rate of a state does as an acceleration: the norm of its corrections
    memory_order: np.ndarray  # (6,) int64, scratch of their inverse blocks
    real_memory: np.ndarray = columns(MOST_STATES)  # (nz, 6) inverse blocks of the equations of the states
    real_missed: np.ndarray  # (nz,) what these equations miss
    real_rates: np.ndarray  # (nz,) corrections of the rates
    pair_memory: np.ndarray = columns(MOST_STATES)  # (nz, 6) complex
    pair_missed: np.ndarray  # (nz,) complex
    pair_rates: np.ndarray  # (nz,) complex


class EndOnRows(Bundle):
    """The smallest change that puts a state on the rows: :mod:`locodyn.integrate.implicit.end`."""

    matrix: np.ndarray  # (n, n)
    pivots: np.ndarray  # (n,) int64
    scales: np.ndarray  # (n,)
    side: np.ndarray  # (n,) right-hand side, then the solution
    gaps: np.ndarray  # (A,)
    change: np.ndarray  # (nv,)


class Balance(Bundle):
    """Energy and momentum that the robot should have: :mod:`locodyn.integrate.implicit.end`."""

    base: int  # 6 or 3 components of momentum that belong to the reference joint, or 0
    energy: float = 0.0  # J
    momentum: np.ndarray  # (6,) linear, then angular, world axes, about the origin
    momentum_rate: np.ndarray  # (S, 6) at the stages
    power: np.ndarray  # (S,) W, at the stages
    totals: np.ndarray  # (TOTALS.size,)
    work: np.ndarray  # (nf, WORK.size) of the totals
    zero: np.ndarray  # (nv,)
    passive: np.ndarray  # (nv,) forces of springs
    locked: np.ndarray  # (nv,) velocity as if the robot were rigid
    inner: np.ndarray  # (nv,) the rest
    inertia: np.ndarray  # (6, 6) momentum of unit velocities of the reference joint
    pivots: np.ndarray  # (6,) int64
    side: np.ndarray  # (6,)


class Parts(Bundle):
    """Where a step is (:mod:`locodyn.integrate.implicit.run`), and how long its next part is (``implicit/error.py``)."""

    stage: int = 0  # of the scheme, to be evaluated next
    attempt: int = 0  # at the present part
    used: int = 0  # corrections in the step so far
    start: float = 0.0  # s, when the step begins
    done: float = 0.0  # s, of the step
    part: float = 0.0  # s, length of the present part
    easy: int = 0  # parts in a row with few corrections
    share: float = 1.0  # of a step
    error: float = 0.0  # what parts are adapted to, relative, or 0 for steps of one length
    speed: float = 0.0  # the largest so far, in the norm of the mass matrix
    fast: np.ndarray  # (nv,) defect of velocities
    far: np.ndarray  # (nv,) and of positions
    side: np.ndarray  # (n,) right-hand side, then the error


class StageLanes(Bundle):
    """The stages side by side, one to a lane: :mod:`locodyn.integrate.implicit.lanes`; empty where they go one by one."""

    q: np.ndarray  # (nq, WIDTH)
    v: np.ndarray  # (nv, WIDTH)
    a: np.ndarray  # (nv, WIDTH)
    motion: np.ndarray  # (nv, WIDTH) from the beginning of the step to the stage
    tau: np.ndarray  # (nv, WIDTH) that inverse dynamics needs
    forces: np.ndarray  # (nv, WIDTH) of actuators, joints and rods
    work: np.ndarray  # (nf, work_columns, WIDTH)
    scheme: np.ndarray  # (3 S + 1, WIDTH) coefficients of the stages
    side: np.ndarray  # (nv, WIDTH) right-hand sides of Newton's blocks, then the solutions
    factors: np.ndarray  # (nv, nv, WIDTH) F0 of the blocks
    cross_factors: np.ndarray  # (nv, nv, WIDTH) F1
    real_order: np.ndarray  # (nv,) int64: order of the rows of the real block
    pair_order: np.ndarray  # (nv,) int64


class ImplicitScratch(Bundle):
    """All of an implicit run."""

    tangent: Tangent
    history: History
    stages: Stages
    state: StageState
    newton: NewtonState
    matrix: NewtonMatrix
    end: EndOnRows
    balance: Balance
    parts: Parts
    trail: Trail
    lanes: StageLanes
    real: SparseFactors  # of the blocks of ``matrix``, and of that of ``end``, where a robot of many rods has a structure
    pair: SparseFactors
    closing: SparseFactors
    ranks: RankCheck


def implicit_scratch(problem: Problem, stages: int, error: float = 0.0, split: int = 0) -> ImplicitScratch:
    """The memory of a new run, that of the run of this problem before where it fits.

    ``error``: what steps are adapted to, relative, or 0 for steps of one length; ``split``: that of the scheme.
    """
    scratch: ImplicitScratch | None = problem.kept.get(_words(stages, split))
    if scratch is None:
        scratch = problem.kept[_words(stages, split)] = _new_scratch(problem, stages, split)
    for array in (scratch.stages.multipliers, scratch.stages.gaps, scratch.matrix.slopes, scratch.matrix.chosen):
        array.fill(0)
    scratch.history.started = scratch.history.guess = 0
    scratch.matrix.exact = 0
    for one in (scratch.real, scratch.pair, scratch.closing, scratch.ranks.factors):
        one.known = 0
    scratch.newton.gap = 0.0
    scratch.parts.easy, scratch.parts.share, scratch.parts.error, scratch.parts.speed = 0, 1.0, error, 0.0
    scratch.trail.wanted = scratch.trail.count = 0
    return scratch


def _words(stages: int, split: int) -> str:
    """By which a problem knows the memory of a scheme."""
    return f"{stages} stages, {'split' if split else 'whole'}"


def with_trail(problem: Problem, scratch: ImplicitScratch, split: int = 0) -> ImplicitScratch:
    """The same memory with room for parts of steps."""
    if not len(scratch.trail.times):
        model, stages = problem.model, len(scratch.stages.unknown)
        trail = new_trail(model.nq, model.nv, problem.memories.count, wanted=True)
        scratch = problem.kept[_words(stages, split)] = replace(scratch, trail=trail)
    return scratch


def _new_scratch(problem: Problem, stages: int, split: int) -> ImplicitScratch:
    """Room for a scheme with so many stages."""
    real, pair, closing = (no_factors(), no_factors(complex), no_factors()) if split else new_sparse(problem, stages)
    model, arrays, zeros = problem.model, problem.constraints.arrays, np.zeros
    rows, active = len(problem.constraints.rows), 0 if arrays is None else len(arrays.active)
    nq, nv, n, nz = model.nq, model.nv, model.nv + active, problem.memories.count
    along = {name: zeros((stages, nv)) for name in _ALONG_STAGES}
    loads = zeros((model.nf if rows else 0, 6))
    return ImplicitScratch(
        tangent=new_tangent(model, nz),
        history=History(
            acceleration=zeros(nv), velocity=zeros(nv), pseudo=zeros(nv), memory_rate=zeros(nz), memory_pseudo=zeros(nz),
        ),
        stages=Stages(
            curved=int(not _CURVED.isdisjoint(model.frames[:, CODE].tolist())), gaps=zeros((stages, active)),
            multipliers=zeros((stages + 1, rows)), **along, **{name: zeros((stages, nz)) for name in _MEMORY_ALONG_STAGES},
        ),
        state=StageState(
            q=zeros(nq), v=zeros(nv), a=zeros(nv), motion=zeros(nv), along=zeros(nv), loads=loads,
            loaded=replace(problem.inputs, wrenches=loads if rows else problem.inputs.wrenches),
        ),
        newton=NewtonState(
            length=0.0 if arrays is None else arrays.length, last=zeros((stages, nv)), new=zeros((stages, nv)),
            last_of_rows=zeros((stages, active)), new_of_rows=zeros((stages, active)), last_of_memory=zeros((stages, nz)),
            new_of_memory=zeros((stages, nz)),
        ),
        matrix=_new_matrix(nq, nv, active, nz, len(real.order) > 0),
        end=EndOnRows(
            matrix=zeros((nv, nv) if len(real.order) else (n, n)), pivots=zeros(n, dtype=np.int64), scales=zeros(n),
            side=zeros(n), gaps=zeros(active), change=zeros(nv),
        ),
        balance=_new_balance(problem, stages),
        parts=Parts(fast=zeros(nv), far=zeros(nv), side=zeros(n)),
        trail=new_trail(nq, nv, nz, wanted=False),
        lanes=_new_lanes(problem, stages if not len(real.order) else 1),
        real=real, pair=pair, closing=closing, ranks=new_rank_check(problem, len(real.order) > 0),
    )  # fmt: skip


_ALONG_STAGES = (
    "unknown", "known_position", "known_velocity", "known_acceleration", "correction", "residual", "guess", "position",
    "velocity", "rate",
)  # fmt: skip
_MEMORY_ALONG_STAGES = ("memory", "known_memory", "known_memory_rate", "memory_residual", "memory_guess")


def _new_matrix(nq: int, nv: int, active: int, nz: int, sparse: bool) -> NewtonMatrix:
    """Blocks of nv coordinates and the active rows, none where factors are ``sparse``, and of nz states of laws."""
    n, zeros, whole = nv + active, np.zeros, np.int64
    block = (0, 0) if sparse else (n, n)
    return NewtonMatrix(
        weight=zeros(nv), real=zeros(block), real_pivots=zeros(n, dtype=whole), real_scales=zeros(n), real_side=zeros(n),
        pair=zeros(block, dtype=complex), pair_pivots=zeros(n, dtype=whole), pair_scales=zeros(n),
        pair_side=zeros(n, dtype=complex), chosen=zeros(active, dtype=whole), slopes=zeros((active, nv)), shift=zeros(nv),
        moved=zeros(nq), gaps=zeros(active), rest=zeros(nv), applied=zeros(nv), memory_weight=zeros(nz),
        memory_order=zeros(MOST_STATES, dtype=whole), real_memory=zeros((nz, MOST_STATES)), real_missed=zeros(nz),
        real_rates=zeros(nz), pair_memory=zeros((nz, MOST_STATES), dtype=complex), pair_missed=zeros(nz, dtype=complex),
        pair_rates=zeros(nz, dtype=complex),
    )  # fmt: skip


def _new_balance(problem: Problem, stages: int) -> Balance:
    """Nothing is known of energy and momentum yet."""
    nf, nv, zeros = problem.model.nf, problem.model.nv, np.zeros
    return Balance(
        base=_moving_base(problem), momentum=zeros(6), momentum_rate=zeros((stages, 6)), power=zeros(stages),
        totals=zeros(totals.TOTALS.size), work=zeros((nf, totals.WORK.size)), zero=zeros(nv), passive=zeros(nv), locked=zeros(nv),
        inner=zeros(nv), inertia=zeros((6, 6)), pivots=zeros(6, dtype=np.int64), side=zeros(6),
    )  # fmt: skip


def _new_lanes(problem: Problem, stages: int) -> StageLanes:
    """Room for the stages side by side in :mod:`locodyn.kernel.lanes`, if there are several, no rows and no states of laws."""
    plain = not problem.constraints.rows and not problem.memories.count
    model, side_by_side = problem.model, 1 < stages <= WIDTH and plain
    nq, nv, nf = (model.nq, model.nv, model.nf) if side_by_side else (0, 0, 0)
    along = {name: lane_blocks(1, nv)[0] for name in ("v", "a", "motion", "tau", "forces", "side")}
    return StageLanes(
        q=lane_blocks(1, nq)[0], work=lane_blocks(1, nf, work_columns(model.compiled.has_rods))[0],
        scheme=lane_blocks(1, 3 * stages + 1)[0], factors=lane_blocks(1, nv, nv)[0], cross_factors=lane_blocks(1, nv, nv)[0],
        real_order=np.zeros(nv, dtype=np.int64), pair_order=np.zeros(nv, dtype=np.int64), **along,
    )  # fmt: skip


def _moving_base(problem: Problem) -> int:
    """Components of momentum that the reference joint moves and nothing on the ground holds: 6, 3 or 0."""
    rows = problem.constraints.rows
    held = any(row.kind not in INTERNAL or (row.kind == LOOP and min(row.frame, row.other) < 0) for row in rows)
    return 0 if held else {FREE: 6, PLANAR: 3}.get(int(problem.model.compiled.base_code), 0)
