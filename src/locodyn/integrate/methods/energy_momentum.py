"""Gauss collocation with energy and momentum put on their balance after each step (:mod:`locodyn.integrate.implicit.end`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from locodyn.integrate.features import SMOOTH, Feature
from locodyn.integrate.implicit.method import ImplicitMethod
from locodyn.integrate.methods.gauss2 import gauss_scheme

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays


@dataclass(frozen=True)
class EnergyMomentum(ImplicitMethod):
    """Gauss collocation, implicit, order 4, with energy and momentum kept by projection."""

    name = "energy_momentum"
    order = 4
    suits = "`gauss2` with energy and momentum put on their balance after each step: kept to round-off"
    choice = "energy and momentum to round-off, free or stiff", "as `gauss2`"
    takes = SMOOTH - {Feature.IMPOSED, Feature.HELD_RODS, Feature.SLIDING_RODS}
    reasons = (
        (Feature.IMPOSED, "it does not know their work"),
        (Feature.HELD_RODS, "it does not know their work"),
        (Feature.SLIDING_RODS, "it does not know their work"),
    )

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        return _balanced()


@cache
def _balanced() -> SchemeArrays:
    return replace(gauss_scheme(), conserves=1)
