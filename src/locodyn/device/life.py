"""The device life of a kernel: its code as Numba reads it, neither merged with other code nor made for a processor.

On the processor of this machine, kernels are kept as optimised code, in which loops are made for its vectors. A graphics card
wants none of that. ``device_kernel(kernel)`` is a dispatcher with the code of the kernel whose global names resolve to the
device lives of those that it calls, as :mod:`locodyn.kernel.twin` does for symbols. Every kernel has a module of its own, which
refers to the others by their symbols; :func:`modules_of` collects them from a kernel downward. The modules are kept on disk with
the other forms of kernels. Where tables are kept single (:mod:`locodyn.device.single`), a kernel has a further such life, in
which its tolerances are multiples of a rounding.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from locodyn.device.functions import stand_in, stand_in_files
from locodyn.device.single import read_wide, single_constants
from locodyn.kernel.cache import KernelCache, source_stamp
from locodyn.kernel.front_end import compile_quietly, remember_operators, save_all
from locodyn.kernel.intermediate import IntermediateCode, loaded_intermediate
from locodyn.kernel.routine import Loader, NamedCompiler, called_by_symbol
from locodyn.kernel.signals import uninterrupted

_known: dict[Any, Any] = {}  # (kernel, whether tables are kept single) -> its dispatcher in this life


class DeviceCode(IntermediateCode):
    """A module with the code of one kernel, as it was written down."""

    loads_callees = False  # they are machine code of this processor

    def _optimize_final_module(self) -> None:
        pass


class _DeviceCompiler(NamedCompiler):
    library = DeviceCode


class _SingleCompiler(_DeviceCompiler):
    """Of kernels whose tables may be kept single."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """As of :class:`NamedCompiler`."""
        remember_operators(self.state.typingctx)
        read_wide(self.state.typingctx)
        return super().compile_extra(func)


class _Impl(KernelCache._impl_class):  # the class that Numba asks for its form
    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """From what the cache kept."""
        return loaded_intermediate(target_context, payload, DeviceCode)


class _Cache(KernelCache):
    """Modules on disk."""

    _impl_class = _Impl
    _form = ".device"

    def _file(self, folder: str) -> Any:
        file = super()._file(folder)
        for source in (Path(__file__).resolve(), *stand_in_files()):  # what stands in for other functions is in the code
            file._version += f" {source_stamp(source)}"
        return file


class _SingleCache(_Cache):
    """Of those whose tables may be kept single."""

    _form = ".single"


class _DeviceModule(types.ModuleType):
    """A module of kernels (``se3.exp``) whose attributes are their device lives."""

    def __init__(self, module: types.ModuleType, single: bool) -> None:
        super().__init__(module.__name__)
        self.__dict__["_of"], self.__dict__["_single"] = module, single

    def __getattr__(self, name: str) -> Any:
        return _device_life(getattr(self.__dict__["_of"], name), self.__dict__["_single"])


def _device_life(value: Any, single: bool, asked_by: str = "") -> Any:
    """Device life of a kernel, of a tuple or of a module of them, or the value itself; ``asked_by``: the module that asks."""
    if isinstance(value, types.ModuleType):
        return _DeviceModule(value, single) if value.__name__.startswith("locodyn.") else value
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_device_life(one, single, asked_by) for one in value)
    value = stand_in(value, asked_by, single)
    return device_kernel(value, single) if hasattr(value, "callee") else value


def device_kernel(kernel: Any, single: bool = False) -> Any:
    """The dispatcher of a kernel in this life; ``single``: with the tolerances of tables that are kept single."""
    if (kernel, single) in _known:
        return _known[kernel, single]
    function, scope = kernel.py_func, dict(kernel.py_func.__globals__)
    closure = None
    if function.__closure__:
        closure = tuple(types.CellType(_device_life(cell.cell_contents, single)) for cell in function.__closure__)
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    options = {name: value for name, value in kernel.targetoptions.items() if name != "nopython"}
    pipeline, cache = (_SingleCompiler, _SingleCache) if single else (_DeviceCompiler, _Cache)
    seen: Any = numba.njit(**options, no_cpython_wrapper=True, pipeline_class=pipeline)(copy)  # type: ignore[call-overload]  # options by name
    seen._cache = cache(function)
    seen.compile = uninterrupted(compile_quietly(seen, save_at_once=False))
    _known[kernel, single] = called_by_symbol(seen)  # before the scope is filled: kernels may name each other
    for name in _names(function.__code__):
        if name in scope:
            scope[name] = _device_life(scope[name], single, function.__module__)
    if single:
        scope |= single_constants(function.__module__)
    return _known[kernel, single]


def _names(code: types.CodeType) -> set[str]:
    """Global names that a piece of code and those inside it may ask for."""
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def modules_of(
    kernel: Any, arguments: tuple[Any, ...], needed: Callable[[Any], bool], single: bool = False
) -> tuple[Any, list[Any]]:
    """Result of the compilation of a kernel for argument types, and the modules (LLVM) of it and of all that it calls.

    ``needed``: whether a late kernel (:mod:`locodyn.kernel.late`) is among them; ``single``: as of :func:`device_kernel`.
    """
    found: dict[Any, Any] = {}
    waiting = [(kernel, arguments)]
    while waiting:
        one, of = waiting.pop()
        if (one, of) in found or (one.late is not None and not needed(one)):
            continue
        dispatcher = device_kernel(one, single)
        dispatcher.compile(of)
        found[one, of] = dispatcher.overloads[of]
        waiting += [(_named(called), called.arguments) for called in found[one, of].library._reload_init]
    save_all()
    return found[kernel, arguments], [result.library._get_module_for_linking() for result in found.values()]


def _named(loader: Loader) -> Any:
    return getattr(importlib.import_module(loader.module), loader.name)
