"""Which coordinates a row feels, and groups of coordinates of which no row feels two: found once for a robot.

What rows change by with each coordinate is then found for a whole group at a time: each row sees one of them move (Curtis, Powell
and Reid 1974). For a chain of loops the number of groups does not depend on that of the loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.kernel.bundle import Bundle

if TYPE_CHECKING:
    from collections.abc import Sequence


class RowGroups(Bundle):
    """Of m rows and e free coordinates in g groups."""

    start: np.ndarray  # (g + 1,) int64, where a group begins in
    coordinate: np.ndarray  # (e,) int64, free coordinates
    felt: np.ndarray  # (m, g) int64, the coordinate of a group that a row feels, or -1
    reach_start: np.ndarray  # (m + 1,) int64, where a row begins in
    reach: np.ndarray  # (n,) int64, the free coordinates that it feels


def row_groups(paths: Sequence[Sequence[int]], coordinates: int) -> RowGroups:
    """Groups for rows that feel these of so many free coordinates, each coordinate in the first group that is open to it."""
    feeling: list[list[int]] = [[] for _ in range(coordinates)]
    for m, path in enumerate(paths):
        for e in path:
            feeling[e].append(m)
    taken: list[set[int]] = [set() for _ in paths]
    groups: list[list[int]] = []
    for e, rows in enumerate(feeling):
        closed: set[int] = set().union(*(taken[m] for m in rows))
        group = next((g for g in range(len(groups)) if g not in closed), len(groups))
        if group == len(groups):
            groups.append([])
        groups[group].append(e)
        for m in rows:
            taken[m].add(group)
    felt = np.full((len(paths), len(groups)), -1, dtype=np.int64)
    for g, group_of in enumerate(groups):
        for e in group_of:
            felt[feeling[e], g] = e
    sizes, lengths = [len(group) for group in groups], [len(path) for path in paths]
    return RowGroups(
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        coordinate=np.array([e for group in groups for e in group], dtype=np.int64),
        felt=felt,
        reach_start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        reach=np.array([e for path in paths for e in sorted(path)], dtype=np.int64),
    )
