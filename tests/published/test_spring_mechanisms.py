"""Mechanisms with springs between their bodies: Andrews' squeezing mechanism and the flyball governor, at compiled speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld

pytestmark = pytest.mark.slow

# Andrews' squeezing mechanism: Schiehlen, Multibody Systems Handbook (1990); numbers, start and solution of the IVP Test Set
# (Mazzia and Magherini 2008, problem 10), whose reference has 10 digits at least.
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
SOLUTION = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
    1.048080741042263,
)  # fmt: skip
NAMES = ("K1", "K2", "K3", "K4", "K5", "K6", "K7")


def andrews() -> ld.Robot:
    """Seven bodies in a plane, closed at one point P; the spring pulls K3 towards the ground; no gravity."""
    robot = ld.Robot("andrews")
    ground = robot.base("ground", moves="fixed")
    A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)

    def body(name: str, on: Any, at: Any, mass: float, centre: tuple[float, float], inertia: float) -> Any:
        # only the moment about z counts in the plane
        moments = ld.about_centre(xx=inertia, yy=inertia, zz=inertia)
        return robot.body(name, mass=mass, centre=(*centre, 0.0), inertia=moments).on(on, at=at).turning("z")

    k1 = body("K1", ground, (0, 0, 0), 0.04325, (0.00092, 0.0), 2.194e-6)
    k2 = body("K2", k1, (0.007, 0, 0), 0.00365, (-0.0115, 0.0), 4.410e-7)
    k3 = body("K3", ground, B, 0.02373, (0.01874, 0.01043), 5.255e-6)
    k5 = body("K5", ground, A, 0.07050, (0.02308, 0.00916), 1.169e-5)
    k4 = body("K4", k5, (0.04, 0, 0), 0.00706, (0.0, -(0.02 - 0.01421)), 5.667e-7)
    k7 = body("K7", ground, A, 0.05498, (0.01228, 0.00449), 1.912e-5)
    k6 = body("K6", k7, (0, -0.04, 0), 0.00706, (0.02 - 0.01421, 0.0), 5.667e-7)
    for end, at in ((k3, (0, -0.035, 0)), (k4, (0, -0.02, 0)), (k6, (0.02, 0, 0))):
        robot.loop(f"P.{end.name}", k2, end, joint="pin", axis="z", first_at=(-0.028, 0, 0), second_at=at)
    return robot.spring("spring", ("world", C), (k3, (0.02, -0.018, 0)), stiffness=4530.0, rest_length=0.07785)


def test_andrews() -> None:
    """All seven angles after 0.03 s, in which the crank turns 2.5 times.

    Steps of 2 and 1 us give the same 1.43e-9 (measured): what is left is the reference, which its authors trust to 10 digits.
    """
    words: dict[str, Any] = {"torque": {"K1": 0.033}, "gravity": (0, 0, 0), "t_end": 0.03, "record_every": 100}
    words |= {"integrator": "rkmk4", "dt": 2e-6, "start": dict(zip(NAMES, START, strict=True))}
    result = ld.Scenario("andrews", andrews(), **words).run()
    found = [float(result.joint_position.sel(joint=name)[-1]) for name in NAMES]
    np.testing.assert_allclose(found, SOLUTION, rtol=0.0, atol=3e-9)


# Flyball governor, IFToMM benchmark A05, in the words of its description; rods are square bars.
GRAVITY, STIFFNESS, DAMPING, REST, ARM, SIDE, BAR, BALL, SLIDER = 9.81, 8e5, 4e4, 0.5, 1.0, 0.01, 0.3, 5.0, 3.0
SPIN, SLOPE, OFFSET, CUBE = 2.0 * np.pi, np.radians(30.0), 0.05, 0.1


def governor() -> ld.Robot:
    """Shaft about z, slider on it, two rods with balls; springs from the slider to the middles of the rods."""
    robot = ld.Robot("governor")
    ground = robot.base("ground", moves="fixed")
    shaft = robot.body("shaft").on(ground).turning("z")
    slider = robot.body("slider", mass=SLIDER, shape=ld.Box((CUBE, CUBE, CUBE))).on(shaft, at=(0, 0, 0.5)).sliding("z")
    for name, sign in (("right", 1.0), ("left", -1.0)):
        place = {"at": (sign * OFFSET, 0, 1.0), "turned": ("z", 0.0 if sign > 0 else np.pi)}
        rod = robot.body(name, mass=BAR, shape=ld.Box((ARM, SIDE, SIDE)), centre=(ARM / 2, 0, 0)).on(shaft, **place).turning("y")
        robot.body(f"{name} ball", mass=BALL).on(rod, at=(ARM, 0, 0)).fixed()
        ends = (slider, (sign * OFFSET, 0, 0)), (rod, (ARM / 2, 0, 0))
        robot.spring(f"{name} spring", *ends, stiffness=STIFFNESS, damping=DAMPING, rest_length=REST)
    return robot


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
    robot = governor()
    start = ld.Start(positions={"right": SLOPE, "left": SLOPE}, velocities={"shaft": SPIN})
    scenario = ld.Scenario("governor", robot, start=start, integrator="radau_adaptive", tolerance=1e-9, t_end=1.0)
    result = scenario.run()
    y = solve_ivp(reduced, (0, 1), [0.5, SLOPE, 0, 0, 0], method="LSODA", rtol=1e-11, atol=1e-12).y[:, -1]
    at = {name: float(result.joint_position.sel(joint=name)[-1]) for name in ("slider", "right", "left", "shaft")}
    assert at["slider"] == pytest.approx(y[0] - 0.5, abs=1e-7)
    assert at["right"] == pytest.approx(y[1], abs=1e-7)
    assert at["left"] == pytest.approx(y[1], abs=1e-7)
    assert at["shaft"] == pytest.approx(y[4], abs=1e-6)
