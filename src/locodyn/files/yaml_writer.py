"""YAML that is pleasant to read: short things on one line, numbers with all their digits.

What is written means the same in YAML 1.1 and 1.2: words that 1.1 takes for truth values (``on``, ``no``, ``y``) are in quotes,
and numbers with an exponent have a point, without which 1.1 takes them for words.
"""

from __future__ import annotations

import math
import re
from typing import Any

WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_TRUTH = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}  # of YAML 1.1 (yaml.org/type/bool), in any case


def dump(value: dict[str, Any]) -> str:
    """The YAML text of nested mappings, lists, numbers, words and truth values.

    >>> print(dump({"board": {"at": [0.1, 0, 2.5e-07], "turning": "z"}}), end="")
    board:
      at: [0.1, 0, 2.5e-07]
      turning: z
    """
    return "".join(f"{line}\n" for line in _lines(value, 0, top=True))


def _lines(value: dict[str, Any], indent: int, top: bool = False) -> list[str]:
    result = []
    for key, entry in value.items():
        head = " " * indent + f"{word(str(key))}:"
        short = f"{head} {_flow(entry)}"
        deep = isinstance(entry, dict) and (top or indent < 4 or any(isinstance(one, dict) for one in entry.values()))
        if not isinstance(entry, (dict, list)) or not entry or (len(short) <= WIDTH and not deep):
            result.append(short)
        elif isinstance(entry, dict):
            result += [head, *_lines(entry, indent + 2)]
        else:
            result.append(head)
            result += [" " * (indent + 2) + f"- {_flow(one)}" for one in entry]
    return result


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{word(str(key))}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return _decimal(value) if isinstance(value, float) else word(str(value))


def _decimal(value: float) -> str:
    """All digits of a number, with a point."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0.0 else "-.inf"
    digits, e, exponent = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{e}{exponent}"


def word(text: str) -> str:
    """A text as it is, in quotes where YAML could take it for something else."""
    if (_PLAIN.match(text) and text.lower() not in _TRUTH) or text in ("-x", "-y", "-z"):
        return text
    escaped = "".join(_escape(c) for c in text)
    return f'"{escaped}"'


def _escape(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    code = ord(c)
    if code < 32 or 127 <= code < 160 or code in (0x2028, 0x2029, 0xFEFF):
        return f"\\u{code:04x}"
    return c
