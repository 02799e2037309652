"""Signals wait while machine code is made or loaded.

LLVM calls Python back while it does so. An exception out of a signal handler is lost there, and what it interrupts is left half
done: "no compiled object yet", or a segmentation fault at the next call. While a kernel is compiled or loaded
(:func:`uninterrupted`) signals are therefore only noted. Their handlers run when the outermost kernel is there; those of Ctrl-C
and SIGTERM already before the next kernel in it is begun, so that nobody waits for a minute.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")  # those whose handlers may raise
_HURRY = (signal.SIGINT, signal.SIGTERM)
_handlers: dict[int, Any] = {}  # of the program, while they wait
_came: list[int] = []
_afterwards: list[Callable[[], None]] = []
_inside = threading.local()  # how deep this thread is in kernels that are compiled


def after_compiling(act: Callable[[], None]) -> None:
    """Have a function called whenever an outermost kernel is there, or could not be made."""
    _afterwards.append(act)


def is_hurried() -> bool:
    """Whether Ctrl-C or SIGTERM came and waits."""
    return any(number in _HURRY for number in _came)


def uninterrupted(act: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with signals waiting; outside the main thread, where Python runs no handlers, just the function."""

    @functools.wraps(act)
    def calm(*arguments: Any) -> Any:
        _inside.depth = getattr(_inside, "depth", 0) + 1
        try:
            return noted(*arguments)
        finally:
            _inside.depth -= 1
            if not _inside.depth:
                for then in _afterwards:
                    then()

    def noted(*arguments: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return act(*arguments)
        if _handlers:
            if is_hurried():
                _deliver()
            return act(*arguments)
        for number in (getattr(signal, name, None) for name in _NAMES):
            handler = None if number is None else signal.getsignal(number)
            if number is not None and callable(handler) and not isinstance(handler, signal.Handlers):
                _handlers[number] = signal.signal(number, _note)
        try:
            return act(*arguments)
        finally:
            _deliver()

    return calm


def _deliver() -> None:
    """The handlers of the program again, and those of the signals that came are run; they may raise."""
    for number, handler in _handlers.items():
        signal.signal(number, handler)
    _handlers.clear()
    came, _came[:] = list(_came), []
    for number in came:
        signal.raise_signal(number)


def _note(number: int, frame: FrameType | None) -> None:
    _came.append(number)
