"""Python functions (torques, a controller, wrench laws, motions) give the motion that the same laws give as data."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import function, sine
from locodyn.robot import Robot, about_centre
from locodyn.world import Anchor, Drag, UserLaw

pytestmark = pytest.mark.slow

METHODS = ("rkmk4", "adams", "variational", "adaptive")


def swimmer(law: object = None) -> Robot:
    """A free body with two arms, one in the water."""
    robot = Robot("swimmer")
    body = robot.base("body", mass=2.0, inertia=about_centre(np.diag([0.2, 0.3, 0.4])))
    for i, side in enumerate((-1, 1)):
        arm = robot.body(f"arm {i}", mass=0.5, centre=(0, 0.3 * side, 0), inertia=about_centre(np.diag([0.02, 0.01, 0.02])))
        arm.on(body, at=(0.1, 0.2 * side, 0)).turning("z")
    if law is not None:
        robot.wrench("water", on="arm 0", at=(0.0, -0.3, 0.1), turned=("x", 0.3), law=law)
    return robot


def end(problem: Problem, method: str, step: float = 0.01) -> np.ndarray:
    q0, v0 = problem.model.neutral(), np.array([0.1, 0.2, 0, 0.3, 0, 0.1, 0.5, -0.4])
    solution = solve(problem, q0, v0, t_end=0.5, step=step, method=method, tolerance=1e-12)
    assert solution.status == "completed"
    return np.concatenate([solution.q[-1], solution.v[-1]])


def check(data: Problem, functions: Problem, method: str, tolerance: float = 1e-12) -> None:
    """Same motion; the tolerance is round-off of sines written in two ways, grown over 50 steps."""
    assert data.is_compiled and not functions.is_compiled
    np.testing.assert_allclose(end(functions, method), end(data, method), atol=tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_torque_functions(method: str) -> None:
    model = swimmer().model()
    data = Problem(model, torque={6: sine(0.3, omega=4.0), 7: sine(0.2, omega=5.0)})
    functions = Problem(model, torque={6: lambda t, q, v: 0.3 * math.sin(4.0 * t), 7: sine(0.2, omega=5.0)})
    check(data, functions, method)


@pytest.mark.parametrize("method", METHODS)
def test_a_controller(method: str) -> None:
    """It adds to the laws, and may drive every coordinate."""
    model = swimmer().model()
    data = Problem(model, torque={6: sine(0.3, omega=4.0), 7: sine(0.2, omega=5.0)})

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([0, 0, 0, 0, 0, 0, 0.1 * math.sin(4.0 * t), 0.2 * math.sin(5.0 * t)])

    check(data, Problem(model, torque={6: sine(0.2, omega=4.0)}, controller=controller), method)


@pytest.mark.parametrize("method", METHODS)
def test_imposed_functions(method: str) -> None:
    model = swimmer().model()
    data = Problem(model, imposed={6: sine(0.3, omega=4.0)}, torque={7: sine(0.2, omega=5.0)})
    motion = function(lambda t: 0.3 * math.sin(4 * t), lambda t: 1.2 * math.cos(4 * t), lambda t: -4.8 * math.sin(4 * t))
    check(data, Problem(model, imposed={6: motion}, torque={7: sine(0.2, omega=5.0)}), method)
    estimated = function(lambda t: 0.3 * math.sin(4 * t))
    check(data, Problem(model, imposed={6: estimated}, torque={7: sine(0.2, omega=5.0)}), method, 1e-7)  # acceleration to 1e-8


def drag_as_function(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
    x = twist[:3]
    return np.concatenate([-(np.array([0.5, 1.0, 2.0]) * x + 0.3 * np.abs(x) * x), -0.1 * twist[3:]])


def anchor_as_function(t: float, rotation: np.ndarray, position: np.ndarray, twist: np.ndarray) -> np.ndarray:
    return np.concatenate([rotation.T @ (-20.0 * (position - np.array([0.3, -0.2, 0.1]))) - 0.7 * twist[:3], np.zeros(3)])


LAWS: list[tuple[object, Callable[..., np.ndarray]]] = [
    (Drag((0.5, 1.0, 2.0), 0.3, 0.1), drag_as_function),
    (Anchor((0.3, -0.2, 0.1), 20.0, 0.7), anchor_as_function),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("law", "same"), LAWS, ids=["drag", "anchor"])
def test_wrench_functions(law: object, same: Callable[..., np.ndarray], method: str) -> None:
    """The function sees the pose and the twist of its own point, in its own axes."""
    check(Problem(swimmer(law).model()), Problem(swimmer(UserLaw(same)).model()), method)


@pytest.mark.parametrize("method", METHODS)
def test_feedback(method: str) -> None:
    """A torque function of the velocity is viscous friction; the end of a variational step is implicit in it."""
    damped = swimmer().changed({"arm 0.viscous": 0.4})
    check(Problem(damped.model()), Problem(swimmer().model(), torque={6: lambda t, q, v: -0.4 * v[6]}), method)


def test_functions_do_not_see_the_state_of_the_solver() -> None:
    """Whatever a controller does to its arguments, the motion stays."""
    model = swimmer().model()

    def vandal(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        q[:], v[:] = 7.0, 7.0
        return np.zeros(8)

    np.testing.assert_array_equal(end(Problem(model, controller=vandal), "rkmk4"), end(Problem(model), "rkmk4"))
