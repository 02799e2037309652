"""Gait design: RABBIT (build, cold solve, later solves, random starts, a library over speed and slope), a biped in space; and ten
steps of RABBIT on compliant feet with LuGre's friction, simulated.

Run: python benchmarks/gaits.py [--quick]; prints a table, seconds of wall clock and of CPU. Published: for planar bipeds of 7
freedoms FROST 6.9 s, its formulation in CasADi 2.2 s, TROPIC 1.5 s; for 12 freedoms in space FROST 6.1 s at 25 nodes.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import locodyn as ld
from locodyn.zoo import biped, rabbit
from locodyn.zoo.registry import make


class Watch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        return f"{time.perf_counter() - self.wall:.2f} s (CPU {time.process_time() - self.cpu:.2f} s)"


def library(design: ld.walking.design.GaitDesign, quick: bool) -> None:
    """A family over speed and slope, each gait from its neighbour."""
    speeds = np.round(np.linspace(0.4, 1.0, 4 if quick else 20), 4)
    slopes = (0.0,) if quick else (-0.04, -0.02, 0.0, 0.02, 0.04)
    watch = Watch()
    found = design.family(speeds, slopes)
    print(f"library: {len(found)} of {len(speeds) * len(slopes)} gaits in {watch}")
    seconds = [one.seconds for one in found.values()]
    worst = max((max(one.excess.values(), default=0.0) for one in found.values()), default=0.0)
    print(f"  median {np.median(seconds):.3f} s a gait; largest excess on the fine grid {worst:.1e}")


def compliant_steps() -> None:
    """Ten steps on compliant feet by joint PD, with kernels compiled: the best of five runs."""
    scenario = make("rabbit_walk", {"feet": "compliant", "mu": rabbit.FOOT_FRICTION})
    seconds = []
    for _ in range(6):
        begin = time.process_time()
        result = scenario.run(progress=False)
        seconds.append(time.process_time() - begin)
    steps = len(json.loads(result.attributes["transitions"]))
    print(f"{steps} compliant steps ({result.attributes['evaluations']} evaluations): CPU {min(seconds[1:]):.3f} s,"
          f" worst of five {max(seconds[1:]):.3f} s")  # fmt: skip


def main(quick: bool) -> None:
    """Print what was measured."""
    compliant_steps()
    hybrid = ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid
    watch = Watch()
    design = rabbit.design(hybrid)
    print(f"RABBIT: build {watch}")
    first = design.solve(0.7)
    print(f"  build and first gait, checked on 400 places: {watch}")
    print(f"  {first.status}, {first.iterations} iterations, cost {first.cost:.2f} (N m)^2 s/m, transport {first.transport:.4f},"
          f" delta^2 {first.dynamics.delta_squared:.4f}, excess {dict(first.excess)}")  # fmt: skip
    watch, again = Watch(), design.solve(0.72, near=first)
    print(f"  next gait {watch}, {again.iterations} iterations")

    found = []
    for seed in range(3 if quick else 10):
        try:
            found.append(design.solve(0.7, rough=True, seed=seed, restarts=0))
        except ld.RunError:
            continue
    costs, seconds = [one.cost for one in found], [one.seconds for one in found]
    print(f"random starts: {len(found)} of {3 if quick else 10} solved, costs {min(costs):.2f} .. {max(costs):.2f},"
          f" median {np.median(seconds):.2f} s a solve")  # fmt: skip
    library(design, quick)

    spatial = ld.Scenario("biped", biped.robot(), phases=biped.phases()).hybrid
    watch = Watch()
    gait = biped.design(spatial).solve(biped.SPEED)
    print(f"biped in space, 12 freedoms: build and first gait {watch}; {gait.status}, {gait.iterations} iterations,"
          f" cost {gait.cost:.2f} (N m)^2 s/m, transport {gait.transport:.4f}, excess {dict(gait.excess)}")  # fmt: skip


if __name__ == "__main__":
    main("--quick" in sys.argv)
