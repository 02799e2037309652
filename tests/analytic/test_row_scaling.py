"""Scaling of the constraint rows in implicit steps (Gotelli 2024, E6 of the acceptance list): small steps, any units."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.integrate import solve
from locodyn.locomotion.problem import Problem
from locodyn.robot import GivenSection

pytestmark = pytest.mark.slow


def legs(metre: float, kilogram: float) -> tuple[Problem, np.ndarray, np.ndarray]:
    """Two elastic legs, hinged and pinned, in units of 1/metre and 1/kilogram: the same robot, other numbers."""
    robot = ld.Robot("legs")
    ground = robot.base("ground", moves="fixed")
    stiffness = np.array([1e4] * 3 + [0.2] * 3) * kilogram * metre * np.repeat([1.0, metre**2], 3)
    section = GivenSection(tuple(stiffness), mass=0.03 * kilogram / metre)
    for name, x in (("left", -0.2), ("right", 0.2)):
        hub = robot.body(f"{name}_hub").on(ground, at=(x * metre, 0, 0)).turning("z")
        hub.rod(name, length=metre, section=section, bending=(0, 3), nodes=6)
    robot.loop("pin", "left", "right", joint="revolute", axis="z")
    problem = Problem(robot.model(gravity=(0, 0, 0)))
    names = problem.model.compiled
    q, v = problem.model.neutral(), np.zeros(problem.model.nv)
    angle = float(np.arccos(0.2))
    q[names.position_index("left_hub")], q[names.position_index("right_hub")] = angle, np.pi - angle
    v[names.coordinate_index("left_hub")] = 1.0
    v[names.coordinate_index("left.bending_z.0")] = -1.0 / metre
    return problem, q, v


@pytest.mark.parametrize("step", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("method", ["generalized_alpha", "radau3"])
def test_small_steps(method: str, step: float) -> None:
    """Rows held by positions are 1/(beta h^2) times smaller than the forces: still few corrections, pin closed, smooth forces.

    At 1e-6 s the multipliers of generalized-alpha carry round-off over h^2, 6e-4 N here; those of Radau IIA (velocities) do not.
    """
    problem, q, v = legs(1.0, 1.0)
    run = solve(problem, q, v, t_end=40 * step, step=step, method=method, rho_inf=0.5)
    assert run.status == "completed"
    assert np.mean(run.iterations[1:]) < (7.0 if step > 1e-3 else 3.0)
    tips = [problem.model.pose("left", x)[1] - problem.model.pose("right", x)[1] for x in run.q]
    assert np.max(np.abs(tips)) < 2e-12
    if step < 1e-3:
        assert run.multipliers is not None
        rough = np.max(np.abs(np.diff(run.multipliers[1:, :2], 2, axis=0)))
        assert rough < (2e-3 if (method, step) == ("generalized_alpha", 1e-6) else 2e-3 * np.max(np.abs(run.multipliers[1:, :2])))


def test_units_do_not_matter() -> None:
    """Millimetres and tonnes: the same motion, with the same corrections, as in metres and kilograms."""
    found = []
    for metre, kilogram in ((1.0, 1.0), (1e3, 1e-3)):
        problem, q, v = legs(metre, kilogram)
        run = solve(problem, q, v, t_end=0.5, step=0.01, method="generalized_alpha", rho_inf=0.5)
        assert run.status == "completed"
        found.append((np.array([problem.model.pose("left", x)[1] / metre for x in run.q]), run.iterations))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-8)
    assert abs(int(np.sum(found[0][1])) - int(np.sum(found[1][1]))) <= 5
