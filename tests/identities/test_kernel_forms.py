"""The forms of a kernel's code: each is made where it is needed, by a thread of its own, and works for all who call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MODULE = """
from locodyn.kernel import compiled

@compiled(inline=True)
def merged(x):
    return x + 1.0

@compiled(called=True)
def routine(x):
    return 3.0 * merged(x)

@compiled
def outer(x):
    return routine(x) + merged(x)

@compiled
def broken(x):
    return routine(x) + x.no_such_field

@compiled
def with_closure(x):
    total = 0.0
    square = lambda i: i * i
    for i in range(4):
        total += square(i) * x
    return total
"""


def run(folder: Path, lines: str) -> str:
    (folder / "forms.py").write_text(MODULE)
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", lines], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def kept(folder: Path, name: str) -> set[str]:
    """Forms of a kernel that are on disk."""
    endings = (file.name.split(".py3")[1].split(".")[1] for file in folder.rglob(f"forms.{name}-*.nbi"))
    return {ending if ending != "nbi" else "wrapped" for ending in endings}


def test_machine_code_is_made_for_what_runs(tmp_path: Path) -> None:
    assert run(tmp_path, "import forms; print(forms.outer(2.0))") == "12.0"
    assert kept(tmp_path, "merged") == {"intermediate"}
    assert kept(tmp_path, "routine") == {"routine"}
    assert kept(tmp_path, "outer") == {"intermediate", "wrapped"}
    # A kernel that was made for others is wrapped, not compiled again, when Python calls it.
    lines = "import forms; print(forms.merged(2.0), forms.merged.callee().stats.cache_hits != {}, forms.routine(1.0))"
    assert run(tmp_path, lines) == "3.0 True 6.0"


def test_other_compiled_functions_call_kernels(tmp_path: Path) -> None:
    lines = "import forms, numba; print(numba.njit(lambda x: forms.outer(x) + forms.routine(x) + forms.merged(x))(2.0))"
    assert run(tmp_path, lines) == "24.0"
    assert run(tmp_path, lines) == "24.0"


def test_a_forked_process_compiles_too(tmp_path: Path) -> None:
    """The thread of LLVM is not there in a child; it gets one of its own."""
    lines = """
import os, forms
forms.merged(1.0)
child = os.fork()
if child == 0:
    os._exit(0 if forms.outer(2.0) == 12.0 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(tmp_path, lines) == "0"


def test_an_error_is_raised_and_does_no_harm(tmp_path: Path) -> None:
    lines = """
import forms
try:
    forms.broken(1.0)
except Exception as error:
    print("no_such_field" in str(error), forms.outer(2.0), forms.with_closure(2.0))
"""
    assert run(tmp_path, lines) == "True 12.0 28.0"
