"""Laws with memory at rest and about it: an actuator that lags gives at rest what it is told, and adds a state to small motions.

An arm on a servo, in closed form: I qdd + c qd + m g l sin q = z, T zdot = k (a - q) - d qd - z.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import locodyn as ld
from feature_cases import scenario as robot_of
from locodyn.equilibria.statics import equilibrium, vibrations
from locodyn.linearisation import steady_motion

pytestmark = pytest.mark.slow

MASS, LENGTH, AIM, STIFFNESS, DAMPING, LAG, VISCOUS, GRAVITY = 2.0, 0.5, 1.1, 30.0, 2.0, 0.08, 0.4, 9.81


def arm(lag: float, **words: Any) -> ld.Scenario:
    robot = ld.Robot("arm")
    body = robot.body("arm", mass=MASS, centre=(0.0, 0.0, -LENGTH), inertia=((0.0,) * 3,) * 3)
    body.on(robot.base("ground", moves="fixed")).turning("y").actuator(viscous=VISCOUS, time_constant=lag)
    words.setdefault("servo", {"arm": ld.Servo(AIM, STIFFNESS, DAMPING)})
    return ld.Scenario("arm", robot, gravity=(0.0, 0.0, -GRAVITY), **words)


def rest(aim: float = AIM) -> float:
    """The angle with k (a - q) = m g l sin q."""
    return float(brentq(lambda q: STIFFNESS * (aim - q) - MASS * GRAVITY * LENGTH * math.sin(q), 0.0, aim, xtol=1e-15))


def exponents() -> np.ndarray:
    """(I s^2 + c s + m g l cos q) (1 + T s) + d s + k = 0."""
    inertia, weight = MASS * LENGTH**2, MASS * GRAVITY * LENGTH * math.cos(rest())
    return np.sort_complex(np.roots(np.polyadd(np.polymul([inertia, VISCOUS, weight], [LAG, 1.0]), [DAMPING, STIFFNESS])))


def test_an_actuator_that_lags_rests_where_one_without_lag_does() -> None:
    """Newton's method ends within 1e-10 of the way, and its torque is that of the servo there."""
    found = equilibrium(arm(LAG).problem)
    assert found.q[0] == pytest.approx(rest(), abs=1e-9)
    assert found.memory == {"arm.drive": pytest.approx(STIFFNESS * (AIM - rest()), abs=1e-7)}
    plain = equilibrium(arm(0.0).problem)
    np.testing.assert_allclose(found.stiffness, plain.stiffness, rtol=1e-9)


@pytest.mark.parametrize("start", ["equilibrium", None])
def test_a_run_from_rest_stays_there(start: str | None) -> None:
    """As a word, and as the equilibrium itself; nothing moves but by what the search has left."""
    begin: Any = start or ld.statics(arm(LAG).robot, servo={"arm": ld.Servo(AIM, STIFFNESS, DAMPING)}, gravity=(0, 0, -GRAVITY))
    result = arm(LAG, start=begin, t_end=0.2, dt=0.01, integrator="rkmk4").run(progress=False)
    assert np.abs(result.joint_velocity.values).max() < 1e-7


def test_small_motions_have_the_state_of_the_lag() -> None:
    """By exact slopes (vibrations: round-off), and by differences of the right-hand side (linearise: 1e-9 of the largest)."""
    scenario = arm(LAG, start="equilibrium")
    q, v = scenario.initial_state()
    np.testing.assert_allclose(np.sort_complex(vibrations(scenario.problem, q)), exponents(), rtol=1e-8)
    system = ld.linearise(scenario, q, v, inputs=("arm",))
    assert system.state_names == ("arm", "rate of arm", "arm.drive")
    assert system.memory[0] == pytest.approx(STIFFNESS * (AIM - rest()), abs=1e-7)
    np.testing.assert_allclose(np.sort_complex(system.eigenvalues), exponents(), rtol=1e-7)
    np.testing.assert_allclose(system.B[:, 0], (0.0, 0.0, 1.0 / LAG), atol=1e-7)  # a torque is told, not given
    with pytest.raises(ld.InputError, match=r"depends on 'arm.drive'"):
        system.second_order(["arm"])


def test_the_steady_motion_of_a_servo_that_lags_is_its_rest() -> None:
    found = steady_motion(arm(LAG), [0.8], [0.0])
    assert found.q[0] == pytest.approx(rest(), abs=1e-9)


def test_linearise_knows_bristles_at_rest() -> None:
    """At rest bristles are a spring s0 with a damper s1 + s2: m s^2 + (s1 + s2) s + s0 = 0; the mass may be anywhere."""
    robot, law = ld.Robot("slider"), ld.LuGre(1.0, 1e4, damping=30.0, viscous=10.0)
    robot.body("mass", mass=MASS).on(robot.base("ground", moves="fixed")).sliding("x").actuator(bristles=law)
    system = ld.linearise(ld.Scenario("slider", robot, gravity=(0.0, 0.0, 0.0)))
    assert system.state_names == ("mass", "rate of mass", "mass.bristles")
    assert system.symmetries.shape == (3, 1)
    found = np.sort_complex(system.reduced().eigenvalues)
    # The rate of slip v - s0 |v| z / g is not smooth at v = 0, where z = 0 leaves it a product of two small numbers.
    np.testing.assert_allclose(found, np.sort_complex(np.roots([MASS, 40.0, 1e4])), rtol=1e-6)


def test_a_motion_whose_law_does_not_rest_is_refused() -> None:
    """An integral of a velocity that is not the desired one grows for ever."""
    robot = ld.Robot("drone")
    robot.base("body", mass=1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    robot.wrench("hover", on="body", law=ld.Feedback(1.0, 0.5))
    scenario = ld.Scenario("drone", robot, gravity=(0.0, 0.0, 0.0), desired={"hover.x": ld.ramp(1.0)})
    with pytest.raises(ld.InputError, match=r"not steady"):
        ld.linearise(scenario)
    with pytest.raises(ld.InputError, match=r"'hover.x' may have several values there"):
        equilibrium(scenario.problem)


def test_quasi_static_lag() -> None:
    """In the limit of slow motion a lag does nothing: the path of k (a(t) - q) = m g l sin q, its torque recorded twice."""
    servo = {"arm": ld.Servo(ld.ramp(0.5), STIFFNESS, DAMPING)}
    result = arm(LAG, servo=servo, t_end=1.0, dt=0.25, integrator="quasi_static").run(progress=False)
    wanted = [rest(0.5 * t) if t > 0.0 else 0.0 for t in result.time.values]
    np.testing.assert_allclose(result.joint_position.values[:, 0], wanted, atol=1e-8)
    torque = [STIFFNESS * (0.5 * t - q) for t, q in zip(result.time.values, wanted, strict=True)]
    np.testing.assert_allclose(result.memory.values[:, 0], torque, atol=1e-6)
    np.testing.assert_allclose(result.joint_torque.values[:, 0], torque, atol=1e-4)  # of slow motion: 1e-6 of the damping


def test_exact_slopes_of_a_lagging_tendon_are_those_of_differences() -> None:
    """vibrations by the tangents of implicit steps, linearise by differences of explicit right-hand sides."""
    scenario = robot_of("held", "muscle")
    found = equilibrium(scenario.problem)
    exact = np.sort_complex(vibrations(scenario.problem, found.q))
    system = ld.linearise(scenario.problem, found.q, np.zeros(scenario.model.nv), memory=found.memory)
    size = np.abs(exact).max()
    np.testing.assert_allclose(np.sort_complex(system.eigenvalues), exact, atol=1e-6 * size)
