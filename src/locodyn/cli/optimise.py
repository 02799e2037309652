"""``locodyn optimise NAME``: the parameters with which a metric is largest or smallest, and that run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.cli.source import check_plot, names, parse
from locodyn.errors import InputError
from locodyn.study.units import behind

if TYPE_CHECKING:
    from locodyn.study import Optimum

_MOST_LINES = 8


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn optimise``."""

    name: str
    settings: dict[str, str]
    over: list[str]
    maximise: str | None
    minimise: str | None
    constraint: list[str]
    method: str | None
    budget: int
    starts: int
    population: int | None
    seed: int
    cycle: float | None
    places: dict[str, Any]
    history: Path | None
    out: Path | None
    plot: Path | None
    quiet: bool

    def execute(self) -> None:
        """Search, print, write."""
        from locodyn.sim.store import RESULT, check_writable
        from locodyn.study import Optimisation

        if self.out is not None:
            check_writable(self.out, "output", RESULT)
        check_plot(self.plot)
        if not self.over:
            raise InputError("an optimisation needs what may change: --over NAME=10..60deg (repeatable).")
        search = Optimisation(
            self.name, parse(self.over, "--over"), maximise=names(self.maximise), minimise=names(self.minimise),
            constraints=self.constraint, settings=self.settings, method=self.method, budget=self.budget, starts=self.starts,
            population=self.population, seed=self.seed, cycle=self.cycle,
        )  # fmt: skip
        found = search.run(self.history, **self.places, progress=not self.quiet)
        if not self.quiet:
            print("\n".join(summary(found)))
        written = [] if self.out is None else [found.result().save(self.out)]
        if self.plot is not None:
            written.append(found.plot(self.plot))
        for file in written:
            if not self.quiet:
                print(f"wrote {file}")


def summary(found: Optimum) -> list[str]:
    """A few lines about a search: the best run, or the front."""
    search = found.search
    kept = int(found.feasible.sum())
    lines = [f"{search.subject.name}: {len(found.points)} runs by {search.method}, {kept} within all limits"]
    front = found.front() if len(search.objectives) > 1 else [found.run]
    step = max(1, len(front) // _MOST_LINES)
    for run in front[::step]:
        values = {**search.row(found.points[run]), **dict(zip(search.job.metrics, found.numbers[run], strict=True))}
        lines.append(", ".join(f"{name} = {value:.6g}{behind(search.units[name])}" for name, value in values.items()))
    return lines
