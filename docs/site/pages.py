"""Pages that are made of the code and of measured data, as Markdown; ``docs/conf.py`` puts them into the site."""

from __future__ import annotations

import json
import re
from typing import Any

from api_text import rooms
from entries import DOCS, entry, missing
from judges_text import judges
from locodyn.integrate import METHODS, Feature
from locodyn.sim import Kind
from locodyn.zoo.registry import NAMED, ROBOTS

MARK = re.compile(r"<!-- generated: (\w+) -->")
COLUMNS = 4


def filled(text: str) -> str:
    """A page with its generated parts."""
    return MARK.sub(lambda mark: PARTS[mark[1]](), text)


def cell(text: str) -> str:
    """Text for a cell of a table: characters that Markdown would read are escaped."""
    return re.sub(r"([\\|*_<\[\]$`])", r"\\\1", text)


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


# ---------------------------------------------------------------------- the zoo
def known() -> list[str]:
    """Robots that have data and pictures."""
    lacking = set(missing(list(ROBOTS)))
    return [name for name in ROBOTS if name not in lacking]


def grid() -> str:
    """All robots as small pictures that lead to their entries."""
    names = known()
    cells = [f"[![{name}](pictures/zoo/{name}.webp)](#{name})<br>[`{name}`](#{name})" for name in names]
    cells += [" "] * (-len(cells) % COLUMNS)
    rows = [tuple(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)]
    return ":::{container} gallery-grid\n" + table((" ",) * COLUMNS, rows) + ":::\n"


def gallery() -> str:
    """The entry of every robot: picture, commands, plot, sources, what was validated."""
    return grid() + "\n" + "\n".join(map(robot, known()))


def robot(name: str) -> str:
    """One robot."""
    about = entry(name)
    sources = "\n".join(f"- {cell(full)}" for _, full in about["sources"]) or "- our own"
    lines = [
        f"({name})=\n## {name}\n\n{cell(about['about'])}",
        f"*{cell(about['classification'])}.*",
        f"![{name}](pictures/zoo/{name}.webp)\n",
        f"```\n{about['picture']}\n```",
        f"![plot of {name}](pictures/zoo/{name}_plot.webp)\n",
        f"```\n{about['plot']}\n```",
        *others(name),
        f"**Source**\n\n{sources}",
        f"**Validated** ({count(about)})\n\n{folded(checks([about]))}",
    ]
    return "\n\n".join(lines) + "\n"


def others(name: str) -> list[str]:
    """Scenarios of the robot that go by a name of their own; their checks are those of their settings."""
    rows = [(f"`locodyn run {one}`", f"{cell(about)}{setting(of)}") for one, (robot, of, about) in NAMED.items() if robot == name]
    return ["**Also by name**\n\n" + "\n".join(f"- {command}: {words}" for command, words in rows)] if rows else []


def setting(settings: dict[str, Any]) -> str:
    """Settings as the checks of a robot say them."""
    words = " ".join(f"{key}={value}" for key, value in settings.items())
    return f" (`{words}`)" if words else ""


def count(about: dict[str, Any]) -> str:
    """How many checks pass."""
    passed = sum(check["passed"] for check in about["checks"])
    return f"{passed} of {len(about['checks'])} checks pass"


def folded(text: str) -> str:
    """A part that opens on a click."""
    return f"<details><summary>the checks with what was measured</summary>\n\n{text}\n</details>\n"


def checks(entries: list[dict[str, Any]]) -> str:
    """Table of checks."""
    rows = []
    for about in entries:
        for check in about["checks"]:
            words = f"`{about['robot']}`" + (f" {cell(check['settings'])}" if check["settings"] else "")
            result = "pass" if check["passed"] else "**FAIL**"
            numbers = (cell(check[key]) for key in ("check", "kind", "expected", "obtained", "tolerance", "source"))
            rows.append((words, *numbers, result))
    headings = ("robot", "check", "kind", "expected", "obtained", "tolerance", "where the number is from", "result")
    return table(headings, rows)


MEANING = {
    Kind.PUBLISHED: "printed in the source that is cited, at the place that is cited",
    Kind.CLOSED_FORM: "a formula, a symmetry or a constraint (no slip, a closed loop, rest) gives it",
    Kind.INDEPENDENT: "other equations or another code, integrated or solved apart from the library",
    Kind.CONSERVATION: "energy, work and momentum balance",
    Kind.OWN: "measured or chosen here, also where a source tells of a behaviour without a number: guards against change,"
    " proves nothing",
}


def counts(entries: list[dict[str, Any]]) -> str:
    """How many checks there are of each kind, and how many pass."""
    rows = []
    for kind in Kind:
        found = [check for about in entries for check in about["checks"] if check["kind"] == kind.value]
        passed = sum(check["passed"] for check in found)
        rows.append((kind.value, f"`--kind {kind.word}`", str(len(found)), str(passed), MEANING[kind]))
    return table(("kind", "option", "checks", "pass", "the expected value is"), rows)


def validation() -> str:
    """All checks of the zoo, counted by kind."""
    entries = [entry(name) for name in known()]
    total = sum(len(about["checks"]) for about in entries)
    passed = sum(check["passed"] for about in entries for check in about["checks"])
    return f"{len(entries)} robots, {total} checks, {passed} pass.\n\n{counts(entries)}\n{checks(entries)}"


# ---------------------------------------------------------------------- benchmarks
def benchmarks() -> str:
    """The records of every file in ``docs/data/benchmarks``."""
    parts = []
    for file in sorted((DOCS / "data" / "benchmarks").glob("*.json")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        rows = [benchmark_row(record) for record in stored["records"]]
        heading = f"## {stored['title']}\n\n`{stored['command']}`, {cell(stored['machine'])}, {stored['date']}.\n"
        parts.append(heading + "\n" + table(("work", "size", "called", "locodyn", "peer", "its time", "ratio"), rows))
    return "\n".join(parts)


def benchmark_row(record: dict[str, Any]) -> tuple[str, ...]:
    """One record {work, size, called, locodyn_us, peer, peer_us} with units that can be read; without our time it failed."""
    ours, theirs = record["locodyn_us"], record.get("peer_us")
    ratio = f"{theirs / ours:.2g}" if theirs else ""
    peer = cell(str(record.get("peer") or ""))
    return (
        cell(str(record["work"])),
        str(record["size"]),
        cell(record["called"]),
        span(ours) or "fails",
        peer,
        span(theirs),
        ratio,
    )


def span(us: float | None) -> str:
    """A time given in us.

    >>> span(1234.5)
    '1.23 ms'
    """
    if us is None:
        return ""
    for size, unit in ((1e6, "s"), (1e3, "ms"), (0.1, "us")):
        if us >= size:
            return f"{us / size:.3g} {unit}" if unit != "us" else f"{us:.3g} us"
    return f"{us * 1e3:.3g} ns"


# ---------------------------------------------------------------------- integrators
def integrators() -> str:
    """Every method as it declares itself."""
    rows = []
    for name, method in METHODS.items():
        options = ", ".join(f"`{one.name}` {one.default:g}: {one.meaning}" for one in method.options())
        rows.append(
            (
                f"`{name}`",
                f"`{method.__name__}`",
                method.order_words or str(method.order),
                method.step_words,
                method.suits,
                options,
            )
        )
    return table(("name", "class", "order", "step", "when", "options with their defaults"), rows)


def features() -> str:
    """What each method takes."""
    rows = [(feature.words, *("yes" if feature in method.takes else "" for method in METHODS.values())) for feature in Feature]
    return table(("", *(f"`{name}`" for name in METHODS)), rows)


def choice() -> str:
    """Which method for which robot, and with which step."""
    rows = [(method.choice[0], f"`{name}`", method.choice[1]) for name, method in METHODS.items() if method.choice]
    return table(("your robot", "take", "step"), rows)


PARTS = {
    "gallery": gallery, "grid": grid, "validation": validation, "benchmarks": benchmarks, "api": rooms,
    "judges": lambda: judges(cell, table), "integrators": integrators, "features": features, "choice": choice,
}  # fmt: skip
