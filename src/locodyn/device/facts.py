"""What the program of a card knows of its robots: constants for LLVM, so that code which no robot needs drops out.

Bundles tell facts (:meth:`~locodyn.kernel.bundle.Bundle.facts`), and so does the tree of a bundle that has one
(``tree_facts`` of :mod:`locodyn.dynamics.lean_dynamics`); a kernel that runs on cards alone asks ``known_fact(HINGES)``.
"""

from __future__ import annotations

import importlib
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from locodyn.kernel.bundle import Bundle

FACTS = ("hinges", "jumps", "branches", "first_q", "first_v")
HINGES, JUMPS, BRANCHES, FIRST_HINGE_Q, FIRST_HINGE_V = range(5)  # numbers of these, for kernels
_TREE = ("frames", "locodyn.dynamics.lean_dynamics", "tree_facts")  # field, module and function: in a room below this one
_WORD = ir.IntType(64)


def facts_of(bundle: Bundle) -> dict[str, int]:
    """All that is told of a bundle."""
    field, module, function = _TREE
    if field not in bundle.field_places():
        return bundle.facts()
    told: dict[str, int] = getattr(importlib.import_module(module), function)(getattr(bundle, field))
    return bundle.facts() | told


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
