"""Predictor and corrector of Adams on the configuration group: :mod:`locodyn.integrate.adams`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import FixedStep

if TYPE_CHECKING:
    from locodyn.integrate.steppers.base import FixedRun, Stepper


@dataclass(frozen=True)
class Adams(FixedStep):
    """Predictor and corrector of Adams, order 5, fixed step, two evaluations a step."""

    name = "adams"
    order = 5
    keeps_to_paths = True
    suits = "smooth motion at a given step: two evaluations a step instead of four, and a smaller error"
    choice = "the same, long runs at a given step, smooth laws", "as `rkmk4`; half the cost, smaller error"
    sources = (
        (
            "Hairer et al. 1993",
            "E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd edition, Springer",
        ),
    )

    def growth(self, z: complex) -> float:
        """Largest root of the formulas: predict, evaluate, correct, evaluate."""
        import numpy as np

        predict = z / 24.0 * np.array([55.0, -59.0, 37.0, -9.0]) + (1.0, 0.0, 0.0, 0.0)
        correct = z / 720.0 * (251.0 * predict + (646.0, -264.0, 106.0, -19.0)) + (1.0, 0.0, 0.0, 0.0)
        return float(np.abs(np.roots(np.concatenate([[1.0], -correct]))).max())

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`."""
        from locodyn.integrate.steppers.adams import AdamsStepper

        return AdamsStepper(run)
