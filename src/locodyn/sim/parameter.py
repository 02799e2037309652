"""Parameters of a scenario: name, value, unit, source; and how a value given by a person is checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.robot.building.builder import MOST_BODIES
from locodyn.robot.checks.basics import HUGE

TINY = 1.0 / HUGE


@dataclass(frozen=True)
class Parameter:
    """One number, word or list of a scenario.

    The type of ``value`` is the type of the parameter: bool, int, float, str, or a tuple of numbers. ``unit`` is SI ("-" without
    dimension), ``source`` says where the value comes from, ``choices`` lists the words allowed, ``above``, ``least``
    and ``most`` are bounds (the first exclusive), ``any_length`` lets a tuple have any number of entries. A whole number without
    ``most`` is a count of parts, of which no robot can have more than it can have bodies.
    """

    name: str
    value: Any
    unit: str
    source: str
    meaning: str
    choices: tuple[Any, ...] | None = None
    above: float | None = None
    least: float | None = None
    most: float | None = None
    any_length: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The type in words."""
        if isinstance(self.value, bool):
            return "true or false"
        if isinstance(self.value, int):
            return "a whole number"
        if isinstance(self.value, float):
            return "a number"
        if isinstance(self.value, tuple):
            count = "a list of" if self.any_length else str(len(self.value))
            return f"{count} numbers such as {format_value(self.value)}"
        return "a word"

    @property
    def _counts(self) -> bool:
        """Whether it is a number of things, or some of them."""
        numbers = self.value if isinstance(self.value, tuple) else (self.value,)
        return self.unit == "-" and self.name != "seed" and all(type(number) is int for number in numbers)

    def check(self, value: Any) -> Any:
        """``value`` (text from a command line, or a Python value) in the type of this parameter, or :class:`InputError`."""
        try:
            result = _convert(self.value, value)
        except (KeyError, OverflowError, TypeError, ValueError):
            raise InputError(f"parameter '{self.name}' is {value!r}; it must be {self.kind}.") from None
        if self.choices is not None and result not in self.choices:
            raise InputError(f"parameter '{self.name}' is {value!r}; it must be one of {', '.join(map(str, self.choices))}.")
        if isinstance(result, tuple) and not self.any_length and len(result) != len(self.value):
            raise InputError(f"parameter '{self.name}' has {len(result)} numbers; it must be {self.kind}.")
        for number in result if isinstance(result, tuple) else (result,):
            if isinstance(number, float) and not math.isfinite(number):
                raise InputError(f"parameter '{self.name}' is {number}; it must be finite.")
            if isinstance(number, float) and abs(number) > HUGE:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be at most {HUGE:g}: its products overflow.")
            if isinstance(number, int) and abs(number) >= 2**63:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be a whole number of less than 19 digits.")
            if self.above is not None and not number > self.above:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be greater than {self.above:g}.")
            if self.least is not None and not number >= self.least:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be at least {self.least:g}.")
            if isinstance(number, float) and 0.0 < abs(number) < TINY:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be zero, or at least {TINY:g}.")
            most = MOST_BODIES if self.most is None and self._counts else self.most
            if most is not None and not number <= most:
                raise InputError(f"parameter '{self.name}' is {number:g}; it must be at most {most:g}.")
        return result


def _convert(like: Any, value: Any) -> Any:
    if isinstance(like, bool):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        return value if isinstance(value, bool) else words[_text(value).lower()]
    if isinstance(value, bool):
        raise TypeError
    if isinstance(like, int):
        number = float(value)
        if number != int(number):
            raise ValueError
        return int(number)
    if isinstance(like, float):
        return float(value)
    if isinstance(like, tuple):
        if isinstance(value, str):
            value = [part for part in value.strip("()[] ").replace(";", ",").split(",") if part.strip()]
        items = value if isinstance(value, Iterable) else [value]
        return tuple(float(item) for item in items)
    return _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, (str, int, float)):
        raise TypeError
    return str(value)


def format_value(value: Any) -> str:
    """A value as it is written after ``--set name=``.

    >>> format_value((1.0, 2.5))
    '1.0,2.5'
    """
    if isinstance(value, tuple):
        return ",".join(repr(x) for x in value)
    return repr(value) if isinstance(value, float) else str(value)


def fill(parameters: Iterable[Parameter], settings: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """All values of a scenario: the given ones, checked, and the defaults; an unknown name is an :class:`InputError`."""
    table = list(parameters)
    names = {name: p for p in table for name in (p.name, *p.aliases)}
    values = {p.name: p.value for p in table}
    for name, value in settings.items():
        if name not in names:
            raise InputError(f"'{owner}' has no parameter '{name}'{nearest(name, names)}")
        values[names[name].name] = names[name].check(value)
    return values
