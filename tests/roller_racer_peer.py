"""Roller racer (Krishnaprasad and Tsakiris 2001) by its reduced equation, integrated by another code.

With xi the speed of the rear axle and D = l_1 cos r + l_2: om = (sin r xi - l_2 rdot) / D from the two axles; with s = sin r / D,
m_1 ((xidot - c om^2) + (c omdot + om xi) c s) + m_2 ((xidot - l_1 om^2) + (l_1 omdot + om xi) l_1 s)
+ I_1 omdot s + I_2 (omdot + rddot) s = 0: the virtual power of the inertia forces along the free direction.
"""

import numpy as np
from scipy.integrate import solve_ivp

RACER = (0.35, 0.08, 4.0, 0.12, 0.6, 0.02, 0.1)  # l_1, l_2, m_1, I_1, m_2, I_2, c


def rates(t, y, law, numbers):
    L1, L2, M1, I1, M2, I2, C = numbers
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


def reduced(law, numbers, dense=False):
    """(x, y, theta, xi) at 10 s, from rest; the handle starts softly over 2 s: its law has a kink in its third derivative."""
    tight = {"args": (law, numbers), "method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    first = solve_ivp(rates, (0, 2), np.zeros(4), **tight)
    second = solve_ivp(rates, (2, 10), first.y[:, -1], dense_output=True, **tight)
    return second.sol if dense else second.y[:, -1]
