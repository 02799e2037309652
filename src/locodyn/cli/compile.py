"""``locodyn compile``: machine code before it is needed, for this machine or for the wheel."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from locodyn.errors import InputError, RunError
from locodyn.kernel.cache import BASELINE, PACKAGE, SHIPPED, cache_folder, made_with


class Baseline(NamedTuple):
    """Processors that one wheel serves: machines as Python names them, processor and instructions as LLVM does."""

    machines: tuple[str, ...]
    processor: str
    features: str


BASELINES = {
    # System V ABI, AMD64 supplement, 3.1.1.
    "x86-64-v3": Baseline(
        ("x86_64", "AMD64"),
        "x86-64-v3",
        "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3"
        ",+sse4.1,+sse4.2,+ssse3,+xsave",
    ),
    # All ARM processors of 64 bits; vectors and fma belong to the architecture (Arm ARM DDI 0487, A1.5).
    "armv8-a": Baseline(("aarch64", "arm64"), "generic", ""),
}
_ONE = "import sys; from locodyn.cli.compile import compile_one; compile_one(sys.argv[1])"


def compile_all(names: list[str], jobs: int | None, baseline: str | None, quiet: bool) -> int:
    """Compile what the scenarios of these names need, all of the zoo where there are none; several processes at once."""
    from locodyn.sim.progress import ProgressBar
    from locodyn.zoo.registry import NAMED, ROBOTS, module

    for name in names:
        if name not in NAMED:
            module(name)  # refuses names that are not known
    if baseline is not None and baseline not in BASELINES:
        raise InputError(f"there is no baseline '{baseline}'; known: {', '.join(BASELINES)}.")
    if baseline is not None and platform.machine() not in BASELINES[baseline].machines:
        fits = [name for name, one in BASELINES.items() if platform.machine() in one.machines]
        here = f"{platform.machine()}; take {' or '.join(fits)}" if fits else f"{platform.machine()}, which has none"
        raise InputError(f"the baseline '{baseline}' is made on {BASELINES[baseline].machines[0]}; this machine is {here}.")
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs is {jobs}; it must be a number of processes, at least 1.")
    jobs = jobs or os.cpu_count() or 1
    waiting, environment = list(names or [*ROBOTS, *NAMED]), {**os.environ, "LOCODYN_NATIVE": "1"}
    made = cache_folder() / f"for-{baseline}"
    if baseline is not None:
        shutil.rmtree(made, ignore_errors=True)
        _, processor, features = BASELINES[baseline]
        environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": features, "LOCODYN_CACHE_DIR": str(made)}
    count, failed = len(waiting), []
    with ProgressBar(f"compile for {count} robots", 0.0, float(count), not quiet) as bar:
        for done, (name, error) in enumerate(_in_parallel(waiting, jobs, environment), start=1):
            bar.to(float(done))
            if error:
                failed.append(f"{name} ({error})")
    if baseline is not None:
        size = ship(baseline, made)
        if not quiet:
            print(f"code for {baseline}: {size / 1e6:.0f} MB in {SHIPPED}")
    if failed:
        raise RunError(f"kernels could not be compiled for {', '.join(failed)}.")
    if baseline is None and not quiet:
        print(f"kernels of {count} scenario{'s' if count > 1 else ''} are in {cache_folder()}")
    return 0


def _in_parallel(names: list[str], jobs: int, environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Processes that compile for one robot each; (name, last line of its error or nothing) as they end."""
    running: dict[str, subprocess.Popen[str]] = {}
    waiting = list(names)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                name = waiting.pop(0)
                running[name] = subprocess.Popen(
                    [sys.executable, "-c", _ONE, name], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True,
                )  # fmt: skip
            for name, process in list(running.items()):
                if process.poll() is not None:
                    del running[name]
                    lines = process.communicate()[1].strip().splitlines()
                    yield name, lines[-1] if process.returncode and lines else ("killed" if process.returncode else "")
            time.sleep(0.05)
    finally:
        for process in running.values():
            process.kill()


def compile_one(name: str) -> None:
    """Compile, and keep, what a run of this scenario needs: its first two records, and what may be reached after them."""
    import warnings

    from locodyn.kernel.late import compile_late
    from locodyn.zoo.registry import make

    warnings.simplefilter("ignore")
    scenario = make(name)
    every = scenario.recording.record_every
    scenario.changed(checks=(), t_end=2.0 * scenario.numerics.step * every).run(progress=False)
    compile_late()


def ship(baseline: str, made: Path) -> int:
    """Copy code that was ``made`` for a baseline into the package, by the folders of its modules; the number of bytes."""
    from llvmlite import binding
    from numba.core.caching import _CacheLocator

    shutil.rmtree(SHIPPED, ignore_errors=True)
    size = 0
    for folder in [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())]:
        kept = made / "kernels" / _CacheLocator.get_suitable_cache_subpath(str(folder / "module.py"))
        if kept.is_dir():
            target = SHIPPED / folder.relative_to(PACKAGE)
            target.mkdir(parents=True, exist_ok=True)
            for file in kept.iterdir():
                if file.suffix in (".nbi", ".nbc"):
                    shutil.copyfile(file, target / file.name)
                    size += file.stat().st_size
    _, processor, features = BASELINES[baseline]
    about = {"triple": binding.get_process_triple(), "processor": processor, "features": features}
    about["made_with"] = made_with()
    (SHIPPED / BASELINE).write_text(json.dumps(about))
    return size
