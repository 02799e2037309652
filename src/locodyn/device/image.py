"""The image of a robot: every array and table that its kernels use, in one row of words, with the addresses left open.

Kernels reach their arrays through tables of addresses (:mod:`locodyn.kernel.bundle`). An image holds all tables and arrays that
can be reached from the arguments of a kernel, one behind the other, and in place of each address the distance of its target from
the start of the image. Who uses a copy of the image adds the place of the copy to the words that ``moves`` lists.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.device.code import ALIGNMENT
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.kept import WORD
from locodyn.kernel.swap import Swap


class Outside:
    """An argument that is no part of the image: its word, an address, is filled in later."""


class Image:
    """``words`` (n,) int64; ``moves``: numbers of those that are addresses; ``places``: where each argument is found."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self._pieces: dict[tuple[int, int], np.ndarray] = {}  # first and last byte -> what lies there
        self._bundles: dict[int, Bundle] = {}
        for one in arguments:
            self._collect(one)
        self._values: list[Any] = []  # of the words that stand for arguments
        self.places = tuple(self._place(one) for one in arguments)
        size = self._lay_out(len(self._values) * WORD)
        self.words = np.zeros(-(-size // ALIGNMENT) * ALIGNMENT // WORD, dtype=np.int64)
        bytes_of = self.words.view(np.uint8)
        self._copies = [(bytes_of[self._distance(key[0]) :][: array.size], array) for key, array in self._pieces.items()]
        self._addresses = dict(self._pointers())
        self.moves = np.array(sorted(self._addresses), dtype=np.int64)
        self._targets = np.array([self._addresses[word] for word in self.moves], dtype=np.int64)
        self.fill()

    def fill(self) -> None:
        """Take the numbers from where they are now."""
        for mine, theirs in self._copies:
            mine[:] = theirs
        floats = self.words.view(float)
        for word, value in enumerate(self._values):
            if isinstance(value, float):
                floats[word] = value
            elif isinstance(value, int):
                self.words[word] = value
        self.words[self.moves] = self._targets

    # ------------------------------------------------------------------------------------------------------------ inside
    def _collect(self, value: Any) -> None:
        """Arrays and tables that are reached from a value."""
        if isinstance(value, Bundle) and id(value) not in self._bundles:
            self._bundles[id(value)] = value
            _ = value.address  # the table is filled
            self._collect(value._words)  # type: ignore[attr-defined]
            for name in value._places:
                self._collect(getattr(value, name))
        elif isinstance(value, np.ndarray) and value.size:
            first = value.ctypes.data
            self._pieces[first, first + value.nbytes] = value.reshape(-1).view(np.uint8)
        elif isinstance(value, tuple):
            for one in value:
                self._collect(one)

    def _place(self, value: Any) -> Any:
        """As :class:`locodyn.device.code.Entry` has it; a word for each argument that needs one."""
        if isinstance(value, str) or value is None:
            return (value,)
        if isinstance(value, tuple):
            return tuple(self._place(one) for one in value)
        self._values.append(value)
        return "image", len(self._values) - 1, value.shape if isinstance(value, np.ndarray) else ()

    def _lay_out(self, first: int) -> int:
        """Give each stretch of memory its place behind byte ``first``, aligned as it is here; the size of it all."""
        stretches: list[list[int]] = []
        for begin, end in sorted(self._pieces):
            if stretches and begin < stretches[-1][1]:  # one array is part of another
                stretches[-1][1] = max(end, stretches[-1][1])
            else:
                stretches.append([begin, end])
        self._begins, self._ends, self._at = [], [], []
        for begin, end in stretches:
            first += (begin - first) % ALIGNMENT
            self._begins.append(begin)
            self._ends.append(end)
            self._at.append(first)
            first += end - begin
        return first

    def _distance(self, address: int) -> int:
        """From the start of the image to what lies at an address here."""
        n = bisect_right(self._begins, address) - 1
        if n < 0 or address > self._ends[n]:
            raise RuntimeError("an address points to what is no part of the image")
        return self._at[n] + address - self._begins[n]

    def _pointers(self) -> Any:
        """(number of a word, distance of what it points to) of every address in the image."""
        for bundle in self._bundles.values():
            table = self._distance(bundle.address) // WORD
            for name, word in bundle._places.items():
                value = getattr(bundle, name)
                if isinstance(value, Bundle):
                    yield table + word, self._distance(value.address)
                elif isinstance(value, np.ndarray):
                    yield table + word, self._distance(value.ctypes.data) if value.size else 0
            if isinstance(bundle, Swap) and bundle.at.size:
                first = self._distance(bundle.at.ctypes.data) // WORD
                for k, (address, count) in enumerate(zip(bundle.at, bundle.count, strict=True)):
                    yield first + k, self._distance(int(address)) if count else 0
        for word, value in enumerate(self._values):
            if isinstance(value, Bundle):
                yield word, self._distance(value.address)
            elif isinstance(value, np.ndarray):
                yield word, self._distance(value.ctypes.data) if value.size else 0
