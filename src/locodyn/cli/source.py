"""What a command runs on: a scenario of the zoo or of a file, with what was said when it was read."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from locodyn.sim import Scenario


def scenario_from(name: str, settings: Mapping[str, Any], moves: str | None, root: Path | None, quiet: bool) -> Scenario:
    """The scenario; notes about the file go to standard error."""
    from locodyn.files import scenario_of

    source = scenario_of(name, settings, moves=moves, root=root)
    if not quiet:
        for note in source.notes:
            print(f"locodyn: note: {note}", file=sys.stderr)
    return source.scenario
