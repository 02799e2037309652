"""A chain of rigid modules with the joint angles of a travelling curvature tends to the body without joints (Ali 2011, 6.5)."""

from __future__ import annotations

import numpy as np
import pytest

import locodyn as ld
from locodyn.zoo import measures
from locodyn.zoo.robots import snake_discretised, soft_snake_friction

pytestmark = pytest.mark.slow


def test_modules_tend_to_the_body() -> None:
    """Pose of the head at 4 s against the equations of the body, for 10, 20 and 40 modules: second order in their length."""
    errors = []
    for n in (10, 20, 40):
        scenario = ld.zoo.snake_discretised(n=n)
        values = {parameter.name: parameter.value for parameter in scenario.parameters}
        pose = measures.final_pose(scenario.run(progress=False)) - (0.0, 0.0, snake_discretised.gait(values).yaw)
        errors.append(np.abs(pose - soft_snake_friction.POSES[20.0]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.3)
