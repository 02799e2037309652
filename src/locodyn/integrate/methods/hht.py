"""The method of Hilber, Hughes and Taylor (1977): generalized-alpha with alpha_m = 0."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.implicit.method import DampedMethod


@dataclass(frozen=True)
class HHT(DampedMethod):
    """Hilber-Hughes-Taylor, implicit, order 2: damps high frequencies to ``rho_inf``."""

    name = "hht"
    order = 2
    suits = "the same, as finite-element codes have it"
    sources = (
        (
            "Hilber et al. 1977",
            "H. M. Hilber, T. J. R. Hughes, R. L. Taylor, Improved numerical dissipation for time integration algorithms in"
            " structural dynamics, Earthquake Engineering and Structural Dynamics 5(3)",
        ),
    )

    def alphas(self) -> tuple[float, float]:
        """As of :class:`AlphaMethod`."""
        r = self.rho_inf
        return 0.0, (1.0 - r) / (1.0 + r)
