"""Slopes of drives at and below their limits, which Newton's matrix of implicit steps is made of, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from newton_slopes import NewtonSlopes

pytestmark = pytest.mark.slow

LIMIT, NO_LOAD = 2.0, 4.0
# Speed of the joint (rad/s), and what its servo wants to turn it by: below the limit, at it, braking, beyond the no-load speed.
CASES = {"free": (1.0, 0.02), "pulls": (1.0, 3.0), "pushes": (-1.5, -3.0), "brakes": (-1.0, 3.0), "runs away": (6.0, 3.0)}


@pytest.mark.parametrize("lag", [0.0, 0.1])
@pytest.mark.parametrize("case", CASES)
def test_slopes_of_drives(case: str, lag: float) -> None:
    speed, ahead = CASES[case]
    robot = ld.Robot("arm")
    arm = robot.body("arm", mass=1.0, centre=(0.3, 0, 0), inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.2))
    arm.on(robot.base("ground", moves="fixed")).turning("y")
    words = {"time_constant": lag} if lag else {}
    arm.actuator(torque_limit=LIMIT, no_load_speed=NO_LOAD, viscous=0.1, **words)
    q, v, a = np.array([0.4]), np.array([speed]), np.array([0.7])
    servo = {"arm": ld.Servo(q[0] + ahead, 5.0, 0.3)}
    problem = ld.Scenario("arm", robot, servo=servo).problem
    z = np.full(problem.memories.count, 0.2)
    slopes = NewtonSlopes(problem, q, v, a, z, 0.0)
    np.testing.assert_allclose(slopes.along(1.0), slopes.places[:, 0], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(slopes.along(faster=np.ones(1)), slopes.speeds[:, 0], rtol=1e-7, atol=1e-7)
    # The line itself: L / v_n where the drive is at its limit and turns the way it pulls, the servo's gain below it.
    line = {"free": 0.3, "pulls": LIMIT / NO_LOAD, "pushes": LIMIT / NO_LOAD}.get(case, 0.0)
    assert slopes.speeds[0, 0] == pytest.approx(0.1 + (0.0 if lag else line), abs=1e-12)
    if lag:
        assert slopes.speeds[1, 0] == pytest.approx(-line / lag, abs=1e-12)
