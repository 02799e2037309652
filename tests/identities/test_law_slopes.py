"""Exact slopes of wrench laws against complex steps of the laws themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kernel_robots import compliant
from locodyn.kernel import twin
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.world import Anchor, ArctanFriction, Drag, Feedback, LuGre, Sliding, Thrust, Wake, WorldForce
from locodyn.world.law_slopes import law_change
from locodyn.world.wrench_table import WrenchTable
from locodyn.world.wrenches import law_rates, law_wrench
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
    "feedback with an integral": Feedback((20, 21, 22, 23, 24, 25), (1, 2, 3, 4, 5, 6)),
    "bristles": LuGre(2.0, 30.0, static=3.0, speed=0.8, damping=4.0, viscous=0.5),
    "bristles by direction": LuGre((2.0, 1.2), (30.0, 20.0), (3.0, 2.5), 0.8, damping=(4.0, 2.0), viscous=(0.5, 0.1)),
    "compliant feet with bristles": compliant("lugre"),
    "compliant feet that give all back": compliant("regularised", normal="same_height", exponent=2),
    "compliant feet on springs that slip": compliant("stick_slip", grip_stiffness=1.0, grip_damping=0.3),
    "compliant feet on springs that stick": compliant("stick_slip", grip_stiffness=0.01, grip_damping=0.01),
    "springs and dampers": compliant("regularised", normal="linear"),
}


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


@pytest.mark.parametrize("name", list(LAWS))
def test_slopes(name: str) -> None:
    """Force, moment and rates of the states along random displacements, changes of the twist and of the states: to 1e-13."""
    rng, states = np.random.default_rng(3), np.random.default_rng(4)
    table = WrenchTable([CompiledWrench("law", "body", 0, np.eye(3), np.zeros(3), LAWS[name])])
    angles = rng.standard_normal((max(1, int(table.laws.target[0]) + 6), 3))
    count, h = len(LAWS[name].states), 1e-30
    for _ in range(5):
        r, p = random_rotation(rng), rng.standard_normal(3)
        x, w, d, t, e, f = rng.standard_normal((6, 3))
        z, dz = states.standard_normal((2, 6))
        turned, moved = r + 1j * h * r @ hat(t), p + 1j * h * r @ d
        speed, spin = x + 1j * h * e, w + 1j * h * f
        memory = SimpleNamespace(value=z + 1j * h * dz, rate=np.zeros(6, dtype=complex))
        there = (tuple(turned.ravel()), tuple(moved), tuple(speed), tuple(spin))
        if count:
            twin(law_rates)(table.laws, angles, memory, 0, *there)
        force, moment, _, _ = twin(law_wrench)(table.laws, angles, memory, 0, *there)
        exact = np.array([*force, *moment, *memory.rate]).imag / h
        state = (tuple(np.ravel(r)), *map(tuple, (p, x, w, d, t, e, f, dz)))
        here = SimpleNamespace(value=z, rate=np.zeros(6))
        found = np.concatenate(twin(law_change)(table.laws, angles, here, 0, *state))
        np.testing.assert_allclose(found, exact, atol=1e-13 * (1.0 + np.max(np.abs(exact))))
    assert (np.max(np.abs(exact)) > 0.1) == (name != "thrust")
