"""The mean thrust of a slender fish in the limit of small waves (Lighthill 1960)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.robot import GivenSection, RodFluid
from locodyn.world import Wake

pytestmark = pytest.mark.slow

LENGTH, MASS = 1.0, 8.0  # m; added mass of the sections, kg/m
SPEED, NUMBER, OMEGA = 0.6, 2 * math.pi / 0.9, 2 * math.pi  # m/s, rad/m, rad/s


def mean_thrust(height: float) -> float:
    """Mean force (N) that a fish gives which is towed along -x and follows y = height cos(k x - w t) in its own frame."""
    period = 2 * math.pi / OMEGA
    robot = ld.Robot("fish")
    ground = robot.base("ground", moves="fixed")
    rail = robot.body("rail", mass=0.1).on(ground).sliding("x")
    post = robot.body("post", mass=0.1).on(rail).sliding("y")
    nose = robot.body("nose", mass=0.1, inertia=ld.about_centre(zz=1e-3)).on(post).turning("z")
    wave = ld.StrainField("wave", ld.travelling("bending_z", -height * NUMBER**2, wavelength=2 * math.pi / NUMBER))
    body = nose.rod(
        "body", length=LENGTH, section=GivenSection((1.0,) * 6, mass=2.0, inertia=(0.01, 0.01, 0.01)), fields=[wave],
        fluid=RodFluid(added_mass=(0.0, MASS, 0.0)), nodes=64,
    )  # fmt: skip
    robot.wrench("tail", on=body, law=Wake((MASS, 0.0)))
    run = ld.simulate(
        robot, gravity=(0, 0, 0), t_end=period, dt=period / 64, integrator="rkmk4", progress=False,
        imposed={
            "rail": ld.ramp(-SPEED), "post": ld.cosine(height, omega=OMEGA), "nose": ld.sine(height * NUMBER, omega=OMEGA),
            "body.wave": ld.ramp(-OMEGA / NUMBER),
        },
    )  # fmt: skip
    # The trapezoidal rule is exact for a periodic force; the drive holds the fish back where it pushes, so their forces agree.
    return float(np.mean(run.joint_torque.sel(joint="rail").values[:-1]))


def test_mean_thrust() -> None:
    """<m/2 (h_t^2 - U^2 h_x^2)> at the tail; what is left falls with the square of the slope of the wave, here 1e-3.

    The slices of the rod add (k length / nodes)^4 = 1e-4 / 24 at most, which bends the ratio by 1 %.
    """
    ratios = []
    for height in (0.005, 0.01):
        wanted = MASS / 2 * height**2 / 2 * (OMEGA**2 - SPEED**2 * NUMBER**2)
        ratios.append(mean_thrust(height) / wanted - 1)
    assert abs(ratios[0]) < (0.005 * NUMBER) ** 2
    assert abs(ratios[1] / ratios[0] - 4.0) < 0.1
