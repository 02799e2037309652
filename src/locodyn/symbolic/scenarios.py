"""Generators for scenarios: of the zoo by name, of files, of one's own."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.files import scenario_of
from locodyn.locomotion.constraint_rows import Drives
from locodyn.locomotion.problem import Problem, Surroundings
from locodyn.motion import constant
from locodyn.sim import Scenario
from locodyn.symbolic.generator import Generator
from locodyn.symbolic.left_out import left_out
from locodyn.symbolic.numbers import RobotNumbers
from locodyn.symbolic.parameters import SymbolicRobot, symbolic_robot
from locodyn.world.compliant_law import CompliantContact
from locodyn.zoo.registry import ROBOTS, module

DRIVES = ("torque", "scenario")


def generator(
    source: str | Scenario,
    parameters: Mapping[str, Any] | None = None,
    symbols: str | Sequence[str] = "none",
    drive: str = "torque",
) -> Generator:
    """The generator of a robot of the zoo, of a file, or of a scenario of one's own.

    Parameters
    ----------
    source : str or Scenario
        A name (see ``locodyn list``), a file, or a scenario.
    parameters : values that differ from those of the table, or of the file
    symbols : ``all``, ``none`` or names of parameters that stay symbols. A robot of the zoo has the parameters of its table; any
        other those of :class:`~locodyn.symbolic.numbers.RobotNumbers` (``board.mass``, ``front.at.x``; ``board`` for all of it).
    drive : ``torque``: every joint, and every driven wheel, gets a force as input; ``scenario``: what is imposed there is given
        as motion.

    >>> generator("chaplygin_sleigh", symbols="all").function("reduced").program.size
    7
    """
    if drive not in DRIVES:
        raise InputError(f"there is no drive '{drive}'{nearest(drive, DRIVES)}")
    if isinstance(source, Scenario) and parameters:
        raise InputError("parameters go with a name or a file; a scenario has its own already.")
    scenario = source if isinstance(source, Scenario) else scenario_of(source, parameters).scenario
    by_table = isinstance(source, str) and source in ROBOTS and _made_from_its_table(source)
    robot = _from_table(str(source), scenario, symbols) if by_table else _of(scenario, symbols)
    problem = scenario.problem if drive == "scenario" else torque_driven(scenario)
    start = scenario.initial_state()[0]
    names = scenario.compiled.coordinate_names
    driven = {*scenario.drive.imposed, *scenario.drive.torque, *scenario.drive.servo}
    keep = [i for i, coordinate in enumerate(names) if coordinate in driven]
    return Generator(robot, problem, start, keep, left_out(scenario, problem))


def _made_from_its_table(name: str) -> bool:
    """Whether a robot of the zoo follows from its parameters alone."""
    make = getattr(module(name), "robot", None)
    made = inspect.signature(getattr(make, "make", make)).parameters.values() if make is not None else ()
    return sum(p.default is p.empty for p in made) == 1


def _from_table(name: str, scenario: Scenario, symbols: str | Sequence[str]) -> SymbolicRobot:
    """A robot of the zoo with symbols for parameters of its table."""
    values = {p.name: p.value for p in scenario.parameters}
    about = {p.name: (p.unit, p.meaning) for p in scenario.parameters}
    return symbolic_robot(module(name).robot, values, scenario.world.gravity, symbols, about)


def _of(scenario: Scenario, symbols: str | Sequence[str]) -> SymbolicRobot:
    """Any other robot with symbols for its numbers."""
    numbers = RobotNumbers(scenario.compiled.description)
    if symbols not in ("all", "none"):
        symbols = numbers.named([symbols] if isinstance(symbols, str) else symbols)
    return symbolic_robot(numbers.build, numbers.values, scenario.world.gravity, symbols, numbers.units())


def torque_driven(scenario: Scenario) -> Problem:
    """The problem of a scenario in which nothing is imposed: motors of joints and wheels give forces. Steering stays given.

    Of contacts it has those that are laws without memory, on planes; :mod:`locodyn.symbolic.left_out` names the others.
    """
    wheels = {
        w.name: constant(0.0)
        for w in scenario.compiled.wheels
        if w.actuated and w.coordinate < 0 and w.radius is not None and w.contact is None and w.kind != "castor"
    }
    world, drives = scenario.world, Drives(steering=scenario.drive.steering, torque=wheels)
    bare = Problem(scenario.model, drives=drives)
    if not isinstance(world.contact, CompliantContact):
        return bare
    touched = Surroundings(tuple(world.obstacles), world.self_collision, world.contact)
    found = Problem(scenario.model, drives=drives, surroundings=touched)
    return found if writable(found) and found.memories.count == bare.memories.count else bare


def writable(problem: Problem) -> bool:
    """Whether contact laws can be written out: those of balls and points on planes, not those between other surfaces."""
    return problem.wrench_table.laws.pairs is None
