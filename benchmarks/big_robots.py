"""Robots of many parts, and wide ground: python benchmarks/big_robots.py [--quick] [part ...].

CPU time of a step, compilation and building aside, of rods that of the steps alone; seconds to build; memory of the process.

* chain: 100, 300 and 1000 links in a chain that falls on the ground and lies there, steps of 1 ms: the slope in a log-log plot.
* fringe: 25 to 200 elastic rods that hang from a bar, steps of 10 ms: the slope.
* net: strings of four pinned rods on a rail, joined by rods across, 3 to 25 strings, 20 to 196 rods, 8 to 96 loops; steps of 5 ms
  by generalized_alpha; net_radau3: by radau3.
* platform: a plate on 6 to 96 rods on a table that goes to and fro, all but one of them in loops, steps of 5 ms, likewise.
* tensegrity: 200 bars that hold each other by cables, steps of 0.2 ms.
* terrain: a ball that rolls over 100 x 100 and 1000 x 1000 heights, steps of 1 ms.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import locodyn as ld
from locodyn.integrate import solve

SOFT = ld.Material(1e7, 1100.0)
ALONE = ("fringe", "net", "net_radau3", "platform")  # the steps are timed alone, the slope is that in velocities


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


def taken_alone(scenario: ld.Scenario, steps: int, turns: int = 3) -> tuple[float, float, str]:
    """The same of the steps alone, without the account of energy and what else a run looks at; third, how they ended."""
    problem, (q, v), step = scenario.problem, scenario.initial_state(), scenario.numerics.dt
    best = [math.inf, math.inf]
    for turn in range(turns + 1):  # the first compiles
        for k, count in enumerate((steps, 3 * steps)):
            began = time.process_time()
            found = solve(problem, q, v, t_end=count * step, step=step, method=scenario.numerics.integrator, record_every=count)
            best[k] = min(best[k], time.process_time() - began) if turn else best[k]
    us = 1e6 * (best[1] - best[0]) / (2 * steps)
    corrections = found.iterations.sum() / (3 * steps)
    return us, best[0] - 1e-6 * us * steps, f"{found.status}, {corrections:.1f} corrections a step"


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


def net(strings: int, integrator: str = "generalized_alpha") -> ld.Scenario:
    """Strings of four rods 0.1 m apart on a rail that swings them, rods across that close loops; all rods are pinned."""
    robot = ld.Robot("net")
    rail = robot.body("rail", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("y", name="shake")

    def pinned(name: str, parent: ld.BodyHandle, **place: Any) -> ld.BodyHandle:
        pin = robot.body(f"p{name}", mass=1e-3, shape=ld.Sphere(0.005)).on(parent, **place).universal("y", "z", name=f"p{name}")
        return pin.rod(name, length=0.1, section=ld.Circle(0.002), material=SOFT, bending=1, nodes=3, damping=5e-3)

    knots = {}
    for j in range(strings):
        parent, place = rail, {"at": (0.1 * j, 0.0, 0.0), "turned": ("y", math.pi / 2)}
        for i in range(4):
            tip = pinned(f"v{i}_{j}", parent, **place)
            parent = knots[i, j] = robot.body(f"k{i}_{j}", mass=0.01, shape=ld.Sphere(0.01)).on(tip).fixed()
            place = {}
    for (i, j), knot in knots.items():
        if j + 1 < strings:
            tip = pinned(f"h{i}_{j}", knot, turned=("y", -math.pi / 2))
            robot.loop(f"c{i}_{j}", tip, knots[i, j + 1], joint="spherical")
    shake = {"shake": ld.sine(0.02, omega=8.0)}
    return ld.Scenario("net", robot, imposed=shake, dt=5e-3, t_end=0.1, integrator=integrator)


def platform(legs: int) -> ld.Scenario:
    """A plate on so many rods, inclined in pairs and clamped to a table that goes to and fro; loops close all but the first."""
    robot = ld.Robot("platform")
    table = robot.body("table", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x", name="shake")
    centre = np.array([0.0, 0.0, 0.2])
    tips, tops, turns = [], [], []
    for k in range(legs):
        angle, lean = 2.0 * math.pi * k / legs, (0.4 if k % 2 else -0.4)
        foot = 0.2 * np.array([math.cos(angle), math.sin(angle), 0.0])
        top = centre + 0.1 * np.array([math.cos(angle + lean), math.sin(angle + lean), 0.0])
        length = float(np.linalg.norm(top - foot))
        along, across = (top - foot) / length, np.cross([0.0, 0.0, 1.0], top - foot)
        across /= np.linalg.norm(across)
        turns.append(np.column_stack([along, across, np.cross(along, across)]))
        tops.append(top)
        tips.append(
            table.rod(f"leg{k}", length=length, at=tuple(foot), turned=turns[-1], section=ld.Circle(0.002), nodes=3,
                       material=ld.Material(1e8, 1100.0), bending=1, stretch=1, damping=5e-3)
        )  # fmt: skip
    plate = robot.body("plate", mass=0.05, shape=ld.Cylinder(0.1, 0.005))
    plate.on(tips[0], turned=turns[0].T, body_at=tuple(centre - tops[0])).ball(name="plate")
    for k in range(1, legs):
        plate.marker(f"top{k}", at=tuple(tops[k] - centre))
        robot.loop(f"ball{k}", f"top{k}", tips[k], joint="spherical")
    shake = {"shake": ld.sine(0.02, omega=8.0)}
    return ld.Scenario("platform", robot, imposed=shake, dt=5e-3, t_end=0.1, integrator="generalized_alpha")


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
    found, coordinates = [], []
    for size in sizes:
        began = time.process_time()
        scenario = make(size)
        scenario.problem  # noqa: B018  building counts here
        built = time.process_time() - began
        if words in ALONE:
            us, rest, status = taken_alone(scenario, steps)
        else:
            us, rest, result = taken(scenario, steps)
            status = f"{result.status}, {result.attributes.get('contact_unconverged_steps', 0)} not converged"
        found.append(us)
        coordinates.append(scenario.compiled.nv)
        said = f"{status}; built in {built:.1f} s, {rest:.2f} s a run besides"
        table.add_row(f"{words}, {size}", f"{scenario.compiled.nv}", f"{us:.0f} us a step", said)
    table.add_row("", "", f"slope {slope(tuple(coordinates) if words in ALONE else sizes, found):.2f}", "")


def main() -> None:
    """All parts, or those that are named."""
    parts: dict[str, tuple[Callable[[int], ld.Scenario], tuple[int, ...], tuple[int, ...], int]] = {
        "chain": (links, (100, 300), (100, 300, 1000), 100),
        "fringe": (fringe, (25, 50), (25, 50, 100, 200), 100),
        "net": (net, (3, 6), (3, 6, 12, 25), 20),
        "net_radau3": (lambda strings: net(strings, "radau3"), (3, 6), (3, 6, 12, 25), 20),
        "platform": (platform, (6, 12), (6, 12, 24, 48, 96), 200),
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
