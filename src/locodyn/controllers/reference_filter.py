"""References as controllers get them: behind a filter, or held and late.

The filter makes jumps smooth: x'' + 2 zeta omega x' + omega^2 x = omega^2 r(t), from rest at r(0).
Controllers that divide by nothing and know the mass of the robot answer a jump of their reference with any torque; behind the
filter, value and rate are continuous and the acceleration is bounded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, as_law
from locodyn.motion.base import BEYOND, TERM, Term, finite, positive

_STEPS = 40  # in the time 1 / omega


def filtered_reference(law: Any, omega: float, t_end: float, damping: float = 1.0) -> Law:
    """The law behind the filter, from 0 to ``t_end`` (s), as pieces of degree 5 with two continuous derivatives.

    Between its knots, ``1 / (40 omega)`` apart, the reference is taken as a straight line and the filter is solved exactly.
    """
    reference = as_law(law)
    rate, end = positive(omega, "omega of a reference filter"), positive(t_end, "the end time of a reference filter")
    zeta = positive(damping, "the damping of a reference filter")
    count = math.ceil(end * rate * _STEPS)
    times = np.linspace(0.0, end, count + 1)
    h, r = end / count, reference(times)
    from scipy.linalg import expm

    generator = np.zeros((4, 4))  # of (x, x', r, r')
    generator[0, 1] = generator[2, 3] = 1.0
    generator[1, :3] = -(rate**2), -2.0 * zeta * rate, rate**2
    advance = expm(generator * h)[:2]
    states = np.zeros((count + 1, 3))
    states[0, 0] = r[0]
    for k in range(count):
        states[k + 1, :2] = advance @ (states[k, 0], states[k, 1], r[k], (r[k + 1] - r[k]) / h)
    states[:, 2] = rate**2 * (r - states[:, 0]) - 2.0 * zeta * rate * states[:, 1]
    words = f"[{reference.describe()}] behind a filter of {rate:g} rad/s"
    pieces = _quintic(states, h)
    return Law(
        (Term(TERM.piecewise, words, coefficients=pieces, knots=times, mode=BEYOND.hold, smoothness=2, domain=(0.0, end)),)
    )


def held_reference(law: Any, period: float, t_end: float, delay: float = 0.0) -> Law:
    """The law as a radio link sends it, from 0 to ``t_end`` (s): sampled every ``period`` (s), held, and late by ``delay`` (s).

    Snakes of Transeth (2007, 7.4) get their references at 10 Hz, and start 50 to 150 ms late. The rate of what is held is zero.
    """
    reference = as_law(law)
    every, end = positive(period, "the period of a held reference"), positive(t_end, "the end time of a held reference")
    late = finite(delay, "the delay of a held reference")
    if late < 0.0:
        raise InputError(f"the delay of a held reference is {late:g} s; it must not be negative.")
    count = max(1, math.ceil((end - late) / every - 1e-9))
    sent = every * np.arange(count)
    values, knots = reference(sent), np.append(sent + late, max(end, late + every * count))
    if late > 0.0:
        values, knots = np.append(values[0], values), np.append(0.0, knots)
    words = f"[{reference.describe()}] held for {every:g} s" + (f", {late:g} s late" if late else "")
    pieces, jumps = values[:, None], tuple(float(t) for t in knots[1:-1])
    steps = Term(
        TERM.piecewise, words, coefficients=pieces, knots=knots, mode=BEYOND.hold, smoothness=-1, kinks=jumps, domain=(0.0, end)
    )
    return Law((steps,))


def _quintic(states: np.ndarray, h: float) -> np.ndarray:
    """Coefficients (m, 6), lowest first, of the polynomials with value, rate and acceleration of both ends of the pieces."""
    x, v, a = states[:-1].T
    y, w, b = states[1:].T
    rest = y - x - h * v - 0.5 * h**2 * a  # what the three highest powers must give at the end: value, rate, acceleration
    slope, bend = (w - v - h * a) * h, (b - a) * h**2
    third, fourth, fifth = 10 * rest - 4 * slope + bend / 2, -15 * rest + 7 * slope - bend, 6 * rest - 3 * slope + bend / 2
    return np.column_stack([x, v, 0.5 * a, third / h**3, fourth / h**4, fifth / h**5])
