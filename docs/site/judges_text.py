"""The page of the judges: every stored outcome of ``docs/data/judges`` as text, table and picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from entries import DOCS
from locodyn.judge.outcome import span

Cell = Callable[[str], str]
Table = Callable[[tuple[str, ...], list[tuple[str, ...]]], str]


def outcomes() -> list[dict[str, Any]]:
    """What is stored, problem by problem."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted((DOCS / "data" / "judges").glob("*.json"))]


def judges(cell: Cell, table: Table) -> str:
    """All families with their problems, a summary before them."""
    found = outcomes()
    families: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        families.setdefault(one["family"], []).append(one)
    rows = [
        (
            f"[{cell(one['title'])}](#judge-{one['name'].replace('_', '-')})",
            cell(one["verdict"].partition(":")[0].strip(". ") + "."),
            targets_in_short(one),
        )
        for problems in families.values()
        for one in problems
    ]
    parts = [table(("problem", "at equal CPU time", "targets"), rows)]
    for family, problems in families.items():
        parts.append(f"## {family}\n")
        parts += [problem(one, cell, table) for one in problems]
    return "\n".join(parts)


def targets_in_short(one: dict[str, Any]) -> str:
    """How many targets are met."""
    met = sum(bool(target["met"]) for target in one["targets"])
    return f"{met} of {len(one['targets'])} met" if one["targets"] else ""


def problem(one: dict[str, Any], cell: Cell, table: Table) -> str:
    """One problem."""
    rows = []
    for row in one["rows"]:
        further = ", ".join(f"{name} {value:.2g}" for name, value in row["more"].items())
        error = "" if row["error"] is None else f"{row['error']:.2e}"
        spent = "" if row["cpu"] is None else span(row["cpu"])
        setting = f"{row['setting']:g} {row['unit']}".strip()
        rows.append((row["code"], cell(row["method"]), setting, error, spent, cell(row["failed"] or further)))
    lines = [
        f"(judge-{one['name'].replace('_', '-')})=\n### {one['title']}\n\n{cell(one['statement'])}",
        f"*Source:* {cell(one['source'])}. *Numbers:* {cell(one['licence'])} *Reference:* {cell(one['reference'])}."
        f" *Error:* {cell(one['measure'])}.",
        f"![{one['title']}](pictures/judges/{one['name']}.png)\n",
        cell(one["verdict"]) + (f" {cell(one['notes'])}" if one["notes"] else ""),
        *(target(each, cell) for each in one["targets"]),
        "<details><summary>the numbers</summary>\n\n"
        + table(("code", "method", "setting", "error", "CPU time", "further"), rows)
        + f"\n`locodyn judge {one['name']}`, {cell(one['machine'])}, {one['date']}"
        + (f"; not installed there: {', '.join(one['left_out'])}" if one["left_out"] else "")
        + ".\n</details>\n",
    ]
    return "\n\n".join(lines) + "\n"


def target(each: dict[str, Any], cell: Cell) -> str:
    """A target with what was measured."""
    measured = "no number" if each["measured"] is None else f"{each['measured']:.3g}"
    word = "Target met" if each["met"] else "**Target not met**"
    return f"{word}: {cell(each['words'])} (at most {each['bound']:g}, measured {measured})."
