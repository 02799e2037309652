"""Roller racer (Krishnaprasad and Tsakiris 2001) by its reduced equation, integrated by another code.

With xi the speed of the rear axle and D = l_1 cos r + l_2: om = (sin r xi - l_2 rdot) / D from the two axles; with s = sin r / D,
m_1 ((xidot - c om^2) + (c omdot + om xi) c s) + m_2 ((xidot - l_1 om^2) + (l_1 omdot + om xi) l_1 s)
+ I_1 omdot s + I_2 (omdot + rddot) s = 0: the virtual power of the inertia forces along the free direction.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.zoo import measures

pytestmark = pytest.mark.slow

L1, L2, M1, I1, M2, I2, C = 0.35, 0.08, 4.0, 0.12, 0.6, 0.02, 0.1


def rates(t, y, law):
    theta, xi = y[2:]
    r, r1, r2 = law.at(t)
    d, d_rate = L1 * np.cos(r) + L2, -L1 * np.sin(r) * r1
    s, s_rate = np.sin(r) / d, np.cos(r) * r1 / d - np.sin(r) * d_rate / d**2
    om = s * xi - L2 * r1 / d
    rest = s_rate * xi - L2 * r2 / d + L2 * r1 * d_rate / d**2  # omdot = s xidot + rest
    mass = M1 * (1 + C * C * s * s) + M2 * (1 + L1 * L1 * s * s) + (I1 + I2) * s * s
    force = M1 * (C * om**2 - (C * rest + om * xi) * C * s) + M2 * (L1 * om**2 - (L1 * rest + om * xi) * L1 * s)
    force -= I1 * rest * s + I2 * (rest + r2) * s
    return [xi * np.cos(theta), xi * np.sin(theta), om, force / mass]


def test_pose_and_speed_from_the_reduced_equation():
    scenario = ld.zoo.roller_racer()
    law = scenario.drive.imposed["joint_1"]
    result = scenario.run(progress=False)
    times = result.time.values
    # The handle starts softly over 2 s: the law has a kink in its third derivative there.
    first = solve_ivp(rates, (0, 2), np.zeros(4), args=(law,), method="DOP853", rtol=1e-12, atol=1e-13)
    second = solve_ivp(rates, (2, 10), first.y[:, -1], args=(law,), method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    end = second.y[:, -1]
    assert np.abs(measures.final_pose(result) - end[:3]).max() < 1e-7  # rkmk4 at 0.01 s
    assert np.abs(end[:3] - (-1.547624, 0.003578, -0.209307)).max() < 6e-7  # six printed digits in the zoo
    later = times >= 2.0
    assert np.abs(result.twist.values[later, 0] - second.sol(times[later])[3]).max() < 1e-7
