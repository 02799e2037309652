"""Robots of many parts and wide ground, against closed forms: a chain that lies on the ground, a ball on a slope."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

G = 9.81


def test_a_long_chain_lies_on_the_ground_with_its_weight() -> None:
    """100 links of 0.1 kg, hinges about y and z in turn, come to rest on their balls: the ground bears 100 m g, to the tolerance.

    The tolerance is that of the solver, 1e-6 of the weight of a link for each of 100 contacts.
    """
    robot, count = ld.Robot("chain"), 100
    body = robot.base("l0", mass=0.1, shape=ld.Sphere(0.03)).collides(friction=0.4)
    for k in range(1, count):
        body = robot.body(f"l{k}", mass=0.1, shape=ld.Sphere(0.03)).on(body, at=(0.1, 0, 0))
        body = body.turning("y" if k % 2 else "z", name=f"j{k}").collides(friction=0.4).actuator(viscous=0.01)
    run = ld.Scenario(
        "chain", robot, obstacles=[ld.Ground()], start=ld.Start({"l0": (0.0, 0.0, 0.031, 0.0, 0.0, 0.0)}), dt=1e-3, t_end=0.4,
        record_every=100, integrator="moreau",
    ).run(progress=False)  # fmt: skip
    assert run.attributes["contact_unconverged_steps"] == 0
    forces = run.contact_force.values[-1]  # means since the record before, when all lay already
    assert np.count_nonzero(forces[:, 2] > 0.0) > 50
    assert abs(forces[:, 2].sum() - count * 0.1 * G) < count * 1e-6 * 0.1 * G
    assert np.abs(run.body_position.values[-1, :, 2] - 0.03).max() < 1e-6


@pytest.mark.parametrize("points", [100, 1000])
def test_a_ball_rolls_down_a_slope_of_many_points(points: int) -> None:
    """On heights of a plane that falls by 0.1 along x, a ball that does not slip goes 5/14 g sin(a) t^2 along the slope.

    Moreau's midpoint rule is exact for a constant force; what the solver may miss is 1e-6 g dt of velocity in a step.
    """
    angle, step, t_end, radius = np.arctan(0.1), 1e-3, 1.0, 0.2
    spacing = 100.0 / (points - 1)
    heights = -np.tan(angle) * spacing * np.arange(points)[:, None] * np.ones(points)
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, shape=ld.Sphere(radius)).collides(friction=0.6)
    at = np.array([50.0, 50.0, -50.0 * np.tan(angle)]) + radius * np.array([np.sin(angle), 0.0, np.cos(angle)])
    run = ld.Scenario(
        "ball", robot, obstacles=[ld.Terrain(heights=heights, spacing=spacing)], dt=step, t_end=t_end, record_every=1000,
        start=ld.Start({"ball": (*map(float, at), 0.0, 0.0, 0.0)}), integrator="moreau",
    ).run(progress=False)  # fmt: skip
    assert run.attributes["contact_unconverged_steps"] == 0
    gone = run.position.values[-1] - run.position.values[0]
    way = 5.0 / 14.0 * G * np.sin(angle) * t_end**2
    assert gone == pytest.approx(way * np.array([np.cos(angle), 0.0, -np.sin(angle)]), abs=1e-6 * G * t_end**2)
