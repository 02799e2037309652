"""Exact slopes of wrench laws against complex steps of the laws themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from locodyn.kernel import twin
from locodyn.robot.compilation.compiled import CompiledWrench
from locodyn.world import Anchor, ArctanFriction, Drag, Feedback, Sliding, Thrust, Wake, WorldForce
from locodyn.world.law_slopes import law_change
from locodyn.world.law_table import TARGET
from locodyn.world.wrench_table import WrenchTable
from locodyn.world.wrenches import law_wrench
from random_robots import random_rotation

pytestmark = pytest.mark.slow

LAWS: dict[str, Any] = {
    "world force": WorldForce((1, 2, 3), (0.1, 0.2, 0.3)),
    "thrust": Thrust((1, 2, 3), (0.3, 0.2, 0.1)),
    "drag": Drag((0.1, 0.5, 0.5), (1, 2, 3), 0.1),
    "anchor": Anchor((0.1, 0.2, -0.3), stiffness=7.0, damping=0.4),
    "wake": Wake((1.0, 2.0)),
    "sliding": Sliding((0.3, 0.6), 5.0, speed=0.2),
    "wheel": Sliding((0.3, 0.6), 5.0, speed=0.2, coupled=False),
    "arctan": ArctanFriction((0.3, 0.6), 5.0, speed=0.2, viscous=(0.1, 0.2)),
    "feedback": Feedback((20, 21, 22, 23, 24, 25)),
}


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@pytest.mark.parametrize("name", list(LAWS))
def test_slopes(name: str) -> None:
    """Force and moment along random displacements and changes of the twist: to 1e-13."""
    rng = np.random.default_rng(3)
    table = WrenchTable([CompiledWrench("law", "body", 0, np.eye(3), np.zeros(3), LAWS[name])])
    angles = rng.standard_normal((max(1, int(table.laws[0, TARGET]) + 6), 3))
    still, h = np.zeros(6), 1e-30
    for _ in range(5):
        r, p = random_rotation(rng), rng.standard_normal(3)
        x, w, d, t, e, f = rng.standard_normal((6, 3))
        turned, moved = r + 1j * h * r @ hat(t), p + 1j * h * r @ d
        speed, spin = x + 1j * h * e, w + 1j * h * f
        force, moment, _, _ = twin(law_wrench)(
            table.laws, table.parameters, angles, still, 0, tuple(turned.ravel()), tuple(moved), tuple(speed), tuple(spin)
        )
        exact = np.array([*force, *moment]).imag / h
        state = (tuple(np.ravel(r)), *map(tuple, (p, x, w, d, t, e, f)))
        found = np.concatenate(twin(law_change)(table.laws, table.parameters, angles, 0, *state))
        np.testing.assert_allclose(found, exact, atol=1e-13 * (1.0 + np.max(np.abs(exact))))
    assert (np.max(np.abs(exact)) > 0.1) == (name != "thrust")
