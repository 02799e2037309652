"""Newton's method with damped steps: the one iteration of all code in Python that solves equations along a tangent.

A caller linearises its equations at an iterate, of whatever kind that is (coordinates, multipliers, states along a rod), and says
how much the iterate leaves and where steps lead (:class:`Linearised`). The iteration shortens a step until what is left has
fallen enough. What "left" measures is the caller's choice: the length of the next simplified step, which does not depend on
units (natural monotonicity, Deuflhard 2004, 3.1.4), or the size of the residual.

Iterations of another kind have loops of their own:

* in compiled code, semismooth equations of contact (:mod:`locodyn.contact.newton`), the stages of implicit steps with a matrix
  that is kept over steps (:mod:`locodyn.integrate.implicit.newton`), a quasi-Newton iteration with the mass matrix
  (:mod:`locodyn.integrate.variational`), whole steps onto rows (:mod:`locodyn.locomotion.constrained`,
  :mod:`locodyn.locomotion.singular`), and roots of one or two numbers in geometry and friction (:mod:`locodyn.world`);
* strains at many sections at once (:mod:`locodyn.equilibria.strong_rods`);
* descent in energy with a trust region (:mod:`locodyn.equilibria.relaxation`) and gaits by SciPy
  (:mod:`locodyn.gaits.search`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

X = TypeVar("X")


@dataclass(frozen=True)
class Linearised(Generic[X]):
    """The equations at an iterate.

    ``size``: what the iterate leaves. ``ahead(share)``: the iterate a share of the step further, and what that one leaves, in the
    same measure (inf where it cannot be judged). ``reach``: largest share that may be tried. ``solved``: the iterate is the
    solution. ``last``: the step is so short that its end is the solution. ``free``: any step that is tried is taken, because the
    equations need no damping, or because the size is round-off already.
    """

    size: float
    ahead: Callable[[float], tuple[X, float]]
    reach: float = 1.0
    solved: bool = False
    last: bool = False
    free: bool = False


@dataclass(frozen=True)
class Outcome(Generic[X]):
    """The last iterate, whether it is the solution, and the number of linearisations."""

    x: X
    converged: bool
    iterations: int


def damped_newton(
    x: X,
    linearised: Callable[[X], Linearised[X] | None],
    *,
    most: int,
    slack: float = 0.0,
    shortest: float = 0.0,
    growth: float = np.inf,
) -> Outcome[X]:
    """Iterate from ``x``.

    Parameters
    ----------
    linearised : the equations at an iterate; None where they have no meaning, or the iteration should end.
    most : largest number of linearisations.
    slack : a share s of a step is taken if it leaves at most (1 - slack s) of what was left before.
    shortest : steps that must be shorter than this share end the iteration.
    growth : by which the share of one step may be larger than that of the step before.
    """
    share = 1.0
    for iteration in range(1, most + 1):
        here = linearised(x)
        if here is None:
            return Outcome(x, False, iteration)
        if here.solved:
            return Outcome(x, True, iteration)
        if here.last:
            trial, left = here.ahead(1.0)
            return Outcome(x if left > 2.0 * here.size else trial, True, iteration)  # round-off may not get smaller
        share = min(share, here.reach)
        trial, left = here.ahead(share)
        while not (here.free or left <= (1.0 - slack * share) * here.size):
            share *= 0.5
            if share < shortest:
                return Outcome(x, False, iteration)
            trial, left = here.ahead(share)
        x, share = trial, min(1.0, growth * share)
    return Outcome(x, False, most)
