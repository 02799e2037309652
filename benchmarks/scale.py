"""Many bodies in one world, locodyn beside MuJoCo and Exudyn in one run: python benchmarks/scale.py [--quick].

CPU time of a step, compilation and building aside. MuJoCo runs with Newton and elliptic cones; Exudyn, which has no exact
contact of rigid bodies, only moves the bodies that touch nothing (generalized alpha, sparse factors). A peer that is not
installed is left out.

* separate: 216 balls that fall side by side and touch nothing, steps of 1 ms.
* growth: 50 to 1000 balls at the same distance from each other, falling, and resting on the ground: the slope in a log-log plot.
* pile: 6 x 6 x 6 balls of 10 kg and 0.1 m, 0.21 m apart, shaken by 1 mm in 24 ways, fall from 1.1 m (SimBenchmark, Kang and
  Hwangbo 2018), steps of 10 ms; steps that did not converge, deepest penetration.
* stack: 20 boxes that rest on each other, each turned by 0.1 rad against the one below, and with edges exactly on edges, steps
  of 5 ms, 60 s: how far they have moved.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np
from rich.console import Console
from rich.table import Table

import locodyn as ld
from locodyn.integrate.moreau import moreau_step
from locodyn.integrate.moreau_velocity import new_scratch

RADIUS, MASS, MU = 0.1, 10.0, 0.5
Advance = Callable[[int], None]


def peer(name: str) -> ModuleType | None:
    """The module of a peer, or None where it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


def cube(count: int, spacing: float, height: float, shaken: float = 0.0, seed: int = 0) -> np.ndarray:
    """Places (count, 3) of balls in a cube, layer by layer, m."""
    side = math.ceil(round(count ** (1.0 / 3.0), 6))
    places = [(x, y, z) for z in range(side) for y in range(side) for x in range(side)][:count]
    noise = shaken * np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3))
    return spacing * np.array(places, dtype=float) + (0.0, 0.0, height) + noise


def layer(count: int, spacing: float) -> np.ndarray:
    """Places (count, 3) of balls on the ground, m."""
    side = math.ceil(math.sqrt(count))
    return np.array([(spacing * (k % side), spacing * (k // side), RADIUS) for k in range(count)])


def balls(places: np.ndarray, step: float) -> ld.Scenario:
    """Free balls over the ground that hit each other."""
    robot = ld.Robot("balls")
    world = robot.base("world", moves="fixed")
    for k in range(len(places)):
        robot.body(f"b{k}", mass=MASS, shape=ld.Sphere(RADIUS)).on(world).free(name=f"b{k}").collides(friction=MU)
    start = ld.Start({f"b{k}": (*map(float, place), 0.0, 0.0, 0.0) for k, place in enumerate(places)})
    return ld.Scenario(
        "balls", robot, obstacles=[ld.Ground()], self_collision=True, start=start, dt=step, t_end=1.0, integrator="moreau"
    )


def boxes(count: int, step: float, turn: float) -> ld.Scenario:
    """Boxes that rest on each other, each turned by so much (rad) against the one below."""
    robot = ld.Robot("stack")
    world = robot.base("world", moves="fixed")
    for k in range(count):
        robot.body(f"b{k}", mass=1.0, shape=ld.Box((0.2, 0.2, 0.1))).on(world).free(name=f"b{k}").collides(friction=MU)
    start = ld.Start({f"b{k}": (0.0, 0.0, 0.05 + 0.1 * k, 0.0, 0.0, turn * k) for k in range(count)})
    return ld.Scenario(
        "stack", robot, obstacles=[ld.Ground()], self_collision=True, start=start, dt=step, t_end=1.0, integrator="moreau"
    )


class Ours:
    """Steps of a scenario, without records."""

    def __init__(self, scenario: ld.Scenario) -> None:
        self.problem, self.step, self.time = scenario.problem, scenario.numerics.dt, 0.0
        model = self.problem.model
        q, v = scenario.initial_state()
        self.q, self.v = q.copy(), v.copy()
        self.scratch = new_scratch(model.nf, model.nq, model.nv, self.problem.memories.count)
        self.problem.contact.begin(q)

    def advance(self, count: int) -> None:
        """``count`` steps."""
        p = self.problem
        for _ in range(count):
            moreau_step(
                p.arrays, p.contact.arrays, p.inputs, self.time, self.step, self.q, self.v, p.workspace, self.scratch, 0
            )  # fmt: skip
            self.time += self.step


def mujoco_balls(places: np.ndarray, step: float) -> Advance | None:
    """The same balls in MuJoCo."""
    mujoco = peer("mujoco")
    if mujoco is None:
        return None
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}"/></body>' for x, y, z in places
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" cone="elliptic" solver="Newton"/><default><geom friction="{MU} 0 0"/></default>'
        f'<worldbody><geom type="plane" size="90 90 1"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def advance(count: int) -> None:
        for _ in range(count):
            mujoco.mj_step(model, data)

    return advance


def exudyn_balls(places: np.ndarray, step: float) -> Advance | None:
    """The same balls in Exudyn, without contact."""
    exudyn = peer("exudyn")
    if exudyn is None:
        return None
    from exudyn.utilities import InertiaSphere

    system = exudyn.SystemContainer().AddSystem()
    for place in places:
        system.CreateRigidBody(inertia=InertiaSphere(MASS, RADIUS), referencePosition=list(place), gravity=[0.0, 0.0, -9.81])
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.timeIntegration.verboseMode = 0
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse

    def advance(count: int) -> None:
        settings.timeIntegration.numberOfSteps = count
        settings.timeIntegration.endTime = count * step
        system.SolveDynamic(settings)

    return advance


def us_a_step(advance: Advance, count: int, turns: int) -> float:
    """Best CPU time of a step in ``turns`` stretches of ``count`` steps, us."""
    advance(count)
    best = math.inf
    for _ in range(turns):
        began = time.process_time()
        advance(count)
        best = min(best, time.process_time() - began)
    return best / count * 1e6


def separate(table: Table, quick: bool) -> None:
    """216 balls that touch nothing."""
    places = cube(216, 0.5, 2.0)
    times = {"locodyn": us_a_step(Ours(balls(places, 1e-3)).advance, 50, 3 if quick else 8)}
    for name, make in (("MuJoCo", mujoco_balls), ("Exudyn", exudyn_balls)):
        advance = make(places, 1e-3)
        if advance is not None:
            times[name] = us_a_step(advance, 50, 3 if quick else 8)
    for name, found in times.items():
        table.add_row("216 separate balls", name, f"{found:.0f} us a step", f"{found / times['locodyn']:.2f}")


def growth(table: Table, quick: bool) -> None:
    """Slopes from 50 to 1000 bodies."""
    sizes = (50, 200) if quick else (50, 200, 1000)
    for words, places in (("falling", lambda n: cube(n, 0.5, 2.0)), ("resting on the ground", lambda n: layer(n, 0.25))):
        found = [us_a_step(Ours(balls(places(n), 1e-3)).advance, 20, 5) for n in sizes]
        slope = np.polyfit(np.log(sizes), np.log(found), 1)[0]
        figures = ", ".join(f"{n}: {one:.0f}" for n, one in zip(sizes, found, strict=True))
        table.add_row(f"balls {words}", "locodyn", f"{figures} us a step", f"slope {slope:.2f}")


def pile(table: Table, quick: bool) -> None:
    """216 balls that fall on each other, shaken in several ways: which contacts close first changes what a step costs."""
    steps, seeds = (100, (0,)) if quick else (300, range(24))
    taken, theirs, unconverged, deepest = 0.0, 0.0, 0, 0.0
    for seed in seeds:
        places = cube(216, 0.21, 1.1, 1e-3, seed)
        if seed == 0:
            Ours(balls(places, 1e-2)).advance(steps)  # what is compiled, or loaded, when a run first reaches it
        ours = Ours(balls(places, 1e-2))
        taken += spent(ours.advance, steps)
        report = ours.problem.contact.arrays.report
        unconverged, deepest = unconverged + report.unconverged, max(deepest, report.deepest)
        advance = mujoco_balls(places, 1e-2)
        theirs += spent(advance, steps) if advance is not None else 0.0
    each = 1e3 / (steps * len(seeds))
    words = f"{taken * each:.2f} ms a step, {unconverged} not converged, {deepest * 1e3:.2f} mm deep"
    table.add_row(f"pile of 216 balls, {len(seeds)} times {steps} steps", "locodyn", words, "1")
    if theirs > 0.0:
        table.add_row("", "MuJoCo, elliptic", f"{theirs * each:.2f} ms a step", f"{theirs / taken:.3f}")


def spent(advance: Advance, steps: int) -> float:
    """CPU time of so many steps, s."""
    began = time.process_time()
    advance(steps)
    return time.process_time() - began


def stack(table: Table, quick: bool) -> None:
    """20 boxes on each other."""
    for words, turn in (("turned", 0.1), ("aligned", 0.0)):
        ours = Ours(boxes(20, 5e-3, turn))
        ours.advance(2)
        start, steps = ours.q.copy(), 400 if quick else 12000
        began = time.process_time()
        ours.advance(steps)
        taken = time.process_time() - began
        moved = np.abs(ours.q - start).max()
        lost = ours.problem.contact.arrays.report.unconverged
        figures = f"{taken / steps * 1e6:.0f} us a step, moved by {moved:.1e} in {steps * 5e-3:g} s, {lost} not converged"
        table.add_row(f"stack of 20 boxes, {words}", "locodyn", figures, "")


def main() -> None:
    """All parts, or those that are named."""
    parts = {"separate": separate, "growth": growth, "pile": pile, "stack": stack}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    given = parser.parse_args()
    for name in given.parts:
        if name not in parts:
            parser.error(f"there is no part '{name}'; there are {', '.join(parts)}.")
    table = Table("scene", "code", "found", "times locodyn's time")
    for name in given.parts or parts:
        parts[name](table, given.quick)
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
