"""``locodyn view`` and ``locodyn studio``: pages that are served until Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from locodyn.cli.shown import Shown


def view(sources: list[Shown], host: str, port: int, open_browser: bool) -> None:
    """Show runs until Ctrl-C."""
    from locodyn.view.viewer import view as show

    viewer = show([source.result() for source in sources], host, port)
    print(f"{', '.join(source.word for source in sources)} at {viewer.address} (Ctrl-C ends it)", flush=True)
    viewer.wait(open_browser)


def studio(robot: str, host: str, port: int, open_browser: bool) -> None:
    """The studio, until Ctrl-C."""
    from locodyn.view.studio import Studio
    from locodyn.view.viewer import address, wait

    page = Studio(host, port, robot)
    print(f"studio at {address(page.server)} (Ctrl-C ends it)", flush=True)
    wait(page.server, open_browser)
    page.stop()
