"""The decorators of kernels, and the rules that each of them promises.

A kernel is a plain Python function of numbers, fixed-length tuples, arrays and bundles (:mod:`locodyn.kernel.bundle`) that Numba
compiles on first use, once for each set of argument types. The line above it says where it runs:

``@compiled``
    Compiled, on float64: one robot.
``@compiled(lanes=True)``
    Also on lanes, with the same bits, as long as the robots in them choose alike (:mod:`locodyn.kernel.agreement`).
``@portable``
    Compiled on float64; compiled on lanes, several robots in one SIMD register, with the same bits for each
    (:mod:`locodyn.kernel.lanes`); and as plain Python on symbols (:mod:`locodyn.kernel.twin`).

For a few evaluations all also run as plain Python on float64, with the bits of compiled code (:mod:`locodyn.kernel.plain`).

Rules for the body of every kernel:

1. Nothing allocates; workspace is passed in.
2. Arrays are read and written element by element, ``a[i]`` and ``a[i, j]``, and handed on whole, as a row ``a[i]`` or as their
   first rows ``a[:n]``; bundles are read by the names of their fields.
3. One reciprocal per denominator where it is used more than once, then multiply.

Further rules for a portable kernel. The numbers that a robot has of its own (state, motion, forces, scratch) may be lanes or
symbols. Integers, time and whatever all robots of a batch share are numbers in every life, but for the description of a robot
without rods (constants of frames, coordinates and laws), which may hold symbols.

4. Arithmetic on them is ``+ - * /`` and the primitives of :mod:`locodyn.kernel.primitives`: no ``math``, ``abs`` or ``max``.
5. ``if`` and ``while`` ask integers, and numbers that are numbers in every life; a choice that depends on a number of the
   robot's own goes through ``select_lt``.
6. A constant that such a number may replace later (the start of a sum, an entry of a tuple that a branch exchanges) is written
   ``lit(x, 0.5)``: it takes the type of ``x``.
7. It calls portable kernels. It may call a compiled one on numbers that all robots share (the laws of time), and for a part of
   the robot that is None in the other lives (constraint rows), where that call is never compiled.

A kernel for lanes that is not portable keeps to rules 4 to 6 too, but may ask numbers by the words of
:mod:`locodyn.kernel.agreement`, and calls portable kernels and others for lanes.

``tests/identities/test_kernel_lives.py`` runs every portable kernel of the library in all its lives.

``inline=True`` merges a kernel into its callers: the algebra of one body, on tuples. ``called=True`` compiles a large kernel
once, whoever calls it (:mod:`locodyn.kernel.routine`). ``late=`` what it returns: the same for a kernel of robots that have a
certain part, which is compiled when a run first reaches it (:mod:`locodyn.kernel.late`). With none of them, LLVM decides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, overload

import numba

from locodyn.kernel.cache import IntermediateCache, KernelCache, RoutineCache
from locodyn.kernel.front_end import compile_quietly, save_all
from locodyn.kernel.intermediate import with_wrapper
from locodyn.kernel.late import Shape, called_late
from locodyn.kernel.plain import or_plain
from locodyn.kernel.routine import NamedCompiler, RoutineCompiler, called_by_symbol, loader_of
from locodyn.kernel.signals import uninterrupted

F = TypeVar("F", bound=Callable[..., Any])


@overload
def portable(function: F) -> F: ...
@overload
def portable(*, inline: bool = False, called: bool = False, late: Shape | None = None) -> Callable[[F], F]: ...
def portable(
    function: F | None = None, *, inline: bool = False, called: bool = False, late: Shape | None = None
) -> F | Callable[[F], F]:
    """A kernel for one robot, for lanes of robots and for symbols."""
    return _decorated(function, True, inline, called, late)


@overload
def compiled(function: F) -> F: ...
@overload
def compiled(
    *, inline: bool = False, called: bool = False, late: Shape | None = None, lanes: bool = False
) -> Callable[[F], F]: ...
def compiled(
    function: F | None = None, *, inline: bool = False, called: bool = False, late: Shape | None = None, lanes: bool = False
) -> F | Callable[[F], F]:
    """A kernel for one robot, on float64; with ``lanes`` also for lanes of robots that choose alike."""
    return _decorated(function, False, inline, called, late, lanes)


def is_portable(kernel: Any) -> bool:
    """Whether a function is a portable kernel."""
    return getattr(kernel, "portable", False) is True


def is_for_lanes(kernel: Any) -> bool:
    """Whether a function is a kernel that runs on lanes."""
    return is_portable(kernel) or getattr(kernel, "lanes", False) is True


def _decorated(
    function: F | None, runs_anywhere: bool, inline: bool, called: bool, late: Shape | None, lanes: bool = False
) -> F | Callable[[F], F]:
    def decorate(function: F) -> F:
        kernel = _kernel(function, inline, called or late is not None)
        kernel.portable, kernel.late, kernel.lanes = runs_anywhere, late, lanes
        if late is not None and hasattr(kernel, "callee"):
            called_late(kernel, function)
        return kernel

    return decorate if function is None else decorate(function)


def _kernel(function: Callable[..., Any], inline: bool, called: bool) -> Any:
    """The function as Numba compiles it, with its code kept on disk, in the forms of :mod:`locodyn.kernel.intermediate`.

    The dispatcher given back is for Python; ``callee()`` is the one that other kernels see, made when the first of them does. No
    fast-math: an expression means the same bits on one robot and on lanes of robots. ``_nrt=False``: no reference counting,
    since nothing is allocated; it halves the cost of a call from Python. ``forceinline`` is always said: left open, Numba takes
    it from the kernel that happens to be compiled around this one, and the symbol of a kernel, which names its flags, would
    depend on who called it first. Machine code on disk would then refer to symbols that another process never made.
    """
    options: dict[str, Any] = {
        "error_model": "numpy",
        "nogil": True,
        "no_cfunc_wrapper": True,
        "_nrt": False,
        "forceinline": inline,
    }
    njit: Any = numba.njit
    kernel = njit(**options)(function)
    if not hasattr(kernel, "add_overload"):  # a plain function, when NUMBA_DISABLE_JIT is set
        return kernel

    @functools.cache
    def callee() -> Any:
        compiler = RoutineCompiler if called else NamedCompiler
        seen = njit(**options, no_cpython_wrapper=True, pipeline_class=compiler)(function)
        seen._cache = RoutineCache(function) if called else IntermediateCache(function)
        seen.compile = uninterrupted(compile_quietly(seen, save_at_once=False))
        return called_by_symbol(seen) if called else seen

    def compile_wrapper(arguments: tuple[Any, ...], return_type: Any) -> Any:
        try:
            callee().compile(arguments)
            result = callee().overloads[arguments]
            return with_wrapper(kernel, result, loader_of(function, result) if called else None)
        finally:
            save_all()

    kernel._cache = KernelCache(function)
    kernel._compiler.compile = compile_wrapper
    kernel.compile = uninterrupted(compile_quietly(kernel, save_at_once=True))
    kernel._compile_for_args = or_plain(kernel)
    kernel.callee = callee
    kernel.get_call_template = lambda arguments, keywords: callee().get_call_template(arguments, keywords)
    kernel.get_overload = lambda signature: callee().get_overload(signature)
    return kernel
