"""What ``locodyn plot``, ``report``, ``picture`` and ``video`` make of a run: a saved one, or one that is made first."""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locodyn.cli.source import check_plot, scenario_from
from locodyn.errors import InputError
from locodyn.files.reading import ENDINGS, is_file_name

if TYPE_CHECKING:
    from locodyn.files.reading import Reading
    from locodyn.sim import Result


@dataclass(frozen=True)
class RunSource:
    """Where a run comes from: a result in a file, or a scenario of the zoo or of a file, with the options that go with it."""

    word: str
    settings: dict[str, str]
    reading: Reading | None = None
    quiet: bool = False

    def result(self) -> Result:
        """The run: read, or computed."""
        from locodyn.sim import Result as SavedResult
        from locodyn.sim.run import run_through

        if not self.word.endswith(".nc"):
            if os.path.isfile(self.word) and not is_file_name(self.word):
                raise InputError(
                    f"'{self.word}' is neither a result (.nc) nor a robot or a scenario; these end in {', '.join(ENDINGS)}."
                )
            scenario = scenario_from(self.word, self.settings, self.reading, self.quiet)
            return run_through(scenario, progress=not self.quiet)
        self.check_alone()
        return SavedResult.load(self.word)

    def check_alone(self) -> None:
        """Refuse options of a scenario beside what is saved."""
        for option in (*(["--set"] if self.settings else []), *(self.reading.options() if self.reading else ())):
            raise InputError(f"{option} cannot be given with the file '{self.word}'; a saved run is what it is.")


def _say_written(written: Path, source: RunSource) -> None:
    if not source.quiet:
        print(f"wrote {written}")


def plot(source: RunSource, output: Path, what: str | None, at: float | None) -> None:
    """Draw a run."""
    check_plot(output)
    if at is not None and not math.isfinite(at):
        raise InputError(f"--at is {at}; it must be a time of the run, in s.")
    _say_written(source.result().plot(output, what, at), source)


def plot_against(source: RunSource, output: Path, measured: Path, what: str | None, at: float | None) -> None:
    """Draw a run against measured motion, and print its errors."""
    from locodyn.study.measured import Measured
    from locodyn.view.against import errors_against
    from locodyn.view.against import plot_against as write
    from locodyn.view.plots import check_ending

    for option, value in (("--what", what), ("--at", at)):
        if value is not None:
            raise InputError(f"{option} cannot be given with --against; the columns of the file say what is drawn.")
    check_ending(output)
    _check(output, "plot")
    data, result = Measured.of(measured), source.result()
    errors = errors_against(result, data)
    if not source.quiet:
        print(f"{'column':<28} {'max':>10} {'mean':>10} {'std':>10} {'percent':>10}")
        for name, one in errors.items():
            print(f"{name:<28} {one.max:>10.3g} {one.mean:>10.3g} {one.std:>10.3g} {one.percent:>10.3g}")
    _say_written(write(result, output, data), source)


def report(source: RunSource, output: Path, plays: str | None = None) -> None:
    """Write the report page of a run, or of a study, of which a click plays ``plays`` runs (a number, or ``all``)."""
    from locodyn.sim.store import REPORT
    from locodyn.view.page import built

    _check(output, "report", REPORT)
    built("page.js")
    if source.word.rstrip("/").endswith(".zarr"):
        _report_study(source, output, plays)
    elif plays is not None:
        raise InputError("--plays says how many runs of a study a page plays; leave it out, or give a study.zarr.")
    else:
        _say_written(source.result().report(output), source)


def _report_study(source: RunSource, output: Path, plays: str | None) -> None:
    """Write the page of a study, in which a click on a point plays that run."""
    from locodyn.study import StudyResult
    from locodyn.view.study_page import MOST, study_report

    source.check_alone()
    if plays is not None and plays != "all" and not (plays.isdecimal() and int(plays)):
        raise InputError(f"--plays is '{plays}'; it must be a whole number from 1 on, or all.")
    most = MOST if plays is None else None if plays == "all" else int(plays)

    def told(done: int, count: int) -> None:
        print(f"run {done + 1} of {count} that the page holds", file=sys.stderr, flush=True)

    _say_written(study_report(StudyResult.load(source.word), output, most, told=None if source.quiet else told), source)


def video(source: RunSource, output: Path, size: str, **options: Any) -> None:
    """Write a video of a run; ``size`` such as ``1280x720``."""
    from locodyn.view.film import check_look, check_pace, check_possible

    check_possible(output)
    _check(output, "video")
    pixels = parse_size(size)
    check_look(options["view"], pixels, even=output.suffix.lower() == ".mp4")
    check_pace(options["fps"], options["speed"])
    _say_written(source.result().video(output, size=pixels, **options), source)


def log(source: RunSource, output: Path) -> None:
    """Write an MCAP log of a run."""
    from locodyn.view.log import check_possible

    check_possible(output)
    _say_written(source.result().log(output), source)


def picture(source: RunSource, output: Path, size: str, at: str | None, **options: Any) -> None:
    """Draw the robot of a run at one time, or at several."""
    from locodyn.view.film import PICTURE, check_look

    _check(output, "picture", PICTURE)
    pixels, times = parse_size(size), None if at is None else parse_times(at)
    check_look(options["view"], pixels)
    _say_written(source.result().picture(output, times, size=pixels, **options), source)


def _check(output: Path, what: str, endings: tuple[str, ...] = ()) -> None:
    from locodyn.sim.store import check_writable

    check_writable(output, what, endings)


def parse_times(text: str) -> list[float]:
    """Times in s, with commas between them.

    >>> parse_times("0,5,10")
    [0.0, 5.0, 10.0]
    """
    try:
        times = [float(word) for word in text.split(",")]
    except ValueError:
        times = [math.nan]
    if not all(map(math.isfinite, times)):
        raise InputError(f"the times '{text}' are not numbers with commas between them, such as 0,5,10.")
    return times


def parse_size(size: str) -> tuple[int, int]:
    """Width and height in pixels.

    >>> parse_size("1280x720")
    (1280, 720)
    """
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", size)
    if found is None:
        raise InputError(f"the size '{size}' is not of the form 1280x720.")
    return int(found[1]), int(found[2])
