"""Contacts by events: closed forms to round-off, and a reference for the time stepping."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo.robots.bouncing_ball import accumulation

pytestmark = pytest.mark.slow


def height(t, e=0.8, drop=0.5, g=9.81):
    """Closed form of the bouncing ball, m."""
    begin = np.sqrt(2.0 * drop / g)
    if t < begin:
        return drop - 0.5 * g * t * t
    speed = e * g * begin
    for _ in range(400):
        flight = 2.0 * speed / g
        if t < begin + flight:
            return speed * (t - begin) - 0.5 * g * (t - begin) ** 2
        begin, speed = begin + flight, e * speed
    return 0.0


def test_bouncing_ball_through_the_accumulation_of_impacts():
    """Heights to 1e-11 m (Moreau at 0.1 ms: 1e-3 m), the time at which impacts accumulate, then the weight on the ground."""
    scenario = ld.zoo.bouncing_ball().changed(integrator="event_driven", tolerance=1e-12, checks=())
    result = scenario.run(progress=False)
    exact = np.array([height(t) for t in result.time.values])
    assert np.abs(result.position.values[:, 2] - 0.1 - exact).max() < 1e-11
    assert result.attributes["impacts"] > 50
    assert result.attributes["last_impact"] == pytest.approx(accumulation(dict(result.parameters)), abs=1e-6)
    assert result.contact_force.values[-1, 0] == pytest.approx((0.0, 0.0, 9.81), abs=1e-9)
    energy = result.total_energy().values
    assert energy - energy[0] == pytest.approx(result.energy_supplied().values, abs=1e-9)


def test_time_stepping_tends_to_it_with_order_one():
    """A rod that falls on its ends and bounces (no friction): distance of Moreau's solution, mean slope over two decades."""
    robot = ld.Robot("rod")
    rod = robot.base("rod", moves="planar", turned=("x", 0.5 * np.pi), mass=1.0, inertia=ld.about_centre(zz=1.0 / 12.0))
    rod.collides(vertices=[(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)], restitution=0.7)
    fields = {"obstacles": [ld.Ground()], "start": ld.Start({"rod": (0.0, 0.35, 0.6)}), "t_end": 0.3}
    exact = ld.Scenario("rod", robot, integrator="event_driven", tolerance=1e-12, dt=0.01, **fields).run(progress=False)
    assert exact.attributes["impacts"] >= 1
    errors = []
    for dt in (1e-3, 1e-4, 1e-5):
        found = ld.Scenario("rod", robot, integrator="moreau", dt=dt, record_every=round(0.3 / dt), **fields).run(progress=False)
        errors.append(np.abs(found.q[-1] - exact.q[-1]).max())
    assert np.log10(errors[0] / errors[2]) / 2.0 == pytest.approx(1.0, abs=0.35), errors
    assert errors[2] < 1e-4
