"""The laws with a formula: constant, polynomial, ramp, sine, cosine, transition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion.base import BEYOND, TERM, Law, Term, constant_term, finite, positive


def constant(value: float) -> Law:
    """The law that stays at ``value``."""
    return Law((constant_term(finite(value, "the value of a constant law")),))


def polynomial(*coefficients: float) -> Law:
    """c0 + c1 t + c2 t^2 + ...

    >>> polynomial(1, 0, 3).at(2.0)
    (13.0, 12.0, 6.0)
    """
    numbers = [finite(c, f"coefficient c{k} of a polynomial law") for k, c in enumerate(coefficients)]
    if not numbers:
        raise InputError("a polynomial law has no coefficient; give at least one.")
    return Law((Term(TERM.polynomial, words="polynomial", coefficients=np.array(numbers)),))


def _harmonic(kind: int, name: str, amplitude: Any, omega: Any, phase: Any, offset: Any) -> Law:
    a = finite(amplitude, f"the amplitude of a {name}")
    w = finite(omega, f"omega of a {name}")
    p = finite(phase, f"the phase of a {name}")
    c = finite(offset, f"the offset of a {name}")
    shown = f"{w:g} t" + (f" {'+' if p > 0 else '-'} {abs(p):g}" if p else "")
    term = Term(kind, words=f"{name[:3]}({shown})", scale=a, omega=w, phase=p)
    return Law((constant_term(c), term) if c else (term,))


def sine(amplitude: float, *, omega: float, phase: float = 0.0, offset: float = 0.0) -> Law:
    """offset + amplitude sin(omega t + phase); omega in rad/s, phase in rad."""
    return _harmonic(TERM.sine, "sine", amplitude, omega, phase, offset)


def cosine(amplitude: float, *, omega: float, phase: float = 0.0, offset: float = 0.0) -> Law:
    """offset + amplitude cos(omega t + phase); omega in rad/s, phase in rad."""
    return _harmonic(TERM.cosine, "cosine", amplitude, omega, phase, offset)


# Steps from 0 to 1 on [0, 1], coefficients lowest first, with 2 (quintic) and 3 (septic) vanishing derivatives at both ends.
_STEPS = {5: (0.0, 0.0, 0.0, 10.0, -15.0, 6.0), 7: (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)}


def transition(start: float, end: float, *, duration: float, at: float = 0.0, degree: int = 5) -> Law:
    """From ``start`` to ``end`` within ``duration`` (s) from time ``at`` (s), at rest before and after.

    ``degree`` 5 (acceleration continuous) or 7 (its rate too).

    >>> transition(0, 2, duration=4).at(2.0)
    (1.0, 0.9375, 0.0)
    """
    first, last = finite(start, "the start of a transition"), finite(end, "the end of a transition")
    length, begin = positive(duration, "the duration of a transition"), finite(at, "the time of a transition")
    if degree not in _STEPS:
        raise InputError(f"the degree of a transition is {degree!r}; it must be 5 or 7.")
    coefficients = np.array([c / length**k for k, c in enumerate(_STEPS[degree])]) * (last - first)
    coefficients[0] = first
    return Law(
        (
            Term(
                TERM.piecewise,
                words=f"transition {first:g} -> {last:g} in {begin:g} .. {begin + length:g} s",
                coefficients=coefficients[None, :],
                knots=np.array([begin, begin + length]),
                mode=BEYOND.hold,
                smoothness=2 if degree == 5 else 3,
            ),
        )
    )


def cycloid(start: float, end: float, *, duration: float, at: float = 0.0) -> Law:
    """From ``start`` to ``end`` within ``duration`` (s) from time ``at`` (s) along s - sin(2 pi s) / (2 pi): a cycloidal cam.

    >>> cycloid(0, 2, duration=4)(2.0)
    1.0
    """
    first, last = finite(start, "the start of a cycloid"), finite(end, "the end of a cycloid")
    length, begin = positive(duration, "the duration of a cycloid"), finite(at, "the time of a cycloid")
    words = f"cycloid in {begin:g} .. {begin + length:g} s"
    rise = Law((Term(TERM.cycloid, words, last - first, shift=begin, omega=1.0 / length, smoothness=2),))
    return constant(first) + rise if first != 0.0 else rise


def ramp(slope: float, *, at: float = 0.0, blend: float = 0.0) -> Law:
    """0 up to time ``at`` (s), then rising with ``slope`` (1/s).

    The corner is a kink; ``blend`` (s) rounds it, the rate then goes from 0 to ``slope`` along a quintic step and the law
    ends as slope (t - at - blend / 2). For slope * t at all times, use ``polynomial(0, slope)``.
    """
    k, begin, length = finite(slope, "the slope of a ramp"), finite(at, "the time of a ramp"), finite(blend, "blend of a ramp")
    if length < 0.0:
        raise InputError(f"blend of a ramp is {length:g}; it must be zero or positive.")
    words = f"ramp from t = {begin:g} s"
    if length == 0.0:
        pieces, knots = np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([begin - 1.0, begin, begin + 1.0])
        return Law((Term(TERM.piecewise, words, k, coefficients=pieces, knots=knots, smoothness=0, kinks=(begin,)),))
    corner = [0.0] + [c / (n + 1) / length**n for n, c in enumerate(_STEPS[5])]  # integral of the quintic step of the rate
    pieces = np.zeros((3, len(corner)))
    pieces[1] = corner
    pieces[2, :2] = math.fsum(c * length**n for n, c in enumerate(corner)), 1.0
    knots = np.array([begin - length, begin, begin + length, begin + 2.0 * length])
    return Law((Term(TERM.piecewise, words, k, coefficients=pieces, knots=knots, smoothness=3),))
