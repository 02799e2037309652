"""What a person sees while a run goes on: a line when kernels are compiled, a bar that goes away."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar

_REFRESH = 0.3  # s between two states of the line
USUAL = "200 to 400"  # kernels of a robot: a satellite, two rods in a loop


class CompileWatch:
    """Measures the time that Numba spends compiling (not loading from disk), and says what it does.

    ``seconds`` is the total; kernels that are found on disk do not count. ``check``: called before each kernel; it may stop the
    compilation with an exception; so may ``tell``, which gets the number of the kernel and its file. On a terminal a line shows
    how many kernels there are so far, since when, and which file is at hand, and goes away; elsewhere one line says that it
    begins, once in a process. Of several watches at once the last one speaks. Where the package brought machine code that does
    not serve here, a sentence says why.
    """

    _speakers: ClassVar[list[CompileWatch]] = []
    _said = False

    def __init__(
        self, say: bool, check: Callable[[], None] | None = None, tell: Callable[[int, str], None] | None = None
    ) -> None:
        self.seconds = 0.0
        self._say, self._check, self._tell = say, check, tell
        self._depth, self._count = 0, 0
        self._began, self._shown = 0.0, 0.0

    def on_start(self, event: Any) -> None:
        """A compilation begins; compilations nest."""
        if self._check is not None:
            self._check()
        if self._depth == 0:
            self._began = time.perf_counter()
        speaks = self._say and CompileWatch._speakers[-1:] == [self]
        if speaks or self._tell is not None:
            module = event.data["dispatcher"].py_func.__module__.removeprefix("locodyn.").replace(".", "/")
        if speaks:
            self._speak(module)
        if self._tell is not None:
            self._tell(self._count + 1, module)
        self._depth += 1
        self._count += 1

    def _speak(self, module: str) -> None:
        first, CompileWatch._said = not CompileWatch._said, True
        if first:
            from locodyn.kernel.cache import why_not_shipped

            why = why_not_shipped()
            if why:
                print(why, file=sys.stderr, flush=True)
        if not sys.stderr.isatty():
            if first:
                print("compiling kernels, once per installation: this takes up to a minute ...", file=sys.stderr, flush=True)
            return
        now = time.perf_counter()
        if now - self._shown > _REFRESH:
            self._shown = now
            total = self.seconds + now - self._began
            line = f"compiling kernels, once per installation: {self._count} of {USUAL} in {total:.0f} s, now of {module}"
            print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """A compilation ends."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began
            self._clear()

    def _clear(self) -> None:
        """Take the line away: what comes next may print."""
        if self._shown:
            self._shown = 0.0
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def notify(self, event: Any) -> None:
        """Called by Numba for each event."""
        (self.on_start if event.is_start else self.on_end)(event)

    def __enter__(self) -> CompileWatch:
        from numba.core import event

        event.Listener.register(CompileWatch)  # by name, so that this module does not load Numba
        event.register("numba:compile", self)
        if self._say:
            CompileWatch._speakers.append(self)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from numba.core import event

        event.unregister("numba:compile", self)
        if self in CompileWatch._speakers:
            CompileWatch._speakers.remove(self)
        self._clear()


class ProgressBar:
    """A bar on standard error, from the first step to the end; none where that is no terminal, or ``show`` is false."""

    def __init__(self, label: str, start: float, end: float, show: bool) -> None:
        self._label, self._start, self._end = label, start, end
        self._show = show and sys.stderr.isatty()
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        return self

    def _begin(self) -> None:
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

    def to(self, t: float) -> None:
        """The run has reached time t (s)."""
        if self._show and self._progress is None:
            self._begin()
        if self._progress is not None:
            self._progress.update(self._task, completed=t - self._start, t=t)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()
