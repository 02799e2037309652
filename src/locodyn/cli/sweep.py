"""``locodyn sweep NAME``: many runs of a scenario over its parameters, into one store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.cli.source import check_plot, names, parse
from locodyn.errors import InputError
from locodyn.study.units import behind

if TYPE_CHECKING:
    from locodyn.study import Study, StudyResult

_MOST_SENTENCES = 5


@dataclass(frozen=True)
class Request:
    """The options of one ``locodyn sweep``."""

    name: str
    settings: dict[str, str]
    vary: list[str]
    table: Path | None
    metric: list[str]
    design: str | None
    samples: int | None
    seed: int | None
    cycle: float | None
    series: str | None
    places: dict[str, Any]
    out: Path | None
    plot: Path | None
    paths: Path | None
    quiet: bool

    def execute(self) -> int:
        """Compute, print, write; 3 where no run was completed."""
        check_plot(self.plot)
        check_plot(self.paths)
        study = self.study()
        if self.paths is not None:
            from locodyn.view.study_paths import check_paths

            check_paths(study.job.series)
        found = study.run(self.out, **self.places, progress=not self.quiet)
        if not self.quiet:
            print("\n".join(summary(found)))
        for file, draw in ((self.plot, found.plot), (self.paths, found.plot_paths)):
            if file is not None:
                written = draw(file)
                if not self.quiet:
                    print(f"wrote {written}")
        if self.out is not None and not self.quiet:
            print(f"wrote {self.out}")
        return 0 if found.completed else 3

    def study(self) -> Study:
        """The study of a file, or of the options."""
        from locodyn.study import Study as NewStudy
        from locodyn.study.study_file import is_study_file, load_study
        from locodyn.study.study_result import PATHS

        about = {
            "--vary": self.vary, "--table": self.table, "--metric": self.metric, "--set": self.settings, "--design": self.design,
            "--samples": self.samples, "--seed": self.seed, "--cycle": self.cycle, "--series": self.series,
        }  # fmt: skip
        if is_study_file(Path(self.name)):
            for option, value in about.items():
                if value:
                    raise InputError(f"'{self.name}' is a study, which says itself what it does; leave {option} out.")
            return load_study(self.name)
        if bool(self.vary) == (self.table is not None):
            raise InputError("a sweep needs what varies: --vary NAME=10..60:11deg (repeatable), or --table FILE.csv.")
        if not self.metric:
            from locodyn.study import METRICS

            raise InputError(f"a sweep needs --metric NAME,...; known: {', '.join(METRICS)}.")
        options: dict[str, Any] = {"design": self.design, "samples": self.samples, "seed": self.seed, "cycle": self.cycle}
        options = {name: value for name, value in options.items() if value is not None}
        series = names(self.series)
        if self.paths is not None and not set(series) & set(PATHS):
            series.append(PATHS[0])
        if series:
            options["series"] = series
        metrics = [name for words in self.metric for name in names(words)]
        vary = self.table if self.table is not None else parse(self.vary, "--vary")
        return NewStudy(self.name, vary, metrics, settings=self.settings, **options)


def summary(found: StudyResult) -> list[str]:
    """A few lines about a study: how many runs, the range of each metric and where its ends are, what failed."""
    pending, completed, failed = found.store.counts()
    told = ((completed, "completed"), (failed, "failed"), (pending, "to be done"))
    counts = [f"{count} {word}" for count, word in told if count]
    lines = [f"{found.definition['name']}: {found.store.runs} runs over {', '.join(found.parameters)}: {', '.join(counts)}"]
    for one in found.definition["metrics"]:
        name = one["name"]
        missing = completed - int(np.isfinite(found.column(name)).sum())
        if missing == completed:
            lines.append(f"{name}: no value")
            continue
        ends = [found.best(name, largest) for largest in (False, True)]
        words = [f"{end.value:.6g}{behind(one['unit'])} at {_places(found, end.parameters)}" for end in ends]
        without = f"; {missing} completed run{'' if missing == 1 else 's'} without a finite number" if missing else ""
        lines.append(f"{name}: from {words[0]} to {words[1]}{without}")
    lines += told_by_runs(found)
    sentences = found.failures()
    for sentence, runs in list(sentences.items())[:_MOST_SENTENCES]:
        lines.append(f"{len(runs)} run{'s' if len(runs) > 1 else ''} failed (first: {runs[0]}): {sentence}")
    if len(sentences) > _MOST_SENTENCES:
        lines.append(f"and {len(sentences) - _MOST_SENTENCES} more reasons, in 'message' of the study")
    return lines


def told_by_runs(found: StudyResult) -> list[str]:
    """How many completed runs warned of their energy account, and how many of other things, with the first sentence of each."""
    energy = found.remarks(account_open=True)
    others = {run: words for run, words in found.remarks().items() if run not in energy and not words.startswith("the metric '")}
    kinds = ("an energy account that does not close", energy), ("another warning", others)
    return [
        f"{len(runs)} completed run{'s' if len(runs) > 1 else ''} with {what} (first: {min(runs)}): {runs[min(runs)]}"
        for what, runs in kinds
        if runs
    ]


def _places(found: StudyResult, parameters: dict[str, Any]) -> str:
    units = found.definition["units"]
    words = []
    for name, value in parameters.items():
        number = f"{value:.6g}" if isinstance(value, float) else value
        words.append(f"{name} = {number}{behind(units[name])}")
    return ", ".join(words)
