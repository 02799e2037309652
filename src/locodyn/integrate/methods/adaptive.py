"""Dormand-Prince 8(5,3) with events and dense output: :mod:`locodyn.integrate.adaptive`."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.base import Method, Run, Solution, tolerance
from locodyn.integrate.features import SMOOTH, Feature


@dataclass(frozen=True)
class Adaptive(Method):
    """Dormand-Prince 8(5,3) on local coordinates, adaptive step, dense output, events."""

    tolerance: float = tolerance("relative and absolute error of a step")

    name = "adaptive"
    order = 8
    keeps_to_paths = True
    order_words = "8(5,3)"
    suits = "high accuracy, widely varying speeds, events and dense output"
    choice = "high accuracy, events, speeds that vary widely", "by `tolerance`, 1e-6 to 1e-12"
    fixed_step = False
    pauses = True
    step_words = "adaptive to `tolerance`"
    takes = (SMOOTH | {Feature.EVENTS}) - {Feature.SAMPLED_CONTROLLER}
    best_for = frozenset({Feature.EVENTS})
    reasons = ((Feature.SAMPLED_CONTROLLER, "its step is not fixed"),)

    def run(self, run: Run) -> Solution:
        """As of :class:`Method`."""
        from locodyn.integrate.adaptive import run_adaptive

        return run_adaptive(run, self.tolerance)
