"""Processes that compile at the same time share the work: one makes a kernel, the others wait and take it from the disk.

Two runs, workers of a study and workers of the tests begin with the same kernels. Without a word to each other each would compile
them all. A process takes the *turn* of a kernel before it compiles it, a lock on one byte of a file in the cache, and gives
it back when the code is on disk. One that finds the turn taken waits. The system gives back the turns of a process that ends,
however it ends, and a turn lost too early costs double work, never a wrong result.

Nobody waits in a circle. A process that waits has put on disk all that it has made, so it holds the turns of those kernels only
in which it is compiling, and it waits for a kernel that these call. Kernels do not call each other in a circle. A wait that
lasts ``PATIENCE`` ends all the same: the other process may have been stopped.
"""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from locodyn.kernel.signals import after_compiling, is_hurried

try:
    import fcntl
except ImportError:  # Windows: each process compiles for itself
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0  # s for one kernel
_PAUSE = 0.01  # s between two looks
_WAITING = 0  # byte that those who wait share
_FILE = "turns"


class Turns:
    """The turns of the kernels in one cache; none where its folder or its system has no locks."""

    def __init__(self, folder: Path) -> None:
        self._file: int | None = None
        self._taken: set[int] = set()
        if fcntl is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._file = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            except OSError:
                pass  # what cannot be written is not shared either

    def take(self, kernel: str, before_waiting: Callable[[], None]) -> None:
        """Take the turn of a kernel. Another process may have had it before: look for the code on disk again."""
        place = _place(kernel)
        if self._file is None or self._locked(place):
            return
        before_waiting()
        end = time.monotonic() + PATIENCE
        self._lock(_WAITING, shared=True)
        try:
            while not self._locked(place) and time.monotonic() < end and not is_hurried():
                time.sleep(_PAUSE)
        finally:
            self._unlock(_WAITING)

    def give(self, kernel: str) -> None:
        """Give a turn back: the code is on disk, or nobody makes it."""
        place = _place(kernel)
        if place in self._taken:
            self._taken.discard(place)
            self._unlock(place)

    def give_all(self) -> None:
        """Give all turns back."""
        for place in list(self._taken):
            self._unlock(place)
        self._taken.clear()

    def others_wait(self) -> bool:
        """Whether some process waits for a turn of another."""
        if self._file is None or not self._taken or not self._lock(_WAITING):
            return self._file is not None and bool(self._taken)
        self._unlock(_WAITING)
        return False

    def _locked(self, place: int) -> bool:
        done = self._lock(place)
        if done:
            self._taken.add(place)
        return done

    def _lock(self, place: int, shared: bool = False) -> bool:
        assert fcntl is not None and self._file is not None
        try:
            fcntl.lockf(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            self._file = None
        return True

    def _unlock(self, place: int) -> None:
        if fcntl is not None and self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)


@functools.cache
def turns_in(folder: Path) -> Turns:
    """The turns of a cache."""
    found = Turns(folder)
    after_compiling(found.give_all)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=found._taken.clear)  # the locks stay with the parent
    return found


def _place(kernel: str) -> int:
    """The byte of a kernel; two kernels with the same one would wait for each other for nothing."""
    return 1 + int.from_bytes(hashlib.sha256(kernel.encode()).digest()[:6], "little")
