"""A wheel brings machine code along: installed into a fresh environment, its first run compiles nothing and has the same bits."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from llvmlite import binding

import locodyn as ld
from locodyn.cli.compile import BASELINES

pytestmark = pytest.mark.slow

BASELINE = "x86-64-v3"
ROBOT = "snakeboard"
ROOT = Path(__file__).parents[2]


def call(*words: str | Path, **environment: str) -> str:
    """What a command prints; it must not read the sources of this checkout."""
    given = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LOCODYN_NATIVE")}
    done = subprocess.run([str(word) for word in words], env={**given, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wheel_for(folder: Path) -> Path:
    """A wheel with the code of one robot, built from a copy of the sources so that no other test finds that code."""
    tree = folder / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("node_modules", "machine_code", "__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    here = {"PYTHONPATH": str(tree / "src"), "LOCODYN_CACHE_DIR": str(folder / "build")}
    call(sys.executable, "-m", "locodyn", "compile", ROBOT, "--baseline", BASELINE, "--quiet", **here)
    alone = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *alone, "--wheel-dir", folder, tree)
    (wheel,) = folder.glob("locodyn-*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel, which borrows its libraries from the one of the tests; its folder of commands."""
    call(sys.executable, "-m", "venv", "--without-pip", folder)
    call(sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet", "--no-deps", wheel)
    site = Path(call(folder / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def test_the_first_run_after_installation_compiles_nothing(tmp_path: Path) -> None:
    host = binding.get_host_cpu_features()
    if not all(host.get(name.removeprefix("+"), False) for name in BASELINES[BASELINE].features.split(",")):
        pytest.skip(f"this processor has less than {BASELINE}")
    wheel = wheel_for(tmp_path)
    assert "-none-any" not in wheel.name  # it is of this platform and this Python
    commands = installed(wheel, tmp_path / "fresh")
    own = tmp_path / "own"
    call(commands / "locodyn", "run", ROBOT, "--quiet", "--out", tmp_path / "run.nc", LOCODYN_CACHE_DIR=str(own))
    assert not own.exists()
    shipped = ld.Result.load(tmp_path / "run.nc")
    assert shipped.attributes["compile_time"] == 0.0
    native = getattr(ld.zoo, ROBOT)().run(progress=False)
    for name in native.dataset.data_vars:  # no fast-math, and fma is written out: the same operations on any processor
        np.testing.assert_array_equal(shipped.dataset[name].values, native.dataset[name].values, err_msg=str(name))
