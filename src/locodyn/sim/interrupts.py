"""Ctrl-C and SIGTERM while a run goes on: they wait for a place at which nothing is half done.

An exception out of a signal handler can come between any two lines, also while machine code is loaded or a result is written.
Here the first signal is only noted. The run looks at the note between two chunks of steps (:meth:`Interrupts.check`), ends there,
and what it has is recorded and written. A second signal stops at once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Notes signals from its beginning to its end; where a program has handlers of its own, or in a thread, it leaves them alone.

    ``say``: whether the first signal is answered with a line on standard error.
    """

    def __init__(self, say: bool = False) -> None:
        self.wanted = False
        self.has_states = False  # set by a run that has something to lose
        self._say = say
        self._before: dict[int, Any] = {}

    def check(self) -> None:
        """KeyboardInterrupt where a signal has come."""
        if self.wanted:
            raise KeyboardInterrupt

    def check_early(self) -> None:
        """As :meth:`check` while there is nothing to lose, for places that no run survives: before a kernel is compiled."""
        if not self.has_states:
            self.check()

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) in (signal.default_int_handler, terminate):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True
        if self._say:
            print("stopping, and keeping what is there (again to stop at once) ...", file=sys.stderr, flush=True)


def terminate(number: int, frame: FrameType | None) -> None:
    """What SIGTERM does to a command: the same as Ctrl-C."""
    raise KeyboardInterrupt


@contextmanager
def telling(kept: Callable[[], str]) -> Iterator[None]:
    """Give an interruption that passes a note of what is kept, if anything is; the command line prints it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if words := kept():
            stop.add_note(words)
        raise
