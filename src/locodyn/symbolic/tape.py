"""A tape of elementary operations on which equal values meet, however they were computed.

Every entry of the tape carries its value at a few random points, with an estimate of its rounding error. A new operation whose
values agree with those of an earlier entry (or of its negative, or of a number) at all points *is* that entry: common
subexpressions, ``sin^2 + cos^2 = 1``, R R^T = 1 and terms that cancel are found without any rule for them. This is the test of
identities at random points (Schwartz 1980; Zippel 1979): two functions that differ agree to 14 digits at six points with a
probability that is far below that of a hardware fault. Where a function has branches (``select``, ``atan2``) its values are
drawn at random, and those of a square root have a random sign, so that nothing is concluded from the branch that a point
happens to be on. Choices are drawn from (0.1, 0.9), for most of them keep an argument within its range: a polynomial of high
degree outside of it, as of the fronts of strain fields, would be a million times larger than what it is added to, which the
rounding errors would swallow. The root of a square, |x|, and a sign, x / sqrt(c x^2), are drawn at random as well: six points
have few patterns of signs, and those of different functions would meet.

The rounding error is measured: each operation is done four times, once as it is and three times with a result that is changed at
random in its last digit, and what the four differ by is the error (Vignes 1993, stochastic arithmetic; Parker 1997, Monte Carlo
arithmetic). Bounds that are carried along instead (a sum of bounds for a sum) know nothing of errors that cancel: along a chain
they grow tenfold with each body, from the 15th on they are larger than the values, and terms that live would be taken for zero.
Where the error itself is large, nothing is concluded: the operation is kept as it is.

An operand is a signed number: entry k is written k + 1, its negative -(k + 1); negation therefore costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from locodyn.errors import InputError

POINTS = 6
EPSILON = 2.0**-53
SAFETY = 16.0  # how many standard deviations of the rounding error count as equal
BLURRED = 1e-7  # errors above this part of the values (of the terms, where these cancel) allow no conclusion
_GRID = 1 << 34
_SAMPLES = 4  # the plain value, and three with other roundings
_ROUNDINGS = 1021  # sets of roundings, used in turn

Ref = int
Number = int | float


class Tape:
    """Entries (operation, operands) with their values (4, POINTS), the first row without changed roundings, and errors (POINTS,).

    Operations: ``symbol`` (name), ``number`` (value), ``+ - * /``, ``sin``, ``cos``, ``exp``, ``sqrt``, ``floor``, ``atan2``,
    ``select`` (a, b, c, d: c where a < b, else d). In ``a + b`` and ``a - b`` the first operand is positive; in ``* /`` all are.
    """

    def __init__(self, seed: int = 20170101) -> None:
        self.operations: list[str] = []
        self.operands: list[tuple[Any, ...]] = []
        self.values: list[np.ndarray] = []
        self.errors: list[np.ndarray] = []
        self._same: dict[tuple[Any, ...], Ref] = {}
        self._near: dict[int, list[int]] = {}
        self._alike: dict[int, list[int]] = {}
        self._seed = seed
        self._rng = np.random.default_rng(seed)
        self._roundings = _roundings()
        self._rounded = 0
        self.names: dict[str, Ref] = {}

    # ------------------------------------------------------------------------------------------------------------ leaves
    def symbol(self, name: str, about: float | None = None, values: Any = None) -> Ref:
        """The symbol of this name. Its random values are ``values``, or lie near ``about``, or anywhere in +-(0.3, 1.3)."""
        if name in self.names:
            raise InputError(f"there is already a symbol '{name}'; give each symbol a name of its own.")
        if values is None and about:
            values = about * (1.0 + 0.4 * self._rng.uniform(-1.0, 1.0, POINTS))
        elif values is None:
            values = self._rng.uniform(0.3, 1.3, POINTS) * self._rng.permutation([1.0, -1.0] * (POINTS // 2))
        ref = self._append("symbol", (name,), np.tile(np.asarray(values, dtype=float), (_SAMPLES, 1)), np.zeros(POINTS))
        self.names[name] = ref
        return ref

    def unit_vector(self, names: Sequence[str]) -> list[Ref]:
        """Symbols whose squares add up to 1: a unit quaternion."""
        values = self._rng.standard_normal((POINTS, len(names)))
        values /= np.linalg.norm(values, axis=1)[:, None]
        found = [self.symbol(name, values=values[:, i]) for i, name in enumerate(names)]
        for ref in found:
            self.values[ref - 1] = self._round(self.values[ref - 1])
            self.errors[ref - 1] = np.full(POINTS, EPSILON)
        return found

    def number(self, value: Number) -> Ref:
        """The operand for a number."""
        value = float(value)
        size = abs(value)
        ref = self._same.get(("number", size))
        if ref is None:
            value_here = self._round(np.full((_SAMPLES, POINTS), size))  # a number may be the rounded result of a calculation
            ref = self._append("number", (size,), value_here, np.full(POINTS, EPSILON * size))
            self._same["number", size] = ref
        return -ref if value < 0 else ref

    def as_number(self, ref: Ref) -> float | None:
        """The number that an operand is, or None."""
        if self.operations[abs(ref) - 1] != "number":
            return None
        size = self.operands[abs(ref) - 1][0]
        found: float | None = size if ref > 0 else -size
        return found

    def rewind(self, length: int) -> None:
        """Forget all entries but the first ``length``; what was made of the others must not be used any more."""
        for index in range(length, len(self.operations)):
            self._near[_bucket(self.values[index][0, 0])].remove(index)
            if self.operations[index] != "number":
                self._alike[_shape(self.values[index][0])].remove(index)
            if self.operations[index] == "symbol":
                del self.names[self.operands[index][0]]
        self._same = {key: ref for key, ref in self._same.items() if abs(ref) <= length and _operands_within(key, length)}
        for entries in (self.operations, self.operands, self.values, self.errors):
            del entries[length:]
        self._rng = np.random.default_rng((self._seed, length))
        self._rounded = length

    # -------------------------------------------------------------------------------------------------------- operations
    def value(self, ref: Ref) -> np.ndarray:
        """Values of an operand at the random points, (POINTS,)."""
        found: np.ndarray = self._samples(ref)[0]
        return found

    def _samples(self, ref: Ref) -> np.ndarray:
        return self.values[ref - 1] if ref > 0 else -self.values[-ref - 1]

    def add(self, a: Ref, b: Ref) -> Ref:
        """a + b."""
        if a == b:
            return self.multiply(self.number(2), a)
        if abs(a) > abs(b):
            a, b = b, a
        sign = 1 if a > 0 else -1
        a, b = sign * a, sign * b
        first, second = self._samples(a), self._samples(b)
        size = np.abs(first[0]) + np.abs(second[0])
        return sign * self._enter("+" if b > 0 else "-", (a, abs(b)), first + second, size)

    def multiply(self, a: Ref, b: Ref) -> Ref:
        """a b."""
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        if a > b:
            a, b = b, a
        if a == b and self.operations[a - 1] == "sqrt":
            return sign * int(self.operands[a - 1][0])
        return sign * self._enter("*", (a, b), self.values[a - 1] * self.values[b - 1])

    def divide(self, a: Ref, b: Ref) -> Ref:
        """a / b."""
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        with np.errstate(divide="ignore", invalid="ignore"):  # told by _enter
            value = self.values[a - 1] / self.values[b - 1]
        return sign * self._enter("/", (a, b), value)

    def sine(self, a: Ref) -> Ref:
        """sin a."""
        found = self._enter("sin", (abs(a),), np.sin(self.values[abs(a) - 1]), np.ones(POINTS))
        return found if a > 0 else -found

    def cosine(self, a: Ref) -> Ref:
        """cos a."""
        return self._enter("cos", (abs(a),), np.cos(self.values[abs(a) - 1]), np.ones(POINTS))

    def exponential(self, a: Ref) -> Ref:
        """e^a."""
        return self._enter("exp", (a,), np.exp(self._samples(a)))

    def root(self, a: Ref) -> Ref:
        """Square root of a; the values of the result have random signs."""
        known = self._same.get(("sqrt", a))
        if known is not None:
            return known
        inside = self._samples(a)
        if (inside <= 0.0).any() or self._is_square(a):
            return self._opaque("sqrt", (a,))
        return self._enter("sqrt", (a,), np.sqrt(inside) * self._rng.permutation([1.0, -1.0] * (POINTS // 2)))

    def _is_square(self, a: Ref) -> bool:
        """Whether a is c x^2 with a number c and an entry x: its root, sqrt(c) |x|, has two branches."""
        inside = self._samples(a)[0]
        slack = SAFETY * self.errors[abs(a) - 1] / inside
        near = [i for one in _around(_shape(np.sqrt(inside))) for i in self._alike.get(one, ())]
        for index in near:
            value = self.values[index][0]
            ratio = inside / value**2
            bound = slack + 2.0 * SAFETY * self.errors[index] / np.abs(value)
            if (np.abs(ratio / ratio[0] - 1.0) <= bound + bound[0]).all():
                return True
        return False

    def floor(self, a: Ref) -> Ref:
        """Largest whole number that is not above a."""
        return self._opaque("floor", (a,))

    def arctangent(self, y: Ref, x: Ref) -> Ref:
        """atan2(y, x)."""
        return self._opaque("atan2", (y, x))

    def select(self, a: Ref, b: Ref, less: Ref, otherwise: Ref) -> Ref:
        """``less`` where a < b, else ``otherwise``."""
        return less if less == otherwise else self._opaque("select", (a, b, less, otherwise), self._rng.uniform(0.1, 0.9, POINTS))

    # ---------------------------------------------------------------------------------------------------------- entering
    def _append(self, operation: str, operands: tuple[Any, ...], value: np.ndarray, error: np.ndarray) -> Ref:
        index = len(self.operations)
        self.operations.append(operation)
        self.operands.append(operands)
        self.values.append(value)
        self.errors.append(error)
        self._near.setdefault(_bucket(value[0, 0]), []).append(index)
        if operation != "number":
            self._alike.setdefault(_shape(value[0]), []).append(index)
        return index + 1

    def _opaque(self, operation: str, operands: tuple[Ref, ...], value: np.ndarray | None = None) -> Ref:
        known = self._same.get((operation, *operands))
        if known is None:
            if value is None:
                value = self._rng.uniform(0.3, 1.3, POINTS) * self._rng.permutation([1.0, -1.0] * (POINTS // 2))
            known = self._append(operation, operands, np.tile(value, (_SAMPLES, 1)), np.zeros(POINTS))
            self._same[(operation, *operands)] = known
        return known

    def _round(self, samples: np.ndarray) -> np.ndarray:
        """The samples of a result, all but the first with another rounding."""
        self._rounded += 1
        found: np.ndarray = samples * self._roundings[self._rounded % _ROUNDINGS]
        return found

    def _enter(self, operation: str, operands: tuple[Ref, ...], samples: np.ndarray, size: np.ndarray | None = None) -> Ref:
        """The entry with these values: that of a number, an earlier one or a new one.

        ``size`` (POINTS,): what errors are compared with; for a sum the size of its terms, else that of the values.
        """
        key = (operation, *operands)
        known = self._same.get(key)
        if known is not None:
            return known
        value = samples[0]
        if not np.isfinite(value).all():
            raise InputError("a model cannot be written out: something is divided by zero in every configuration.")
        samples = self._round(samples)
        size = np.abs(value) if size is None else size
        # One estimate for all points and samples: at a single point four values may agree by chance.
        apart = ((samples[1:] - value) / size).ravel()
        error = max(math.sqrt(float(apart @ apart) / len(apart)), EPSILON)
        errors = error * size
        if operation in "*/" and _is_sign(value, SAFETY * errors):
            return self._opaque(operation, operands)
        known = self._concluded(value, SAFETY * errors, size)
        if known is None:
            known = self._append(operation, operands, samples, errors)
        self._same[key] = known
        return known

    def _concluded(self, value: np.ndarray, slack: np.ndarray, size: np.ndarray) -> Ref | None:
        """What some values are, as far as their errors allow a conclusion: zero, a number, an earlier entry or its negative."""
        distance = np.abs(value)
        if (distance <= slack).all():
            return self.number(0) if (slack <= BLURRED * size).all() else None
        if (slack > BLURRED * distance).any():
            return None
        if abs(value[0] - value[1]) <= slack[0] + slack[1]:  # nearly no values are: it is not worth to look at them all
            mean = float(value.mean())
            if (np.abs(value - mean) <= slack).all():
                return self.number(_tidy(mean, float(slack.min())))
        return self._equal(value, slack)

    def _equal(self, value: np.ndarray, slack: np.ndarray) -> Ref | None:
        """An earlier entry, or the negative of one, with these values."""
        for near in _around(_bucket(value[0])):
            for index in self._near.get(near, ()):
                bound = slack + SAFETY * self.errors[index]
                if (np.abs(value - self.values[index][0]) <= bound).all():
                    return index + 1
                if (np.abs(value + self.values[index][0]) <= bound).all():
                    return -(index + 1)
        return None


@cache
def _roundings() -> np.ndarray:
    """Factors (_ROUNDINGS, 4, POINTS) that change a result by one unit of its last digit, up or down; 1 for the first sample."""
    signs = np.random.default_rng(1974).choice([-1.0, 1.0], (_ROUNDINGS, _SAMPLES, POINTS))
    signs[:, 0] = 0.0
    return 1.0 + 2.0 * EPSILON * signs


def _is_sign(value: np.ndarray, slack: np.ndarray) -> bool:
    """Whether some values are one number with either sign."""
    if abs(abs(value[0]) - abs(value[1])) > slack[0] + slack[1]:
        return False
    sizes = np.abs(value)
    return bool((value < 0.0).any() and (value > 0.0).any() and (np.abs(sizes - sizes.mean()) <= slack).all())


def _bucket(x: float) -> int:
    """A whole number that is the same, or differs by one, for sizes that agree to ten digits."""
    mantissa, exponent = math.frexp(abs(float(x)))
    return exponent * _GRID + int((mantissa - 0.5) * 2.0 * _GRID)


def _around(bucket: int) -> tuple[int, int, int]:
    return bucket, bucket - 1, bucket + 1


def _shape(value: np.ndarray) -> int:
    """A bucket that entries have in common with their multiples."""
    return _bucket(value[0] / value[1]) if value[1] else 0


def _operands_within(key: tuple[Any, ...], length: int) -> bool:
    return key[0] == "number" or all(abs(ref) <= length for ref in key[1:])


def _tidy(x: float, slack: float) -> Number:
    """The number, or the whole or half number that it is up to rounding."""
    half = round(2.0 * x)
    if abs(2.0 * x - half) <= 2.0 * slack:
        return half // 2 if half % 2 == 0 else half / 2
    return x
