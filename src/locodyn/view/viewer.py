"""``locodyn view``: results in three dimensions in a browser. It is the page of the report, served by this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from locodyn.errors import InputError
from locodyn.view.door import LOOPBACK
from locodyn.view.report_page import report_html
from locodyn.view.server import Answer, Server, wait

if TYPE_CHECKING:
    from locodyn.sim import Result


class Viewer:
    """One or more results on a server: the first in full colours, the others as ghosts with dashed curves."""

    def __init__(self, results: list[Result], host: str = LOOPBACK, port: int = 8080, play: bool = True) -> None:
        others = [(name_of(results, k), result) for k, result in enumerate(results) if k]
        page = report_html(results[0], others, f"locodyn: {results[0].attributes['scenario']}", play)
        self.server = Server(host, port, {"": lambda request: Answer(page.encode())})

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return self.server.address

    def wait(self, open_browser: bool = True) -> None:
        """Open a browser, stay until Ctrl-C, and stop."""
        wait(self.server, open_browser)
        self.stop()

    def stop(self) -> None:
        """Close the server."""
        self.server.stop()


def name_of(results: list[Result], k: int) -> str:
    """A name for result k (from 0): its scenario, with its number where the first has the same."""
    name = str(results[k].attributes["scenario"])
    alike = sum(str(result.attributes["scenario"]) == name for result in results)
    return f"{name}, run {k + 1}" if alike > 1 else name


def view(results: list[Result], host: str = LOOPBACK, port: int = 8080, play: bool = True) -> Viewer:
    """Show results in a browser; gives the viewer back, whose server runs until ``stop()``."""
    if not results:
        raise InputError("there is no result to show; give at least one.")
    return Viewer(results, host, port, play)
