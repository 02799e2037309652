"""The scenario of a robot or scenario file, with settings that replace what the file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files.load import load_for, load_within
from locodyn.files.loaded import Loaded
from locodyn.files.notes import Note
from locodyn.files.reading import XML, YAML, Reading, unknown_ending
from locodyn.files.robot_file import build_robot
from locodyn.files.robot_words import ROBOT
from locodyn.files.scenario_file import build_scenario
from locodyn.files.scenario_words import SCENARIO_KEYS
from locodyn.files.yaml_reader import Entry, parse_yaml, read_yaml
from locodyn.sim import Scenario

_ROBOT_MARKS = ("base", "from", "robots")  # keys that a robot file has and a scenario file has not


def scenario_in(file: Path, settings: Mapping[str, Any], reading: Reading) -> tuple[Scenario, tuple[Note, ...]]:
    """The scenario of a file, and what was said when it was read."""
    ending = file.suffix.lower()
    if ending in YAML:
        return _from_yaml(file, settings, reading)
    if ending in XML:
        return _moving_by_itself(load_within(file, reading), file, settings)
    raise InputError(unknown_ending(file, "read"))


def _from_yaml(file: Path, settings: Mapping[str, Any], reading: Reading) -> tuple[Scenario, tuple[Note, ...]]:
    entry, root = read_yaml(file), reading.within(file)
    if not isinstance(entry.value, dict):
        raise entry.error("a robot or scenario file is a mapping of keys to values.")
    if any(mark in entry.value for mark in _ROBOT_MARKS):
        for option, said in (("--moves", "how its base moves"), ("--collides", "what collides")):
            if option in reading.options():
                raise InputError(f"'{file}' says itself {said}; leave {option} out.")
        load = partial(load_for, seen=(file.resolve(),))
        loaded = build_robot(ROBOT.read(entry, "the robot"), file.stem, file.parent, root, load)
        return _moving_by_itself(loaded, file, settings)
    of_file = {key: value for key, value in settings.items() if key.split(".")[0] in SCENARIO_KEYS}
    for key, value in of_file.items():
        entry = _set(entry, key.split("."), value, key)
    changes = {key: _value(key, value) for key, value in settings.items() if key not in of_file}
    scenario, loaded = build_scenario(entry, file, root, load_for, changes, reading)
    return scenario, loaded.notes


def _moving_by_itself(loaded: Loaded, file: Path, settings: Mapping[str, Any]) -> tuple[Scenario, tuple[Note, ...]]:
    """The scenario of a robot without a drive: all joints are passive."""
    robot, settings = loaded.robot, dict(settings)
    start = str(settings.pop("start")) if "start" in settings and loaded.starts else None
    if settings:
        try:
            robot = robot.changed({key: _value(key, value) for key, value in settings.items()})
        except LocodynError as error:
            raise InputError(str(error)) from None
    return replace(loaded, robot=robot).scenario(file.stem, f"robot of '{file.name}'", start=start), loaded.notes


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
