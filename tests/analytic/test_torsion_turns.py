"""Torsion springs through several turns: closed forms of swings that go around more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

STIFFNESS, FAR = 0.8, 10.0  # N m/rad; rad at the start, more than a turn and a half
INERTIA = {"first": 0.05, "second": 0.02}  # kg m^2


def wheel(robot: ld.Robot, name: str, on: Any, axis: str = "z", **place: Any) -> Any:
    moments = ld.about_centre(xx=INERTIA[name], yy=INERTIA[name], zz=INERTIA[name])
    return robot.body(name, mass=0.1, inertia=moments).on(on, **place).turning(axis)


def run(robot: ld.Robot, start: dict[str, float], integrator: str) -> ld.Result:
    """Half a second; steps at which both methods err by less than 1e-9 of the swing (measured)."""
    scenario = ld.Scenario(
        "turns", robot, gravity=(0.0, 0.0, 0.0), start=start, t_end=0.5, dt=0.0025, integrator=integrator
    )  # fmt: skip
    return scenario.run(progress=False)


@pytest.mark.parametrize("integrator", ["rkmk4", "radau3"])
def test_a_wheel_on_the_ground(integrator: str) -> None:
    """theta = theta_0 cos(wt), w^2 = k / I; the spring is turned by what it records."""
    robot = ld.Robot("wheel")
    wheel(robot, "first", robot.base("ground", moves="fixed"))
    robot.torsion_spring("coil", "world", "first", "z", stiffness=STIFFNESS)
    result = run(robot, {"first": FAR}, integrator)
    exact = FAR * np.cos(np.sqrt(STIFFNESS / INERTIA["first"]) * result.time.values)
    np.testing.assert_allclose(result.joint_position.sel(joint="first").values, exact, atol=1e-7)
    np.testing.assert_allclose(result.tie_length.values[:, 0], exact, atol=1e-7)
    energy = result.total_energy().values
    np.testing.assert_allclose(energy, 0.5 * STIFFNESS * FAR**2, rtol=1e-8)


@pytest.mark.parametrize("integrator", ["rkmk4", "radau3"])
def test_wheels_on_two_branches(integrator: str) -> None:
    """They swing against each other with the reduced inertia I1 I2 / (I1 + I2); one of them turns about -z."""
    robot = ld.Robot("wheels")
    ground = robot.base("ground", moves="fixed")
    wheel(robot, "first", ground)
    wheel(robot, "second", ground, "-z", at=(0.3, 0.0, 0.0), turned=("z", 0.4))
    robot.torsion_spring("shaft", "first", "second", "z", stiffness=STIFFNESS, rest_angle=0.4)
    result = run(robot, {"first": FAR, "second": 0.0}, integrator)
    one, two = (result.joint_position.sel(joint=name).values for name in ("first", "second"))
    reduced = INERTIA["first"] * INERTIA["second"] / sum(INERTIA.values())
    exact = FAR * np.cos(np.sqrt(STIFFNESS / reduced) * result.time.values)
    np.testing.assert_allclose(one + two, exact, atol=1e-6)
    np.testing.assert_allclose(INERTIA["first"] * one - INERTIA["second"] * two, INERTIA["first"] * FAR, atol=1e-9)
    np.testing.assert_allclose(result.tie_length.values[:, 0], 0.4 - (one + two), atol=1e-12)


def test_a_joint_about_another_axis_ends_the_count() -> None:
    """Then the angle is that between the frames, up to half a turn: 10 rad are 10 - 4 pi."""
    robot = ld.Robot("cross")
    first = wheel(robot, "first", robot.base("ground", moves="fixed"))
    wheel(robot, "second", first, "x")
    robot.torsion_spring("coil", "world", "second", "z", stiffness=STIFFNESS)
    result = run(robot, {"first": FAR}, "rkmk4")
    assert result.tie_length.values[0, 0] == pytest.approx(FAR - 4.0 * np.pi, abs=1e-12)
