"""Gaits: closed paths in the space of shapes, and ways from one to another.

Obligations of a gait:

1. It is a mapping from names of coordinates to laws; each gives r, rdot and rddot at every time, exactly.
2. It closes: r, rdot (and rddot) are the same at t and at t + ``period``, and it is twice differentiable in between.
3. ``phase`` tells how far (rad of the cycle) it was shifted.
4. ``parameters`` are named numbers; ``with_parameters`` builds the gait with others; ``derivative(t)`` is the exact derivative
   of r, rdot, rddot with respect to them.
5. All of this survives the changes of time: reversed, slowed, shifted, retraced.

``omega`` (rad/s) is the one parameter that changes the pace and nothing else: r(t) = R(omega t), so dr/domega = (t / omega) rdot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.gaits.time_change import changed_time, composed, rate_law
from locodyn.motion import Law, as_law, constant, cosine, function
from locodyn.motion.base import BEYOND, TERM, finite, positive
from locodyn.motion.function import LawLike
from locodyn.typing import Array

PACE = "omega"
_CLOSES = 1e-7  # relative to the size of the motion
_MOST = 64  # largest ratio of frequencies that is taken for a whole number

Derivatives = Mapping[str, Mapping[str, Law]]


def pace(omega: float) -> float:
    """The parameter ``omega`` of a gait, rad/s, checked."""
    return positive(omega, "omega of a gait (rad/s; let a gait run backwards by reversed())")


class Gait(Mapping[str, Law]):
    """A closed path in the space of shapes: ``gait["front"]`` is a law, ``gait.period`` its period in s.

    A gait stands where a mapping of laws can: ``ld.simulate(robot, imposed=gait, t_end=3 * gait.period)``.

    Parameters
    ----------
    laws : mapping of coordinate names to laws, numbers or functions of time
    period : s
    parameters : mapping of names to numbers
    derivatives : {parameter: {coordinate: law}}
        dr/dparameter; a coordinate that is left out does not depend on it. Not for ``omega``.
    rebuild : function(parameters) -> Gait
    phase : rad
    """

    def __init__(
        self,
        laws: Mapping[str, LawLike],
        period: float,
        *,
        parameters: Mapping[str, float] | None = None,
        derivatives: Derivatives | None = None,
        rebuild: Callable[[dict[str, float]], Gait] | None = None,
        phase: float = 0.0,
    ) -> None:
        if not laws:
            raise InputError("a gait has no coordinate; give at least one law.")
        self._laws = {str(name): as_law(law) for name, law in laws.items()}
        self.period = positive(period, "the period of a gait")
        self.parameters = {str(name): float(value) for name, value in (parameters or {}).items()}
        self._derivatives = {name: dict(laws) for name, laws in (derivatives or {}).items()}
        self._rebuild = rebuild
        self.phase = float(phase)
        self._check()

    # --------------------------------------------------------------------------------------------------------- mapping
    def __getitem__(self, name: str) -> Law:
        return self._laws[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._laws)

    def __len__(self) -> int:
        return len(self._laws)

    def __repr__(self) -> str:
        laws = ", ".join(f"{name}: {law.describe()}" for name, law in self._laws.items())
        return f"Gait(period {self.period:g} s; {laws})"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._laws)

    def _check(self) -> None:
        for name, law in self._laws.items():
            if any(term.window is not None for term in law.terms):
                raise InputError(f"the motion of '{name}' has a soft start, so it never closes; a gait is periodic.")
            law.require_known(name, 0.0, self.period)
            law.require_twice_differentiable(name, -0.01 * self.period, 1.01 * self.period)
            times = self.period * np.array([0.0, 0.217, 0.5, 0.781])
            for what, values in (("value", law), ("rate", law.rate)):
                before, after = values(times), values(times + self.period)
                scale = max(1.0, *np.abs(before), *np.abs(after)) if what == "value" else max(1e-12, *np.abs(before))
                gap = float(np.abs(after - before).max())
                if gap > _CLOSES * scale + 1e-12:
                    raise InputError(
                        f"the gait does not close: the {what} of '{name}' differs by {gap:.3g} after the period of"
                        f" {self.period:g} s; give its true period, or another motion."
                    )

    # ---------------------------------------------------------------------------------------------------------- values
    def at(self, t: float) -> np.ndarray:
        """r, rdot, rddot at time t (s): (3, n)."""
        return np.array([law.at(t) for law in self._laws.values()]).T

    def shape(self, times: Array) -> np.ndarray:
        """r at the times (m,): (n, m)."""
        return np.array([law(np.asarray(times, dtype=float)) for law in self._laws.values()])

    def rate(self, times: Array) -> np.ndarray:
        """rdot at the times (m,): (n, m)."""
        return np.array([law.rate(np.asarray(times, dtype=float)) for law in self._laws.values()])

    # ------------------------------------------------------------------------------------------------------ parameters
    def with_parameters(self, **values: float) -> Gait:
        """The gait with other values of some of its parameters; names with a dot as ``**{"front.phase": 1.0}``."""
        for name in values:
            if name not in self.parameters:
                raise InputError(f"the gait has no parameter '{name}'{nearest(name, self.parameters)}")
        if self._rebuild is None:
            raise InputError("this gait was made of laws and cannot be built anew; use harmonic_gait or serpenoid_gait.")
        return self._rebuild({**self.parameters, **{name: float(value) for name, value in values.items()}})

    def derivative_law(self, parameter: str, coordinate: str) -> Law | None:
        """d(motion of ``coordinate``)/d(parameter) as a law, or None where it is zero."""
        if parameter not in self.parameters:
            raise InputError(f"the gait has no parameter '{parameter}'{nearest(parameter, self.parameters)}")
        if parameter != PACE:
            return self._derivatives.get(parameter, {}).get(coordinate)
        law, omega = self._laws[coordinate], self.parameters[PACE]
        rates = rate_law(law)

        def acceleration(t: float) -> float:
            _, x2, x3 = rates.at(t)
            return (2.0 * x2 + t * x3) / omega

        return function(lambda t: t * law.at(t)[1] / omega, lambda t: (law.at(t)[1] + t * law.at(t)[2]) / omega, acceleration)

    def derivative(self, t: float) -> np.ndarray:
        """Derivative of (r, rdot, rddot) with respect to the parameters, in their order: (3, n, p)."""
        result = np.zeros((3, len(self), len(self.parameters)))
        for k, parameter in enumerate(self.parameters):
            for j, name in enumerate(self._laws):
                law = self.derivative_law(parameter, name)
                if law is not None:
                    result[:, j, k] = law.at(t)
        return result

    # ------------------------------------------------------------------------------------------------- changes of time
    def _changed(self, change: Callable[[Law], Law], period: float, again: Callable[[Gait], Gait], phase: float) -> Gait:
        rebuild = self._rebuild
        return Gait(
            {name: change(law) for name, law in self._laws.items()},
            period,
            parameters=self.parameters,
            derivatives={p: {name: change(law) for name, law in laws.items()} for p, laws in self._derivatives.items()},
            rebuild=None if rebuild is None else lambda values: again(rebuild(values)),
            phase=phase,
        )

    def reversed(self) -> Gait:
        """The same path the other way round: r(-t)."""
        return self._changed(lambda law: changed_time(law, -1.0), self.period, Gait.reversed, -self.phase)

    def slowed(self, factor: float) -> Gait:
        """The same path at another pace: r(t / factor), period times factor. Below 1: faster."""
        number = positive(factor, "the factor of a slower gait")
        return self._changed(
            lambda law: changed_time(law, 1.0 / number), self.period * number, lambda g: g.slowed(number), self.phase
        )

    def shifted(self, phase: float) -> Gait:
        """The same path begun later on it, by ``phase`` rad of the cycle: r(t + phase period / 2 pi)."""
        shift = float(phase) * self.period / math.tau
        return self._changed(
            lambda law: changed_time(law, 1.0, shift), self.period, lambda g: g.shifted(phase), self.phase + float(phase)
        )

    def retraced(self, part: float = 1.0) -> Gait:
        """Forth along the first ``part`` of the cycle and back the same way: a one-parameter path, which no connection rewards.

        r(s(t)) with s = part period (1 - cos(2 pi t / T)) / 2 and T = 2 part period: at rest where it turns. A scenario that
        uses it runs its time loop in Python.
        """
        fraction = positive(part, "the part of a retraced gait")
        length = fraction * self.period
        clock = 0.5 * length - cosine(0.5 * length, omega=math.pi / length)
        return self._changed(lambda law: composed(law, clock), 2.0 * length, lambda g: g.retraced(fraction), self.phase)


def gait(period: float | None = None, **laws: LawLike) -> Gait:
    """A gait from laws by the names of their coordinates.

    ``period`` (s) may be left out when all laws are sums of constants, sines, cosines and periodic splines.

    >>> import locodyn as ld
    >>> from locodyn.gaits import gait
    >>> round(gait(front=ld.sine(-0.4, omega=2), rear=ld.sine(0.4, omega=3)).period, 6)
    6.283185
    """
    ready = {name: as_law(law) for name, law in laws.items()}
    return Gait(ready, _period(ready) if period is None else period)


def _period(laws: Mapping[str, Law]) -> float:
    """Smallest common period of the laws, s."""
    lengths: list[float] = []
    for name, law in laws.items():
        for term in law.terms:
            if term.kind in (TERM.sine, TERM.cosine) and term.omega != 0.0 and term.scale != 0.0:
                lengths.append(math.tau / abs(term.omega))
            elif term.kind == TERM.piecewise and term.mode == BEYOND.periodic:
                lengths.append(float(term.knots[-1] - term.knots[0]))
            elif not (term.kind == TERM.polynomial and not term.coefficients[1:].any()) and term.kind not in (
                TERM.sine,
                TERM.cosine,
            ):
                raise InputError(f"the period of '{name}' is not known from its law ({term.words}); give the gait a period.")
    if not lengths:
        raise InputError("the gait does not move, so that it has no period of its own; give it one.")
    period = Fraction(1)
    for length in lengths[1:]:
        ratio = Fraction(length / lengths[0]).limit_denominator(_MOST)
        if abs(float(ratio) - length / lengths[0]) > 1e-9 * float(ratio):
            raise InputError("the frequencies of the gait have no common period; make their ratios whole numbers.")
        period = Fraction(math.lcm(period.numerator, ratio.numerator), math.gcd(period.denominator, ratio.denominator))
    return float(period) * lengths[0]


def gait_transitions(first: Mapping[str, Any], *changes: tuple[float, float, Mapping[str, Any]]) -> dict[str, Law]:
    """Laws that follow ``first`` and then, one after the other, the gaits of ``changes``, twice differentiable.

    r = r_1 + w (r_2 - r_1), w the septic step of a soft start.

    Parameters
    ----------
    first : mapping of coordinate names to laws (a gait); a coordinate that a gait does not name goes to 0 in it
    changes : triples (at, duration, gait)
        From ``at`` (s) on the motion goes over to the gait within ``duration`` (s); changes follow each other without overlap.

    >>> import locodyn as ld
    >>> laws = gait_transitions({"a": ld.sine(1.0, omega=1.0)}, (2.0, 1.0, {"a": 0.5}))
    >>> laws["a"].at(3.5)
    (0.5, 0.0, 0.0)
    """
    gaits = [{str(name): as_law(law) for name, law in gait.items()} for gait in (first, *(change[2] for change in changes))]
    names = list(dict.fromkeys(name for gait in gaits for name in gait))
    laws = {name: gaits[0].get(name, constant(0.0)) for name in names}
    ready = -float("inf")
    for (at, duration, _), before, after in zip(changes, gaits[:-1], gaits[1:], strict=True):
        begin, length = finite(at, "the time of a change of gait"), positive(duration, "the duration of a change of gait")
        if begin < ready:
            raise InputError(f"a change of gait begins at {begin:g} s, before the one before it ends at {ready:g} s.")
        ready = begin + length
        for name in names:
            old, new = _plain(before.get(name, constant(0.0)), name, begin), after.get(name, constant(0.0))
            laws[name] = laws[name] + (new - old).soft_start(length, begin)
    return laws


def _plain(law: Law, name: str, at: float) -> Law:
    """The law without its soft start, which must be over at ``at``."""
    for term in law.terms:
        if term.window is not None and sum(term.window) > at:
            raise InputError(
                f"the soft start of '{name}' ends at {sum(term.window):g} s, after a change of gait at {at:g} s; change later."
            )
    return Law(tuple(replace(term, window=None) for term in law.terms))
