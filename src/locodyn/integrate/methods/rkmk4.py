"""Runge-Kutta of order 4 on the configuration group (Munthe-Kaas 1999): :mod:`locodyn.integrate.rkmk4`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from locodyn.integrate.base import FixedStep

if TYPE_CHECKING:
    from locodyn.integrate.steppers.base import FixedRun, Stepper


@dataclass(frozen=True)
class RKMK4(FixedStep):
    """Lie-group Runge-Kutta of Munthe-Kaas, order 4, fixed step."""

    name = "rkmk4"
    order = 4
    keeps_to_paths = True
    suits = "most runs; the whole time loop is compiled when all laws are of the library"
    choice = "rigid bodies, wheels, smooth drives", "1/50 of the shortest period that matters; halve it once and compare"
    sources = (
        ("Munthe-Kaas 1999", "H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29"),
    )

    def growth(self, z: complex) -> float:
        """|1 + z + z^2/2 + z^3/6 + z^4/24|."""
        return abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))))

    def stepper(self, run: FixedRun) -> Stepper:
        """As of :class:`FixedStep`."""
        from locodyn.integrate.steppers.runge_kutta import RungeKutta

        return RungeKutta(run)
