"""Newmark's method with beta = 1/4, gamma = 1/2: generalized-alpha without damping."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.implicit.method import AlphaMethod


@dataclass(frozen=True)
class Newmark(AlphaMethod):
    """Newmark with beta 1/4, gamma 1/2, implicit, order 2, no damping."""

    name = "newmark"
    order = 2
    suits = "no damping; may grow on stiff nonlinear robots at large steps, and multipliers of loops do"

    def alphas(self) -> tuple[float, float]:
        """As of :class:`AlphaMethod`."""
        return 0.0, 0.0
