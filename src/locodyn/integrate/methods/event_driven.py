"""Hard contact by events, as a reference of high order: :mod:`locodyn.integrate.event_driven`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import Method, Run, Solution, tolerance
from locodyn.integrate.features import SMOOTH, Feature

if TYPE_CHECKING:
    import numpy as np

    from locodyn.locomotion.problem import Problem


@dataclass(frozen=True)
class EventDriven(Method):
    """Dormand-Prince 8(5,3) from event to event, for a few contacts that stick, slip and collide: a reference."""

    tolerance: float = tolerance("relative and absolute error of a step between events")

    name = "event_driven"
    order = 8
    order_words = "8(5,3)"
    suits = "a few hard contacts that stick, slip and collide: a reference of high order"
    choice = "a few contacts, with Coulomb friction, as a reference", "by `tolerance`"
    purpose = "hard contact"
    fixed_step = False
    hands_over = True
    accounts = False
    step_words = "adaptive from event to event"
    takes = (SMOOTH | {Feature.HARD_CONTACT}) - {
        Feature.HELD_RODS, Feature.SLIDING_RODS, Feature.SAMPLED_CONTROLLER,
    }  # fmt: skip
    best_for = frozenset({Feature.HARD_CONTACT})
    frees_dependent = True
    reasons = ((Feature.SAMPLED_CONTROLLER, "its step is not fixed"),)

    def check(self, problem: Problem, q: np.ndarray, step: float, fresh: bool) -> None:
        """No overlap at the start."""
        problem.contact.check_start(q)

    def run(self, run: Run) -> Solution:
        """As of :class:`Method`."""
        from locodyn.integrate.event_driven import run_events

        return run_events(
            run.problem, run.q, run.v, run.t0, run.t_end, run.step * run.every, self.tolerance, run.watch, run.memory
        )
