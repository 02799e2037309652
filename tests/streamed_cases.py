"""Runs in stretches of each kind of integrator that pauses, and what kills them.

``python tests/streamed_cases.py 20`` kills a run of each kind at 20 random moments, resumes it each time, and compares.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.sim import stretches
from locodyn.sim.part_file import PartFile, part_of
from locodyn.sim.run import resume
from locodyn.sim.scenario import Scenario

# Each kind of integrator that pauses; wheels sum up angles, contacts and implicit steps remember most.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "rkmk4": ("snakeboard", {}, {"integrator": "rkmk4", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "adams": ("satellite", {}, {"integrator": "adams", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "adaptive": ("satellite", {}, {"integrator": "adaptive", "t_end": 2.0, "dt": 0.02}),
    "variational": ("pendulum", {"n": 2}, {"integrator": "variational", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "moreau": ("falling_boxes", {"n": 2}, {"t_end": 0.6, "record_every": 5}),
    "radau3": ("four_bar", {}, {"integrator": "radau3", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "radau3 in lanes": ("pendulum", {"n": 2}, {"integrator": "radau3", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "radau_adaptive": ("pendulum", {"n": 2}, {"integrator": "radau_adaptive", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "generalized_alpha": ("four_bar", {}, {"integrator": "generalized_alpha", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
}


def scenario_of(case: str) -> Scenario:
    name, parameters, options = CASES[case]
    found: Scenario = getattr(ld.zoo, name)(**parameters).changed(checks=(), **options)
    return found


def assert_same(one: ld.Result, two: ld.Result) -> None:
    assert set(one.dataset.variables) == set(two.dataset.variables)
    for name in one.dataset.data_vars:
        np.testing.assert_array_equal(one.dataset[name].values, two.dataset[name].values, err_msg=str(name))


LONGER = 40  # times the end of a case, for runs that are to be killed: some seconds with short stretches


def long_scenario(case: str) -> Scenario:
    found = scenario_of(case)
    return found.changed(t_end=LONGER * found.recording.t_end)


def go_on(case: str, file: str) -> None:
    """Begin or go on with a long run, in stretches of 50 records."""
    stretches.FEWEST = stretches.FIRST = stretches.MOST = 50
    scenario = long_scenario(case)
    if part_of(file).exists():
        resume(file, scenario.recording.t_end, scenario, progress=False)
    else:
        scenario.run(progress=False, out=file)


def frames_of(file: Path) -> int:
    return len(PartFile(part_of(file)).frames())


def run_with_kills(case: str, kills: int, folder: Path, seed: int) -> None:
    """Kill a long run so many times, a while after it has written something new, and let it end: nothing is lost or changed."""
    file, generator = folder / "run.nc", np.random.default_rng(seed)
    command = [sys.executable, __file__, "--go-on", case, str(file)]
    kept = 0
    for _ in range(kills):
        process = subprocess.Popen(command)
        while process.poll() is None and not (part_of(file).exists() and frames_of(file) > kept):
            time.sleep(0.01)
        time.sleep(float(generator.uniform(0.0, 0.2)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if not part_of(file).exists():
            assert kept and file.exists(), "the run was over before it was killed"
            break
        assert frames_of(file) > kept
        kept = frames_of(file)
    if part_of(file).exists():
        subprocess.run(command, check=True)
    assert_same(long_scenario(case).run(progress=False), ld.Result.load(file))
    assert os.listdir(folder) == ["run.nc"]


if __name__ == "__main__":
    if sys.argv[1] == "--go-on":
        go_on(*sys.argv[2:])
    else:
        for one in CASES:
            with tempfile.TemporaryDirectory() as name:
                run_with_kills(one, int(sys.argv[1]), Path(name), seed=len(one))
            print(f"{one}: the same after {sys.argv[1]} kills", flush=True)
