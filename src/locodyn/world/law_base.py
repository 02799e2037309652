"""What a wrench law of the library is.

Obligations of a law of the library:

1. It has a ``kind`` and a record of its numbers in :mod:`locodyn.world.law_table`, so that the kernel
   :mod:`locodyn.world.wrenches` can evaluate it: a law is data.
2. The kernel gives its wrench on the body, its stored energy, and the power that it takes out of the robot and never gives back.
3. It is validated when it is made.
4. ``may_vary``: whether the scenario may multiply it with a law of time (``load={name: law}``); its power then counts as work
   done from outside.
5. ``states``: names and units of up to ``MOST_STATES`` numbers z that it remembers, zdot = f(t, pose, twist, z). The kernel gives
   their rates and :mod:`locodyn.world.law_slopes` all slopes, among them df/dz; every method integrates them with the robot, and
   results record them as ``law.state``. Energy that they store is stored energy of the law. They start at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from locodyn.errors import InputError
from locodyn.world.law_table import LAW

Numbers: TypeAlias = float | Sequence[float]
"""Several numbers, or one that stands for equal ones."""


def finite_numbers(value: Any, count: int, what: str) -> tuple[float, ...]:
    """So many finite numbers."""
    array = np.asarray(value, dtype=float)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise InputError(f"{what} is {value!r}; it must be {count} finite numbers.")
    return tuple(float(x) for x in array)


def not_negative(value: Any, what: str) -> float:
    """A finite number, zero or more."""
    number = float(value)
    if not number >= 0.0 or number == float("inf"):
        raise InputError(f"{what} is {value!r}; it must be a finite number, zero or more.")
    return number


class WrenchLaw:
    """Base of all wrench laws."""

    kind: int = LAW.user
    may_vary: bool = False

    @property
    def flows(self) -> bool:
        """Whether it is the resistance of a fluid that moves."""
        return False

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """Names and units of what it remembers."""
        return ()

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return ()
