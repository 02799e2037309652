"""Variational integrator of order 2: :mod:`locodyn.integrate.variational`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import FixedStep, tolerance
from locodyn.integrate.features import SMOOTH, Feature

if TYPE_CHECKING:
    from locodyn.integrate.steppers.base import FixedRun, Stepper


@dataclass(frozen=True)
class Variational(FixedStep):
    """Variational, order 2, fixed step: symplectic, keeps momentum exactly."""

    tolerance: float = tolerance("residual of the discrete equation of motion, relative to momentum")

    name = "variational"
    order = 2
    suits = "long runs of conservative or free robots: symplectic, momentum kept to round-off of log(g)/step"
    choice = "free or conservative robots over very long times", "1/50 of a period: energy stays bounded, momentum exact"
    frees_dependent = True
    takes = SMOOTH - {Feature.HELD_RODS, Feature.SLIDING_RODS}
    sources = (
        ("Marsden, West 2001", "J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10"),
        (
            "Lee et al. 2016",
            "J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A linear-time variational integrator for multibody systems, WAFR"
            " 2016",
        ),
        (
            "Andersen 1983",
            "H. C. Andersen, RATTLE: a velocity version of the SHAKE algorithm for molecular dynamics calculations, J."
            " Computational Physics 52(1)",
        ),
        ("Cortés, Martínez 2001", "J. Cortés, S. Martínez, Non-holonomic integrators, Nonlinearity 14(5)"),
    )

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`."""
        from locodyn.integrate.steppers.variational import VariationalStepper

        return VariationalStepper(run, self.tolerance)
