"""Names that load when they are first used, from the imports that editors and type checkers read.

A package writes its public names once, as imports under ``if TYPE_CHECKING:``; :func:`lazy_names` reads these imports from the
package's own source and makes them the names that the interpreter finds (module ``__getattr__``, PEP 562). So the two cannot
differ, and importing the package loads nothing.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def type_checking_imports(source: str) -> dict[str, tuple[str, str]]:
    """``{name: (module, name there)}`` of the ``from ... import ...`` under ``if TYPE_CHECKING:`` at the top of a module.

    >>> type_checking_imports("if TYPE_CHECKING:\\n    from a.b import C as C")
    {'C': ('a.b', 'C')}
    """
    blocks = [
        node.body
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    return {
        alias.asname or alias.name: (statement.module or "", alias.name)
        for block in blocks
        for statement in block
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


class _Package(ModuleType):
    """A package in which a public name stays what it is, also where the file that holds it has the same name.

    The interpreter binds a module to its name in the package when it is loaded: ``locodyn.sim.simulate`` would be the function
    or the file, depending on who came first.
    """

    _things: set[str]

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self._things):
            super().__setattr__(name, value)


def lazy_names(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package; a name imported from the package itself is a module of it."""
    module = sys.modules[package]
    module.__class__ = _Package
    homes = type_checking_imports(Path(str(module.__file__)).read_text(encoding="utf-8"))
    names = sorted(homes)
    module.__dict__["_things"] = {name for name, (home, _) in homes.items() if home != package}

    def get(name: str) -> object:
        if name not in homes:
            # With name and obj the interpreter adds what was probably meant.
            raise AttributeError(f"module '{package}' has no attribute '{name}'", name=name, obj=module)
        home, there = homes[name]
        if home == package:
            return importlib.import_module(f"{package}.{there}")
        value = getattr(importlib.import_module(home), there)
        setattr(module, name, value)
        return value

    return get, lambda: names, names
