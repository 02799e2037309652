"""Newmark's method with beta = 1/4, gamma = 1/2: generalized-alpha without damping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.implicit.method import OneStage

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays


@dataclass(frozen=True)
class Newmark(OneStage):
    """Newmark with beta 1/4, gamma 1/2, implicit, order 2, no damping."""

    name = "newmark"
    order = 2
    suits = "no damping; may grow on stiff nonlinear robots at large steps, and multipliers of loops do"

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        from locodyn.integrate.implicit.schemes import alpha_scheme

        return alpha_scheme(0.0, 0.0, int(self.split))
