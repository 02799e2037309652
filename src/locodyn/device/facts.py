"""What the program of a card knows of its robots: constants for LLVM, so that code which no robot needs drops out.

Bundles tell facts (:meth:`~locodyn.kernel.bundle.Bundle.facts`); a kernel that runs on cards alone asks ``known_fact(HINGES)``.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

FACTS = ("hinges",)  # 1 where all joints but that of the reference body are hinges
HINGES = 0  # numbers of these, for kernels
_WORD = ir.IntType(64)


def symbol(name: str) -> str:
    """The constant of a fact in a program."""
    return f"locodyn_fact_{name}"


@intrinsic
def known_fact(typingctx: Any, number: Any) -> Any:
    """What is told of fact ``number``, 0 where nothing is."""
    if not isinstance(number, types.IntegerLiteral):
        return None
    of = symbol(FACTS[number.literal_value])

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        known = builder.module.globals.get(of) or cgutils.add_global_variable(builder.module, _WORD, of)
        found = builder.load(known)
        found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return found

    return types.int64(number), codegen
