"""A kernel that makes steps of many robots, ready to be launched: on a card, or, to compare, on this machine.

Both take the same memory image and give the same answers; see :mod:`locodyn.device.code`.
"""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding

from locodyn.device.code import COMMON_START, ENTRY, START, Entry, optimised, program, ptx
from locodyn.device.driver import Card, DeviceArray
from locodyn.errors import InputError
from locodyn.kernel.cache import cache_folder

_WIDTH = 64  # threads of a block
_LOCAL = 512 * 1024  # bytes that a thread of a card can have


class HostProgram:
    """The program on this machine, robot after robot."""

    def __init__(self, kernel: Any, entry: Entry, needed: Any) -> None:
        module = optimised(program(kernel, entry, False, needed), False)
        machine = binding.Target.from_default_triple().create_target_machine(
            binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), 3
        )
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        pointer, word = ctypes.c_void_p, ctypes.c_int64
        kind = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer, word, word, pointer)
        self._call = kind(self._engine.get_function_address(ENTRY))
        self._common = ctypes.c_uint64.from_address(self._engine.get_global_value_address(COMMON_START))
        self._answer = np.zeros(2, dtype=np.int64)

    def start(self) -> int:
        """Address at which the memory of a robot begins."""
        self._launch(0, 0, 0, 0, 0, 0)
        return int(self._answer[0])

    def run(self, own: np.ndarray, common: np.ndarray, robots: int, numbers: np.ndarray, chosen: np.ndarray, steps: int) -> int:
        """Steps of the robots ``chosen``, whose table is at address ``robots``; the answer of the entry, 0 where all is well."""
        self._common.value = common.ctypes.data
        self._launch(own.ctypes.data, robots, numbers.ctypes.data, chosen.ctypes.data, len(chosen), steps)
        return int(self._answer[0])

    def _launch(self, *arguments: int) -> None:
        self._answer[:] = 0
        self._call(*arguments, self._answer.ctypes.data)


class CardProgram:
    """The program on a card. Its assembly is kept on disk."""

    def __init__(self, card: Card, kernel: Any, entry: Entry, needed: Any) -> None:
        if 8 * entry.words > _LOCAL - 16 * 1024:
            raise InputError(
                f"a robot of this batch needs {8 * entry.words / 1024:.0f} kB of memory for its steps, and a thread of a graphics"
                f" card has {_LOCAL // 1024}; leave device away to use the processor."
            )
        self._card = card
        module = program(kernel, entry, True, needed)
        kept = cache_folder() / "device" / f"{hashlib.sha256(module.as_bitcode()).hexdigest()}.ptx"
        self._module = card.load(kept.read_text() if kept.exists() else _made(module, kept))
        self._entry = card.function(self._module, ENTRY)
        asked, (free, _) = self._entry.local_bytes * card.multiprocessors * card.threads_each, card.memory()
        if asked > free:
            raise InputError(
                f"the threads of the {card.name} would need {asked / 2**30:.3g} GiB of memory for the steps of this robot, and"
                f" {free / 2**30:.3g} GiB are left."
            )
        self._answer = DeviceArray(card, np.zeros(2, dtype=np.int64))
        self._kept: dict[str, DeviceArray] = {}
        self._common = 0

    def start(self) -> int:
        """Address at which the memory of a robot begins."""
        self._entry.launch(1, _WIDTH, 0, 0, 0, 0, 0, 0, self._answer.address)
        local, address = map(int, self._answer.get())
        self._card.set_word(self._module, START, local)
        return address

    def run(self, own: np.ndarray, common: np.ndarray, robots: int, numbers: np.ndarray, chosen: np.ndarray, steps: int) -> int:
        """As of :class:`HostProgram`; ``robots`` is an address on the card."""
        there = [self._there(name, one) for name, one in (("own", own), ("numbers", numbers), ("chosen", chosen))]
        common_at = self._there("common", common).address
        if common_at != self._common:
            self._card.set_word(self._module, COMMON_START, common_at)
            self._common = common_at
        self._answer.put(np.zeros(2, dtype=np.int64))
        image, values, numbers_of = (one.address for one in there)
        self._entry.launch(len(chosen), _WIDTH, image, robots, values, numbers_of, len(chosen), steps, self._answer.address)
        return int(self._answer.get()[0])

    def _there(self, name: str, array: np.ndarray) -> DeviceArray:
        """An array on the card, copied where it has changed."""
        kept = self._kept.get(name)
        if kept is None or kept.shape != array.shape:
            kept = self._kept[name] = DeviceArray(self._card, array)
            kept.last = array.copy()
        elif kept.last is None or not np.array_equal(kept.last, array):
            kept.put(array)
            kept.last = array.copy()
        return kept


def _made(module: Any, kept: Path) -> str:
    """Assembly of a program, which is kept in a file."""
    text = ptx(optimised(module, True))
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(text)
    part.replace(kept)
    return text
