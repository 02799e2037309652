"""Mechanisms with springs between their bodies: Andrews' squeezing mechanism and the flyball governor, at compiled speed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.zoo.robots import andrews

pytestmark = pytest.mark.slow


def test_andrews() -> None:
    """All seven angles after 0.03 s, in which the crank turns 2.5 times, against ten digits of the test set."""
    result = ld.zoo.andrews().run(progress=False)
    found = [float(result.joint_position.sel(joint=name)[-1]) for name in andrews.NAMES]
    # Steps of 2 and 1 us give the same 1.43e-9 (measured): what is left is the reference, which its authors trust to 10 digits.
    np.testing.assert_allclose(found, andrews.SOLUTION, rtol=0.0, atol=3e-9)


# Flyball governor, IFToMM benchmark A05; rods are square bars. The numbers are written once more: these equations stand alone.
GRAVITY, STIFFNESS, DAMPING, REST, ARM, SIDE, BAR, BALL, SLIDER = 9.81, 8e5, 4e4, 0.5, 1.0, 0.01, 0.3, 5.0, 3.0
SPIN, SLOPE, OFFSET, CUBE = 2.0 * np.pi, np.radians(30.0), 0.05, 0.1


def reduced(t: float, y: np.ndarray) -> np.ndarray:
    """Lagrange's equations of slider height z, slope of both rods and shaft angle, whose momentum is constant."""
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


def about_shaft(slope: float) -> float:
    """Moment of inertia of all about the shaft, kg m^2."""
    c, s = np.cos(slope), np.sin(slope)
    along, across = BAR * SIDE**2 / 6, BAR * (ARM**2 + SIDE**2) / 12
    rod = along * s**2 + across * c**2 + BAR * (OFFSET + ARM / 2 * c) ** 2 + BALL * (OFFSET + ARM * c) ** 2
    return float(2 * rod + SLIDER * CUBE**2 / 6)


MOMENTUM = about_shaft(SLOPE) * SPIN


def test_governor() -> None:
    """1 s of the stiff governor by Radau's method against the reduced equations; bounds: its tolerance over 1 s of motion."""
    result = ld.zoo.governor().changed(t_end=1.0, checks=()).run(progress=False)
    y = solve_ivp(reduced, (0, 1), [0.5, SLOPE, 0, 0, 0], method="LSODA", rtol=1e-11, atol=1e-12).y[:, -1]
    at = {name: float(result.joint_position.sel(joint=name)[-1]) for name in ("slider", "right", "left", "shaft")}
    assert at["slider"] == pytest.approx(y[0] - 0.5, abs=1e-7)
    assert at["right"] == pytest.approx(y[1], abs=1e-7)
    assert at["left"] == pytest.approx(y[1], abs=1e-7)
    assert at["shaft"] == pytest.approx(y[4], abs=1e-6)
