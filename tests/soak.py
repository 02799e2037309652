"""Does memory stay flat? Runs of many kinds, again and again.

``python tests/soak.py 60`` goes on for 60 minutes. Each round makes a run of each kind with a file, loads and resumes it, steps a
simulation from outside and makes a report. Every minute it prints the memory of the process, and at its end by how much that
grew in a round, from the second quarter on: least squares, which a leak shows and a cache that fills up does not.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import locodyn as ld
from locodyn.sim.run import resume

# Wheels, a loop, rolling, a tree, hard contact, events, phases.
ROBOTS: dict[str, dict[str, Any]] = {
    "snakeboard": {"t_end": 2.0},
    "four_bar": {"t_end": 1.0},
    "rolling_disc": {"t_end": 1.0},
    "satellite": {"t_end": 1.0, "integrator": "adaptive"},
    "falling_boxes": {"t_end": 0.1},
    "bouncing_ball": {"t_end": 1.0, "integrator": "event_driven"},
    "compass_gait": {"t_end": 1.0},
}


def resident() -> float:
    """Memory of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def one_round(folder: Path) -> None:
    """A run of each kind: written, read, resumed, stepped and shown."""
    for name, words in ROBOTS.items():
        scenario = getattr(ld.zoo, name)().changed(checks=(), **words)
        file = folder / f"{name}.nc"
        scenario.run(progress=False, out=file)
        whole = resume(file, 1.5 * words["t_end"], getattr(ld.zoo, name)().changed(checks=(), **words), progress=False)
        assert ld.Result.load(file).status == whole.status
        whole.report(folder / f"{name}.html")
    simulation = ld.zoo.pendulum(n=2).changed(integrator="rkmk4", dt=0.001).open(actions=["joint_1"])
    for _ in range(100):
        simulation.step([0.1], steps=10)


def soak(minutes: float) -> float:
    """Rounds for so many minutes; growth of the memory in a round, MB."""
    warnings.simplefilter("ignore")
    end, said, memory = time.monotonic() + 60.0 * minutes, -60.0, []
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end or len(memory) < 8:
            one_round(Path(name))
            gc.collect()
            memory.append(resident())
            if time.monotonic() - said >= 60.0:
                said = time.monotonic()
                print(f"{len(memory)} rounds, {memory[-1]:.0f} MB", flush=True)
    later = np.array(memory[len(memory) // 4 :])
    growth = float(np.polyfit(np.arange(len(later)), later, 1)[0])
    print(
        f"{len(memory)} rounds of {len(ROBOTS)} runs: {later[0]:.0f} MB, then {later[-1]:.0f} MB; {1e3 * growth:+.0f} kB a round"
    )
    return growth


if __name__ == "__main__":
    soak(float(sys.argv[1]))
