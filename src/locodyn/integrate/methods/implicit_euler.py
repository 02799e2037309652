"""Implicit Euler: v = v_n + h a, q = q_n (+) h v."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from locodyn.integrate.implicit.method import OneStage

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays


@dataclass(frozen=True)
class ImplicitEuler(OneStage):
    """Implicit Euler, order 1: damps strongly."""

    name = "implicit_euler"
    order = 1
    suits = "damps strongly: to find a rest"
    dissipates = True
    always_stable = True
    choice = "to find a rest", "any; or `ld.statics`, which has none"

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        return _scheme(int(self.split))


@cache
def _scheme(split: int) -> SchemeArrays:
    """One stage at the end of the step."""
    import numpy as np

    from locodyn.integrate.implicit.schemes import collocation

    return collocation(np.ones(1), np.ones((1, 1)), np.ones(1), split)
