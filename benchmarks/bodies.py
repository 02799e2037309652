"""Bodies without joints: python benchmarks/bodies.py [--quick] [--json FILE].

1. ``continuum_snake``, 10 s with forces, straight and with a turn: CPU time of the steps (``adams``, as in the zoo) and of the
   records (forces of the sleeves, powers, energies), best of several, and how far the head ends from the closed form.
2. How the cost grows: the same run with more slices, and with more sleeves. Cost is linear where the slope in a log-log plot,
   which is below 1 while what does not grow still counts, tends to 1 and does not go beyond.

Compiling and building the robot are not in the times. There is no peer: `peer` is empty in the records.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from scipy.special import j0
from timing import write_json

import locodyn as ld
from locodyn.integrate import solve
from locodyn.zoo.robots import continuum_snake

SLICES, SLEEVES = (72, 144, 288, 576, 1152), (5, 10, 20, 40, 80, 160)


def scenario(nodes: int = continuum_snake.NODES, sleeves: int = 5, turn: float = 0.0) -> ld.Scenario:
    """The robot of the zoo, with another number of slices or sleeves."""
    kept, continuum_snake.NODES = continuum_snake.NODES, nodes
    try:
        return ld.zoo.continuum_snake(sleeves=sleeves, turn=turn)
    finally:
        continuum_snake.NODES = kept


def cost(case: ld.Scenario, rounds: int, t_end: float = 10.0) -> tuple[float, float, np.ndarray]:
    """(steps, records) in ms of CPU time, and the place of the head in the end (2,) m."""
    problem, (q, v) = case.problem, case.initial_state()
    steps = records = float("inf")
    for _ in range(rounds):
        began = time.process_time_ns()
        found = solve(problem, q, v, 0.0, t_end, step=continuum_snake.STEP, method="adams", record_every=continuum_snake.EVERY)
        middle = time.process_time_ns()
        problem.series(found.times, found.q, found.v)
        steps, records = min(steps, middle - began), min(records, time.process_time_ns() - middle)
    return steps / 1e6, records / 1e6, found.q[-1, :2]


def snake(rounds: int) -> list[dict[str, Any]]:
    """Ten seconds of the robot of the zoo."""
    result = []
    for turn in (0.0, 2.0):
        steps, records, head = cost(scenario(turn=turn), rounds)
        words = "" if turn else f", head {np.hypot(head[0] + 5.0 * j0(10.0 / (2.0 * np.pi)), head[1]):.1e} m from the closed form"
        parts = f"steps {steps:.1f} ms, records {records:.1f} ms, together {steps + records:.1f} ms"
        print(f"continuum_snake, turn={turn:g}: {parts}{words}")
        for work, ms in (("400 steps", steps), ("201 records with forces", records), ("10 s with forces", steps + records)):
            name = f"continuum_snake{' that turns' if turn else ''}, {work}"
            result.append({"work": name, "size": 144, "called": "adams", "locodyn_us": 1e3 * ms, "peer": "", "peer_us": None})
    return result


def growth(what: str, sizes: tuple[int, ...], rounds: int) -> list[dict[str, Any]]:
    """2 s of the same run by the number of slices or of sleeves (with as many slices as the zoo has)."""
    result, times = [], []
    for n in sizes:
        case = scenario(nodes=n) if what == "slices" else scenario(sleeves=n)
        steps, records, _ = cost(case, rounds, 2.0)
        times.append((steps, records))
        print(f"{n:5d} {what}: 80 steps {steps:8.2f} ms, 41 records {records:8.2f} ms")
        for work, ms in (("80 steps", steps), ("41 records with forces", records)):
            result.append(
                {"work": f"by {what}, {work}", "size": n, "called": "adams", "locodyn_us": 1e3 * ms, "peer": "", "peer_us": None}
            )
    slopes = np.diff(np.log(times), axis=0) / np.diff(np.log(sizes))[:, None]
    print(f"slopes in a log-log plot, from one number of {what} to the next: steps", np.round(slopes[:, 0], 2), end="")
    print(", records", np.round(slopes[:, 1], 2))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and sizes")
    parser.add_argument("--json", metavar="FILE", help="write the records to a file")
    options = parser.parse_args()
    few = 3 if options.quick else None
    records = snake(10 if options.quick else 100)
    records += growth("slices", SLICES[:few], 3 if options.quick else 20)
    records += growth("sleeves", SLEEVES[:few], 3 if options.quick else 20)
    if options.json:
        write_json(options.json, records)


if __name__ == "__main__":
    main()
