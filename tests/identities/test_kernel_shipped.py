"""Machine code that comes with the package: taken where it fits, and only where it is what the sources say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from locodyn.cli.compile import BASELINES, compile_all
from locodyn.errors import InputError
from locodyn.kernel import cache

pytestmark = pytest.mark.slow

BASELINE = "x86-64-v3"
MODULE = """
from locodyn.kernel import compiled

@compiled
def doubled(x):
    return 2.0 * x
"""
SCRIPT = """
import sys
from pathlib import Path
from locodyn.cli import compile as shipping
from locodyn.kernel import cache
for module in (cache, shipping):
    module.PACKAGE, module.SHIPPED = Path(sys.argv[1]), Path(sys.argv[1]) / "machine_code"
sys.path.insert(0, sys.argv[1])
import kernels
print(kernels.doubled(3.0), sum(kernels.doubled.stats.cache_hits.values()))
if len(sys.argv) > 2:
    shipping.ship(sys.argv[2], cache.cache_folder())
"""


def test_code_for_a_baseline_is_taken_and_never_stale(tmp_path: Path) -> None:
    host = binding.get_host_cpu_features()
    if not all(host.get(name.removeprefix("+"), False) for name in BASELINES[BASELINE].features.split(",")):
        pytest.skip(f"this processor has less than {BASELINE}")
    package = tmp_path / "package"
    package.mkdir()
    (package / "kernels.py").write_text(MODULE)

    def run(cache: str, *arguments: str, **environment: str) -> tuple[float, int]:
        words = {**os.environ, "LOCODYN_CACHE_DIR": str(tmp_path / cache), **environment}
        command = [sys.executable, "-c", SCRIPT, str(package), *arguments]
        value, hits = subprocess.run(command, env=words, capture_output=True, text=True, check=True).stdout.split()
        return float(value), int(hits)

    for_wheel = {"NUMBA_CPU_NAME": BASELINE, "NUMBA_CPU_FEATURES": BASELINES[BASELINE].features}
    assert run("built", BASELINE, **for_wheel) == (6.0, 0)
    assert run("first") == (6.0, 1) and not (tmp_path / "first").exists()  # found in the package, compiled nothing
    assert run("own", LOCODYN_NATIVE="1") == (6.0, 0) and (tmp_path / "own").exists()
    assert run("own") == (6.0, 1)  # that of this machine comes first
    (package / "kernels.py").write_text(MODULE.replace("2.0", "5.0"))
    assert run("changed") == (15.0, 0)


@pytest.mark.parametrize(
    ("machine", "baseline", "sentence"),
    [
        ("x86_64", "armv8-a", "the baseline 'armv8-a' is made on aarch64; this machine is x86_64; take x86-64-v3."),
        ("arm64", "x86-64-v3", "the baseline 'x86-64-v3' is made on x86_64; this machine is arm64; take armv8-a."),
        ("riscv64", "armv8-a", "the baseline 'armv8-a' is made on aarch64; this machine is riscv64, which has none."),
        ("arm64", "x86-64-v9", "there is no baseline 'x86-64-v9'; known: x86-64-v3, armv8-a."),
    ],
)
def test_a_baseline_of_another_machine_is_refused(
    machine: str, baseline: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(InputError) as refused:
        compile_all(["snakeboard"], 1, baseline, True)
    assert str(refused.value) == sentence


def test_a_baseline_without_names_of_instructions_fits_its_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of ARM: what the architecture has is not asked for."""
    about = {"triple": binding.get_process_triple(), "processor": "generic", "features": "", "made_with": cache.made_with()}
    (tmp_path / cache.BASELINE).write_text(json.dumps(about))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path)
    monkeypatch.delenv("LOCODYN_NATIVE", raising=False)
    assert cache.shipped_baseline.__wrapped__() == (about["triple"], "generic", "")
    (tmp_path / cache.BASELINE).write_text(json.dumps(about | {"triple": "aarch64-unknown-linux-gnu"}))
    assert cache.shipped_baseline.__wrapped__() is None
