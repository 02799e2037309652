"""What a study runs: a scenario of the zoo or of a file, one made in Python, or a function that makes one; and its parameters.

All of them know ``t_end``, ``dt`` and, where they have no parameter of that name, ``start.NAME`` (a position at the start) and
``start_velocity.NAME``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Scenario
from locodyn.study.axes import Axis

Maker = Callable[..., Scenario]
NUMERICS = {"t_end": "s", "dt": "s"}
_START, _VELOCITY = "start.", "start_velocity."
_VOLATILE = ("created", "python_version", "command", "summary", "record", "parameter_table")


@dataclass(frozen=True, eq=False)
class Subject:
    """A source of scenarios: a name or file (``file.py:function`` too), a Scenario, or a function of the parameters.

    ``settings``: parameters that all runs share, as after ``--set``.
    """

    source: str | Scenario | Maker
    settings: Mapping[str, Any] = field(default_factory=dict)

    def scenario(self, values: Mapping[str, Any]) -> Scenario:
        """The scenario of one run."""
        settings = {**self.settings, **values}
        later = {name: settings.pop(name) for name in list(settings) if self._is_common(name)}
        return _with_common(self._made(settings), later)

    def _made(self, settings: dict[str, Any]) -> Scenario:
        if isinstance(self.source, Scenario):
            if not settings:
                return self.source
            robot: Any = self.source.robot
            if not hasattr(robot, "changed"):
                name = next(iter(settings))
                raise InputError(f"the robot of '{self.source.name}' is compiled: make the scenario of a Robot to vary '{name}'.")
            return self.source.changed(robot=robot.changed(settings))
        if isinstance(self.source, str) and not _is_function(self.source):
            from locodyn.files.source import scenario_of

            return scenario_of(self.source, settings).scenario
        make = loaded(self.source) if isinstance(self.source, str) else self.source
        try:
            found = make(**settings)
        except TypeError as error:
            raise InputError(
                f"the function '{self.name}' cannot be called with {', '.join(settings) or 'nothing'}: {error}."
            ) from None
        if not isinstance(found, Scenario):
            raise InputError(f"the function '{self.name}' gave {type(found).__name__}; it must give a Scenario.")
        return found

    def _is_common(self, name: str) -> bool:
        if name in NUMERICS:
            return not any(name in (p.name, *p.aliases) for p in self._table())
        is_start = name.startswith((_START, _VELOCITY))
        return is_start and not (isinstance(self.source, str) and Path(self.source).suffix.lower() in (".yaml", ".yml"))

    def _table(self) -> tuple[Any, ...]:
        from locodyn.zoo.registry import NAMED, ROBOTS, module

        if not isinstance(self.source, str) or self.source not in (*ROBOTS, *NAMED):
            return ()
        found: tuple[Any, ...] = module(NAMED[self.source][0] if self.source in NAMED else self.source).PARAMETERS
        return found

    def check_name(self, name: str) -> None:
        """Refuse a parameter that a scenario of the zoo or of Python does not have; files and functions tell later."""
        known: list[str] = []
        if isinstance(self.source, Scenario):
            known = list(getattr(self.source.robot, "parameters", ()))
        elif table := self._table():
            known = [own for p in table for own in (p.name, *p.aliases)]
        if known and name not in known and not self._is_common(name):
            raise InputError(f"'{self.name}' has no parameter '{name}'{nearest(name, [*known, *NUMERICS])}")
        if name in self.settings:
            raise InputError(f"'{name}' is both set and varied; leave one out.")

    def unit(self, name: str) -> str:
        """The unit of a parameter where the zoo tells it; else empty, for SI."""
        if name in NUMERICS:
            return NUMERICS[name]
        return next((p.unit for p in self._table() if name in (p.name, *p.aliases)), "")

    def is_whole(self, name: str) -> bool:
        """Whether a parameter of the zoo is a whole number."""
        found = next((p.value for p in self._table() if name in (p.name, *p.aliases)), None)
        return isinstance(found, int) and not isinstance(found, bool)

    def axis(self, name: str, values: Any) -> Axis:
        """A parameter that varies over what is given, in its own unit."""
        self.check_name(name)
        return Axis.of(name, values, self.unit(name), self.is_whole(name))

    def interval(self, name: str, values: Any, also_whole: bool = False) -> Axis:
        """A parameter that varies over a range; ``also_whole``: it may be one that takes whole numbers only."""
        axis = self.axis(name, values)
        if axis.range is None or (axis.whole and not also_whole):
            raise InputError(f"'{name}' varies over {values!r}; it must be a range of numbers, such as 10..60deg.")
        return axis

    @property
    def name(self) -> str:
        """Of the scenario, file or function."""
        if isinstance(self.source, str):
            return self.source
        return self.source.name if isinstance(self.source, Scenario) else getattr(self.source, "__qualname__", "function")

    @property
    def word(self) -> str:
        """What finds the source again: a name or a file; empty of what was made in Python."""
        return self.source if isinstance(self.source, str) else ""


def fingerprint(scenario: Scenario) -> str:
    """A hash of the robot, world, drive and numerics of a scenario: another file of the same name has another one."""
    from locodyn.sim.about import about
    from locodyn.sim.seen_numbers import seen_numbers

    told = {name: value for name, value in about(scenario).items() if name not in _VOLATILE}
    told["seen_numbers"] = seen_numbers(scenario)
    text = json.dumps(told, sort_keys=True, default=lambda x: np.asarray(x).tolist())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _with_common(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """The scenario with other times and another start."""
    words: dict[str, Any] = {name: float(value) for name, value in values.items() if name in NUMERICS}
    starts = {name: value for name, value in values.items() if name not in NUMERICS}
    if starts:
        start, robot = scenario.start, scenario.compiled
        for name, value in starts.items():
            is_rate = name.startswith(_VELOCITY)
            own, names = name.partition(".")[2], robot.coordinate_names if is_rate else robot.position_names
            if own not in names:
                raise InputError(
                    f"robot '{robot.name}' has no {'velocity' if is_rate else 'position'} '{own}'{nearest(own, names)}"
                )
            what = "velocities" if is_rate else "positions"
            start = replace(start, **{what: _with_value(getattr(start, what), own, names.index(own), float(value))})
        words["start"] = start
    return scenario.changed(**words) if words else scenario


def _with_value(setting: Any, name: str, number: int, value: float) -> Any:
    """The positions or velocities of a start with one more value; what they do not name still follows from the rest."""
    if setting is None or isinstance(setting, Mapping):
        return {**{own: kept for own, kept in (setting or {}).items() if own != name}, name: value}
    values = np.array(setting, dtype=float)
    values[number] = value
    return values


def _is_function(source: str) -> bool:
    return ".py:" in source


def loaded(word: str) -> Any:
    """The function of ``file.py:function``."""
    path, _, name = word.rpartition(":")
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file '{file}' for '{word}'.")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"'{file}' cannot be loaded ({type(error).__name__}: {error}).") from None
    if not callable(getattr(module, name, None)):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise InputError(f"'{file}' has no function '{name}'{nearest(name, known)}")
    return getattr(module, name)
