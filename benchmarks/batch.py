"""Rates of batches against the compiled loop of a single run, in one process: robot steps a second and core.

Each row: the CPU time of a step of one robot inside its own compiled loop, the same in a batch on one thread, their ratio, and
the wall-clock gain of all cores. Best of several; the ratio counts, the times depend on the machine.
"""

import os
import time
import warnings
from functools import partial

import locodyn as ld

COUNT, REPEATS = 64, 5
ROBOTS = {
    "snakeboard (wheels)": (lambda: ld.zoo.snakeboard(), 100),
    "snake_3d (hard contact)": (lambda: ld.zoo.snake_3d(), 40),
    "rod_drop (rod, implicit)": (lambda: ld.zoo.rod_drop(), 10),
    "cpr_rfrfr (loops of rods)": (lambda: ld.zoo.cpr_rfrfr(), 10),
    "pendulum (tree)": (lambda: ld.zoo.pendulum(n=10).changed(integrator="rkmk4", dt=0.001), 100),
}


def best(call, clock):
    """Least seconds of several calls."""
    found = []
    for _ in range(REPEATS):
        began = clock()
        call()
        found.append(clock() - began)
    return min(found)


def main():
    """Print the table."""
    warnings.simplefilter("ignore")
    cores = len(os.sched_getaffinity(0))
    print(f"{COUNT} robots, {cores} cores")
    print(f"{'robot':28s} {'single us':>10s} {'batch us':>10s} {'ratio':>6s} {'all cores':>10s}")
    for name, (make, steps) in ROBOTS.items():
        scenario = make()
        single, one, all_cores = scenario.open(), scenario.batch(COUNT, threads=1), scenario.batch(COUNT)

        def alone(single=single, steps=steps):
            for _ in range(COUNT):
                single.reset()
                single.step(steps=steps)

        def resets(single=single):
            for _ in range(COUNT):
                single.reset()

        def together(batch=one, steps=steps):
            batch.reset()
            batch.advance(steps)

        spread = partial(together, all_cores)
        for warm in (alone, together, spread):
            warm()
        each = COUNT * steps / 1e6
        by_itself = (best(alone, time.process_time) - best(resets, time.process_time)) / each
        in_batch = best(together, time.process_time) / each
        gain = best(together, time.perf_counter) / best(spread, time.perf_counter)
        print(f"{name:28s} {by_itself:10.2f} {in_batch:10.2f} {in_batch / by_itself:6.2f} {gain:9.2f}x")


if __name__ == "__main__":
    main()
