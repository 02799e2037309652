"""Hammocks of pinned rods under implicit methods: shape and forces at rest against bars, calculated without the library.

A rod that is pinned at both ends sags by 5 q L^4 / (384 E I) under its weight q, 5e-7 m here, so that its ends are a length apart
to 1e-11 m, and each of them bears half of the weight. At rest such a hammock is one of bars, with half of their masses at each of
their ends: what is unknown of it, the places of its knots and the tensions of its bars, follows from the balance of forces at the
knots and from the lengths, which SciPy solves.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

import locodyn as ld
from locodyn.equilibria.statics import equilibrium
from locodyn.integrate.implicit.pattern import structure

pytestmark = pytest.mark.slow

G, LENGTH, RADIUS, DENSITY = 9.81, 0.1, 0.002, 7800.0
KNOT, PIN = 0.01, 1e-3  # kg
ROD = DENSITY * math.pi * RADIUS**2 * LENGTH  # kg
Node = tuple[int, int]


def hammock(long: int, wide: int, span: float) -> ld.Robot:
    """``wide`` strings of ``long`` rods between two rails that are ``span`` apart, with rods across; heavier at one edge."""
    robot = ld.Robot("hammock")
    rail = robot.base("ground", moves="fixed")
    words = {"length": LENGTH, "section": ld.Circle(RADIUS), "material": ld.Material(2e11, DENSITY), "bending": 1, "nodes": 3}
    knots: dict[Node, ld.BodyHandle] = {}

    def pinned(name: str, parent: ld.BodyHandle, **place: object) -> ld.BodyHandle:
        pin = robot.body(f"pin_{name}", mass=PIN, shape=ld.Sphere(0.005)).on(parent, **place)
        return pin.universal("y", "z", name=f"pin_{name}").actuator(viscous=0.005).rod(name, **words)

    for j in range(wide):
        parent, place = rail, {"at": (0.0, LENGTH * j, 0.0)}
        for i in range(1, long + 1):
            tip = pinned(f"s{i}_{j}", parent, **place)
            if i < long:
                mass = knot_mass(i, j)
                parent = knots[i, j] = robot.body(f"k{i}_{j}", mass=mass, shape=ld.Sphere(0.01)).on(tip).fixed()
                place = {}
        rail.marker(f"end_{j}", at=(span, LENGTH * j, 0.0))
        robot.loop(f"end_{j}", tip, f"end_{j}", joint="spherical")
    for (i, j), knot in knots.items():
        if j + 1 < wide:
            tip = pinned(f"a{i}_{j}", knot, turned=("z", math.pi / 2))
            robot.loop(f"across_{i}_{j}", tip, knots[i, j + 1], joint="spherical")
    return robot


def knot_mass(i: int, j: int) -> float:
    """Different ones, so that nothing is symmetric."""
    return KNOT * (1.0 + 0.3 * j + 0.1 * i)


def bars(long: int, wide: int, span: float) -> tuple[dict[Node, np.ndarray], dict[tuple[Node, Node], float]]:
    """Places of the nodes and tensions of the bars at rest."""
    nodes = [(i, j) for j in range(wide) for i in range(long + 1)]
    free = [node for node in nodes if 0 < node[0] < long]
    links = [((i, j), (i + 1, j)) for j in range(wide) for i in range(long)]
    links += [((i, j), (i, j + 1)) for j in range(wide - 1) for i in range(1, long)]
    weight = {node: G * knot_mass(*node) for node in free}
    for one, other in links:  # a pin stands where a rod begins
        for node, mass in ((one, 0.5 * ROD + PIN), (other, 0.5 * ROD)):
            if node in weight:
                weight[node] += G * mass
    fixed = {(i, j): np.array([span * i / long, LENGTH * j, 0.0]) for i, j in nodes if i in (0, long)}

    def split(x: np.ndarray) -> tuple[dict[Node, np.ndarray], np.ndarray]:
        return fixed | dict(zip(free, x[: 3 * len(free)].reshape(-1, 3), strict=True)), x[3 * len(free) :]

    def missed(x: np.ndarray) -> np.ndarray:
        place, tension = split(x)
        force = {node: np.array([0.0, 0.0, -weight[node]]) for node in free}
        for (one, other), pull in zip(links, tension, strict=True):
            along = (place[other] - place[one]) / LENGTH
            for node, sign in ((one, 1.0), (other, -1.0)):
                if node in force:
                    force[node] = force[node] + sign * pull * along
        lengths = [np.linalg.norm(place[other] - place[one]) / LENGTH - 1.0 for one, other in links]
        return np.concatenate([*force.values(), lengths])

    depth = math.sqrt((long * LENGTH) ** 2 - span**2) / 2.0
    guess = [(span * i / long, LENGTH * j, -4.0 * depth * i * (long - i) / long**2) for i, j in free]
    total = sum(weight.values()) / wide
    x = fsolve(missed, np.concatenate([np.ravel(guess), np.full(len(links), total)]), xtol=1e-13)
    assert np.abs(missed(x)).max() < 1e-10
    place, tension = split(x)
    return place, dict(zip(links, tension.tolist(), strict=True))


@pytest.mark.parametrize(("long", "wide"), [(5, 1), (6, 4)])
def test_a_hammock_at_rest(long: int, wide: int) -> None:
    """Places of the knots and the forces at the far rail; (5, 1) is a rope, (6, 4) has 39 rods in 18 loops, solved sparsely.

    Bounds: of what is left of the motion, which is told, and of the tolerance of SciPy and of Newton's method, times ten.
    """
    span = 0.75 * long * LENGTH
    robot = hammock(long, wide, span)
    place, tension = bars(long, wide, span)
    scenario = ld.Scenario(
        "hammock", robot, dt=0.01, t_end=8.0, integrator="implicit_euler", record_every=100, 
        start=ld.Start(sagging(long, wide, span)),
    )  # fmt: skip
    assert (structure(scenario.problem) is not None) == (wide > 1)
    run = scenario.run(progress=False)
    assert run.status == "completed"
    assert np.abs(run.joint_velocity.values[-1]).max() < 1e-8
    total = sum(tension.values())
    for (i, j), expected in place.items():
        if 0 < i < long:
            found = run.body_position.sel(body=f"k{i}_{j}").values[-1]
            np.testing.assert_allclose(found, expected, atol=1e-7)
    for j in range(wide):
        one, other = place[long - 1, j], place[long, j]
        pull = tension[(long - 1, j), (long, j)] * (one - other) / LENGTH - (0.0, 0.0, 0.5 * ROD * G)  # of the rod on the rail
        force = run.multiplier.values[-1][[str(name).startswith(f"end_{j}.") for name in run.constraint.values]]
        assert np.linalg.norm(force) == pytest.approx(np.linalg.norm(pull), rel=1e-5, abs=1e-6 * total)


def test_a_hammock_by_statics() -> None:
    """The same shape as an equilibrium, and stable; bound: the sag of the rods and the tolerances of both, times ten."""
    long, wide, span = 6, 4, 0.45
    scenario = ld.Scenario("hammock", hammock(long, wide, span), start=ld.Start(sagging(long, wide, span)), t_end=1.0)
    found = equilibrium(scenario.problem, scenario.initial_state()[0])
    assert found.stable
    for (i, j), expected in bars(long, wide, span)[0].items():
        if 0 < i < long:
            np.testing.assert_allclose(scenario.model.pose(f"k{i}_{j}", found.q)[1], expected, atol=1e-8)


def test_energy_of_a_hammock() -> None:
    """Let go from its polygon, it falls and swings: what the pins lose included, energy closes within what the account allows."""
    span = 0.45
    scenario = ld.Scenario(
        "hammock", hammock(6, 4, span), dt=2e-3, t_end=0.2, integrator="gauss2", start=ld.Start(sagging(6, 4, span)),
    )  # fmt: skip
    assert structure(scenario.problem) is not None
    run = scenario.run(progress=False)
    assert run.status == "completed"
    assert run.kinetic_energy.values.max() > 1e-4 and run.power_dissipated.values.max() > 1e-4
    assert run.attributes["energy_defect"] < 1e-3 * run.attributes["energy_scale"]


def sagging(long: int, wide: int, span: float) -> dict[str, tuple[float, float]]:
    """Pins turned so that each string is a polygon of equal angles that ends at the far rail."""
    share = 1.0 - 2.0 * np.arange(long) / (long - 1)
    steepest = brentq(lambda angle: LENGTH * np.cos(angle * share).sum() - span, 0.1, 3.0)
    turns = steepest * np.concatenate([[1.0], np.diff(share)])
    return {f"pin_s{i + 1}_{j}": (float(turns[i]), 0.0) for i in range(long) for j in range(wide)}
