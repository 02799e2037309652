"""The method of Wood, Bossak and Zienkiewicz (1980): generalized-alpha with alpha_f = 0."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.implicit.method import DampedMethod


@dataclass(frozen=True)
class WBZ(DampedMethod):
    """Wood-Bossak-Zienkiewicz, implicit, order 2: damps high frequencies to ``rho_inf``."""

    name = "wbz"
    order = 2
    suits = "the same; inertia is averaged instead of forces"
    sources = (
        (
            "Wood et al. 1980",
            "W. L. Wood, M. Bossak, O. C. Zienkiewicz, An alpha modification of Newmark's method, Int. J. Numerical Methods"
            " in Engineering 15(10)",
        ),
    )

    def alphas(self) -> tuple[float, float]:
        """As of :class:`AlphaMethod`."""
        r = self.rho_inf
        return (r - 1.0) / (r + 1.0), 0.0
