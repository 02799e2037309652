"""The runs of one task: scenario by scenario, each with its numbers, or with the sentence that says why there are none."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError, LocodynError
from locodyn.sim import Result, Scenario
from locodyn.sim.bare_run import BareRun, bare_run
from locodyn.sim.lending import lend
from locodyn.study.metrics import Metric, MetricLike, metric_of, not_a_number, variables
from locodyn.study.subject import Subject
from locodyn.zoo.remembered import remembering

PENDING, COMPLETED, FAILED = range(3)
Series = dict[str, tuple[np.ndarray, dict[str, list[Any]]]]


@dataclass(frozen=True, eq=False)
class Job:
    """What all runs of a study share; it is what travels to other processes.

    ``metrics`` {name: metric}; ``cycle`` s; ``series``: names of variables of which ``samples`` records are kept.
    """

    subject: Subject
    metrics: Mapping[str, MetricLike]
    cycle: float | None = None
    series: tuple[str, ...] = ()
    samples: int = 101

    def __post_init__(self) -> None:
        if self.cycle is not None and not 0.0 < self.cycle < float("inf"):
            raise InputError(f"the cycle is {self.cycle!r} s; it must be a positive time.")

    def resolved(self) -> list[Metric]:
        """The metrics in their order."""
        return [metric_of(given, name) for name, given in self.metrics.items()]


@dataclass(eq=False)
class Outcome:
    """What the runs of a task gave.

    ``status`` (k,), ``messages``, ``numbers`` (k, metrics), ``series`` {name: (k, samples, ...)},
    ``labels`` {name: {dimension: labels}} of the series after their samples.
    """

    status: np.ndarray
    messages: list[str]
    numbers: np.ndarray
    series: dict[str, np.ndarray] = field(default_factory=dict)
    labels: dict[str, dict[str, list[Any]]] = field(default_factory=dict)


def run_task(job: Job, rows: Sequence[Mapping[str, Any]]) -> Outcome:
    """The runs with these parameters, one after the other."""
    runner = Runner(job)
    with remembering():
        found = [runner.run(row) for row in rows]
    status, messages, numbers, kept = zip(*found, strict=True)
    rows_of = np.array(numbers).reshape(len(rows), len(runner.metrics))
    series = [{name: values for name, (values, _) in one.items()} for one in kept]
    labels = {name: about for one in kept for name, (_, about) in one.items()}
    return Outcome(np.array(status, dtype=np.int8), list(messages), rows_of, _stacked(series), labels)


class Runner:
    """Makes the runs of a task; those that are plain take turns in the arrays of one robot (:mod:`locodyn.sim.lending`)."""

    def __init__(self, job: Job) -> None:
        self.job, self.metrics = job, job.resolved()
        self._lender: Scenario | None = None

    def run(self, values: Mapping[str, Any]) -> tuple[int, str, np.ndarray, Series]:
        """Status, message, numbers (metrics,) and series {name: ((samples, ...), labels)} of one run."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                scenario = self.job.subject.scenario(values)
                result = self._result(scenario)
                if isinstance(result, Result) and result.status.startswith("interrupted"):
                    raise KeyboardInterrupt
                if isinstance(result, Result) and result.failed:
                    return FAILED, result.status.removeprefix("failed: "), not_a_number(self.metrics), {}
                numbers = np.array([_number(metric, scenario, result, self.job.cycle) for metric in self.metrics])
            except LocodynError as error:
                return FAILED, str(error), not_a_number(self.metrics), {}
            except Exception as error:  # of a user's function, or a defect: the study goes on and says so
                return FAILED, f"unexpected {type(error).__name__}: {error}", not_a_number(self.metrics), {}
        told = [str(one.message) for one in said if issubclass(one.category, UserWarning)]
        series = _sampled(self.job, result) if isinstance(result, Result) else {}
        return COMPLETED, told[0] if told else "", numbers, series

    def _result(self, scenario: Scenario) -> Result | BareRun | None:
        """The run, with what is needed of it on record; None where all metrics do without one."""
        of_runs = [metric for metric in self.metrics if metric.of_run is not None]
        wanted = variables(self.metrics)
        is_bare = bool(of_runs and wanted and not self.job.series)
        lender, self._lender = self._lender, None  # arrays in which a run went wrong are not lent again
        if is_bare and lender is not None:
            lend(lender, scenario)
        for metric in self.metrics:
            metric.check(scenario, self.job.cycle)
        if not of_runs and not self.job.series:
            return None
        if is_bare:
            bare = bare_run(scenario, wanted, ends=all(metric.ends for metric in of_runs))
            if bare is not None:
                self._lender = scenario
                return bare
        record = tuple(dict.fromkeys((*wanted, *self.job.series))) if wanted else ()
        return (scenario.changed(record=record) if record != scenario.recording.record else scenario).run(progress=False)


def _number(metric: Metric, scenario: Scenario, result: Result | BareRun | None, cycle: float | None) -> float:
    if metric.of_scenario is not None:
        return float(metric.of_scenario(scenario))
    assert metric.of_run is not None and result is not None
    return float(metric.of_run(result, cycle))


def _sampled(job: Job, result: Result) -> Series:
    """Evenly spaced records of the series, and their times."""
    if not job.series:
        return {}
    times = result.time.values
    places = np.rint(np.linspace(0, len(times) - 1, job.samples)).astype(int)
    kept: Series = {"time": (times[places], {})}
    for name in job.series:
        if name in result.dataset:
            found = result.dataset[name]
            labels = {str(dim): found[dim].values.tolist() if dim in found.coords else [] for dim in found.dims[1:]}
            kept[name] = np.asarray(found.values[places], dtype=float), labels
    return kept


def _stacked(kept: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Series of all runs of a task, NaN where a run has none, or one of another shape."""
    shapes = {name: values.shape for one in kept for name, values in one.items()}
    found = {}
    for name, shape in shapes.items():
        nothing = np.full(shape, np.nan)
        found[name] = np.array([one[name] if name in one and one[name].shape == shape else nothing for one in kept])
    return found
