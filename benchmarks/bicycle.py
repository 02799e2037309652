"""The bicycle: python benchmarks/bicycle.py [--quick] [--json FILE].

CPU time, best of several, of 5 s of passive motion at a step of 5 ms, by both fixed-step integrators and with the accuracy that
they reach (against a run with a tenth of the step). Mauny, Porez and Boyer (2017) report under 2.6 s for it in
MATLAB on a processor of 3 GHz; that figure is theirs, not of this run. Its equations in closed form: benchmarks/symbolic.py.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from timing import write_json

import locodyn as ld
from locodyn.integrate import solve

SECONDS, STEP, SOURCE_US = 5.0, 0.005, 2.6e6


def cost(method: str, rounds: int) -> tuple[float, np.ndarray]:
    """(ms of CPU, last velocities)."""
    scenario = ld.zoo.bicycle()
    problem, best = scenario.problem, float("inf")
    q, v = scenario.initial_state()
    for _ in range(rounds):
        began = time.process_time_ns()
        solution = solve(problem, q, v, 0.0, SECONDS, step=STEP, method=method, record_every=1000)
        best = min(best, time.process_time_ns() - began)
    return best / 1e6, solution.v[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    scenario = ld.zoo.bicycle()
    q, v = scenario.initial_state()
    exact = solve(scenario.problem, q, v, 0.0, SECONDS, step=STEP / 10, method="rkmk4", record_every=10000).v[-1]
    records = []
    for method in ("rkmk4", "adams"):
        ms, last = cost(method, 5 if options.quick else 40)
        error = np.abs(last - exact).max()
        print(f"bicycle, {SECONDS:g} s at {1e3 * STEP:g} ms, {method:6s}: {ms:6.1f} ms of CPU, error of the rates {error:.1e}")
        work = f"bicycle {SECONDS:g} s, {method}"
        records.append(
            {"work": work, "size": 1, "called": "solve", "locodyn_us": 1e3 * ms, "peer": "source, MATLAB", "peer_us": SOURCE_US}
        )
    if options.json:
        write_json(options.json, records)


if __name__ == "__main__":
    main()
