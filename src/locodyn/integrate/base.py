"""What a time integrator promises.

1. It advances the state (q, v) of a :class:`~locodyn.locomotion.problem.Problem`; imposed coordinates follow their motion
exactly.
2. Quaternions keep norm 1 to round-off, whatever the number of steps.
3. It declares its order and which problems it takes.
4. It reports evaluations of the dynamics, iterations, and stops with a sentence when the numbers go bad; what it has so far
is kept.
5. A fixed-step run that is stopped at a step and started again from its state gives the same bits; what a multistep method,
or the warm start of hard contact, must know besides the state is in ``Solution.history`` (implicit methods: the same numbers up
to their tolerance; generalized-alpha, which remembers accelerations, up to its order).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Progress = Callable[[float], None]
Event = Callable[[float, np.ndarray, np.ndarray], float]

# Spectral radius of generalized-alpha, HHT and WBZ at high frequencies, where none is given. With loops and extensible rods 0.9
# is not enough: rows held by positions feed the stretch modes in every step, and the energy grows without bound (threefold
# within 1.4 s in tests/analytic/test_energy_account.py). At 0.7 and below it does not; 0.6 is what Gotelli (2024, 4.5) uses.
RHO_INF = 0.6


@dataclass
class Solution:
    """States at the recorded times.

    ``times`` (N,) s, ``q`` (N, nq), ``v`` (N, nv), ``iterations`` (N,) of the solver since the sample before, ``status``
    "completed" or
    what went wrong, ``evaluations`` of the dynamics, ``step`` s (0 when adaptive), ``events`` (times at which each event
    function was zero), ``history`` of a multistep method at the last recorded time (None when there is none), ``recorded`` and
    ``attributes``: variables of the result that only the integrator knows (forces of hard contact), and numbers about the run.
    ``multipliers`` (N, m): those of all constraint rows inside implicit steps, at their last stage; None for other methods.
    """

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    iterations: np.ndarray
    status: str = "completed"
    evaluations: int = 0
    step: float = 0.0
    message: str = ""
    events: list[np.ndarray] = field(default_factory=list)
    history: np.ndarray | None = None
    recorded: dict[str, np.ndarray] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    multipliers: np.ndarray | None = None

    @property
    def failed(self) -> bool:
        """True when the run ended because its numbers went bad."""
        return self.status.startswith("failed")


@dataclass(frozen=True)
class Method:
    """Name, order and abilities of an integrator."""

    name: str
    order: int
    adaptive: bool
    words: str
    implicit: bool = False


METHODS = {
    "rkmk4": Method("rkmk4", 4, False, "Lie-group Runge-Kutta of Munthe-Kaas, order 4, fixed step"),
    "adams": Method("adams", 5, False, "predictor and corrector of Adams, order 5, fixed step, two evaluations a step"),
    "adaptive": Method("adaptive", 8, True, "Dormand-Prince 8(5,3) on local coordinates, adaptive step, dense output, events"),
    "variational": Method("variational", 2, False, "variational, order 2, fixed step: symplectic, keeps momentum exactly"),
    "generalized_alpha": Method(
        "generalized_alpha", 2, False, "generalized-alpha, implicit, order 2: damps high frequencies to rho_inf", True
    ),
    "newmark": Method("newmark", 2, False, "Newmark with beta 1/4, gamma 1/2, implicit, order 2, no damping", True),
    "hht": Method("hht", 2, False, "Hilber-Hughes-Taylor, implicit, order 2: damps high frequencies to rho_inf", True),
    "wbz": Method("wbz", 2, False, "Wood-Bossak-Zienkiewicz, implicit, order 2: damps high frequencies to rho_inf", True),
    "implicit_euler": Method("implicit_euler", 1, False, "implicit Euler, order 1: damps strongly", True),
    "gauss2": Method("gauss2", 4, False, "Gauss collocation with 2 stages, implicit, order 4, symplectic", True),
    "radau3": Method(
        "radau3", 5, False, "Radau IIA collocation with 3 stages, implicit, order 5: damps what it does not resolve", True
    ),
    "radau_adaptive": Method(
        "radau_adaptive", 5, False, "Radau IIA collocation with 3 stages, implicit, parts of steps adapted to the tolerance", True
    ),
    "energy_momentum": Method(
        "energy_momentum", 4, False, "Gauss collocation, implicit, order 4, with energy and momentum kept by projection", True
    ),
    "quasi_static": Method("quasi_static", 1, False, "stable equilibria while laws change slowly, with snaps; no inertia"),
    "event_driven": Method(
        "event_driven",
        8,
        True,
        "Dormand-Prince 8(5,3) from event to event, for a few contacts that stick, slip and collide: a reference",
    ),
    "moreau": Method("moreau", 1, False, "time stepping of Moreau for hard contact: impacts, stick and slip, fixed step"),
}
