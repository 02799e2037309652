"""Robots of a batch that make their steps on a device.

The states of all robots, and the words that each brings along, lie on the device; here is a copy of them, which is fetched when
it is read and sent when it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import typeof

from locodyn.device.card_program import Answer, CardProgram, registers_for, table_of
from locodyn.device.code import entry_of
from locodyn.device.driver import Card, DeviceArray, DeviceColumns
from locodyn.device.image import Image
from locodyn.device.programs import HostProgram, assembly
from locodyn.errors import InputError
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.late import reached

DEVICES = ("cuda", "host")


class DeviceRobots:
    """The bundle ``robots`` of a batch, with its arrays on a device; :meth:`launch` is for steppers.

    ``device``: ``"cuda"``, the first NVIDIA card; ``"host"``, this machine, where the program of the card runs robot by robot: to
    compare. ``count``: robots, where it is not the length of the arrays. ``whole``: programs have all late kernels from the
    start, but for those in ``without``, which no such robot calls. ``single``: tables are kept single, see
    :mod:`locodyn.device.single`.
    """

    def __init__(
        self,
        robots: Bundle,
        device: str,
        count: int | None = None,
        whole: bool = False,
        without: Sequence[Any] = (),
        single: bool = False,
    ) -> None:
        if device not in DEVICES:
            raise InputError(f"device is {device!r}; it must be one of {', '.join(map(repr, DEVICES))}, or None: the processor.")
        self.robots, self._whole, self._without, self._single = robots, whole, tuple(without), single
        self._names = tuple(robots.field_places())
        self._count = len(getattr(robots, self._names[0])) if count is None else count
        self.card = Card() if device == "cuda" else None
        self.name = "host" if self.card is None else self.card.name
        self._programs: dict[Any, tuple[Image, Any, int, bool]] = {}
        self.arrays: dict[str, DeviceArray] = {}
        self._newer_here: set[str] = set()
        self._newer_there: set[str] = set()
        if self.card is not None:
            self._room(self.card)
            self.arrays = {name: DeviceArray(self.card, getattr(robots, name)) for name in self._names}
            self._table = table_of(self.card, robots.table_words, robots.field_places(), self.arrays)

    def fetch(self, *names: str) -> None:
        """Have arrays here as they are on the device."""
        for name in names:
            if name in self._newer_there:
                self.arrays[name].get(getattr(self.robots, name))
                self._newer_there.discard(name)

    def changed(self, *names: str) -> None:
        """Arrays were written here."""
        self._newer_here.update(names)

    def lent(self, actions: int) -> dict[str, DeviceArray | DeviceColumns]:
        """The arrays on the card as they are now, for others to read and write; ``action``: so many words of each robot."""
        if self.card is None:
            return {}
        self._send()
        self._newer_there = set(self._names)
        more = {"action": DeviceColumns(self.arrays["own"], actions)} if actions else {}
        return {**self.arrays, **more}

    def launch(self, kernel: Any, robots: Bundle, turn: Bundle, chosen: np.ndarray, count: int, *arguments: Any) -> None:
        """Call a kernel of :mod:`locodyn.integrate.robots` with one robot at a time, each in memory of its own."""
        self._send()
        key = (kernel, *(id(one) for one in (turn, *arguments) if isinstance(one, Bundle)))
        types = tuple(map(typeof, (robots, turn, chosen, count, *arguments)))
        if key not in self._programs:
            self._programs[key] = self._program(kernel, types, turn, arguments, self._whole)
        image, made, start, whole = self._programs[key]
        chosen = np.ascontiguousarray(chosen, dtype=np.int64)
        before = None if whole else self._done()
        answer = self._run(image, made, start, chosen, count, arguments)
        if answer == Answer.LACKING and before is not None:
            again = self._stopped(chosen, before)
            self._programs[key] = image, made, start, whole = self._program(kernel, types, turn, arguments, whole=True)
            answer = self._run(image, made, start, again, count, arguments)
        if answer:
            why = {Answer.MISPLACED: "the memory of threads has moved", Answer.LACKING: "a kernel is missing"}[Answer(answer)]
            raise RuntimeError(f"the program on the device has not run: {why}.")

    def copies(self, *names: str) -> list[np.ndarray | DeviceArray]:
        """Copies of arrays as they are now, which stay on the card where there is one."""
        self._send()
        if self.card is None:
            return [getattr(self.robots, name).copy() for name in names]
        return [DeviceArray(self.card, self.arrays[name]) for name in names]

    # ------------------------------------------------------------------------------------------------------------ inside
    def _send(self) -> None:
        """Have arrays on the card as they are here."""
        if self.card is not None:
            self.card.use()
            for name in self._newer_here:
                self.arrays[name].put(getattr(self.robots, name))
            self._newer_here.clear()

    def _program(self, kernel: Any, types: Any, turn: Bundle, arguments: Any, whole: bool) -> tuple[Image, Any, int, bool]:
        """Image and program of a kernel; not ``whole``: without late kernels that no run of this process has reached."""
        image = Image(["robots", turn, "chosen", "count", *arguments], self._single)
        entry = entry_of(types, image)
        known = reached()

        def needed(late: Any) -> bool:
            return late not in self._without and (whole or late in known)

        if self.card is None:
            made: Any = HostProgram(kernel, entry, needed)
        else:
            text = assembly(kernel, entry, needed)
            made = CardProgram(self.card, text, registers_for(self._count, text))
        return image, made, made.start(), whole

    def _run(self, image: Image, made: Any, start: int, chosen: np.ndarray, count: int, arguments: Any) -> int:
        image.fill(start)
        numbers = numbers_of(arguments)
        robots = self.robots.address if self.card is None else self._table.address
        answer: int = made.run(image.own, image.common, robots, numbers, chosen, count)
        if self.card is not None:
            self._newer_there = set(self._names)
        return answer

    def _stopped(self, chosen: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Which of the robots chosen have made no step, and have not failed: such a robot is as it was."""
        self.fetch(*self._names)
        own: Any = self.robots
        stopped: np.ndarray = chosen[(own.done[chosen] == before[chosen]) & (own.failed[chosen] < 0)]
        return stopped

    def _done(self) -> np.ndarray:
        """Steps that robots have made, (count,)."""
        if self.card is None:
            robots: Any = self.robots
            return np.array(robots.done)
        return self.arrays["done"].get()

    def _room(self, card: Card) -> None:
        arrays = [getattr(self.robots, name) for name in self._names]
        asked, (free, _) = sum(one.nbytes for one in arrays), card.memory()
        if asked > free:
            fits = int(self._count * free / asked)
            raise InputError(
                f"the states of {self._count} robots need {asked / 2**30:.3g} GiB, and the {card.name} has"
                f" {free / 2**30:.3g} GiB left: {fits} robots fit."
            )


def file_steps(
    file: str | Path, kernel: Any, robots: Bundle, turn: Bundle, chosen: np.ndarray, count: int, *arguments: Any, tile: int = 1,
    without: Sequence[Any] = (), single: bool = False,
) -> None:  # fmt: skip
    """Write what a card needs for the steps of these robots to a file (npz).

    :class:`~locodyn.device.card_program.FiledRobots` reads it, where there is a card. The arguments are those of
    :meth:`DeviceRobots.launch`; ``tile``: robots of an entry of their arrays. Late kernels that no run of this process has
    reached, and those in ``without``, are left out. ``single``: as of :class:`DeviceRobots`.
    """
    image = Image(["robots", turn, "chosen", "count", *arguments], single)
    types = tuple(map(typeof, (robots, turn, chosen, count, *arguments)))
    known, names = reached(), list(robots.field_places())
    text = assembly(kernel, entry_of(types, image), lambda late: late in known and late not in without)
    image.fill(0)
    np.savez_compressed(
        file, text=np.frombuffer(text.encode(), dtype=np.uint8), own=image.own, common=image.common, addresses=image.addresses,
        numbers=numbers_of(arguments), table=robots.table_words, names=np.array(names),
        places=np.array([robots.field_places()[name] for name in names]), tile=tile,
        **{f"robots_{name}": getattr(robots, name) for name in names},
    )  # fmt: skip


def numbers_of(arguments: Sequence[Any]) -> np.ndarray:
    """The plain numbers among the arguments of a kernel, as words of memory."""
    return np.array([_word(one) for one in arguments if isinstance(one, (int, float))], dtype=np.int64)


def _word(value: float) -> int:
    """A number as a word of memory."""
    return int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value)
