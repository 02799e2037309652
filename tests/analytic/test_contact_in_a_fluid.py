"""Hard contact and wheels in an ideal fluid, by Moreau's time stepping: impacts, friction, rolling and rods feel the added mass.

Closed forms. The fluid takes part in what accelerates and in what is struck, not in the weight.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import RodFluid

pytestmark = pytest.mark.slow

MASS, MOMENT = 3.0, 0.05
ALONG, ACROSS, ABOUT = 1.0, 4.0, 0.02  # added masses and moment: the hull is slender
M = np.array([MASS + ALONG, MASS + ACROSS, MOMENT + ABOUT])


def hull(name: str = "hull", **place: object) -> tuple[ld.Robot, ld.robot.BodyHandle]:
    robot = ld.Robot(name)
    body = robot.base("hull", moves="planar", mass=MASS, inertia=ld.about_centre(xx=1.0, yy=1.0, zz=MOMENT), **place)
    return robot, body.fluid((ALONG, ACROSS, 0.0), (0.0, 0.0, ABOUT))


def test_a_hull_hits_a_wall() -> None:
    """It comes along its axis, without a moment of the fluid; the wall at 0.3 rad gives its nose P = -(1 + e) u / (j M^-1 j^T).

    Afterwards Kirchhoff's equations in the plane. The impact is placed within a step, h of accelerations a: an error of h a, and
    what grows of it in the 0.05 s that follow.
    """
    nose, e, speed, angle, wall = 0.4, 0.6, 1.5, 0.3, 1.0
    robot, body = hull()
    body.collides(vertices=[(nose, 0.0, 0.0)], restitution=e)
    row = np.array([-math.cos(angle), math.sin(angle), nose * math.sin(angle)])
    impulse = (1.0 + e) * speed * math.cos(angle) / (row @ (row / M))
    after = np.array([speed, 0.0, 0.0]) + impulse * row / M
    hit = (wall / math.cos(angle) - nose) / speed

    def rate(t: float, v: np.ndarray) -> np.ndarray:
        return np.array([M[1] * v[1] * v[2], -M[0] * v[0] * v[2], (M[0] - M[1]) * v[0] * v[1]]) / M

    step, end = 1e-4, hit + 0.05
    start = ld.Start({"hull": (0.0, 0.0, angle)}, {"hull.vx": speed})
    scenario = ld.Scenario(
        "wall", robot, obstacles=[ld.Ground(at=(wall, 0.0, 0.0), normal=(-1.0, 0.0, 0.0))], start=start, gravity=(0.0, 0.0, 0.0),
        t_end=end, dt=step, integrator="moreau",
    )  # fmt: skip
    found = scenario.run(progress=False)
    exact = solve_ivp(rate, (hit, end), after, rtol=1e-11, atol=1e-12).y
    largest = max(np.abs(rate(0.0, v)).max() for v in exact.T)
    assert largest > 1.0  # the fluid turns it
    np.testing.assert_allclose(found.v[-1], exact[:, -1], atol=2.0 * step * largest)


def test_a_wet_block_slides_to_rest() -> None:
    """(m + m_x) v' = -mu m g: it stops after v0 (m + m_x) / (mu m g), within a step, and rests."""
    speed, mu = 1.0, 0.3
    robot, body = hull(turned=("x", 0.5 * math.pi))
    body.collides(vertices=[(-0.3, 0.0, 0.0), (0.3, 0.0, 0.0)], friction=mu)
    brake = mu * MASS * 9.81 / M[0]
    scenario = ld.Scenario(
        "block", robot, obstacles=[ld.Ground()], start=ld.Start({}, {"hull.vx": speed}), t_end=0.6, dt=1e-3, integrator="moreau"
    )
    run = scenario.run(progress=False)
    times, along = run.time.values, run.v[:, 0]
    stop = speed / brake
    assert 0.3 < stop < 0.55
    np.testing.assert_allclose(along[times < stop], speed - brake * times[times < stop], atol=1e-9)
    assert np.abs(along[times > stop + 1e-3]).max() < 1e-10
    assert run.position.values[-1, 0] == pytest.approx(0.5 * speed * stop, abs=speed * 1e-3)
    np.testing.assert_allclose(run.contact_force.values[times > 2e-3, :, 2].sum(axis=1), MASS * 9.81, rtol=1e-9)


def test_a_wet_skate_on_a_slope() -> None:
    """As in the air (Neimark and Fufaev 1972, III.1), with the acceleration c m / (m + m_x) along the slope. Order 2."""
    c, w = 2.0, 1.5
    robot, body = hull()
    body.skate("edge", along="x")
    problem = Problem(robot.model(gravity=(c, 0.0, 0.0)))
    errors = []
    for step in (0.02, 0.01):
        run = solve(problem, np.zeros(3), np.array([0.0, 0.0, w]), t_end=10.0, step=step, method="moreau")
        t = run.times
        exact = np.column_stack([np.sin(w * t) ** 2, w * t - 0.5 * np.sin(2.0 * w * t)]) * c * MASS / M[0] / (2.0 * w**2)
        errors.append(np.abs(run.q[:, :2] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)
    assert errors[1] < 1e-2  # of a way of 5 m


def test_a_wet_rod_falls_flat() -> None:
    """It falls with g rho / (rho + rho_f) and, without a rebound, rests from the landing on: energy (m + m_f) v^2 / 2 is lost."""
    radius, length, height, rho, rho_f = 0.02, 0.5, 0.1, 1200.0, 500.0
    robot = ld.Robot("rod")
    rod = robot.base("end", moves="free").rod(
        "rod", length=length, section=ld.Circle(radius), material=ld.Material(young=1e6, density=rho), bending=(1, 1), nodes=6,
        fluid=RodFluid(rho_f),
    )  # fmt: skip
    rod.collides()
    fall = 9.81 * rho / (rho + rho_f)
    landing = math.sqrt(2.0 * height / fall)
    start = ld.Start({"end": (0.0, 0.0, radius + height, 0.0, 0.0, 0.0)})
    scenario = ld.Scenario("rod", robot, obstacles=[ld.Ground()], start=start, t_end=0.25, dt=1e-3, integrator="moreau")
    run = scenario.run(progress=False)
    times, high = run.time.values, run.position.values[:, 2] - radius
    flying, area = times < landing - 1e-3, math.pi * radius**2
    assert landing < 0.22
    np.testing.assert_allclose(high[flying], height - 0.5 * fall * times[flying] ** 2, atol=1e-9)
    energy = 0.5 * (rho + rho_f) * area * length * (fall * times[flying]) ** 2
    np.testing.assert_allclose(run.kinetic_energy.values[flying], energy, atol=1e-9 * energy[-1])
    assert run.kinetic_energy.values[times > landing + 2e-3].max() < 1e-9 * energy[-1]
