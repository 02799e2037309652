"""Gait design for RABBIT: build, cold solve, later solves, random starts, a library over speed and slope.

Run: python benchmarks/gaits.py [--quick]; prints a table. Published for planar bipeds of 7 freedoms: FROST 6.9 s, its formulation
in CasADi 2.2 s, TROPIC 1.5 s.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import locodyn as ld
from locodyn.zoo import rabbit


def main(quick: bool) -> None:
    """Print what was measured."""
    hybrid = ld.Scenario("rabbit", rabbit.robot(), phases=rabbit.phases()).hybrid
    began = time.perf_counter()
    design = rabbit.design(hybrid)
    first = design.solve(0.7)
    cold = time.perf_counter() - began
    print(f"build {design.build_seconds:.2f} s; build and first gait, checked on 400 places: {cold:.2f} s")
    print(f"  {first.status}, {first.iterations} iterations, cost {first.cost:.2f} (N m)^2 s/m, transport {first.transport:.4f},"
          f" delta^2 {first.dynamics.delta_squared:.4f}, excess {dict(first.excess)}")  # fmt: skip

    rng = np.random.default_rng(0)
    costs, seconds = [], []
    for _ in range(3 if quick else 10):
        began = time.perf_counter()
        found = design._run(0.7, 0.0, design.limits, 0.0, None, rng)
        seconds.append(time.perf_counter() - began)
        if found["success"]:
            costs.append(design._designed(found, design.limits, design.limits, 0, 0.0).cost)
    print(f"random starts: {len(costs)} of {len(seconds)} solved, costs {min(costs):.2f} .. {max(costs):.2f},"
          f" median {np.median(seconds):.2f} s a solve")  # fmt: skip

    speeds = np.round(np.linspace(0.4, 1.0, 4 if quick else 20), 4)
    slopes = (0.0,) if quick else (-0.04, -0.02, 0.0, 0.02, 0.04)
    began = time.perf_counter()
    library = design.family(speeds, slopes)
    spent = time.perf_counter() - began
    worst = max((max(one.excess.values(), default=0.0) for one in library.values()), default=0.0)
    print(f"library: {len(library)} of {len(speeds) * len(slopes)} gaits in {spent:.1f} s, {spent / len(library):.3f} s each;"
          f" largest excess on the fine grid {worst:.1e}")  # fmt: skip


if __name__ == "__main__":
    main("--quick" in sys.argv)
