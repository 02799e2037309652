"""The motion that a fit compares with measurements: runs of a scenario over the parameters that are sought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.errors import LocodynError, RunError
from locodyn.sim.run import run_through
from locodyn.study.axes import Axis, row_at
from locodyn.study.history import History
from locodyn.study.measured import Measured
from locodyn.study.one_run import STATUS
from locodyn.study.subject import Subject

_DIFFERENCE = 1e-4  # of the range, for central differences of runs


class FittedMotion:
    """The motion (T, columns) of all trials at a point of the unit cube, one after the other, and its slopes; each run once.

    ``trials``: what was run (scenarios that differ in settings) with what was measured; ``history``: what is known already.
    """

    def __init__(self, trials: Sequence[tuple[Subject, Measured]], axes: Sequence[Axis], history: History) -> None:
        self.trials, self.axes, self.history = trials, axes, history

    def row(self, point: np.ndarray) -> dict[str, Any]:
        """The parameters at a point."""
        return row_at(self.axes, point)

    def widths(self, point: np.ndarray) -> np.ndarray:
        """Slopes (p,) of the parameters by the coordinates of the cube."""
        ends = [axis.range for axis in self.axes if axis.range is not None]
        row = list(self.row(point).values())
        return np.array([row[k] * np.log(r.high / r.low) if r.log else r.high - r.low for k, r in enumerate(ends)])

    def __call__(self, point: np.ndarray) -> np.ndarray:
        """The motion (T, columns) at a point."""
        known = self.history.entry(point)
        if known is None:
            self._run(np.asarray(point))
            known = self.history.entry(point)
            assert known is not None
        if known.status == STATUS.failed:
            raise RunError(known.message)
        return known.numbers.reshape(-1, len(self.trials[0][1].columns))

    def _run(self, point: np.ndarray) -> None:
        """Put the motion at a point into the history, or why there is none."""
        status, message, numbers = STATUS.completed, "", np.empty(0)
        try:
            row = self.row(point)
            numbers = np.concatenate([_motion(subject, data, row) for subject, data in self.trials]).ravel()
        except RunError as error:
            status, message = STATUS.failed, str(error)
        self.history.add(point[None], np.array([status]), [message], numbers[None])

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
        result = run_through(subject.scenario(row).changed(record=data.variables), progress=False)
    except LocodynError as error:
        raise RunError(f"the run with {_told(row)} is not possible: {error}") from None
    if result.failed:
        raise RunError(f"the run with {_told(row)} {result.status}")
    return data.at_times(result)


def _told(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in row.items())
