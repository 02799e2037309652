"""Acceptance checks: a number that a result must give, where it comes from, and how far off it may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.arguments import finite

if TYPE_CHECKING:
    from locodyn.sim.result import Result


@dataclass(frozen=True)
class Check:
    """One expectation: ``function(result)`` must lie within ``tolerance`` of ``expected`` (number or vector, largest entry).

    ``source`` says where the expected value comes from.
    """

    name: str
    expected: Any
    tolerance: float
    function: Callable[[Result], Any]
    source: str

    def __post_init__(self) -> None:
        if not finite(self.tolerance, f"the tolerance of the check '{self.name}'") >= 0.0:
            raise InputError(f"the tolerance of the check '{self.name}' is {self.tolerance!r}; it must not be negative.")

    def outcome(self, result: Result) -> Outcome:
        """What the result gives."""
        obtained = np.asarray(self.function(result), dtype=float)
        difference = np.max(np.abs(obtained - np.asarray(self.expected, dtype=float)))
        return Outcome(self, obtained, bool(difference <= self.tolerance) and math.isfinite(difference))


@dataclass(frozen=True)
class Outcome:
    """A check with what was obtained."""

    check: Check
    obtained: np.ndarray
    passed: bool

    def row(self) -> tuple[str, str, str, str, str]:
        """Name, expected, obtained, tolerance, pass or fail, as text."""
        return (
            self.check.name,
            show(self.check.expected),
            show(self.obtained),
            f"{self.check.tolerance:.1g}",
            "pass" if self.passed else "FAIL",
        )


def show(value: Any) -> str:
    """A number with 7 digits, a vector in brackets.

    >>> show((1.0, 2.0))
    '(1, 2)'
    """
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return f"{float(array):.7g}"
    return "(" + ", ".join(f"{x:.7g}" for x in array.ravel()) + ")"
