"""Predictor and corrector of Adams: its order, its charts against Mauny's quaternions, kinks, evaluations, going on."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from locodyn.integrate import METHODS, Past, solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, polynomial, samples, sine
from locodyn.robot import Robot, about_centre
from locodyn.zoo.registry import make
from wheeled_cases import snakeboard

pytestmark = pytest.mark.slow

State = tuple[np.ndarray, np.ndarray]


def free_body() -> tuple[Problem, np.ndarray, np.ndarray]:
    """Three different moments, all rates excited."""
    robot = Robot("stone")
    robot.base("stone", mass=2.0, centre=(0.1, 0.0, 0.05), inertia=about_centre(np.diag([0.2, 0.3, 0.4])))
    problem = Problem(robot.model())
    return problem, problem.model.neutral(), np.array([0.5, -0.2, 1.0, 3.0, 2.0, -1.0])


def heavy_top() -> tuple[Problem, np.ndarray, np.ndarray]:
    scenario = make("heavy_top", {"Omega": (-1.0, 0.5, 20.0)})
    return scenario.problem, *scenario.initial_state()


def chain() -> tuple[Problem, np.ndarray, np.ndarray]:
    """Four rods on spherical joints."""
    scenario = make("pendulum", {"n": 4, "joints": "spherical"})
    problem = scenario.problem
    return problem, problem.model.neutral(), 0.8 * np.cos(np.arange(problem.model.nv))


CASES = {"free body": free_body, "heavy top": heavy_top, "pendulum chain": chain, "snakeboard": partial(snakeboard, 6.0)}


def end(problem: Problem, q: np.ndarray, v: np.ndarray, **options: Any) -> State:
    solution = solve(problem, q, v, t_end=1.0, **options)
    assert solution.status == "completed" and solution.times[-1] == pytest.approx(1.0)
    return solution.q[-1], solution.v[-1]


def distance(problem: Problem, found: State, wanted: State) -> float:
    return float(max(np.abs(problem.model.difference(wanted[0], found[0])).max(), np.abs(found[1] - wanted[1]).max()))


@pytest.mark.parametrize("name", CASES)
def test_order(name: str) -> None:
    """Against the adaptive method at its tightest; measured slopes 4.9 to 5.1."""
    problem, q, v = CASES[name]()
    reference = end(problem, q, v, step=1.0, method="adaptive", tolerance=1e-13)
    errors = [distance(problem, end(problem, q, v, step=1 / n, method="adams"), reference) for n in (100, 200, 400)]
    slope = 0.5 * np.log2(errors[0] / errors[-1])
    assert slope == pytest.approx(METHODS["adams"].order, abs=0.3), errors


def quaternion_adams(problem: Problem, q: np.ndarray, v: np.ndarray, count: int) -> State:
    """Mauny's own way (2017): components of the quaternion advance linearly and are normalised; from rkmk4's start."""
    h = 1.0 / count

    def rates(state_q: np.ndarray, state_v: np.ndarray) -> np.ndarray:
        w, x, y, z = state_q
        product = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
        return np.concatenate([0.5 * product @ state_v, problem.accelerations(0.0, state_q.copy(), state_v.copy())])

    start = solve(problem, q, v, t_end=3 * h, step=h)
    past = [rates(start.q[k], start.v[k]) for k in (3, 2, 1, 0)]
    state = np.concatenate([start.q[3], start.v[3]])
    for _ in range(count - 3):
        f0, f1, f2, f3 = past
        guess = state + h / 24 * (55 * f0 - 59 * f1 + 37 * f2 - 9 * f3)
        guess[:4] /= np.linalg.norm(guess[:4])
        state = state + h / 720 * (251 * rates(guess[:4], guess[4:]) + 646 * f0 - 264 * f1 + 106 * f2 - 19 * f3)
        state[:4] /= np.linalg.norm(state[:4])
        past = [rates(state[:4], state[4:]), f0, f1, f2]
    return state[:4], state[4:]


def test_charts_against_linear_quaternions() -> None:
    """Both find the motion of the heavy top with order 5; in charts the error is smaller (measured: see docs/integrators.md)."""
    problem, q, v = heavy_top()
    reference = end(problem, q, v, step=1.0, method="adaptive", tolerance=1e-13)
    charts, linear = (
        [distance(problem, find(n), reference) for n in (200, 400)]
        for find in (
            lambda n: end(problem, q, v, step=1 / n, method="adams"),
            lambda n: quaternion_adams(problem, q, v, n),
        )
    )
    assert np.log2(linear[0] / linear[1]) == pytest.approx(5.0, abs=0.5)
    assert charts[1] < linear[1], (charts, linear)


def test_a_screw_is_exact() -> None:
    """A ball in free fall without gravity moves along one screw: the formulas leave no error but round-off."""
    robot = Robot("ball")
    robot.base("ball", mass=1.0, inertia=about_centre(np.diag([0.3, 0.3, 0.3])))
    problem = Problem(robot.model(gravity=(0, 0, 0)))
    v = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 5.0])
    q, _ = end(problem, problem.model.neutral(), v, step=0.1, method="adams")
    np.testing.assert_allclose(q, problem.model.move(problem.model.neutral(), v), atol=1e-14)


def test_two_evaluations_a_step() -> None:
    problem, q, v = free_body()
    assert solve(problem, q, v, t_end=1.0, step=0.01, method="adams").evaluations == 1 + 3 * 5 + 97 * 2


def test_a_kink_starts_it_anew() -> None:
    """A torque with a corner on a step: order 5 all the same, and only because the history is dropped there."""
    robot = Robot("wheel")
    robot.base("ground", moves="fixed")
    robot.body("wheel", mass=1.0, centre=(0.2, 0, 0), inertia=about_centre(zz=0.1)).on("ground").turning("z")
    corner = samples([0.0, 0.5, 2.0], [0.0, 3.0, -2.0])
    assert corner.kinks == (0.5,)
    problem = Problem(robot.model(gravity=(0, -9.81, 0)), torque={0: corner})
    before = Problem(problem.model, torque={0: polynomial(0.0, 6.0)})
    after = Problem(problem.model, torque={0: polynomial(3.0 + 0.5 * 10 / 3, -10 / 3)})
    tight: dict[str, Any] = {"method": "adaptive", "tolerance": 1e-13, "step": 1.0}
    half = solve(before, [0.3], [0.0], t_end=0.5, **tight)
    whole = solve(after, half.q[-1], half.v[-1], t0=0.5, t_end=1.0, **tight)
    reference = whole.q[-1], whole.v[-1]
    start = np.array([0.3]), np.zeros(1)
    errors = [distance(problem, end(problem, *start, step=1 / n, method="adams"), reference) for n in (40, 80)]
    assert np.log2(errors[0] / errors[1]) > 4.5, errors


@pytest.mark.parametrize("name", ["heavy top", "snakeboard"])
def test_going_on_gives_the_same_bits(name: str) -> None:
    """With the history; without it the run starts anew and differs by its error."""
    problem, q, v = CASES[name]()
    whole = solve(problem, q, v, t_end=0.4, step=0.01, method="adams")
    half = solve(problem, q, v, t_end=0.2, step=0.01, method="adams")
    rows = problem.constraints.kept().size if problem.constraints.rows else 0
    assert half.history is not None and half.history.size == rows + 1 + 4 * (problem.model.nq + 2 * problem.model.nv)
    options: dict[str, Any] = {"t0": 0.2, "t_end": 0.4, "step": 0.01, "method": "adams"}
    rest = solve(problem, half.q[-1], half.v[-1], past=Past(origin=0.0, history=half.history), **options)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    anew = solve(problem, half.q[-1], half.v[-1], past=Past(origin=0.0), **options)
    assert np.abs(anew.q[-1] - whole.q[-1]).max() > 1e-12


def test_history_is_that_of_the_last_record() -> None:
    """Also where steps follow that are not recorded; a method without memory has none."""
    problem, q, v = free_body()
    options: dict[str, Any] = {"step": 0.01, "method": "adams", "record_every": 3}
    part = solve(problem, q, v, t_end=0.1, **options)
    assert part.times[-1] == 0.09
    rest = solve(problem, part.q[-1], part.v[-1], t0=0.09, t_end=0.18, past=Past(origin=0.0, history=part.history), **options)
    np.testing.assert_array_equal(rest.q[-1], solve(problem, q, v, t_end=0.18, **options).q[-1])
    assert solve(problem, q, v, t_end=0.1, step=0.01, method="rkmk4").history is None


def test_python_loop_takes_the_same_steps() -> None:
    """A torque as a function, on wheels: the pieces one by one."""
    robot = Robot("cart")
    robot.base("cart", mass=2.0, inertia=about_centre(zz=0.2), centre=(0.1, 0, 0), moves="planar").wheel(axis="y")
    robot.body("arm", mass=1.0, centre=(0.3, 0, 0), inertia=about_centre(zz=0.02)).on("cart").turning("z")
    model = robot.model()
    law = sine(0.4, omega=3.0) + constant(0.1)
    fast, slow = Problem(model, torque={3: law}), Problem(model, torque={3: lambda t, q, v: law(t)})
    assert fast.is_compiled and not slow.is_compiled
    one, two = (solve(p, np.zeros(4), np.array([0.5, 0, 0.2, 0]), t_end=0.3, step=0.01, method="adams") for p in (fast, slow))
    np.testing.assert_allclose(two.q, one.q, atol=1e-14)
    assert one.evaluations == two.evaluations
