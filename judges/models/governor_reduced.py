"""The flyball governor (IFToMM A05) by Lagrange's equations of slider, slope and shaft: apart from the library.

Rods are square bars; the numbers are written once more, so that these equations stand alone.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY, STIFFNESS, DAMPING, REST, ARM, SIDE, BAR, BALL, SLIDER = 9.81, 8e5, 4e4, 0.5, 1.0, 0.01, 0.3, 5.0, 3.0
SPIN, SLOPE, OFFSET, CUBE = 2.0 * np.pi, np.radians(30.0), 0.05, 0.1


def about_shaft(slope: float) -> float:
    """Moment of inertia of all about the shaft, kg m^2."""
    c, s = np.cos(slope), np.sin(slope)
    along, across = BAR * SIDE**2 / 6, BAR * (ARM**2 + SIDE**2) / 12
    rod = along * s**2 + across * c**2 + BAR * (OFFSET + ARM / 2 * c) ** 2 + BALL * (OFFSET + ARM * c) ** 2
    return float(2 * rod + SLIDER * CUBE**2 / 6)


MOMENTUM = about_shaft(float(SLOPE)) * SPIN


def reduced(t: float, y: np.ndarray) -> np.ndarray:
    """Rates of slider height z, slope of both rods, their rates, and shaft angle, whose momentum is constant."""
    z, slope, zdot, rate, _ = y
    c, s = np.cos(slope), np.sin(slope)
    along, across = BAR * SIDE**2 / 6, BAR * (ARM**2 + SIDE**2) / 12
    inertia = across + BAR * ARM**2 / 4 + BALL * ARM**2
    spin = MOMENTUM / about_shaft(slope)
    change = 2 * (2 * (along - across) * s * c - BAR * (OFFSET + ARM / 2 * c) * ARM * s - 2 * BALL * (OFFSET + ARM * c) * ARM * s)
    dx, dz = ARM / 2 * c, 1.0 - ARM / 2 * s - z
    length = np.hypot(dx, dz)
    by_slope, by_z = (-dx * ARM / 2 * s - dz * ARM / 2 * c) / length, -dz / length
    tension = STIFFNESS * (length - REST) + DAMPING * (by_slope * rate + by_z * zdot)
    weight = (BAR * ARM / 2 + BALL * ARM) * GRAVITY * c  # of a rod and its ball: they sink as the slope grows
    down = -GRAVITY - 2 * tension * by_z / SLIDER
    return np.array([zdot, rate, down, (0.25 * change * spin**2 + weight - tension * by_slope) / inertia, spin])


def motion(times: np.ndarray, method: str = "LSODA", tolerance: float = 1e-11) -> np.ndarray:
    """States (times, 5) from the start of the statement."""
    start = [0.5, SLOPE, 0.0, 0.0, 0.0]
    found = solve_ivp(reduced, (0.0, times[-1]), start, method=method, t_eval=times, rtol=tolerance, atol=0.1 * tolerance)
    return np.asarray(found.y.T)
