"""Cost of the wheeled snake: linear in the number of modules."""

from __future__ import annotations

import time

import numpy as np
import pytest

from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant, sine
from locodyn.robot import Robot, about_centre


def snake(modules: int) -> Problem:
    """Spec C3: links hinged one behind the other (from the fourth on dependent), a steered axle in the middle of each."""
    length, robot = 0.1, Robot("snake")
    link, axle = {"mass": 0.2, "inertia": about_centre(zz=7e-4)}, {"mass": 0.1, "inertia": about_centre(zz=1e-4)}
    robot.base("b0", moves="planar", **link)
    for k in range(modules):
        if k > 0:
            at = (length if k == 1 else 2 * length, 0, 0)
            robot.body(f"b{2 * k}", centre=(length, 0, 0), **link).on(f"b{2 * k - 2}", at=at).turning("z")
        on = robot.body(f"b{2 * k + 1}", **axle).on(f"b{2 * k}", at=(length if k else 0, 0, 0))
        on.turning("z").wheel(axis="y")
    model = robot.model()
    number = {name: i for i, name in enumerate(model.compiled.coordinate_names)}
    laws = {number[f"b{2 * k + 1}"]: constant(0.0) for k in range(3, modules)}
    for j, (a, p) in enumerate(zip((0.2, 0.6, -0.2, 0.6, 0.2), (1, 9, 0, 7, -1), strict=True)):
        laws[number[f"b{j + 1}"]] = sine(a, omega=1.0, phase=np.pi / 16 * p + 0.3)
    return Problem(model, laws, dependent=[number[f"b{2 * k}"] for k in range(3, modules)])


def test_only_the_base_is_solved_for_however_long_the_snake() -> None:
    """What is factored has the size of the base: three unknowns, three wheels; all other rows are taken up one by one."""
    for modules in (5, 10, 40):
        arrays = snake(modules).constraints.arrays
        assert len(arrays.free) == 3 and len(arrays.active) == 3 and len(arrays.dependent) == modules - 3
        assert arrays.factor.shape == (3, 3)


@pytest.mark.xfail(strict=True, reason="the factor Q of the sharing of forces is formed in full, rows x rows")
def test_no_array_grows_faster_than_the_snake() -> None:
    """Each entry of the workspace is written in each step, so that the work is at least the size of the largest array."""
    short, long = snake(10).constraints.arrays, snake(40).constraints.arrays
    for name, one, two in zip(short._fields, short, long, strict=True):
        assert two.size <= 4.2 * one.size + 3, name  # 79 against 19 joints: 4.16


@pytest.mark.slow
def test_time_of_a_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """CPU time of a step and of a sample (motion, torques, contact forces, energies) for 50 and 200 modules; printed only."""
    found = {}
    for modules in (10, 50, 200):
        problem = snake(modules)
        nv, steps = problem.model.nv, 2000 // modules
        q, v = problem.start_state(0.0, np.zeros(nv), np.zeros(nv))
        times, states, speeds = np.zeros(steps), np.repeat(q[None], steps, 0), np.repeat(v[None], steps, 0)
        step = sample = np.inf
        for _ in range(4):
            began = time.process_time()
            solution = solve(problem, q, v, t_end=0.01 * steps, step=0.01, record_every=steps)
            middle = time.process_time()
            series = problem.series(times, states, speeds)
            step, sample = min(step, middle - began), min(sample, time.process_time() - middle)
        assert solution.status == "completed" and np.isfinite(series["joint_torque"]).all()
        found[modules] = np.array([step, sample]) / steps
    with capsys.disabled():
        for modules, (step, sample) in found.items():
            print(f"\nwheeled snake, {modules} modules: step {1e6 * step:.1f} us, sample {1e6 * sample:.1f} us", end="")
        print(f"\nratio 200 / 50 modules: step {found[200][0] / found[50][0]:.2f}, sample {found[200][1] / found[50][1]:.2f}")
