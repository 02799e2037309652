"""``locodyn view`` and ``locodyn studio``: pages that are served until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.sim import Result


def results(words: list[str], settings: dict[str, str]) -> list[Result]:
    """Results from files, or from running scenarios of the zoo with these settings."""
    from locodyn.sim import Result as SavedResult
    from locodyn.zoo.registry import make

    found = []
    for word in words:
        if word.endswith(".nc") or Path(word).is_file():
            if settings:
                raise InputError(f"--set cannot be given with the file '{word}'; a saved run has its parameters.")
            found.append(SavedResult.load(word))
        else:
            found.append(make(word, settings).run())
    return found


def view(words: list[str], settings: dict[str, str], host: str, port: int, open_browser: bool) -> None:
    """Show results until Ctrl-C."""
    from locodyn.view.viewer import view as show

    viewer = show(results(words, settings), host, port)
    print(f"{', '.join(words)} at {viewer.address} (Ctrl-C ends it)", flush=True)
    viewer.wait(open_browser)


def studio(robot: str, host: str, port: int, open_browser: bool) -> None:
    """The studio, until Ctrl-C."""
    from locodyn.view.studio import Studio
    from locodyn.view.viewer import address, wait

    page = Studio(host, port, robot)
    print(f"studio at {address(page.server)} (Ctrl-C ends it)", flush=True)
    wait(page.server, open_browser)
    page.stop()
