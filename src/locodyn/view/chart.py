"""What a chart is, as data, and what all charts have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from locodyn.sim import Result

MANY = 8  # more curves than this are coloured along a scale instead of named one by one
ROUND_OFF = 1e-6  # a curve that changes by less than this share of its size is a flat line
ROOM = 0.05  # of the height of a chart: beyond the curves


@dataclass(frozen=True, eq=False)
class Chart:
    """What is drawn.

    Parameters
    ----------
    title : str
    kind : str
        ``time``: curves over time; ``log``: the same, logarithmic; ``plane``: curves in a plane; ``bars``: values of an instant;
        ``field``: along rods and in time.
    quantity, unit : str
        What the values are: ``torque``, ``N m``.
    names : tuple of str, k
        Of the curves or bars.
    values : (n, k)
        At the records of the result; of a plane (n, 2 k): x and y of each curve; of a field (n, k, s): k rods, from root to tip.
    labels : (str, str)
        Of a plane or a field: its axes, with units.
    equal : bool
        Of a plane: both axes have one scale.
    span : (low, high) or None
        Of curves over time: values that the axis covers at least, so that round-off does not look like a curve.
    level : float or None
        Of curves over time: a value that a dotted line marks; of a field: where it is at rest.
    marks : tuple of (t, word)
        Of curves over time: instants (s) that a dotted line marks.
    pictures : tuple of tuple of (k, 2) m
        Of a plane: outlines of the robot, at a few instants, to be filled.
    fixtures : tuple of (k, 2) m
        Of a plane: outlines of what stands in the world; they do not widen the axes.
    mirrored : bool
        Of a plane: the first axis goes to the left.
    """

    title: str
    kind: str
    quantity: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray
    labels: tuple[str, ...] = ()
    equal: bool = False
    span: tuple[float, float] | None = None
    level: float | None = None
    marks: tuple[tuple[float, str], ...] = ()
    pictures: tuple[tuple[np.ndarray, ...], ...] = ()
    fixtures: tuple[np.ndarray, ...] = ()
    mirrored: bool = False


@dataclass(frozen=True)
class Panel:
    """A chart by name: its group, whether the result has it, how it is made, whether it is shown by default, whether it takes a
    whole row.
    """

    name: str
    group: str
    has: Callable[[Result], bool]
    make: Callable[[Result], Chart]
    by_default: Callable[[Result], bool] = lambda result: True
    wide: bool = False


def moves(values: np.ndarray, threshold: float = 1e-9) -> bool:
    """Whether a column of (n, k) changes."""
    return values.size > 0 and float(np.max(np.ptp(values, axis=0))) > threshold


def over_time(
    title: str,
    quantity: str,
    unit: str,
    names: Sequence[str],
    values: np.ndarray,
    *,
    level: float | None = None,
    marks: tuple[tuple[float, str], ...] = (),
) -> Chart:
    """Curves over time; a single one is named in the title, and round-off about a constant is drawn as a flat line."""
    if len(names) == 1 and names[0] != title:
        title = f"{title}: {names[0]}"
    size, span = float(np.abs(values).max(initial=0.0)), None
    if values.size and 0.0 < np.ptp(values) < ROUND_OFF * size:
        span = (float(values.min()) - 0.1 * size, float(values.max()) + 0.1 * size)
    return Chart(title, "time", quantity, unit, tuple(names), values, span=span, level=level, marks=marks)


def at_least(chart: Chart, size: float) -> Chart:
    """The chart with an axis that covers -size to size, so that what is small against it looks small; and what lies beyond, with
    some room, so that a constant does not lie on the edge."""
    if size <= 0.0:
        return chart
    known = chart.values[np.isfinite(chart.values)]
    low, high = chart.span or (float(known.min(initial=0.0)), float(known.max(initial=0.0)))
    room = ROOM * (max(high, size) - min(low, -size))
    return replace(chart, span=(low - room if low < -size else -size, high + room if high > size else size))


def distinct(values: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """Columns that are not zero, each once, with the names of all that are alike."""
    groups: list[list[int]] = []
    sizes = np.abs(values).max(axis=0, initial=0.0)
    for k in np.flatnonzero(sizes > 1e-12):
        alike = (group for group in groups if np.abs(values[:, k] - values[:, group[0]]).max() < 1e-9 * sizes[k])
        found = next(alike, None)
        if found is None:
            groups.append([int(k)])
        else:
            found.append(int(k))
    return values[:, [group[0] for group in groups]], [", ".join(names[k] for k in group) for group in groups]


def recorded(variable: str) -> Callable[[Result], bool]:
    """Whether the result has a variable that is not zero all the time."""
    return lambda result: variable in result.dataset and float(np.max(np.abs(result.dataset[variable].values))) > 1e-12


def units_of(result: Result, variable: str, names: Sequence[str]) -> str:
    """Units of a joint variable of some joints: ``rad``, or several where they differ."""
    array = result.dataset[variable]
    known = dict(zip(map(str, array["joint"].values), array.attrs["units_by_joint"].split(", "), strict=True))
    return " or ".join(dict.fromkeys(known[name] for name in names)) or str(array.attrs["units"])
