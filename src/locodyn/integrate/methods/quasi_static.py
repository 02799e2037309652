"""Stable equilibria while laws change slowly: :mod:`locodyn.integrate.quasi_static`."""

from __future__ import annotations

from dataclasses import dataclass

from locodyn.integrate.base import Method, Run, Solution, tolerance
from locodyn.integrate.features import SMOOTH, Feature


@dataclass(frozen=True)
class QuasiStatic(Method):
    """Stable equilibria while laws change slowly, with snaps; no inertia."""

    tolerance: float = tolerance("last correction on the way to an equilibrium, relative to forces; at most 1e-8")

    name = "quasi_static"
    order = 1
    order_words = "-"
    suits = "stable equilibria while laws change slowly, without inertia: [rods.md](rods.md#statics)"
    choice = "slow drives, inertia without meaning", "as fine as the laws"
    purpose = "equilibria"
    inertia = False
    hands_over = True
    takes = SMOOTH - {Feature.DEPENDENT, Feature.MEMORY, Feature.SAMPLED_CONTROLLER}
    reasons = (
        (Feature.MEMORY, "rest does not determine their states"),
        (Feature.SAMPLED_CONTROLLER, "it has no time in which to hold torques"),
    )

    def run(self, run: Run) -> Solution:
        """As of :class:`Method`."""
        from locodyn.integrate.quasi_static import run_quasi_static

        return run_quasi_static(run.problem, run.q, run.t0, run.t_end, run.step, self.tolerance, run.every, run.watch)
