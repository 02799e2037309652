"""A tape of elementary operations on which equal values meet, however they were computed.

Every entry of the tape carries its value at a few random points, with a bound of its rounding error. A new operation whose
values agree with those of an earlier entry (or of its negative, or of a number) at all points *is* that entry: common
subexpressions, ``sin^2 + cos^2 = 1``, R R^T = 1 and terms that cancel are found without any rule for them. This is the test of
identities at random points (Schwartz 1980; Zippel 1979): two functions that differ agree to 14 digits at six points with a
probability that is far below that of a hardware fault. Where a function has branches (``select``, ``atan2``) its values are
drawn at random, and those of a square root have a random sign, so that nothing is concluded from the branch that a point
happens to be on.

An operand is a signed number: entry k is written k + 1, its negative -(k + 1); negation therefore costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError

POINTS = 6
EPSILON = 2.0**-53
SAFETY = 8.0  # how many bounds of the rounding error count as equal
_GRID = 1 << 34

Ref = int
Number = int | float


class Tape:
    """Entries (operation, operands) with their values (POINTS,) and the bounds of their errors.

    Operations: ``symbol`` (name), ``number`` (value), ``+ - * /``, ``sin``, ``cos``, ``sqrt``, ``floor``, ``atan2``, ``select``
    (a, b, c, d: c where a < b, else d). In ``a + b`` and ``a - b`` the first operand is positive; in ``* /`` all are.
    """

    def __init__(self, seed: int = 20170101) -> None:
        self.operations: list[str] = []
        self.operands: list[tuple[Any, ...]] = []
        self.values: list[np.ndarray] = []
        self.errors: list[np.ndarray] = []
        self._same: dict[tuple[Any, ...], Ref] = {}
        self._near: dict[int, list[int]] = {}
        self._seed = seed
        self._rng = np.random.default_rng(seed)
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
        ref = self._append("symbol", (name,), np.asarray(values, dtype=float), np.zeros(POINTS))
        self.names[name] = ref
        return ref

    def unit_vector(self, names: Sequence[str]) -> list[Ref]:
        """Symbols whose squares add up to 1: a unit quaternion."""
        values = self._rng.standard_normal((POINTS, len(names)))
        values /= np.linalg.norm(values, axis=1)[:, None]
        found = [self.symbol(name, values=values[:, i]) for i, name in enumerate(names)]
        for ref in found:
            self.errors[ref - 1] = np.full(POINTS, EPSILON)
        return found

    def number(self, value: Number) -> Ref:
        """The operand for a number."""
        value = float(value)
        size = abs(value)
        ref = self._same.get(("number", size))
        if ref is None:
            ref = self._append("number", (size,), np.full(POINTS, size), np.full(POINTS, EPSILON * size))
            self._same["number", size] = ref
        return -ref if value < 0 else ref

    def as_number(self, ref: Ref) -> float | None:
        """The number that an operand is, or None."""
        if self.operations[abs(ref) - 1] != "number":
            return None
        size = self.operands[abs(ref) - 1][0]
        return size if ref > 0 else -size

    def rewind(self, length: int) -> None:
        """Forget all entries but the first ``length``; what was made of the others must not be used any more."""
        for index in range(length, len(self.operations)):
            self._near[_bucket(self.values[index][0])].remove(index)
            if self.operations[index] == "symbol":
                del self.names[self.operands[index][0]]
        self._same = {key: ref for key, ref in self._same.items() if abs(ref) <= length and _operands_within(key, length)}
        for entries in (self.operations, self.operands, self.values, self.errors):
            del entries[length:]
        self._rng = np.random.default_rng((self._seed, length))

    # -------------------------------------------------------------------------------------------------------- operations
    def value(self, ref: Ref) -> np.ndarray:
        """Values of an operand at the random points, (POINTS,)."""
        return self.values[ref - 1] if ref > 0 else -self.values[-ref - 1]

    def add(self, a: Ref, b: Ref) -> Ref:
        """a + b."""
        if a == b:
            return self.multiply(self.number(2), a)
        value = self.value(a) + self.value(b)
        error = self.errors[abs(a) - 1] + self.errors[abs(b) - 1] + EPSILON * np.abs(value)
        if abs(a) > abs(b):
            a, b = b, a
        sign = 1 if a > 0 else -1
        a, b = sign * a, sign * b
        return sign * self._enter("+" if b > 0 else "-", (a, abs(b)), sign * value, error)

    def multiply(self, a: Ref, b: Ref) -> Ref:
        """a b."""
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        if a > b:
            a, b = b, a
        first, second = self.values[a - 1], self.values[b - 1]
        value = first * second
        error = np.abs(first) * self.errors[b - 1] + np.abs(second) * self.errors[a - 1] + EPSILON * np.abs(value)
        return sign * self._enter("*", (a, b), value, error)

    def divide(self, a: Ref, b: Ref) -> Ref:
        """a / b."""
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        first, second = self.values[a - 1], self.values[b - 1]
        with np.errstate(divide="ignore", invalid="ignore"):  # told by _enter
            value = first / second
            error = (self.errors[a - 1] + np.abs(value) * self.errors[b - 1]) / np.abs(second) + EPSILON * np.abs(value)
        return sign * self._enter("/", (a, b), value, error)

    def sine(self, a: Ref) -> Ref:
        """sin a."""
        value = np.sin(self.values[abs(a) - 1])
        found = self._enter("sin", (abs(a),), value, self.errors[abs(a) - 1] + EPSILON)
        return found if a > 0 else -found

    def cosine(self, a: Ref) -> Ref:
        """cos a."""
        return self._enter("cos", (abs(a),), np.cos(self.values[abs(a) - 1]), self.errors[abs(a) - 1] + EPSILON)

    def root(self, a: Ref) -> Ref:
        """Square root of a; the values of the result have random signs."""
        known = self._same.get(("sqrt", a))
        if known is not None:
            return known
        inside = self.value(a)
        if (inside <= 0.0).any():
            return self._opaque("sqrt", (a,))
        value = np.sqrt(inside)
        error = self.errors[abs(a) - 1] / value + EPSILON * value
        return self._enter("sqrt", (a,), value * self._rng.permutation([1.0, -1.0] * (POINTS // 2)), error)

    def floor(self, a: Ref) -> Ref:
        """Largest whole number that is not above a."""
        return self._opaque("floor", (a,))

    def arctangent(self, y: Ref, x: Ref) -> Ref:
        """atan2(y, x)."""
        return self._opaque("atan2", (y, x))

    def select(self, a: Ref, b: Ref, less: Ref, otherwise: Ref) -> Ref:
        """``less`` where a < b, else ``otherwise``."""
        return less if less == otherwise else self._opaque("select", (a, b, less, otherwise))

    # ---------------------------------------------------------------------------------------------------------- entering
    def _append(self, operation: str, operands: tuple[Any, ...], value: np.ndarray, error: np.ndarray) -> Ref:
        index = len(self.operations)
        self.operations.append(operation)
        self.operands.append(operands)
        self.values.append(value)
        self.errors.append(error)
        self._near.setdefault(_bucket(value[0]), []).append(index)
        return index + 1

    def _opaque(self, operation: str, operands: tuple[Ref, ...]) -> Ref:
        known = self._same.get((operation, *operands))
        if known is None:
            value = self._rng.uniform(0.3, 1.3, POINTS) * self._rng.permutation([1.0, -1.0] * (POINTS // 2))
            known = self._append(operation, operands, value, np.zeros(POINTS))
            self._same[(operation, *operands)] = known
        return known

    def _enter(self, operation: str, operands: tuple[Ref, ...], value: np.ndarray, error: np.ndarray) -> Ref:
        """The entry with these values: that of a number, an earlier one or a new one."""
        key = (operation, *operands)
        known = self._same.get(key)
        if known is not None:
            return known
        if not np.isfinite(value).all():
            raise InputError("a model cannot be written out: something is divided by zero in every configuration.")
        slack = SAFETY * error
        if (np.abs(value) <= slack).all():
            return self.number(0)
        mean = float(value.mean())
        if (np.abs(value - mean) <= slack).all():
            return self.number(_tidy(mean, float(slack.min())))
        known = self._equal(value, slack)
        if known is None:
            known = self._append(operation, operands, value, error)
        self._same[key] = known
        return known

    def _equal(self, value: np.ndarray, slack: np.ndarray) -> Ref | None:
        """An earlier entry, or the negative of one, with these values."""
        bucket = _bucket(value[0])
        for near in (bucket, bucket - 1, bucket + 1):
            for index in self._near.get(near, ()):
                bound = slack + SAFETY * self.errors[index]
                if (np.abs(value - self.values[index]) <= bound).all():
                    return index + 1
                if (np.abs(value + self.values[index]) <= bound).all():
                    return -(index + 1)
        return None


def _bucket(x: float) -> int:
    """A whole number that is the same, or differs by one, for sizes that agree to ten digits."""
    mantissa, exponent = math.frexp(abs(float(x)))
    return exponent * _GRID + int((mantissa - 0.5) * 2.0 * _GRID)


def _operands_within(key: tuple[Any, ...], length: int) -> bool:
    return key[0] == "number" or all(abs(ref) <= length for ref in key[1:])


def _tidy(x: float, slack: float) -> Number:
    """The number, or the whole or half number that it is up to rounding."""
    half = round(2.0 * x)
    if abs(2.0 * x - half) <= 2.0 * slack:
        return half // 2 if half % 2 == 0 else half / 2
    return x
