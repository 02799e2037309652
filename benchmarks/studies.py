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
from locodyn.study.one_run import Runner, run_task
from locodyn.zoo.remembered import remembering

CASES = (["speed"], ["speed", "cost_of_transport"])


def study(runs: int, metrics: list[str]) -> ld.study.Study:
    return ld.study.Study("snakeboard", {"a_phi": "0.1..0.9", "a_psi": "0.2..1.2"}, metrics, design="latin", samples=runs)


def seconds(metrics: list[str], repeats: int = 8, runs: int = 64) -> tuple[float, float, float]:
    """CPU time (s) of a run of a study, of a run alone, and of the steps of the latter inside the compiled loop.

    The best of several rounds, in each of which all three have their turn.
    """
    wanted, inside, steps = study(runs, metrics), [0.0], runge_kutta.rkmk4_run

    def timed(*arguments: object) -> object:
        began = time.thread_time()
        found = steps(*arguments)
        inside[0] += time.thread_time() - began
        return found

    rows = [wanted.design.row(k) for k in range(runs)]
    alone, few = Runner(wanted.job), rows[: runs // 4]
    run_task(wanted.job, rows)
    best = [float("inf")] * 3
    runge_kutta.rkmk4_run = timed  # type: ignore[assignment]  # counts the time of the kernel
    try:
        for _ in range(repeats):
            began = time.thread_time()
            run_task(wanted.job, rows)
            together, began = (time.thread_time() - began) / runs, time.thread_time()
            inside[0] = 0.0
            with remembering():
                for row in few:
                    alone.run(row)
            found = together, (time.thread_time() - began) / len(few), inside[0] / len(few)
            best = [min(pair) for pair in zip(best, found, strict=True)]
    finally:
        runge_kutta.rkmk4_run = steps
    return best[0], best[1], best[2]


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
    parser.add_argument("--shares", action="store_true", help="only the shares of the CPU time, of a few runs")
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    for metrics in CASES:
        own, alone, loop = seconds(metrics)
        print(
            f"{', '.join(metrics)}: run of a study {1e3 * own:.2f} ms of CPU, alone {1e3 * alone:.2f} ms, steps in the compiled"
            f" loop {1e3 * loop:.2f} ms: {loop / own:.0%}",
            flush=True,
        )
        if options.shares:
            continue
        found = rate(options.runs, metrics)
        print(
            f"  {options.runs} runs on {cores} cores: {found:.1f} a second, {found * loop / cores:.0%} of cores x compiled loop",
            flush=True,
        )
    if options.dask:
        one, two = rate(options.runs, CASES[0], workers=1), rate(options.runs, CASES[0], workers=2)
        print(f"Dask: one worker {one:.1f} a second, two {two:.1f}: {two / one:.2f} times as many")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(f"largest memory of this process {peak:.0f} MB")


if __name__ == "__main__":
    main()
