"""Slopes by and of the states of laws with memory, which Newton's matrix of implicit steps is made of, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.problem import Problem
from locodyn.sim.scenario import Scenario
from newton_slopes import NewtonSlopes

pytestmark = pytest.mark.slow

SOFT = ld.Material(young=1e6, density=1000.0, shear=1e6 / 3.0)


def remembering() -> Problem:
    """A cart in space with all laws that remember: feedback, pads, an arm that lags and rubs, a rod with slow strands."""
    robot = ld.Robot("cart")
    cart = robot.base("cart", mass=1.0, centre=(0.1, 0.0, 0.0), inertia=ld.about_centre(xx=0.05, yy=0.05, zz=0.05))
    rough = ld.LuGre(0.3, 20.0, static=0.5, speed=0.4, damping=0.2, viscous=0.1)
    arm = (
        robot.body("arm", mass=0.4, centre=(0.15, 0.0, 0.0), inertia=ld.about_centre(xx=0.001, yy=0.01, zz=0.01))
        .on(cart)
        .turning("z")
    )
    arm.actuator(stiffness=1.0, time_constant=0.05, bristles=rough)
    robot.wrench("hover", on="cart", law=ld.Feedback(0.5, (1, 2, 3, 4, 5, 6)), at=(0.0, 0.1, 0.0))
    robot.wrench("pad", on="arm", law=rough, at=(0.2, 0.0, 0.1), turned=ld.rotation_about("x", 0.4))
    rod = arm.rod("whip", at=(0.3, 0.0, 0.0), length=0.3, section=ld.Circle(0.01), material=SOFT, bending=(1, 1), nodes=3)
    rod.tendon("wire", (0.008, 0.0), time_constant=0.1)
    rod.tendon("string", (0.0, 0.008), stiffness=50.0, time_constant=0.2)
    rod.chamber("bellows", area=1e-4, time_constant=0.3)
    rod.muscle("muscle", (0, 0, 0, 0, 0.01, 0), active_stiffness=(0, 0, 0, 0, 0.02, 0.02), time_constant=0.4)
    robot.wrench("brush", on="whip", law=rough, along=True)
    return Scenario(
        "remembering", robot, servo={"arm": ld.Servo(0.3, 4.0, 0.2)}, tension={"wire": 1.0}, tendon_length={"string": 0.25},
        pressure={"bellows": 100.0}, activation={"muscle": 0.5},
        desired={"hover.x": ld.ramp(0.3), "hover.wy": 0.2},
    ).problem  # fmt: skip


def test_slopes() -> None:
    problem, rng = remembering(), np.random.default_rng(5)
    model = problem.model
    q = model.move(model.neutral(), 0.3 * rng.normal(size=model.nv))
    v, a, z = (size * rng.normal(size=n) for size, n in ((0.5, model.nv), (1.0, model.nv), (0.1, problem.memories.count)))
    slopes, nv = NewtonSlopes(problem, q, v, a, z, 0.2), model.nv
    for i, unit in enumerate(np.eye(nv)):
        np.testing.assert_allclose(slopes.along(unit)[nv:], slopes.places[nv:, i], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(slopes.along(faster=unit), slopes.speeds[:, i], rtol=1e-6, atol=1e-7)
    for c, unit in enumerate(np.eye(len(z))):
        np.testing.assert_allclose(slopes.along(other=unit), slopes.states[:, c], rtol=1e-6, atol=1e-7)
    assert set(problem.memories.names) >= {"hover.wz", "pad.x", "arm.drive", "arm.bristles", "muscle.drive", "brush.0.y"}
