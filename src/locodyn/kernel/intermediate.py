"""The three forms in which the code of a kernel is kept; each is made only where it is needed.

Numba makes all of them for every kernel: optimised LLVM code, which callers merge into theirs, machine code, and a wrapper that
Python calls. Some nine kernels in ten are called by other kernels only. Their machine code and wrappers, which unpack tuples of
numbers one by one, would be half of the time that a first run takes to compile. Here a kernel has

1. *intermediate code*, when another kernel calls it (:class:`IntermediateCode`);
2. machine code under its symbol instead, if it is a routine (:mod:`locodyn.kernel.routine`; :class:`RoutineCode`);
3. machine code with a wrapper around one of these, when Python calls it (:func:`with_wrapper`). Nothing is compiled twice for it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import compile_result
from numba.core.environment import lookup_environment

from locodyn.kernel.backstage import DeferredCode, ready


class IntermediateCode(DeferredCode):
    """Optimised LLVM code for other libraries to link in. None of it runs where it is, so that nothing is made to run."""

    loads_callees = True  # whether routines that it refers to are loaded with it

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()

    def serialize_using_object_code(self) -> Any:
        """Name and code, for the cache."""
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def loaded(cls, codegen: Any, state: tuple[str, bytes]) -> IntermediateCode:
        """From the cache."""
        name, bitcode = state
        library = cls(codegen, name)
        library._final_module = library._shared_module = binding.parse_bitcode(bitcode)
        library._finalized = True
        return library


def loaded_intermediate(target_context: Any, payload: tuple[Any, ...], kind: type[IntermediateCode] = IntermediateCode) -> Any:
    """Result of the compilation of a kernel to a ``kind`` of code that is linked, from what the cache kept of it."""
    state, description, environment, signature, object_mode, lifted, annotation, reload, environments = payload
    if kind.loads_callees:
        for load in reload or ():
            load()
    library = kind.loaded(target_context.codegen(), state)
    return compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=target_context.get_executable(library, description, environment),
        fndesc=description,
        type_annotation=annotation,
        signature=signature,
        objectmode=object_mode,
        lifted=lifted,
        reload_init=reload,
        referenced_envs=environments,
    )


class _Runs(JITCodeLibrary):
    """Code that runs, and that no library links in: the cache keeps machine code alone, and the symbols that Python asks for."""

    _symbols: bytes

    def _finalize_specific(self) -> None:
        """Environments of kernels that were linked in have their place in this machine code."""
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                self._codegen.set_env(variable.name, environment)  # type: ignore[attr-defined]  # of Numba

    def serialize_using_object_code(self) -> Any:
        """Name, kind and code, for the cache."""
        return self.name, "object", (self._get_compiled_object(), self._symbols)


class RoutineCode(DeferredCode, _Runs):
    """Machine code that other code finds by its symbol."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()

    def _make(self) -> None:
        super()._make()
        self._symbols = binding.parse_assembly("").as_bitcode()  # Python asks for none

    def serialize_using_object_code(self) -> Any:
        """Name, kind and code, for the cache."""
        self.wait()
        return super().serialize_using_object_code()


class WrappedCode(_Runs):
    """Machine code of a wrapper and of what it calls, which is optimised already."""

    def finalize(self) -> None:
        """As Numba's; the symbols are those of the wrapper."""
        self._symbols = self._final_module.as_bitcode()
        super().finalize()

    def _optimize_final_module(self) -> None:
        pass


def with_wrapper(kernel: Any, callee: Any, loader: Any) -> Any:
    """Result of the compilation of a kernel that Python calls: a wrapper around what there is.

    ``kernel``: its dispatcher for Python. ``callee``: result of its compilation for other kernels. ``loader``: has the symbol of
    a routine in the process; None where the code of the kernel is linked in.
    """
    flags = compiler.Flags()
    kernel._compiler.targetdescr.options.parse_as_flags(flags, kernel.targetoptions)
    context = compiler._make_subtarget(kernel.targetctx, flags)
    ready(callee.library)
    library = WrappedCode(context.codegen(), callee.fndesc.qualname)
    library.enable_object_caching()
    context.create_cpython_wrapper(library, callee.fndesc, callee.environment, None, release_gil=flags.release_gil)
    library._reload_init.update(callee.library._reload_init)
    if loader is None:
        library.add_linking_library(callee.library)
    else:
        library._reload_init.add(loader)
    entry_point = context.get_executable(library, callee.fndesc, callee.environment)
    return compile_result(
        target_context=context,
        typing_context=callee.typing_context,
        library=library,
        environment=callee.environment,
        entry_point=entry_point,
        fndesc=callee.fndesc,
        type_annotation=callee.type_annotation,
        signature=callee.signature,
        objectmode=False,
        lifted=(),
        reload_init=list(library._reload_init),
    )
