"""Which entries Newton's matrix of a robot can have, and in which order its columns are eliminated: found once for each robot.

Inertia, elasticity and their changes connect coordinates of which one carries the other; a row of a loop those on the way from
its two frames to the root, among each other and with its multiplier. All other entries, of many rods nearly all, are zero. The
order is that of four that takes least work for a sample of the matrix, with numbers of very different sizes, so that pivots are
not always where they are wanted: by approximate degrees of columns (Davis et al. 2004), by least degrees (Liu 1985) of A + A^T or
of A^T A, these of SuperLU (Li 2005), or neighbours near each other (Cuthill and McKee 1969).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.kernel.sparse import LEAST, SparseFactors, no_factors, sparse_factors
from locodyn.locomotion.arrays import IMPOSED
from locodyn.robot.layout import COUNT_V, FIRST_V, PARENT, ROOT

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

FEWEST = 64  # unknowns from which on the structure is looked at
WORTH = 4.0  # times less work than for full factors: what a multiplication costs more that must be looked up
_SPREAD = 1e-5  # smallest numbers of a sample beside 1
_SAMPLE_DIAGONAL = 1e-6  # that of a multiplier there: no pivot before the coordinates of its row


def new_sparse(problem: Problem, stages: int) -> tuple[SparseFactors, SparseFactors, SparseFactors]:
    """Room for the real block, the complex block and the end of a step; empty where there are none, or full matrices as good."""
    found = structure(problem)
    if found is None:
        return no_factors(), no_factors(complex), no_factors()
    if stages == 1:
        return sparse_factors(*found), no_factors(complex), no_factors()
    return sparse_factors(*found), sparse_factors(*found, complex), sparse_factors(*found)


def new_rank_factors(problem: Problem, sparse: bool) -> SparseFactors:
    """Room for the rows beside a unit matrix; empty where there are none, or the factors of the robot are not ``sparse``."""
    if not sparse or problem.constraints.arrays is None:
        return no_factors()
    start, row = entries(problem, inertia=False)
    return sparse_factors(start, row, elimination_order(start, row, problem.model.nv)[0])


def structure(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(start, row, order) as of :class:`SparseFactors`, coordinates before active rows; None where full matrices are as good."""
    rows = problem.constraints.arrays
    active = 0 if rows is None else len(rows.active)
    n = problem.model.nv + active
    if n < FEWEST or not _is_told(problem):
        return None
    start, row = entries(problem)
    if WORTH * len(row) > n * n:
        return None
    order, work = elimination_order(start, row, problem.model.nv)
    return (start, row, order) if WORTH * work < n**3 / 3.0 else None


def _is_told(problem: Problem) -> bool:
    """Whether nothing else connects coordinates: no states of laws, no contact, spring or cable between two bodies."""
    rows, wrenches = problem.constraints.arrays, problem.arrays.wrenches
    moving = rows is not None and (rows.rod_contacts is not None or len(rows.dependent) > 0)
    return not (moving or problem.memories.count or wrenches.pairs is not None or len(wrenches.ties.first))


def _chain(frames: np.ndarray, k: int) -> list[np.ndarray]:
    """Coordinates of the joint of frame k and of those that carry it, joint by joint."""
    found = []
    while k >= 0:
        if frames[k, COUNT_V]:
            found.append(np.arange(frames[k, FIRST_V], frames[k, FIRST_V] + frames[k, COUNT_V]))
        k = int(frames[k, ROOT])
    return found


def entries(problem: Problem, inertia: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """(start, row) of all entries that there may be, column by column; without ``inertia`` of rows and the diagonal."""
    from scipy.sparse import coo_matrix

    model, rows, made = problem.model, problem.constraints.arrays, problem.constraints.rows
    frames, nv = model.frames, model.nv
    pairs = [(np.arange(nv), np.arange(nv))]

    def connect(one: np.ndarray, other: np.ndarray) -> None:
        pairs.append((np.repeat(one, len(other)), np.tile(other, len(one))))

    for k in range(model.nf if inertia else 0):
        if frames[k, COUNT_V] and frames[k, PARENT] == frames[k, ROOT]:
            chain = _chain(frames, k)
            whole = np.concatenate(chain)
            connect(chain[0], whole)
            connect(whole, chain[0])
    known: dict[tuple[int, ...], np.ndarray] = {}
    for j, m in enumerate(() if rows is None else rows.active):
        row = made[int(m)]
        key = (row.frame, row.other, *row.velocities)
        if key not in known:
            felt = [*_chain(frames, row.frame), *_chain(frames, row.other), np.array(row.velocities, dtype=np.int64)]
            known[key] = np.unique(np.concatenate(felt))
            if inertia:
                connect(known[key], known[key])
        multiplier = np.array([nv + j])
        for one, other in ((known[key], multiplier), (multiplier, known[key]), (multiplier, multiplier)):
            connect(one, other)
    row_of, column_of = (np.concatenate(part).astype(np.int64) for part in zip(*pairs, strict=True))
    held = np.append(problem.drive == IMPOSED, np.zeros(len(row_of), dtype=bool))[row_of] & (row_of != column_of)
    row_of, column_of = row_of[~held], column_of[~held]  # imposed coordinates have no equation but their own
    n = nv + (0 if rows is None else len(rows.active))
    matrix = coo_matrix((np.ones(len(row_of)), (row_of, column_of)), (n, n)).tocsc()
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


def elimination_order(start: np.ndarray, row: np.ndarray, coordinates: int) -> tuple[np.ndarray, float]:
    """Columns in the order of elimination, and the work of it, multiplications."""
    from scipy.sparse import csc_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee
    from scipy.sparse.linalg import splu

    n = len(start) - 1
    column = np.repeat(np.arange(n), np.diff(start))
    random = np.random.default_rng(1)
    values = random.standard_normal(len(row)) * _SPREAD ** random.random(len(row))
    values[row == column] = 1.0
    values[(row == column) & (row >= coordinates)] = _SAMPLE_DIAGONAL
    sample = csc_matrix((values, row, start), (n, n))
    near = np.asarray(reverse_cuthill_mckee(abs(sample) + abs(sample.T), symmetric_mode=True), dtype=np.int64)
    best, least = near, np.inf
    for kind in ("COLAMD", "MMD_AT_PLUS_A", "MMD_ATA", "NATURAL"):
        matrix = sample[near][:, near].tocsc() if kind == "NATURAL" else sample
        try:
            made = splu(matrix, permc_spec=kind, diag_pivot_thresh=LEAST, relax=1, panel_size=1)
        except RuntimeError:  # more rows than what they feel has coordinates
            continue
        work = float(np.diff(made.L.indptr) @ np.diff(made.U.tocsr().indptr))
        if work < least:
            best, least = near if kind == "NATURAL" else np.argsort(made.perm_c), work
    return best.astype(np.int64), least
