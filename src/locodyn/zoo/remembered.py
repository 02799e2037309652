"""Robots that a study need not build again: those whose parameters are the same as in a run before.

A function of a mapping gives the same value when all entries that it read are the same: it took the same way through its code
and never saw the others. So the function ``robot(p)`` of a file of the zoo is watched, and what it gave is kept with the entries
that it read: a study of gaits builds its robot once. Only runs of a study ask for it (:func:`remembering`); whoever makes a
scenario to change its robot gets a robot of his own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_MOST = 32  # of one function: runs that follow each other have most in common
_active: ContextVar[bool] = ContextVar("remembering", default=False)


@contextmanager
def remembering() -> Iterator[None]:
    """Robots made inside may be those of a run before."""
    token = _active.set(True)
    try:
        yield
    finally:
        _active.reset(token)


class Watched(Mapping[str, Any]):
    """Parameters that note which of them are read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        self.read[name] = value
        return value

    def __iter__(self) -> Iterator[str]:  # names are those of the table, the same in every run
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Remembered:
    """The function ``robot(p)`` of a file, with what it gave for the parameters that it read."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self.make = make
        self._known: list[tuple[dict[str, Any], Any, Any]] = []  # the last one first
        self.__doc__ = make.__doc__

    def __call__(self, p: Mapping[str, Any], *more: Any) -> Any:
        """The robot with the parameters ``p``."""
        if more or not _active.get():
            return self.make(p, *more)
        for k, (read, robot, built) in enumerate(self._known):
            if all(name in p and _same(p[name], value) for name, value in read.items()) and _built(robot) is built:
                self._known.insert(0, self._known.pop(k))
                return robot
        watched = Watched(p)
        robot = self.make(watched)
        if _built(robot) is not None:  # else nothing tells whether it was changed since
            self._known = [(watched.read, robot, _built(robot)), *self._known[: _MOST - 1]]
        return robot


def _same(one: Any, two: Any) -> bool:
    """Equal in kind and bits: 0.0 and -0.0, 1 and True are not."""
    return one is two or (type(one) is type(two) and repr(one) == repr(two))


def _built(robot: Any) -> Any:
    """The description of a robot; another object once the robot has been changed. None of anything else."""
    return getattr(robot, "description", None)
