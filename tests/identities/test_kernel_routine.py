"""Routines: compiled once, called by symbol, also from machine code that was kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROUTINES = """
from locodyn.kernel import compiled

@compiled(called=True)
def inner(x):
    return {inner}

@compiled
def middle(x):
    return inner(x) + 1.0

@compiled(called=True)
def outer(x):
    return 10.0 * middle(x)
"""
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from routines import inner, outer
print(outer(3.0), inner.callee().stats.cache_hits != {}, outer.stats.cache_hits != {})
"""


def run(folder: Path) -> list[str]:
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", RUN, str(folder)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "routines.py").write_text(ROUTINES.format(inner="x * x"))
    return tmp_path


def test_a_second_process_takes_all_from_disk(folder: Path) -> None:
    assert run(folder) == ["100.0", "False", "False"]
    assert run(folder) == ["100.0", "True", "True"]


def test_a_routine_that_is_gone_from_disk_is_compiled_again_for_its_caller(folder: Path) -> None:
    run(folder)
    gone = [file for file in (folder / "cache").rglob("*.nb?") if "inner" in file.name]
    assert gone
    for file in gone:
        file.unlink()
    assert run(folder) == ["100.0", "False", "True"]


def test_a_changed_routine_is_not_called_in_its_old_form(folder: Path) -> None:
    run(folder)
    (folder / "routines.py").write_text(ROUTINES.format(inner="x * x * x"))
    assert run(folder) == ["280.0", "False", "False"]


def test_a_new_caller_of_a_kernel_from_disk_knows_its_routines(folder: Path) -> None:
    """``middle`` comes from disk when ``later`` is compiled; a third process loads ``later`` alone."""
    run(folder)
    (folder / "later.py").write_text(
        "from locodyn.kernel import compiled\nfrom routines import middle\n\n"
        "@compiled\ndef later(x):\n    return middle(x) + 0.5\n"
    )
    code = "import sys\nsys.path.insert(0, sys.argv[1])\nfrom later import later\nprint(later(3.0))\n"
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(folder / "cache")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code, str(folder)], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["10.5"]
