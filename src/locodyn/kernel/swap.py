"""Many robots through the arrays of one: each brings its own numbers along, and takes them away after its turn.

Kernels of one robot read and write one set of arrays. Most of what these hold is scratch, or the same for all robots of a batch;
the rest, what a step takes from those before it and parameters that differ, is copied in before a robot's turn and out after
it, word by word. So a batch needs little memory, stays in the cache, and every robot runs through the very code of a single one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from locodyn.kernel.bundle import Bundle
from locodyn.kernel.compile import compiled
from locodyn.kernel.handle import integers_at
from locodyn.kernel.kept import WORD


class Swap(Bundle):
    """Places whose words belong to the robot whose turn it is. Those that no step writes come last."""

    at: np.ndarray  # (k,) int64: addresses
    count: np.ndarray  # (k,) int64: words there
    written: int  # places that a step may write


@compiled
def bring(swap, own):
    """Copy the words ``own`` (w,) of a robot to their places."""
    first = 0
    for k in range(swap.at.shape[0]):
        place = integers_at(swap.at[k], swap.count[k])
        for i in range(place.shape[0]):
            place[i] = own[first + i]
        first += place.shape[0]


@compiled
def bring_read(swap, own):
    """Of the words ``own`` (w,) of a robot copy those that no step writes."""
    first = 0
    for k in range(swap.at.shape[0]):
        if k >= swap.written:
            place = integers_at(swap.at[k], swap.count[k])
            for i in range(place.shape[0]):
                place[i] = own[first + i]
        first += swap.count[k]


@compiled
def take(swap, own):
    """Copy what a step may have written back to the words ``own`` (w,)."""
    first = 0
    for k in range(swap.written):
        place = integers_at(swap.at[k], swap.count[k])
        for i in range(place.shape[0]):
            own[first + i] = place[i]
        first += place.shape[0]


def swap_of(written: Sequence[np.ndarray], read: Sequence[np.ndarray] = ()) -> Swap:
    """Swap of views whose sizes are whole words; they must outlive it."""
    views = [*written, *read]
    return Swap(
        at=np.array([view.ctypes.data for view in views], dtype=np.int64),
        count=np.array([view.nbytes // WORD for view in views], dtype=np.int64),
        written=len(written),
    )


def words_of(views: Sequence[np.ndarray]) -> np.ndarray:
    """The words (w,) int64 of views, bit by bit."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *(view.view(np.int64) for view in views)])
