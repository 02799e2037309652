"""Kernels that are called, not merged: each is compiled once, whoever calls it.

Numba links the code of every callee into its caller and optimises the whole again, so that each level above a large kernel
costs its compile time anew. A *routine* stays outside: its callers hold a reference to its symbol, which the linker of the
running process resolves. Two things make this sound with machine code kept on disk:

1. The symbol of a kernel is the same in every process: its tag is the stamp of its sources (:mod:`locodyn.kernel.cache`), not
   a running number.
2. Machine code that refers to a routine loads it first (``_reload_init``, which Numba runs before it loads a library and hands
   on to every library that it is linked into).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from numba.core import bytecode, compiler
from numba.core.untyped_passes import ExtractByteCode

from locodyn.kernel.backstage import DeferredCode, ready
from locodyn.kernel.cache import source_stamp
from locodyn.kernel.front_end import remember_machine, remember_operators, without_idle_passes
from locodyn.kernel.intermediate import IntermediateCode, RoutineCode


class NamedCompiler(compiler.Compiler):
    """Numba's compiler to intermediate code, with symbols that are the same in every process."""

    library: ClassVar[type] = IntermediateCode

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """As Numba's, with the stamp of the sources as unique id."""
        identity = bytecode.FunctionIdentity.from_function(func)
        if "<locals>" not in identity.func_qualname:
            identity.unique_id = source_stamp(Path(identity.filename).resolve())[:16]
            identity.unique_name = f"{identity.func_qualname}${identity.unique_id}"
        remember_operators(self.state.typingctx)
        remember_machine(self.state.targetctx)
        self.state.func_id = identity
        self.state.library = self.library(self.state.targetctx.codegen(), identity.func_qualname)
        ExtractByteCode().run_pass(self.state)
        self.state.lifted = ()
        self.state.lifted_from = None
        return self._compile_bytecode()

    def define_pipelines(self) -> list[Any]:
        """As Numba's, without what kernels do not need."""
        return without_idle_passes(super().define_pipelines(), self.state.func_id.func)


class RoutineCompiler(NamedCompiler):
    """The same to machine code, in which other code finds the symbol."""

    library = RoutineCode


@dataclass(frozen=True)
class Loader:
    """Loads, or compiles, the routine ``module.name`` for the argument types ``arguments``."""

    module: str
    name: str
    arguments: tuple[Any, ...]

    def __call__(self) -> None:
        """Have its symbol in this process."""
        routine = getattr(importlib.import_module(self.module), self.name).callee()
        routine.compile(self.arguments)
        ready(routine.overloads[self.arguments].library)


def loader_of(function: Callable[..., Any], result: Any) -> Loader:
    """The loader of a routine, from its function and the result of its compilation."""
    return Loader(function.__module__, function.__qualname__, tuple(result.signature.args))


def called_by_symbol(dispatcher: Any) -> Any:
    """Let callers of this kernel refer to its symbol instead of linking its code in."""
    register = dispatcher.add_overload

    def add_overload(result: Any) -> None:
        register(result)
        selector = result.target_context._defns[result.entry_point]
        formal, insert_call = selector.versions[-1]
        loader = loader_of(dispatcher.py_func, result)

        def insert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            caller = context.active_code_library
            caller._reload_init.add(loader)
            if isinstance(caller, DeferredCode):
                caller.routines.append(result.library)
            else:  # it is made at once
                ready(result.library)
            return insert_call(context, builder, signature, arguments)

        insert.signature, insert.libs = insert_call.signature, ()  # type: ignore[attr-defined]  # as Numba marks them
        selector.versions[-1] = (formal, insert)
        selector._cache.clear()

    dispatcher.add_overload = add_overload
    return dispatcher
