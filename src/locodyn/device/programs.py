"""A kernel that makes steps of many robots, ready to be launched: on a card, or, to compare, on this machine.

Both take the same memory image and give the same answers; see :mod:`locodyn.device.code`. ``assembly`` is what a card gets;
:class:`~locodyn.device.card_program.CardProgram` launches it.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding

from locodyn.device.card_program import COMMON_START, ENTRY, LOCAL
from locodyn.device.code import Entry, optimised, program, ptx
from locodyn.errors import InputError
from locodyn.kernel.cache import cache_folder


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
        self.call(*arguments, self._answer.ctypes.data)

    def call(self, *arguments: int) -> None:
        """The entry, with addresses and numbers; always as deep in the stack, where the memory of a robot lies."""
        _alone().submit(self._call, *arguments).result()


@functools.cache
def _alone() -> ThreadPoolExecutor:
    """One thread that does nothing else: what it calls finds its stack as it was at the call before."""
    return ThreadPoolExecutor(1, "locodyn device")


def assembly(kernel: Any, entry: Entry, needed: Any) -> str:
    """Of a kernel for a card; kept on disk."""
    if 8 * entry.words > LOCAL - 16 * 1024:
        raise InputError(
            f"a robot of this batch needs {8 * entry.words / 1024:.0f} kB of memory for its steps, and a thread of a graphics"
            f" card has {LOCAL // 1024}; leave device away to use the processor."
        )
    module = program(kernel, entry, True, needed)
    kept = cache_folder() / "device" / f"{hashlib.sha256(module.as_bitcode()).hexdigest()}.ptx"
    return kept.read_text() if kept.exists() else _made(module, kept)


def _made(module: Any, kept: Path) -> str:
    """Assembly of a program, which is kept in a file."""
    text = ptx(optimised(module, True))
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(text)
    part.replace(kept)
    return text
