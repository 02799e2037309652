"""Commands that Ctrl-C stops, at moments without a plan: a sentence says what is kept, and nothing else is left behind."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import locodyn as ld
from locodyn.cli import main
from locodyn.sim import stretches
from locodyn.sim.part_file import part_of

pytestmark = pytest.mark.slow

PENDULUM = ("pendulum", "--set", "n=2")
COMMANDS = {
    "run": ("run", *PENDULUM, "--t-end", "3", "--dt", "0.001", "--integrator", "rkmk4", "--out", "run.nc"),
    "run, twice": ("run", *PENDULUM, "--t-end", "3", "--dt", "0.001", "--integrator", "rkmk4", "--out", "run.nc"),
    "describe": ("describe", *PENDULUM),
    "linearise": ("linearise", *PENDULUM, "--unsteady", "--sweep", "g=1:9:1"),
    "plot": ("plot", *PENDULUM, "-o", "run.png"),
    "sweep": ("sweep", *PENDULUM, "--vary", "g=1..9:64", "--metric", "peak_torque", "--out", "study.zarr", "--processes", "1"),
}
KEPT = {
    "run": r"the run, interrupted at t = \S+ s, is in 'run\.nc', and --resume goes on from there",
    "run, twice": r"'run\.nc' opens with the run to t = \S+ s, and --resume goes on from there",
    "sweep": r"'study\.zarr' has \d+ of 64 runs, and goes on with the rest",
}
MOMENTS = 4
OUTSIDE = 98


def stopped(words: tuple[str, ...], folder: Path, delays: list[float]) -> tuple[int, str]:
    """Exit code and standard error of a command in a copy of this process, which a signal reaches after each delay (s)."""
    child = os.fork()
    if not child:
        try:
            begin(words, folder, delays)
        except KeyboardInterrupt:  # a short command's signal, before its copy has come to the command
            os._exit(OUTSIDE)
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), (folder / "stderr").read_text()


def begin(words: tuple[str, ...], folder: Path, delays: list[float]) -> None:
    """Run a command and leave with its exit code."""
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background inherits that it is ignored
    sys.argv = ["locodyn", *words]
    stretches.FEWEST = stretches.FIRST = stretches.MOST = 200
    with open("stderr", "w", buffering=1) as sys.stderr, open(os.devnull, "w") as sys.stdout:
        for delay in delays:
            threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            try:
                main()
            except SystemExit as ended:
                sys.stderr.flush()
                os._exit(int(ended.code or 0))
        except KeyboardInterrupt:  # before the first line of the command or after its last one, also in those above
            os._exit(OUTSIDE)


@pytest.mark.parametrize("command", COMMANDS)
def test_stopped_at_any_moment(command: str, tmp_path: Path, locodyn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is whole, or opens with what there is of it; nothing is there beside it."""
    chance, words, seconds = random.Random(7), COMMANDS[command], 0.0
    for trial in ("first", "second"):  # the first one imports and compiles, which copies of this process need not
        (tmp_path / trial).mkdir()
        monkeypatch.chdir(tmp_path / trial)
        begun = time.perf_counter()
        assert locodyn(*words)[0] == 0
        seconds = time.perf_counter() - begun
    ends: list[str] = []
    for moment in range(3 * MOMENTS):
        if moment >= MOMENTS and ends:
            break
        folder = tmp_path / str(moment)
        folder.mkdir()
        delay = seconds * chance.uniform(0.1, 1.0)
        code, said = stopped(words, folder, [delay, delay + 0.002] if "twice" in command else [delay])
        left = set(os.listdir(folder)) - {"stderr"}
        assert code in (0, 130, OUTSIDE), said
        if code != 130:
            assert left <= {"run.nc", "run.png", "study.zarr"}
            seconds *= 0.7  # it took less than the trial
            continue
        found = re.search(r"^locodyn: stopped: (.+)\.$", said, re.MULTILINE)
        assert found is not None, said
        ends.append(found[1])
        if left & {"run.png"}:
            assert found[1] == "'run.png' was written"
        elif left:
            assert re.fullmatch(rf"{KEPT.get(command, '-')}|{KEPT['run']}|'[\w.]+' was written", found[1]), said
            check_kept(folder, left)
        else:
            assert found[1] == "nothing was written"
    assert ends


def check_kept(folder: Path, left: set[str]) -> None:
    """What is left opens."""
    if "study.zarr" in left:
        assert left == {"study.zarr"}
        ld.study.StudyResult.load(folder / "study.zarr")
    else:
        file = folder / "run.nc"
        assert left <= {file.name, part_of(file).name}
        assert len(ld.Result.load(file).time) >= 1  # the start alone, where the signal came before the second record


def test_stopped_while_kernels_are_compiled(tmp_path: Path) -> None:
    """With an empty cache, at the first word of compiling: the kernel that is begun ends, and no other is."""
    hearing = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from locodyn.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", hearing, "run", "snakeboard", "--out", "run.nc"],
        cwd=tmp_path,
        env={**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / "cache"), "LOCODYN_NATIVE": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("compiling kernels")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and said.endswith("locodyn: stopped: nothing was written.\n"), said
    assert os.listdir(tmp_path) == ["cache"]
    assert not list((tmp_path / "cache").rglob("*tmp*"))
