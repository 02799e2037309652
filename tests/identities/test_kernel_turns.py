"""Processes that compile at the same time make each kernel once, and wait neither in a circle nor for one that has gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from locodyn.kernel.turns import PATIENCE, Turns

KERNELS = 8
HEAD = "from locodyn.kernel import compiled\n@compiled\ndef k0(x):\n    return x + 1.0\n"
NEXT = "@compiled({kind})\ndef k{n}(x):\n    for i in range(3):\n        x = k{before}(x) * 0.5 + k0(x)\n    return x\n"
SCRIPT = """
import sys, time
from numba.core import event
names = []
class Listener(event.Listener):
    def on_start(self, e): names.append(e.data["dispatcher"])
    def on_end(self, e): pass
event.register("numba:compile", Listener())
import shared_kernels
print("ready", flush=True)
sys.stdin.readline()
for name in sys.argv[1:]:
    print(getattr(shared_kernels, name)(1.0))
made = [one.py_func.__name__ for one in names if type(one._cache).__name__ != "KernelCache"]  # those for other kernels
print("made", *made)
"""


def test_each_kernel_is_made_by_one_of_the_processes(tmp_path: Path) -> None:
    """They ask for a chain of kernels from both ends: without turns both make most of it."""
    text = HEAD + "".join(NEXT.format(n=n, before=n - 1, kind="called=True" if n % 3 == 0 else "") for n in range(1, KERNELS))
    (tmp_path / "shared_kernels.py").write_text(text)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    names = [f"k{n}" for n in range(KERNELS)]
    processes = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, *order], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True)
        for order in (names, names[::-1], names[::2])
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=300)[0].split() for process in processes]
    assert all(process.returncode == 0 for process in processes)
    made = [name for words in said for name in words[words.index("made") + 1 :]]
    assert sorted(made) == names
    assert said[0][0] == said[1][KERNELS - 1] == said[2][0]  # the same number from code made here or there


def test_a_turn_ends_with_its_process(tmp_path: Path) -> None:
    hold = f"from locodyn.kernel.turns import Turns; from pathlib import Path; t = Turns(Path({str(tmp_path)!r}))\n"
    hold += "t.take('k', lambda: None); print('taken', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "taken\n"
        turns, saved = Turns(tmp_path), []

        def save() -> None:
            saved.append("before waiting")
            other.kill()

        turns.take("another", save)
        assert not saved  # nobody has it
        begun = time.monotonic()
        turns.take("k", save)
        assert saved and time.monotonic() - begun < 0.5 * PATIENCE
        assert not turns.others_wait()


def test_without_locks_nobody_waits(tmp_path: Path) -> None:
    """A cache that cannot be written costs double work, not a failure."""
    (tmp_path / "file").write_text("")
    turns = Turns(tmp_path / "file" / "cache")
    turns.take("k", lambda: None)
    turns.give("k")
    turns.give_all()
    assert not turns.others_wait()
