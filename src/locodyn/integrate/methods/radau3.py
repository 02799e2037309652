"""Radau IIA collocation with 3 stages: order 5, damps what it does not resolve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from locodyn.integrate.implicit.method import ImplicitMethod

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays

RADAU = (
    (
        "Hairer, Wanner 1996",
        "E. Hairer, G. Wanner, Solving Ordinary Differential Equations II: Stiff and Differential-Algebraic Problems, 2nd"
        " edition, Springer",
    ),
)


@dataclass(frozen=True)
class Radau3(ImplicitMethod):
    """Radau IIA collocation with 3 stages, implicit, order 5: damps what it does not resolve."""

    name = "radau3"
    order = 5
    suits = "rods and stiff robots where robustness matters: damps what it does not resolve"
    dissipates = True
    always_stable = True
    choice = "rods; robustness matters", "the same, or longer: it damps what it does not resolve"
    sources = RADAU

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        return radau_scheme()


@cache
def radau_scheme() -> SchemeArrays:
    """The places c and the matrix A of Radau IIA, 3 stages (Hairer and Wanner 1996, table IV.5.6)."""
    import numpy as np

    from locodyn.integrate.implicit.schemes import collocation

    r = np.sqrt(6.0)
    c = np.array([(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0])
    a = np.array(
        [
            [(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
            [(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
            [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
        ]
    )
    return collocation(c, a, a[2])
