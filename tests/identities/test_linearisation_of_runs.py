"""The linear system is what a run does close to a steady motion: differences of runs against exp(A t)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import expm

from locodyn.integrate import solve
from locodyn.linearisation import linearise, steady_motion
from locodyn.linearisation.nearby_motion import NearbyMotion
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.robot import Robot, about_centre
from locodyn.world import Drag

pytestmark = pytest.mark.slow

Case = tuple[Problem, np.ndarray, np.ndarray]


def four_bar() -> Case:
    """A loop that hangs in gravity, with a spring: one degree of freedom."""
    robot = Robot("four-bar")
    ground = robot.base("ground", moves="fixed")
    for name, on, at, length in (("a", ground, (0, 0, 0), 0.1), ("b", "a", (0.1, 0, 0), 0.3), ("c", ground, (0.3, 0, 0), 0.25)):
        bar = robot.body(name, mass=0.5, centre=(length / 2, 0, 0), inertia=about_centre(zz=0.5 * length**2 / 12))
        bar.on(on, at=at).turning("z").marker(f"{name}_end", at=(length, 0, 0)).actuator(viscous=0.01)
    robot.loop("pin", "b_end", "c_end")
    problem = Problem(robot.model(gravity=(0, -2.0, 0)))
    found = steady_motion(problem, [1.2, -0.6, 1.6], np.zeros(3))
    return problem, found.q, found.v


def cart(moves: str) -> Callable[[], Case]:
    """Wheels at the back, a mass that swings on a spring, drag on top; it glides straight ahead."""

    def make() -> Case:
        robot = Robot("cart")
        body = robot.base("cart", mass=3.0, centre=(0.3, 0, 0.2), inertia=about_centre(np.diag([0.1, 0.2, 0.3])), moves=moves)
        body.wheel("back", at=(0, 0, -0.1), axis="y")
        arm = robot.body("arm", mass=0.7, centre=(0.4, 0, 0), inertia=about_centre(np.diag([0.01, 0.02, 0.02])))
        arm.on("cart", at=(0.5, 0, 0.1)).turning("z").actuator(stiffness=3.0, viscous=0.2)
        pole = robot.body("pole", mass=0.4, centre=(0, 0, 0.3), inertia=about_centre(np.diag([0.02, 0.02, 0.001])))
        pole.on("arm", at=(0.4, 0, 0)).turning("y").actuator(stiffness=5.0, viscous=0.1)
        robot.wrench("air", on="arm", law=Drag(linear=(0.0, 0.4, 0.0)))
        problem = Problem(robot.model())
        v = np.zeros(problem.model.nv)
        v[0] = 1.3
        return problem, problem.model.neutral(), v

    return make


def turning_cart() -> Case:
    """Two axles, the front one at an angle of its own that is imposed: a steady circle, pushed by a constant force."""
    robot = Robot("bus")
    body = robot.base("bus", mass=3.0, inertia=about_centre(zz=0.3), moves="planar")
    body.wheel("back", axis="y")
    robot.body("front", mass=0.5, inertia=about_centre(zz=0.01)).on("bus", at=(1.0, 0, 0)).turning("z").wheel(axis="y")
    arm = robot.body("arm", mass=1.0, centre=(0.4, 0, 0), inertia=about_centre(zz=0.02)).on("bus", at=(0.3, 0, 0)).turning("z")
    arm.actuator(stiffness=4.0, viscous=0.3)
    robot.wrench("air", on="bus", law=Drag(linear=(0.5, 0.0, 0.0)))
    problem = Problem(robot.model(), imposed={3: constant(0.4)}, torque={0: constant(0.8)})
    found = steady_motion(problem, [0, 0, 0, 0.4, 0.2], [1.0, 0, 0.4, 0, 0])
    return problem, found.q, found.v


CASES = {"four-bar": four_bar, "planar cart": cart("planar"), "free cart": cart("free"), "turning cart": turning_cart}


@pytest.mark.parametrize("name", CASES)
def test_runs_close_to_the_motion(name: str) -> None:
    """Central difference of two runs, 1e-4 to either side of the motion, over 0.5 s: error of the order 1e-8 (quadratic)."""
    problem, q, v = CASES[name]()
    system, near = linearise(problem, q, v), NearbyMotion(problem, q, v)
    assert system.position_names == near.position_names and max(system.defect, system.wander) < 1e-9 and system.error < 1e-10
    n_y, duration, size = len(near.position_names), 0.5, 1e-4
    wanted = expm(duration * system.A)
    rng = np.random.default_rng(4)
    later = near.model.move(near.q, duration * near.v)
    for _ in range(3):
        x = rng.standard_normal(len(system.A))
        ends = []
        for sign in (1.0, -1.0):
            state = near.state(sign * size * x[:n_y], sign * size * x[n_y:])
            run = solve(problem, *state, t_end=duration, step=duration, method="adaptive", tolerance=1e-13)
            y = near.position_rows @ near.model.difference(later, run.q[-1])
            ends.append(np.concatenate([y, near.rate_rows @ (run.v[-1] - near.v)]))
        found = (ends[0] - ends[1]) / (2.0 * size)
        np.testing.assert_allclose(found, wanted @ x, atol=3e-7 * np.abs(wanted @ x).max())


def test_a_body_that_could_leave_the_ground_counts_as_one_that_cannot() -> None:
    """Free and planar reference bodies on the same wheels: the same modes."""
    planar, free = (linearise(*cart(moves)()).reduced() for moves in ("planar", "free"))
    assert len(planar.A) == len(free.A) == 6
    np.testing.assert_allclose(np.sort_complex(free.eigenvalues), np.sort_complex(planar.eigenvalues), atol=1e-9)


def test_coordinates_do_not_matter() -> None:
    """Other independent coordinates, the same modes."""
    problem, q, v = four_bar()
    values = [linearise(problem, q, v, coordinates=(name,)).eigenvalues for name in problem.model.compiled.coordinate_names]
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], atol=1e-10 * np.abs(values[0]).max())


def test_a_controller_is_linearised_with_the_robot() -> None:
    """Feedback as a Python function shifts A by B K."""
    problem, q, v = cart("planar")()
    names = problem.model.compiled.coordinate_names
    i = names.index("arm")
    closed = Problem(problem.model, torque={i: lambda t, q, v: -2.0 * q[3] - 0.7 * v[i]})
    plain = linearise(problem, q, v, inputs=("arm",))
    gains = np.zeros(len(plain.A))
    gains[plain.state_names.index("arm")], gains[plain.state_names.index("rate of arm")] = 2.0, 0.7
    np.testing.assert_allclose(linearise(closed, q, v).A, plain.A - plain.B @ gains[None, :], atol=1e-9)
