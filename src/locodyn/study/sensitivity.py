"""How metrics depend on parameters: slopes at one place, and shares of their variance over ranges (Sobol indices)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from locodyn.errors import InputError, RunError
from locodyn.study.axes import Range
from locodyn.study.backends import Places
from locodyn.study.metrics import MetricLike
from locodyn.study.searches import missing
from locodyn.study.study import Study
from locodyn.study.subject import Maker, Subject

if TYPE_CHECKING:
    import xarray

    from locodyn.sim import Scenario


def local_sensitivity(
    source: str | Scenario | Maker,
    at: Mapping[str, float],
    metrics: Sequence[MetricLike] | Mapping[str, MetricLike],
    *,
    step: float = 1e-3,
    settings: Mapping[str, object] | None = None,
    cycle: float | None = None,
) -> xarray.Dataset:
    """Slopes of metrics by parameters, by central differences of order 4.

    Parameters
    ----------
    source, metrics, settings, cycle : as of :class:`Study`
    at : {parameter: value}
        Where, in the unit of each parameter.
    step : of the differences, relative to the value (absolute where it is 0)

    Returns
    -------
    Dataset along ``parameter``: the slope of each metric, and ``relative_NAME``, the change of the metric in percent for one
    percent of the parameter; ``value_NAME`` at the place itself.
    """
    import xarray

    steps = {name: step * (abs(value) or 1.0) for name, value in at.items()}
    rows = [dict(at)]
    for name in at:
        rows += [{**at, name: at[name] + k * steps[name]} for k in (-2, -1, 1, 2)]
    columns = {name: [row[name] for row in rows] for name in at}
    found = Study(source, columns, metrics, settings=settings, design="list", cycle=cycle).run(progress=False)
    data: dict[str, Any] = {}
    for metric in found.metrics:
        values = found.column(metric)
        if not np.isfinite(values).all():
            why = next(iter(found.failures()), "it is not a number there")
            raise RunError(f"'{metric}' has no slope at this place: {why}")
        parts = values[1:].reshape(len(at), 4)
        # Fornberg (1988), table 1: (f(-2) - 8 f(-1) + 8 f(1) - f(2)) / 12 h
        slope = (parts @ np.array([1.0, -8.0, 8.0, -1.0])) / (12.0 * np.array(list(steps.values())))
        data[metric] = ("parameter", slope)
        data[f"value_{metric}"] = float(values[0])
        if values[0]:
            data[f"relative_{metric}"] = ("parameter", slope * np.array(list(at.values())) / values[0])
    return xarray.Dataset(data, {"parameter": list(at)})


def sobol_indices(
    source: str | Scenario | Maker,
    over: Mapping[str, str | Range],
    metrics: Sequence[MetricLike] | Mapping[str, MetricLike],
    *,
    samples: int = 128,
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    cycle: float | None = None,
    out: str | Path | None = None,
    progress: bool = True,
    **places: Unpack[Places],
) -> xarray.Dataset:
    """First-order and total Sobol indices (Saltelli et al. 2010), by SALib; ``samples`` (n + 2) runs, n parameters.

    Parameters
    ----------
    source, metrics, settings, cycle : as of :class:`Study`
    out, progress, places (processes, workers, cluster) : as of :meth:`Study.run`
    over : {parameter: range}
        Evenly distributed in each range.
    samples : a power of two

    Returns
    -------
    Dataset along ``parameter``: ``first_NAME`` and ``total_NAME`` of each metric, with the half widths ``first_error_NAME`` and
    ``total_error_NAME`` of their 95 % confidence intervals.
    """
    try:
        from SALib.analyze import sobol as analysis
        from SALib.sample import sobol as sampling
    except ImportError:
        raise missing("SALib") from None
    import xarray

    if samples < 2 or samples & (samples - 1):
        raise InputError(f"there are {samples} samples; their number must be a power of two, such as 128.")
    subject = Subject(source, dict(settings or {}))
    axes = [subject.interval(name, interval, also_whole=True) for name, interval in over.items()]
    problem = {"num_vars": len(axes), "names": list(over), "bounds": [[0.0, 1.0]] * len(axes)}
    shares = sampling.sample(problem, samples, calc_second_order=False, seed=seed)
    columns = {axis.name: axis.sampled(shares[:, k]) for k, axis in enumerate(axes)}
    study = Study(source, columns, metrics, settings=settings, design="list", cycle=cycle)
    found = study.run(out, progress=progress, **places)
    data: dict[str, Any] = {}
    for metric in found.metrics:
        values = found.column(metric)
        if not np.isfinite(values).all():
            sentence = next(iter(found.failures()), "its value is not finite")
            lost = f"{int((~np.isfinite(values)).sum())} of {len(values)}"
            raise RunError(f"{lost} runs have no '{metric}' ({sentence.rstrip('.')}); narrow the ranges.")
        told = analysis.analyze(problem, values, calc_second_order=False, seed=seed, print_to_console=False)
        for word, key in (("first", "S1"), ("total", "ST")):
            data[f"{word}_{metric}"] = ("parameter", np.asarray(told[key]))
            data[f"{word}_error_{metric}"] = ("parameter", np.asarray(told[f"{key}_conf"]))
    return xarray.Dataset(data, {"parameter": list(over)})
