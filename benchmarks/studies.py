"""Rates of studies: snakeboard runs of 1000 steps against the compiled time loop alone, in processes and on Dask workers.

Run: python benchmarks/studies.py [--runs 10000] [--dask]; prints CPU time and wall time, rates, shares, and the largest memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import time

import locodyn as ld
from locodyn.integrate.steppers import runge_kutta
from locodyn.study.one_run import run_task

CASES = (["speed"], ["speed", "cost_of_transport"])


def study(runs: int, metrics: list[str]) -> ld.study.Study:
    return ld.study.Study("snakeboard", {"a_phi": "0.1..0.9", "a_psi": "0.2..1.2"}, metrics, design="latin", samples=runs)


def seconds(metrics: list[str], repeats: int = 6, runs: int = 64) -> tuple[float, float]:
    """CPU time of a run of a study in one process, and of its steps alone, inside the compiled loop, s: the best of several."""
    wanted, inside, steps = study(runs, metrics), [0.0], runge_kutta.rkmk4_run

    def timed(*arguments: object) -> object:
        began = time.thread_time()
        found = steps(*arguments)
        inside[0] += time.thread_time() - began
        return found

    rows = [wanted.design.row(k) for k in range(runs)]
    run_task(wanted.job, rows[:2])
    best = (float("inf"), 0.0)
    runge_kutta.rkmk4_run = timed  # type: ignore[assignment]  # counts the time of the kernel
    try:
        for _ in range(repeats):
            inside[0], began = 0.0, time.thread_time()
            run_task(wanted.job, rows)
            best = min(best, ((time.thread_time() - began) / runs, inside[0] / runs))
    finally:
        runge_kutta.rkmk4_run = steps
    return best


def rate(runs: int, metrics: list[str], **where: int) -> float:
    """Runs a second, wall clock."""
    wanted = study(runs, metrics)
    began = time.perf_counter()
    found = wanted.run(progress=False, **where)
    assert found.completed == runs
    return runs / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--dask", action="store_true", help="also one and two Dask workers")
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    for metrics in CASES:
        own, loop = seconds(metrics)
        words = ", ".join(metrics)
        print(
            f"{words}: run of a study {1e3 * own:.2f} ms of CPU, of which the compiled loop {1e3 * loop:.2f} ms: {loop / own:.0%}"
        )
        found = rate(options.runs, metrics)
        print(
            f"  {options.runs} runs on {cores} cores: {found:.1f} a second, {found * loop / cores:.0%} of cores x compiled loop"
        )
    if options.dask:
        one, two = rate(options.runs, CASES[0], workers=1), rate(options.runs, CASES[0], workers=2)
        print(f"Dask: one worker {one:.1f} a second, two {two:.1f}: {two / one:.2f} times as many")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(f"largest memory of this process {peak:.0f} MB")


if __name__ == "__main__":
    main()
