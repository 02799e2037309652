"""What a study varies: a parameter with a list of values, or with a range. In text ``10..60:11deg``, ``0.1,0.2 m``, ``A,B``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.study.units import factor, split

_FORM = "such as 10..60:11deg (11 values from 10 to 60 degrees), 0.1,0.2,0.5 or A,B"
_MOST = 10_000_000


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``: ``count`` of them on a grid, evenly spaced, or in equal ratios (``log``).

    Random designs need no count. ``unit``: that of the two numbers, such as ``deg``; none: that of the parameter.

    >>> Range(10, 60, 11, unit="deg").values()[:3]
    [10.0, 15.0, 20.0]
    """

    low: float
    high: float
    count: int | None = None
    log: bool = False
    unit: str = ""

    def values(self) -> list[float]:
        """The numbers on a grid, in the unit of the range."""
        assert self.count is not None
        space = np.geomspace if self.log else np.linspace
        return [float(x) for x in space(self.low, self.high, self.count)]

    def at(self, shares: np.ndarray) -> np.ndarray:
        """The numbers at these shares (n,) of the range, from 0 to 1."""
        if self.log:
            return np.asarray(np.exp(math.log(self.low) + shares * (math.log(self.high) - math.log(self.low))))
        return np.asarray(self.low + shares * (self.high - self.low))

    def checked(self, name: str) -> Range:
        """The range itself, or :class:`InputError`."""
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise InputError(f"the range of '{name}' runs from {self.low:g} to {self.high:g}; both must be finite.")
        if self.low > self.high:
            raise InputError(f"the range of '{name}' runs from {self.low:g} down to {self.high:g}; write the smaller one first.")
        if self.low == self.high:
            raise InputError(f"the range of '{name}' is empty: both its ends are {self.low:g}; give two numbers that differ.")
        if self.count is not None and not 2 <= self.count <= _MOST:
            raise InputError(f"the range of '{name}' has {self.count} values; it must have from 2 to {_MOST}.")
        if self.log and self.low <= 0.0:
            raise InputError(f"the range of '{name}' begins at {self.low:g}; equal ratios (log) need positive numbers.")
        return self


@dataclass(frozen=True)
class Axis:
    """A parameter that varies: a range, or ``values`` in the unit ``unit`` of the parameter (empty: SI or words)."""

    name: str
    unit: str
    range: Range | None
    values: tuple[Any, ...] = ()
    whole: bool = False

    @classmethod
    def of(cls, name: str, values: Any, unit: str = "", whole: bool = False) -> Axis:
        """From a text, a :class:`Range`, a number or a sequence; ``unit``: of the parameter; ``whole``: it is a whole number."""
        if isinstance(values, str):
            values = parsed(name, values)
        if isinstance(values, Range):
            scale, own = factor(values.unit, unit, name), values.checked(name)
            return cls(name, unit, Range(own.low * scale, own.high * scale, own.count, own.log), whole=whole)
        items = list(values) if isinstance(values, Iterable) else [values]
        if not items:
            raise InputError(f"'{name}' has no values; give some, {_FORM}.")
        return cls(name, unit, None, tuple(_with_unit(name, item, unit) for item in items), whole)

    def grid(self) -> list[Any]:
        """The values on a grid."""
        if self.range is None:
            return list(self.values)
        if self.range.count is None:
            low, high = self.range.low, self.range.high
            raise InputError(
                f"the range of '{self.name}' does not say how many values; write {low:g}..{high:g}:11, or take random samples."
            )
        found = self.range.values()
        if not self.whole:
            return found
        rounded = [round(x) for x in found]
        if len(set(rounded)) < len(rounded):
            raise InputError(f"'{self.name}' is a whole number; there are fewer than {len(found)} of them in its range.")
        return rounded

    def sampled(self, shares: np.ndarray) -> list[Any]:
        """Values for random numbers (n,) between 0 and 1."""
        if self.range is None:
            places = np.minimum((shares * len(self.values)).astype(int), len(self.values) - 1)
            return [self.values[k] for k in places]
        if self.whole:
            low, high = math.ceil(self.range.low), math.floor(self.range.high)
            return [min(high, low + int(share * (high - low + 1))) for share in shares]
        return [float(x) for x in self.range.at(shares)]


def row_at(axes: Sequence[Axis], point: np.ndarray) -> dict[str, Any]:
    """The parameters at a point (n,) of the unit cube over these axes."""
    return {axis.name: axis.sampled(np.asarray(point[k : k + 1]))[0] for k, axis in enumerate(axes)}


def ranges_of(axes: Sequence[Axis]) -> dict[str, Any]:
    """Ranges and units of axes, for the definition of a search or a fit."""
    ranges = {axis.name: [axis.range.low, axis.range.high, axis.range.log] for axis in axes if axis.range is not None}
    return {"over": ranges, "units": {axis.name: axis.unit for axis in axes}}


def point_of(axes: Sequence[Axis], values: Mapping[str, float]) -> np.ndarray:
    """The point (n,) of the unit cube with these values; the middle where there is none."""
    found = np.full(len(axes), 0.5)
    for k, axis in enumerate(axes):
        if axis.name in values and axis.range is not None:
            low, high, value = axis.range.low, axis.range.high, float(values[axis.name])
            if not low <= value <= high:
                raise InputError(f"the start of '{axis.name}' is {value:g}; it must be between {low:g} and {high:g}.")
            found[k] = np.log(value / low) / np.log(high / low) if axis.range.log else (value - low) / (high - low)
    return found


def _with_unit(name: str, item: Any, unit: str) -> Any:
    """One value; text such as ``30deg`` becomes a number in the unit of the parameter."""
    if not isinstance(item, str):
        return item.item() if isinstance(item, np.generic) else item
    number, own = split(item)
    try:
        return float(number) * factor(own, unit, name)
    except ValueError:
        return item


def parsed(name: str, text: str) -> Range | list[Any]:
    """The range or the list of values in a text.

    >>> parsed("A", "10..60:11deg")
    Range(low=10.0, high=60.0, count=11, log=False, unit='deg')
    >>> parsed("case", "A,B"), parsed("m", "1,2 kg")
    (['A', 'B'], ['1 kg', '2 kg'])
    """
    numbers, unit = split(text)
    if ".." not in numbers:
        items = [item.strip() for item in numbers.split(",")]
        if not all(items):
            raise InputError(f"'{name}' is to vary over '{text}', in which a value is missing; write it {_FORM}.")
        return [f"{item} {unit}".strip() for item in items]
    ends, _, count = numbers.partition(":")
    log = count.endswith("log")
    try:
        low, high = (float(end) for end in ends.split(".."))
        return Range(low, high, int(count.removesuffix("log")) if count else None, log, unit)
    except ValueError:
        raise InputError(f"'{name}' is to vary over '{text}'; write it {_FORM}.") from None
