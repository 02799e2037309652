"""Wheels and skates whose motion is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, polynomial, sine
from locodyn.robot import Robot, about_centre

GRAVITY, SLOPE = 9.81, 0.2
ALONG_SLOPE = (GRAVITY * np.sin(SLOPE), 0.0, -GRAVITY * np.cos(SLOPE))


def board(mass: float = 2.0, inertia: float = 0.1, centre: tuple = (0.0, 0.0, 0.0), name: str = "board") -> Robot:
    robot = Robot("board")
    robot.base(name, mass=mass, inertia=about_centre(zz=inertia), centre=centre, moves="planar")
    return robot


# --------------------------------------------------------------------------------------------------------- Chaplygin's sleigh
@pytest.mark.parametrize("part", ["skate", "wheel"])
def test_chaplygin_sleigh(part: str) -> None:
    """Blade at the origin, mass centre a ahead of it, J = I + m a^2: vdot = a w^2, wdot = -(m a / J) v w, so that
    v = V tanh(k t + c), w = W / cosh(k t + c), V = sqrt(2E/m), W = sqrt(2E/J), k = m a V / J.
    """
    m, a, inertia = 2.0, 0.15, 0.1
    robot = board(m, inertia, (a, 0, 0))
    robot["board"].skate(along="x") if part == "skate" else robot["board"].wheel(axis="y")
    problem = Problem(robot.model())
    v0, w0 = -0.8, 1.3
    step, count = 0.01, 800
    solution = solve(problem, np.zeros(3), [v0, 0.4, w0], t_end=step * count, step=step)  # 0.4 m/s sideways: taken away
    joint = inertia + m * a * a
    energy = 0.5 * (m * v0**2 + joint * w0**2)
    big_v, big_w = np.sqrt(2 * energy / m), np.sqrt(2 * energy / joint)
    phase = m * a * big_v / joint * solution.times + np.arctanh(v0 / big_v)
    # rkmk4 at h = 0.01: error (k h)^4 t / 120 is 1e-9; measured 2e-10.
    np.testing.assert_allclose(solution.v[:, 0], big_v * np.tanh(phase), atol=1e-8)
    np.testing.assert_allclose(solution.v[:, 2], big_w / np.cosh(phase), atol=1e-8)
    assert np.abs(solution.v[:, 1]).max() < 1e-14
    series = problem.series(solution.times, solution.q, solution.v)
    np.testing.assert_allclose(series["kinetic_energy"], energy, rtol=1e-8)
    # Force of the blade: m (wdot a + v w) across it.
    across = m * (v0 * w0 - m * a * a / joint * v0 * w0)
    assert series["multiplier"][0, 0] == pytest.approx(across, rel=1e-12)


def test_sideways_start_is_put_on_the_blade_by_the_smallest_change() -> None:
    robot = board()
    robot["board"].skate(along="x")
    _, v = Problem(robot.model()).imposed_state(0.0, np.zeros(3), np.array([0.3, 0.7, 0.2]))
    np.testing.assert_allclose(v, [0.3, 0.0, 0.2], atol=1e-15)


# ------------------------------------------------------------------------------------------------------------------- rolling
def cart(radius: float, wheel_mass: float, spin: float, **wheel: object) -> Robot:
    robot = board(1.5, 0.05)
    words = {"mass": wheel_mass, "spin_inertia": spin, "across_inertia": spin / 2} if wheel_mass else {}
    robot["board"].wheel("disc", at=(0, 0, -radius), axis="y", radius=radius, **words, **wheel)
    return robot


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0])
def test_wheel_with_inertia_rolls_down_a_slope(factor: float) -> None:
    """a = g sin(slope) / (1 + I / (M r^2)), M all that moves, I = factor m r^2 of the disc (0.5 solid, 1 a ring)."""
    radius, mass = 0.12, 0.8
    spin = max(factor * mass * radius**2, 1e-9)
    model = cart(radius, mass, spin).model(gravity=ALONG_SLOPE)
    problem = Problem(model)
    total = 1.5 + mass
    wanted = GRAVITY * np.sin(SLOPE) / (1.0 + spin / (total * radius**2))
    solution = solve(problem, np.zeros(4), np.zeros(4), t_end=1.0, step=0.05)
    np.testing.assert_allclose(solution.v[-1], [wanted, 0, 0, wanted / radius], rtol=1e-12, atol=1e-13)
    assert solution.q[-1, 3] == pytest.approx(solution.q[-1, 0] / radius, rel=1e-12)  # rolled, not slipped
    series = problem.series(solution.times, solution.q, solution.v)
    energy = series["kinetic_energy"] + series["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-11)


def test_torque_of_a_wheel_against_acceleration() -> None:
    """tau = (M + I / r^2) a r, with the inertia of the wheel and without; on the flat."""
    radius, tau = 0.12, 0.4
    heavy = Problem(cart(radius, 0.8, 0.01, actuated=True).model(), torque={3: constant(tau)})
    a = heavy.accelerations(0.0, np.zeros(4), np.zeros(4))
    assert a[0] == pytest.approx(tau / radius / (2.3 + 0.01 / radius**2), rel=1e-13)
    light = cart(radius, 0.0, 0.0, actuated=True).model()
    by_torque = Problem(light, drives=Drives(torque={"disc": constant(tau)}))
    a = by_torque.accelerations(0.0, np.zeros(3), np.zeros(3))
    assert a[0] == pytest.approx(tau / radius / 1.5, rel=1e-13)
    # The inverse question: the motor of an imposed rolling motion.
    by_motion = Problem(light, drives=Drives(rolling={"disc": polynomial(0.0, 0.0, 0.5 * a[0] / radius)}))
    series = by_motion.series(np.array([0.7]), np.zeros((1, 3)), np.zeros((1, 3)))
    assert series["wheel_torque"][0, 0] == pytest.approx(tau, rel=1e-12)
    assert series["power_actuators"][0] == pytest.approx(tau * 0.7 * a[0] / radius, rel=1e-12)


def test_castor_and_passive_omni_wheel_impose_nothing() -> None:
    plain, held = board(centre=(0.1, 0.05, 0)), board(centre=(0.1, 0.05, 0))
    held["board"].wheel("castor", at=(0.3, 0.1, 0), kind="castor").wheel("omni", at=(-0.3, 0, 0), kind="omni", radius=0.1)
    v = np.array([0.4, -0.3, 0.9])
    np.testing.assert_array_equal(Problem(held.model()).imposed_state(0.0, np.zeros(3), v)[1], v)
    free, rolling = (Problem(r.model()).accelerations(0.0, np.zeros(3), v.copy()) for r in (plain, held))
    np.testing.assert_allclose(rolling, free, atol=1e-15)


# ------------------------------------------------------------------------------------------------------------------- mecanum
RADIUS, LENGTH, WIDTH = 0.08, 0.25, 0.18
MECANUM = {"fl": (1, 1, -1), "fr": (1, -1, 1), "rl": (-1, 1, 1), "rr": (-1, -1, -1)}


def mecanum() -> Robot:
    robot = board(8.0, 0.4, (0.03, -0.02, 0))
    for name, (x, y, s) in MECANUM.items():
        robot["board"].wheel(name, at=(LENGTH * x, WIDTH * y, -RADIUS), kind="omni", roller_angle=s * np.pi / 4, radius=RADIUS,
                             actuated=True)  # fmt: skip
    return robot


def test_mecanum_platform_has_the_twist_of_its_wheel_rates() -> None:
    """r thetadot = vx -+ vy -+ (l + w) w (front left); inverted: the mean of the four rates with signs."""
    fl, fr, rl = 3.0, -1.0, 2.5
    rates = {"fl": fl, "fr": fr, "rl": rl, "rr": fl + fr - rl}  # compatible: fl + fr = rl + rr
    drives = Drives(rolling={name: polynomial(0.2, rate) + sine(0.0, omega=1.0) for name, rate in rates.items()})
    problem = Problem(mecanum().model(), drives=drives)
    solution = solve(problem, np.zeros(3), np.zeros(3), t_end=2.0, step=0.01)
    f_l, f_r, r_l, r_r = rates.values()
    vx, vy = RADIUS / 4 * (f_l + f_r + r_l + r_r), RADIUS / 4 * (-f_l + f_r + r_l - r_r)
    turn = RADIUS / (4 * (LENGTH + WIDTH)) * (-f_l + f_r - r_l + r_r)
    np.testing.assert_allclose(solution.v, np.tile([vx, vy, turn], (len(solution.v), 1)), atol=1e-13)
    angle = turn * 2.0
    s, c = np.sin(angle), np.cos(angle)
    wanted = np.array([[s, c - 1], [1 - c, s]]) @ (vx, vy) / turn
    np.testing.assert_allclose(solution.q[-1], [*wanted, angle], atol=1e-12)
    series = problem.series(solution.times, solution.q, solution.v)
    np.testing.assert_allclose(series["wheel_angle"][-1], 2.0 * np.array(list(rates.values())), atol=1e-12)


def test_mecanum_rates_that_fight_are_told_with_names_and_amount() -> None:
    rates = {"fl": 3.0, "fr": -1.0, "rl": 2.5, "rr": 0.0}  # rr should be -0.5
    problem = Problem(mecanum().model(), drives=Drives(rolling={name: polynomial(0.0, rate) for name, rate in rates.items()}))
    with pytest.raises(InputError, match="do not go together") as told:
        solve(problem, np.zeros(3), np.zeros(3), t_end=1.0)
    assert all(f"'{name}.roll'" in str(told.value) for name in rates)
    assert "0.5 m/s" in str(told.value)


def test_equal_mecanum_torques_push_straight_ahead() -> None:
    torques = Drives(torque={name: constant(0.5) for name in MECANUM})
    robot = mecanum().changed({"board.centre": (0, 0, 0)})
    a = Problem(robot.model(), drives=torques).accelerations(0.0, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(a, [4 * 0.5 / RADIUS / 8.0, 0.0, 0.0], atol=1e-13)


# ------------------------------------------------------------------------------------------------------------------------ car
@pytest.mark.parametrize("angle", [0.1, 0.5, -0.9])
def test_bicycle_turns_about_the_point_where_its_axles_meet(angle: float) -> None:
    """Rear axle on a circle of radius L / tan(angle); driven at r thetadot."""
    length, radius, rate = 1.1, 0.3, 4.0
    robot = board(20.0, 2.0, (0.5, 0, 0.4))
    robot["board"].wheel("rear", radius=radius, actuated=True).wheel("front", at=(length, 0, 0), kind="steered", radius=radius)
    drives = Drives(steering={"front": constant(angle)}, rolling={"rear": polynomial(0.0, rate)})
    problem = Problem(robot.model(), drives=drives)
    solution = solve(problem, np.zeros(3), np.zeros(3), t_end=3.0, step=0.01)
    turn = length / np.tan(angle)
    np.testing.assert_allclose(solution.v[-1], [rate * radius, 0.0, rate * radius / turn], atol=1e-12)
    centre = np.array([0.0, turn])
    distance = np.linalg.norm(solution.q[:, :2] - centre, axis=1)
    np.testing.assert_allclose(distance, abs(turn), rtol=1e-11)  # constant twist: RKMK4 is exact
    series = problem.series(solution.times, solution.q, solution.v)
    front = series["wheel_rate"][-1, 1]
    assert front == pytest.approx(rate / np.cos(angle), rel=1e-12)  # the front wheel has the longer way
    # Steady turn: the mass centre needs m v^2 / R towards the centre; the motor nothing.
    assert abs(series["wheel_torque"][-1, 0]) < 1e-10
    pull = series["contact_force"][-1].sum(axis=0)
    rho = np.hypot(turn, 0.5)
    assert np.linalg.norm(pull[:2]) == pytest.approx(20.0 * (rate * radius / turn) ** 2 * rho, rel=1e-9)


def test_steering_while_standing_moves_nothing() -> None:
    robot = board()
    robot["board"].wheel("rear", radius=0.1, actuated=True).wheel("front", at=(0.5, 0, 0), kind="steered")
    drives = Drives(steering={"front": sine(0.6, omega=3.0)}, rolling={"rear": constant(1.0)})
    solution = solve(Problem(robot.model(), drives=drives), np.zeros(3), np.zeros(3), t_end=1.0)
    assert np.abs(solution.q).max() == 0.0 and np.abs(solution.v).max() == 0.0
