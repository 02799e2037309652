"""Rules of a file format: each reads a value, with the line in its errors, and gives its JSON schema. One source for both.

Mappings with known keys are in :mod:`locodyn.files.records`. The formats themselves are the tables of
:mod:`locodyn.files.robot_words` and :mod:`locodyn.files.scenario_words`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from locodyn.errors import nearest
from locodyn.files.yaml_reader import Entry

Schema = dict[str, Any]


class Section(dict[str, Any]):
    """The values of a mapping by their keys; ``entry`` is where they stand."""

    def __init__(self, values: Mapping[str, Any], entry: Entry) -> None:
        super().__init__(values)
        self.entry = entry


class Rule:
    """What a value must be.

    Obligations of a rule:

    1. ``words`` complete the sentence "it must be ...".
    2. ``fits`` tells from the form of a value alone whether the rule is meant.
    3. ``read`` gives the value as plain Python data, or raises an error with the line.
    4. ``schema`` is its JSON schema; named parts go to ``parts``.
    """

    @property
    def words(self) -> str:
        """What a value must be, after "it must be"."""
        return "a value"

    def fits(self, entry: Entry) -> bool:
        """Whether the form of the value is that of this rule."""
        raise NotImplementedError

    def read(self, entry: Entry, what: str) -> Any:
        """The value; ``what`` names it in errors."""
        raise NotImplementedError

    def schema(self, parts: dict[str, Schema]) -> Schema:
        """The JSON schema."""
        raise NotImplementedError

    def refuse(self, entry: Entry, what: str) -> Exception:
        """The error of a value that is something else."""
        shown = entry.plain
        text = repr(shown) if not isinstance(shown, (dict, list)) else "a list" if isinstance(shown, list) else "a mapping"
        return entry.error(f"{what} is {text}; it must be {self.words}.")


def is_number(value: Any) -> bool:
    """Whether a value is a number (not a truth value)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Number(Rule):
    """A finite number, greater than ``above``, at least ``least``; ``whole``: without fraction."""

    unit: str = ""
    above: float | None = None
    least: float | None = None
    whole: bool = False

    @property
    def words(self) -> str:
        bound = f" greater than {self.above:g}" if self.above is not None else ""
        bound = f" of at least {self.least:g}" if self.least is not None else bound
        return f"a {'whole' if self.whole else 'finite'} number{bound}{f' ({self.unit})' if self.unit else ''}"

    def fits(self, entry: Entry) -> bool:
        return is_number(entry.value)

    def read(self, entry: Entry, what: str) -> Any:
        value = entry.value
        good = is_number(value) and math.isfinite(value)
        good = good and (self.above is None or value > self.above) and (self.least is None or value >= self.least)
        if not good or (self.whole and int(value) != value):
            raise self.refuse(entry, what)
        return int(value) if self.whole else float(value)

    def schema(self, parts: dict[str, Schema]) -> Schema:
        result: Schema = {"type": "integer" if self.whole else "number"}
        if self.above is not None:
            result["exclusiveMinimum"] = self.above
        if self.least is not None:
            result["minimum"] = self.least
        return result


@dataclass(frozen=True)
class Flag(Rule):
    """``true`` or ``false``."""

    words = "true or false"

    def fits(self, entry: Entry) -> bool:
        return isinstance(entry.value, bool)

    def read(self, entry: Entry, what: str) -> Any:
        if not isinstance(entry.value, bool):
            raise self.refuse(entry, what)
        return entry.value

    def schema(self, parts: dict[str, Schema]) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Yes(Flag):
    """``true`` alone: a word without arguments."""

    words = "true (or be left out)"

    def read(self, entry: Entry, what: str) -> Any:
        if entry.value is not True:
            raise self.refuse(entry, what)
        return True

    def schema(self, parts: dict[str, Schema]) -> Schema:
        return {"const": True}


@dataclass(frozen=True)
class Text(Rule):
    """A text; one of ``choices`` if there are any."""

    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.choices)}" if self.choices else "a text"

    def fits(self, entry: Entry) -> bool:
        return isinstance(entry.value, str)

    def read(self, entry: Entry, what: str) -> Any:
        if not isinstance(entry.value, str) or not entry.value:
            raise self.refuse(entry, what)
        if self.choices and entry.value not in self.choices:
            raise entry.error(f"{what} is '{entry.value}', which is not known{nearest(entry.value, self.choices)}")
        return entry.value

    def schema(self, parts: dict[str, Schema]) -> Schema:
        return {"enum": list(self.choices)} if self.choices else {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class ListOf(Rule):
    """A list; ``count`` entries if it is given, otherwise at least ``least``."""

    item: Rule
    count: int | None = None
    least: int = 0
    each: str = "entry"

    @property
    def words(self) -> str:
        number = str(self.count) if self.count is not None else f"at least {self.least}" if self.least else ""
        return f"a list of {number + ' ' if number else ''}{'numbers' if isinstance(self.item, Number) else 'entries'}"

    def fits(self, entry: Entry) -> bool:
        counted = self.count is None or (isinstance(entry.value, list) and len(entry.value) == self.count)
        return isinstance(entry.value, list) and counted and all(self.item.fits(item) for item in entry.value)

    def read(self, entry: Entry, what: str) -> Any:
        if not isinstance(entry.value, list):
            raise self.refuse(entry, what)
        count = len(entry.value)
        if (self.count is not None and count != self.count) or count < self.least:
            raise entry.error(f"{what} has {count} entries; it must be {self.words}.")
        return [self.item.read(item, f"{self.each} {k} of {what}") for k, item in enumerate(entry.value, start=1)]

    def schema(self, parts: dict[str, Schema]) -> Schema:
        result: Schema = {"type": "array", "items": self.item.schema(parts)}
        if self.count is not None:
            result |= {"minItems": self.count, "maxItems": self.count}
        elif self.least:
            result["minItems"] = self.least
        return result


@dataclass(frozen=True)
class MapOf(Rule):
    """A mapping of names to values of one kind; ``each`` is what an entry is called."""

    item: Rule
    each: str = "entry"

    @property
    def words(self) -> str:
        return f"a mapping with a name for each {self.each}"

    def fits(self, entry: Entry) -> bool:
        return isinstance(entry.value, dict)

    def read(self, entry: Entry, what: str) -> Any:
        if not isinstance(entry.value, dict):
            raise self.refuse(entry, what)
        return Section({name: self.item.read(value, f"{self.each} '{name}'") for name, value in entry.value.items()}, entry)

    def schema(self, parts: dict[str, Schema]) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema(parts)}


@dataclass(frozen=True)
class AnyOf(Rule):
    """One of several forms, told apart by their shape."""

    rules: tuple[Rule, ...]
    words: str = ""

    def fits(self, entry: Entry) -> bool:
        return any(rule.fits(entry) for rule in self.rules)

    def read(self, entry: Entry, what: str) -> Any:
        for rule in self.rules:
            if rule.fits(entry):
                return rule.read(entry, what)
        raise self.refuse(entry, what)

    def schema(self, parts: dict[str, Schema]) -> Schema:
        return {"anyOf": [rule.schema(parts) for rule in self.rules]}
