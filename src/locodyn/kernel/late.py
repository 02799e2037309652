"""Kernels that are compiled when a run first reaches them: a rigid robot compiles no rods, one on dry land no buoyancy.

A kernel has to be compiled with all that it may call, also behind an ``if`` that a robot never takes. Where that is much, the
kernel behind the ``if`` is *late*. Its callers refer to a *slot*, two words of memory: the address of its machine code, which
they call, and a Python function that puts it there. While the first word is zero, the caller takes the lock of the interpreter
and calls this function. An exception in it (Ctrl-C while a kernel is compiled) ends the kernels that are running and is raised
where Python called the outermost one.

To call a kernel that is not compiled yet, one must know what it returns. The line above a late kernel says so: ``late=()``
returns nothing, ``late=1`` a number, ``late=3`` three of them, ``late=(9, 3)`` nine and three, a pose. Numbers are lanes where an
argument holds lanes (:mod:`locodyn.kernel.lanes`). What is said is compared with what was compiled.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.funcdesc import default_mangler
from numba.core.typing.templates import make_concrete_template, signature

from locodyn.kernel.backstage import ready
from locodyn.kernel.bundle import BundleType
from locodyn.kernel.cache import source_stamp
from locodyn.kernel.front_end import save_all
from locodyn.kernel.lanes import LanesType, lanes
from locodyn.kernel.signals import uninterrupted

Shape = int | tuple[Any, ...]  # of what a kernel returns

_BYTES = ir.IntType(8).as_pointer()
_SLOT = ir.ArrayType(_BYTES, 2)
_ZERO, _ONE = ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), 1)
_Slot = ctypes.c_void_p * 2


@dataclass(frozen=True)
class LateKernel:
    """The kernel ``module.name`` for the argument types ``arguments``; callers load its slot, not its code."""

    module: str
    name: str
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        """Have its slot in this process."""
        if self not in _slots:
            fill = _Fill(self)
            _slots[self] = (_Slot(None, id(fill)), fill)
            binding.add_symbol(self.symbol, ctypes.addressof(_slots[self][0]))

    @property
    def symbol(self) -> str:
        """Of the slot; the same in every process."""
        stamp = source_stamp(Path(importlib.import_module(self.module).__file__ or "").resolve())
        return "late_" + default_mangler(f"{self.module}.{self.name}", self.arguments, uid=stamp[:16])

    def kernel(self) -> Any:
        """Its dispatcher."""
        return getattr(importlib.import_module(self.module), self.name)


class _Fill:
    """Called by machine code that finds a slot empty."""

    def __init__(self, late: LateKernel) -> None:
        self._late = late

    def __call__(self) -> None:
        _fill(self._late)


@uninterrupted
def _fill(late: LateKernel) -> None:
    """Compile, or load, a late kernel and put its address into its slot; one thread after the other, as many may ask at once."""
    kernel = late.kernel()
    with global_compiler_lock:
        callee = kernel.callee()
        try:
            callee.compile(late.arguments)
        finally:
            save_all()
        result = callee.overloads[late.arguments]
        said = returned(kernel.late, late.arguments)
        if result.signature.return_type != said:
            raise TypeError(f"late kernel {late.name} returns {result.signature.return_type}; it says {said}.")
        ready(result.library)
        # The engine is asked, not the library: one from disk does not know which symbols it has.
        address = result.library._codegen._engine.get_function_address(result.fndesc.llvm_func_name)
        if not address:
            raise RuntimeError(f"machine code of late kernel {late.name} was not found.")
        _slots[late][0][0] = address


_slots: dict[LateKernel, tuple[Any, _Fill]] = {}  # slots and what fills them: machine code refers to both


def reached() -> set[Any]:
    """Dispatchers of the late kernels that runs of this process have called."""
    return {late.kernel() for late, (slot, _) in _slots.items() if slot[0] is not None}


def compile_late() -> None:
    """Compile all late kernels that kernels of this process may call, whether a run reaches them or not."""
    while empty := [fill for slot, fill in _slots.values() if slot[0] is None]:  # each may bring further ones
        for fill in empty:
            fill()


def returned(shape: Shape, arguments: tuple[Any, ...]) -> Any:
    """Type of what a late kernel returns, from what the line above it says and from the types of its arguments."""
    number = lanes if any(map(_holds_lanes, arguments)) else types.float64
    return _returned(shape, number)


def _returned(shape: Shape, number: Any) -> Any:
    if shape == ():
        return types.none
    if shape == 1:
        return number
    return types.UniTuple(number, shape) if isinstance(shape, int) else types.Tuple([_returned(one, number) for one in shape])


def _holds_lanes(of: Any) -> bool:
    if isinstance(of, types.Array):
        return isinstance(of.dtype, LanesType)
    if isinstance(of, BundleType):
        return any(_holds_lanes(one) for one, _ in of.entries.values())
    parts: Any = of if isinstance(of, types.BaseTuple) else ()
    return isinstance(of, LanesType) or any(map(_holds_lanes, parts))


def called_late(kernel: Any, function: Callable[..., Any]) -> None:
    """Let callers of the dispatcher ``kernel`` go through its slot."""

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        form, arguments = kernel._compiler.fold_argument_types(arguments, keywords)
        form_of_call = signature(returned(kernel.late, arguments), *arguments)
        template = make_concrete_template(f"Late({function.__name__})", key=function.__name__, signatures=[form_of_call])
        return template, form, arguments, {}

    def get_overload(arguments: Any) -> LateKernel:
        late = LateKernel(function.__module__, function.__qualname__, tuple(arguments))
        overloads = kernel.targetctx._defns[late]
        if not overloads.versions:
            overloads.append(_call_through(late, signature(returned(kernel.late, late.arguments), *arguments)), late.arguments)
        return late

    kernel.get_call_template, kernel.get_overload = get_call_template, get_overload


def _call_through(late: LateKernel, form: Any) -> Any:
    """Code of a call, as Numba asks for it."""

    def insert(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
        late()
        context.active_code_library._reload_init.add(late)
        known = builder.module.globals.get(late.symbol)
        slot = known or cgutils.add_global_variable(builder.module, _SLOT, late.symbol)
        place = builder.gep(slot, [_ZERO, _ZERO], inbounds=True)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(place))):
            failed = builder.call(_filling(context, builder.module), [slot])
            with cgutils.if_unlikely(builder, failed):
                context.call_conv.return_exc(builder)
        kind = context.call_conv.get_function_type(form.return_type, form.args).as_pointer()
        status, result = context.call_conv.call_function(
            builder, builder.bitcast(builder.load(place), kind), form.return_type, form.args, arguments
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    insert.signature, insert.libs = form, ()  # type: ignore[attr-defined]
    return insert


def _filling(context: Any, module: Any) -> Any:
    """Function of a module that calls what the second word of a slot says, and tells whether it raised an exception."""
    name = "locodyn_fill_slot"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(ir.IntType(1), [_SLOT.as_pointer()]), name)
    function.linkage = "linkonce_odr"  # modules that are linked have one in common
    function.attributes.add("noinline")
    function.attributes.add("cold")
    builder = ir.IRBuilder(function.append_basic_block())
    api = context.get_python_api(builder)
    state = api.gil_ensure()
    call = cgutils.get_or_insert_function(module, ir.FunctionType(_BYTES, [_BYTES]), "PyObject_CallNoArgs")
    answer = builder.call(call, [builder.load(builder.gep(function.args[0], [_ZERO, _ONE], inbounds=True))])
    failed = cgutils.is_null(builder, answer)
    api.decref(answer)
    api.gil_release(state)
    builder.ret(failed)
    return function
