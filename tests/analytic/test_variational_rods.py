"""Rods under the variational integrator: momentum to round-off, order 2, energy that does not drift; loops and imposed roots."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from rod_cases import SOFT

pytestmark = pytest.mark.slow

ROD = {"length": 0.4, "section": ld.Circle(0.01), "material": SOFT, "nodes": 3}


def flyer() -> ld.Scenario:
    """A free body with a rod and a ball at its end, bent and tumbling, without gravity."""
    robot = ld.Robot("flyer")
    body = robot.base(
        "body", moves="free", mass=0.3, centre=(0.02, 0.01, 0.0), inertia=ld.about_centre(xx=2e-3, yy=3e-3, zz=4e-3)
    )
    rod = body.rod("rod", at=(0.05, 0.0, 0.0), torsion=1, bending=(1, 2), **ROD)
    robot.body("ball", mass=0.05, inertia=ld.about_centre(xx=1e-4, yy=1e-4, zz=1e-4)).on(rod).fixed()
    model = robot.model(gravity=(0, 0, 0))
    rng = np.random.default_rng(3)
    q = model.move(model.neutral(), np.concatenate([0.3 * rng.standard_normal(6), 0.5 * rng.standard_normal(model.nv - 6)]))
    v = np.concatenate([rng.standard_normal(6), np.zeros(model.nv - 6)])
    return ld.Scenario("flyer", robot, gravity=(0, 0, 0), start=(q, v), integrator="variational", t_end=0.4, dt=2e-3)


def end(scenario: ld.Scenario, dt: float, integrator: str = "variational") -> np.ndarray:
    result = scenario.changed(dt=dt, integrator=integrator, record_every=20).run(progress=False)
    assert result.status == "completed"
    return np.concatenate([result.q[-1], result.v[-1]])


def assert_order_two(scenario: ld.Scenario, steps: tuple[float, ...], finest: float) -> None:
    exact = end(scenario, finest, "rkmk4")
    errors = [np.abs(end(scenario, dt) - exact).max() for dt in steps]
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx(2.0, abs=0.2)


def test_a_free_rod_keeps_its_momentum() -> None:
    """Linear and angular momentum about the origin of the world: the discrete Lagrangian has their symmetry."""
    result = flyer().changed(record_every=1).run(progress=False)
    model = result.scenario.model
    found = []
    for q, v, centre in zip(result.q, result.v, result.mass_centre.values, strict=True):
        linear, about_centre = model.momentum(q, v)
        found.append([linear, about_centre + np.cross(centre, linear)])
    assert np.ptp(found, axis=0).max() < 1e-12 * np.abs(found).max() * len(found)  # round-off of log(g) / h in each step
    assert np.ptp(result.q[:, 7:], axis=0).max() > 0.5  # the rod swings


def test_order_two_of_a_free_rod() -> None:
    assert_order_two(flyer(), (2e-3, 1e-3, 5e-4), 2.5e-4)


def test_energy_of_a_swinging_rod_does_not_drift() -> None:
    """It stays within a band that is a quarter as wide for half the step (order 2), over a hundred times the first period."""
    robot = ld.Robot("pendulum")
    robot.base("ground", moves="fixed").rod("rod", bending=(0, 2), **ROD)
    first = ld.statics(robot, gravity=(1.0, 0.0, 0.0)).q.copy()
    first[:] += (3.0, -1.0)
    bands = []
    for dt in (2e-3, 1e-3):
        scenario = ld.Scenario("pendulum", robot, gravity=(1.0, 0.0, 0.0), start=(first, np.zeros(2)), integrator="variational")
        energy = scenario.changed(t_end=20.0, dt=dt, record_every=5).run(progress=False).total_energy().values
        half = len(energy) // 2
        assert np.ptp(energy[half:]) < 1.2 * np.ptp(energy[:half])
        bands.append(np.ptp(energy))
    assert bands[0] / bands[1] == pytest.approx(4.0, rel=0.15)


def test_order_two_on_a_loop_with_an_imposed_crank() -> None:
    """A crank that turns as told draws a rod whose other end is pinned to the ground: RATTLE on the rows of the pin."""
    robot = ld.Robot("crank")
    ground = robot.base("ground", moves="fixed")
    crank = robot.body("crank", mass=0.1, centre=(0.05, 0, 0), inertia=ld.about_centre(zz=1e-4)).on(ground).turning("z")
    arm = robot.body("arm", mass=0.05, inertia=ld.about_centre(zz=1e-5)).on(crank, at=(0.1, 0, 0)).turning("z", name="elbow")
    rod = arm.rod("rod", bending=(0, 2), **ROD)
    robot.loop("pin", rod, "world", joint="pin", axis="z", at=(0.45, 0.0, 0.0))
    imposed = {"crank": ld.sine(0.4, omega=6.0, phase=0.3)}
    scenario = ld.Scenario("crank", robot, gravity=(0, -9.81, 0), imposed=imposed, integrator="variational", t_end=0.3)
    assert_order_two(scenario, (1e-3, 5e-4, 2.5e-4), 1e-4)
