"""``locodyn validate``: the acceptance checks of all scenarios in one table."""

from __future__ import annotations

from locodyn.cli.console import console
from locodyn.errors import LocodynError
from locodyn.files import scenario_of
from locodyn.zoo.registry import ROBOTS, module


def validate(names: list[str], quiet: bool) -> int:
    """Run the checks; 0 when all pass, 1 otherwise."""
    from rich.table import Table

    table = Table(title="Acceptance checks", title_justify="left", title_style="bold", box=None, padding=(0, 3, 0, 0))
    for heading in ("scenario", "check", "expected", "obtained", "tolerance", "result"):
        table.add_column(heading, overflow="fold")
    for name in names:
        if name not in ROBOTS:
            scenario_of(name)  # a wrong file or name fails before anything runs
    count = failures = 0
    for name in names or list(ROBOTS):
        for settings in module(name).VALIDATION if name in ROBOTS else ({},):
            label = " ".join([name, *(f"{key}={value}" for key, value in settings.items())])
            for row in outcomes(name, settings, quiet):
                count += 1
                failures += row[-1] != "pass"
                colour = "green" if row[-1] == "pass" else "bold red"
                table.add_row(label, *row[:-1], f"[{colour}]{row[-1]}[/{colour}]")
                label = ""
    screen = console()
    if not quiet or failures:
        screen.print(table)
        screen.print(f"\n{count} checks, {count - failures} pass, {failures} fail")
    return 1 if failures else 0


def outcomes(name: str, settings: dict[str, object], quiet: bool) -> list[tuple[str, ...]]:
    """Rows of one scenario: check, expected, obtained, tolerance, pass or fail."""
    try:
        scenario = scenario_of(name, settings).scenario
        result = scenario.run(progress=not quiet)
        if result.status != "completed":
            return [("run", "completed", result.status, "", "FAIL")]
        return [outcome.row() for outcome in result.checks()] or [("run", "completed", "completed", "", "pass")]
    except LocodynError as error:
        return [("run", "completed", str(error), "", "FAIL")]
