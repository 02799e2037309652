"""The exceptions of the library. A message is one sentence: the thing, what is wrong with it, what would be right."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable


class LocodynError(Exception):
    """Base of all errors that locodyn raises on purpose. The command line shows the sentence and exits with ``exit_code``."""

    exit_code = 2

    def __str__(self) -> str:
        """In one line, also where it quotes a word of a file that has several."""
        return " ".join(super().__str__().splitlines())


class DescriptionError(LocodynError, ValueError):
    """A robot is described wrongly (duplicate name, impossible inertia, zero axis, ...)."""


class InputError(LocodynError, ValueError):
    """A number, name, file or option given by the user is wrong."""


class RunError(LocodynError, RuntimeError):
    """A run went bad (not a number, no convergence); what was computed so far is kept."""

    exit_code = 3


MANY, FIRST_FEW = 60, 20  # names that a sentence lists in full; otherwise the first few


def nearest(name: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` for the known name closest to ``name``, or a list of the known names.

    >>> nearest("pendulm", ["pendulum", "satellite"])
    "; did you mean 'pendulum'?"
    """
    names = [str(k) for k in known]
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    more = f" and {len(names) - FIRST_FEW} more" if len(names) > MANY else ""
    return f"; known: {', '.join(names[:FIRST_FEW] if more else names)}{more}" if names else "; none is known"


def check_takes(function: Callable[..., object], arguments: str, what: str) -> None:
    """Refuse a function that cannot be called with these arguments, such as ``"t, q, v"``; some built-in ones do not tell.

    >>> check_takes(lambda t: 0.0, "t, q, v", "the torque of 'hip'")
    Traceback (most recent call last):
    ...
    locodyn.errors.InputError: the torque of 'hip' is a function of (t); it must be one of (t, q, v).
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise InputError(f"{what} is a function of {signature}; it must be one of ({arguments}).") from None
