"""Bad input about laws with memory: one plain sentence each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import locodyn as ld
from locodyn.errors import LocodynError
from locodyn.integrate import Past, solve
from locodyn.locomotion.memories import ControllerWithMemory
from locodyn.symbolic.problem import SymbolicProblem


def slider(**actuator: Any) -> ld.Robot:
    robot = ld.Robot("slider")
    robot.body("mass", mass=2.0).on(robot.base("ground", moves="fixed")).sliding("x").actuator(**actuator)
    return robot


def scenario(robot: ld.Robot, **words: Any) -> ld.Scenario:
    return ld.Scenario("slider", robot, gravity=(0.0, 0.0, 0.0), **words)


ROUGH = {"bristles": ld.LuGre(1.0, 1e4)}
MADE: list[tuple[Callable[[], Any], str]] = [
    (lambda: ld.LuGre(0.0, 1e4), "the coulomb of a LuGre law is 0; it must be positive."),
    (lambda: ld.LuGre(1.0, -1.0), "the stiffness of a LuGre law is -1.0; it must be a finite number, zero or more."),
    (
        lambda: ld.LuGre(2.0, 1e4, static=1.0),
        "the static friction of a LuGre law is 1 and its Coulomb friction 2; the first must not be smaller.",
    ),
    (lambda: slider(bristles=0.3).description, "The bristles of joint 'mass' are 0.3: they must be a LuGre law."),
    (lambda: slider(time_constant=-0.1).description, "The time_constant of joint 'mass' is -0.1, but it must not be negative."),
    (
        lambda: ld.UserLaw(lambda *given: np.zeros(6), memory="lag"),  # type: ignore[arg-type]
        "the memory of a UserLaw is 'lag'; it must be names with units, such as {'lag': 'N'}.",
    ),
    (
        lambda: ControllerWithMemory(lambda *given: given, {}),
        "a ControllerWithMemory needs a function of (t, q, v, z), and names",
    ),
    (
        lambda: scenario(slider(**ROUGH), start=ld.Start(memory={"mass.bristle": 1.0})).initial_memory(),
        "the start gives 'mass.bristle' a value, which no law remembers",
    ),
    (
        lambda: ld.statics(slider(**ROUGH)),
        "statics takes laws with memory whose states are determined at rest, as those of actuators that lag; 'mass.bristles' may",
    ),
    (
        lambda: SymbolicProblem(scenario(slider(**ROUGH)).problem),
        "the law of 'mass' has states of its own; only laws without memory can be written out.",
    ),
    (
        lambda: solve(scenario(slider(**ROUGH)).problem, [0.0], [0.0], method="quasi_static"),
        "the integrator 'quasi_static' takes no laws with memory, such as 'mass': rest does not determine their states",
    ),
    (
        lambda: solve(scenario(slider(**ROUGH)).problem, [0.0], [0.0], past=Past([0.0, 1.0])),
        "the memory at the start is [0.0, 1.0]; it must be 1 finite numbers.",
    ),
]


@pytest.mark.parametrize("action, sentence", MADE)
def test_a_sentence(action: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(LocodynError) as told:
        action()
    assert str(told.value).startswith(sentence)


def test_functions_return_as_many_rates_as_states() -> None:
    robot = slider()
    robot.wrench("lag", on="mass", law=ld.UserLaw(lambda t, r, p, twist, z: (np.zeros(6), [1.0, 2.0]), {"z": "N"}))
    problem = scenario(robot).problem
    with pytest.raises(LocodynError, match="the law of wrench 'lag' has 1 states; it must return its wrench and their 1 rates"):
        problem.read_inputs(0.0, np.zeros(1), np.zeros(1))
    for wrong in (np.zeros(6), (np.zeros(6), "z"), None):
        robot = slider()
        robot.wrench("lag", on="mass", law=ld.UserLaw(lambda t, r, p, twist, z, wrong=wrong: wrong, {"z": "N"}))
        with pytest.raises(LocodynError, match="it must return its wrench and their 1 rates"):
            scenario(robot).problem.read_inputs(0.0, np.zeros(1), np.zeros(1))
    controller = ControllerWithMemory(lambda t, q, v, z: (np.zeros(1), [1.0, 2.0]), {"z": "N"})
    problem = scenario(slider(), controller=controller).problem
    with pytest.raises(LocodynError, match="the controller returned 2 rates; it has 1 states"):
        problem.read_inputs(0.0, np.zeros(1), np.zeros(1))
