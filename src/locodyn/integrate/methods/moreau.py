"""Moreau's midpoint time stepping for hard contact: :mod:`locodyn.integrate.moreau`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import FixedStep
from locodyn.integrate.features import CONTACT, SMOOTH, Feature

if TYPE_CHECKING:
    import numpy as np

    from locodyn.integrate.steppers.base import FixedRun, Stepper
    from locodyn.locomotion.problem import Problem


@dataclass(frozen=True)
class Moreau(FixedStep):
    """Time stepping of Moreau for hard contact; how its impulses are solved for says ``HardContact``."""

    name = "moreau"
    order = 1
    order_words = "2, 1 through impacts"
    suits = "hard contact: impacts, stick and slip, see [hard-contact.md](hard-contact.md)"
    choice = "impacts, stick and slip, obstacles", "penetration stays below speed times step: 0.25 to 1 ms"
    purpose = "hard contact"
    dissipates = True
    implicit_servos = True
    holds_torques = True
    books_work = True
    frees_dependent = True
    takes = SMOOTH | CONTACT | {Feature.LATE_SERVOS}
    best_for = CONTACT | {Feature.LATE_SERVOS}
    sources = (
        (
            "Moreau 1999",
            "J. J. Moreau, Numerical aspects of the sweeping process, Computer Methods in Applied Mechanics and Engineering"
            " 177(3-4)",
        ),
    )

    def check(self, problem: Problem, q: np.ndarray, step: float, fresh: bool) -> None:
        """A fresh start without overlap; a step at which explicit servos are stable."""
        if fresh:
            problem.contact.check_start(q)
        problem.contact.check_explicit_servos(problem.model.mass_matrix(q), step)

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`."""
        from locodyn.integrate.steppers.moreau import MoreauStepper

        return MoreauStepper(run)
