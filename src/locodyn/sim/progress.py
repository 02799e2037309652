"""What a person sees while a run goes on: a line when kernels are compiled, a bar that goes away."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any


class CompileWatch:
    """Measures the time that Numba spends compiling (not loading from disk), and says so the first time.

    ``seconds`` is the total; kernels that are found on disk do not count. ``check``: called before each kernel; it may stop the
    compilation with an exception.
    """

    def __init__(self, say: bool, check: Callable[[], None] | None = None) -> None:
        self.seconds = 0.0
        self._say, self._check = say, check
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """A compilation begins; compilations nest."""
        if self._check is not None:
            self._check()
        if self._depth == 0:
            self._began = time.perf_counter()
            if self._say:
                self._say = False
                print("compiling kernels, once per installation: this takes up to a minute ...", file=sys.stderr, flush=True)
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A compilation ends."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began

    def notify(self, event: Any) -> None:
        """Called by Numba for each event."""
        (self.on_start if event.is_start else self.on_end)(event)

    def __enter__(self) -> CompileWatch:
        from numba.core import event

        event.Listener.register(CompileWatch)  # by name, so that this module does not load Numba
        event.register("numba:compile", self)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from numba.core import event

        event.unregister("numba:compile", self)


class ProgressBar:
    """A bar on standard error, gone at the end; nothing where standard error is not a terminal or ``show`` is false."""

    def __init__(self, label: str, start: float, end: float, show: bool) -> None:
        self._label, self._start, self._end = label, start, end
        self._show = show and sys.stderr.isatty()
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        if self._show:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("t = {task.fields[t]:.4g} s"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._label, total=self._end - self._start, t=self._start)
        return self

    def to(self, t: float) -> None:
        """The run has reached time t (s)."""
        if self._progress is not None:
            self._progress.update(self._task, completed=t - self._start, t=t)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()
