"""What Numba's front end does for every kernel and kernels do not need: left out, or done once.

A first run compiles some hundreds of small kernels. Reading their types is most of the work, and most of that is repeated:

1. What ``a * b`` or ``a[i]`` means for given types is looked up anew at each place, in typing and again in lowering, by trying
   the templates of strings, lists and sets first. :func:`remember_operators` keeps the answers.
2. Two passes look for closures and for arithmetic on whole arrays, which kernels do not have (rule 2 of
   :mod:`locodyn.kernel.compile`). :func:`without_idle_passes` leaves them out.
3. The name of the machine and the sizes of types are asked of LLVM again for each kernel, and each time the front end waits
   until LLVM has done what it is at (:mod:`locodyn.kernel.backstage`). :func:`remember_machine` keeps these answers too.
4. Timers that nobody reads hear of every call of LLVM, one pair for each kernel on the way to the innermost one.
   :func:`compile_quietly` compiles without them.
"""

from __future__ import annotations

import operator
import types as python_types
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, event, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from locodyn.kernel.backstage import KernelLowering
from locodyn.kernel.lanes import LanesType
from locodyn.kernel.plain import refuse_to_compile

_NAMES = (
    "add sub mul truediv floordiv mod pow iadd isub imul itruediv neg lt le gt ge eq ne getitem setitem and_ or_ not_"
).split()
_OPERATORS = tuple(getattr(operator, name) for name in _NAMES)
_PLAIN = (types.Number, types.Boolean, types.Literal, types.Array, types.BaseTuple, LanesType)  # known by their type alone

_sizes: dict[str, int] = {}  # bytes of types of LLVM, by what they are written as: kernels have none with a name of its own
_unsaved: list[tuple[Any, Any, Any]] = []  # dispatchers, signatures, results: their code may not be there yet


def remember_operators(context: Any) -> None:
    """Let the operators of a typing context answer at once when they are asked again for the same types."""
    for one in _OPERATORS:
        function = context.resolve_value_type(one)
        if "get_call_type" not in function.__dict__:
            function.__dict__["get_call_type"] = _remembering(function.get_call_type)


def _remembering(look_up: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Any, Any] = {}

    def get_call_type(context: Any, arguments: Any, keywords: Any) -> Any:
        key = tuple(arguments)
        if keywords or not all(isinstance(one, _PLAIN) for one in key):
            return look_up(context, arguments, keywords)
        if key not in known:
            known[key] = look_up(context, arguments, keywords)
        return known[key]

    return get_call_type


def remember_machine(context: Any) -> None:
    """Let the target context of a kernel and its code generator ask LLVM once what it answers alike each time."""
    ask = context.get_abi_sizeof

    def get_abi_sizeof(of: Any) -> int:
        if str(of) not in _sizes:
            _sizes[str(of)] = ask(of)
        return _sizes[str(of)]

    context.get_abi_sizeof = get_abi_sizeof
    generator = context.codegen()
    if "magic_tuple" not in generator.__dict__:
        about, triple = generator.magic_tuple(), binding.get_process_triple()

        def empty_module(name: str) -> Any:
            module = ir.Module(cgutils.normalize_ir_text(name))
            module.triple, module.data_layout = triple, generator._data_layout
            return module

        generator.magic_tuple, generator._create_empty_module = lambda: about, empty_module


def without_idle_passes(managers: list[Any], function: Callable[..., Any]) -> list[Any]:
    """The pipelines of a compiler without the passes that find nothing in a kernel."""
    has_closures = any(isinstance(one, python_types.CodeType) for one in function.__code__.co_consts)
    idle = {NopythonRewrites} if has_closures else {NopythonRewrites, InlineClosureLikes}
    for manager in managers:
        manager.passes = [one for one in manager.passes if one[0] not in idle]
        manager.passes = [(KernelLowering if one is NativeLowering else one, why) for one, why in manager.passes]
        manager._finalized = False
        manager.finalize()
    return managers


def compile_quietly(kernel: Any, save_at_once: bool) -> Callable[..., Any]:
    """Method ``compile`` of a dispatcher: as Numba's, without timers and literal types.

    ``save_at_once``: one that Python calls; others are saved with the next of these, see :func:`save_all`. Only Python can do
    without compiled code (:mod:`locodyn.kernel.plain`).
    """

    def compile_for(signature: Any) -> Any:
        with global_compiler_lock, kernel._compiling_counter:
            arguments, return_type = sigutils.normalize_signature(signature)
            result = kernel.overloads.get(tuple(arguments))
            if result is not None:
                return result.entry_point
            if not kernel._can_compile:
                raise RuntimeError("compilation disabled")
            result = kernel._cache.load_overload(signature, kernel.targetctx)
            if result is not None:
                kernel._cache_hits[signature] += 1
                kernel.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
                kernel.add_overload(result)
                return result.entry_point
            if save_at_once:
                refuse_to_compile()
            kernel._cache_misses[signature] += 1
            with event.trigger_event("numba:compile", {"dispatcher": kernel, "args": arguments, "return_type": return_type}):
                result = kernel._compiler.compile(arguments, return_type)
                kernel.add_overload(result)
            if save_at_once:
                kernel._cache.save_overload(signature, result)
            else:
                _unsaved.append((kernel, signature, result))
            return result.entry_point

    return compile_for


def save_all() -> None:
    """Put what was compiled for other kernels on disk, in the order in which LLVM makes it."""
    while _unsaved:
        kernel, signature, result = _unsaved.pop(0)
        kernel._cache.save_overload(signature, result)
