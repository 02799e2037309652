"""The plain life of a kernel: the same code object, run as ordinary Python on float64, with the bits of the compiled one.

To compile what one evaluation of a robot needs takes some seconds, to run it as Python some milliseconds. Within
:func:`uncompiled`, a kernel that Python calls and whose code is not on disk yet is therefore not compiled but run by the
interpreter. That pays where a command asks for a few evaluations and ends (``locodyn describe``), not in a run. After some
seconds in this life kernels are compiled as ever. The first kernel that a process loads takes a fifth of a second, in which
Numba starts: where even that is too much, none is loaded.

The bits are those of compiled code because kernels have few operations (rules of :mod:`locodyn.kernel.compile`) and LLVM may not
exchange any of them: ``+ - * /`` and square roots are rounded alike, ``sincos`` is made of them, ``fma`` is rounded once here
too, and the exponential function is that of the C library in both. Constants become NumPy's float64, so that a division by zero
gives infinity and no exception.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

SECONDS = 3.0  # of plain evaluations, after which kernels are compiled: about what compiling those of one robot takes


class _Allowance:
    """Seconds of CPU time for plain evaluations that are left, None outside of :func:`uncompiled`; whether kernels are loaded."""

    left: float | None = None
    loads: bool = True


class NotCompiled(Exception):
    """Code of a kernel is not on disk, and shall not be compiled."""


@contextmanager
def uncompiled(seconds: float = SECONDS, loads: bool = True) -> Iterator[None]:
    """Within it, kernels that are not on disk run in their plain life, up to so many seconds of CPU time in all.

    So do those on disk, unless they have been loaded, where it ``loads`` none.
    """
    before = _Allowance.left, _Allowance.loads
    _Allowance.left, _Allowance.loads = seconds, loads
    try:
        yield
    finally:
        _Allowance.left, _Allowance.loads = before


def refuse_to_compile() -> None:
    """To be called where a kernel would be compiled for Python: raises :class:`NotCompiled` while it shall not be."""
    if _Allowance.left is not None and _Allowance.left > 0.0:
        raise NotCompiled


def or_plain(kernel: Any) -> Callable[..., Any]:
    """What a dispatcher asks for the code that it calls, where it has none for these arguments: that, or the plain life."""
    find = kernel._compile_for_args

    def compile_for_arguments(*arguments: Any) -> Any:
        try:
            if not _Allowance.loads:
                refuse_to_compile()
            return find(*arguments)
        except NotCompiled:
            return plain_life(kernel)

    return compile_for_arguments


def plain_life(kernel: Any) -> Callable[..., Any]:
    """The kernel as a Python function of numbers, arrays and bundles that keeps account of its time."""
    function = _life()(kernel)

    def run(*arguments: Any) -> Any:
        begin = time.thread_time()
        try:
            with np.errstate(all="ignore"):
                return function(*(np.float64(one) if isinstance(one, float) else one for one in arguments))
        finally:
            if _Allowance.left is not None:
                _Allowance.left -= time.thread_time() - begin

    return run


@functools.cache
def _life() -> Any:
    """All plain lives; made late, since primitives are kernels themselves."""
    from locodyn.kernel import agreement, handle, primitives
    from locodyn.kernel.twin import Life

    fused = _c_fma()
    return Life(
        {
            primitives.lit: lambda like, value: np.float64(value),
            primitives.by_precision: lambda like, double, single: np.float64(double),
            primitives.fma: lambda a, b, c: np.float64(fused(a, b, c)),
            primitives.sqrt: np.sqrt,
            primitives.floor: np.floor,
            primitives.exp: exp,
            primitives.select_lt: lambda a, b, if_less, otherwise: if_less if a < b else otherwise,
            agreement.less: lambda a, b: a < b,
            agreement.at_most: lambda a, b: a <= b,
            agreement.everywhere_at_most: lambda a, b: a <= b,
            agreement.anywhere_at_most: lambda a, b: a <= b,
            agreement.where_at_most: lambda a, b, if_so, otherwise: if_so if a <= b else otherwise,
            agreement.differs: lambda a, b: a != b,
            agreement.part: lambda like: None,
            agreement.magnitude: abs,
            agreement.first_of: lambda x: x,
            agreement.place: lambda like, k: k,
            agreement.first_place: lambda k: k,
            agreement.last_place: lambda k: k,
            agreement.picked: lambda array, k: array[k],
            agreement.picked_from: lambda array, k, j: array[k, j],
            agreement.exchange: _exchange,
            agreement.exchange_in: lambda array, i, k, best: _exchange(array[i], k, best),
            handle.integers_at: lambda address, count: _array_at(ctypes.c_int64, address, count),
            handle.integer_table_at: lambda address, *shape: _array_at(ctypes.c_int64, address, *shape),
            handle.floats_at: lambda address, count: _array_at(ctypes.c_double, address, count),
            handle.float_table_at: lambda address, *shape: _array_at(ctypes.c_double, address, *shape),
        },
        number=np.float64,
    )


def _exchange(array: np.ndarray, k: int, best: int) -> None:
    """Entries k and ``best`` of an array (n,) change places."""
    array[k], array[best] = array[best], array[k]


@functools.cache
def _c_fma() -> Callable[[float, float, float], float]:
    """``fma`` of the C library, where it is found and rounds once; else that of fractions, ten times slower."""
    try:
        found = ctypes.CDLL("ucrtbase" if os.name == "nt" else None).fma
    except (OSError, AttributeError):
        return exact_fma
    found.restype, found.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    rounds_once = found(1.0 + 2.0**-27, 1.0 - 2.0**-27, -1.0) == -(2.0**-54)
    return found if rounds_once else exact_fma


def exact_fma(a: float, b: float, c: float) -> float:
    """a b + c with one rounding, from exact fractions."""
    if math.isfinite(a) and math.isfinite(b) and math.isfinite(c):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        try:
            if exact:
                return exact.numerator / exact.denominator
        except OverflowError:
            return math.inf if exact > 0 else -math.inf
    return a * b + c  # infinite, or exactly zero with the sign that the operations give


def exp(x: float) -> np.float64:
    """Exponential function of the C library."""
    try:
        return np.float64(math.exp(x))
    except OverflowError:
        return np.float64(math.inf)


def _array_at(kind: Any, address: int, *shape: int) -> np.ndarray:
    """The array of a shape at an address; its owner must outlive it."""
    count = math.prod(map(int, shape))
    return np.ctypeslib.as_array((kind * count).from_address(int(address))).reshape(shape)
