"""Laws from Python functions: derivatives given, or estimated by Ridders' extrapolation of central differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from locodyn.errors import InputError, check_takes
from locodyn.motion.base import TERM, Law, Term
from locodyn.motion.kinks import find_kink
from locodyn.motion.laws import constant

_SHRINK = 1.6  # factor between successive steps of Ridders' tableau
_ROWS = 10


def _guarded(f: Callable[[float], Any], what: str) -> Callable[[float], float]:
    """``f`` with its result checked: one finite number."""
    name = getattr(f, "__name__", repr(f))

    def checked(t: float) -> float:
        result = f(t)
        try:
            number = float(result)
        except (TypeError, ValueError):
            raise InputError(f"the {what} '{name}' gave {result!r} at t = {t:g} s; it must give one number.") from None
        if not math.isfinite(number):
            raise InputError(f"the {what} '{name}' gave {number} at t = {t:g} s; it must be finite.")
        return number

    return checked


def ridders(difference: Callable[[float], float], step: float) -> float:
    """Limit of ``difference(h)`` as h -> 0 for an even expansion in h (Ridders 1982), with the h that errs least.

    ``step`` is the first h; it shrinks until round-off makes the estimates worse again.
    """
    above = [difference(step)]
    best, error = above[0], math.inf
    for _ in range(1, _ROWS):
        step /= _SHRINK
        row = [difference(step)]
        factor = _SHRINK * _SHRINK
        for left in above:
            row.append((row[-1] * factor - left) / (factor - 1.0))
            factor *= _SHRINK * _SHRINK
            estimate = max(abs(row[-1] - row[-2]), abs(row[-1] - left))
            if estimate <= error:
                best, error = row[-1], estimate
        if abs(row[-1] - above[-1]) >= 2.0 * error:
            break
        above = row
    return best


def function(
    f: Callable[[float], float],
    rate: Callable[[float], float] | None = None,
    acceleration: Callable[[float], float] | None = None,
    time_scale: float = 1.0,
) -> Law:
    """The law t -> f(t) for any Python function; the time loop of a run then runs in Python and says so.

    Derivatives that are not given are estimated, to about 1e-11 (rate) and 1e-8 (acceleration) relative when ``f`` changes
    over times of the order of ``time_scale`` (s). A rate that does not belong to ``f`` is refused.
    """
    if not callable(f):
        raise InputError(f"a motion function is {f!r}; it must be a function of time.")
    check_takes(f, "t", "the motion")
    value = _guarded(f, "motion function")
    step = 0.1 * time_scale

    def first(g: Callable[[float], float], t: float) -> float:
        return ridders(lambda h: (g(t + h) - g(t - h)) / (2.0 * h), step)

    def second(t: float) -> float:
        middle = value(t)
        return ridders(lambda h: (value(t + h) - 2.0 * middle + value(t - h)) / (h * h), 2.0 * step)

    given_rate = None if rate is None else _guarded(rate, "rate function")
    given_acceleration = None if acceleration is None else _guarded(acceleration, "acceleration function")
    if given_rate is not None:
        _check_derivative(value, given_rate, "rate", step)
        if given_acceleration is not None:
            _check_derivative(given_rate, given_acceleration, "acceleration", step)
    rates = given_rate or (lambda t: first(value, t))
    if given_acceleration is not None:
        accelerations, probe, order = given_acceleration, given_acceleration, 0
    elif given_rate is not None:
        accelerations, probe, order = (lambda t: first(given_rate, t)), given_rate, 1
    else:
        accelerations, probe, order = second, value, 2
    term = Term(
        TERM.python,
        words=f"Python function {getattr(f, '__name__', type(f).__name__)}",
        functions=(value, rates, accelerations),
        smoothness=2,
        find_kink=lambda start, end: find_kink(probe, order, start, end),
    )
    return Law((term,))


def _check_derivative(f: Callable[[float], float], df: Callable[[float], float], what: str, step: float) -> None:
    """Refuse a derivative that does not agree with its function at three times."""
    h = 1e-4 * step
    for t in (0.37 * step, 4.1 * step, 13.7 * step):
        estimate = (f(t + h) - f(t - h)) / (2.0 * h)
        if abs(estimate - df(t)) > 1e-4 * max(1.0, abs(estimate)):
            raise InputError(
                f"the {what} given for a motion function is {df(t):g} at t = {t:g} s, but the function changes with"
                f" {estimate:g} there; give the derivative of the same function."
            )


LawLike = Law | float | Callable[[float], float]
"""A law, a number, or a Python function of time."""


def as_law(value: LawLike) -> Law:
    """A law from a law, a number or a Python function of time."""
    if isinstance(value, Law):
        return value
    if callable(value):
        return function(value)
    if isinstance(value, (str, bytes)):
        raise InputError(f"a motion is {value!r}; it must be a law, a number or a function of time.")
    return constant(value)
