"""The API reference as Markdown, from signatures and docstrings.

Docstrings here are plain text with ``code`` and :role:`name`, equations in indented lines, and lists of parameters in the style
of NumPy; they are turned into Markdown so that nothing in an equation is taken for markup.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import locodyn

# Rooms whose public names are listed besides those of the package itself.
ROOMS = (
    "robot",
    "motion",
    "dynamics",
    "world",
    "locomotion",
    "equilibria",
    "integrate",
    "gaits",
    "controllers",
    "linearisation",
    "identify",
    "sim",
    "files",
    "symbolic",
    "batch",
    "study",
    "view",
    "lie",
)
CODE = re.compile(r"``(.+?)``|:\w+:`~?([^`]+)`|`([^`]+)`")


def rooms() -> str:
    """The names of the package, then those of its rooms that are not among them."""
    top = [name for name in locodyn.__all__ if not inspect.ismodule(getattr(locodyn, name)) and name != "__version__"]
    parts = [f"## locodyn\n\n{block('locodyn', top)}"]
    listed = {id(getattr(locodyn, name)) for name in top}
    for room in ROOMS:
        module = importlib.import_module(f"locodyn.{room}")
        names = [name for name in public(module) if id(getattr(module, name)) not in listed]
        parts.append(f"## locodyn.{room}\n\n{prose(inspect.getdoc(module) or '')}\n\n{block(f'locodyn.{room}', names)}")
    return "\n\n".join(parts) + "\n"


def public(module: Any) -> list[str]:
    """Names of ``__all__`` that are functions, classes or objects with a docstring of their own."""
    found = [name for name in getattr(module, "__all__", []) if not inspect.ismodule(getattr(module, name))]
    return [name for name in found if inspect.getdoc(getattr(module, name)) and not name.startswith("__")]


def block(home: str, names: list[str]) -> str:
    """Entries of names."""
    module = importlib.import_module(home)
    return f"```{{py:module}} {home}\n```\n\n" + "\n".join(
        item(name, getattr(module, name)) for name in sorted(names, key=str.lower)
    )


def item(name: str, value: Any) -> str:
    """A class with its methods, a function, or a value."""
    if inspect.isclass(value):
        methods = "\n".join(method(label, found) for label, found in members(value))
        return directive(4, "class", f"{name}{signature(value)}", prose(documented(value)) + "\n\n" + methods)
    if callable(value):
        return directive(4, "function", f"{name}{signature(value) or '(...)'}", prose(documented(value)))
    return directive(4, "data", name, f"`{value!r}`")


def members(value: type) -> list[tuple[str, Any]]:
    """Public methods and properties with a docstring, of a class and of those bases of it that no room shows."""
    hidden = [base for base in value.__mro__[1:] if base.__module__.startswith("locodyn.") and not shown(base)]
    own = [(name, found) for part in (value, *hidden) for name, found in vars(part).items() if not name.startswith("_")]
    return [(name, found) for name, found in dict(reversed(own)).items() if inspect.getdoc(found) and is_method(found)][::-1]


def shown(value: type) -> bool:
    """Whether a class is a public name of its room."""
    room = importlib.import_module(".".join(value.__module__.split(".")[:2]))
    return getattr(room, value.__name__, None) is value


def is_method(found: Any) -> bool:
    """Whether something of a class is shown."""
    kinds = (property, classmethod, staticmethod)
    return inspect.isfunction(found) or isinstance(found, kinds) or type(found).__name__ == "cached_property"


def method(name: str, found: Any) -> str:
    """A method or property."""
    text = prose(inspect.getdoc(found) or "")
    if isinstance(found, (classmethod, staticmethod)):
        return directive(3, "method", f"{name}{signature(found.__func__)}", text)
    if inspect.isfunction(found):
        return directive(3, "method", f"{name}{signature(found)}", text)
    return directive(3, "property", name, text)


def directive(colons: int, kind: str, name: str, text: str) -> str:
    """A directive of Sphinx's Python domain."""
    return f"{':' * colons}{{py:{kind}}} {name}\n\n{text}\n{':' * colons}\n"


def signature(value: Any) -> str:
    """Parameters without their types; nothing where there is no signature."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    kept = []
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        plain = isinstance(parameter.default, (int, float, str, bool, tuple, type(None)))
        default = parameter.default if plain or parameter.default is parameter.empty else Ellipsis
        kept.append(parameter.replace(annotation=parameter.empty, default=default))
    shown = found.replace(parameters=kept, return_annotation=inspect.Signature.empty)
    return str(shown).replace("Ellipsis", "...")


def documented(value: Any) -> str:
    """A docstring that was written, not the one that dataclasses make of the signature."""
    text = inspect.getdoc(value) or ""
    return "" if inspect.isclass(value) and text.startswith(f"{value.__name__}(") else text


def prose(text: str) -> str:
    """A docstring as Markdown."""
    text = re.sub(r"^([A-Z][A-Za-z ]+)\n-{3,}$", r"**\1**\n", text, flags=re.MULTILINE)
    parts, section = [], False
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.strip("\n").split("\n")
        if lines == [""]:
            continue
        if lines[0] in ("**Parameters**", "**Returns**", "**Attributes**"):
            section = True
            parts.append(lines[0])
            lines = lines[1:]
        if lines and lines[0].startswith(">>>"):
            parts.append("```python\n" + "\n".join(lines) + "\n```")
        elif lines and all(line.startswith("  ") for line in lines):
            parts.append("```\n" + inspect.cleandoc("\n".join(lines)) + "\n```")
        elif section and len(lines) > 1 and any(line.startswith("    ") for line in lines):
            parts.append(parameters(lines))
        elif lines:
            parts.append(plain("\n".join(lines)))
    return "\n\n".join(parts)


def parameters(lines: list[str]) -> str:
    """``name : type`` and indented words, as a list."""
    found: list[str] = []
    for line in lines:
        if line.startswith("    ") and found:
            found[-1] += " " + plain(line.strip())
        else:
            name, _, rest = line.partition(" : ")
            found.append(f"- **{plain(name)}**" + (f" ({plain(rest)}):" if rest else ":"))
    return "\n".join(found)


def plain(text: str) -> str:
    """Words with their code marked, everything else escaped."""
    made, end = "", 0
    for mark in CODE.finditer(text):
        made += escaped(text[end : mark.start()])
        word = mark[1] or (
            mark[2].split(".")[-1] if mark[2] and mark[0].startswith(":") and "~" in mark[0] else mark[2] or mark[3]
        )
        made += f"`{' '.join(word.split())}`"
        end = mark.end()
    return made + escaped(text[end:])


def escaped(text: str) -> str:
    """Characters of Markdown as themselves; a line that would begin a list, heading or quotation does not."""
    text = re.sub(r"([\\*_<>\[\]$|{}~])", r"\\\1", text)
    return re.sub(r"^(\s*)([-+#:%=]|\d+[.)])(\s)", r"\1\\\2\3", text, flags=re.MULTILINE)
