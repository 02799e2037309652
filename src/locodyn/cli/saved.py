"""``locodyn plot``, ``picture``, ``report`` and ``video``: what is made of a saved result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.sim import Result


def load(file: Path, output: Path, what: str) -> Result:
    """The result, after making sure that the output can be written."""
    from locodyn.sim import Result as SavedResult
    from locodyn.sim.store import check_writable

    check_writable(output, what)
    return SavedResult.load(file)


def plot(file: Path, output: Path, what: str | None, at: float | None) -> None:
    """Draw a saved result."""
    from locodyn.view.plots import check_ending

    check_ending(output)
    print(f"wrote {load(file, output, 'plot').plot(output, what, at)}")


def report(file: Path, output: Path) -> None:
    """Write the report page of a saved result."""
    print(f"wrote {load(file, output, 'report').report(output)}")


def video(file: Path, output: Path, size: str, **options: Any) -> None:
    """Write a video of a saved result; ``size`` such as ``1280x720``."""
    from locodyn.view.film import check_possible

    check_possible(output)
    pixels = parse_size(size)
    print(f"wrote {load(file, output, 'video').video(output, size=pixels, **options)}")


def picture(file: Path, output: Path, size: str, **options: Any) -> None:
    """Draw the robot of a saved result at one time."""
    pixels = parse_size(size)
    print(f"wrote {load(file, output, 'picture').picture(output, size=pixels, **options)}")


def parse_size(size: str) -> tuple[int, int]:
    """Width and height in pixels.

    >>> parse_size("1280x720")
    (1280, 720)
    """
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", size)
    if found is None:
        raise InputError(f"the size '{size}' is not of the form 1280x720.")
    return int(found[1]), int(found[2])
