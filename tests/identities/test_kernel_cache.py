"""Compiled kernels are thrown away when any source that they depend on changes, and kept otherwise."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

import locodyn
from locodyn.dynamics.totals import totals
from locodyn.kernel import cache


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package like locodyn: kernels a -> b -> c, d that nobody imports, and e that is there for annotations."""
    root = tmp_path / "locodyn"
    (root / "room").mkdir(parents=True)
    sources = {
        "__init__.py": "",
        "a.py": "from locodyn.room.b import (\n    first,\n    second,\n)\n",
        "room/__init__.py": "",
        "room/b.py": "import numpy\nfrom locodyn.room import c\n",
        "room/c.py": "if TYPE_CHECKING:\n    from locodyn.e import x\n\nx = 1\n",
        "d.py": "x = 1\n",
        "e.py": "x = 1\n",
    }
    for name, text in sources.items():
        (root / name).write_text(text)
    monkeypatch.setattr(cache, "PACKAGE", root)
    clear()
    yield root
    clear()


def clear() -> None:
    cache.source_stamp.cache_clear()
    cache._sources.cache_clear()
    cache._imports.cache_clear()
    cache._module_file.cache_clear()


def stamp_after(package: Path, changed: str) -> bool:
    """Whether the stamp of a.py is another one after a comment was added to the file."""
    before = cache.source_stamp(package / "a.py")
    with (package / changed).open("a") as file:
        file.write("# changed\n")
    clear()
    return cache.source_stamp(package / "a.py") != before


@pytest.mark.parametrize("changed", ["a.py", "room/b.py", "room/c.py", "room/__init__.py"])
def test_a_change_below_is_seen(package: Path, changed: str) -> None:
    assert stamp_after(package, changed)


@pytest.mark.parametrize("changed", ["d.py", "e.py"])
def test_a_change_elsewhere_is_not(package: Path, changed: str) -> None:
    assert not stamp_after(package, changed)


def test_sources_that_change_while_a_process_runs_are_not_stamped(package: Path) -> None:
    """What such a process compiles is of the old sources, its stamps of the new ones: it must not be kept."""
    files = [package / name for name in ("a.py", "__init__.py", "room/__init__.py", "room/b.py", "room/c.py")]
    for file in files:
        os.utime(file, (cache._BEGAN - 10.0, cache._BEGAN - 10.0))
    assert not cache.changed_meanwhile(package / "a.py")
    for file in files[3:]:
        os.utime(file, (cache._BEGAN + 1.0, cache._BEGAN + 1.0))
        assert cache.changed_meanwhile(package / "a.py")
        os.utime(file, (cache._BEGAN - 10.0, cache._BEGAN - 10.0))


def test_circular_imports_end(package: Path) -> None:
    (package / "room" / "c.py").write_text("from locodyn import a\n")
    clear()
    assert cache.source_stamp(package / "a.py") == cache.source_stamp(package / "room" / "c.py")


def reached(module: str) -> set[str]:
    """The files of the library that the stamp of one of them looks at."""
    root = Path(locodyn.__file__).parent
    found, waiting = set(), [root / module]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += cache._imports(file)
    return {str(file.relative_to(root)) for file in found}


def test_stamps_of_the_library() -> None:
    """Forward dynamics depends on the joints, on the layout and on the primitives, but not on the time laws."""
    names = reached("dynamics/forward_dynamics.py")
    assert {"shape/joint.py", "robot/layout.py", "kernel/primitives.py", "lie/so3.py", "dynamics/inertia.py"} <= names
    assert "motion/table.py" not in names


@pytest.mark.parametrize("module", ["integrate/rkmk4.py", "integrate/implicit/run.py", "locomotion/series.py"])
def test_descriptions_are_no_part_of_machine_code(module: str) -> None:
    """Editing what robots, laws and problems are in Python compiles nothing anew."""
    descriptions = {"robot/description.py", "robot/compilation/compiled.py", "world/laws.py", "locomotion/problem.py"}
    assert not descriptions & reached(module)


def test_an_index_of_other_sources_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may name types that have been moved since, and cannot be unpickled then."""
    monkeypatch.setenv("LOCODYN_CACHE_DIR", str(tmp_path))
    kept = cache.KernelCache(totals.py_func)
    kept._impl.locator.ensure_cache_path()
    index = Path(kept._cache_file._index_path)
    index.write_bytes(pickle.dumps(numba.__version__) + b"clocodyn.dynamics.totals\nMoved\n.")
    assert kept._cache_file._load_index() == {}


PROGRAM = """
import sys
sys.path.insert(0, {root!r})
import locodyn.outer
from numba.core import event
names = []
class Listener(event.Listener):
    def on_start(self, e): names.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e): pass
event.register("numba:compile", Listener())
print(locodyn.outer.outer(2.0), "compiled" if names else "loaded")
"""


@pytest.mark.slow
def test_machine_code_is_what_is_written(tmp_path: Path) -> None:
    """A kernel is loaded by the next process, and compiled again when a kernel that it calls was changed."""
    root = tmp_path / "site"
    (root / "locodyn").mkdir(parents=True)
    (root / "locodyn" / "__init__.py").write_text("")
    shutil.copytree(Path(locodyn.__file__).parent / "kernel", root / "locodyn" / "kernel")
    inner = root / "locodyn" / "inner.py"
    head = "from locodyn.kernel import compiled\n"
    inner.write_text(head + "@compiled\ndef inner(x):\n    return x + 1.0\n")
    (root / "locodyn" / "outer.py").write_text(
        head + "from locodyn.inner import inner\n@compiled\ndef outer(x):\n    return 10.0 * inner(x)\n"
    )

    def run() -> str:
        environment = {**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / "cache")}
        environment.pop("PYTHONPATH", None)
        program = PROGRAM.format(root=str(root))
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert run() == "30.0 compiled"
    assert run() == "30.0 loaded"
    inner.write_text(head + "@compiled\ndef inner(x):\n    return x + 2.0\n")
    assert run() == "40.0 compiled"
