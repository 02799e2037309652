"""Parameters of a scenario from measured motion: least squares with covariance, confidence intervals and bands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.sim import Result
from locodyn.study.axes import Axis, Range, point_of, ranges_of, row_at
from locodyn.study.estimate import Estimate
from locodyn.study.fitted_motion import FittedMotion
from locodyn.study.history import FIT, History
from locodyn.study.measured import Measured
from locodyn.study.subject import Maker, Subject, fingerprint

if TYPE_CHECKING:
    from locodyn.sim import Scenario

MeasuredLike = str | Path | Result | Measured
_SAME = 1e-7  # smallest over largest singular value of the slopes: below, parameters cannot be told apart
_NOTHING = 1e-6  # of the noise: what the whole range of a parameter must change at least


@dataclass(frozen=True, eq=False)
class ParameterFit(Estimate):
    """Parameters that explain a measured motion best: an :class:`Estimate`, and how it was made.

    ``noise`` (columns,), by which residuals were divided, times the scatter that the fit leaves; ``runs`` that it took.
    """

    noise: np.ndarray
    runs: int
    subject: Subject

    def scenario(self) -> Scenario:
        """The scenario with the values found."""
        return self.subject.scenario(self.parameters)

    def __repr__(self) -> str:
        return f"ParameterFit({self._told()} (95 %); {self.runs} runs)"


def fit(
    source: str | Scenario | Maker,
    over: Mapping[str, str | Range],
    measured: MeasuredLike | Sequence[MeasuredLike],
    *,
    columns: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
    start: Mapping[str, float] | None = None,
    search: int = 0,
    history: str | Path | None = None,
) -> ParameterFit:
    """The parameters with which a scenario moves most like a measured motion.

    Parameters
    ----------
    source : as of :class:`Study`
    over : {parameter: range} in which to look
    measured : a CSV file with ``time`` and columns such as ``position.x [mm]``, a result, or a :class:`Measured`; or a list of
        them, of trials that share the parameters
    settings : {parameter: value} that are known; of several trials a list, with their starts for instance
    columns : which of them; by default all of a CSV file
    noise : {column: standard deviation of its measurements}; by default the range of its values, which weighs
        all columns alike
    start : {parameter: value} where to begin; by default the middle of each range
    search : so many points of a Sobol sequence are tried first, and the best is the start: where impacts make valleys
    history : a file ``.jsonl`` for the runs, with which a fit that was killed goes on
    """
    from scipy.optimize import least_squares

    trials = _trials(source, measured, tuple(columns), settings)
    data, subject = _joined([one for _, one in trials]), trials[0][0]
    axes = [subject.interval(name, interval) for name, interval in over.items()]
    if data.values.size <= len(axes):
        raise InputError(f"there are {data.values.size} measured values for {len(axes)} parameters; a fit needs more of them.")
    scale = _noise(data, noise or {})
    first = point_of(axes, start or {})
    about = _definition(trials, axes, first) | {"search": search, "noise": scale.tolist()}
    motion = FittedMotion(trials, axes, History(None if history is None else Path(history), about, FIT))
    if search:
        first = _best_start(motion, first, search, lambda x: float((((motion(x) - data.values) / scale) ** 2).sum()))
    found = least_squares(
        lambda x: ((motion(x) - data.values) / scale).ravel(),
        first,
        jac=lambda x: (motion.slopes(x) / scale[:, None]).reshape(-1, len(axes)),
        bounds=(np.zeros(len(axes)), np.ones(len(axes))),
        x_scale=1.0,
        xtol=1e-10,
        ftol=1e-12,
    )
    return _estimated(motion, np.asarray(found.x), np.asarray(found.jac), np.asarray(found.fun), data, scale)


def _definition(trials: Sequence[tuple[Subject, Measured]], axes: Sequence[Axis], first: np.ndarray) -> dict[str, Any]:
    """What makes a fit what it is, for its history."""
    from locodyn import __version__

    row = row_at(axes, first)
    return {
        "name": trials[0][0].name, "settings": [dict(subject.settings) for subject, _ in trials], **ranges_of(axes),
        "columns": list(trials[0][1].columns), "measured": [data.fingerprint() for _, data in trials], "start": first.tolist(),
        "first": [fingerprint(subject.scenario(row)) for subject, _ in trials], "version": __version__,
    }  # fmt: skip


def _estimated(
    motion: FittedMotion, point: np.ndarray, jacobian: np.ndarray, residuals: np.ndarray, data: Measured, scale: np.ndarray
) -> ParameterFit:
    """Values and covariance at the point where the weighted residuals (n,) with slopes (n, p) are least."""
    axes = motion.axes
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    if sizes[-1] <= max(_SAME * sizes[0], _NOTHING * np.sqrt(len(jacobian))):
        _, _, directions = np.linalg.svd(jacobian)
        mixed = [axis.name for axis, share in zip(axes, np.abs(directions[-1]), strict=True) if share > 0.1]
        raise RunError(f"the measurements do not tell {' and '.join(map(repr, mixed))}; leave out what they cannot show.")
    left = float(residuals @ residuals) / (len(residuals) - len(axes))  # variance of the residuals over that of the noise given
    widths = motion.widths(point)
    covariance = np.linalg.inv(jacobian.T @ jacobian) * left * np.outer(widths, widths)
    values = np.array([motion.row(point)[axis.name] for axis in axes])
    slopes = motion.slopes(point) / widths
    return ParameterFit(
        tuple(axis.name for axis in axes), tuple(axis.unit for axis in axes), values, covariance, data, motion(point), slopes,
        scale * np.sqrt(left), len(motion.history.entries), motion.trials[0][0],
    )  # fmt: skip


def _trials(
    source: str | Scenario | Maker,
    measured: MeasuredLike | Sequence[MeasuredLike],
    columns: tuple[str, ...],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] | None,
) -> list[tuple[Subject, Measured]]:
    """What was run and measured, trial by trial."""
    films = [measured] if isinstance(measured, (str, Path, Result, Measured)) else list(measured)
    known = [settings or {}] * len(films) if settings is None or isinstance(settings, Mapping) else list(settings)
    if not films or len(known) != len(films):
        raise InputError(f"there are {len(films)} measured trials and settings of {len(known)}; give as many of both.")
    found = [(Subject(source, dict(own)), Measured.of(one, columns)) for one, own in zip(films, known, strict=True)]
    for _, one in found:
        if one.columns != found[0][1].columns:
            raise InputError(
                f"the trials have the columns {', '.join(found[0][1].columns)} and {', '.join(one.columns)}; measure the same in"
                " all."
            )
    return found


def _joined(trials: Sequence[Measured]) -> Measured:
    """The measurements of all trials, one after the other in time."""
    times, end = [], 0.0
    for one in trials:
        times.append(one.times if len(trials) == 1 else one.times - one.times[0] + end)
        end = float(times[-1][-1]) + float(one.times[-1] - one.times[0]) / max(len(one.times) - 1, 1)
    return Measured(np.concatenate(times), np.concatenate([one.values for one in trials]), trials[0].columns)


def _best_start(motion: FittedMotion, first: np.ndarray, count: int, cost: Callable[[np.ndarray], float]) -> np.ndarray:
    """Of the first point and ``count`` more, the one whose runs are nearest to the measurements; runs that fail do not count."""
    from scipy.stats import qmc

    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"the search has {count!r} points; it must be a whole number, at least 1.")
    drawn = qmc.Sobol(len(first), seed=0).random_base2(math.ceil(math.log2(count)))[:count]
    best, least = first, math.inf
    for point in [first, *drawn]:
        try:
            value = cost(point)
        except RunError:
            continue
        best, least = (point, value) if value < least else (best, least)
    return np.asarray(best)


def _noise(data: Measured, noise: Mapping[str, float]) -> np.ndarray:
    for name in noise:
        if name not in data.columns:
            raise InputError(f"there is a noise of '{name}', which is not measured; columns are {', '.join(data.columns)}.")
    spread = np.ptp(data.values, axis=0)
    found = [noise.get(name, spread[k] or 1.0) for k, name in enumerate(data.columns)]
    if not all(x > 0.0 for x in found):
        raise InputError("the noise of a column is not positive; give its standard deviation.")
    return np.array(found, dtype=float)
