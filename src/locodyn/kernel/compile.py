"""The one decorator of every kernel.

A kernel is a plain Python function of scalars, fixed-length tuples and arrays. ``@kernel`` compiles it with Numba, once for
each *element type* it meets: ``float64`` (one robot) or a lane (several robots in one SIMD register). The undecorated
function stays reachable and runs on symbols, see :mod:`locodyn.kernel.twin`.

Rules for the body of a kernel (they make the one source possible):

1. Values are scalars and tuples. Arrays are touched as ``a[i]`` and ``a[i, j]`` only; workspace is passed in; nothing allocates.
2. Arithmetic is ``+ - * /`` and the primitives of :mod:`locodyn.kernel.primitives`. No ``math.*``, no ``abs``, no ``max``.
3. ``if`` only on integers of the model (joint code, flags); a choice that depends on data goes through ``select_lt``.
4. A float constant is written ``lit(x, 0.5)``: it takes the element type of ``x``.
5. One reciprocal per denominator, then multiply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from locodyn.kernel.cache import KernelCache
from locodyn.kernel.routine import NamedCompiler, called

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a kernel on first use and keep the machine code on disk.

    No fast-math: an expression means the same bits on one robot and on lanes of robots.
    """
    return _compiled(function)


def step(function: F) -> F:
    """A kernel that is merged into its callers: the algebra of one body, on tuples."""
    return _compiled(function, forceinline=True)


def routine(function: F) -> F:
    """A large kernel that is compiled once and called, see :mod:`locodyn.kernel.routine`."""
    dispatcher: Any = _compiled(function)
    return called(dispatcher) if hasattr(dispatcher, "add_overload") else dispatcher


def _compiled(function: F, **options: Any) -> F:
    # _nrt=False: no reference counting, since nothing is allocated; it halves the cost of a call from Python.
    njit: Any = numba.njit
    options |= {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True, "_nrt": False, "pipeline_class": NamedCompiler}
    dispatcher = njit(**options)(function)
    if hasattr(dispatcher, "_cache"):  # absent when NUMBA_DISABLE_JIT is set
        dispatcher._cache = KernelCache(function)
    return dispatcher
