"""Imposed strains beside other things: friction that tends to an ideal contact; elastic strains, a wheel and hard contact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import j0

import locodyn as ld
from body_cases import NO_GRAVITY, snake
from locodyn.world import Drag

pytestmark = pytest.mark.slow


def test_strong_friction_across_is_an_ideal_contact() -> None:
    """C5(b): the head at 4 s tends to that of ideal sleeves, -2 J0(6 / (2 pi)), with the first power of 1 / c_n.

    From c_n = 2000 on by factors of 4; what is left of higher powers, and of a start at rest, is below 5 % of each.
    """
    ideal = np.array([-2.0 * j0(6.0 / (2.0 * np.pi)), 0.0])
    errors = []
    for resistance in (2000.0, 8000.0, 32000.0):
        robot, imposed = snake(length=1.0, nodes=80, count=0, amplitude=6.0)
        robot.wrench("ground", on="body", law=Drag(linear=(0.2, resistance, 0.0)), along=True)
        result = ld.simulate(robot, imposed=imposed, t_end=4.0, dt=0.01, integrator="radau3", gravity=NO_GRAVITY, progress=False)
        errors.append(np.linalg.norm(result.position.values[-1, :2] - ideal))
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    np.testing.assert_allclose(orders, 1.0, atol=0.05)


def mixed() -> tuple[ld.Robot, dict]:
    """A cart on a skate, an arm that is elastic about an imposed wave of bending, and a ball at its tip that hits."""
    robot = ld.Robot("mixed")
    cart = robot.base("cart", mass=1.0, inertia=ld.about_centre(zz=0.02), moves="planar").skate("wheel")
    wave = ld.StrainField("wave", ld.travelling("bending_z", 3.0, wavelength=0.5), amplitude=True)
    arm = cart.rod(
        "arm", length=0.5, section=ld.Circle(0.01), material=ld.Material(young=1e6, density=1e3), bending=(0, 2), damping=0.02,
        fields=[wave], nodes=16,
    )  # fmt: skip
    ball = robot.body("ball", mass=0.1, inertia=ld.about_centre(zz=1e-4), shape=ld.Sphere(0.03)).on(arm).fixed()
    ball.collides(friction=0.2)
    grows = ld.motion.transition(0, 1, duration=0.4, degree=7)
    return robot, {"arm.wave": ld.polynomial(0.0, -0.5), "arm.wave.amplitude": grows}


def test_imposed_strain_elastic_rod_wheel_and_hard_contact_in_one_robot() -> None:
    """Without its post, Moreau's method at 1 ms gives the motion of radau3 (order 2: 1e-6 m); with it, the work balances.

    The account of a run with impacts is of first order: 1e-5 of the work measured at 1 ms, 4e-6 at half of it.
    """
    robot, imposed = mixed()
    options: dict[str, Any] = {"imposed": imposed, "gravity": NO_GRAVITY, "t_end": 1.0, "progress": False}
    smooth = ld.simulate(robot, integrator="radau3", dt=0.01, **options)
    free = ld.simulate(robot, integrator="moreau", dt=1e-3, **options)
    tip = smooth.body_position.sel(body="ball").values
    np.testing.assert_allclose(free.body_position.sel(body="ball").values[-1], tip[-1], atol=2e-6)
    post = ld.Obstacle(ld.Cylinder(0.05), at=(float(tip[50, 0]), float(tip[50, 1]) + 0.08), name="post", friction=0.2)
    hit = ld.simulate(robot, integrator="moreau", dt=1e-3, obstacles=[post], **options)
    assert hit.status == "completed" and np.abs(hit.contact_force.values).max() > 1.0
    assert np.abs(hit.body_position.sel(body="ball").values[-1] - tip[-1]).max() > 0.03  # it was thrown back
    balance = hit.total_energy().values - hit.energy_supplied().values
    assert np.abs(balance - balance[0]).max() < 5e-5 * np.ptp(hit.work_supplied.values)
    assert np.abs(hit.twist.values[:, 1]).max() < 1e-9  # the skate does not slip sideways
