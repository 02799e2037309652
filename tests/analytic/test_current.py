"""Resistance in a fluid that moves: drift, terminal velocity and the account of energy against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import locodyn as ld
from locodyn.world import Buoyancy, Water, WetDrag

STREAM = (0.8, -0.5, 0.3)


def ball(*laws: ld.world.WrenchLaw) -> ld.Robot:
    robot = ld.Robot("ball")
    body = robot.base("ball", moves="free", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.2, zz=0.3), shape=ld.Sphere(0.1))
    for n, law in enumerate(laws):
        robot.wrench(f"law_{n}", on=body, law=law)
    return robot


@pytest.mark.parametrize("integrator", ["rkmk4", pytest.param("radau3", marks=pytest.mark.slow)])
def test_linear_drift(integrator: str) -> None:
    """m v' = -c (v - u): v = u (1 - exp(-c t / m)), whichever way the axes of the body turn; what the current gives, the heat
    that it makes, and the energy of the ball are u . F, c |v - u|^2 and m |v|^2 / 2."""
    c, t_end = 3.0, 1.5
    run = ld.simulate(
        ball(ld.Drag(c, current=STREAM)), gravity=(0, 0, 0), start=ld.Start({}, {"ball": (0, 0, 0, 0.7, -0.4, 1.1)}), t_end=t_end,
        dt=0.005, integrator=integrator, progress=False,
    )  # fmt: skip
    u, times = np.array(STREAM), run.time.values
    left = np.exp(-c * times / 2.0)
    drift = u * (times - (1.0 - left) * 2.0 / c)[:, None]
    assert np.abs(run.position.values - drift).max() < (1e-9 if integrator == "rkmk4" else 1e-7)  # orders 4 and 3
    force = c * u @ u * left
    assert np.abs(run.power_external.values - force).max() < 1e-6
    assert np.abs(run.power_dissipated.values - force * left).max() < 1e-6
    linear = np.sum(run.twist.values[:, :3] ** 2, axis=1)  # m |v|^2 / 2 with m = 2 kg
    assert np.abs(linear - (u @ u) * (1 - left) ** 2).max() < 1e-6


def test_quadratic_terminal_velocity() -> None:
    """A load F against a stream u along x: at rest in the end where d u^2 = F; from rest, v - u falls to -sqrt(F / d) as
    tanh: with w = v - u, m w' = -F + d w^2 (w < 0), w = -W tanh(t W d / m + artanh(u / W)), W = sqrt(F / d)."""
    d, load, u = 4.0, 5.0, 0.6
    run = ld.simulate(
        ball(ld.Drag(quadratic=d, current=(u, 0, 0)), ld.WorldForce((-load, 0, 0))), gravity=(0, 0, 0), t_end=1.0, dt=0.002,
        integrator="rkmk4", progress=False,
    )  # fmt: skip
    limit = math.sqrt(load / d)
    w = -limit * np.tanh(run.time.values * limit * d / 2.0 + math.atanh(u / limit))
    assert np.abs(run.twist.values[:, 0] - (u + w)).max() < 1e-10


def test_half_wet_body_drifts_with_half_the_drag() -> None:
    """A ball that floats half under: m v' = -c / 2 (v - u)."""
    c = 3.0
    radius = (2.0 / (1000.0 * 2.0 / 3.0 * math.pi)) ** (1.0 / 3.0)  # half of it displaces 2 kg
    robot = ld.Robot("ball")
    body = robot.base("ball", moves="free", mass=2.0, inertia=ld.about_centre(xx=0.1, yy=0.1, zz=0.1), shape=ld.Sphere(radius))
    robot.wrench("floats", on=body, law=Buoyancy(water=Water()))
    robot.wrench("stream", on=body, law=WetDrag(ld.Drag(c, current=(0.8, -0.5, 0.0)), water=Water()))
    run = ld.simulate(robot, t_end=1.0, dt=0.005, integrator="rkmk4", progress=False)
    left = np.exp(-c / 4.0 * run.time.values)
    assert np.abs(run.twist.values[:, :2] - np.array([0.8, -0.5]) * (1.0 - left)[:, None]).max() < 1e-10
    assert np.abs(run.position.values[:, 2]).max() < 1e-12


@pytest.mark.slow
def test_rod_in_a_stream_keeps_its_account() -> None:
    """A clamped soft rod bends in a stream: energy grows by what the current gives less what it makes heat of.

    Powers are integrated by cubic splines, h^4 / 384 f'''' T < 1e-7 of the work here; in the end the rod is at rest.
    """
    robot = ld.Robot("weed")
    rod = robot.base("ground", moves="fixed").rod(
        "weed", length=0.4, section=ld.Circle(0.01), material=ld.Material(1e5, 1000.0), bending=(2, 2), nodes=6
    )
    robot.wrench("stream", on=rod, law=ld.Drag((0.5, 4.0, 4.0), (0.1, 8.0, 8.0), current=(0.2, 0.3, -0.1)), along=True)
    run = ld.simulate(robot, gravity=(0, 0, 0), t_end=2.0, dt=0.002, integrator="gauss2", progress=False)
    times, energy = run.time.values, run.total_energy().values
    power = (run.power_external - run.power_dissipated).values
    work = CubicSpline(times, power).antiderivative()(times)
    assert np.abs(energy - energy[0] - work).max() < 1e-6 * np.abs(energy).max()
    assert run.power_external.values.max() > 1e-3 and run.power_dissipated.values.min() >= 0.0
