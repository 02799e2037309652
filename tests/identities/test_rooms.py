"""The order of the code: rooms import downward, no cycles, files and functions of a size that a reader can take in."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import locodyn

SOURCE = Path(locodyn.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "architecture.md"
KERNELS = {"compiled", "portable"}


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """Name of each module -> its file and what it says."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if "node_modules" not in path.parts:
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path, ast.parse(path.read_text(encoding="utf-8"))
    return found


def room(module: str) -> str:
    return [*module.split("."), ""][1]


def imported(tree: ast.Module, at_load: bool) -> Iterator[str]:
    """Modules of the library that a file imports; ``at_load``: only when it is loaded itself, not inside functions."""
    for node in tree.body if at_load else ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole module"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name and name not in modules():
                name = name.rpartition(".")[0]
            if name and name != "locodyn":
                yield name


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for name, (_, tree) in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield f"{name}.{node.name}", node


def decorators(function: ast.FunctionDef) -> set[str]:
    return {n.id if isinstance(n, ast.Name) else n.attr for d in function.decorator_list for n in ast.walk(d)
            if isinstance(n, (ast.Name, ast.Attribute))}  # fmt: skip


@pytest.mark.skipif(not PAGE.is_file(), reason="not in a checkout")
def test_a_room_imports_only_from_those_above_it() -> None:
    order = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8").split("## Where to look")[0], re.MULTILINE)
    rooms = {room(name) for name in modules()} - {"", "__main__"}
    assert set(order) == rooms, "docs/architecture.md lists all rooms"
    for name, (path, tree) in modules().items():
        if room(name) in order:
            for other in imported(tree, at_load=True):
                assert order.index(room(other)) <= order.index(room(name)), f"{path} imports {other}, which is below it"


def test_no_module_waits_for_itself() -> None:
    """Imports that happen when a module is loaded have no cycle."""
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way, name))
        if name not in done:
            for other in imported(modules()[name][1], at_load=True):
                if other != name:
                    visit(other, (*way, name))
            done.add(name)

    for name in modules():
        visit(name, ())


def test_files_and_functions_have_a_size_to_read() -> None:
    for path, _ in modules().values():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path
    for name, function in functions():
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < 60, name


def numbers_alone(tree: ast.Module) -> list[str]:
    """Names of a file that only stand for whole numbers: ``A = 3``, ``A, B = 0, 1`` and ``A, B = range(2)``."""
    found = []
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        value = node.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        whole = all(isinstance(part, ast.Constant) and isinstance(part.value, int) for part in parts)
        if whole or (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"):
            names = [one for target in node.targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
            found += [one.id for one in names if isinstance(one, ast.Name) and one.id.isupper()]
    return found


def test_few_names_stand_for_a_number_alone() -> None:
    """Columns and kinds are fields of records and of codes (:mod:`locodyn.record`), not loose numbers."""
    assert numbers_alone(ast.parse("A = 3\nB, C = 0, 1\nD, E = range(2)\nF = 'f'\ng = 2")) == ["A", "B", "C", "D", "E"]
    assert sum(len(numbers_alone(tree)) for _, tree in modules().values()) < 350


# Rooms of kernels, and what arrays and numbers have.
ROOMS_OF_KERNELS = {"shape", "dynamics", "world", "contact", "locomotion", "equilibria", "integrate"}
OF_NUMBERS = {*dir(float), *dir(np.ndarray)}


def letters_read(function: ast.FunctionDef) -> list[str]:
    """Fields that a function reads of an argument with a name of one letter, as ``c.gap``."""
    names = {one.arg for one in function.args.args if len(one.arg) == 1}
    read = [one for one in ast.walk(function) if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
    return [ast.unparse(one) for one in read if ast.unparse(one.value) in names and one.attr not in OF_NUMBERS]


def test_arguments_with_fields_are_spelled_out() -> None:
    """A letter is an array or a number; bundles have words: ``contacts.gap[i]``."""
    example = ast.parse("def f(c, q):\n    return c.gap[0] * q.shape[0]").body[0]
    assert isinstance(example, ast.FunctionDef)
    assert letters_read(example) == ["c.gap"]
    for name, function in functions():
        if room(name) in ROOMS_OF_KERNELS:
            assert not letters_read(function), name


def test_functions_have_up_to_ten_parameters() -> None:
    """But for kernels, commands, and words of the builder, which have names for all but their first five."""
    for name, function in functions():
        given = [*function.args.posonlyargs, *function.args.args]
        given = given[1:] if given and given[0].arg in ("self", "cls") else given
        named = function.args.kwonlyargs
        is_command = ".cli." in name and "quiet" in {one.arg for one in given}  # those with many options have this one
        if decorators(function) & KERNELS or is_command:
            continue
        if ".robot.building." in name and not function.name.startswith("_") and len(given) <= 5:
            continue
        assert len(given) + len(named) <= 10, f"{name} has {len(given) + len(named)} parameters"
