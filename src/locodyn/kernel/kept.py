"""Numbers that outlive a step, wherever they lie: flat views of arrays and of the numbers of bundles.

What one step takes from those before it lies in many bundles: a rank here, impulses there. ``Kept`` lists the places once. Its
vector is what a run hands to the one that goes on with it; its words, bit by bit, are what a robot of a batch takes along when
another one uses the same arrays (:mod:`locodyn.kernel.swap`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from locodyn.kernel.bundle import Bundle

WORD = 8  # bytes


def flat_view(bundle: Bundle, name: str) -> np.ndarray:
    """A field of a bundle as one row that shares its memory; a number has one entry, complex numbers are pairs."""
    if name in bundle._numbers:
        words: np.ndarray = bundle.__dict__["_floats" if bundle._numbers[name].name == "float64" else "_words"]
        return words[bundle._places[name] : bundle._places[name] + 1]
    return flat(getattr(bundle, name))


def number_names(kind: type[Bundle]) -> frozenset[str]:
    """Fields of a bundle that are numbers, neither arrays nor bundles."""
    return frozenset(kind._numbers)


def flat(array: np.ndarray) -> np.ndarray:
    """The numbers of a contiguous array in one row, those of a complex one as pairs; a view."""
    row = array.reshape(-1)
    return row.view(float) if row.dtype.kind == "c" else row


class Kept:
    """Views (n,) of float64, int64 or int8; their order is that of the vector."""

    def __init__(self, views: Iterable[np.ndarray]) -> None:
        self.views = tuple(views)
        self.size = sum(map(len, self.views))

    @classmethod
    def of(cls, *places: tuple[Bundle, Iterable[str]]) -> Kept:
        """Fields of bundles, by their names."""
        return cls(flat_view(bundle, name) for bundle, names in places for name in names)

    def __add__(self, other: Kept) -> Kept:
        return Kept((*self.views, *other.views))

    def vector(self) -> np.ndarray:
        """All numbers (size,) as float64."""
        return np.concatenate([np.zeros(0), *self.views])

    def recall(self, vector: np.ndarray) -> None:
        """Put back what :meth:`vector` gave."""
        for view in self.views:
            view[:], vector = vector[: len(view)], vector[len(view) :]
