"""Laws in another time: r(rate t + shift), r(s(t)), and the law of the rate of a law. All exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import function
from locodyn.motion.base import TERM, Law, Term

_DIFFERENCE = 1e-4  # step of a central difference, in time


def changed_time(law: Law, rate: float, shift: float = 0.0) -> Law:
    """The law t -> law(rate t + shift); ``rate`` may be negative, ``shift`` in s."""
    return Law(tuple(_changed(term, rate, shift) for term in law.terms))


def _changed(term: Term, rate: float, shift: float) -> Term:
    if term.window is not None:
        raise InputError("a law with a soft start is not periodic, its time cannot be changed; start the run softly instead.")
    if term.kind == TERM.cycloid:
        raise InputError("a cycloid is not periodic, its time cannot be changed; use it outside of gaits.")
    begin = (term.shift - shift) / rate
    ends = sorted((edge - shift) / rate for edge in term.domain)
    kinks = tuple(sorted((kink - shift) / rate for kink in term.kinks))
    new = replace(term, shift=begin, kinks=kinks, domain=(ends[0], ends[1]))
    if term.kind in (TERM.sine, TERM.cosine):
        omega, phase = term.omega * rate, term.phase + term.omega * (shift - term.shift)
        sign = f" {'+' if phase > 0 else '-'} {abs(phase):g}" if phase else ""
        words = f"{'sin' if term.kind == TERM.sine else 'cos'}({omega:g} t{sign})"
        return replace(new, shift=0.0, omega=omega, phase=phase, words=words)
    if term.kind == TERM.polynomial:
        return replace(new, coefficients=term.coefficients * rate ** np.arange(len(term.coefficients)))
    if term.kind == TERM.python:
        new = replace(new, shift=0.0, functions=tuple(_after(f, rate, shift, k) for k, f in enumerate(term.functions)))
        find = term.find_kink
        if find is None:
            return new

        def find_kink(start: float, end: float) -> float | None:
            found = find(*sorted((rate * start + shift, rate * end + shift)))
            return None if found is None else (found - shift) / rate

        return replace(new, find_kink=find_kink)
    coefficients, knots = term.coefficients, term.knots
    if rate < 0.0:  # pieces in the other order, each about its right knot
        widths = np.diff(knots)
        coefficients = np.array([_about(c, width) for c, width in zip(coefficients, widths, strict=True)])[::-1]
        knots = knots[::-1]
    powers = rate ** np.arange(coefficients.shape[1])
    return replace(new, knots=knots / rate, coefficients=np.ascontiguousarray(coefficients * powers))


def _about(coefficients: np.ndarray, width: float) -> np.ndarray:
    """Coefficients of p(x + width) from those of p(x), lowest first."""
    n = len(coefficients)
    return np.array([sum(comb(k, j) * coefficients[k] * width ** (k - j) for k in range(j, n)) for j in range(n)])


def _after(f: Callable[[float], float], rate: float, shift: float, order: int) -> Callable[[float], float]:
    return lambda t: rate**order * f(rate * t + shift)


def composed(law: Law, clock: Law) -> Law:
    """The law t -> law(clock(t)), with rates law' clock' and law'' clock'^2 + law' clock''.

    Both must be twice differentiable; that is not probed again.
    """

    def rate(t: float) -> float:
        s, s1, _ = clock.at(t)
        return law.at(s)[1] * s1

    def acceleration(t: float) -> float:
        s, s1, s2 = clock.at(t)
        _, x1, x2 = law.at(s)
        return x2 * s1 * s1 + x1 * s2

    made = function(lambda t: law.at(clock.at(t)[0])[0], rate, acceleration)
    return Law(tuple(replace(term, find_kink=None, smoothness=min(law.smoothness, clock.smoothness)) for term in made.terms))


def rate_law(law: Law) -> Law:
    """The law of the rate; the last derivative of a Python function is a central difference."""
    return Law(tuple(_rate(term) for term in law.terms))


def _rate(term: Term) -> Term:
    smoothness = term.smoothness if term.smoothness > 10 else term.smoothness - 1
    if term.kind == TERM.sine:
        return replace(term, kind=TERM.cosine, scale=term.scale * term.omega, words=term.words.replace("sin", "cos"))
    if term.kind == TERM.cosine:
        return replace(term, kind=TERM.sine, scale=-term.scale * term.omega, words=term.words.replace("cos", "sin"))
    if term.kind == TERM.polynomial:
        powers = np.arange(1, max(2, len(term.coefficients)))
        lower = term.coefficients[1:] if len(term.coefficients) > 1 else np.zeros(1)
        return replace(term, coefficients=lower * powers)
    if term.kind == TERM.piecewise:
        lower = term.coefficients[:, 1:] * np.arange(1, term.coefficients.shape[1])
        return replace(term, coefficients=np.ascontiguousarray(lower), smoothness=smoothness)
    _, rate, acceleration = term.functions

    def jerk(t: float) -> float:
        h = _DIFFERENCE
        near, far = acceleration(t + h) - acceleration(t - h), acceleration(t + 2 * h) - acceleration(t - 2 * h)
        return (8.0 * near - far) / (12.0 * h)

    return replace(term, functions=(rate, acceleration, jerk), smoothness=smoothness)
