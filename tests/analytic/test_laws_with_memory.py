"""Laws with memory against closed forms: lags, LuGre friction before and in sliding, a pad that spins, stick-slip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locodyn as ld
from locodyn.integrate import METHODS, Feature, Past, solve
from locodyn.locomotion.memories import ControllerWithMemory

pytestmark = pytest.mark.slow

NONE = (0.0, 0.0, 0.0)
# Friction of the stick-slip experiment (Canudas de Wit, Olsson, Astrom and Lischinsky 1995, table I).
STIFF = {"coulomb": 1.0, "stiffness": 1e5, "static": 1.5, "speed": 1e-3, "damping": np.sqrt(1e5), "viscous": 0.4}


def slider(**actuator: Any) -> ld.Robot:
    robot = ld.Robot("slider")
    robot.body("mass", mass=2.0).on(robot.base("ground", moves="fixed")).sliding("x").actuator(**actuator)
    return robot


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if Feature.LAGS in method.takes and method.inertia])
def test_an_actuator_that_lags(name: str) -> None:
    """T zdot = u - z with u = sin w t: z = (sin w t - w T (cos w t - e^(-t/T))) / (1 + (w T)^2), m vdot = z.

    Errors of order p in the step h: a generous 5 (h w)^p, and (h / T)^p; the step of Moreau holds torques, so that p is 1 there.
    """
    w, lag, end, step = 3.0, 0.2, 1.0, 0.004
    scenario = ld.Scenario("lag", slider(time_constant=lag), torque={"mass": ld.sine(1.0, omega=w)}, gravity=NONE)
    q, v = scenario.initial_state()
    solution = solve(scenario.problem, q, v, t_end=end, step=step, method=name)
    t = solution.times
    share = 1.0 / (1.0 + (w * lag) ** 2)
    z = share * (np.sin(w * t) - w * lag * (np.cos(w * t) - np.exp(-t / lag)))
    speed = share * ((1.0 - np.cos(w * t)) / w - w * lag * (np.sin(w * t) / w + lag * (np.exp(-t / lag) - 1.0))) / 2.0
    bound = 5.0 * (step / lag) ** (1 if name == "moreau" else min(METHODS[name].order, 4)) + 1e-8
    assert solution.memory is not None
    assert np.abs(solution.memory[:, 0] - z).max() < bound
    assert np.abs(solution.v[:, 0] - speed).max() < bound


def friction(result: ld.Result) -> np.ndarray:
    """Force that an imposed motion needs against friction, N."""
    return np.asarray(result.joint_torque.values[:, 0])


def test_presliding() -> None:
    """Bristles that bend so slowly that g = F_S: dz/dx = 1 - s0 z / F_S, and F = s0 z = F_S (1 - exp(-s0 x / F_S)).

    The speed is 1e-3 of that of Stribeck's curve: g differs from F_S by 1e-6 of it.
    """
    law = ld.LuGre(1.0, 1e4, static=1.5, speed=1.0)
    motion = ld.polynomial(0.0, 1e-3)
    result = ld.simulate(slider(bristles=law), imposed={"mass": motion}, t_end=0.6, dt=1e-3, integrator="rkmk4", progress=False)
    x = 1e-3 * result.time.values
    np.testing.assert_allclose(friction(result), 1.5 * (1.0 - np.exp(-1e4 * x / 1.5)), atol=3e-6)
    assert list(result.dataset.state.values) == ["mass.bristles"]
    assert result.memory.attrs["units"] == "m"
    np.testing.assert_allclose(1e4 * result.memory.values[:, 0], friction(result), atol=1e-9)
    # The work of the motion is in the bristles or lost.
    stored = 0.5 * 1e4 * result.memory.values[-1, 0] ** 2
    assert result.potential_energy.values[-1] - result.potential_energy.values[0] == pytest.approx(stored, rel=1e-12)


@pytest.mark.parametrize("integrator", ["rkmk4", "radau3"])
def test_sliding_at_a_constant_speed(integrator: str) -> None:
    """z = g / s0 (1 - exp(-s0 v t / g)) and F = s0 z + s1 (v - s0 v z / g) + s2 v, with Stribeck's g; in the end g + s2 v."""
    law = ld.LuGre(1.0, 2000.0, static=1.6, speed=0.1, damping=20.0, viscous=0.5)
    for v in (0.02, 0.1, 0.5):
        given: dict[str, Any] = {"imposed": {"mass": ld.ramp(v)}, "t_end": 0.1, "dt": 2e-5, "record_every": 50}
        result = ld.simulate(slider(bristles=law), integrator=integrator, progress=False, **given)
        g = 1.0 + 0.6 * np.exp(-((v / 0.1) ** 2))
        z = g / 2000.0 * (1.0 - np.exp(-2000.0 * v * result.time.values / g))
        force = 2000.0 * z + 20.0 * (v - 2000.0 * v * z / g) + 0.5 * v
        np.testing.assert_allclose(friction(result), force, atol=1e-9)
        if 2000.0 * v * 0.1 / g > 15.0:  # relaxed to 1e-6
            assert friction(result)[-1] == pytest.approx(g + 0.5 * v, rel=1e-6)


def test_a_pad_slides_against_its_velocity_and_bristles_stay_when_it_spins() -> None:
    """The force of a pad has the size of Stribeck's curve and the direction -v; spin on the spot turns nothing in the world."""
    robot = ld.Robot("pad")
    rail = robot.body("rail", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    post = robot.body("post", mass=1.0).on(rail).sliding("y")
    pad = robot.body("pad", mass=1.0, inertia=ld.about_centre(zz=0.1)).on(post).turning("z")
    robot.wrench("rub", on=pad, law=ld.LuGre(1.0, 2000.0, static=1.6, speed=0.1, viscous=0.5))
    v = np.array([0.3, -0.4])
    motion = {"rail": ld.ramp(v[0]), "post": ld.ramp(v[1]), "pad": ld.ramp(0.7)}
    result = ld.simulate(robot, imposed=motion, gravity=NONE, t_end=0.1, dt=1e-4, integrator="rkmk4", progress=False)
    g = 1.0 + 0.6 * np.exp(-25.0) + 0.25
    np.testing.assert_allclose(result.joint_torque.values[-1, :2], g * v / 0.5, rtol=1e-6)
    still = {"rail": 0.0, "post": 0.0, "pad": ld.ramp(5.0)}
    start = ld.Start(memory={"rub.x": 3e-4, "rub.y": -1e-4})
    given: dict[str, Any] = {"imposed": still, "gravity": NONE, "start": start, "t_end": 1.0, "dt": 1e-3}
    result = ld.simulate(robot, integrator="rkmk4", progress=False, **given)
    turn = 5.0 * result.time.values
    z = np.array([3e-4, -1e-4])
    x, y = np.cos(turn) * z[0] + np.sin(turn) * z[1], -np.sin(turn) * z[0] + np.cos(turn) * z[1]
    np.testing.assert_allclose(result.memory.values, np.column_stack([x, y]), atol=1e-12)
    np.testing.assert_allclose(result.joint_torque.values[:, :2], np.tile(2000.0 * z, (len(turn), 1)), atol=1e-8)


def stick_slip() -> ld.Robot:
    """A mass of 1 kg, pulled by a spring of 2 N/m."""
    robot = ld.Robot("stick-slip")
    hand = robot.body("hand", mass=1.0).on(robot.base("ground", moves="fixed")).sliding("x")
    robot.body("mass", mass=1.0).on(hand).sliding("x").actuator(stiffness=2.0)
    robot.wrench("pad", on="mass", law=ld.LuGre(**STIFF))
    return robot


def test_stick_slip() -> None:
    """Pulled at 0.1 m/s, against SciPy's Radau on the equations of Canudas de Wit et al. (1995); through the first slip.

    Sticking bristles swing with 316 rad/s, 1.6 rad in a step of 5 ms.
    """

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, z = y
        g = 1.0 + 0.5 * np.exp(-((v / 1e-3) ** 2))
        bent = v - 1e5 * abs(v) / g * z
        return [v, 2.0 * (0.1 * t - x) - (1e5 * z + np.sqrt(1e5) * bent + 0.4 * v), bent]

    end, times = 12.0, np.arange(0.0, 12.01, 0.5)
    exact = solve_ivp(rates, (0.0, end), [0.0, 0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-12, t_eval=times).y
    motion: dict[str, Any] = {"imposed": {"hand": ld.ramp(0.1)}, "start": ld.Start(velocities={"mass": -0.1}), "gravity": NONE}
    found = ld.simulate(
        stick_slip(), t_end=end, dt=0.005, record_every=100, integrator="radau_adaptive", tolerance=1e-8, progress=False, **motion
    )
    position = found.joint_position.values.sum(axis=1)
    assert exact[0, -1] > 0.5  # it has slipped
    np.testing.assert_allclose(position, exact[0], atol=2e-5)
    np.testing.assert_allclose(found.memory.sel(state="pad.x").values, exact[2], atol=2e-8)


def test_stiff_bristles_take_long_steps() -> None:
    """While they slip, bristles fall back at s0 v / g = 1e5 1/s: a thousand times in a step, which Newton's method solves."""
    law = ld.LuGre(**STIFF)
    robot = slider(bristles=law)
    scenario = ld.Scenario("slide", robot, torque={"mass": 3.0}, gravity=NONE, start=ld.Start(velocities={"mass": 1.0}))
    q, v = scenario.initial_state()
    bent = {"mass.bristles": 1e-5}  # F_C / s0, as in sliding
    solution = solve(scenario.problem, q, v, t_end=1.0, step=0.01, method="radau3", past=Past(bent))
    assert solution.status == "completed"
    # m vdot = 3 - 1 - 0.4 v: v = 5 - 4 exp(-0.2 t); the bristles follow with 1e-5 of it.
    np.testing.assert_allclose(solution.v[:, 0], 5.0 - 4.0 * np.exp(-0.2 * solution.times), atol=1e-4)
    assert solution.iterations.sum() < 500  # 5 corrections for each of 100 steps


@pytest.mark.parametrize("method", ["rkmk4", "radau3", "adaptive"])
def test_a_controller_with_an_integral(method: str) -> None:
    """PID on a mass: m x''' = -kd x'' - kp x' - ki x; its roots are -1, -2, -3 for m = 2, kd = 12, kp = 22, ki = 12."""

    def pid(t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -12.0 * v - 22.0 * q - 12.0 * z, q

    controller = ControllerWithMemory(pid, {"integral": "m s"})
    given: dict[str, Any] = {"controller": controller, "gravity": NONE, "start": {"mass": 1.0}, "t_end": 1.0, "dt": 0.01}
    result = ld.simulate(slider(), integrator=method, progress=False, **given)
    t = result.time.values
    # x = a e^-t + b e^-2t + c e^-3t, with x = 1, x' = 0, m x'' = -22 at the start.
    roots = np.array([-1.0, -2.0, -3.0])
    factors = np.linalg.solve(np.vander(roots, increasing=True).T, [1.0, 0.0, -11.0])
    np.testing.assert_allclose(result.joint_position.values[:, 0], np.exp(np.outer(t, roots)) @ factors, atol=2e-6)
    integral = np.expm1(np.outer(t, roots)) @ (factors / roots)
    np.testing.assert_allclose(result.memory.sel(state="controller.integral").values, integral, atol=2e-6)
