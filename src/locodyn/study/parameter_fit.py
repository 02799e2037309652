"""Parameters of a scenario from measured motion: least squares with covariance, confidence intervals and bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, LocodynError, RunError
from locodyn.sim import Result
from locodyn.study.axes import Axis, Range, row_at
from locodyn.study.measured import Measured
from locodyn.study.subject import Maker, Subject

if TYPE_CHECKING:
    from locodyn.sim import Scenario

_DIFFERENCE = 1e-4  # of the range, for central differences of runs
_SAME = 1e-7  # smallest over largest singular value of the slopes: below, parameters cannot be told apart
_NOTHING = 1e-6  # of the noise: what the whole range of a parameter must change at least


@dataclass(frozen=True, eq=False)
class ParameterFit:
    """Parameters that explain a measured motion best.

    ``names``, ``units``; ``values`` (p,); ``covariance`` (p, p); ``measured``; ``fitted`` (T, columns), the motion of the fit;
    ``slopes`` (T, columns, p) of the motion by the parameters; ``noise`` (columns,), by which residuals were divided, times the
    scatter that the fit leaves; ``runs`` that it took.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    measured: Measured
    fitted: np.ndarray
    slopes: np.ndarray
    noise: np.ndarray
    runs: int
    subject: Subject

    @property
    def parameters(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    @property
    def standard_errors(self) -> np.ndarray:
        """Of the values, (p,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Half widths (p,) of confidence intervals, by Student's t."""
        return np.asarray(self._factor(level) * self.standard_errors)

    def band(self, level: float = 0.95) -> np.ndarray:
        """Half widths (T, columns) of the confidence band of the fitted motion."""
        spread = np.einsum("tcp,pq,tcq->tc", self.slopes, self.covariance, self.slopes)
        return np.asarray(self._factor(level) * np.sqrt(np.maximum(spread, 0.0)))

    def _factor(self, level: float) -> float:
        from scipy.stats import t

        return float(t.ppf(0.5 + 0.5 * level, max(self.fitted.size - len(self.names), 1)))

    @property
    def residuals(self) -> np.ndarray:
        """Measured less fitted, (T, columns)."""
        return np.asarray(self.measured.values - self.fitted)

    def scenario(self) -> Scenario:
        """The scenario with the values found."""
        return self.subject.scenario(self.parameters)

    def plot(self, path: str | Path) -> Path:
        """Draw fit, band and residuals into a file (png, pdf, svg)."""
        from locodyn.view.search_pictures import plot_fit

        return plot_fit(self, path)

    def __repr__(self) -> str:
        words = [f"{name} = {x:.6g} +- {e:.2g}" for name, x, e in zip(self.names, self.values, self.interval(), strict=True)]
        return f"ParameterFit({', '.join(words)} (95 %); {self.runs} runs)"


def fit(
    source: str | Scenario | Maker,
    over: Mapping[str, str | Range],
    measured: str | Path | Result | Measured,
    *,
    columns: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    settings: Mapping[str, object] | None = None,
    start: Mapping[str, float] | None = None,
) -> ParameterFit:
    """The parameters with which a scenario moves most like a measured motion.

    Parameters
    ----------
    source, settings : as of :class:`Study`
    over : {parameter: range} in which to look
    measured : a CSV file with ``time`` and columns such as ``position.x [mm]``, a result, or a :class:`Measured`
    columns : which of them; by default all of a CSV file
    noise : {column: standard deviation of its measurements}; by default the range of its values, which weighs
        all columns alike
    start : {parameter: value} where to begin; by default the middle of each range
    """
    from scipy.optimize import least_squares

    data = Measured.of(measured, tuple(columns))
    subject = Subject(source, dict(settings or {}))
    axes = [subject.interval(name, given) for name, given in over.items()]
    if data.values.size <= len(axes):
        raise InputError(f"there are {data.values.size} measured values for {len(axes)} parameters; a fit needs more of them.")
    motion = _Motion(subject, axes, data)
    scale = _noise(data, noise or {})
    first = motion.point(start or {})
    found = least_squares(
        lambda x: ((motion(x) - data.values) / scale).ravel(),
        first,
        jac=lambda x: (motion.slopes(x) / scale[:, None]).reshape(-1, len(axes)),
        bounds=(np.zeros(len(axes)), np.ones(len(axes))),
        x_scale=1.0,
        xtol=1e-10,
        ftol=1e-12,
    )
    jacobian = np.asarray(found.jac)
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    if sizes[-1] <= max(_SAME * sizes[0], _NOTHING * np.sqrt(len(jacobian))):
        _, _, directions = np.linalg.svd(jacobian)
        mixed = [axis.name for axis, share in zip(axes, np.abs(directions[-1]), strict=True) if share > 0.1]
        raise RunError(f"the measurements do not tell {' and '.join(map(repr, mixed))}; leave out what they cannot show.")
    left = float(found.fun @ found.fun) / (len(found.fun) - len(axes))  # variance of the residuals over that of the noise given
    widths = motion.widths(found.x)
    covariance = np.linalg.inv(jacobian.T @ jacobian) * left * np.outer(widths, widths)
    values = np.array([motion.row(found.x)[axis.name] for axis in axes])
    slopes = motion.slopes(found.x) / widths
    return ParameterFit(
        tuple(axis.name for axis in axes), tuple(axis.unit for axis in axes), values, covariance, data, motion(found.x), slopes,
        scale * np.sqrt(left), len(motion.known), subject,
    )  # fmt: skip


def _noise(data: Measured, given: Mapping[str, float]) -> np.ndarray:
    for name in given:
        if name not in data.columns:
            raise InputError(f"there is a noise of '{name}', which is not measured; columns are {', '.join(data.columns)}.")
    spread = np.ptp(data.values, axis=0)
    found = [given.get(name, spread[k] or 1.0) for k, name in enumerate(data.columns)]
    if not all(x > 0.0 for x in found):
        raise InputError("the noise of a column is not positive; give its standard deviation.")
    return np.array(found, dtype=float)


class _Motion:
    """The motion (T, columns) of the scenario at a point of the unit cube, and its slopes; each run is made once."""

    def __init__(self, subject: Subject, axes: Sequence[Axis], data: Measured) -> None:
        self.subject, self.axes, self.data = subject, axes, data
        self.known: dict[tuple[float, ...], np.ndarray] = {}

    def row(self, point: np.ndarray) -> dict[str, Any]:
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
        key = tuple(float(x) for x in point)
        if key not in self.known:
            try:
                scenario = self.subject.scenario(self.row(np.asarray(point)))
                result = scenario.changed(record=self.data.variables).run(progress=False)
            except LocodynError as error:
                raise RunError(f"the run with {_told(self.row(np.asarray(point)))} is not possible: {error}") from None
            if result.failed:
                raise RunError(f"the run with {_told(self.row(np.asarray(point)))} {result.status}")
            self.known[key] = self.data.at_times(result)
        return self.known[key]

    def slopes(self, point: np.ndarray) -> np.ndarray:
        """(T, columns, p), by central differences that stay in the cube."""
        found = []
        for k in range(len(self.axes)):
            ends = np.array([point, point], dtype=float)
            ends[:, k] = np.clip([point[k] - _DIFFERENCE, point[k] + _DIFFERENCE], 0.0, 1.0)
            found.append((self(ends[1]) - self(ends[0])) / (ends[1, k] - ends[0, k]))
        return np.stack(found, axis=-1)


def _told(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in row.items())
