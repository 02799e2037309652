"""Arguments of a scenario, checked: numbers, servos, speeds, tensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, as_law


def positive(value: Any, what: str, unit: str) -> float:
    """A positive finite float, or :class:`InputError` that names ``what``."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r}; it must be a number.") from None
    if not math.isfinite(number) or number <= 0.0:
        raise InputError(f"{what} is {number:g}{' ' + unit if unit else ''}; it must be positive and finite.")
    return number


def finite(value: Any, what: str) -> float:
    """A finite float, or :class:`InputError` that names ``what``."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{what} is {value!r}; it must be a finite number.")
    return number


def servo_of(name: str, value: Any) -> Any:
    """A servo as it is."""
    from locodyn.locomotion.servo import Servo

    if not isinstance(value, Servo):
        raise InputError(f"the servo of '{name}' is {value!r}; it must be a Servo(target, stiffness=, damping=).")
    return value


def speed_of(given: Any) -> tuple[str, Any, Law]:
    """A speed that motors provide: body or marker, direction, law of the distance."""
    try:
        point, direction, law = given
    except (TypeError, ValueError):
        raise InputError(
            f"a speed is {given!r}; it must be three things: a body or marker, a direction and a law of the distance."
        ) from None
    return str(point), direction, as_law(law)


def check_pull(name: str, law: Law, start: float, end: float) -> None:
    """Refuse a tension that is negative somewhere from ``start`` to ``end`` (s), at 1001 times and at the kinks of its law."""
    times = np.union1d(np.linspace(start, end, 1001), [kink for kink in law.kinks if start < kink < end])
    tensions = np.asarray(law(times))
    least = int(np.argmin(tensions))
    if tensions[least] < -1e-9 * max(1.0, float(np.abs(tensions).max())):
        raise InputError(
            f"the tension of '{name}' is {tensions[least]:.4g} N at t = {times[least]:.4g} s; a tendon pulls only, so it must"
            " not be negative."
        )
