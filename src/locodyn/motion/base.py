"""Time laws as data: what a law is, and how it lies in the arrays that a kernel reads.

A law is a sum of terms; a term is a number of one of the kinds below, times ``scale``, times an optional soft start. Because a
law is data, the time loop of a run is compiled once and for all, whatever moves the robot.

Obligations of a kind of term:

1. It has a value, a rate and an acceleration at every time (two derivatives, exact).
2. It says how smooth it is: ``smoothness`` continuous derivatives, and ``kinks``, the times where it has fewer than two.
3. It says on which interval of time it is known: ``domain``. Outside, the kernel continues it; a scenario refuses to go there.
4. It fills one entry of the arrays of :class:`locodyn.motion.table.LawArrays`, and a stretch of their ``data``.

Law i owns the terms ``start[i] .. start[i+1]``. With the fields of a term in capital letters and u = t - SHIFT:

===========  ======================================================================================================
kind         value, before scale and soft start; its stretch of ``data`` begins at FIRST
===========  ======================================================================================================
polynomial   c0 + c1 u + c2 u^2 + ...; data: COUNT coefficients, lowest first
sine         sin(OMEGA u + PHASE)
cosine       cos(OMEGA u + PHASE)
piecewise    polynomials of DEGREE between knots; data: COUNT + 1 knots, then for each of the COUNT pieces its DEGREE + 1
             coefficients in (u - left knot), lowest first. MODE: extend goes on with the end pieces, hold stays at the end
             values, periodic repeats
cycloid      s - sin(2 pi s) / (2 pi), s = OMEGA u kept in [0, 1]
python       a function of the user: no data, evaluated in Python; the kernel gives NaN for it
===========  ======================================================================================================

Soft start (IS_SOFT = 1): times the septic step w((t - WINDOW_START) * WINDOW_RATE), which is 0 before, 1 after, C^3 between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from locodyn.errors import InputError
from locodyn.record import codes

if TYPE_CHECKING:
    from locodyn.typing import Array

TERM = codes("polynomial", "sine", "cosine", "piecewise", "python", "cycloid")
BEYOND = codes("extend", "hold", "periodic")  # where a piecewise term goes beyond its knots

ANALYTIC = 99  # smoothness of a term with all derivatives
_WINDOW_SMOOTHNESS = 3


@dataclass(frozen=True, eq=False)
class Term:
    """One summand of a law; the fields are the columns of the table (module docstring)."""

    kind: int
    words: str
    scale: float = 1.0
    shift: float = 0.0
    omega: float = 0.0
    phase: float = 0.0
    coefficients: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (n,) polynomial, or (pieces, degree + 1)
    knots: np.ndarray = field(default_factory=lambda: np.zeros(0))
    mode: int = BEYOND.extend
    window: tuple[float, float] | None = None  # start, duration of the soft start
    smoothness: int = ANALYTIC
    kinks: tuple[float, ...] = ()
    domain: tuple[float, float] = (-math.inf, math.inf)
    functions: tuple[Callable[[float], float], ...] = ()  # of a term in Python: value, rate, acceleration
    find_kink: Callable[[float, float], float | None] | None = None  # of a term in Python: a kink between two times, if any

    def describe(self) -> str:
        """The term in words, e.g. ``200 cos(0.628 t)``."""
        if self.kind == TERM.polynomial:
            body = polynomial_words(self.scale * self.coefficients, "t" if self.shift == 0.0 else f"(t - {self.shift:g})")
        elif self.scale == 1.0:
            body = self.words
        else:
            body = f"{self.scale:g} {self.words}"
        return body if self.window is None else f"[{body}] soft start over {self.window[1]:g} s"


@dataclass(frozen=True, eq=False)
class Law:
    """A function of time with two derivatives: ``law(t)``, ``law.rate(t)``, ``law.acceleration(t)``, t in s, number or array.

    Laws add, subtract and take a number as factor; ``law.soft_start(2.0)`` lets a law begin at rest.

    >>> from locodyn.motion import cosine, polynomial
    >>> law = polynomial(0, 1) - 2 * cosine(0.5, omega=1)
    >>> law.at(0.0)
    (-1.0, 1.0, 1.0)
    """

    terms: tuple[Term, ...]

    @property
    def smoothness(self) -> int:
        """Number of continuous derivatives (99: all)."""
        return min((term.smoothness for term in self.terms), default=ANALYTIC)

    @property
    def kinks(self) -> tuple[float, ...]:
        """Times where the law has fewer than two continuous derivatives, s."""
        return tuple(sorted({kink for term in self.terms for kink in term.kinks}))

    @property
    def domain(self) -> tuple[float, float]:
        """First and last time at which the law is known, s."""
        first = max((term.domain[0] for term in self.terms), default=-math.inf)
        return first, min((term.domain[1] for term in self.terms), default=math.inf)

    @property
    def is_python(self) -> bool:
        """True when some term is a Python function; the time loop then runs in Python."""
        return any(term.kind == TERM.python for term in self.terms)

    def at(self, t: float) -> tuple[float, float, float]:
        """Value, rate and acceleration at one time."""
        value, rate, acceleration = self._sample(np.array([float(t)]))
        return float(value[0]), float(rate[0]), float(acceleration[0])

    @overload
    def __call__(self, t: float) -> float: ...
    @overload
    def __call__(self, t: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def __call__(self, t: Array) -> float | np.ndarray:
        """Value at time t (number or array)."""
        return self._evaluate(t, 0)

    @overload
    def rate(self, t: float) -> float: ...
    @overload
    def rate(self, t: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def rate(self, t: Array) -> float | np.ndarray:
        """First derivative at time t (number or array)."""
        return self._evaluate(t, 1)

    @overload
    def acceleration(self, t: float) -> float: ...
    @overload
    def acceleration(self, t: np.ndarray | Sequence[float]) -> np.ndarray: ...
    def acceleration(self, t: Array) -> float | np.ndarray:
        """Second derivative at time t (number or array)."""
        return self._evaluate(t, 2)

    def _evaluate(self, t: Array, order: int) -> float | np.ndarray:
        times = np.asarray(t, dtype=float)
        result = self._sample(times.ravel())[order].reshape(times.shape)
        return float(result) if times.ndim == 0 else result

    def _sample(self, times: np.ndarray) -> np.ndarray:
        from locodyn.motion.table import MotionTable  # compiled code loads when a law is first evaluated

        return MotionTable([self]).sample(0, times)

    def __add__(self, other: Law | float) -> Law:
        if isinstance(other, Law):
            return Law(self.terms + other.terms)
        return Law((*self.terms, constant_term(finite(other, "a number added to a law"))))

    __radd__ = __add__

    def __neg__(self) -> Law:
        return self * -1.0

    def __sub__(self, other: Law | float) -> Law:
        return self + (-other)

    def __rsub__(self, other: float) -> Law:
        return (-self) + other

    def __mul__(self, factor: float) -> Law:
        number = finite(factor, "the factor of a law")
        return Law(tuple(replace(term, scale=number * term.scale) for term in self.terms))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Law:
        number = finite(divisor, "the divisor of a law")
        if number == 0.0:
            raise InputError("a law cannot be divided by zero.")
        return self * (1.0 / number)

    def soft_start(self, duration: float, start: float = 0.0) -> Law:
        """The law times a step that rises from 0 at ``start`` to 1 after ``duration`` (s), three times differentiable."""
        length = positive(duration, "the duration of a soft start")
        begin = finite(start, "the start of a soft start")
        if any(term.window is not None for term in self.terms):
            raise InputError("a law has a soft start already; give it one soft start only.")
        return Law(
            tuple(
                replace(
                    term,
                    window=(begin, length),
                    smoothness=min(term.smoothness, _WINDOW_SMOOTHNESS),
                    kinks=tuple(kink for kink in term.kinks if kink > begin),  # w vanishes with three derivatives up to start
                )
                for term in self.terms
            )
        )

    def require_twice_differentiable(self, name: str, start: float = 0.0, end: float | None = None) -> None:
        """Raise :class:`InputError` when the law has a kink between ``start`` and ``end`` (s; end: 10 s later when not given).

        ``name`` is what the law moves; it appears in the sentence. Laws of the library know their kinks, wherever they
        are; a Python function is probed between the two times.
        """
        last = math.inf if end is None else end
        for term in self.terms:
            kinks = [kink for kink in term.kinks if start < kink < last]
            if term.find_kink is not None:
                found = term.find_kink(start, start + 10.0 if end is None else end)
                kinks += [] if found is None else [found]
            if kinks:
                raise InputError(
                    f"the motion of '{name}' is not twice differentiable near t = {kinks[0]:.6g} s ({term.words}); give a smooth"
                    " motion there: a spline of degree 3 or more, a transition, or a soft start."
                )

    def require_known(self, name: str, start: float, end: float) -> None:
        """Raise :class:`InputError` when the law is not known on all of ``start .. end`` (s)."""
        first, last = self.domain
        slack = 1e-9 * max(1.0, abs(start), abs(end))
        if start < first - slack or end > last + slack:
            raise InputError(
                f"the motion of '{name}' is known from {first:g} s to {last:g} s, but the run goes from {start:g} s to {end:g} s;"
                " shorten the run or give data for all of it."
            )

    def describe(self) -> str:
        """The law in words."""
        if not self.terms:
            return "0"
        words = " + ".join(term.describe() for term in self.terms)
        return words.replace("+ -", "- ")

    def __repr__(self) -> str:
        return f"Law({self.describe()})"


def finite(value: Any, what: str) -> float:
    """``value`` as a finite float, or :class:`InputError` that names ``what``."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r}; it must be a number.") from None
    if not math.isfinite(number):
        raise InputError(f"{what} is {number}; it must be finite.")
    return number


def positive(value: Any, what: str) -> float:
    """``value`` as a positive finite float, or :class:`InputError` that names ``what``."""
    number = finite(value, what)
    if number <= 0.0:
        raise InputError(f"{what} is {number:g}; it must be positive.")
    return number


def constant_term(value: float) -> Term:
    """A polynomial of degree 0."""
    return Term(TERM.polynomial, words="constant", coefficients=np.array([value]))


def polynomial_words(coefficients: np.ndarray, argument: str) -> str:
    """``c0 + c1 t + c2 t^2`` for the coefficients, lowest first."""
    parts = []
    for power, c in enumerate(coefficients):
        if c != 0.0 or len(coefficients) == 1:
            factor = "" if power == 0 else (f" {argument}" if power == 1 else f" {argument}^{power}")
            parts.append(f"{c:g}{factor}")
    return " + ".join(parts).replace("+ -", "- ") or "0"
