"""``locodyn view``: results in three dimensions in a browser, the page of the report served by this machine; and in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from locodyn.errors import InputError
from locodyn.view.door import LOOPBACK
from locodyn.view.report_page import STAGE, document, packet, report_html
from locodyn.view.scene import scene_of
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


HEIGHTS = range(120, 4001)  # px
FILL = (
    "<style>body{margin:0}.theatre{position:absolute;inset:0;display:flex;flex-direction:column}"
    "#stage{flex:1;height:auto}</style>"
)


class Inline:
    """What a notebook shows of a run: ``html`` is a frame with everything inside, ``size`` its bytes."""

    def __init__(self, title: str, html: str) -> None:
        self.title, self.html = title, html

    @property
    def size(self) -> int:
        """Bytes that it adds to the notebook."""
        return len(self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"Inline({self.title}: {self.size / 1024:.0f} kB; it shows itself in a notebook)"


def inline(result: Result, height: int = 420) -> Inline:
    """The motion of a run as a player of this height (px): play, scrub, speed, views, forces, trails.

    It is a part of the notebook and stays in it: about 230 kB for the page, and the motion (10 s of 4 bodies 10 kB, of 20 bodies
    and 6 rods 600 kB).
    """
    if not (isinstance(height, int) and height in HEIGHTS):
        raise InputError(
            f"the height of a player is {height!r}; it must be a whole number of pixels, {HEIGHTS[0]} to {HEIGHTS[-1]}."
        )
    scene = scene_of(result)
    page = document(scene.title, FILL + STAGE, packet(scene, scene.times, []))
    frame = (
        f'<iframe title="{escape(scene.title)}" sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" srcdoc="'
    )
    return Inline(scene.title, frame + escape(page) + '"></iframe>')
