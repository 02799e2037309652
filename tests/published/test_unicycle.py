"""Unicycle with one driven and one passive wheel (Ali 2011, Table 3.1): rolling angles, free direction, motor torque.

End pose, passive rolling angle, slip and power balance are checks of the zoo; here is what they leave out.
"""

import functools

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo import measures
from peers import Recursion

pytestmark = pytest.mark.slow


@functools.cache
def run():
    return ld.zoo.unicycle().run(progress=False)


def test_rolling_angles():
    """theta_a is what is imposed; theta_a - theta_f = 0.4 theta / R. The sum over records is of order 4 in 0.01 s (5e-10)."""
    result = run()
    t = result.time.values
    driven, passive = (result.wheel_angle.sel(wheel=name).values for name in ("right", "left"))
    assert np.abs(driven - 2.5 * (t - np.sin(t))).max() < 1e-8
    assert np.abs(driven - passive - 0.4 / 0.1 * measures.headings(result)).max() < 1e-8
    assert result.wheel_angle.values[0].tolist() == [0.0, 0.0]


def test_twist_is_the_free_turn_and_the_imposed_roll():
    """eta_0 = H_f Omega + H_a R thetadot_a with H_f = (y_a, 0, 1), H_a = (1, 0, 0), y_a = -0.2 m."""
    result = run()
    twist = result.twist.values[:, [0, 1, 5]]
    rolled = 0.1 * result.wheel_rate.sel(wheel="right").values
    wanted = np.outer(twist[:, 2], [-0.2, 0, 1]) + np.outer(rolled, [1, 0, 0])
    assert np.abs(twist - wanted).max() < 1e-13
    assert (result.constraint_rank.values == 2).all()


def test_reduced_dynamics_and_motor_torque():
    """(3.69)-(3.70): H_f^T (M0 etadot_0 - F0) = 0, and R Gamma... B_aa Gamma = H_a^T (M0 etadot_0 - F0), B_aa = 1 / R."""
    result = run()
    recursion, planar = Recursion(result.model), [0, 1, 5]
    for k in range(0, 1001, 50):
        shape = np.concatenate([np.zeros(3), result.joint_acceleration.values[k]])
        inertia, wrench = recursion.composite(result.q[k], result.v[k], shape)
        contact = inertia[np.ix_(planar, planar)] @ result.acceleration.values[k, planar] - wrench[planar]
        assert abs(np.array([-0.2, 0, 1]) @ contact) < 1e-12
        assert abs(contact[0] - result.wheel_torque.sel(wheel="right").values[k] / 0.1) < 1e-11


def test_contact_forces_carry_the_robot():
    """Forces of the ground = rate of linear momentum (spline of degree 5 through records)."""
    from scipy.interpolate import make_interp_spline

    result = run()
    momentum = np.array([result.model.momentum(q, v)[0] for q, v in zip(result.q, result.v, strict=True)])
    rate = make_interp_spline(result.time.values, momentum, k=5).derivative()(result.time.values)
    assert np.abs(result.contact_force.values.sum(axis=1)[:, :2] - rate[:, :2])[10:-10].max() < 1e-7


def test_the_passive_wheel_has_no_torque():
    torque = run().wheel_torque
    assert np.abs(torque.sel(wheel="left").values).max() == 0.0
    assert np.abs(torque.sel(wheel="right").values).max() > 0.05


def test_torques_with_the_sign_of_the_source():
    """(3.86) writes the torques of wheel motors as reactions: the power test needs the other sign (spec B6)."""
    plain, printed = (ld.zoo.unicycle().changed(t_end=2.0, motor_reactions=sign).run(progress=False) for sign in (False, True))
    np.testing.assert_array_equal(printed.wheel_torque.values, -plain.wheel_torque.values)
    assert "reactions" in printed.wheel_torque.attrs["long_name"] and "reactions" not in plain.wheel_torque.attrs["long_name"]
    for name in ("multiplier", "power_actuators", "contact_force"):
        np.testing.assert_array_equal(printed.dataset[name].values, plain.dataset[name].values)
    for result, holds in ((plain, True), (printed, False)):
        power = (result.wheel_torque * result.wheel_rate).sum("wheel").values
        power = power + (result.joint_torque * result.joint_velocity).sum("joint").values
        assert bool(np.abs(power - plain.power_actuators.values).max() < 1e-12) is holds
