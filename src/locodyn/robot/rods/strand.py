"""Tendons, pressurised chambers and muscles along a rod: where they run.

The stress that a strand puts into its rod (Gotelli 2024, (2.32)), with D(s) its place in the section, Gamma and K the strains,

    tendon:   Lambda = T (u ; D x u),  u = G / |G|,  G = Gamma + K x D + D'       (the force along the modes is -T d length / d q)
    chamber:  Lambda = -p A (e_x ; D x e_x)                                       (+p d volume / d q)
    muscle:   Lambda = a (Lambda0(s) + H_a(s) eps),  a its activation             (an active stress, and an active stiffness)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.layout import CHAMBER, MUSCLE, SPRING, TENDON
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.routing import Offset, Route
from locodyn.robot.values import floats, is_number
from locodyn.typing import Vector

POINTS = 8  # Gauss points of a strand on each smooth piece of its rod, beside one for each function
_PER_TURN = 8  # more points for each turn of a helix


@dataclass(frozen=True, eq=False)
class Strand:
    """A tendon or a chamber on a rod.

    Parameters
    ----------
    name : str
    offset : (2,) m, route (:mod:`locodyn.robot.rods.routing`), or function of s (m) that gives it
        Place in the section: y and z.
    start, end : m
        From where to where on the rod it acts; by default all of it.
    stiffness : N/m
        Of a tendon whose free length is given instead of its tension: T = stiffness * (length - free length), never negative.
    area : m^2
        Of a chamber.
    stress : (6,), or function of s (m) that gives it
        Of a muscle: (force N; moment N m) in the axes of the section that the part beyond exerts on the part before, added to
        the elastic stress, for the activation 1.
    active_stiffness : (6,), or function of s
        Of a muscle: N and N m^2 along the six strains, for the activation 1.
    time_constant : s
        T with which its tension, free length, pressure or activation z follows what it is told, u: T zdot = u - z. 0: at once.
    """

    name: str
    offset: Offset
    start: float = 0.0
    end: float | None = None
    stiffness: float = 0.0
    area: float = 0.0
    stress: Vector | Callable[[float], Vector] | None = None
    active_stiffness: Vector | Callable[[float], Vector] = (0.0,) * 6
    time_constant: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.time_constant < math.inf:
            raise DescriptionError(f"The time constant of '{self.name}' is {self.time_constant!r}; it must not be negative, s.")
        for field in ("offset", "stress", "active_stiffness"):
            value = getattr(self, field)
            if value is not None and not callable(value):
                object.__setattr__(self, field, floats(value, f"The {field.replace('_', ' ')} of '{self.name}'"))

    @property
    def kind(self) -> int:
        """TENDON, SPRING, CHAMBER or MUSCLE."""
        if self.stress is not None:
            return MUSCLE
        return CHAMBER if self.area > 0.0 else SPRING if self.stiffness > 0.0 else TENDON

    def place(self, s: float) -> np.ndarray:
        """D(s), (3,) m."""
        value = np.asarray(self.offset(s) if callable(self.offset) else self.offset, dtype=float)
        if value.shape != (2,) or not np.isfinite(value).all():
            raise DescriptionError(f"The offset of '{self.name}' is {value!r}; it must be two finite numbers (y, z), m.")
        return np.array([0.0, *value])

    def slope(self, s: float, length: float) -> np.ndarray:
        """D'(s), (3,): of a function by central differences, zero for a constant offset."""
        if not callable(self.offset):
            return np.zeros(3)
        if isinstance(self.offset, Route):
            return np.array([0.0, *self.offset.slope(s)])
        h = 1e-5 * length
        low, high = max(0.0, s - h), min(length, s + h)
        found: np.ndarray = (self.place(high) - self.place(low)) / (high - low)
        return found

    def six(self, field: str, s: float) -> np.ndarray:
        """``stress`` or ``active_stiffness`` at s, (6,)."""
        values = getattr(self, field)
        value = np.asarray(values(s) if callable(values) else values, dtype=float)
        if value.shape != (6,) or not np.isfinite(value).all():
            raise DescriptionError(f"The {field.replace('_', ' ')} of '{self.name}' is {value!r}; it must be six finite numbers.")
        return value

    def check(self, rod: Rod, owner: str) -> None:
        """:class:`DescriptionError` when it does not fit its rod."""
        if rod.fields:
            raise DescriptionError(
                f"'{self.name}' is put on rod '{owner}', whose strain field '{rod.fields[0].name}' it would not know: a rod has"
                " strain fields, or tendons, chambers and muscles."
            )
        end = rod.length if self.end is None else self.end
        for what, value in (("start", self.start), ("end", end), ("stiffness", self.stiffness), ("area", self.area)):
            if not is_number(value) or not np.isfinite(value) or value < 0.0:
                raise DescriptionError(f"The {what} of '{self.name}' on rod '{owner}' is {value!r}; it must not be negative.")
        if not self.start < end <= rod.length * (1.0 + 1e-9):
            raise DescriptionError(
                f"'{self.name}' runs from s = {self.start:g} to {end:g} m on rod '{owner}', which is {rod.length:g} m long."
            )
        for s in np.linspace(self.start, end, 9):
            far = float(np.linalg.norm(self.place(float(s))))
            if far >= rod.length:
                raise DescriptionError(
                    f"The offset of '{self.name}' is {far:g} m from the centre line of rod '{owner}', which is {rod.length:g} m"
                    " long; it is (y, z) in m, in the section or on guides nearer than the length of the rod."
                )
        if self.kind == MUSCLE:
            self.six("stress", 0.5 * (self.start + end)), self.six("active_stiffness", 0.5 * (self.start + end))

    def points(self, rod: Rod) -> np.ndarray:
        """Quadrature points: weight (m), D (3), D' (3), strain without load (6), functions of the modes (count).

        Of a muscle: weight, stress (6), active stiffness (6), functions of the modes.
        """
        end = rod.length if self.end is None else self.end
        inner = [s for s in rod.joints if self.start < s < end]
        edges = [self.start, *inner, end]
        count = POINTS + max(rod.modes)
        if isinstance(self.offset, Route):
            count += math.ceil(_PER_TURN * self.offset.turns(end - self.start))
        x, w = np.polynomial.legendre.leggauss(count)
        rows = []
        for left, right in pairwise(edges):
            for place, weight in zip(left + 0.5 * (right - left) * (1.0 + x), 0.5 * (right - left) * w, strict=True):
                at = np.array([place])
                if self.kind == MUSCLE:
                    here = [*self.six("stress", place), *self.six("active_stiffness", place)]
                else:
                    here = [*self.place(place), *self.slope(place, rod.length), *rod.rest(at)[0]]
                rows.append([weight, *here, *rod.functions(at)[0]])
        return np.array(rows)
