"""What a command means by a name: a scenario of the zoo, or a file. All commands ask here."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files.load import ENDINGS, XML, YAML, Reading, is_file_name, load_for, load_within, unknown_ending
from locodyn.files.loaded import Loaded
from locodyn.files.notes import Note
from locodyn.files.robot_file import build_robot
from locodyn.files.robot_words import ROBOT
from locodyn.files.scenario_file import build_scenario
from locodyn.files.scenario_words import SCENARIO_KEYS
from locodyn.files.yaml_reader import Entry, parse_yaml, read_yaml
from locodyn.sim import Scenario
from locodyn.zoo import NAMED, ROBOTS, make

_ROBOT_MARKS = ("base", "from", "robots")  # keys that a robot file has and a scenario file has not


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
    given = dict(settings or {})
    text = str(name)
    known = text in ROBOTS or text in NAMED
    if known or not is_file_name(text):
        if not known and os.path.exists(text):
            raise InputError(f"'{text}' is not a robot file: its ending must be one of {', '.join(ENDINGS)}.")
        if reading.options():
            raise InputError(f"'{text}' is a name of the zoo; --moves, --root and --collides go with a file.")
        return Source(make(text, given))
    file = Path(text)
    ending = file.suffix.lower()
    if ending in YAML:
        source = _from_yaml(file, given, reading)
    elif ending in XML:
        source = _moving_by_itself(load_within(file, reading), file, given)
    else:
        raise InputError(unknown_ending(file, "read"))
    words = [text, *(f"--set {key}={value}" for key, value in given.items())]
    words += [f"{option} {value}".strip() for option, value in reading.options().items()]
    command = " ".join(shlex.quote(part) for word in words for part in word.split(" ", 1))
    return Source(source.scenario.changed(source=command), source.notes)


def _from_yaml(file: Path, given: Mapping[str, Any], reading: Reading) -> Source:
    entry, root = read_yaml(file), reading.within(file)
    if not isinstance(entry.value, dict):
        raise entry.error("a robot or scenario file is a mapping of keys to values.")
    if any(mark in entry.value for mark in _ROBOT_MARKS):
        for option, said in (("--moves", "how its base moves"), ("--collides", "what collides")):
            if option in reading.options():
                raise InputError(f"'{file}' says itself {said}; leave {option} out.")
        load = partial(load_for, seen=(file.resolve(),))
        loaded = build_robot(ROBOT.read(entry, "the robot"), file.stem, file.parent, root, load)
        return _moving_by_itself(loaded, file, given)
    of_file = {key: value for key, value in given.items() if key.split(".")[0] in SCENARIO_KEYS}
    for key, value in of_file.items():
        entry = _set(entry, key.split("."), value, key)
    changes = {key: _value(key, value) for key, value in given.items() if key not in of_file}
    scenario, loaded = build_scenario(entry, file, root, load_for, changes, reading)
    return Source(scenario, loaded.notes)


def _moving_by_itself(loaded: Loaded, file: Path, given: Mapping[str, Any]) -> Source:
    """The scenario of a robot without a drive: all joints are passive."""
    robot, given = loaded.robot, dict(given)
    start = str(given.pop("start")) if "start" in given and loaded.starts else None
    if given:
        try:
            robot = robot.changed({key: _value(key, value) for key, value in given.items()})
        except LocodynError as error:
            raise InputError(str(error)) from None
    return Source(replace(loaded, robot=robot).scenario(file.stem, f"robot of '{file.name}'", start=start), loaded.notes)


def _value(key: str, value: Any) -> Any:
    """The value of ``--set key=value``: text is read as YAML, ``1,2,3`` as a list."""
    if not isinstance(value, str):
        return value
    text = f"[{value}]" if "," in value and not value.lstrip().startswith("[") else value
    return parse_yaml(text, f"--set {key}").plain


def _set(entry: Entry, path: list[str], value: Any, key: str) -> Entry:
    """A copy of the tree with another value at ``path``; a name with dots in it may take several words of the path, and entries
    of a list are counted from 1.
    """
    if isinstance(entry.value, list):
        return _set_entry(entry, path, value, key)
    if not isinstance(entry.value, dict):
        raise InputError(f"--set {key} leads into a value, not to a key.")
    for count in range(len(path), 0, -1):
        name = ".".join(path[:count])
        if count == len(path) and (name in entry.value or count == 1):
            text = f"[{value}]" if isinstance(value, str) and "," in value and value[:1] not in "[{" else str(value)
            new = parse_yaml(text, f"--set {key}")
            return Entry({**entry.value, name: new}, entry.line, entry.file)
        if name in entry.value:
            inner = _set(entry.value[name], path[count:], value, key)
            return Entry({**entry.value, name: inner}, entry.line, entry.file)
    raise InputError(f"--set {key}: the file has no '{path[0]}' there{nearest(path[0], entry.value)}")


def _set_entry(entry: Entry, path: list[str], value: Any, key: str) -> Entry:
    """The same in one entry of a list, such as ``obstacles.2.cylinder.radius``."""
    count = len(entry.value)
    if not (path[0].isdigit() and 1 <= int(path[0]) <= count and len(path) > 1):
        raise InputError(f"--set {key}: there stands a list of {count}; say which entry, from 1 to {count}, and what of it.")
    items = list(entry.value)
    items[int(path[0]) - 1] = _set(items[int(path[0]) - 1], path[1:], value, key)
    return Entry(items, entry.line, entry.file)
