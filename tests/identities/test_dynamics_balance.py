"""Energy and momentum: the rates of the totals of the robot are what forces and wrenches say.

Rates by complex step, exact to round-off.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from locodyn.dynamics.totals import TOTALS
from peers import random_case, relative, totals_rate

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
@settings(max_examples=25)
def test_power_balance(seed: int) -> None:
    """dT/dt + dU/dt = tau . v, gravity in any direction, rotors included."""
    case = random_case(seed, gravity=np.random.default_rng(seed).standard_normal(3) * 5.0)
    tau = case.model.inverse_dynamics(case.q, case.v, case.a)
    rate = totals_rate(case.model, case.q, case.v, case.a)
    size = np.abs(tau) @ np.abs(case.v)
    assert abs(rate[TOTALS.kinetic] + rate[TOTALS.potential] - tau @ case.v) < 1e-13 * size  # measured 1e-15


@given(seeds)
@settings(max_examples=25)
def test_momentum_is_kept(seed: int) -> None:
    """A free robot without gravity, whatever its joints do: linear and angular momentum about the world's origin stay."""
    case = random_case(seed, bases=("free",), gravity=(0.0, 0.0, 0.0))
    model = case.model
    tau = np.concatenate([np.zeros(6), case.tau[6:]])
    rate = totals_rate(model, case.q, case.v, model.forward_dynamics(case.q, case.v, tau))
    total = model.totals(case.q, case.v)
    # Scale: momentum times the largest rate in the robot; measured 5e-13 of it.
    accelerations = model.kinematics(case.q, case.v, model.forward_dynamics(case.q, case.v, tau))[1]
    size = total[TOTALS.mass] * np.max(np.abs(accelerations)) * (1.0 + np.max(np.abs(total[TOTALS.centre : TOTALS.centre + 3])))
    assert np.max(np.abs(rate[TOTALS.linear_momentum :])) < 1e-11 * size


@given(seeds)
@settings(max_examples=25)
def test_base_wrench_is_the_rate_of_momentum(seed: int) -> None:
    """On any base: what the world exerts on the reference body, plus the weight, changes the momentum."""
    case = random_case(seed)
    model = case.model
    model.inverse_dynamics(case.q, case.v, case.a)
    wrench = model.base_wrench
    pose = model.kinematics(case.q)[0][0]
    rotation, position = pose[:9].reshape(3, 3), pose[9:]
    total, rate = model.totals(case.q, case.v), totals_rate(model, case.q, case.v, case.a)
    weight = total[TOTALS.mass] * model.gravity
    force = rotation @ wrench[:3]
    moment = rotation @ wrench[3:] + np.cross(position, force)
    found = np.concatenate([force + weight, moment + np.cross(total[TOTALS.centre : TOTALS.centre + 3], weight)])
    assert relative(found, rate[TOTALS.linear_momentum : TOTALS.angular_momentum + 3]) < 1e-12


@given(seeds)
@settings(max_examples=20)
def test_base_wrench_of_a_free_base(seed: int) -> None:
    """It is the generalised force of the free reference joint, and zero in free motion."""
    case = random_case(seed, bases=("free",))
    model = case.model
    tau = model.inverse_dynamics(case.q, case.v, case.a)
    np.testing.assert_array_equal(model.base_wrench, tau[:6])
    free = np.concatenate([np.zeros(6), case.tau[6:]])
    model.inverse_dynamics(case.q, case.v, model.forward_dynamics(case.q, case.v, free))
    assert np.max(np.abs(model.base_wrench)) < 1e-10 * np.max(np.abs(tau))
