"""Robots of many parts, and wide ground: python benchmarks/big_robots.py [--quick] [part ...].

CPU time of a step, compilation and building aside; seconds to build; memory of the process.

* chain: 100, 300 and 1000 links in a chain that falls on the ground and lies there, steps of 1 ms: the slope in a log-log plot.
* fringe: 25 to 200 elastic rods that hang from a bar, steps of 10 ms: the slope.
* net: a square net of rods that hangs from one edge, closed by loops at its knots: sides of 3 to 11 knots, 10 to 210 rods.
* tensegrity: 200 bars that hold each other by cables, steps of 0.2 ms.
* terrain: a ball that rolls over 100 x 100 and 1000 x 1000 heights, steps of 1 ms.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import locodyn as ld

SOFT = ld.Material(1e7, 1100.0)


def taken(scenario: ld.Scenario, steps: int, turns: int = 3) -> tuple[float, float, ld.Result]:
    """CPU time of a step (us), the difference of runs of different length that record their ends; that of all else (s)."""
    best = [math.inf, math.inf]
    for turn in range(turns + 1):  # the first compiles
        for k, count in enumerate((steps, 3 * steps)):
            run = scenario.changed(t_end=count * scenario.numerics.dt, record_every=count, record=("position", "joint_position"))
            run.problem  # noqa: B018  built before the time is taken
            began = time.process_time()
            result = run.run(progress=False)
            best[k] = min(best[k], time.process_time() - began) if turn else best[k]
    us = 1e6 * (best[1] - best[0]) / (2 * steps)
    return us, best[0] - 1e-6 * us * steps, result


def slope(sizes: tuple[int, ...], times: list[float]) -> float:
    """In a log-log plot."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def links(count: int) -> ld.Scenario:
    """A chain of balls on bars of 0.1 m, hinges about y and z in turn, 2 cm above the ground."""
    robot = ld.Robot("chain")
    body = robot.base("l0", mass=0.1, shape=ld.Sphere(0.03)).collides(friction=0.4)
    for k in range(1, count):
        axis = "y" if k % 2 else "z"
        body = robot.body(f"l{k}", mass=0.1, shape=ld.Sphere(0.03)).on(body, at=(0.1, 0, 0)).turning(axis, name=f"j{k}")
        body.collides(friction=0.4).actuator(viscous=0.01)
    start = ld.Start({"l0": (0.0, 0.0, 0.05, 0.0, 0.0, 0.0)})
    return ld.Scenario("chain", robot, obstacles=[ld.Ground()], start=start, dt=1e-3, t_end=0.2, integrator="moreau")


def fringe(count: int) -> ld.Scenario:
    """Rods side by side on one bar that swings them."""
    robot = ld.Robot("fringe")
    bar = robot.body("bar", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x", name="shake")
    for k in range(count):
        bar.rod(f"r{k}", length=0.3, section=ld.Circle(0.004), material=SOFT, at=(0.0, 0.02 * k, 0.0), turned=("y", math.pi / 2),
                bending=2, torsion=0, nodes=6, damping=5e-3)  # fmt: skip
    shake = {"shake": ld.sine(0.02, omega=8.0)}
    return ld.Scenario("fringe", robot, imposed=shake, dt=1e-2, t_end=0.2, integrator="generalized_alpha")


def net(side: int) -> ld.Scenario:
    """side x side knots 0.1 m apart; rods along x carry the knots, those along y close loops; one edge hangs in the world."""
    robot = ld.Robot("net")
    base = robot.base("ground", moves="fixed")
    words = {
        "length": 0.1,
        "section": ld.Circle(0.002),
        "material": SOFT,
        "bending": 1,
        "torsion": 0,
        "nodes": 3,
        "damping": 5e-3,
    }
    knots = {}
    for j in range(side):
        last = robot.body(f"k0_{j}", mass=0.01, shape=ld.Sphere(0.01)).on(base, at=(0.0, 0.1 * j, 0.0)).ball(name=f"k0_{j}")
        knots[0, j] = last
        for i in range(1, side):
            tip = last.rod(f"x{i}_{j}", **words)
            last = robot.body(f"k{i}_{j}", mass=0.01, shape=ld.Sphere(0.01)).on(tip).ball(name=f"k{i}_{j}")
            knots[i, j] = last
    for (i, j), knot in knots.items():
        if j + 1 < side and i > 0:
            tip = knot.rod(f"y{i}_{j}", turned=("z", math.pi / 2), **words)
            robot.loop(f"c{i}_{j}", tip, knots[i, j + 1], joint="spherical")
    return ld.Scenario("net", robot, dt=5e-3, t_end=0.1, integrator="generalized_alpha")


def tensegrity(count: int) -> ld.Scenario:
    """A mast of bars that cross and do not touch, each held to the next two by cables; the first two stand in the world."""
    robot = ld.Robot("tensegrity")
    base = robot.base("ground", moves="fixed")
    start = {}
    for k in range(count):
        bar = robot.body(f"b{k}", mass=0.05, shape=ld.Box((0.3, 0.02, 0.02)))
        if k < 2:
            bar.on(base, at=(0.0, 0.0, 0.08 * k), turned=("z", 0.5 * math.pi * k)).fixed()
        else:
            bar.on(base).free(name=f"b{k}")
            start[f"b{k}"] = (0.0, 0.0, 0.08 * k, 0.0, 0.0, 0.5 * math.pi * k)
        for s, side in enumerate((-1.0, 1.0)):
            bar.marker(f"m{k}_{s}", at=(0.15 * side, 0.0, 0.0))
    for k in range(2, count):
        for s in (0, 1):
            for e in (0, 1):
                robot.cable(f"c{k}_{s}{e}", [f"m{k - 1}_{s}", f"m{k}_{e}"], stiffness=500.0, damping=1.0, tension=5.0)
            robot.cable(f"d{k}_{s}", [f"m{k - 2}_{s}", f"m{k}_{s}"], stiffness=500.0, damping=1.0, tension=5.0)
    return ld.Scenario("tensegrity", robot, start=ld.Start(start), dt=2e-4, t_end=0.1, integrator="rkmk4")


def hills(points: int) -> ld.Scenario:
    """A ball that rolls over smooth hills of 5 cm on 100 m x 100 m."""
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, shape=ld.Sphere(0.2)).collides(friction=0.6)
    spacing = 100.0 / (points - 1)
    x = spacing * np.arange(points)
    ground = ld.Terrain(heights=0.05 * np.outer(np.sin(0.5 * x), np.sin(0.5 * x)), spacing=spacing)
    start = ld.Start({"ball": (50.0, 50.0, 0.35, 0.0, 0.0, 0.0)}, {"ball": (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)})
    return ld.Scenario("ball", robot, obstacles=[ground], start=start, dt=1e-3, t_end=0.5, integrator="moreau")


def growth(table: Table, words: str, make: Callable[[int], ld.Scenario], sizes: tuple[int, ...], steps: int) -> None:
    """Steps of robots of several sizes, and the slope."""
    found = []
    for size in sizes:
        began = time.process_time()
        scenario = make(size)
        scenario.problem  # noqa: B018  building counts here
        built = time.process_time() - began
        us, rest, result = taken(scenario, steps)
        found.append(us)
        lost = result.attributes.get("contact_unconverged_steps", 0)
        said = f"{result.status}, {lost} not converged; built in {built:.1f} s, {rest:.2f} s a run besides"
        table.add_row(f"{words}, {size}", f"{scenario.compiled.nv}", f"{us:.0f} us a step", said)
    table.add_row("", "", f"slope {slope(sizes, found):.2f}", "")


def main() -> None:
    """All parts, or those that are named."""
    parts: dict[str, tuple[Callable[[int], ld.Scenario], tuple[int, ...], tuple[int, ...], int]] = {
        "chain": (links, (100, 300), (100, 300, 1000), 100),
        "fringe": (fringe, (25, 50), (25, 50, 100, 200), 20),
        "net": (net, (3, 5), (3, 5, 7, 11), 10),
        "tensegrity": (tensegrity, (25, 50), (25, 50, 100, 200), 200),
        "terrain": (hills, (100, 300), (100, 1000), 300),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--quick", action="store_true", help="smaller ones")
    given = parser.parse_args()
    for name in given.parts:
        if name not in parts:
            parser.error(f"there is no part '{name}'; there are {', '.join(parts)}.")
    table = Table("robot, size", "velocities", "found", "")
    for name in given.parts or parts:
        make, few, many, steps = parts[name]
        growth(table, name, make, few if given.quick else many, steps)
    console = Console(width=160)
    console.print(table)
    console.print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0:.0f} MB")


if __name__ == "__main__":
    main()
