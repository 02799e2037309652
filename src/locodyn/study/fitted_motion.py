"""The motion that a fit compares with measurements: runs of a scenario over the parameters that are sought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.errors import InputError, LocodynError, RunError
from locodyn.study.axes import Axis, row_at
from locodyn.study.measured import Measured
from locodyn.study.subject import Subject

_DIFFERENCE = 1e-4  # of the range, for central differences of runs


class FittedMotion:
    """The motion (T, columns) of all trials at a point of the unit cube, one after the other, and its slopes; each run once.

    ``trials``: what was run (scenarios that differ in settings) with what was measured.
    """

    def __init__(self, trials: Sequence[tuple[Subject, Measured]], axes: Sequence[Axis]) -> None:
        self.trials, self.axes = trials, axes
        self.known: dict[tuple[float, ...], np.ndarray] = {}

    def row(self, point: np.ndarray) -> dict[str, Any]:
        """The parameters at a point."""
        return row_at(self.axes, point)

    def point(self, start: Mapping[str, float]) -> np.ndarray:
        """The point of these values; the middle where there is none."""
        found = np.full(len(self.axes), 0.5)
        for k, axis in enumerate(self.axes):
            if axis.name in start and axis.range is not None:
                low, high, value = axis.range.low, axis.range.high, float(start[axis.name])
                if not low <= value <= high:
                    raise InputError(f"the start of '{axis.name}' is {value:g}; it must be between {low:g} and {high:g}.")
                found[k] = np.log(value / low) / np.log(high / low) if axis.range.log else (value - low) / (high - low)
        return found

    def widths(self, point: np.ndarray) -> np.ndarray:
        """Slopes (p,) of the parameters by the coordinates of the cube."""
        ends = [axis.range for axis in self.axes if axis.range is not None]
        row = list(self.row(point).values())
        return np.array([row[k] * np.log(r.high / r.low) if r.log else r.high - r.low for k, r in enumerate(ends)])

    def __call__(self, point: np.ndarray) -> np.ndarray:
        """The motion (T, columns) at a point."""
        key = tuple(float(x) for x in point)
        if key not in self.known:
            row = self.row(np.asarray(point))
            self.known[key] = np.concatenate([_motion(subject, data, row) for subject, data in self.trials])
        return self.known[key]

    def slopes(self, point: np.ndarray) -> np.ndarray:
        """(T, columns, p), by central differences that stay in the cube."""
        found = []
        for k in range(len(self.axes)):
            ends = np.array([point, point], dtype=float)
            ends[:, k] = np.clip([point[k] - _DIFFERENCE, point[k] + _DIFFERENCE], 0.0, 1.0)
            found.append((self(ends[1]) - self(ends[0])) / (ends[1, k] - ends[0, k]))
        return np.stack(found, axis=-1)


def _motion(subject: Subject, data: Measured, row: Mapping[str, Any]) -> np.ndarray:
    """What a run with these parameters gives in place of the measurements, (T, columns)."""
    try:
        result = subject.scenario(row).changed(record=data.variables).run(progress=False)
    except LocodynError as error:
        raise RunError(f"the run with {_told(row)} is not possible: {error}") from None
    if result.failed:
        raise RunError(f"the run with {_told(row)} {result.status}")
    return data.at_times(result)


def _told(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in row.items())
