"""A run as a player inside a notebook: the page of the report in a frame, which needs no server, no network and no extension."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from locodyn.errors import InputError
from locodyn.view.report_page import STAGE, document, packet
from locodyn.view.scene import scene_of

if TYPE_CHECKING:
    from locodyn.sim import Result

LOWEST, HIGHEST = 120, 4000  # px
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
    if not (isinstance(height, int) and LOWEST <= height <= HIGHEST):
        raise InputError(f"the height of a player is {height!r}; it must be a whole number of pixels, {LOWEST} to {HIGHEST}.")
    scene = scene_of(result)
    page = document(scene.title, FILL + STAGE, packet(scene, scene.times, []))
    frame = (
        f'<iframe title="{escape(scene.title)}" sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" srcdoc="'
    )
    return Inline(scene.title, frame + escape(page) + '"></iframe>')
