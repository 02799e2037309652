"""Radau IIA with 3 stages in parts of a step that follow an error (Hairer and Wanner 1996, IV.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import tolerance
from locodyn.integrate.implicit.method import ImplicitMethod
from locodyn.integrate.methods.radau3 import RADAU, radau_scheme

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays
    from locodyn.integrate.steppers.base import FixedRun, Stepper

NEWTON = 0.01  # Newton's tolerance over that of the error


@dataclass(frozen=True)
class RadauAdaptive(ImplicitMethod):
    """Radau IIA collocation with 3 stages, implicit, parts of steps adapted to the tolerance."""

    tolerance: float = tolerance("error of the velocity in a part of a step, relative to the largest speed so far")

    name = "radau_adaptive"
    order = 5
    suits = "stiff robots whose speeds vary widely"
    dissipates = True
    divides = True
    always_stable = True
    choice = "the same, speeds that vary widely", "parts of `dt` by `tolerance`"
    step_words = "implicit, parts of `dt` adapted to `tolerance`"
    sources = RADAU

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        return radau_scheme()

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`: the tolerance is that of the parts."""
        from locodyn.integrate.steppers.implicit import ImplicitStepper

        return ImplicitStepper(run, self.scheme(), NEWTON * self.tolerance, error=self.tolerance)
