"""A graphics card in the memory of this machine: what the driver would do is done here, and launches run the host's program.

``emulated(monkeypatch)`` lets ``device="cuda"`` and files of steps use it, so that all but the driver and the assembly is tested.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from locodyn.device import driver, launch
from locodyn.device.card_program import COMMON_START
from locodyn.device.driver import Card, DeviceError, DriverAnswer
from locodyn.device.programs import HostProgram


class _Library:
    def cuMemFree_v2(self, address: Any) -> int:
        EmulatedCard.held.pop(address.value, None)
        return 0


class _Function:
    registers, local_bytes = 0, 0

    def __init__(self, program: HostProgram) -> None:
        self._program = program

    def launch(self, threads: int, width: int, *arguments: int) -> None:
        self._program.call(*arguments)


class EmulatedCard(Card):
    """``free``: bytes of memory that are left."""

    held: dict[int, np.ndarray] = {}  # noqa: RUF012  memory of all cards, by address
    programs: dict[str, HostProgram] = {}  # noqa: RUF012  by the text that stands for their assembly
    free = 2**30

    def __init__(self) -> None:
        self._library, self.name, self.multiprocessors, self.threads_each = _Library(), "emulated card", 1, 1

    def use(self) -> None:
        pass

    wait = use

    def memory(self) -> tuple[int, int]:
        return self.free, 2**30

    def load(self, ptx: str, registers: int = 255) -> Any:
        return self.programs[ptx]

    def function(self, module: Any, name: str) -> Any:
        return _Function(module)

    def set_word(self, module: Any, name: str, value: int) -> None:
        if name == COMMON_START:
            module._common.value = value

    def _call(self, name: str, *arguments: Any) -> None:
        if name == "cuMemAlloc_v2":
            target, size = arguments
            if size.value > self.free:
                raise DeviceError(DriverAnswer.OUT_OF_MEMORY, "out of memory")
            array = np.zeros(size.value, dtype=np.uint8)
            self.held[array.ctypes.data] = array
            target._obj.value = array.ctypes.data
            return
        assert name in ("cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2"), name
        to, start, size = (one.value for one in arguments)
        ctypes.memmove(to, start, size)


def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let devices of this process be emulated."""

    def assembly(kernel: Any, entry: Any, needed: Any) -> str:
        text = f"program {len(EmulatedCard.programs)}"
        EmulatedCard.programs[text] = HostProgram(kernel, entry, needed)
        return text

    monkeypatch.setattr(launch, "Card", EmulatedCard)
    monkeypatch.setattr(driver, "Card", EmulatedCard)
    monkeypatch.setattr(launch, "assembly", assembly)
