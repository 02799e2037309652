"""Rates of batches against the compiled loop of a single run, in one process: robot steps a second and core.

Each row: the CPU time of a step of one robot inside its own compiled loop, the same in a batch on one thread, their ratio, and
the wall-clock gain of all cores. Trees, wheels and loops go four at a time (:mod:`locodyn.integrate.lane_robots`), unless they
differ in masses; all others one by one, where the ratio should be 1 or less. Then what Python adds: a call of
``Simulation.step`` for one step of a snake, beyond that step; and a step of a vector environment of 1024 snakes, whose robots
act, are seen and rewarded, against the same steps of their batch alone. Last, where Pinocchio is installed, forward dynamics of
4096 robots against Pinocchio from Python, per core. Best of several; ratios count, times depend on the machine.
"""

import os
import time
import warnings
from functools import partial

import locodyn as ld
from locodyn.sim import ScenarioBatch

COUNT, REPEATS = 64, 5
ROBOTS = {
    "snakeboard (wheels)": (lambda: ld.zoo.snakeboard(), 100),
    "wheeled_snake (wheels)": (lambda: ld.zoo.wheeled_snake(phi=(0.5, 2.1, 0.3, 1.7, 0.1)), 50),
    "car (steered, driven)": (lambda: ld.zoo.car(), 100),
    "trikke (rolls in space)": (lambda: ld.zoo.trikke(), 50),
    "four_bar (loop)": (lambda: ld.zoo.four_bar().changed(integrator="rkmk4"), 100),
    "snakeboards of own masses": (lambda: [ld.zoo.snakeboard(m_o=2.0 + 0.01 * r) for r in range(COUNT)], 100),
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


def from_python(calls=400):
    """Microseconds of CPU time that a call of ``step`` with an action adds to a step of a snake of ten links."""
    sim = ld.zoo.snake_3d().open()
    action = sim.action.copy()

    def one_by_one():
        sim.reset()
        for _ in range(calls):
            sim.step(action)

    def in_one_call():
        sim.reset()
        sim.step(action, steps=calls)

    for warm in (one_by_one, in_one_call):
        warm()
    return (best(one_by_one, time.process_time) - best(in_one_call, time.process_time)) / calls * 1e6


def environment(count=1024):
    """Rate of a vector environment in parts of that of its batch, on one thread, CPU time."""
    import numpy as np

    from locodyn.envs import LocodynVectorEnv
    from locodyn.envs.tasks import TASKS

    envs = LocodynVectorEnv(TASKS["Snake"](), count, threads=1)
    actions, learners = np.zeros(envs.action_space.shape), envs._learners
    shares = []
    for _ in range(REPEATS):
        spent = []
        for call in (lambda: envs.step(actions), lambda: learners.batch.advance(learners.steps)):
            envs.reset(seed=1)
            learners.batch.set_actions(learners.offset)  # what an action of zero means
            began = time.process_time()
            call()
            spent.append(time.process_time() - began)
        shares.append(spent[1] / spent[0])
    return float(np.median(shares))


def against_pinocchio(seconds=2.0):
    """CPU time of forward dynamics of a robot in a batch, and that of Pinocchio, for chains and a humanoid."""
    from rigid import batch
    from robots import chain, humanoid

    records = []
    for size, robot in (("10", chain(10)), ("20", chain(20)), ("40", chain(40)), ("humanoid", humanoid())):
        batch(size, robot.model(), seconds, records)
    return [one for one in records if one["work"] == "batch_forward_dynamics"]


def main():
    """Print the table."""
    warnings.simplefilter("ignore")
    cores = len(os.sched_getaffinity(0))
    print(f"{COUNT} robots, {cores} cores")
    print(f"{'robot':28s} {'single us':>10s} {'batch us':>10s} {'ratio':>6s} {'all cores':>10s}")
    for name, (make, steps) in ROBOTS.items():
        made = make()
        scenarios = made if isinstance(made, list) else [made]
        single = scenarios[0].open()
        one, all_cores = (ScenarioBatch(scenarios, COUNT, threads=threads) for threads in (1, None))

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
        print(f"{name:28s} {by_itself:10.2f} {in_batch:10.2f} {in_batch / by_itself:6.2f} {gain:9.2f}x", flush=True)
    print(f"a call from Python adds {from_python():.1f} us to a step of a snake of ten links")
    print(f"a vector environment of 1024 snakes has {environment():.2f} of the rate of its batch", flush=True)
    try:
        rows = against_pinocchio()
    except ImportError as error:
        print(f"no peer: {error}")
        return
    for one in rows:
        ratio = one["peer_us"] / one["locodyn_us"]
        print(f"forward dynamics, {one['size']:8s} {one['locodyn_us']:6.2f} us a robot and core, {ratio:5.1f} times Pinocchio")


if __name__ == "__main__":
    main()
