"""Springs, cables and torsion springs between bodies against closed forms and the equations of motion written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld


def pair(**words: Any) -> ld.Robot:
    """Two masses of 2 and 3 kg on a line, with a spring between them."""
    robot = ld.Robot("pair")
    ground = robot.base("ground", moves="fixed")
    one = robot.body("one", mass=2.0).on(ground).sliding("x")
    two = robot.body("two", mass=3.0).on(ground).sliding("x")
    return robot.spring("spring", one, two, rest_length=1.0, **words)


def test_two_masses() -> None:
    """The distance swings as e^(-d t) cos(w t), d = c / 2m, w^2 = k / m - d^2, with 1 / m = 1 / m1 + 1 / m2; rkmk4 at 1 ms."""
    m, k, c = 6.0 / 5.0, 60.0, 1.2
    d = c / (2.0 * m)
    w = np.sqrt(k / m - d * d)
    result = ld.Scenario(
        "pair", pair(stiffness=k, damping=c), start={"two": 1.3}, gravity=(0, 0, 0), integrator="rkmk4", dt=1e-3, t_end=2.0
    ).run()
    t = result.time.values
    e = 0.3 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    np.testing.assert_allclose(result.tie_length.values[:, 0], 1.0 + e, atol=1e-10)
    edot = -0.3 * (w + d * d / w) * np.exp(-d * t) * np.sin(w * t)
    np.testing.assert_allclose(result.tie_tension.values[:, 0], k * e + c * edot, atol=1e-8)
    assert result.tie_tension.attrs["units"] == "N"
    np.testing.assert_allclose(
        2.0 * result.joint_velocity.values[:, 0] + 3.0 * result.joint_velocity.values[:, 1], 0.0, atol=1e-12
    )


def test_rope_goes_slack() -> None:
    """A rope that only pulls brings two masses together: after half a swing they pass each other freely, with all the energy."""
    robot = pair(stiffness=60.0, pulls_only=True)
    result = ld.Scenario(
        "pair", robot, start={"two": 1.3}, gravity=(0, 0, 0), integrator="adaptive", tolerance=1e-11, t_end=0.6
    ).run()
    m, k = 6.0 / 5.0, 60.0
    w = np.sqrt(k / m)
    t = result.time.values
    taut = t < np.pi / (2.0 * w)
    free = 1.0 - 0.3 * w * (t - np.pi / (2.0 * w))
    np.testing.assert_allclose(result.tie_length.values[:, 0], np.where(taut, 1.0 + 0.3 * np.cos(w * t), np.abs(free)), atol=1e-8)
    assert (result.tie_tension.values[t > 0.25, 0] == 0.0).all()
    energy = result.kinetic_energy.values + result.potential_energy.values
    np.testing.assert_allclose(energy, 0.5 * k * 0.3**2, rtol=1e-9)


@pytest.mark.parametrize(
    ("law", "energy"),
    [
        ({"stiffness": 20.0, "tension": 1.0}, 0.5 * 0.15 * 3.0),  # slack from 0.05 m below its rest length
        ({"curve": [(0.0, 1.0), (0.1, 3.0)]}, 0.5 * 0.15 * 3.0),  # the same, on the straight line before the first pair
        ({"curve": [(0.02, 0.0), (0.1, 5.0)]}, 0.5 * 0.08 * 5.0),  # slack up to the first pair
        ({"curve": [(0.0, 0.0), (0.04, 0.0), (0.1, 2.0), (0.2, 3.0)]}, None),
    ],
)
def test_a_slack_rope_stores_nothing(law: dict[str, Any], energy: float | None) -> None:
    """Stored energy is the work down to where the rope goes slack, wherever that is, and none is left there."""
    result = ld.Scenario(
        "pair", pair(**law, pulls_only=True), start={"two": 1.1}, gravity=(0, 0, 0), integrator="adaptive", tolerance=1e-11,
        t_end=0.6,
    ).run()  # fmt: skip
    stored, kinetic = result.potential_energy.values, result.kinetic_energy.values
    slack = result.tie_tension.values[:, 0] == 0.0
    assert slack.any() and not slack[0] and (stored[slack] == 0.0).all()
    np.testing.assert_allclose(stored + kinetic, stored[0], rtol=1e-8)
    assert energy is None or stored[0] == pytest.approx(energy, rel=1e-12)


def test_elastic_pendulum() -> None:
    """A mass on a damped spring swings in space as SciPy says; the energy account closes with trapezoids of 1 ms."""
    robot = ld.Robot("elastic pendulum")
    bob = robot.base("bob", moves="translating", mass=1.3)
    robot.spring("string", ("world", (0, 0, 0)), bob, stiffness=40.0, damping=0.5, rest_length=1.0)

    def motion(t: float, y: np.ndarray) -> np.ndarray:
        x, v = y[:3], y[3:]
        u = x / np.linalg.norm(x)
        pull = 40.0 * (np.linalg.norm(x) - 1.0) + 0.5 * np.dot(u, v)
        return np.concatenate([v, np.array([0.0, 0.0, -9.81]) - pull / 1.3 * u])

    start = np.array([0.8, 0.1, -0.9, 0.3, -0.5, 0.2])
    end = solve_ivp(motion, (0.0, 2.0), start, rtol=1e-12, atol=1e-12).y[:3, -1]
    words: dict[str, Any] = {"start": (start[:3], start[3:]), "t_end": 2.0, "dt": 1e-3}
    result = ld.Scenario("pendulum", robot, integrator="rkmk4", **words).run()
    np.testing.assert_allclose(result.position.values[-1], end, atol=1e-10)
    energy = result.kinetic_energy.values + result.potential_energy.values
    lost = np.trapezoid(result.power_dissipated.values, result.time.values)
    assert energy[-1] - energy[0] == pytest.approx(-lost, abs=1e-6)


def test_pulley_and_winch() -> None:
    """Two weights on a rope over two pulleys (Atwood): a = g (m2 - m1) / (m1 + m2) at a constant length; hauled in by a winch.

    The rope of 1e5 N/m is hauled in with 0.1 m/s, so the lengths of both sides shrink together by it.
    """
    robot = ld.Robot("atwood")
    ground = robot.base("ground", moves="fixed")
    one = robot.body("one", mass=1.0).on(ground, at=(-1, 0, -2)).sliding("z")
    two = robot.body("two", mass=1.5).on(ground, at=(1, 0, -2)).sliding("z")
    top = (ground, (-1, 0, 0)), (ground, (1, 0, 0))
    robot.cable("rope", [one, *top, two], stiffness=1e5, damping=100.0)
    stretch = 2.0 * 1.0 * 1.5 / 2.5 * 9.81 / 1e5  # T = 2 g m1 m2 / (m1 + m2)
    laws = {"rope": ld.polynomial(6.0 - stretch, -0.1)}
    # both sides begin with half of the speed of the winch, so that the rope does not swing
    start = ld.Start(velocities={"one": 0.05, "two": 0.05})
    result = ld.Scenario(
        "atwood", robot, tendon_length=laws, start=start, integrator="rkmk4", dt=1e-4, t_end=0.5, record_every=100
    ).run()
    fall = 9.81 * 0.5 / 2.5
    t = result.time.values
    up, down = 0.05 * t + 0.5 * fall * t**2, 0.05 * t - 0.5 * fall * t**2
    np.testing.assert_allclose(result.joint_position.values, np.column_stack([up, down]), atol=1e-10)
    np.testing.assert_allclose(result.tie_tension.values[:, 0], 2.0 * 1.5 / 2.5 * 9.81, rtol=1e-9)
    gained = result.kinetic_energy.values + result.potential_energy.values
    power = result.power_external.values
    np.testing.assert_allclose(power, 0.1 * 2.0 * 1.5 / 2.5 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(gained - gained[0], power[0] * t, atol=1e-8)


def test_torsion_spring_of_a_lever_on_a_lever() -> None:
    """A torsion spring between the ground and the second of two arms turns both joints by one moment: -k (q1 + q2 - rest)."""
    robot = ld.Robot("levers")
    ground = robot.base("ground", moves="fixed")
    inertia = ld.about_centre(xx=0.1, yy=0.1, zz=0.1)
    first = robot.body("first", mass=1.0, centre=(0.5, 0, 0), inertia=inertia).on(ground).turning("z")
    second = robot.body("second", mass=1.0, centre=(0.5, 0, 0), inertia=inertia).on(first, at=(1, 0, 0)).turning("z")
    robot.torsion_spring("coil", ground, second, "z", stiffness=5.0, rest_angle=0.2, damping=0.3)
    problem = ld.Scenario("levers", robot, gravity=(0, 0, 0)).problem
    q, v = np.array([0.4, 0.7]), np.array([0.5, -1.1])
    found = problem.model.inverse_dynamics(q, v, problem.accelerations(0.0, q, v))
    np.testing.assert_allclose(found, -(5.0 * (1.1 - 0.2) + 0.3 * (0.5 - 1.1)) * np.ones(2), rtol=1e-12)


@pytest.mark.slow
def test_statics_and_modes() -> None:
    """A mass between two springs along x rests in the middle; it swings with (k1 + k2) / m along and T / L across."""
    robot = ld.Robot("string")
    bead = robot.base("bead", moves="translating", mass=0.5)
    for name, x in (("left", -1.0), ("right", 1.0)):
        robot.spring(name, ("world", (x, 0, 0)), bead, stiffness=30.0, rest_length=0.6)
    rest = ld.statics(robot, gravity=(0, 0, 0), start=([0.1, 0.2, -0.1], [0, 0, 0]))
    np.testing.assert_allclose(rest.q, 0.0, atol=1e-9)
    system = ld.linearise(ld.Scenario("string", robot, gravity=(0, 0, 0)))
    frequencies = np.sort(np.abs(np.imag(system.eigenvalues)))[::2]
    across = np.sqrt(2.0 * 30.0 * 0.4 / 1.0 / 0.5)
    np.testing.assert_allclose(frequencies, [across, across, np.sqrt(60.0 / 0.5)], rtol=1e-8)
