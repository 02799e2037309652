"""Cost of the wheeled snake by its number of modules: python benchmarks/wheeled_snake.py [--quick] [--json FILE].

CPU time, best of several, of one Runge-Kutta step (four evaluations, inside the compiled loop) and of one record (motion,
torques, contact forces, poses, energies). There is no peer: `peer` is empty in the records.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from timing import write_json

import locodyn as ld
from locodyn.integrate import rkmk4


def cost(modules: int, rounds: int) -> tuple[float, float]:
    """(step, record) in us."""
    scenario = ld.zoo.wheeled_snake(n=modules)
    problem = scenario.problem
    q, v = problem.start_state(0.0, *scenario.initial_state())
    count = max(20, 10000 // modules)
    scratch = rkmk4.new_scratch(len(q), len(v))
    times, states, speeds = np.zeros(count), np.zeros((count, len(q))), np.zeros((count, len(v)))
    memory = np.zeros((count, problem.memories.count))
    step = record = float("inf")
    for _ in range(rounds):
        here, speed = q.copy(), v.copy()
        began = time.process_time_ns()
        rkmk4.rkmk4_run(
            problem.arrays, problem.inputs, 0.0, 1e-3, 0, count, 1, here, speed, problem.workspace, scratch, times, states,
            speeds, memory,
        )  # fmt: skip
        middle = time.process_time_ns()
        problem.series(times, states, speeds)
        step, record = min(step, middle - began), min(record, time.process_time_ns() - middle)
    return step / count / 1e3, record / count / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to 50 modules only")
    parser.add_argument("--json", metavar="FILE", help="write the records to a file")
    options = parser.parse_args()
    sizes, records = (10, 20, 50) if options.quick else (10, 20, 50, 100, 200, 500), []
    found = {modules: cost(modules, 4 if options.quick else 10) for modules in sizes}
    for modules, (step, record) in found.items():
        print(f"{modules:4d} modules: step {step:8.1f} us, record {record:8.1f} us, together {step + record:8.1f} us")
        for work, value in (("constrained_step", step), ("constrained_record", record)):
            records.append(
                {"work": work, "size": str(modules), "called": "loop", "locodyn_us": value, "peer": "", "peer_us": None}
            )
    slopes = np.polyfit(np.log(sizes), np.log([found[n] for n in sizes]), 1)[0]
    print(f"slope in a log-log plot: step {slopes[0]:.2f}, record {slopes[1]:.2f}")
    if options.json:
        write_json(options.json, records)


if __name__ == "__main__":
    main()
