"""Rates of studies: snakeboard runs of 1000 steps against the compiled time loop alone, in processes and on Dask workers.

Run: python benchmarks/studies.py [--runs 10000] [--dask]; prints CPU time and wall time, rates, shares, and the largest memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import time

import locodyn as ld
from locodyn.integrate import solve
from locodyn.sim.run import with_numerics
from locodyn.study.one_run import run_task

METRICS = ["speed", "cost_of_transport"]


def study(runs: int) -> ld.study.Study:
    return ld.study.Study("snakeboard", {"a_phi": "0.1..0.9", "a_psi": "0.2..1.2"}, METRICS, design="latin", samples=runs)


def loop_seconds(repeats: int = 30) -> float:
    """CPU time of one run inside the compiled loop, s: the best of several."""
    scenario = ld.zoo.snakeboard()
    q, v = scenario.initial_state()
    scenario, _ = with_numerics(scenario, q, v)
    best = float("inf")
    for _ in range(repeats):
        began = time.thread_time()
        solve(scenario.problem, q, v, 0.0, 10.0, step=scenario.numerics.step, method=scenario.numerics.method)
        best = min(best, time.thread_time() - began)
    return best


def run_seconds(repeats: int = 30) -> float:
    """CPU time of one run of a study in one process, s: the best of several."""
    wanted = study(repeats)
    best = float("inf")
    for k in range(repeats):
        began = time.thread_time()
        run_task(wanted.job, [wanted.design.row(k)])
        best = min(best, time.thread_time() - began)
    return best


def rate(runs: int, **where: int) -> float:
    """Runs a second, wall clock."""
    wanted = study(runs)
    began = time.perf_counter()
    found = wanted.run(progress=False, **where)
    assert found.completed == runs
    return runs / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--dask", action="store_true", help="also one and two Dask workers")
    options = parser.parse_args()
    loop, own, cores = loop_seconds(), run_seconds(), os.cpu_count() or 1
    print(f"compiled loop {1e3 * loop:.2f} ms a run, run of a study {1e3 * own:.2f} ms: {loop / own:.0%} of it is the loop")
    found = rate(options.runs)
    print(f"{options.runs} runs on {cores} cores: {found:.1f} a second, {found * loop / cores:.0%} of cores x compiled loop")
    if options.dask:
        one, two = rate(options.runs, workers=1), rate(options.runs, workers=2)
        print(f"Dask: one worker {one:.1f} a second, two {two:.1f}: {two / one:.2f} times as many")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(f"largest memory of this process {peak:.0f} MB")


if __name__ == "__main__":
    main()
