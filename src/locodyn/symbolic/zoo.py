"""Generators for the robots of the zoo, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.locomotion.constraints import Drives
from locodyn.locomotion.problem import Problem
from locodyn.motion import constant
from locodyn.sim import Scenario
from locodyn.symbolic.generator import Generator
from locodyn.symbolic.parameters import symbolic_robot
from locodyn.zoo.registry import make, module

DRIVES = ("torque", "scenario")


def generator(
    name: str,
    parameters: Mapping[str, Any] | None = None,
    symbols: str | Sequence[str] = "none",
    drive: str = "torque",
) -> Generator:
    """The generator of a robot of the zoo.

    Parameters
    ----------
    name : str
        See ``locodyn list``.
    parameters : values that differ from those of the table
    symbols : ``all``, ``none`` or names of parameters that stay symbols
    drive : ``torque``: every joint, and every driven wheel, gets a force as input; ``scenario``: what is imposed there is given
        as motion.

    >>> generator("chaplygin_sleigh", symbols="all").function("reduced").program.size
    7
    """
    if drive not in DRIVES:
        raise InputError(f"there is no drive '{drive}'{nearest(drive, DRIVES)}")
    scenario = make(name, parameters)
    values = {p.name: p.value for p in scenario.parameters}
    about = {p.name: (p.unit, p.meaning) for p in scenario.parameters}
    robot = symbolic_robot(module(name).robot, values, scenario.gravity, symbols, about)
    problem = scenario.problem if drive == "scenario" else torque_driven(scenario)
    start = scenario.initial_state()[0]
    names = scenario.compiled.coordinate_names
    driven = {*scenario.imposed, *scenario.torque, *scenario.servo}
    keep = [i for i, coordinate in enumerate(names) if coordinate in driven]
    return Generator(robot, problem, start, keep)


def torque_driven(scenario: Scenario) -> Problem:
    """The problem of a scenario in which nothing is imposed: motors of joints and wheels give forces. Steering stays given."""
    wheels = {
        w.name: constant(0.0)
        for w in scenario.compiled.wheels
        if w.actuated and w.coordinate < 0 and w.radius is not None and w.contact is None and w.kind != "castor"
    }
    return Problem(scenario.model, drives=Drives(steering=scenario.steering, torque=wheels))
