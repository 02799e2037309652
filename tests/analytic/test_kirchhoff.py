"""Ellipsoids in an unbounded ideal fluid: added masses against integrals and limits, tumbling against Kirchhoff's equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import locodyn as ld
from locodyn.robot.fluid import ellipse_added_mass, ellipsoid_added_mass
from locodyn.world import Buoyancy, Water

AXES = (0.5, 0.3, 0.2)
RHO = 1000.0


def test_added_mass_by_quadrature() -> None:
    """Lamb's integrals (art. 114, 115), done numerically."""
    a, b, c = AXES
    fluid = 4 / 3 * math.pi * a * b * c * RHO

    def share(s: float) -> float:
        root = lambda l: math.sqrt((a * a + l) * (b * b + l) * (c * c + l))  # noqa: E731, E741
        return a * b * c * quad(lambda l: 1 / ((s * s + l) * root(l)), 0, math.inf, epsabs=1e-13, epsrel=1e-13)[0]  # noqa: E741

    alpha, beta, gamma = share(a), share(b), share(c)
    mass, inertia = ellipsoid_added_mass(AXES, RHO)
    assert abs(alpha + beta + gamma - 2.0) < 1e-10
    np.testing.assert_allclose(mass, [fluid * x / (2 - x) for x in (alpha, beta, gamma)], rtol=1e-9)
    about_x = fluid / 5 * (b * b - c * c) ** 2 * (gamma - beta) / (2 * (b * b - c * c) + (b * b + c * c) * (beta - gamma))
    assert abs(inertia[0] - about_x) < 1e-9 * fluid


def test_limits() -> None:
    """A ball moves half of its fluid along; a long one the fluid of its sections (Lamb, art. 71); a thin disc 8/3 rho a^3."""
    mass, inertia = ellipsoid_added_mass((0.1, 0.1, 0.1), RHO)
    np.testing.assert_allclose(mass, 0.5 * 4 / 3 * math.pi * 1e-3 * RHO, rtol=1e-14)
    assert inertia == (0.0, 0.0, 0.0)
    slender, _ = ellipsoid_added_mass((1e5, 0.3, 0.2), RHO)
    section, _ = ellipse_added_mass(0.3, 0.2, RHO, depth=4 / 3 * 1e5)  # the mean of the sections b c (1 - x^2) is 2/3
    np.testing.assert_allclose(slender[1:], [section[0], section[1]], rtol=1e-9)
    disc, _ = ellipsoid_added_mass((0.4, 0.4, 1e-8), RHO)
    assert abs(disc[2] - 8 / 3 * RHO * 0.4**3) < 1e-6 * disc[2]


def test_tumbling_ellipsoid() -> None:
    """Neutrally buoyant, thrown and spun: P' = P x w, L' = L x w + P x v with P = (m + A) v, L = (J + B) w (Kirchhoff 1869)."""
    volume = 4 / 3 * math.pi * math.prod(AXES)
    mass, inertia = (np.array(x) for x in ellipsoid_added_mass(AXES, RHO))
    square = np.array(AXES) ** 2
    m = RHO * volume + mass
    j = RHO * volume / 5 * (square.sum() - square) + inertia

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        v, w = y[:3] / m, y[3:6] / j
        quaternion = y[6:10]
        turned = 0.5 * np.array([-quaternion[1:] @ w, *(quaternion[0] * w + np.cross(quaternion[1:], w))])
        s, u = quaternion[0], quaternion[1:]
        velocity = v + 2 * np.cross(u, np.cross(u, v) + s * v)
        return np.concatenate([np.cross(y[:3], w), np.cross(y[3:6], w) + np.cross(y[:3], v), turned, velocity])

    v0, w0 = np.array([0.5, 0.3, -0.2]), np.array([1.0, 2.0, 0.5])
    start = np.concatenate([m * v0, j * w0, [1, 0, 0, 0], [0, 0, 0]])
    reference = solve_ivp(rate, (0, 2), start, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]

    robot = ld.Robot("ellipsoid")
    body = robot.base("body", moves="free", density=RHO, shape=ld.Ellipsoid(AXES)).fluid(ellipsoid=AXES, density=RHO)
    robot.wrench("water", on=body, law=Buoyancy(water=Water(RHO, 10.0)))
    names = ("vx", "vy", "vz", "wx", "wy", "wz")
    speeds = {f"body.{name}": value for name, value in zip(names, [*v0, *w0], strict=True)}
    run = ld.simulate(robot, start=ld.Start({}, speeds), t_end=2.0, dt=0.001, integrator="rkmk4", progress=False)
    # weight and buoyancy cancel to round-off; order 4 at 1 ms errs by (w dt)^4 = 1e-11 a second at most
    assert np.abs(run.position.values[-1] - reference[10:]).max() < 1e-10
    assert np.abs(run.twist.values[-1] - np.concatenate([reference[:3] / m, reference[3:6] / j])).max() < 1e-10
    energy = (run.kinetic_energy + run.potential_energy).values
    assert np.abs(energy - energy[0]).max() < 1e-10 * run.kinetic_energy.values[0]


def test_munk_moment_turns_a_body_across() -> None:
    """A long body in steady motion along its axis is unstable: a small angle e grows as cosh(k t), k^2 = (A_y - A_x) ... > 0."""
    mass, _ = ellipsoid_added_mass(AXES, RHO)
    robot = ld.Robot("ellipsoid")
    robot.base("body", moves="planar", density=RHO, shape=ld.Ellipsoid(AXES)).fluid(ellipsoid=AXES, density=RHO)
    scenario = ld.Scenario("ellipsoid", robot, start=ld.Start({}, {"body.vx": 1.0, "body.vy": 0.01}), gravity=(0, 0, 0))
    q, v = scenario.initial_state()
    a = scenario.problem.accelerations(0.0, q.copy(), v.copy())
    volume = 4 / 3 * math.pi * math.prod(AXES)
    _, inertia = ellipsoid_added_mass(AXES, RHO)
    about = RHO * volume / 5 * (AXES[0] ** 2 + AXES[1] ** 2) + inertia[2]
    # Munk 1924: N = (A_x - A_y) u v
    assert a[2] == pytest.approx((mass[0] - mass[1]) * 1.0 * 0.01 / about, rel=1e-12)
