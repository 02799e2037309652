"""Runs in stretches of each kind of integrator that pauses, and what kills them.

``python tests/streamed_cases.py 20`` kills a run by each method at 20 random moments, resumes it each time, and compares.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.locomotion.sampled_controller import Measurement, SampledController
from locodyn.sim import stretches
from locodyn.sim.part_file import PartFile, part_of
from locodyn.sim.run import resume
from locodyn.sim.scenario import Scenario

IMPLICIT = ("radau3", "gauss2", "generalized_alpha", "hht", "wbz", "newmark", "implicit_euler")


class Adds:
    """A control law with a memory that it hands over: it answers the sum of what it has measured."""

    def begin(self) -> None:
        self.sum = np.zeros(2)

    def memory(self) -> np.ndarray:
        return self.sum

    def recall(self, memory: np.ndarray) -> None:
        self.sum = memory.copy()

    def __call__(self, measured: Measurement) -> np.ndarray:
        self.sum = self.sum + 0.01 * measured.q
        return -0.1 * measured.q - 0.01 * self.sum


TORQUE = {"joint_2": lambda t, q, v: float(0.3 * np.sin(3.0 * t) - 0.1 * v[1])}
CONTROLLER = SampledController(Adds(), period=0.02)

# Each method that pauses; wheels sum up angles, contacts and implicit steps remember most.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "rkmk4": ("snakeboard", {}, {"integrator": "rkmk4", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "functions": ("pendulum", {"n": 2}, {"integrator": "rkmk4", "t_end": 1.0, "dt": 0.01, "record_every": 1, "torque": TORQUE}),
    "a control law": (
        "pendulum",
        {"n": 2},
        {"integrator": "gauss2", "t_end": 1.0, "dt": 0.01, "record_every": 1, "controller": CONTROLLER},
    ),
    "adams": ("satellite", {}, {"integrator": "adams", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "adaptive": ("satellite", {}, {"integrator": "adaptive", "t_end": 2.0, "dt": 0.02}),
    "variational": ("pendulum", {"n": 2}, {"integrator": "variational", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "moreau": ("falling_boxes", {"n": 2}, {"t_end": 0.6, "record_every": 5}),
    "radau3 in lanes": ("pendulum", {"n": 2}, {"integrator": "radau3", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "radau_adaptive": ("pendulum", {"n": 2}, {"integrator": "radau_adaptive", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    "energy_momentum": ("pendulum", {"n": 2}, {"integrator": "energy_momentum", "t_end": 1.0, "dt": 0.01, "record_every": 1}),
    **{one: ("four_bar", {}, {"integrator": one, "t_end": 1.0, "dt": 0.01, "record_every": 1}) for one in IMPLICIT},
}
# Those that hand their stretches over and stay where they are; after a kill they begin anew at the last record that is kept.
LIVE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "event_driven": ("bouncing_ball", {}, {"integrator": "event_driven", "t_end": 2.0, "dt": 0.001, "record_every": 10}),
    "phases": ("compass_gait", {}, {"t_end": 3.0}),
    "quasi_static": ("tendon_arm", {}, {"integrator": "quasi_static", "t_end": 1.0, "dt": 0.02, "record_every": 1}),
}
# One of each kind: the others differ from these in numbers only.
KINDS = [name for name in CASES if name not in (*IMPLICIT, "energy_momentum")] + ["radau3", "generalized_alpha"]


# A run that was killed ends with the same bits; the others choose their steps, and look for events, from where they begin.
EXACT = (*CASES, "quasi_static")


def scenario_of(case: str) -> Scenario:
    name, parameters, options = (CASES | LIVE)[case]
    found: Scenario = getattr(ld.zoo, name)(**parameters).changed(checks=(), **options)
    return found


def assert_same(one: ld.Result, two: ld.Result) -> None:
    assert set(one.dataset.variables) == set(two.dataset.variables)
    for name in one.dataset.data_vars:
        np.testing.assert_array_equal(one.dataset[name].values, two.dataset[name].values, err_msg=str(name))


def assert_near(one: ld.Result, two: ld.Result) -> None:
    """For methods that choose their steps and begin anew after a kill: to their tolerances, over some seconds."""
    for name in ("body_position", "potential_energy"):
        np.testing.assert_allclose(one.dataset[name].values, two.dataset[name].values, rtol=0.0, atol=1e-6)


LONGER = 40  # times the end of a case, for runs that are to be killed: some seconds with short stretches


def long_scenario(case: str) -> Scenario:
    found = scenario_of(case)
    return found.changed(t_end=(LONGER if case in CASES else 2) * found.recording.t_end)


def go_on(case: str, file: str) -> None:
    """Begin or go on with a long run, in stretches of 50 records."""
    stretches.FEWEST = stretches.FIRST = stretches.MOST = 50 if case in CASES else 12
    scenario = long_scenario(case)
    if part_of(file).exists() and frames_of(Path(file)):  # killed before its first stretch, it begins anew
        resume(file, scenario.recording.t_end, scenario, progress=False)
    else:
        scenario.run(progress=False, out=file)


def frames_of(file: Path) -> int:
    return len(PartFile(part_of(file)).frames())


def begun(case: str, file: Path) -> int:
    """Begin or go on in a copy of this process, where all kernels are there; its number."""
    child = os.fork()
    if child:
        return child
    try:
        go_on(case, str(file))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def run_with_kills(case: str, kills: int, folder: Path, seed: int) -> None:
    """Kill a long run so many times at random moments, and let it end: nothing that was written is lost or changed.

    Where it ends before, another one begins. The end is reached by an interpreter that has seen nothing of the run.
    """
    file, generator, kept = folder / "run.nc", np.random.default_rng(seed), 0
    compare = assert_same if case in EXACT else assert_near
    scenario_of(case).run(progress=False)  # compiles, which is not to count
    began = time.perf_counter()
    whole = long_scenario(case).run(progress=False)
    seconds = time.perf_counter() - began
    while kills:
        child = begun(case, file)
        time.sleep(float(generator.uniform(0.0, 2.0 * seconds / (kills + 1))))
        os.kill(child, signal.SIGKILL)
        _, code = os.waitpid(child, 0)
        if file.exists():
            assert os.waitstatus_to_exitcode(code) in (0, -signal.SIGKILL)
            compare(whole, ld.Result.load(file))
            file.unlink()
            kept = 0
            continue
        assert os.waitstatus_to_exitcode(code) == -signal.SIGKILL, "the run failed by itself"
        kills -= 1
        found = frames_of(file) if part_of(file).exists() else 0
        assert found >= kept
        kept = found
    subprocess.run([sys.executable, __file__, "--go-on", case, str(file)], check=True)
    compare(whole, ld.Result.load(file))
    assert os.listdir(folder) == ["run.nc"]


if __name__ == "__main__":
    if sys.argv[1] == "--go-on":
        go_on(*sys.argv[2:])
    else:
        for one in sys.argv[2:] or CASES | LIVE:
            with tempfile.TemporaryDirectory() as name:
                run_with_kills(one, int(sys.argv[1]), Path(name), seed=len(one))
            print(f"{one}: the same{'' if one in EXACT else ' to 1e-6'} after {sys.argv[1]} kills", flush=True)
