"""Servos: the torque that they give, its limit, and the oscillator that a servo makes of a rotor."""

import numpy as np
import pytest

import locodyn as ld
from locodyn.locomotion.servo import Servo
from locodyn.sim import Scenario


def rotor(limit=None):
    robot = ld.Robot("rotor")
    wheel = robot.body("wheel", mass=1.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.2))
    wheel.on(robot.base("ground", moves="fixed")).turning("z")
    return robot if limit is None else (wheel.actuator(torque_limit=limit), robot)[1]


@pytest.mark.parametrize("integrator", ["rkmk4", "adaptive"])
def test_rotor_with_a_servo_is_an_oscillator(integrator):
    """J r'' + c r' + k r = k r_d: from rest at 0 to the target 0.5, closed form."""
    stiffness, damping, inertia = 3.0, 0.2, 0.2
    servo = {"wheel": Servo(0.5, stiffness, damping)}
    result = Scenario("rotor", rotor(), servo=servo, t_end=4.0, dt=0.005, integrator=integrator).run(progress=False)
    decay = damping / (2 * inertia)
    omega = np.sqrt(stiffness / inertia - decay**2)
    t = result.time.values
    expected = 0.5 * (1 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t)))
    assert np.abs(result.joint_position.values[:, 0] - expected).max() < 1e-7
    assert result.scenario.problem.is_compiled


def test_torque_of_a_servo_follows_a_moving_target_within_the_limit():
    target = ld.sine(1.0, omega=3.0)
    servo = {"wheel": Servo(target, 2.0, 0.3)}
    torque = {"wheel": ld.constant(0.1)}
    result = Scenario("rotor", rotor(limit=0.5), servo=servo, torque=torque, t_end=3.0, dt=0.005).run(progress=False)
    t, r, rate = result.time.values, result.joint_position.values[:, 0], result.joint_velocity.values[:, 0]
    wanted = 0.1 + 2.0 * (np.sin(3.0 * t) - r) + 0.3 * (3.0 * np.cos(3.0 * t) - rate)
    assert np.abs(result.joint_torque.values[:, 0] - np.clip(wanted, -0.5, 0.5)).max() < 1e-12
    assert np.abs(wanted).max() > 0.6 and np.abs(wanted).min() < 0.4
    assert np.abs(result.joint_acceleration.values[:, 0] - result.joint_torque.values[:, 0] / 0.2).max() < 1e-12


def test_a_servo_with_a_python_target_gives_the_same():
    law = Scenario("rotor", rotor(), servo={"wheel": Servo(ld.sine(1.0, omega=3.0), 2.0, 0.3)}, t_end=1.0, dt=0.01)
    own = law.changed(servo={"wheel": Servo(lambda t: np.sin(3.0 * t), 2.0)})
    compiled = law.changed(servo={"wheel": Servo(ld.sine(1.0, omega=3.0), 2.0)})
    assert not own.problem.is_compiled
    difference = own.run(progress=False).joint_position.values - compiled.run(progress=False).joint_position.values
    assert np.abs(difference).max() < 1e-10
