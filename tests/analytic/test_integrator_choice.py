"""The integrator that a run takes when none is named: modes in closed form, the choice, stiff robots at default settings."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate.choice import choose
from locodyn.integrate.linear_modes import Modes, modes
from locodyn.locomotion.problem import Problem
from locodyn.locomotion.servo import Servo

MASS, LENGTH = 0.1, 0.1
INERTIA = MASS * LENGTH**2  # kg m^2


def bob(mass: float = MASS, **actuator: float) -> ld.Robot:
    """A point mass on a massless rod, with springs and friction in its joint."""
    robot = ld.Robot("pendulum")
    body = robot.body("bob", mass=mass, centre=(0, 0, -LENGTH)).on(robot.base("ground", moves="fixed")).turning("y")
    body.actuator(**actuator)
    return robot


def problem_of(robot: ld.Robot, gravity: float = 0.0, **drive: object) -> Problem:
    return Problem(robot.model(gravity=(0, 0, -gravity)), **drive)


def largest(problem: Problem) -> complex:
    found = modes(problem, 0.0, problem.model.neutral()).rates
    return complex(found[int(np.argmax(np.abs(found)))])


def test_modes_in_closed_form() -> None:
    """Weight: +-i sqrt(g / L). Spring: +-i sqrt(k / J). Viscous: -c / J. Dry: -f / (v0 J). Servo: as spring and damper."""
    weight = largest(problem_of(bob(), 9.81))
    assert weight.real == 0.0 and abs(weight.imag) == pytest.approx(np.sqrt(9.81 / LENGTH), rel=1e-6)
    assert abs(largest(problem_of(bob(stiffness=40.0))).imag) == pytest.approx(np.sqrt(40.0 / INERTIA), rel=1e-6)
    assert largest(problem_of(bob(viscous=0.3))).real == pytest.approx(-0.3 / INERTIA, rel=1e-6)
    assert largest(problem_of(bob(coulomb=0.2, coulomb_speed=1e-4))).real == pytest.approx(-0.2 / 1e-4 / INERTIA, rel=1e-3)
    servo = largest(problem_of(bob(), servo={0: Servo(0.2, 10.0, 1.0)}))
    critical = 1.0 / INERTIA / 2.0
    assert servo.real == pytest.approx(-critical - np.sqrt(critical**2 - 10.0 / INERTIA), rel=1e-6)


def test_modes_of_a_loop_see_what_moves_only() -> None:
    """Two slides that a loop holds together, a spring on one of them: w = sqrt(k / (m1 + m2)), not sqrt(k / m1)."""
    robot = ld.Robot("slides")
    ground = robot.base("ground", moves="fixed")
    one = robot.body("one", mass=1.0).on(ground).sliding("x")
    one.actuator(stiffness=1e4)
    robot.body("two", mass=3.0).on(ground).sliding("x")
    robot.loop("pin", "one", "two", joint="revolute", axis="z")
    assert abs(largest(problem_of(robot)).imag) == pytest.approx(np.sqrt(1e4 / 4.0), rel=1e-6)


@pytest.mark.parametrize("rate, limit", [(-100.0 + 0j, 2.785), (100j, 2.828)])
def test_limits_of_stability(rate: complex, limit: float) -> None:
    """The region of stability of Runge-Kutta methods of order 4 (Hairer, Wanner 1996, IV.2), to the 1 % of the search."""
    assert 100.0 * Modes(np.array([rate]), ("x",)).longest_step() == pytest.approx(limit, rel=0.01)


def chain_with_a_light_finger() -> ld.Robot:
    """An arm with a finger of 1 mg: its damping of 1e-5 N m s/rad, nothing for the arm, is 1e5 times its inertia."""
    robot = ld.Robot("arm")
    arm = robot.body("arm", mass=1.0, centre=(0, 0, -0.3)).on(robot.base("ground", moves="fixed")).turning("y")
    finger = robot.body("finger", mass=1e-6, centre=(0, 0, -0.01)).on(arm, at=(0, 0, -0.6)).turning("y")
    finger.actuator(viscous=1e-5)
    return robot


STIFF = {
    "damped": (lambda: bob(viscous=1.0), {}),
    "stiff spring": (lambda: bob(stiffness=1e4), {}),
    "dry friction": (lambda: bob(coulomb=0.05), {}),
    "light finger": (chain_with_a_light_finger, {}),
    "servo": (bob, {"servo": {"bob": Servo(0.5, 1e3, 10.0)}}),
}


@pytest.mark.parametrize("name", STIFF)
@pytest.mark.slow
def test_stiff_robots_run_at_default_settings(name: str) -> None:
    """Under rkmk4 at 10 ms all of these grow without bound; they complete, without a warning, and say what was taken, and why."""
    make, fields = STIFF[name]
    robot = make()
    start = {} if name in ("stiff spring", "servo") else {robot.compile().coordinate_names[0]: 0.5}
    result = ld.simulate(robot, start=start, t_end=1.0, progress=False, **fields)
    about = result.attributes
    assert result.status == "completed" and about["integrator"] == "radau3" and about["step"] == pytest.approx(0.01)
    assert "too fast for 'rkmk4' at 0.01 s" in about["integrator_choice"]
    assert ("'finger'" if name == "light finger" else "'bob'") in about["integrator_choice"]
    # The fast part is over after a step; what is slow follows the motion at a hundredth of the step.
    fine = ld.simulate(robot, start=start, t_end=1.0, dt=1e-4, record_every=100, integrator="radau3", progress=False, **fields)
    assert np.abs(result.joint_position.values - fine.joint_position.values)[-1, 0] < 2e-4


def test_plain_robots_keep_the_plain_integrator() -> None:
    """Nothing that is fast beside the step: rkmk4, without a reason; a step that is given stays."""
    assert choose(problem_of(bob(), 9.81), np.zeros(1), np.zeros(1)).words == "rkmk4 at 0.01 s"
    given = choose(problem_of(bob(viscous=0.1), 9.81), np.zeros(1), np.zeros(1), 0.005)
    assert (given.method.name, given.step) == ("rkmk4", 0.005)
    assert choose(problem_of(bob(viscous=0.1), 9.81), np.zeros(1), np.zeros(1), 0.05).method.name == "radau3"


@pytest.mark.slow
def test_oscillations_are_resolved_where_no_step_is_given() -> None:
    """w = 200 rad/s: 10 ms would damp them, 2.5 ms = 1 / (2 w) resolve them, and the energy stays."""
    problem = problem_of(bob(stiffness=200.0**2 * INERTIA))
    choice = choose(problem, np.zeros(1), np.zeros(1))
    assert choice.method.name == "radau3" and choice.step == pytest.approx(0.5 / 200.0, rel=1e-4)
    assert choose(problem, np.zeros(1), np.zeros(1), 0.01).step == 0.01
    robot = bob(stiffness=200.0**2 * INERTIA)
    result = ld.simulate(robot, gravity=(0, 0, 0), start={"bob": 0.1}, t_end=1.0, progress=False)
    assert result.total_energy().values[-1] == pytest.approx(result.total_energy().values[0], rel=1e-2)


def test_hard_contact_is_stepped() -> None:
    robot = ld.Robot("ball")
    robot.base("ball", mass=1.0, shape=ld.Sphere(0.1)).collides(restitution=0.5)
    start = {"ball": (0, 0, 0.5, 0, 0, 0)}
    result = ld.simulate(robot, obstacles=[ld.Ground()], start=start, t_end=0.5, progress=False)
    about = result.attributes
    assert result.status == "completed" and about["integrator_choice"] == "moreau at 0.001 s: surfaces can touch"


def test_a_step_that_is_not_given_stays_free() -> None:
    free = ld.Scenario("free", bob())
    assert free.numerics.step_is_free and free.changed(t_end=3.0).numerics.step_is_free
    assert not free.changed(dt=0.01).numerics.step_is_free


def test_not_a_number_names_what_would_do() -> None:
    """The state overflows within a step; the sentence names an integrator and a step that are stable."""
    with pytest.warns(ld.integrate.StabilityWarning):
        result = ld.simulate(bob(stiffness=1e12), start={"bob": 1.0}, t_end=1.0, dt=0.1, integrator="rkmk4", progress=False)
    assert result.failed and "take 'radau3'" in result.status and "a step below 8.9e-08 s" in result.status


@pytest.mark.slow
def test_run_is_resumed_with_what_was_chosen(tmp_path: object) -> None:
    scenario = ld.Scenario("damped", bob(viscous=1.0), start={"bob": 0.5}, t_end=0.2)
    file = tmp_path / "damped.nc"  # type: ignore[operator]
    scenario.run(progress=False, out=file)
    whole = ld.resume(file, t_end=0.4, scenario=scenario, progress=False)
    about = whole.attributes
    assert about["integrator"] == "radau3" and about["integrator_choice"].startswith("radau3 at 0.01 s: 'bob'")
    assert len(whole.time) == 41
