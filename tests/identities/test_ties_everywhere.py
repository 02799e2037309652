"""Cables and springs by other ways than one run: batches, closed forms, hard contact, imposed joints, wheels, pictures."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.symbolic.scenarios import generator
from locodyn.view.scene import scene_of

pytestmark = pytest.mark.slow


def tied_arm() -> ld.Robot:
    """Two links with a spring over both, a rope through three points, and a torsion spring."""
    robot = ld.Robot("arm")
    ground = robot.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=0.02, yy=0.03, zz=0.04)
    upper = robot.body("upper", mass=1.0, centre=(0.25, 0, 0), inertia=inertia).on(ground).turning("y")
    lower = robot.body("lower", mass=0.6, centre=(0.2, 0, 0), inertia=inertia).on(upper, at=(0.5, 0, 0)).turning("z")
    robot.spring("stay", ("world", (0.1, 0.2, 0.8)), (lower, (0.3, 0, 0)), stiffness=40.0, damping=1.5, rest_length=0.4)
    robot.cable("rope", [ground, (upper, (0.3, 0.1, 0)), (lower, (0.2, 0, 0.1))], stiffness=70.0, rest_length=0.3)
    return robot.torsion_spring("coil", upper, lower, "z", stiffness=2.0, damping=0.1, rest_angle=0.3)


def test_batch() -> None:
    """Robots in lanes end where each ends alone."""
    robot, rng = tied_arm(), np.random.default_rng(3)
    batch = robot.batch(4)
    batch.q[:], batch.v[:] = rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    starts = batch.q.copy(), batch.v.copy()
    batch.rollout(50, 0.01)
    for k in range(4):
        run = ld.Scenario("arm", robot, start=(starts[0][k], starts[1][k]), integrator="rkmk4", dt=0.01, t_end=0.5).run()
        np.testing.assert_allclose(batch.q[k], run.joint_position.values[-1], atol=1e-12)


def test_closed_form() -> None:
    """Accelerations of the generated function, with the stiffness of a spring as a symbol, against those of a run."""
    scenario = ld.Scenario("arm", tied_arm())
    forward = generator(scenario, symbols=["stay.stiffness"]).function("forward")
    rng = np.random.default_rng(5)
    for stiffness in (40.0, 55.0):
        q, v = rng.normal(size=2), rng.normal(size=2)
        problem = ld.Scenario("arm", tied_arm().changed({"stay.stiffness": stiffness})).problem
        _, found = forward(q, v, np.zeros(2), [stiffness])
        np.testing.assert_allclose(found, problem.accelerations(0.0, q.copy(), v.copy()), rtol=1e-10)


def test_beside_hard_contact() -> None:
    """A block that is pulled over the ground by a spring from a post sticks where Coulomb holds it: T = mu m g or less at rest.

    It begins 0.5 m off rest and slides, T = k e; what is left of the pull after the first swing is less than friction.
    """
    robot = ld.Robot("block")
    block = robot.base("block", mass=1.0, shape=ld.Box((0.1, 0.1, 0.1)))
    block.collides(friction=0.4)
    robot.spring("pull", ("world", (-1.0, 0, 0.05)), block, stiffness=10.0, rest_length=1.0)
    start = ([0.6, 0, 0.05, 1, 0, 0, 0], np.zeros(6))
    words = {"obstacles": [ld.Ground()], "integrator": "moreau", "dt": 1e-3, "t_end": 2.0}
    result = ld.Scenario("block", robot, start=start, **words).run()
    # it slides as a = -(k x - mu g) / m for half a swing, from 0.6 m to 2 mu m g / k - 0.6, and stays there
    end = 2.0 * 0.4 * 9.81 / 10.0 - 0.6
    assert result.position.values[-1, 0] == pytest.approx(end, abs=1e-3)  # the method is of first order: 1e-3 s at 2 m/s
    assert abs(result.tie_tension.values[-1, 0]) < 0.4 * 9.81
    drawn = scene_of(result).tendons[0].points
    np.testing.assert_allclose(drawn[-1], [[-1.0, 0.0, 0.05], result.position.values[-1]], atol=1e-6)


def test_beside_wheels_and_imposed_joints() -> None:
    """The motor of an imposed joint holds a spring, k e, and takes its mass along, m a; a skate keeps a body on its line.

    The skate of 2 kg is pulled by a spring to a post ahead of it, and swings along its line with sqrt(k / m).
    """
    robot = ld.Robot("cart")
    cart = robot.base("cart", moves="planar", mass=2.0, inertia=ld.about_centre(zz=0.1))
    cart.skate("blade", along="x")
    slider = robot.body("slider", mass=0.1).on(cart).sliding("x")
    robot.spring("pull", ("world", (3.0, 0, 0)), cart, stiffness=8.0, rest_length=2.0)
    robot.spring("held", cart, slider, stiffness=5.0, rest_length=0.2)
    result = ld.Scenario("cart", robot, imposed={"slider": 0.5}, integrator="rkmk4", dt=1e-3, t_end=1.0).run()
    assert result.joint_torque.values[0, 0] == pytest.approx(5.0 * 0.3 + 0.1 * 8.0 / 2.1, abs=1e-9)
    w, t = np.sqrt(8.0 / 2.1), result.time.values
    np.testing.assert_allclose(result.position.values[:, 0], 1.0 - np.cos(w * t), atol=1e-9)
