"""Convergence: the order of every integrator, measured on driven trees, and what the tolerance promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from locodyn.integrate import METHODS, solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import sine
from locodyn.robot.layout import CODE, DOF_FRAME, HELICAL, REVOLUTE
from locodyn.world import Anchor, Drag
from peers import Case, random_case

pytestmark = pytest.mark.slow

JOINTS = ("spherical", "revolute", "universal", "planar", "helical")


def driven(seed: int, imposed: bool = False, loaded: bool = False) -> tuple[Case, Problem]:
    """A free-floating tree of 5 or 6 bodies with sines as torques; hinges imposed; drag, anchor, springs and friction on it."""
    case = random_case(seed, 6, JOINTS, ("free",), least=5)
    robot = case.robot
    if loaded:
        robot.wrench("water", on="body_2", at=(0.1, 0.0, 0.2), law=Drag(linear=(0.5, 1.0, 2.0), angular=0.3))
        robot.wrench("rope", on="body_1", law=Anchor((1.0, 0.0, 1.0), 5.0, 0.5))
        for name in case.model.compiled.joint_names[1:]:
            if case.model.compiled.joint_types[case.model.compiled.joint_index(name)] != "planar":
                robot = robot.changed({f"{name}.stiffness": 2.0, f"{name}.viscous": 0.3})
    model = robot.model()
    laws = {i: sine(0.5, omega=2.0 + 0.1 * i, phase=i) for i in range(6, model.nv)}
    held = {i: law for i, law in laws.items() if imposed and model.frames[model.dofs[i, DOF_FRAME], CODE] in (REVOLUTE, HELICAL)}
    assert bool(held) == imposed
    return case, Problem(model, imposed=held, torque={i: law for i, law in laws.items() if i not in held})


def end_state(case: Case, problem: Problem, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    solution = solve(problem, case.q, 0.5 * case.v, t_end=1.0, **options)
    assert solution.status == "completed" and solution.times[-1] == pytest.approx(1.0)
    return solution.q[-1], solution.v[-1]


def distance(problem: Problem, found: tuple[np.ndarray, np.ndarray], wanted: tuple[np.ndarray, np.ndarray]) -> float:
    return float(max(np.abs(problem.model.difference(wanted[0], found[0])).max(), np.abs(wanted[1] - found[1]).max()))


def slopes(case: Case, problem: Problem, method: str, steps: tuple[int, ...]) -> np.ndarray:
    reference = end_state(case, problem, step=1.0, method="adaptive", tolerance=1e-13)
    errors = []
    for count in steps:
        found = end_state(case, problem, step=1.0 / count, method=method, record_every=count, tolerance=1e-12)
        errors.append(distance(problem, found, reference))
    return np.log(np.array(errors[:-1]) / np.array(errors[1:])) / np.log(np.array(steps[1:]) / np.array(steps[:-1]))


CASES = [(2, False, False), (3, False, False), (4, False, False), (3, True, False), (4, True, True), (2, False, True)]


@pytest.mark.parametrize(("seed", "imposed", "loaded"), CASES)
def test_order_of_rkmk4(seed: int, imposed: bool, loaded: bool) -> None:
    found = slopes(*driven(seed, imposed, loaded), "rkmk4", (100, 200, 400))
    np.testing.assert_allclose(found, METHODS["rkmk4"].order, atol=0.15)  # measured 3.98 to 4.04


@pytest.mark.parametrize(("seed", "imposed", "loaded"), CASES)
def test_order_of_the_variational_integrator(seed: int, imposed: bool, loaded: bool) -> None:
    found = slopes(*driven(seed, imposed, loaded), "variational", (200, 400, 800))
    np.testing.assert_allclose(found, METHODS["variational"].order, atol=0.15)  # measured 1.98 to 2.01


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_adaptive_error_follows_the_tolerance(seed: int) -> None:
    """The error at the end is the tolerance times the growth of errors over the run (measured below 7) at every tolerance."""
    case, problem = driven(seed)
    reference = end_state(case, problem, step=1.0, method="adaptive", tolerance=1e-13)
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        found = end_state(case, problem, step=1.0, method="adaptive", tolerance=tolerance)
        assert distance(problem, found, reference) < 30.0 * tolerance


def test_three_methods_agree() -> None:
    """On a problem with everything in it, to the accuracy of each."""
    case, problem = driven(4, imposed=True, loaded=True)
    reference = end_state(case, problem, step=1.0, method="adaptive", tolerance=1e-13)
    assert distance(problem, end_state(case, problem, step=1e-3, method="rkmk4", record_every=1000), reference) < 1e-9
    assert distance(problem, end_state(case, problem, step=1e-3, method="variational", record_every=1000), reference) < 1e-3


def test_dense_output() -> None:
    """States between the steps are as good as those at their ends: samples every 1/97 s against runs that end there."""
    case, problem = driven(3)
    tolerance = 1e-9
    solution = solve(problem, case.q, 0.5 * case.v, t_end=1.0, step=1.0 / 97.0, method="adaptive", tolerance=tolerance)
    assert len(solution.times) == 98
    assert solution.evaluations < 97 * 8  # fewer than one step for each sample: most samples lie inside a step
    for row in (1, 13, 50, 77, 96):
        exact = solve(problem, case.q, 0.5 * case.v, t_end=solution.times[row], step=5.0, method="adaptive", tolerance=1e-13)
        found = solution.q[row], solution.v[row]
        assert exact.times[-1] == solution.times[row]  # the end is recorded, also when it comes before the first interval
        assert distance(problem, found, (exact.q[-1], exact.v[-1])) < 30.0 * tolerance  # as at the ends of the steps
