"""YAML as a tree that knows its lines. Nothing is executed: tags, and so Python objects, are refused.

Plain scalars are read by the core schema of YAML 1.2 (``on`` and ``no`` are words, ``1e-3`` is a number); PyYAML only composes
the nodes. A key that is given twice, and a file that grows beyond all measure by its aliases, are errors.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locodyn.errors import InputError
from locodyn.files.paths import read_bytes

MOST_ENTRIES = 200_000
_DEEPEST = 64
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}


class PlacedError(InputError):
    """An error that names the file and the line already."""


@dataclass(frozen=True)
class Entry:
    """A value of a file: ``value`` is a mapping or a list of entries, a text, a number, a truth value or ``None``."""

    value: Any
    line: int
    file: str

    def error(self, sentence: str) -> PlacedError:
        """The error that ``sentence`` is, with the file and the line."""
        return PlacedError(f"'{self.file}', line {self.line}: {sentence}")

    @property
    def plain(self) -> Any:
        """The value without lines."""
        if isinstance(self.value, dict):
            return {key: entry.plain for key, entry in self.value.items()}
        return [entry.plain for entry in self.value] if isinstance(self.value, list) else self.value


def scalar(text: str) -> Any:
    """A plain scalar by the core schema of YAML 1.2.

    >>> [scalar(text) for text in ("1e-3", "on", "true", "12", "board")]
    [0.001, 'on', True, 12, 'board']
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text) if len(text) < 400 else math.inf
    return float(text) if _FLOAT.match(text) else text


def read_yaml(path: Path) -> Entry:
    """The tree of a YAML file."""
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"'{path.name}', line {line}: this is not text in UTF-8; a YAML file is plain text.") from None
    return parse_yaml(text, path.name)


def parse_yaml(text: str, name: str) -> Entry:
    """The tree of a YAML text; ``name`` is the file that errors speak of."""
    import yaml

    try:
        node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"'{name}', line {line}: this is not YAML: {reason}.") from None
    except yaml.YAMLError as error:  # a character that YAML does not allow
        position = getattr(error, "position", 0)
        line = text[:position].count("\n") + 1 if isinstance(position, int) else 1
        raise InputError(f"'{name}', line {line}: this is not YAML: it holds a character that is not allowed.") from None
    except RecursionError:
        raise InputError(f"'{name}' is nested too deeply; at most {_DEEPEST} levels are read.") from None
    if node is None:
        raise InputError(f"'{name}' is empty; 'locodyn new {name}' writes a template.")
    return _Composer(name).entry(node, 0, node.start_mark.line + 1)


class _Composer:
    """Turns nodes of PyYAML into entries, and counts them."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0

    def entry(self, node: Any, depth: int, line: int) -> Entry:
        import yaml

        self.count += 1
        if self.count > MOST_ENTRIES:
            raise InputError(
                f"'{self.name}' holds more than {MOST_ENTRIES} entries (counting aliases), more than any robot needs."
            )
        if depth > _DEEPEST:
            raise InputError(f"'{self.name}', line {line}: this is nested too deeply; at most {_DEEPEST} levels are read.")
        if not node.tag.startswith("tag:yaml.org,2002:") or node.tag.startswith("tag:yaml.org,2002:python"):
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            raise InputError(f"'{self.name}', line {line}: the tag '{tag}' is not read; files hold plain data only.")
        if isinstance(node, yaml.MappingNode):
            return Entry(self.mapping(node, depth), line, self.name)
        if isinstance(node, yaml.SequenceNode):
            return Entry([self.entry(item, depth + 1, item.start_mark.line + 1) for item in node.value], line, self.name)
        return Entry(node.value if node.style else scalar(node.value), line, self.name)

    def mapping(self, node: Any, depth: int) -> dict[str, Entry]:
        import yaml

        result: dict[str, Entry] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise InputError(f"'{self.name}', line {line}: a key must be a word, not a list or a mapping.")
            if key.value in result:
                first = result[key.value].line
                raise InputError(f"'{self.name}', line {line}: the key '{key.value}' is there already, in line {first}.")
            result[key.value] = self.entry(value, depth + 1, line)
        return result
