"""What the words of a command mean: settings, lists of names, how a file is read, and the scenario that it runs on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.files.reading import Reading
    from locodyn.sim import Scenario


def parse(settings: list[str] | None, option: str = "--set") -> dict[str, str]:
    """Keys and values of an option, as text; the parameter table of a scenario gives them their types.

    >>> parse(["case=B", "I_o=20,25,30"])
    {'case': 'B', 'I_o': '20,25,30'}
    """
    values: dict[str, str] = {}
    for setting in settings or []:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise InputError(f"{option} {setting} is not of the form key=value.")
        if key.strip() in values:
            raise InputError(f"{option} {key.strip()} is given twice; give it once.")
        values[key.strip()] = value.strip()
    return values


def names(text: str | None) -> list[str]:
    """Names that commas separate.

    >>> names("q, v"), names(None)
    (['q', 'v'], [])
    """
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def reading_of(moves: str | None, root: Path | None, collides: bool | None) -> Reading:
    """How a robot file is read, from the options of a command."""
    from locodyn.files.reading import Reading

    return Reading(moves, root, collides)


def scenario_from(name: str, settings: Mapping[str, Any], reading: Reading | None, quiet: bool) -> Scenario:
    """The scenario; notes about the file go to standard error."""
    from locodyn.files.source import read_source

    source = read_source(name, settings, reading)
    if not quiet:
        for note in source.notes:
            print(f"locodyn: note: {note}", file=sys.stderr)
    return source.scenario


def check_plot(file: Path | None) -> None:
    """Refuse a plot that cannot be written, before anything is computed."""
    if file is not None:
        from locodyn.sim.store import check_writable
        from locodyn.view.plots import check_ending

        check_writable(check_ending(file), "plot")
