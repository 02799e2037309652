"""Acceptance checks: a number that a result must give, where it comes from, and how far off it may be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.arguments import finite

if TYPE_CHECKING:
    from locodyn.sim.result import Result


class Kind(Enum):
    """What a check compares with."""

    PUBLISHED = "published number"  # printed in the source that the check cites, with its place
    CLOSED_FORM = "closed form"  # a formula, a symmetry or a constraint gives the number
    INDEPENDENT = "independent calculation"  # other equations or another code
    CONSERVATION = "law of conservation"  # energy, work and momentum
    OWN = "own record"  # measured or chosen here: guards against change, and proves nothing

    @property
    def word(self) -> str:
        """The kind in one word, as commands and files say it.

        >>> [kind.word for kind in Kind]
        ['published', 'closed-form', 'independent', 'conservation', 'own']
        """
        return self.name.lower().replace("_form", "-form")


# Author, year, place: "Transeth 2007, 7.5.2", "Mauny, Porez, Boyer (2017), 5.2".
_PLACE = re.compile(r"[A-Z]\w+[^;]*\b\d{4}\)?, \S")
_YEAR = re.compile(r"\b(1[6-9]|20)\d\d\b")


@dataclass(frozen=True)
class Check:
    """One expectation: ``function(result)`` must lie within ``tolerance`` of ``expected`` (number or vector, largest entry).

    ``source`` says where the expected value comes from, ``kind`` what sort of value it is. A published number names author,
    year and place; an own record names no source.
    """

    name: str
    expected: Any
    tolerance: float
    function: Callable[[Result], Any]
    source: str
    kind: Kind

    def __post_init__(self) -> None:
        if not finite(self.tolerance, f"the tolerance of the check '{self.name}'") >= 0.0:
            raise InputError(f"the tolerance of the check '{self.name}' is {self.tolerance!r}; it must not be negative.")
        if not isinstance(self.kind, Kind):
            kinds = ", ".join(f"Kind.{kind.name}" for kind in Kind)
            raise InputError(f"the kind of the check '{self.name}' is {self.kind!r}; it must be one of {kinds}.")
        if self.kind is Kind.PUBLISHED and not _PLACE.search(self.source):
            raise InputError(
                f"the check '{self.name}' is a published number of '{self.source}'; name author, year and place, as in"
                " 'Transeth 2007, 7.5.2'."
            )
        if self.kind is Kind.OWN and _YEAR.search(self.source):
            raise InputError(
                f"the check '{self.name}' is an own record and cites '{self.source}'; say 'own record' or 'own limit' and what it"
                " is, and name no source, because none has the number."
            )

    @property
    def origin(self) -> str:
        """Kind and source in words, the kind once: ``closed form: free fall``."""
        said = self.source.removeprefix(f"{self.kind.value}: ")
        return said if said.startswith(self.kind.value) else f"{self.kind.value}: {said}"

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

    def __str__(self) -> str:
        """For example ``pass: range of tau_1 (N m): 19.4, expected 19.4 within 0.03``."""
        name, expected, obtained, tolerance, word = self.row()
        return f"{word}: {name}: {obtained}, expected {expected} within {tolerance}"

    __repr__ = __str__

    def row(self) -> tuple[str, str, str, str, str]:
        """Name, expected, obtained, tolerance, pass or fail, as text."""
        return (
            self.check.name,
            show(self.check.expected),
            show(self.obtained),
            f"{self.check.tolerance:.2g}",
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


def by_kind(kinds: Iterable[Kind]) -> str:
    """How many there are of each kind, in the order of the kinds.

    >>> by_kind([Kind.OWN, Kind.PUBLISHED, Kind.OWN])
    '1 published number, 2 own record'
    """
    found = list(kinds)
    return ", ".join(f"{found.count(kind)} {kind.value}" for kind in Kind if kind in found)
