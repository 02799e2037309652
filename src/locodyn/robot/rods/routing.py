"""Routes of tendons and sections that change along a rod, as data: what would otherwise be Python functions of s.

A route gives the place (y, z) of a tendon in the sections, m, and its slope along s; a taper the section at s.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.rods.section import Section, positive
from locodyn.robot.values import floats, is_number, scalar


class Route(ABC):
    """The place of a tendon in the sections of its rod."""

    @abstractmethod
    def __call__(self, s: float) -> tuple[float, float]:
        """(y, z) at s, m."""

    @abstractmethod
    def slope(self, s: float) -> tuple[float, float]:
        """Its derivative along s."""

    @abstractmethod
    def turns(self, length: float) -> float:
        """How often it winds about the centre line over a length (m), at most."""


@dataclass(frozen=True)
class Helix(Route):
    """A helix about the centre line: y = r cos(2 pi s / pitch + phase), z = r sin(...).

    ``radius`` and ``pitch`` in m (a negative pitch winds the other way), ``phase`` in rad.
    """

    radius: float
    pitch: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        positive(self.radius, "The radius of a helix", "m")
        if not is_number(self.pitch) or not math.isfinite(self.pitch) or self.pitch == 0.0:
            raise DescriptionError(f"The pitch of a helix is {self.pitch!r}; it must be a finite number other than 0, m.")
        scalar(self.phase, "The phase of a helix")

    def _angle(self, s: float) -> float:
        return 2.0 * math.pi * s / self.pitch + self.phase

    def __call__(self, s: float) -> tuple[float, float]:
        """Place at s (m)."""
        return self.radius * math.cos(self._angle(s)), self.radius * math.sin(self._angle(s))

    def slope(self, s: float) -> tuple[float, float]:
        """Its derivative along s."""
        rate = 2.0 * math.pi * self.radius / self.pitch
        return -rate * math.sin(self._angle(s)), rate * math.cos(self._angle(s))

    def turns(self, length: float) -> float:
        """Number of turns over a length (m)."""
        return abs(length / self.pitch)


@dataclass(frozen=True)
class PolynomialRoute(Route):
    """y = y0 + y1 s + y2 s^2 + ..., z likewise; the coefficients in m, 1, 1/m, ..."""

    y: Sequence[float] = (0.0,)
    z: Sequence[float] = (0.0,)

    def __post_init__(self) -> None:
        for name in ("y", "z"):
            numbers = floats(getattr(self, name), f"The coefficients {name} of a route")
            if np.ndim(numbers) != 1 or not np.size(numbers) or not np.isfinite(numbers).all():
                raise DescriptionError(f"The coefficients {name} of a route are {numbers!r}; they must be finite numbers.")
            object.__setattr__(self, name, tuple(float(x) for x in numbers))

    def __call__(self, s: float) -> tuple[float, float]:
        """Place at s (m)."""
        y, z = (float(np.polynomial.polynomial.polyval(s, x)) for x in (self.y, self.z))
        return y, z

    def slope(self, s: float) -> tuple[float, float]:
        """Its derivative along s."""
        derivatives = (np.polynomial.polynomial.polyder(x) for x in (self.y, self.z))
        y, z = (float(np.polynomial.polynomial.polyval(s, x)) for x in derivatives)
        return y, z

    def turns(self, length: float) -> float:
        """A polynomial winds no further than its degree lets it."""
        return 0.25 * max(len(self.y), len(self.z))


@dataclass(frozen=True)
class Tapered:
    """A section whose numbers go linearly from those of ``first`` at the root to those of ``last`` at the tip, both of one kind.

    ``length`` (m) is that of its rod, which sets it.
    """

    first: Section
    last: Section
    length: float | None = None

    def __post_init__(self) -> None:
        if type(self.first) is not type(self.last) or not hasattr(self.first, "properties"):
            raise DescriptionError(
                f"A taper goes from {self.first!r} to {self.last!r}; it must be between sections of one kind, such as circles."
            )

    def over(self, length: float) -> Tapered:
        """The taper of a rod of this length."""
        return replace(self, length=length)

    def __call__(self, s: float) -> Section:
        """The section at s (m)."""
        assert self.length is not None
        x = s / self.length
        first: Any = self.first  # sections are dataclasses
        section: Section = replace(first, **{entry.name: self._between(entry.name, x) for entry in fields(first)})
        return section

    def _between(self, name: str, x: float) -> Any:
        one, two = getattr(self.first, name), getattr(self.last, name)
        if one is None or two is None:
            if one is not two:
                raise DescriptionError(f"One end of a taper has a {name} and the other has none; give both, or none.")
            return None
        return (1.0 - x) * np.asarray(one) + x * np.asarray(two) if np.ndim(one) else (1.0 - x) * one + x * two


Offset: TypeAlias = Sequence[float] | Route | Callable[[float], Sequence[float]]
"""Place (y, z) m in the sections of a rod, or a route or a function of s (m) that gives it."""

ROUTES = {"helix": Helix, "polynomial": PolynomialRoute}
