"""What a person sees while a study goes on: how many runs are done, the rate, the time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_EVERY = 10.0  # s between two lines where there is no terminal


class StudyProgress:
    """A bar on standard error; a line now and then where that is no terminal."""

    def __init__(self, label: str, total: int, done: int, show: bool) -> None:
        self._label, self._total, self._done, self._show = label, total, done, show
        self._before, self._began = done, time.perf_counter()
        self._said, self._task = self._began, None
        self._bar: Any = None

    def __enter__(self) -> StudyProgress:
        if self._show and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            words = TextColumn("{task.fields[words]}")
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), words, console=Console(stderr=True), transient=True
            )
            self._bar.start()
            self._task = self._bar.add_task(self._label, total=self._total, completed=self._done, words=self.words())
        return self

    def words(self) -> str:
        """``120 of 1000 runs, 85 a second, 10 s left``."""
        said = f"{self._done} of {self._total} runs"
        rate = (self._done - self._before) / max(time.perf_counter() - self._began, 1e-9)
        if self._done == self._before:
            return said
        return f"{said}, {rate:.3g} a second, {_span((self._total - self._done) / rate)} left"

    def add(self, runs: int, found: bool = False) -> None:
        """So many runs more are done; ``found``: they were there already, and do not count for the rate."""
        self._done += runs
        self._before += runs if found else 0
        now = time.perf_counter()
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, words=self.words())
        elif self._show and now - self._said > _EVERY:
            self._said = now
            print(f"{self._label}: {self.words()}", file=sys.stderr, flush=True)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()


def _span(seconds: float) -> str:
    """A time in words.

    >>> _span(75.0), _span(3.2), _span(7300.0)
    ('1 min 15 s', '3 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
