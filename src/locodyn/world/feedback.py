"""The wrench law of a controlled body: feedback of its twist, with an integral that it remembers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.record import filled
from locodyn.world.law_base import WrenchLaw, finite_numbers, not_negative
from locodyn.world.law_table import GAINS, LAW

if TYPE_CHECKING:
    from locodyn.world.law_base import Numbers

DESIRED = ("x", "y", "z", "wx", "wy", "wz")  # of a Feedback


@dataclass(frozen=True)
class Feedback(WrenchLaw):
    """A controlled wrench, as of a drone: K_P e + K_I integral of e dt (Gotelli 2024, 3.9.2), in the axes of the point.

    e = Ad(g^-1 g_d) eta_d - eta is the desired twist minus that of the point, (linear; angular). The scenario gives the desired
    motion by ``desired={"name.x": law, ...}``: x, y, z (m) is the path of the desired frame in the world, whose rate is its
    velocity; wx, wy, wz (rad/s) its angular velocity in world axes; what is not given is zero.

    Parameters
    ----------
    proportional : number, or (6,)
        K_P: N s/m for the force, N m s for the moment.
    integral : number, or (6,)
        K_I: N/m, N m. The integral starts at zero; results record it as ``name.x`` ... ``name.wz``.
    """

    proportional: tuple[float, ...]
    integral: tuple[float, ...] = (0.0,) * 6
    kind = LAW.feedback
    may_vary = True

    if TYPE_CHECKING:

        def __init__(self, proportional: Numbers, integral: Numbers = 0.0) -> None: ...

    def __post_init__(self) -> None:
        for name in ("proportional", "integral"):
            value = getattr(self, name)
            six = np.broadcast_to(np.asarray(value, dtype=float), (6,)) if np.ndim(value) == 0 else value
            numbers = finite_numbers(six, 6, f"the {name} gain of a Feedback")
            for number in numbers:
                not_negative(number, f"the {name} gain of a Feedback")
            object.__setattr__(self, name, numbers)

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """The integral, where it counts."""
        return tuple(zip(DESIRED, ("m",) * 3 + ("rad",) * 3, strict=True)) if any(self.integral) else ()

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        force, moment = self.proportional[:3], self.proportional[3:]
        return filled(GAINS, force=force, moment=moment, force_integral=self.integral[:3], moment_integral=self.integral[3:])
