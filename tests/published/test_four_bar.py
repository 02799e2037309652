"""Four-bar linkage (Ali 2011, appendix A.1): the method of the cut joint by hand against the general solver.

Range of the crank's torque, closure and power balance are checks of the zoo; here is what they leave out.
"""

import functools

import numpy as np
import pytest

import locodyn as ld

pytestmark = pytest.mark.slow


@functools.cache
def run(**parameters):
    return ld.zoo.four_bar(**parameters).run(progress=False)


def closure(model, q):
    """W_a (2,) and W_p (2, 2): velocity of the coupler's end less that of the rocker's, world x and z, per joint rate."""
    ends = []
    for name in ("coupler_end", "rocker_end"):
        rotation, _ = model.pose(name, q)
        ends.append((rotation @ model.jacobian(name, q)[:3])[[0, 2]])
    w = ends[0] - ends[1]
    return w[:, 0], w[:, 1:]


def test_velocities_of_the_passive_joints():
    """rdot_p = -W_p^-1 W_a rdot_a."""
    result = run()
    for k in range(0, 2001, 100):
        active, passive = closure(result.model, result.q[k])
        wanted = -np.linalg.solve(passive, active) * result.joint_velocity.values[k, 0]
        assert np.abs(result.joint_velocity.values[k, 1:] - wanted).max() < 1e-10


def test_torque_of_the_crank_and_force_in_the_pin():
    """tau_a = tau_a,tree - W_a^T W_p^-T tau_p,tree and lambda = -W_p^-T tau_p,tree (B11)."""
    result = run()
    forces = result.multiplier.sel(constraint=["pin.x", "pin.z"]).values
    for k in range(0, 2001, 100):
        q, v, a = (x.values[k] for x in (result.joint_position, result.joint_velocity, result.joint_acceleration))
        tree = result.model.inverse_dynamics(q, v, a)
        active, passive = closure(result.model, q)
        pin = np.linalg.solve(passive.T, tree[1:])
        assert result.joint_torque.values[k, 0] == pytest.approx(tree[0] - active @ pin, abs=1e-11)
        # Rows act on the second end seen from the first, in the axes of the first: the coupler feels R lambda with a minus.
        rotation = result.model.pose("coupler_end", q)[0]
        assert -(rotation @ [forces[k, 0], 0, forces[k, 1]])[[0, 2]] == pytest.approx(pin, abs=1e-10)
    assert np.abs(result.joint_torque.values[:, 1:]).max() == 0.0


def test_redundant_rows_of_a_planar_loop():
    """A revolute pin has five rows; in the plane two of them are independent."""
    result = run()
    assert result.constraint_rank.values.tolist() == [2] * 2001
    assert result.multiplier.sizes["constraint"] == 5
    assert "rank_changes" not in result.attributes


def test_other_bars():
    """A longer rocker still closes, a crank that is too long does not."""
    assert all(outcome.passed for outcome in run(l_3=0.3, w=2.0).checks())
    with pytest.raises(ld.InputError, match="do not reach each other"):
        ld.zoo.four_bar(l_1=2.0)
