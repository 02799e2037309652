"""What a command means by a name: a scenario of the zoo, or a file. All commands ask here."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from locodyn.errors import InputError
from locodyn.files.notes import Note
from locodyn.files.reading import ENDINGS, Reading, is_file_name
from locodyn.sim import Scenario
from locodyn.zoo import NAMED, ROBOTS, make


@dataclass(frozen=True)
class Source:
    """A scenario with what was said when it was read."""

    scenario: Scenario
    notes: tuple[Note, ...] = field(default=())


def scenario_of(
    name: str | Path,
    settings: Mapping[str, object] | None = None,
    *,
    moves: str | None = None,
    root: str | Path | None = None,
    collides: bool | None = None,
) -> Source:
    """The scenario of the zoo with this name, or that of a file.

    Parameters
    ----------
    name : str
        A name of the zoo, or a file: a scenario (yaml), or a robot (yaml, urdf, xml), which then moves by itself.
    settings : mapping
        ``--set key=value``. Of the zoo: its parameters. Of a file: a key of the scenario file with dots between the levels
        (``time.end``, ``drives.imposed.rotor.sine.omega``), or a parameter of the robot (``board.mass``).
    moves : str
        How the base of a URDF file moves.
    root : folder
        All files that the file names must lie in there; by default the folder of the file, or the ROS package of a URDF or MJCF.
    collides : bool
        Whether the collision shapes of a URDF or MJCF file become surfaces of hard contact, see :func:`load_robot`.
    """
    return read_source(name, settings, Reading(moves, None if root is None else Path(root), collides))


def read_source(name: str | Path, settings: Mapping[str, object] | None = None, reading: Reading | None = None) -> Source:
    """As :func:`scenario_of`, with the options of reading in one."""
    reading = Reading() if reading is None else reading
    values = dict(settings or {})
    text = str(name)
    known = text in ROBOTS or text in NAMED
    if known or not is_file_name(text):
        if not known and text.endswith(".nc"):
            raise InputError(
                f"'{text}' is a result, if it is there: plot, report and view show it, run --resume goes on with it."
            )
        if not known and os.path.exists(text):
            raise InputError(f"'{text}' is not a robot file: its ending must be one of {', '.join(ENDINGS)}.")
        if reading.options():
            raise InputError(f"'{text}' is a name of the zoo; --moves, --root and --collides go with a file.")
        return Source(make(text, values))
    from locodyn.files.file_source import scenario_in

    scenario, notes = scenario_in(Path(text), values, reading)
    words = [text, *(f"--set {key}={value}" for key, value in values.items())]
    words += [f"{option} {value}".strip() for option, value in reading.options().items()]
    command = " ".join(shlex.quote(part) for word in words for part in word.split(" ", 1))
    return Source(scenario.changed(source=command), notes)
