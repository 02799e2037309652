"""``locodyn validate``: the acceptance checks of all scenarios in one table, each with its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from locodyn.cli import wide_console
from locodyn.errors import InputError, LocodynError, nearest
from locodyn.files import scenario_of
from locodyn.sim import Kind
from locodyn.sim.check import by_kind
from locodyn.sim.run import run_through
from locodyn.zoo.registry import NAMED, ROBOTS, module

COLUMNS = ("scenario", "check", "kind", "expected", "obtained", "tolerance", "result")


@dataclass(frozen=True)
class Row:
    """One line: a check with what was obtained, or (``kind`` None) a run that did not come to its checks."""

    name: str
    kind: Kind | None
    numbers: tuple[str, str, str]
    passed: bool


def validate(names: list[str], quiet: bool, kinds: list[str] | None = None) -> int:
    """Run the checks, of all kinds or of those named; 0 when all pass, 1 otherwise."""
    from rich.table import Table

    wanted = kinds_of(kinds or [])
    for name in names:
        if name not in ROBOTS:
            scenario_of(name)  # a wrong file or name fails before anything runs
    table = Table(title="Acceptance checks", title_justify="left", title_style="bold", box=None, padding=(0, 3, 0, 0))
    for heading in COLUMNS:
        table.add_column(heading, overflow="fold")
    rows: list[Row] = []
    without: list[str] = []
    for name, settings, label in cases(names):
        found = outcomes(name, settings, quiet, wanted)
        if not found and len(wanted) == len(Kind):
            without.append(label)
        for row in found:
            colour, word = ("green", "pass") if row.passed else ("bold red", "FAIL")
            table.add_row(label, row.name, row.kind.value if row.kind else "", *row.numbers, f"[{colour}]{word}[/{colour}]")
            label = ""
        rows += found
    failures = sum(not row.passed for row in rows)
    if not quiet or failures:
        screen = wide_console()
        screen.print(table)
        checks = "1 check" if len(rows) == 1 else f"{len(rows)} checks"
        screen.print(f"\n{checks}, {len(rows) - failures} pass, {failures} fail", highlight=False)
        screen.print(by_kind(row.kind for row in rows if row.kind), highlight=False)
        if without:
            screen.print(f"without checks: {', '.join(without)}", highlight=False)
    return 1 if failures else 0


def kinds_of(words: list[str]) -> list[Kind]:
    """The kinds of these words; all without any."""
    known = {kind.word: kind for kind in Kind}
    for word in words:
        if word not in known:
            raise InputError(f"there is no kind of checks '{word}'{nearest(word, list(known))}")
    return [known[word] for word in words] or list(Kind)


def cases(names: list[str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Name, settings and label of what is run: all robots with their sets of parameters, or what is named.

    A set of parameters that has a name of its own (``registry.NAMED``) is called by it.
    """
    called = {(of, repr(sorted(settings.items()))): name for name, (of, settings, _) in NAMED.items()}
    for name in names or list(ROBOTS):
        for settings in module(name).VALIDATION if name in ROBOTS else ({},):
            own = called.get((name, repr(sorted(settings.items()))))
            words = " ".join([name, *(f"{key}={value}" for key, value in settings.items())])
            yield name, settings, f"{own} ({words})" if own else words


def outcomes(name: str, settings: dict[str, Any], quiet: bool, wanted: list[Kind]) -> list[Row]:
    """Rows of one scenario; it is run only if it has a check of a kind that is wanted."""
    try:
        scenario = scenario_of(name, settings).scenario
        checks = tuple(check for check in scenario.checks if check.kind in wanted)
        if not checks:
            return []
        result = run_through(scenario, progress=not quiet)
        if result.status != "completed":
            return [Row("run", None, ("completed", result.status, ""), False)]
        rows = []
        for outcome in result.checks(checks):
            _, expected, obtained, tolerance, _ = outcome.row()
            rows.append(Row(outcome.check.name, outcome.check.kind, (expected, obtained, tolerance), outcome.passed))
        return rows
    except LocodynError as error:
        return [Row("run", None, ("completed", str(error), ""), False)]
