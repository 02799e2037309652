"""Arm on a car-like platform (Ali 2011, section 4.4): kinematics of the wheels, wheel torques, slips of the printed equations.

Pose, ranges of torques, twist and power balance for xi = 1 and 0 are checks of the zoo; here is what they leave out.
"""

import functools
import math

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import InputError
from locodyn.zoo import measures
from peers import Recursion

pytestmark = pytest.mark.slow

BASE, TRACK, RADIUS = 1.0, 0.5, 0.15
PLANAR = [0, 1, 5]


@functools.cache
def run(**parameters):
    return ld.zoo.mobile_manipulator(**parameters).run(progress=False)


def beta(result):
    """beta and its rate."""
    t = result.time.values
    return np.sin(0.5 * t), 0.5 * np.cos(0.5 * t)


def real_angles(angle):
    """beta_1 (right) and beta_2 by the corrected Ackermann relation."""
    tangent, ratio = np.tan(angle), TRACK / (2 * BASE)
    return np.arctan(tangent / (1 + ratio * tangent)), np.arctan(tangent / (1 - ratio * tangent))


def wheel_map(angle):
    """B_aa of (4.22), two columns: right, left."""
    b, (b1, b2) = np.tan(angle) / 2, real_angles(angle)
    right = (1 + TRACK / BASE * b) * np.cos(b1) + np.sin(b1) * np.tan(angle)
    left = (1 - TRACK / BASE * b) * np.cos(b2) + np.sin(b2) * np.tan(angle)
    return np.column_stack([right, left]) / RADIUS


def test_wheel_rates_are_those_of_4_22():
    """(3.54): both wheels of an Ackermann steering give the same xi = 1."""
    result = run()
    rates = result.wheel_rate.sel(wheel=["wheel_1", "wheel_2"]).values
    assert np.abs(rates - wheel_map(beta(result)[0])).max() < 1e-10
    assert result.attributes["time_loop"] == "compiled"
    assert np.abs(result.wheel_rate.sel(wheel="rear").values - 1.0 / RADIUS).max() < 1e-10


def test_wheel_torques_are_equal():
    for xi in (1.0, 0.0):
        torque = run(xi=xi).wheel_torque
        assert np.abs((torque.sel(wheel="wheel_1") - torque.sel(wheel="wheel_2")).values).max() == 0.0
        assert np.abs(torque.sel(wheel="rear").values).max() == 0.0


def test_gravity_is_not_felt_by_the_first_joint_and_the_wheels():
    for xi in (1.0, 0.0):
        heavy, light = run(xi=xi), run(xi=xi, g=0.0)
        for name, part in (("joint_torque", {"joint": "joint_1"}), ("wheel_torque", {"wheel": "wheel_1"})):
            difference = heavy.dataset[name].sel(part) - light.dataset[name].sel(part)
            assert np.abs(difference.values).max() < 1e-11
        assert np.abs((heavy.joint_torque - light.joint_torque).sel(joint="joint_2").values).max() > 50.0


def test_speed_of_the_platform_is_felt_by_the_arm():
    """Fig. 4.12a: tau_1 differs clearly; a platform at rest needs holding torque (Gamma in [-2.61, 1.67] N m)."""
    moving, standing = run(), run(xi=0.0)
    assert np.abs((moving.joint_torque - standing.joint_torque).sel(joint="joint_1").values).max() > 10.0
    assert np.abs(measures.planar_poses(standing)).max() < 1e-12
    assert np.abs(standing.wheel_torque.values).max() > 2.0


def locked_robot(result, count=50):
    """Records k with composite inertia, composite wrench and platform acceleration at them (planar parts)."""
    recursion = Recursion(result.model)
    for k in range(0, len(result.time), len(result.time) // count):
        shape = np.concatenate([np.zeros(3), result.joint_acceleration.values[k]])
        inertia, wrench = recursion.composite(result.q[k], result.v[k], shape)
        yield k, inertia[np.ix_(PLANAR, PLANAR)], wrench[PLANAR], result.acceleration.values[k, PLANAR]


def test_wheel_torque_needs_the_derivative_of_the_steering():
    """F_ra = H_a^T (M0 etadot_0 - F0). (3.71)-(3.72) print H_a^T M0 H_a etadot_ra - H_a^T F0: wrong by up to 4.9 N m of 6.7.

    That number belongs to a grid of 0.5 s (4.94); at all records it is 5.09 N m.
    """
    result = run()
    angle, _ = beta(result)
    sums, motor = wheel_map(angle).sum(axis=1), result.wheel_torque.sel(wheel="wheel_1").values
    right, printed = [], []
    for k, inertia, wrench, acceleration in locked_robot(result, 200):
        h = np.array([1.0, math.tan(angle[k]) / 2, math.tan(angle[k]) / BASE])
        right.append(h @ (inertia @ acceleration - wrench) / sums[k] - motor[k])
        printed.append(-h @ wrench / sums[k] - motor[k])  # etadot_ra = 0: xi is constant
    assert np.abs(right).max() < 1e-10
    assert np.abs(printed[::10]).max() == pytest.approx(4.9, abs=0.05)


def test_the_printed_sign_of_the_motor_torque_breaks_the_power_balance():
    """B_aa^T Gamma = +F_ra. (3.86) has -F_ra: Gamma.thetadot + tau.rdot is then off by twice the power of the wheels."""
    result = run()
    joints = np.sum((result.joint_torque * result.joint_velocity).values, axis=1)
    wheels = np.sum((result.wheel_torque * result.wheel_rate).values, axis=1)
    assert np.abs(joints + wheels - result.power_actuators.values).max() < 1e-9
    assert measures.power_balance(result) < 1e-12
    assert np.abs(joints - wheels - result.power_actuators.values).max() > 50.0


def test_the_printed_ackermann_relation_makes_the_wheels_fight():
    """tan b = (1 + (L/2l) tan b) tan b1; L1911 prints (1 + L/2l) tan b1, which no motion of the platform fulfils.

    With a steering angle at the start the run is refused; with one that comes up later it fails there, and says who fights.
    """
    angle, ratio = 0.5, TRACK / (2 * BASE)
    scenario = ld.zoo.mobile_manipulator().changed(t_end=0.5)
    right = dict(zip(("wheel_1", "wheel_2"), map(float, real_angles(angle)), strict=True))
    assert scenario.changed(steering=right).run(progress=False).status == "completed"
    printed = {"wheel_1": math.atan(math.tan(angle) / (1 + ratio)), "wheel_2": math.atan(math.tan(angle) / (1 - ratio))}
    with pytest.raises(InputError, match=r"do not go together at t = 0 s: '.*' is missed by"):
        scenario.changed(steering=printed).run(progress=False)
    times = np.linspace(0, 1, 101)
    tangent = np.tan(np.sin(0.5 * times))
    laws = {f"wheel_{k}": ld.spline(times, np.arctan(tangent / (1 + sign * ratio))) for k, sign in ((1, 1), (2, -1))}
    result = scenario.changed(steering=laws).run(progress=False)
    assert result.failed and result.status.startswith("failed: the imposed motions do not go together at t = 0.01 s: ")


def test_the_printed_acceleration_is_wrong_by_a_quarter_of_tau_1():
    """(3.10) beside (3.13): 26 % of the range (measured there; 25 % at the records looked at here)."""
    result = run()
    right, printed = Recursion(result.model), Recursion(result.model, printed="zeta")
    torque = result.joint_torque.sel(joint="joint_1").values
    errors = []
    for k in range(0, 1001, 10):
        q, v = result.q[k].copy(), result.v[k].copy()
        a = result.scenario.problem.accelerations(float(result.time[k]), q, v)
        assert right.inverse_dynamics(q, v, a)[3] == pytest.approx(torque[k], abs=1e-10)
        errors.append(abs(printed.inverse_dynamics(q, v, a)[3] - torque[k]))
    assert max(errors) / np.ptp(torque) == pytest.approx(0.26, abs=0.015)
