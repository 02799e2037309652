"""LLVM works in a thread of its own while Python reads the next kernel.

Other kernels are read with the types of a kernel alone; they need its optimised code when they are linked. What LLVM has to do
for it, two fifths of the work, therefore waits in a queue for one thread, which lets go of the interpreter while it computes.
(LLVM has one lock: a second thread would wait.) Jobs are done in the order in which they come, so that a kernel finds those that
it calls ready. Numba asks LLVM on the way for counts that nobody reads, and would wait for that lock each time:
:class:`KernelLowering` does not ask.
"""

from __future__ import annotations

import functools
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from llvmlite import binding
from numba.core import cgutils, funcdesc
from numba.core.codegen import CodeLibrary, JITCodeLibrary
from numba.core.compiler import _LowerResult
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.lowering import Lower


@functools.cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="locodyn-llvm")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_thread.cache_clear)  # a forked process has no such thread


class DeferredCode(JITCodeLibrary):
    """A library whose code LLVM makes later. Until then it is text."""

    def __init__(self, codegen: Any, name: str) -> None:
        CodeLibrary.__init__(self, codegen, name)  # without that of CPUCodeLibrary, which asks LLVM for a module
        self._texts: list[tuple[str, str]] = []
        self._linking_libraries: list[Any] = []
        self._final_module: Any = None
        self._shared_module: Any = None
        self.routines: list[Any] = []  # libraries of those that this code calls by their symbol
        self._job: Future[None] | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        """More code, as text."""
        self._raise_if_finalized()
        self._texts.append((ir_module.name, cgutils.normalize_ir_text(str(ir_module))))

    def add_linking_library(self, library: Any) -> None:
        """Code of a kernel that this one calls; it may not be there yet."""
        library._ensure_finalized()
        self._linking_libraries.append(library)
        self._reload_init.update(library._reload_init)

    def finalize(self) -> None:
        """Nothing more is added: let LLVM make the code."""
        self._raise_if_finalized()
        self._finalized = True
        self._job = _thread().submit(self._make)

    def _make(self) -> None:
        """Parse, link and optimise, as CPUCodeLibrary does on the way."""
        for routine in self.routines:
            ready(routine)  # they are, but for those that could not be made: LLVM would end the process
        self._codegen._check_llvm_bugs()
        self._final_module = binding.parse_assembly(str(self._codegen._create_empty_module(self.name)))
        self._final_module.name = cgutils.normalize_ir_text(self.name)
        for name, text in self._texts:
            module = binding.parse_assembly(text)
            module.name = name
            module.verify()
            self.add_llvm_module(module)
        self._texts = []
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def wait(self) -> None:
        """Until the code is there. An error in making it is raised here."""
        self._ensure_finalized()
        if self._job is not None:
            self._job.result()

    def _get_module_for_linking(self) -> Any:
        self.wait()
        return super()._get_module_for_linking()

    @property
    def has_dynamic_globals(self) -> bool:
        """Whether it refers to data of this process."""
        self.wait()
        return bool(self._dynamic_globals)

    def get_pointer_to_function(self, name: str) -> int:
        """Python has no part in it: the null pointer."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Asked for by Numba to set the environment of machine code that it takes to be there."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Done where the machine code is made."""


def ready(library: Any) -> None:
    """Wait for the code of a library, if it is one whose code is made later."""
    if isinstance(library, DeferredCode):
        library.wait()


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(LoweringPass):
    """From typed to LLVM code, as Numba's ``NativeLowering``, without a word to LLVM."""

    _name = "locodyn_kernel_lowering"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Fill the library of the state."""
        library, context, flags = state.library, state.targetctx, state.flags
        library._reload_init.update(state.reload_init)
        description = funcdesc.PythonFunctionDescriptor.from_specialized_function(
            state.func_ir, state.typemap, state.return_type, state.calltypes,
            mangler=context.mangler, inline=flags.forceinline, noalias=flags.noalias, abi_tags=[flags.get_mangle_string()],
        )  # fmt: skip
        with context.push_code_library(library):
            lower = Lower(context, library, description, state.func_ir, metadata=state.metadata)
            lower.lower()
        entry = context.get_executable(library, description, lower.env)
        context.insert_user_function(entry, description, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = _LowerResult(description, lower.call_helper, cfunc=entry, env=lower.env)
        return True
