"""The driver of NVIDIA's cards, as far as it is needed here, through its C interface: no toolkit, no further package.

``Card()`` is the first card of the machine; where there is none, one sentence says so.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Mapping
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from enum import IntEnum
from typing import Any

import numpy as np

from locodyn.errors import InputError

WORD = 8  # bytes
_LIBRARIES = {"linux": ("libcuda.so.1", "libcuda.so"), "win32": ("nvcuda.dll",)}


class _Device(IntEnum):
    """Attributes of a device, as the interface counts them."""

    MULTIPROCESSORS = 16
    THREADS_EACH = 39
    MAJOR = 75
    MINOR = 76


class DriverAnswer(IntEnum):
    """Answers of the driver that are not failures of a program."""

    OUT_OF_MEMORY = 2


class _Cache(IntEnum):
    """What the memory of a multiprocessor serves as: not for the threads of a block to share, which no kernel here asks for."""

    PREFERRED = 2


class _Function(IntEnum):
    """Attributes of a function."""

    LOCAL_BYTES = 3
    REGISTERS = 4


class _Assembler(IntEnum):
    """Options of the assembler: registers of a thread; what it says of an error."""

    MOST_REGISTERS = 0
    LOG_BUFFER = 5
    LOG_SIZE = 6


class NoCard(InputError):
    """There is no card here, or it cannot be used."""


@functools.cache
def _driver() -> Any:
    for name in _LIBRARIES.get(sys.platform, ()):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        code = library.cuInit(0)
        if code:
            raise NoCard(f"the driver of the graphics card does not start ({_words(library, code)}).")
        return library
    raise NoCard('there is no driver of an NVIDIA card on this machine; leave device="cuda" away to use its processor.')


def _words(library: Any, code: int) -> str:
    text = c_char_p()
    library.cuGetErrorString(code, byref(text))
    return (text.value or b"error").decode() + f", number {code}"


class DeviceError(RuntimeError):
    """The card has refused a call, or failed in it; ``code`` is that of the driver."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Card:
    """The first card of this machine."""

    local_held = 0  # bytes of local memory that the driver holds: as many as any launch of this process has asked for

    def __init__(self) -> None:
        self._library = _driver()
        self._device, self._context = c_int(), c_void_p()
        try:
            self._call("cuDeviceGet", byref(self._device), 0)
        except DeviceError:
            raise NoCard("the driver of NVIDIA cards is here, but no card.") from None
        self._call("cuDevicePrimaryCtxRetain", byref(self._context), self._device)
        self.use()
        name = ctypes.create_string_buffer(100)
        self._call("cuDeviceGetName", name, 100, self._device)
        self.name = name.value.decode()
        self.multiprocessors, self.threads_each = self._attribute(_Device.MULTIPROCESSORS), self._attribute(_Device.THREADS_EACH)
        self.architecture = 10 * self._attribute(_Device.MAJOR) + self._attribute(_Device.MINOR)
        version = c_int()
        self._call("cuDriverGetVersion", byref(version))
        self.driver = f"{version.value // 1000}.{version.value % 1000 // 10}"

    def use(self) -> None:
        """Let calls of this thread of Python be for this card."""
        self._call("cuCtxSetCurrent", self._context)

    def memory(self) -> tuple[int, int]:
        """Free and whole memory, bytes."""
        free, whole = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(whole))
        return free.value, whole.value

    def lacks(self, local_bytes: int) -> tuple[int, int] | None:
        """(bytes asked for, bytes there) where a launch with so much local memory a thread does not fit; else None.

        The driver gives local memory to all threads that the card can run at once, and keeps it for later launches.
        """
        asked, there = local_bytes * self.multiprocessors * self.threads_each, self.memory()[0] + type(self).local_held
        return (asked, there) if asked > there else None

    def launched(self, local_bytes: int) -> None:
        """To be called at a launch with so much local memory a thread."""
        held = type(self)
        held.local_held = max(held.local_held, local_bytes * self.multiprocessors * self.threads_each)

    def load(self, ptx: str, registers: int = 255) -> Any:
        """Module of assembly, with at most so many registers a thread; the driver assembles it, and keeps the result on disk."""
        module, log = c_void_p(), ctypes.create_string_buffer(4096)
        options = (c_int * 3)(_Assembler.LOG_BUFFER, _Assembler.LOG_SIZE, _Assembler.MOST_REGISTERS)
        values = (c_void_p * 3)(ctypes.addressof(log), len(log), registers)
        code = self._library.cuModuleLoadDataEx(byref(module), ptx.encode(), 3, options, values)
        if code:
            raise DeviceError(code, f"the card does not take the code ({_words(self._library, code)}): {log.value.decode()}")
        return module

    def function(self, module: Any, name: str) -> Function:
        """A function of a module."""
        found = c_void_p()
        self._call("cuModuleGetFunction", byref(found), module, name.encode())
        values = []
        for attribute in (_Function.LOCAL_BYTES, _Function.REGISTERS):
            value = c_int()
            self._call("cuFuncGetAttribute", byref(value), attribute, found)
            values.append(value.value)
        self._call("cuFuncSetCacheConfig", found, _Cache.PREFERRED)
        return Function(self, found, *values)

    def set_word(self, module: Any, name: str, value: int) -> None:
        """Write a variable of a module."""
        address, size = c_uint64(), c_size_t()
        self._call("cuModuleGetGlobal_v2", byref(address), byref(size), module, name.encode())
        word = c_uint64(value)
        self._call("cuMemcpyHtoD_v2", address, byref(word), c_size_t(8))

    def wait(self) -> None:
        """Until all that was asked for is done."""
        self._call("cuCtxSynchronize")

    def _attribute(self, number: int) -> int:
        value = c_int()
        self._call("cuDeviceGetAttribute", byref(value), number, self._device)
        return value.value

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code:
            raise DeviceError(code, f"{name} of the graphics card failed: {_words(self._library, code)}.")


class Function:
    """A function on a card, with the local memory (bytes) and the registers of a thread."""

    def __init__(self, card: Card, function: Any, local_bytes: int, registers: int) -> None:
        self._card, self._function, self.local_bytes, self.registers = card, function, local_bytes, registers

    def launch(self, threads: int, width: int, *arguments: int) -> None:
        """Start ``threads`` threads in blocks of ``width``, with words as arguments."""
        words = [c_uint64(value) for value in arguments]
        pointers = (c_void_p * len(words))(*(ctypes.addressof(word) for word in words))
        blocks = -(-threads // width)
        self._card._call("cuLaunchKernel", self._function, *map(c_uint, (blocks, 1, 1, width, 1, 1, 0)), None, pointers, None)
        self._card.launched(self.local_bytes)


class DeviceArray:
    """An array in the memory of a card, a copy of one here or there.

    PyTorch, JAX and CuPy see it without a copy (``__cuda_array_interface__``).
    """

    def __init__(self, card: Card, array: np.ndarray | DeviceArray) -> None:
        self._card = card
        self.shape: tuple[int, ...] = array.shape
        self.dtype: np.dtype[Any] = array.dtype
        self.nbytes: int = array.nbytes
        self.last: np.ndarray | None = None  # what was put, where the owner keeps it
        address = c_uint64()
        try:
            card._call("cuMemAlloc_v2", byref(address), c_size_t(max(self.nbytes, 8)))
        except DeviceError as error:
            if error.code != DriverAnswer.OUT_OF_MEMORY:
                raise
            free, _ = card.memory()
            raise InputError(
                f"the {card.name} has {free / 2**30:.3g} GiB of memory left, and {self.nbytes / 2**30:.3g} GiB are asked for;"
                " take fewer robots."
            ) from None
        self.address = address.value
        if isinstance(array, DeviceArray):
            self.copy(array)
        else:
            self.put(array)

    def put(self, array: np.ndarray) -> None:
        """Copy an array of the same shape to the card."""
        source = np.ascontiguousarray(array, dtype=self.dtype)
        if source.nbytes:
            self._card._call("cuMemcpyHtoD_v2", c_uint64(self.address), c_void_p(source.ctypes.data), c_size_t(self.nbytes))

    def copy(self, other: DeviceArray) -> None:
        """Take the numbers of another array of the same shape."""
        self._card._call("cuMemcpyDtoD_v2", c_uint64(self.address), c_uint64(other.address), c_size_t(self.nbytes))

    def get(self, out: np.ndarray | None = None) -> np.ndarray:
        """Copy it from the card."""
        out = np.empty(self.shape, dtype=self.dtype) if out is None else out
        if self.nbytes:
            self._card._call("cuMemcpyDtoH_v2", c_void_p(out.ctypes.data), c_uint64(self.address), c_size_t(self.nbytes))
        return out

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3, "strides": None}

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self._card._library.cuMemFree_v2(c_uint64(self.address))


class DeviceColumns:
    """The last ``count`` words of each row of an array on a card, as float64: the same memory, for other libraries."""

    def __init__(self, array: DeviceArray, count: int) -> None:
        self._array, self.shape = array, (array.shape[0], count)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        words = self._array.shape[1]
        start = self._array.address + WORD * (words - self.shape[1])
        return {
            "shape": self.shape, "typestr": "<f8", "data": (start, False), "version": 3, "strides": (WORD * words, WORD),
        }  # fmt: skip


def fetched(interface: Mapping[str, Any]) -> np.ndarray:
    """A copy here of an array on a card, as its ``__cuda_array_interface__`` describes it."""
    shape, dtype, strides = interface["shape"], np.dtype(interface["typestr"]), interface.get("strides")
    out = np.empty(shape, dtype=dtype)
    if strides is not None and tuple(strides) != out.strides:
        raise InputError("an array on a card must lie row after row in its memory; copy it there first (contiguous).")
    if out.nbytes:
        card = Card()
        card.wait()  # for those that write it
        card._call("cuMemcpyDtoH_v2", c_void_p(out.ctypes.data), c_uint64(interface["data"][0]), c_size_t(out.nbytes))
    return out


def found() -> str:
    """In one sentence: the card of this machine with its memory and driver, or why there is none."""
    try:
        card = Card()
    except NoCard as error:
        return str(error)
    free, whole = card.memory()
    return (
        f"{card.name}: {whole / 2**30:.3g} GiB of memory, {free / 2**30:.3g} GiB of it free, {card.multiprocessors}"
        f" multiprocessors, architecture {card.architecture / 10:g}, driver for CUDA {card.driver}."
    )
