"""Four-bars and slider-cranks: positions, rates and torques in closed form; energy and gaps over long runs."""

from __future__ import annotations

import numpy as np
import pytest

from constrained_cases import Case, gap
from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import polynomial, sine
from locodyn.robot import Robot, about_centre

CRANK, COUPLER, ROCKER, GROUND = 0.10, 0.30, 0.25, 0.30  # m, spec C7


def rod(length: float, mass: float) -> dict:
    return {"mass": mass, "centre": (length / 2, 0, 0), "inertia": about_centre(zz=mass * length**2 / 12)}


def four_bar(cut: str = "revolute") -> Case:
    case = Case(Robot("four-bar"))
    ground = case.robot.base("ground", moves="fixed")
    case.robot.body("crank", **rod(CRANK, 0.5)).on(ground).turning("z")
    case.robot.body("coupler", **rod(COUPLER, 1.0)).on("crank", at=(CRANK, 0, 0)).turning("z").marker("tip", at=(COUPLER, 0, 0))
    case.robot.body("rocker", **rod(ROCKER, 0.8)).on(ground, at=(GROUND, 0, 0)).turning("z").marker("end", at=(ROCKER, 0, 0))
    case.loop("pin", "tip", "end", cut)
    case.model = case.robot.model(gravity=(0, -9.81, 0))
    return case


def slider_crank() -> Case:
    """Crank about z, connecting rod, its end held on the x axis of the world by a cut that slides and turns."""
    case = Case(Robot("slider-crank"))
    ground = case.robot.base("ground", moves="fixed")
    case.robot.body("crank", **rod(CRANK, 0.5)).on(ground).turning("z")
    case.robot.body("rod", **rod(COUPLER, 1.0)).on("crank", at=(CRANK, 0, 0)).turning("z")
    case.robot.body("piston", mass=0.7, inertia=about_centre(zz=1e-3)).on("rod", at=(COUPLER, 0, 0)).turning("z").marker("wrist")
    case.loop("guide", "world", "wrist", "prismatic", "x")
    case.model = case.robot.model(gravity=(0, -9.81, 0))
    return case


def closed_four_bar(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of coupler (relative to the crank) and rocker: the elbow above the line from the crank pin to the rocker's pivot."""
    x, y = CRANK * np.cos(theta), CRANK * np.sin(theta)
    d = np.hypot(GROUND - x, y)
    line = np.arctan2(-y, GROUND - x)
    inner = np.arccos((COUPLER**2 + d**2 - ROCKER**2) / (2 * COUPLER * d))
    coupler = line + inner
    rocker = np.arctan2(y + COUPLER * np.sin(coupler), x + COUPLER * np.cos(coupler) - GROUND)
    return coupler - theta, rocker


@pytest.mark.parametrize("cut", ["revolute", "spherical"])
def test_four_bar_has_the_angles_of_the_closed_form_however_rough_the_guess(cut: str) -> None:
    case = four_bar(cut)
    law = polynomial(0.6, 3.0) + sine(0.2, omega=2.0)
    problem = Problem(case.model, imposed={0: law})
    rng = np.random.default_rng(3)
    for _ in range(20):
        t = float(rng.uniform(0.0, 4.0))
        theta = law.at(t)[0]
        wanted = np.array([theta, *closed_four_bar(np.array(theta))])
        q, v = problem.imposed_state(t, wanted + np.array([0.0, *rng.uniform(-0.4, 0.4, 2)]), np.zeros(3))
        np.testing.assert_allclose(np.sin((q - wanted) / 2), 0.0, atol=1e-12)  # Newton to 1e-13 in the gap, 1/0.1 m in angles
        h = 1e-5
        rate = [(b - a) / (2 * h) for a, b in zip(closed_four_bar(theta - h), closed_four_bar(theta + h), strict=True)]
        np.testing.assert_allclose(v[1:], law.at(t)[1] * np.array(rate), rtol=1e-7, atol=1e-7)  # central difference: h^2


def test_slider_crank_has_the_stroke_of_the_closed_form() -> None:
    case = slider_crank()
    law = polynomial(0.3, 5.0)
    problem = Problem(case.model, imposed={0: law})
    solution = solve(problem, [0.3, -0.4, 0.2], np.zeros(3), t_end=2.0, step=2e-3)
    assert solution.status == "completed"
    theta = law(solution.times)
    stroke = CRANK * np.cos(theta) + np.sqrt(COUPLER**2 - (CRANK * np.sin(theta)) ** 2)
    found = np.array([case.model.pose("wrist", q)[1] for q in solution.q])
    np.testing.assert_allclose(found[:, 0], stroke, atol=1e-12)  # measured 2e-16
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
    # Torque of the crank from the principle of power: tau thetadot = d(T + U)/dt, by central differences of order 2.
    series = problem.series(solution.times, solution.q, solution.v)
    energy = series["kinetic_energy"] + series["potential_energy"]
    power = (energy[2:] - energy[:-2]) / (solution.times[2:] - solution.times[:-2])
    np.testing.assert_allclose(series["joint_torque"][1:-1, 0] * 5.0, power, atol=2e-3 * np.abs(power).max())  # h^2 (5)^2 / 6 x 4
    assert np.abs(series["joint_torque"][:, 1:]).max() < 1e-12  # nobody drives the others


def test_lengths_that_cannot_meet_are_told() -> None:
    case = four_bar()
    robot = case.robot.changed({"rocker.at": (1.5, 0, 0)})
    problem = Problem(robot.model(), imposed={0: polynomial(0.6, 3.0)})
    with pytest.raises(InputError, match=r"loop 'pin' cannot be closed at t = 0 s: .* m or rad are left"):
        solve(problem, [0.6, 0.5, 1.8], np.zeros(3), t_end=0.1)


@pytest.mark.parametrize("make", [four_bar, slider_crank])
def test_passive_loops_keep_their_energy_to_the_order_of_the_integrator(make: object) -> None:
    """Released from rest under gravity: T + U is constant; the error of rkmk4 falls by 2^4 or more when the step is halved."""
    case = make()  # type: ignore[operator]
    problem = Problem(case.model)
    drifts = []
    for step in (4e-3, 2e-3, 1e-3):
        solution = solve(problem, [0.9, -0.3, 1.6] if make is four_bar else [0.9, -1.2, 0.3], np.zeros(3), t_end=1.0, step=step)
        series = problem.series(solution.times, solution.q, solution.v)
        energy = series["kinetic_energy"] + series["potential_energy"]
        assert np.ptp(series["kinetic_energy"]) > 0.1  # it does swing
        drifts.append(np.abs(energy - energy[0]).max() / np.ptp(series["kinetic_energy"]))
        assert max(gap(case, q) for q in solution.q) < 1e-12
    assert drifts[-1] < 1e-6
    slopes = np.log2(np.array(drifts[:-1]) / np.array(drifts[1:]))
    assert (slopes > 3.5).all(), (drifts, slopes)


def test_gap_stays_closed_over_a_long_run() -> None:
    """20 000 steps, 60 s of a tumbling four-bar (crank torque): the projection is per step, so nothing accumulates."""
    case = four_bar()
    problem = Problem(case.model, torque={0: sine(0.8, omega=3.0)})
    solution = solve(problem, [0.6, 0.1, 1.5], np.zeros(3), t_end=60.0, step=3e-3, record_every=10)
    assert solution.status == "completed"
    assert np.ptp(solution.q[:, 0]) > 6.0  # more than a turn
    gaps = [gap(case, q) for q in solution.q]
    assert max(gaps) < 1e-11, max(gaps)
    rows = problem.series(solution.times, solution.q, solution.v)
    assert np.isfinite(rows["multiplier"]).all() and (rows["constraint_rank"] == 2).all()


def test_torque_of_the_driven_crank_closes_the_power_balance() -> None:
    """Exact, at instants: tau . v = d(T + U)/dt = v . (M a + h), with the dense mass matrix."""
    case = four_bar()
    problem = Problem(case.model, imposed={0: polynomial(0.6, 3.0) + sine(0.2, omega=2.0)})
    for t in np.linspace(0.0, 4.0, 21):
        q, v = problem.imposed_state(t, np.array([0.6, 0.1, 1.5]), np.zeros(3))
        a = problem.accelerations(t, q.copy(), v.copy())
        series = problem.series(np.array([t]), q[None], v[None])
        rate = v @ case.model.inverse_dynamics(q, v, a)
        assert series["joint_torque"][0] @ v == pytest.approx(rate, abs=1e-12)  # measured 1e-15 of 4 W
