"""Wheels in quasi-static runs: a beam on a skate, pulled along a line at its other end, follows a tractrix.

The end with the skate may not move sideways: a thetadot = -sdot sin theta, so that tan(theta / 2) falls by exp(-s / a).
"""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow

LENGTH, ANGLE, SPEED, STIFFNESS, END = 0.4, 1.2, 0.2, 3.0, 4.0


def trailer(step: float) -> ld.Scenario:
    robot = ld.Robot("trailer")
    puller = robot.base("puller", moves="prismatic", axis="x", joint="pull")
    beam = robot.body("beam", mass=1.0, inertia=np.diag([0.01, 0.01, 0.01])).on(puller).turning("z", name="hinge")
    beam.actuator(stiffness=STIFFNESS).skate("edge", at=(-LENGTH, 0.0, 0.0), along="x")
    return ld.Scenario(
        "trailer", robot, gravity=(0.0, 0.0, 0.0), imposed={"pull": ld.ramp(SPEED)}, start={"hinge": ANGLE}, t_end=END, dt=step,
        integrator="quasi_static",
    )  # fmt: skip


def tractrix(times: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 * np.arctan(np.tan(0.5 * ANGLE) * np.exp(-SPEED * times / LENGTH)))


def test_a_trailer_follows_a_tractrix() -> None:
    """The midpoint rule has order 2: half the step, a quarter of the error; forces of the skate hold the spring, k theta / a."""
    errors = []
    for step in (0.2, 0.1):
        result = trailer(step).run(progress=False)
        assert result.status == "completed"
        angle = result.joint_position.sel(joint="hinge").values
        errors.append(np.abs(angle - tractrix(result.time.values)).max())
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
    force = np.abs(result.multiplier.values[:, 0])
    np.testing.assert_allclose(force, STIFFNESS * angle / LENGTH, rtol=1e-5)  # rates are 1e-6 of those of the motion
    rate = result.joint_velocity.sel(joint="hinge").values
    np.testing.assert_allclose(rate, -SPEED * np.sin(angle) / LENGTH, rtol=1e-7)


def test_wheels_on_a_path_that_is_followed_back_and_forth_are_refused() -> None:
    with pytest.raises(ld.InputError, match=r"'edge' rolls, and where it rolls to depends on the way"):
        ld.equilibria.equilibrium_path(trailer(0.1).problem, along="time", arc=0.1)
