"""A program on a card, from its assembly: where robots find their memory, and the launch of their steps.

Needs the driver and NumPy alone, so that assembly that was made on one machine runs on another (:class:`FiledRobots`).
"""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import numpy as np

from locodyn.device.driver import Card, DeviceArray
from locodyn.errors import InputError

ENTRY, START, COMMON_START = "locodyn_robots", "locodyn_start", "locodyn_common_start"
LOCAL = 512 * 1024  # bytes that a thread of a card can have
_MANY = 32768  # robots above which threads get fewer registers: more threads at once are worth what is spilled
_LARGE = 192 * 1024  # bytes of a robot above which memory is all that counts, and a thread keeps its registers
_DEPOT = re.compile(r"\.local[^;]*__local_depot\d+\[(\d+)\]")  # memory of a thread, in assembly
WARP = 32  # threads of a card that go together; blocks are as small, so that few robots are spread over the whole card


class Answer(IntEnum):
    """What the entry says where robots were not stepped: their memory is elsewhere, or a kernel was left out."""

    MISPLACED = 1
    LACKING = 2


class _Registers(IntEnum):
    """Of a thread: all that it can have; where there are many; where there are many without double precision."""

    ALL = 255
    FEW = 128
    FEW_SINGLE = 64


def registers_for(count: int, text: str) -> int:
    """How many registers threads of a launch with so many robots get at most, from their assembly: as an H200 was fastest.

    There, with 65536 robots: a snake on the ground (96 kB a robot), a quadruped (38 kB) and trees with 128 in double precision
    and 64 in single precision, rods with implicit steps (270 kB) with 255. With up to 16384 robots all were so with 255.
    """
    if count <= _MANY or max(map(int, _DEPOT.findall(text)), default=0) > _LARGE:
        return _Registers.ALL
    return _Registers.FEW if ".f64" in text else _Registers.FEW_SINGLE


class CardProgram:
    """The program on a card. ``registers``: at most, of a thread; fewer let more threads run at once."""

    def __init__(self, card: Card, text: str, registers: int = 255) -> None:
        self._card = card
        self._module = card.load(text, registers)
        self._entry = card.function(self._module, ENTRY)
        lack = card.lacks(self._entry.local_bytes)
        if lack:
            asked, there = (number / 2**30 for number in lack)
            raise InputError(
                f"the threads of the {card.name} would need {asked:.3g} GiB of memory for the steps of this robot, and"
                f" {there:.3g} GiB are left."
            )
        self.registers, self.local_bytes = self._entry.registers, self._entry.local_bytes
        self._answer = DeviceArray(card, np.zeros(2, dtype=np.int64))
        self._kept: dict[str, DeviceArray] = {}
        self._common = 0

    def start(self) -> int:
        """Address at which the memory of a robot begins."""
        self._entry.launch(1, WARP, 0, 0, 0, 0, 0, 0, self._answer.address)
        local, address = map(int, self._answer.get())
        self._answer.put(np.zeros(2, dtype=np.int64))
        self._card.set_word(self._module, START, local)
        return address

    def run(self, own: np.ndarray, common: np.ndarray, robots: int, numbers: np.ndarray, chosen: np.ndarray, steps: int) -> int:
        """As of :class:`HostProgram`; ``robots`` is an address on the card."""
        there = [self._there(name, one) for name, one in (("own", own), ("numbers", numbers), ("chosen", chosen))]
        common_at = self._there("common", common).address
        if common_at != self._common:
            self._card.set_word(self._module, COMMON_START, common_at)
            self._common = common_at
        image, values, numbers_of = (one.address for one in there)
        self._entry.launch(len(chosen), WARP, image, robots, values, numbers_of, len(chosen), steps, self._answer.address)
        answer = int(self._answer.get()[0])
        if answer:  # the entry writes it where something is wrong
            self._answer.put(np.zeros(2, dtype=np.int64))
        return answer

    def _there(self, name: str, array: np.ndarray) -> DeviceArray:
        """An array on the card, copied where it has changed."""
        kept = self._kept.get(name)
        if kept is not None and kept.last is array and not array.flags.writeable:
            return kept
        if kept is None or kept.shape != array.shape:
            kept = self._kept[name] = DeviceArray(self._card, array)
        elif kept.last is None or not np.array_equal(kept.last, array):
            kept.put(array)
        kept.last = array.copy() if array.flags.writeable else array
        return kept


def table_of(card: Card, words: np.ndarray, places: dict[str, int], arrays: dict[str, DeviceArray]) -> DeviceArray:
    """The table of a bundle of robots, ``words``, with addresses and extents of its arrays on the card at their ``places``."""
    table = words.copy()
    for name, there in arrays.items():
        table[places[name] : places[name] + 1 + len(there.shape)] = [there.address, *there.shape]
    return DeviceArray(card, table)


class FiledRobots:
    """Robots whose program and first states are in a file of :func:`~locodyn.device.launch.file_steps`, on a card.

    ``count``: so many, those of the file in turn; ``first``: their first states. ``registers``, ``local_bytes``: of a
    thread. ``most_registers``: as of :class:`CardProgram`, by default
    :func:`registers_for`.
    """

    def __init__(self, card: Card, file: str | Path, count: int, most_registers: int | None = None) -> None:
        with np.load(file) as kept:
            stored = {name: kept[name] for name in kept.files}
        self._stored = stored
        names = [str(name) for name in stored["names"]]
        states = {name: stored[f"robots_{name}"] for name in names}
        turns = np.arange(-(-count // int(stored["tile"]))) % len(states["q"])
        self.first = {name: one[turns] for name, one in states.items()}
        self.arrays = {name: DeviceArray(card, one) for name, one in self.first.items()}
        places = dict(zip(names, map(int, stored["places"]), strict=True))
        self._table = table_of(card, stored["table"], places, self.arrays)
        text = stored["text"].tobytes().decode()
        self._program, self._card = CardProgram(card, text, most_registers or registers_for(count, text)), card
        self.registers, self.local_bytes = self._program.registers, self._program.local_bytes
        self._own, self._chosen = stored["own"].copy(), np.arange(count, dtype=np.int64)
        self._chosen.flags.writeable = False
        addresses = stored["addresses"]
        self._own[addresses[:, 0]] = self._program.start() + addresses[:, 1]

    def advance(self, steps: int) -> None:
        """So many steps of every robot; waits for their end."""
        numbers, common = self._stored["numbers"], self._stored["common"]
        answer = self._program.run(self._own, common, self._table.address, numbers, self._chosen, steps)
        if answer:
            raise RuntimeError(f"the program on the card has not run: answer {answer}.")
        self._card.wait()
