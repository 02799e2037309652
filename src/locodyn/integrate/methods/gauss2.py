"""Gauss collocation with 2 stages: order 4, symplectic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from locodyn.integrate.implicit.method import ImplicitMethod

if TYPE_CHECKING:
    from locodyn.integrate.implicit.schemes import SchemeArrays


@dataclass(frozen=True)
class Gauss2(ImplicitMethod):
    """Gauss collocation with 2 stages, implicit, order 4, symplectic."""

    name = "gauss2"
    order = 4
    suits = "rods and stiff robots where energy matters: symplectic on plain coordinates"
    choice = "rods; stiff springs, energy matters", "1/20 of the periods that matter"

    def scheme(self) -> SchemeArrays:
        """As of :class:`ImplicitMethod`."""
        return gauss_scheme()


@cache
def gauss_scheme() -> SchemeArrays:
    """The places c and the matrix A of Gauss, 2 stages (Hairer and Wanner 1996, table IV.5.1)."""
    import numpy as np

    from locodyn.integrate.implicit.schemes import collocation

    s = np.sqrt(3.0) / 6.0
    c = np.array([0.5 - s, 0.5 + s])
    a = np.array([[0.25, 0.25 - s], [0.25 + s, 0.25]])
    return collocation(c, a, np.array([0.5, 0.5]))
