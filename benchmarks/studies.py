"""Rates of studies: snakeboard runs of 1000 steps against the compiled time loop alone, in processes and on Dask workers.

Run: python benchmarks/studies.py [--runs 10000] [--dask] [--shares]; prints CPU time and wall time, rates, shares, and the
largest memory. Shares by CPU time hold on a machine that does other things too; those by wall time do not. Where cores share
caches or arithmetic with each other, or with what else the machine does, steps take longer when all are busy: so the steps are
also timed in as many processes at once.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import locodyn as ld
from locodyn.integrate.steppers import runge_kutta
from locodyn.sim import shared_runs
from locodyn.study.one_run import Runner, run_task
from locodyn.zoo.remembered import remembering

GAITS, ROBOTS = {"a_phi": "0.1..0.9", "a_psi": "0.2..1.2"}, {"m_o": "1..3", "l": "0.15..0.25", "a_phi": "0.1..0.9"}
CASES = ((GAITS, ["speed"]), (GAITS, ["speed", "cost_of_transport"]), (ROBOTS, ["speed"]))


def study(runs: int, vary: dict[str, str], metrics: list[str]) -> ld.study.Study:
    return ld.study.Study("snakeboard", vary, metrics, design="latin", samples=runs)


class Timed:
    """A function of a module that counts the CPU time of its calls while it is watched."""

    def __init__(self, module: object, name: str) -> None:
        self.module, self.name, self.kept, self.seconds = module, name, getattr(module, name), 0.0

    def __call__(self, *arguments: object) -> object:
        began = time.thread_time()
        found = self.kept(*arguments)
        self.seconds += time.thread_time() - began
        return found

    def __enter__(self) -> Timed:
        setattr(self.module, self.name, self)
        return self

    def __exit__(self, *error: object) -> None:
        setattr(self.module, self.name, self.kept)


@dataclass(frozen=True)
class Seconds:
    """CPU time of a run of a study, of its compiled call, of a run alone, and of the steps of the latter."""

    run: float
    call: float
    alone: float
    steps: float


def seconds(vary: dict[str, str], metrics: list[str], repeats: int = 8, runs: int = 64) -> Seconds:
    """The best of several rounds, in each of which all have their turn."""
    wanted = study(runs, vary, metrics)
    rows = [wanted.design.row(k) for k in range(runs)]
    alone, few = Runner(wanted.job), rows[: runs // 4]
    run_task(wanted.job, rows)
    best = [float("inf")] * 4
    with Timed(runge_kutta, "rkmk4_run") as steps, Timed(shared_runs, "whole_runs") as call:
        for _ in range(repeats):
            steps.seconds = call.seconds = 0.0
            together = spent(lambda: run_task(wanted.job, rows)) / runs
            apart = spent(lambda: one_by_one(alone, few)) / len(few)
            found = together, call.seconds / runs, apart, steps.seconds / len(few)
            best = [min(pair) for pair in zip(best, found, strict=True)]
    return Seconds(*best)


def steps_of_one(seconds_long: float = 4.0) -> float:
    """Mean CPU time of the steps of a run alone, over so many seconds."""
    wanted = study(64, *CASES[0])
    rows = [wanted.design.row(k) for k in range(16)]
    alone, made = Runner(wanted.job), 0
    one_by_one(alone, rows)
    with Timed(runge_kutta, "rkmk4_run") as steps:
        end = time.perf_counter() + seconds_long
        while time.perf_counter() < end:
            one_by_one(alone, rows)
            made += len(rows)
    return steps.seconds / made


def steps_on_all(cores: int) -> float:
    """The same, in as many processes as there are cores, at once."""
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        list(pool.map(steps_of_one, [0.1] * cores))  # so that all have started
        return sum(pool.map(steps_of_one, [4.0] * cores)) / cores


def one_by_one(runner: Runner, rows: list[dict[str, object]]) -> None:
    with remembering():
        for row in rows:
            runner.run(row)


def spent(work: Callable[[], object]) -> float:
    """CPU time of this thread."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def rate(runs: int, vary: dict[str, str], metrics: list[str], **where: int) -> tuple[float, float]:
    """Runs a second by the wall clock, and CPU time of a run, with all processes and all that starts and ends them."""
    with tempfile.TemporaryDirectory() as folder:
        began, before = time.perf_counter(), cpu()
        found = study(runs, vary, metrics).run(f"{folder}/study.zarr", progress=False, **where)
        taken = time.perf_counter() - began
        time.sleep(1.0)  # until the processes have ended, whose time counts then
        used = cpu() - before
        assert found.completed == runs  # loads what reads tables
    return runs / taken, used / runs


def cpu() -> float:
    """CPU time of this process and of those that it has started and that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--dask", action="store_true", help="also one and two Dask workers")
    parser.add_argument("--shares", action="store_true", help="only the shares of the CPU time, of a few runs")
    options = parser.parse_args()
    if sys.dont_write_bytecode:
        print("no bytecode is kept (PYTHONDONTWRITEBYTECODE): each process reads all sources anew, which no installation does")
    cores = os.cpu_count() or 1
    busy = steps_on_all(cores)
    print(f"steps of a run alone {1e3 * steps_of_one():.2f} ms of CPU, {1e3 * busy:.2f} ms while {cores} processes make them")
    for vary, metrics in CASES:
        own = seconds(vary, metrics)
        print(
            f"{', '.join(metrics)} over {', '.join(vary)}: run of a study {1e3 * own.run:.2f} ms of CPU, {own.call / own.run:.0%}"
            f" of it compiled; alone {1e3 * own.alone:.2f} ms, steps {1e3 * own.steps:.2f} ms: {own.steps / own.run:.0%}",
            flush=True,
        )
        if options.shares:
            continue
        found, used = rate(options.runs, vary, metrics)
        print(
            f"  {options.runs} runs on {cores} cores: {found:.1f} a second, {found * own.steps / cores:.0%} of cores x compiled"
            f" loop; {1e3 * used:.2f} ms of CPU each, {own.steps / used:.0%} of it steps, {busy / used:.0%} of busy cores",
            flush=True,
        )
    if options.dask:
        one, two = (rate(options.runs, *CASES[0], workers=n)[0] for n in (1, 2))
        print(f"Dask: one worker {one:.1f} a second, two {two:.1f}: {two / one:.2f} times as many")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024.0
    print(f"largest memory of this process {peak:.0f} MB, of one that it started {children:.0f} MB")


if __name__ == "__main__":
    main()
