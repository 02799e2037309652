"""What a command runs on: a scenario of the zoo or of a file, with what was said when it was read."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locodyn.files.load import Reading
    from locodyn.sim import Scenario


def reading_of(moves: str | None, root: Path | None, collides: bool | None) -> Reading:
    """How a robot file is read, from the options of a command."""
    from locodyn.files.load import Reading

    return Reading(moves, root, collides)


def scenario_from(name: str, settings: Mapping[str, Any], reading: Reading | None, quiet: bool) -> Scenario:
    """The scenario; notes about the file go to standard error."""
    from locodyn.files.source import read_source

    source = read_source(name, settings, reading)
    if not quiet:
        for note in source.notes:
            print(f"locodyn: note: {note}", file=sys.stderr)
    return source.scenario
