"""Structure of robots with many loops: which coordinates a row can move, and in which order rows are eliminated. Found once.

A row of a loop moves only the joints on its path through the tree. Two rows are neighbours where they share a joint, or where the
inertia of a common ancestor connects them. In an order in which neighbours are near each other (Cuthill and McKee 1969) the
matrices J J^T and J M^-1 J^T then have entries next to their diagonal only, in an *envelope* that their Cholesky factors keep
(Jennings 1966). For a chain of loops its width does not depend on their number: all work is linear in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.kernel.bundle import Bundle
from locodyn.robot.layout import COUNT_V, DOF_FRAME, FIRST_V, ROOT

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.constraint_arrays import ConstraintArrays
    from locodyn.locomotion.constraint_rows import Row

FEWEST, FEWEST_ROWS = 12, 16  # free coordinates and rows from which on the envelope is looked for: four loops
WORTH = 1.0  # times less work than for full matrices, where a multiplication also costs several times more


class RowPaths(Bundle):
    """Paths of m rows along e free coordinates, their envelope, and scratch of :mod:`locodyn.locomotion.path_solver`.

    Rows are numbered by their place in the order of elimination. All rows are holonomic and active.
    """

    up: np.ndarray  # (e,) int64, the next free coordinate on the way to the root, or -1
    row: np.ndarray  # (m,) int64, number of the row at a place
    place: np.ndarray  # (m,) int64, its inverse
    reach_start: np.ndarray  # (m + 1,) int64, where the path of a row begins in
    reach: np.ndarray  # (n,) int64, free coordinates on its paths to the root, tips first
    first: np.ndarray  # (m,) int64, place of the first row in the envelope of a place
    start: np.ndarray  # (m + 1,) int64, where its entries begin in
    factor: np.ndarray  # (s,) the Cholesky factor of J J^T, in the units of the coordinates
    mass_factor: np.ndarray  # (s,) that of J M^-1 J^T
    values: np.ndarray  # (n,) rows along their paths, in the units of the coordinates
    response: np.ndarray  # (n,) L^-T J^T along them, M = L^T L
    chosen: np.ndarray  # (m,) int64, 1 for the independent rows
    right: np.ndarray  # (m,) right-hand sides by place
    spread: np.ndarray  # (e,) zero, but while a row is looked at
    step: np.ndarray  # (e,)
    probe: np.ndarray  # (e,) numbers that no row knows of
    tested: np.ndarray  # (e,) their part in the kernel
    on: int = 0  # whether a run lets rows be solved along their paths
    used: int = 0  # whether those looked at last were
    smallest: float = 0.0  # pivot of the factor, and
    largest: float = 0.0


@contextmanager
def along_paths(rows: ConstraintArrays | None, on: bool = True) -> Iterator[None]:
    """Rows of many loops are solved along their paths: for who needs motions and forces, but neither factors nor kernel.

    ``on`` False: they are factored as a whole.
    """
    if rows is None or rows.paths is None:
        yield
        return
    before = rows.paths.on
    rows.paths.on = int(on)
    try:
        yield
    finally:
        rows.paths.on = before


def ancestors(model: Model, free: np.ndarray, place: np.ndarray) -> np.ndarray:
    """For each free coordinate the next one on the way to the root, (e,), or -1."""
    up = np.full(len(free), -1, dtype=np.int64)
    for e, i in enumerate(free):
        k = int(model.dofs[i, DOF_FRAME])
        before = [int(place[j]) for j in range(model.frames[k, FIRST_V], i) if place[j] >= 0]
        while not before and (k := int(model.frames[k, ROOT])) >= 0:
            first, count = int(model.frames[k, FIRST_V]), int(model.frames[k, COUNT_V])
            before = [int(place[j]) for j in range(first, first + count) if place[j] >= 0]
        if before:
            up[e] = before[-1]
    return up


def reach_of_rows(model: Model, rows: Sequence[Row], place: np.ndarray, up: np.ndarray) -> list[list[int]]:
    """Free coordinates from the frames and coordinates of each row to the root, descending."""
    found = []
    for row in rows:
        tips = [int(place[i]) for i in row.velocities if place[i] >= 0]
        for start in (row.frame, row.other):
            k = start
            while k >= 0:
                first, count = int(model.frames[k, FIRST_V]), int(model.frames[k, COUNT_V])
                tips += [int(place[i]) for i in range(first, first + count) if place[i] >= 0]
                k = int(model.frames[k, ROOT])
        path: set[int] = set()
        for tip in tips:
            while tip >= 0 and tip not in path:
                path.add(tip)
                tip = int(up[tip])
        found.append(sorted(path, reverse=True))
    return found


def _order(paths: list[list[int]], coordinates: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows in an order with a narrow envelope, and the first place in the envelope of each place."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    owner = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
    touched = coo_matrix((np.ones(len(owner)), (owner, np.concatenate(paths).astype(int))), (len(paths), coordinates)).tocsr()
    graph = (touched @ touched.T).tocsr()
    row = np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True), dtype=np.int64)
    place = np.argsort(row)
    neighbours = [place[graph.indices[graph.indptr[m] : graph.indptr[m + 1]]] for m in row]
    first = np.array([near.min(initial=p) for p, near in enumerate(neighbours)], dtype=np.int64)
    return row, first


def row_paths(model: Model, rows: Sequence[Row], free: np.ndarray, place: np.ndarray) -> RowPaths | None:
    """The structure of the rows, all of which are holonomic and active; None where full matrices are as good."""
    e, m = len(free), len(rows)
    if e < FEWEST or m < FEWEST_ROWS:
        return None
    up = ancestors(model, free, place)
    paths = reach_of_rows(model, rows, place, up)
    if not sum(map(len, paths)):
        return None
    row, first = _order(paths, e)
    width = np.arange(m) - first + 1
    if WORTH * float((width.astype(float) ** 2).sum()) > float(e) ** 2 * m:
        return None
    start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
    reach_start = np.concatenate([[0], np.cumsum([len(path) for path in paths])]).astype(np.int64)
    scratch: dict[str, Any] = {name: np.zeros(e) for name in ("spread", "step", "tested")}
    scratch |= {name: np.zeros(start[-1]) for name in ("factor", "mass_factor")}
    scratch |= {name: np.zeros(reach_start[-1]) for name in ("values", "response")}
    return RowPaths(
        up=up, row=row, place=np.argsort(row).astype(np.int64), reach_start=reach_start,
        reach=np.concatenate(paths).astype(np.int64), first=first, start=start, chosen=np.zeros(m, dtype=np.int64),
        right=np.zeros(m), probe=np.random.default_rng(1).standard_normal(e), **scratch,
    )  # fmt: skip
