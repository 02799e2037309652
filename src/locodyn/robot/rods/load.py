"""Where a wrench law acts on a rod: at one place, or spread along it with a profile, law per metre times profile(s).

The integral along the rod becomes a sum over points, which are ends of slices: the nodes that carry the mass where the law acts
on the whole rod and its profile is smooth, points of its own otherwise: of the quadrature of the rod, and those of Gauss and
Legendre between the kinks of a profile.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.rods.nodes import QUADRATURES, gauss
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import is_number

_FEWEST = 4  # points on each piece of a profile that has several


@dataclass(frozen=True, eq=False)
class Spread:
    """A stretch of a rod and a profile.

    Parameters
    ----------
    start, end : m
        By default the whole rod.
    profile : number, pairs (s, factor), or function of s (m)
        What the law is multiplied with. Between pairs it is linear, outside of them zero.
    """

    start: float = 0.0
    end: float | None = None
    profile: Any = 1.0

    def __post_init__(self) -> None:
        if callable(self.profile) or is_number(self.profile):
            return
        try:
            table = np.array(self.profile, dtype=float)
        except (TypeError, ValueError):
            table = np.zeros(0)
        pairs = table.ndim == 2 and table.shape[1] == 2 and len(table) > 1 and bool(np.isfinite(table).all())
        if not pairs or np.any(np.diff(table[:, 0]) <= 0):
            raise DescriptionError(
                "The profile of a load on a rod must be a number, a function of s, or two or more pairs (s, factor), s growing."
            )
        object.__setattr__(self, "profile", tuple((float(s), float(factor)) for s, factor in table))

    @property
    def knots(self) -> tuple[float, ...]:
        """Places where the profile has a kink, m."""
        return () if callable(self.profile) or is_number(self.profile) else tuple(s for s, _ in self.profile)

    def factor(self, s: float) -> float:
        """The profile at s (m)."""
        if callable(self.profile):
            value = float(self.profile(s))
        elif is_number(self.profile):
            value = float(self.profile)
        else:
            places, factors = np.array(self.profile).T
            value = float(np.interp(s, places, factors, left=0.0, right=0.0))
        if not np.isfinite(value):
            raise DescriptionError(f"The profile of a load along a rod is {value!r} at s = {s:g} m; it must be finite.")
        return value

    def check(self, rod: Rod, name: str, owner: str) -> None:
        """:class:`DescriptionError` when it does not fit its rod."""
        end = rod.length if self.end is None else self.end
        if not (is_number(self.start) and is_number(end) and 0.0 <= self.start < end <= rod.length * (1.0 + 1e-9)):
            raise DescriptionError(
                f"Wrench law '{name}' acts from s = {self.start!r} to {end!r} m on rod '{owner}', which is {rod.length:g} m long."
            )
        self.factor(0.5 * (self.start + end))

    def points(self, rod: Rod) -> list[tuple[float, float]]:
        """(s, weight times profile) of the points: the integral of f is the sum of weight * f(s)."""
        end = rod.length if self.end is None else min(self.end, rod.length)
        edges = [self.start, *(s for s in self.knots if self.start < s < end), end]
        inside = [(a, b) for a, b in pairwise(edges) if not self.knots or (a < self.knots[-1] and b > self.knots[0])]
        several = max(_FEWEST, -(-rod.node_count // max(len(inside), 1)))
        x, w = QUADRATURES[rod.quadrature](rod.node_count) if len(inside) == 1 else gauss(several)
        result = []
        for a, b in inside:
            for place, weight in zip(a + (b - a) * x, (b - a) * w, strict=True):
                result.append((float(place), float(weight) * self.factor(float(place))))
        return result


def spread_of(along: Any, profile: Any) -> Spread | None:
    """A stretch from the words of the builder: ``along`` True or (start, end); None without it."""
    if along is None or along is False:
        if not (is_number(profile) and profile == 1.0):
            raise DescriptionError("A profile is given without 'along': say along=True, or along=(start, end).")
        return None
    if along is True:
        return Spread(profile=profile)
    try:
        start, end = (float(s) for s in along)
    except (TypeError, ValueError):
        raise DescriptionError(f"A wrench acts along {along!r}; it must be True, or (start, end) in m.") from None
    return Spread(start, end, profile)
