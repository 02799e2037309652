"""``locodyn workspace NAME``: where the platform of a robot can be, and where it is stable there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from locodyn.cli.source import check_plot, names, scenario_from
from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.files.reading import Reading


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn workspace``."""

    name: str
    settings: dict[str, str]
    body: str
    grid: list[str]
    hold: str | None
    drives: str | None
    plot: Path | None
    out: Path | None
    quiet: bool
    reading: Reading | None = None

    def execute(self) -> None:
        """Compute, print, write."""
        from locodyn.sim.store import RESULT, check_writable
        from locodyn.sim.workspaces import workspace

        check_plot(self.plot)
        if self.out is not None:
            check_writable(self.out, "output", RESULT)
        places = [parsed(text) for text in self.grid]
        grid = dict(places)
        if len(grid) < len(places):
            raise InputError("--grid names a direction twice; it takes two that differ.")
        scenario = scenario_from(self.name, self.settings, self.reading, self.quiet)
        found = workspace(
            scenario,
            self.body,
            grid,
            drives=tuple(names(self.drives)) or None,
            hold=tuple(names(self.hold)),
            progress=not self.quiet,
        )
        if not self.quiet:
            reached, stable = int(found.reached.sum()), int(found.stable.sum())
            unit = (
                " ".join(found.dataset[axis].attrs["units"] for axis in found.axes)
                .replace("m m", "m^2")
                .replace("rad rad", "rad^2")
            )
            print(f"{reached} of {found.reached.size} places are equilibria, {stable} of them stable ({found.area():.4g} {unit})")
        for written in (found.plot(self.plot) if self.plot else None, found.save(self.out) if self.out else None):
            if written is not None and not self.quiet:
                print(f"wrote {written}")


def parsed(text: str) -> tuple[str, tuple[float, float, int]]:
    """The direction and the places of ``DIRECTION=FROM:TO:COUNT``.

    >>> parsed("x=-0.5:0.5:21")
    ('x', (-0.5, 0.5, 21))
    """
    key, _, numbers = text.partition("=")
    try:
        low, high, count = numbers.split(":")
        return key.strip(), (float(low), float(high), int(count))
    except ValueError:
        raise InputError(f"--grid {text} is not of the form DIRECTION=FROM:TO:COUNT, such as x=-0.5:0.5:41.") from None
