"""Late kernels: compiled when they are first reached, with the numbers, exceptions and declared results of any kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import typeof

from locodyn.kernel import compiled, portable

pytestmark = pytest.mark.slow


@compiled(late=(1, 3))
def rare(x, factor):
    return factor * x[0], (x[0], x[1], factor)


@compiled
def often(x, branch):
    if branch != 0:
        one, three = rare(x, 2.0)
        return one + three[0] + three[1] + three[2]
    return x[0]


@portable(late=1)
def says_what_is_wrong(x):
    return x, x


@compiled
def asks_it(x):
    return says_what_is_wrong(x)


@compiled(late=())
def unknown_to_numba(x):
    x[0] = x.there_is_no_such_thing


@compiled
def reaches_it(x, branch):
    if branch != 0:
        unknown_to_numba(x)
    return x[0]


@compiled(late=1)
def asked_by_many(x):
    return 2.0 * x[0]


@compiled
def many_at_once(x):
    return asked_by_many(x)


def test_threads_that_reach_it_at_once_find_one_code() -> None:
    """Robots of a batch step in threads; what one of them was compiling, another made anew and lost (KeyError)."""
    many_at_once.compile((typeof(np.zeros(1)),))
    threads, before = 16, sys.getswitchinterval()
    together = threading.Barrier(threads)

    def reach(k: int) -> float:
        together.wait()
        return many_at_once(np.array([float(k)]))

    sys.setswitchinterval(1e-6)  # so that they get into each other's way
    try:
        with ThreadPoolExecutor(threads) as pool:
            assert list(pool.map(reach, range(threads))) == [2.0 * k for k in range(threads)]
    finally:
        sys.setswitchinterval(before)


def test_it_is_compiled_when_it_is_reached_and_not_before() -> None:
    x = np.array([3.0, 4.0])
    assert often(x, 0) == 3.0
    assert not rare.callee().overloads
    assert often(x, 1) == 15.0  # 2 * 3 + (3 + 4 + 2)
    assert rare.callee().overloads
    assert rare(x, 2.0) == (6.0, (3.0, 4.0, 2.0))  # from Python, as any kernel


def test_what_it_says_that_it_returns_is_compared_with_what_it_does() -> None:
    with pytest.raises(TypeError, match=r"says_what_is_wrong returns UniTuple\(float64 x 2\); it says float64"):
        asks_it(1.0)


def test_an_exception_in_compiling_it_comes_out_of_the_kernel_that_python_called() -> None:
    x = np.array([3.0])
    assert reaches_it(x, 0) == 3.0
    for _ in range(2):  # the slot stays empty, so that the next call says the same
        with pytest.raises(Exception, match="there_is_no_such_thing"):
            reaches_it(x, 1)
    assert reaches_it(x, 0) == 3.0


MODULE = """
from locodyn.kernel import compiled

@compiled(late=1)
def inner(x):
    return {inner}

@compiled(late=1)
def middle(x):
    return inner(x) + 1.0

@compiled
def outer(x, branch):
    if branch != 0:
        return 10.0 * middle(x)
    return x
"""
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from locodyn.kernel.late import compile_late
from kernels import inner, middle, outer
print(outer(3.0, 0), bool(inner.callee().overloads))
if "reach" in sys.argv:
    print(outer(3.0, 1), inner.callee().stats.cache_hits != {})
if "all" in sys.argv:
    compile_late()
    print(bool(inner.callee().overloads), bool(middle.callee().overloads))
"""


def run(folder: Path, *words: str) -> list[str]:
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", RUN, str(folder), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_machine_code_from_disk_finds_its_late_kernels_and_no_stale_ones(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(MODULE.format(inner="x * x"))
    assert run(tmp_path) == ["3.0", "False"]
    assert run(tmp_path, "reach") == ["3.0", "False", "100.0", "False"]  # ``outer`` comes from disk, ``inner`` is compiled
    assert run(tmp_path, "reach") == ["3.0", "False", "100.0", "True"]
    file.write_text(MODULE.format(inner="x * x * x"))
    assert run(tmp_path, "reach") == ["3.0", "False", "280.0", "False"]


def test_all_of_them_can_be_compiled_ahead(tmp_path: Path) -> None:
    """As a wheel needs it: also those that only a late kernel calls."""
    (tmp_path / "kernels.py").write_text(MODULE.format(inner="x * x"))
    assert run(tmp_path, "all") == ["3.0", "False", "True", "True"]
    assert run(tmp_path, "reach") == ["3.0", "False", "100.0", "True"]
