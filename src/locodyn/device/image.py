"""The memory of a robot, and what robots share, laid out behind the tables of :mod:`locodyn.device.bundle`.

An image holds all arrays and numbers that can be reached from the arguments of a kernel, one behind the other. ``tables`` depends
on the structure of a robot alone and is part of the program. ``own`` is what the memory of a robot holds at the start of a
launch; ``common``, arrays that kernels only read and in which the robots of a batch do not differ, is there once. Tables may be
*kept single* there (:mod:`locodyn.device.single`): then they take half the room, and are rounded when they are copied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from locodyn.device.bundle import SHARED
from locodyn.device.facts import facts_of
from locodyn.device.single import is_kept_single
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.kept import WORD, number_names
from locodyn.kernel.swap import Swap

ALIGNMENT = 64  # bytes
Key = tuple[int, int]  # where a piece of memory begins and ends


class _Region:
    """Pieces of memory here, and the place of each stretch of them in a region there.

    Stretches of ``scratch``, a part of the pieces, come last, after ``first`` words of the others. Those that are ``narrow``, a
    part too, are kept single.
    """

    def __init__(self, pieces: dict[Key, np.ndarray], scratch: set[Key], narrow: set[Key]) -> None:
        stretches: list[list[int]] = []
        for begin, end in sorted(pieces):
            single = (begin, end) in narrow
            if stretches and begin < stretches[-1][1]:  # one array is part of another
                if single != stretches[-1][3]:
                    raise RuntimeError("one array is a part of another, and only one of both is kept single")
                stretches[-1][1] = max(end, stretches[-1][1])
                stretches[-1][2] &= (begin, end) in scratch
            else:
                stretches.append([begin, end, (begin, end) in scratch, single])
        self._begins, self._ends = [one[0] for one in stretches], [one[1] for one in stretches]
        self._at, self._shares = [0] * len(stretches), [2 if one[3] else 1 for one in stretches]
        size = self.first = 0
        for last in (False, True):
            for n, (begin, end, is_scratch, is_narrow) in enumerate(stretches):
                if is_scratch == last:
                    size += -size % WORD if is_narrow else (begin - size) % ALIGNMENT  # aligned as it is here
                    self._at[n] = size
                    size += (end - begin) // self._shares[n]
            self.first = self.first if last else -(-size // WORD)
        self.words = np.zeros(max(1, -(-size // WORD)), dtype=np.int64)
        self._copies = [self._copy(key, piece, key in narrow) for key, piece in pieces.items()]

    def _copy(self, key: Key, piece: np.ndarray, is_narrow: bool) -> tuple[np.ndarray, np.ndarray]:
        """Where a piece goes, and the piece, in numbers of which the first takes the second."""
        there = self.words.view(np.uint8)[self.distance(key[0]) :]
        if is_narrow:
            return there[: len(piece) // 2].view(np.float32), piece.view(np.float64)
        return there[: len(piece)], piece

    def distance(self, address: int) -> int:
        """From the start of the region to what lies at an address here, in bytes."""
        n = self._number(address)
        return self._at[n] + (address - self._begins[n]) // self._shares[n]

    def is_narrow(self, address: int) -> bool:
        """Whether what lies at an address here is kept single there."""
        return self._shares[self._number(address)] > 1

    def _number(self, address: int) -> int:
        n = bisect_right(self._begins, address) - 1
        if n < 0 or address >= self._ends[n]:  # what begins where a stretch ends is another one
            raise KeyError(address)
        return n

    def fill(self) -> None:
        """Take the numbers from where they are now; beyond float32, where they are kept single, they are infinite."""
        with np.errstate(over="ignore"):
            for there, here in self._copies:
                there[:] = here


class Image:
    """``tables``, ``own`` and ``common`` (words, int64), and ``places``: where each argument of the kernel is found.

    ``addresses`` (n, 2): which words of ``own`` are addresses, and how far behind the start of the memory they point.
    ``facts``: what bundles tell of their robots, by name. ``copied``: so many words of ``own`` tell something at the start of a
    launch; the rest is scratch. ``single``: tables of bundles are kept single, and tolerances follow.
    """

    def __init__(self, arguments: Sequence[Any], single: bool = False) -> None:
        self.single = single
        self._narrow: set[Key] = set()
        self._bundles: dict[int, Bundle] = {}
        self._written: dict[Key, np.ndarray] = {}
        self._read: dict[Key, np.ndarray] = {}
        self._scratch: set[Key] = set()
        for one in arguments:
            self._collect(one, False)
        told = [facts_of(bundle) for bundle in self._bundles.values()]
        self.facts = {name: _agreed([one[name] for one in told if name in one]) for name in sorted(set().union(*told))}
        self._take_back()
        self._private, self._shared = (
            _Region(self._written, self._scratch, self._narrow), _Region(self._read, set(), self._narrow)
        )  # fmt: skip
        self.copied = self._private.first
        self._tables = self._lay_out_tables()
        self.tables = self._filled_tables()
        self.places = tuple(self._place(one) for one in arguments)
        self.own, self.common = self._private.words, self._shared.words
        self.addresses = np.array([*self._pointers()], dtype=np.int64).reshape(-1, 2)
        self._marks = [*self._narrow_places()]

    def fill(self, start: int) -> None:
        """Take the numbers from where they are now; the memory of a robot will begin at address ``start``."""
        self._private.fill()
        self._shared.fill()
        self.own[self.addresses[:, 0]] = start + self.addresses[:, 1]
        for word, count in self._marks:
            self.own[word] = -count

    # ------------------------------------------------------------------------------------------------------------ inside
    def _collect(self, value: Any, read_only: bool, scratch: bool = False) -> None:
        """Arrays and numbers that are reached from a value."""
        if isinstance(value, Bundle) and id(value) not in self._bundles:
            self._bundles[id(value)] = value
            self._collect(value.table_words[: len(number_names(type(value)))], False)
            for name in value.field_places():
                self._collect(field := getattr(value, name), value.read_only, value.scratch)
                if self.single and is_kept_single(type(value).__name__, name):
                    self._narrow.add((field.ctypes.data, field.ctypes.data + field.nbytes))
        elif isinstance(value, np.ndarray) and value.size:
            first = value.ctypes.data
            pieces = self._read if read_only else self._written
            key = first, first + value.nbytes
            if scratch and key not in pieces:
                self._scratch.add(key)
            elif not scratch:
                self._scratch.discard(key)
            pieces[key] = value.reshape(-1).view(np.uint8)
        elif isinstance(value, tuple):
            for one in value:
                self._collect(one, False)

    def _take_back(self) -> None:
        """What robots bring along, and what lies in the memory of written arrays, is not shared."""
        swaps = [bundle for bundle in self._bundles.values() if isinstance(bundle, Swap)]
        brought = [(int(at), int(at + WORD * n)) for swap in swaps for at, n in zip(swap.at, swap.count, strict=True) if n]
        for begin, end in [*brought, *self._written]:
            for key in [key for key in self._read if key[0] < end and begin < key[1]]:
                self._written[key] = self._read.pop(key)

    def _lay_out_tables(self) -> dict[int, int]:
        """Distance (bytes) of the table of each bundle from the first word; the word before it belongs to it."""
        found, words = {}, 0
        for key, bundle in self._bundles.items():
            found[key] = WORD * (words + 1)
            words += 1 + len(bundle.table_words)
        self._table_words = words
        return found

    def _filled_tables(self) -> np.ndarray:
        tables = np.zeros(max(1, self._table_words), dtype=np.int64)
        for key, bundle in self._bundles.items():
            first = self._tables[key] // WORD
            tables[first - 1] = self._private.distance(bundle.address) if number_names(type(bundle)) else 0
            for name, word in bundle.field_places().items():
                value = getattr(bundle, name)
                if isinstance(value, Bundle):
                    tables[first + word] = self._tables[id(value)]
                elif isinstance(value, np.ndarray):
                    tables[first + word : first + word + 1 + value.ndim] = [self._distance(value), *value.shape]
        return tables

    def _distance(self, array: np.ndarray) -> int:
        """As tables have it."""
        if not array.size:
            return 0
        try:
            return self._private.distance(array.ctypes.data)
        except KeyError:
            return SHARED + self._shared.distance(array.ctypes.data)

    def _place(self, value: Any) -> Any:
        """As :class:`locodyn.device.code.Entry` has it."""
        if isinstance(value, str) or value is None:
            return (value,)
        if isinstance(value, tuple):
            return tuple(self._place(one) for one in value)
        if isinstance(value, Bundle):
            return "table", self._tables[id(value)]
        if isinstance(value, np.ndarray):
            return "array", self._distance(value), value.shape
        return ("number",)

    def _pointers(self) -> Iterator[tuple[int, int]]:
        """(number of a word, distance of what it points to) of the addresses among the arrays themselves."""
        for bundle in self._bundles.values():
            if isinstance(bundle, Swap) and bundle.at.size:
                first = self._private.distance(bundle.at.ctypes.data) // WORD
                for k, (address, count) in enumerate(zip(bundle.at, bundle.count, strict=True)):
                    yield first + k, self._private.distance(int(address)) if count else 0

    def _narrow_places(self) -> Iterator[tuple[int, int]]:
        """(number of a word, the count in it) of the places that robots bring numbers to and that are kept single."""
        for bundle in self._bundles.values():
            if isinstance(bundle, Swap) and bundle.count.size:
                first = self._private.distance(bundle.count.ctypes.data) // WORD
                for k, (address, count) in enumerate(zip(bundle.at, bundle.count, strict=True)):
                    if count and self._private.is_narrow(int(address)):
                        yield first + k, int(count)


def _agreed(told: list[int]) -> int:
    """What all say of a fact; 0, nothing, where they do not agree."""
    return told[0] if len(set(told)) == 1 else 0
