"""The face of the package: editors, type checkers and the interpreter find the same names at the top, typed and documented."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
import typing
from dataclasses import fields
from pathlib import Path

import pytest

import locodyn as ld
from locodyn.lazy import type_checking_imports
from locodyn.robot import BodyHandle
from locodyn.sim.fields import ChangedFields

SOURCE = Path(ld.__file__)
NAMES = [name for name in ld.__all__ if not inspect.ismodule(getattr(ld, name))]
ROOMS = [name for name in ld.__all__ if inspect.ismodule(getattr(ld, name))]
# What a decorator says of a function without types: it is compiled, and Numba infers them.
COMPILED = {"portable", "compiled", "overload", "extending", "njit", "jit", "intrinsic", "register_jitable"}


def test_every_name_loads_and_has_a_docstring() -> None:
    for name in NAMES:
        value = getattr(ld, name)
        text = inspect.getdoc(value if inspect.isclass(value) or callable(value) else type(value))
        assert text and not text.startswith(f"{name}("), f"{name} has no docstring of its own"
    with pytest.raises(AttributeError, match="no attribute 'Robbot'"):
        ld.Robbot  # noqa: B018


def test_a_name_is_the_thing_also_where_a_file_has_the_same() -> None:
    """Whoever loads the file first: it took the place of the function, which could then not be called."""
    code = "import locodyn.sim.simulate; from locodyn.sim import simulate; assert callable(simulate)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_face_is_small() -> None:
    """About sixty words of everyday use (a rule of the house): a new one goes to its room first, and rooms have the others."""
    assert len(NAMES) <= 70
    assert ld.integrate.Radau3 is ld.Radau3


def test_a_slip_gets_a_hint() -> None:
    """Interpreters print what was probably meant: a room is no attribute where a class differs by a capital only."""
    script = "import locodyn as ld; ld.robot"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stderr
    assert "module 'locodyn' has no attribute 'robot'. Did you mean: 'Robot'?" in said


def test_no_two_names_that_differ_by_a_capital() -> None:
    folded = [name.lower() for name in ld.__all__]
    assert len(folded) == len(set(folded))


@pytest.mark.parametrize("package", ["locodyn", "locodyn.integrate", "locodyn.locomotion", "locodyn.view"])
def test_no_name_that_is_also_a_module(package: str) -> None:
    """Importing the module would put it in the place of the name."""
    module = importlib.import_module(package)
    homes = type_checking_imports(Path(str(module.__file__)).read_text())
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert not {name for name, (home, _) in homes.items() if home != package} & modules


def annotations_of(label: str, value: object) -> list[tuple[str, str]]:
    """(what, annotation) of the parameters and the return of a function, or of the constructor and methods of a class."""
    if inspect.isclass(value):
        members = [(name, found) for part in value.__mro__ for name, found in vars(part).items()]
        shown = {name: found for name, found in reversed(members) if not name.startswith("_")}
        if "__init__" in vars(value) and not issubclass(value, (Exception, Warning)):
            shown["__init__"] = value.__init__
        functions = {name: _function(found) for name, found in shown.items()}
        own = {name: f for name, f in functions.items() if inspect.isfunction(f) and f.__module__.startswith("locodyn")}
        return [pair for name, f in own.items() for pair in annotations_of(f"{label}.{name}", f)]
    if not inspect.isfunction(value):
        return []
    signature = inspect.signature(value)
    found = [(f"{label}({p.name})", p.annotation) for p in signature.parameters.values() if p.name not in ("self", "cls")]
    return [*found, (f"{label} ->", signature.return_annotation)]


def _function(found: object) -> object:
    if isinstance(found, (classmethod, staticmethod)):
        return found.__func__
    return found.fget if isinstance(found, property) else getattr(found, "func", found)


# Values of tables and attributes that may be anything.
ANYTHING = {"Result.attributes ->", "Result.parameters ->"}


def test_no_annotation_is_missing_or_any() -> None:
    pairs = [pair for name in NAMES for pair in annotations_of(name, getattr(ld, name))]
    pairs += annotations_of("BodyHandle", BodyHandle)
    wrong = [
        label
        for label, kind in pairs
        if label not in ANYTHING and (kind is inspect.Parameter.empty or "Any" in str(kind).replace("Callable[..., Any]", ""))
    ]
    assert not wrong


def test_a_scenario_and_its_words_have_the_same_fields() -> None:
    parts = (ld.Scenario, ld.sim.World, ld.sim.Drive, ld.sim.Numerics, ld.sim.Recording)
    kept = {one.name for part in parts for one in fields(part)}
    assert set(typing.get_type_hints(ChangedFields, localns=_type_names())) == kept


def _type_names() -> dict[str, object]:
    source = Path(str(sys.modules[ChangedFields.__module__].__file__)).read_text()
    return {name: getattr(importlib.import_module(home), there) for name, (home, there) in type_checking_imports(source).items()}


def test_functions_without_types_are_kernels() -> None:
    """mypy does not look into functions without annotations; so only those may have none that Numba compiles."""
    bare = []
    for file in sorted(SOURCE.parent.rglob("*.py")):
        for function, outer in _functions(ast.parse(file.read_text(encoding="utf-8"))):
            typed = function.returns is not None or any(a.annotation for a in function.args.args)
            if not typed and not any(_decorators(f) & COMPILED for f in (function, *outer)):
                bare.append(f"{file.relative_to(SOURCE.parent)}: {function.name}")
    assert not bare


def _functions(
    tree: ast.AST, outer: tuple[ast.FunctionDef, ...] = ()
) -> list[tuple[ast.FunctionDef, tuple[ast.FunctionDef, ...]]]:
    found = []
    for node in ast.iter_child_nodes(tree):
        inside = outer
        if isinstance(node, ast.FunctionDef):
            found.append((node, outer))
            inside = (*outer, node)
        found += _functions(node, inside)
    return found


def _decorators(function: ast.FunctionDef) -> set[str]:
    return {n.id for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)} | {
        n.attr for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Attribute)
    }


def test_importing_loads_nothing_heavy() -> None:
    script = "import sys, locodyn; dir(locodyn); print(*sorted({'numpy', 'numba', 'scipy', 'xarray'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == ""


SCRIPT = """
import locodyn as ld

robot = ld.Robot("arm")
body = robot.base("ground", moves="fixed")
reveal_type(body)
robot.body("bob", mass=1.0, shape=ld.Sphere(0.1)).on(body, at=(0, 0, 1)).turning("y")
robot.wrench("wind", on="bob", law=ld.WorldForce((1.0, 0.0, 0.0)))
scenario = ld.Scenario("swing", robot, imposed={"bob": ld.sine(0.3, omega=2)}, start={"bob": 0.1}, t_end=1)
reveal_type(scenario.model)
reveal_type(scenario.run())
reveal_type(ld.simulate(robot, torque={"bob": lambda t, q, v: 0.1}, t_end=1.0))
reveal_type(ld.statics(robot))
reveal_type(ld.zoo.satellite(case="B"))
ld.Obstacle(ld.Cylinder(0.1, axis="y"), at=(1, 0), turned=("z", 0.1), friction=0.3)
reveal_type(ld.sine(1.0, omega=2.0).rate(0.3))
ld.simulate(robot, obstacles=[ld.Ground()], integrator=ld.Moreau())
ld.simulate(robot, tend=1.0)
ld.Scenario("swing", robot, obstacles=[3])
robot.body("x", mass="heavy")
ld.Robbot
"""
FOUND = [
    "BodyHandle", "Model", "Result", "Result", "Equilibrium", "Scenario", "float",
    'Unexpected keyword argument "tend" for "simulate"', 'List item 0 has incompatible type "int"',
    'Argument "mass" to "body" of "Robot" has incompatible type "str"', 'Module has no attribute "Robbot"',
]  # fmt: skip


@pytest.mark.slow
def test_a_type_checker_knows_the_face(tmp_path: Path) -> None:
    """What mypy reveals of a user's script, and what it refuses there."""
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {SOURCE.parents[1]}\nignore_missing_imports = true\n")
    options = ["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), "--no-error-summary"]
    said, _, _ = api.run([*options, str(script)])
    lines = [line for line in said.splitlines() if line.startswith(str(script)) and ' defined in "' not in line]
    assert len(lines) == len(FOUND), said
    for line, word in zip(lines, FOUND, strict=True):
        assert word in line
