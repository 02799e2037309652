"""What the implicit methods share: Newton's method at every stage, rows with multipliers, one driver of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import RHO_INF, FixedStep, fraction, option, tolerance, zero_or_one
from locodyn.integrate.features import Feature

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays
    from locodyn.integrate.steppers.base import FixedRun, Stepper


@dataclass(frozen=True)
class ImplicitMethod(FixedStep):
    """A scheme of :mod:`locodyn.integrate.implicit.schemes` and how well Newton's method solves it."""

    tolerance: float = tolerance("last Newton correction, relative to accelerations")

    implicit = True
    implicit_servos = True
    step_words = "fixed, implicit"
    purpose = "stiff robots and rods"
    frees_dependent = True
    keeps_to_paths = True
    best_for = frozenset({Feature.RODS})

    def scheme(self) -> SchemeArrays:
        """The scheme as data."""
        raise NotImplementedError

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`."""
        from locodyn.integrate.steppers.implicit import ImplicitStepper

        return ImplicitStepper(run, self.scheme(), self.tolerance)


@dataclass(frozen=True, kw_only=True)
class OneStage(ImplicitMethod):
    """One that has one stage, at the end of a step: floating bodies may be stepped on SE(3) or on SO(3) x R^3."""

    split: float = option(
        0.0, "1", "1: rotation and place of floating bodies are stepped apart, on SO(3) x R^3; 0: together, on SE(3)", zero_or_one
    )


@dataclass(frozen=True)
class AlphaMethod(OneStage):
    """One of the generalized-alpha family: inertia and other forces are means over the step."""

    def alphas(self) -> tuple[float, float]:
        """alpha_m and alpha_f: the share of the start of a step in the mean of inertia, and in that of the other forces."""
        raise NotImplementedError

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        from locodyn.integrate.implicit.schemes import alpha_scheme

        return alpha_scheme(*self.alphas(), int(self.split))


@dataclass(frozen=True)
class DampedMethod(AlphaMethod):
    """One whose damping of high frequencies is chosen."""

    dissipates = True

    rho_inf: float = option(RHO_INF, "1", "what a step leaves of high frequencies: 1 all, 0 nothing", fraction)
