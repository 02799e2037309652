"""``locodyn convert IN OUT``: a robot from one format into another, with what gets lost."""

from __future__ import annotations

from pathlib import Path

from locodyn.errors import InputError
from locodyn.files import Note, save_robot
from locodyn.files.notes import Notes
from locodyn.files.reading import Reading
from locodyn.files.source import read_source
from locodyn.robot import CompiledRobot
from locodyn.sim import Scenario

_DRIVES = (
    "imposed",
    "torque",
    "servo",
    "dependent",
    "steering",
    "rolling",
    "wheel_torque",
    "tension",
    "tendon_length",
    "pressure",
    "activation",
    "load",
    "desired",
)
_ELSEWHERE = "what drives a robot goes into a scenario file"


def convert(name: str, out: Path, reading: Reading | None = None) -> list[str]:
    """Write the robot of a file or of the zoo to ``out``; the lines to print."""
    source = read_source(name, None, reading)
    robot = source.scenario.robot
    if isinstance(robot, CompiledRobot):
        robot = robot.description
    if out.exists() and Path(name).exists() and out.samefile(name):
        raise InputError(f"'{out}' is the file itself; give another name.")
    losses = (*save_robot(robot, out), *drives(source.scenario), *obstacles(source.scenario))
    lines = [f"reading, {note}" for note in source.notes] + [f"writing, {note}" for note in losses]
    return [*lines, f"wrote {out}"]


def drives(scenario: Scenario) -> tuple[Note, ...]:
    """What drives the robot: no robot file holds it."""
    notes = Notes()
    for kind in _DRIVES:
        for name in getattr(scenario.drive, kind):
            notes.lost(f"{kind} '{name}'", _ELSEWHERE)
    for place, _, _ in scenario.drive.speeds:
        notes.lost(f"speed of '{place}'", _ELSEWHERE)
    if scenario.drive.controller is not None:
        notes.lost(f"controller of '{scenario.name}'", "no file holds a function; give it in Python")
    if scenario.phases is not None:
        notes.lost(f"phases of '{scenario.name}'", "what a robot goes through belongs into a scenario file")
    return notes.all()


def obstacles(scenario: Scenario) -> tuple[Note, ...]:
    """What the robot hits."""
    notes = Notes()
    for obstacle in scenario.world.obstacles:
        notes.lost(f"obstacle '{obstacle.name}'", "what a robot hits goes into a scenario file, or into MJCF by 'locodyn export'")
    return notes.all()
