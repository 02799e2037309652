"""``locodyn convert IN OUT``: a robot from one format into another, with what gets lost."""

from __future__ import annotations

from pathlib import Path

from locodyn.errors import InputError
from locodyn.files import save_robot, scenario_of
from locodyn.robot import CompiledRobot


def convert(name: str, out: Path, moves: str | None, root: Path | None) -> list[str]:
    """Write the robot of a file or of the zoo to ``out``; the lines to print."""
    source = scenario_of(name, moves=moves, root=root)
    robot = source.scenario.robot
    if isinstance(robot, CompiledRobot):
        robot = robot.description
    if out.exists() and Path(name).exists() and out.samefile(name):
        raise InputError(f"'{out}' is the file itself; give another name.")
    losses = save_robot(robot, out)
    lines = [f"reading, {note}" for note in source.notes] + [f"writing, {note}" for note in losses]
    return [*lines, f"wrote {out}"]
