"""Generalized-alpha (Chung and Hulbert 1993) on the configuration group (Brüls, Cardona and Arnold 2012)."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.implicit.method import DampedMethod


@dataclass(frozen=True)
class GeneralizedAlpha(DampedMethod):
    """Generalized-alpha, implicit, order 2: damps high frequencies to ``rho_inf``."""

    name = "generalized_alpha"
    order = 2
    suits = "damping of high frequencies chosen by `rho_inf`"
    choice = "rods or stiff robots **with closed loops**", "`rho_inf` 0.5 to 0.8; also `gauss2`, `radau3`"
    sources = (
        (
            "Chung, Hulbert 1993",
            "J. Chung, G. M. Hulbert, A time integration algorithm for structural dynamics with improved numerical"
            " dissipation: the generalized-alpha method, J. Applied Mechanics 60(2)",
        ),
        (
            "Brüls et al. 2012",
            "O. Brüls, A. Cardona, M. Arnold, Lie group generalized-alpha time integration of constrained flexible multibody"
            " systems, Mechanism and Machine Theory 48",
        ),
    )

    def alphas(self) -> tuple[float, float]:
        """As of :class:`AlphaMethod`."""
        r = self.rho_inf
        return (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
