"""Loops in space over time: assembled from a rough guess, closed at every step, energy and power in balance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from constrained_cases import Case, gap, law_through
from locodyn.errors import InputError
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, polynomial, sine
from locodyn.robot import Robot, about_centre, rotation_about

pytestmark = pytest.mark.slow

SOLID = {"mass": 0.6, "inertia": about_centre(xx=0.004, yy=0.006, zz=0.005)}


def spherical_four_bar(cut: str = "revolute", zero: float = 1.5) -> Case:
    """Four axes through one point, at angles 0.5 (crank), 1.1, 0.9 and 1.2 rad (ground) from each other: a crank-rocker.

    In a turn of the crank the angle of the cut goes from 0.81 - zero to 2.20 - zero.
    """
    case = Case(Robot("spherical four-bar"))
    ground = case.robot.base("ground", moves="fixed")
    case.robot.body("crank", centre=(0.1, 0.02, 0.1), **SOLID).on(ground).turning("z")
    case.robot.body("coupler", centre=(0.0, 0.1, 0.15), **SOLID).on("crank", turned=rotation_about("x", 0.5)).turning("z")
    case.robot.body("rocker", centre=(0.1, 0.0, 0.1), **SOLID).on(ground, turned=rotation_about("x", 1.2)).turning("z")
    case.robot["coupler"].marker("a", turned=rotation_about("x", 1.1))
    case.robot["rocker"].marker("b", turned=rotation_about("x", 0.9) @ rotation_about("z", -zero))
    case.loop("pin", "a", "b", cut)
    case.model = case.robot.model()
    return case


def rssr() -> Case:
    """Crank and rocker on skew axes, a rod between two balls, one of them cut; the rod spins freely about itself."""
    case = Case(Robot("RSSR"))
    ground = case.robot.base("ground", moves="fixed")
    case.robot.body("crank", centre=(0.05, 0, 0), **SOLID).on(ground).turning("z")
    case.robot.body("rod", centre=(0.2, 0, 0), **SOLID).on("crank", at=(0.1, 0, 0)).ball().marker("end", at=(0.4, 0, 0))
    case.robot.body("rocker", centre=(0, 0.1, 0), **SOLID).on(ground, at=(0.35, 0.1, 0.05)).turning((1.0, 0.2, 0.1))
    case.robot["rocker"].marker("ball", at=(0, 0.25, 0.05))
    case.loop("socket", "end", "ball", "spherical")
    case.model = case.robot.model()
    return case


def platform() -> Case:
    """A free body held by three cuts: a ball on the world, one in a cylindrical guide, one on a plane; one freedom is left."""
    case = Case(Robot("held body"))
    case.robot.base("body", moves="free", centre=(0.05, 0.1, 0.02), **SOLID)
    case.robot.body("finger", mass=0.3, inertia=about_centre(xx=1e-3, yy=1e-3, zz=1e-3)).on("body", at=(0.3, 0, 0)).ball()
    case.robot["body"].marker("corner").marker("side", at=(0, 0.2, 0))
    case.robot["finger"].marker("guided")
    case.loop("corner", "world", "corner", "spherical")
    case.loop("guide", "guided", "world", "cylindrical", "x")
    case.model = case.robot.model()
    return case


def run(case: Case, problem: Problem, q: Any, **options: Any) -> tuple[Any, dict[str, np.ndarray]]:
    solution = solve(problem, q, np.zeros(case.model.nv), **options)
    assert solution.status == "completed"
    return solution, problem.series(solution.times, solution.q, solution.v)


@pytest.mark.parametrize("make", [rssr, platform])
def test_loops_in_space_stay_closed_and_keep_their_energy(make: Any) -> None:
    case = make()
    problem = Problem(case.model)
    q = case.model.neutral()
    rng = np.random.default_rng(5)
    q = case.model.move(q, 0.2 * rng.standard_normal(case.model.nv))  # a rough guess
    drifts = []
    for step in (1e-3, 5e-4):
        solution, series = run(case, problem, q, t_end=2.0, step=step)
        assert max(gap(case, state) for state in solution.q) < 1e-11
        energy = series["kinetic_energy"] + series["potential_energy"]
        assert np.ptp(series["kinetic_energy"]) > 0.02
        drifts.append(np.abs(energy - energy[0]).max() / np.ptp(series["kinetic_energy"]))
    # rkmk4: halving the step divides the error by 2^4 or more; measured 17 to 34.
    assert drifts[0] < 1e-2 and drifts[0] > 12.0 * drifts[1], drifts


def test_crank_of_a_spatial_four_bar_feels_the_power_of_its_loop() -> None:
    case = rssr()
    law = sine(0.5, omega=2.0, offset=0.2)
    problem = Problem(case.model, imposed={0: law})
    q = np.array([0.2, 1.0, 0.0, 0.0, 0.4, 0.3])
    q[1:5] /= np.linalg.norm(q[1:5])
    solution, series = run(case, problem, q, t_end=3.0, step=2e-3, record_every=5)
    assert max(gap(case, state) for state in solution.q) < 1e-11
    for state, speed, t, torque in zip(solution.q, solution.v, solution.times, series["joint_torque"], strict=True):
        a = problem.accelerations(t, state.copy(), speed.copy())
        power = speed @ case.model.inverse_dynamics(state, speed, a)  # d(T + U)/dt
        assert torque @ speed == pytest.approx(power, abs=1e-10)  # measured 2e-14


TURNED = 0.3


@pytest.mark.parametrize("zero", [1.5, TURNED])
@pytest.mark.parametrize("cut", ["revolute", "cylindrical", "planar"])
def test_spherical_four_bar_turns_all_the_way_round(cut: str, zero: float) -> None:
    """Where the cut counts its angle from has no influence; two of its rows are independent, all the others redundant."""
    case = spherical_four_bar(cut, zero)
    problem = Problem(case.model, imposed={0: polynomial(1.0, 2.0)})
    solution, series = run(case, problem, [1.0, -0.4, 1.0], t_end=4.0, step=2e-3, record_every=5)
    assert solution.q[0, 1:] == pytest.approx([-0.19174648, 1.22623338], abs=1e-8)  # SciPy's least_squares on the two axes
    assert max(gap(case, state) for state in solution.q) < 1e-11
    assert (series["constraint_rank"] == 2).all()
    energy = series["kinetic_energy"] + series["potential_energy"]
    work = (energy[2:] - energy[:-2]) / (solution.times[2:] - solution.times[:-2])
    # Central difference over 0.02 s: its error is 1e-4 times the third derivative, 5e-4 of the largest power.
    np.testing.assert_allclose(series["power_actuators"][1:-1], work, atol=2e-3 * np.abs(work).max())


@pytest.mark.parametrize("angle", [0.3, 1.5,
                                   2.5])  # fmt: skip
@pytest.mark.parametrize("cut", ["revolute", "cylindrical", "planar"])
def test_axes_are_brought_together_at_any_angle_of_the_cut(cut: str, angle: float) -> None:
    robot = Robot("tilted")
    ground = robot.base("ground", moves="fixed")
    robot.body("ball", **SOLID).on(ground).ball()
    robot.body("slide", **SOLID).on("ball").sliding("x").marker("end")
    robot.loop("cut", "world", "end", cut)
    model = robot.model()
    q = np.array([np.cos(angle / 2), 0.03, -0.02, np.sin(angle / 2), 0.05])
    q, _ = Problem(model).imposed_state(0.0, model.normalised(q), np.zeros(model.nv))
    assert np.abs(model.pose("end", q)[0][:2, 2]).max() < 1e-12


def test_loop_of_imposed_joints_leaves_the_base_alone() -> None:
    """All joints of the loop move as its closed form says, so its rows restrict nothing; the base is free and at rest."""
    rng = np.random.default_rng(2)
    robot = Robot("parallelogram")
    robot.base("base", moves="planar", turned=("z", 0.3), at=(0.1, 0.2, 0.0), mass=1.0, inertia=about_centre(zz=0.02))
    bar = {"mass": 0.5, "inertia": about_centre(zz=0.004), "centre": (0.1, 0, 0)}
    robot.body("crank", **bar).on("base", at=(0.17, 0.05, 0)).turning("z")
    robot.body("rocker", **bar).on("base", at=(0.43, 0.13, 0)).turning("z").marker("end", at=(0.2, 0, 0))
    robot.body("coupler", **bar).on("crank", at=(0.2, 0, 0)).turning("z").marker("tip", at=(0.26, 0.08, 0))
    robot.loop("pin", "tip", "end")
    model = robot.model()
    law = law_through(0.7, 0.0, rng)
    problem = Problem(model, imposed={3: law, 4: law, 5: constant(0.0) - law})
    _, v = problem.imposed_state(0.0, model.neutral() + np.array([0.3, 0.2, 0.5, 0, 0, 0]), np.zeros(6))
    assert np.abs(v[:3]).max() < 1e-9


def test_loop_that_opens_during_a_run_is_told() -> None:
    """A crank longer than the rocker cannot turn all the way: the bars come apart at some angle."""
    robot = Robot("no crank")
    ground = robot.base("ground", moves="fixed")
    for name, on, at in (("crank", ground, (0, 0, 0)), ("coupler", "crank", (0.3, 0, 0)), ("rocker", ground, (0.5, 0, 0))):
        robot.body(name, **SOLID).on(on, at=at).turning("z").marker(f"{name}_end", at=(0.3, 0, 0))
    robot.loop("pin", "coupler_end", "rocker_end")
    problem = Problem(robot.model(), imposed={0: polynomial(0.5, 1.0)})
    try:
        solution = solve(problem, [0.5, 0.3, 2.0], np.zeros(3), t_end=3.0, step=1e-2)
    except InputError as told:
        assert "pin" in str(told)
    else:
        assert solution.status != "completed" and "pin" in solution.status


# --------------------------------------------------------------------------------------------------------------- change points
def parallelogram():
    """Bars of 0.1 and 0.3 m: flat at the angle 0, where the linkage may go on as a parallelogram or crossed."""
    robot = Robot("parallelogram")
    bar = {"mass": 1.0, "inertia": about_centre(zz=1e-3)}
    robot.base("ground", moves="fixed")
    robot.body("crank", **bar).on("ground").turning("z")
    robot.body("coupler", **bar).on("crank", at=(0.1, 0, 0)).turning("z").marker("tip", at=(0.3, 0, 0))
    robot.body("rocker", **bar).on("ground", at=(0.3, 0, 0)).turning("z")
    robot.loop("pin", "tip", "rocker", joint="revolute", axis="z", second_at=(0.1, 0, 0))
    return robot


@pytest.mark.parametrize("guess, rate", [(0.8, 1.0), (-1.5, -2.0)])
def test_velocity_of_a_flat_linkage_is_that_of_the_nearest_branch(guess, rate):
    """The closure to second order: (x' - y') (3 (x' + y') + x' - y') = 0 for the rates x' of the crank and y' of the rocker."""
    problem = Problem(parallelogram().model(), {0: polynomial(0.0, 1.0)})
    _, v = problem.start_state(0.0, np.zeros(3), np.array([1.0, guess - 1.0, guess]))
    assert v[2] == pytest.approx(rate, abs=1e-12)


def test_parallelogram_stays_one_through_flat_positions():
    problem = Problem(parallelogram().model(), {0: polynomial(-np.pi / 2, 1.0)})
    q = np.array([-np.pi / 2, np.pi / 2, -np.pi / 2])
    solution = solve(problem, q, np.array([1.0, -1.0, 1.0]), t_end=1.5 * np.pi, step=np.pi / 100)
    assert solution.status == "completed"
    np.testing.assert_allclose(solution.v, np.tile((1.0, -1.0, 1.0), (151, 1)), atol=1e-9)
