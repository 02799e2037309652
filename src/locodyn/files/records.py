"""Mappings with known keys: the records of a file format, and the tables of their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from locodyn.errors import nearest
from locodyn.files.rules import Rule, Schema, Section
from locodyn.files.yaml_reader import Entry


@dataclass(frozen=True)
class Key:
    """A key of a record: its rule and what it means."""

    rule: Rule
    meaning: str
    needed: bool = False


@dataclass(frozen=True)
class Record(Rule):
    """A mapping with known keys.

    ``exactly_one``: keys of which one must be there, and not two. ``at_most_one``: the same, or none of them. ``mark``: a key by
    which this record is told from others. ``renamed``: keys that go by another name, {the wrong one: the right one}.
    """

    name: str
    keys: Mapping[str, Key]
    exactly_one: tuple[str, ...] = ()
    at_most_one: tuple[str, ...] = ()
    meaning: str = ""
    mark: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        return f"a mapping with keys such as {', '.join(list(self.keys)[:6])}"

    def fits(self, entry: Entry) -> bool:
        return isinstance(entry.value, dict) and (not self.mark or self.mark in entry.value)

    def read(self, entry: Entry, what: str) -> Any:
        if not isinstance(entry.value, dict):
            raise self.refuse(entry, what)
        for key, value in entry.value.items():
            if key in self.renamed:
                raise value.error(f"{what} has the key '{key}', which is called '{self.renamed[key]}'; rename it.")
            if key not in self.keys:
                raise value.error(f"{what} has the key '{key}', which is not known{nearest(key, self.keys)}")
        for key, rule in self.keys.items():
            if rule.needed and key not in entry.value:
                raise entry.error(f"{what} has no '{key}': {rule.meaning}.")
        for group, least in ((self.exactly_one, 1), (self.at_most_one, 0)):
            found = [key for key in group if key in entry.value]
            if len(found) > 1:
                raise entry.value[found[1]].error(f"{what} has both '{found[0]}' and '{found[1]}'; give one of them.")
            if group and len(found) < least:
                raise entry.error(f"{what} needs one of {', '.join(group)}.")
        return Section({key: self.keys[key].rule.read(value, f"'{key}' of {what}") for key, value in entry.value.items()}, entry)

    def schema(self, parts: dict[str, Schema]) -> Schema:
        if self.name not in parts:
            parts[self.name] = {}  # a rule that holds itself finds its place taken
            parts[self.name] = self.own_schema(parts)
        return {"$ref": f"#/$defs/{self.name}"}

    def own_schema(self, parts: dict[str, Schema]) -> Schema:
        """The schema itself, in place."""
        result: Schema = {"type": "object", **({"description": self.meaning} if self.meaning else {})}
        result["properties"] = {key: {**rule.rule.schema(parts), "description": rule.meaning} for key, rule in self.keys.items()}
        result["additionalProperties"] = False
        needed = [key for key, rule in self.keys.items() if rule.needed]
        if needed:
            result["required"] = needed
        alone = [{"required": [key]} for key in self.exactly_one]
        if alone:
            result["oneOf"] = alone
        if self.at_most_one:
            result["allOf"] = [{"not": {"required": list(pair)}} for pair in combinations(self.at_most_one, 2)]
        return result


def kinds(table: Mapping[str, Key | tuple[str, Mapping[str, Key]]]) -> dict[str, Key]:
    """Keys of which a record has one, such as the kinds of obstacles: (meaning, keys) is a record that is called as its key."""
    return {name: kind if isinstance(kind, Key) else Key(Record(name, kind[1]), kind[0]) for name, kind in table.items()}
