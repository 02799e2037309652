"""The runs of one task: scenario by scenario, each with its numbers, or with the sentence that says why there are none."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from locodyn.errors import InputError, LocodynError
from locodyn.record import codes
from locodyn.sim import Result, Scenario
from locodyn.sim.bare_run import BareRun, bare_run
from locodyn.sim.energy_account import EnergyWarning
from locodyn.sim.lending import lend
from locodyn.sim.run import run_through
from locodyn.sim.shared_numbers import Brought
from locodyn.sim.shared_runs import SharedRuns, shared_runs
from locodyn.study.metrics import Metric, MetricLike, metric_of, not_a_number, variables
from locodyn.study.subject import Subject
from locodyn.zoo.remembered import remembering

STATUS = codes("pending", "completed", "failed")  # of a run
ACCOUNT = codes("unwatched", "closes", "open")  # of the energy of a run
Labels = dict[str, list[Any]]
Series = dict[str, tuple[np.ndarray, Labels]]
Layout = dict[str, tuple[tuple[int, ...], Labels]]
Found = tuple[int, str, np.ndarray, Series, int]
T = TypeVar("T")
_MISSES = 2  # runs of a task that do not go with those before them, until each goes alone


@dataclass(frozen=True, eq=False)
class Job:
    """What all runs of a study share; it is what travels to other processes.

    ``metrics`` {name: metric}; ``cycle`` s; ``series``: names of variables of which ``samples`` records are kept; ``layout``
    {name: (shape, labels)}: of the series of the first run that is completed, which all others must have; None before it.
    """

    subject: Subject
    metrics: Mapping[str, MetricLike]
    cycle: float | None = None
    series: tuple[str, ...] = ()
    samples: int = 101
    layout: Layout | None = None

    def __post_init__(self) -> None:
        if self.cycle is not None and not 0.0 < self.cycle < float("inf"):
            raise InputError(f"the cycle is {self.cycle!r} s; it must be a positive time.")

    def resolved(self) -> list[Metric]:
        """The metrics in their order."""
        return [metric_of(metric, name) for name, metric in self.metrics.items()]


@dataclass(eq=False)
class Outcome:
    """What the runs of a task gave.

    ``status`` (k,), ``messages``, ``numbers`` (k, metrics), ``series`` {name: (k, samples, ...)},
    ``labels`` {name: {dimension: labels}} of the series after their samples. ``account`` (k,): of their energies.
    """

    status: np.ndarray
    messages: list[str]
    numbers: np.ndarray
    account: np.ndarray
    series: dict[str, np.ndarray] = field(default_factory=dict)
    labels: dict[str, Labels] = field(default_factory=dict)

    @property
    def layout(self) -> Layout | None:
        """Shapes and labels of the series; None where no run has any."""
        return {name: (values.shape[1:], self.labels[name]) for name, values in self.series.items()} or None


def run_task(job: Job, rows: Sequence[Mapping[str, Any]]) -> Outcome:
    """The runs with these parameters, in their order."""
    runner = Runner(job)
    with remembering():
        found = runner.runs(rows)
    status, messages, numbers, kept, account = zip(*found, strict=True)
    rows_of = np.array(numbers).reshape(len(rows), len(runner.metrics))
    layout = job.layout or next((_layout(one) for one in kept if one), {})
    told = [message or _misfit(one, layout) for message, one in zip(messages, kept, strict=True)]
    labels = {name: about for name, (_, about) in layout.items()}
    code = np.int8
    return Outcome(np.array(status, code), told, rows_of, np.array(account, code), _stacked(kept, layout), labels)


class Runner:
    """Makes the runs of a task: in compiled calls where they differ in numbers only, one at a time where not.

    Plain ones that run alone take turns in the arrays of one robot (:mod:`locodyn.sim.lending`).
    """

    shared: ClassVar[SharedRuns | None] = None  # as of the last task of this process, which the next one mostly goes on with

    def __init__(self, job: Job) -> None:
        self.job, self.metrics = job, job.resolved()
        self._lender: Scenario | None = None
        self._wanted = variables(self.metrics)
        of_runs = [metric for metric in self.metrics if metric.of_run is not None]
        self._makes_runs = bool(of_runs or job.series)
        self._is_bare = bool(of_runs and self._wanted and not job.series)
        self._ends = all(metric.ends for metric in of_runs)

    def runs(self, rows: Sequence[Mapping[str, Any]]) -> list[Found]:
        """What :meth:`run` gives for each set of parameters."""
        found: dict[int, Found] = {}
        if self._is_bare and len(rows) > 1:
            self._run_together(rows, found)
        return [found[k] if k in found else self.run(row) for k, row in enumerate(rows)]

    def _run_together(self, rows: Sequence[Mapping[str, Any]], found: dict[int, Found]) -> None:
        """Make the runs that go in compiled calls. Those of which there is anything to say are left out."""
        shared, group, misses = self._shared_before(), Group(), 0
        for k, row in enumerate(rows):
            scenario = _quietly(partial(self.job.subject.scenario, row))
            if scenario is None:
                continue
            brought = None if shared is None else _quietly(partial(shared.numbers, scenario))
            if brought is None:
                misses += 1
                if misses > _MISSES:  # each run has a robot of its own
                    break
                self._fill(shared, group, found)
                shared = _quietly(partial(shared_runs, scenario.changed(), self._wanted, self._ends))
                group, Runner.shared = Group(), shared
                brought = None if shared is None else _quietly(partial(shared.numbers, scenario))
            if shared is not None and brought is not None:
                group.add(k, scenario, brought)
                if len(group) >= shared.fitting:
                    self._fill(shared, group, found)
                    group = Group()
        self._fill(shared, group, found)

    def _shared_before(self) -> SharedRuns | None:
        """How the runs of the task before went together, where they were asked for the same."""
        shared = Runner.shared
        return shared if shared is not None and (shared.variables, shared.ends) == (self._wanted, self._ends) else None

    def _fill(self, shared: SharedRuns | None, group: Group, found: dict[int, Found]) -> None:
        """Run a group, and put down what is sound."""
        if shared is None or not len(group):
            return
        for k, scenario, run in zip(group.places, group.scenarios, shared.run(group.scenarios, group.brought), strict=True):
            numbers = None if run is None else _quietly(partial(self._checked_numbers, scenario, run))
            if numbers is not None and np.isfinite(numbers).all():
                found[k] = STATUS.completed, "", numbers, {}, _account(run)

    def run(self, values: Mapping[str, Any]) -> Found:
        """Status, message, numbers (metrics,), series {name: ((samples, ...), labels)} and account of one run."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                scenario = self.job.subject.scenario(values)
                result = self._result(scenario)
                if isinstance(result, Result) and result.failed:
                    return self._failed(result.status.removeprefix("failed: "))
                numbers = self._numbers(scenario, result)
            except LocodynError as error:
                return self._failed(str(error))
            except Exception as error:  # of a user's function, or a defect: the study goes on and says so
                return self._failed(f"unexpected {type(error).__name__}: {error}")
        told = [str(one.message) for one in said if issubclass(one.category, EnergyWarning)]
        account = ACCOUNT.open if told else _account(result)
        told += [str(one.message) for one in said if issubclass(one.category, UserWarning)]
        told += [
            f"the metric '{metric.name}' of this run is {number}, not a finite number."
            for metric, number in zip(self.metrics, numbers, strict=True)
            if not np.isfinite(number)
        ]
        series = _sampled(self.job, result) if isinstance(result, Result) else {}
        return STATUS.completed, told[0] if told else "", numbers, series, account

    def _failed(self, sentence: str) -> Found:
        return STATUS.failed, sentence, not_a_number(self.metrics), {}, ACCOUNT.unwatched

    def _result(self, scenario: Scenario) -> Result | BareRun | None:
        """The run, with what is needed of it on record; None where all metrics do without one."""
        lender, self._lender = self._lender, None  # arrays in which a run went wrong are not lent again
        if self._is_bare and lender is not None:
            lend(lender, scenario)
        for metric in self.metrics:
            metric.check(scenario, self.job.cycle)
        if not self._makes_runs:
            return None
        if self._is_bare:
            bare = bare_run(scenario, self._wanted, ends=self._ends)
            if bare is not None:
                self._lender = scenario
                return bare
        record = tuple(dict.fromkeys((*self._wanted, *self.job.series))) if self._wanted else ()
        return run_through(scenario.changed(record=record) if record != scenario.recording.record else scenario, progress=False)

    def _checked_numbers(self, scenario: Scenario, run: BareRun) -> np.ndarray:
        """As :meth:`_numbers`, of a scenario that has not been asked whether it has them."""
        for metric in self.metrics:
            metric.check(scenario, self.job.cycle)
        return self._numbers(scenario, run)

    def _numbers(self, scenario: Scenario, run: Result | BareRun | None) -> np.ndarray:
        """The metrics (n,) of a run."""
        return np.array([_number(metric, scenario, run, self.job.cycle) for metric in self.metrics])


@dataclass
class Group:
    """Runs that go in one compiled call: their numbers in the task, scenarios, and what each brings to the call."""

    places: list[int] = field(default_factory=list)
    scenarios: list[Scenario] = field(default_factory=list)
    brought: list[Brought] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.places)

    def add(self, place: int, scenario: Scenario, brought: Brought) -> None:
        """One more run."""
        self.places.append(place)
        self.scenarios.append(scenario)
        self.brought.append(brought)


def _quietly(make: Callable[[], T | None]) -> T | None:
    """What a function gives; None where it has anything to say: the run alone, in full, says it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return make()
        except Exception:
            return None


def _number(metric: Metric, scenario: Scenario, result: Result | BareRun | None, cycle: float | None) -> float:
    if metric.of_scenario is not None:
        return float(metric.of_scenario(scenario))
    assert metric.of_run is not None and result is not None
    return float(metric.of_run(result, cycle))


def _account(result: Result | BareRun | None) -> int:
    """Of a run that has not said that it does not close."""
    watched = result.watched if isinstance(result, BareRun) else result is not None and "energy_defect" in result.attributes
    return int(ACCOUNT.closes if watched else ACCOUNT.unwatched)


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


def _layout(series: Series) -> Layout:
    """Shapes and labels of the series of a run."""
    return {name: (values.shape, labels) for name, (values, labels) in series.items()}


def _misfit(series: Series, layout: Layout) -> str:
    """Why series of a run are not kept; empty where all are."""
    own = _layout(series)
    others = [name for name in {**layout, **own} if own.get(name) != layout.get(name)] if own else []
    if not others:
        return ""
    words = ", ".join(f"'{name}'" for name in others)
    return f"series of this run are not kept ({words}): it has others than the first completed run of the study, or other labels."


def _stacked(kept: Sequence[Series], layout: Layout) -> dict[str, np.ndarray]:
    """Series of all runs of a task, NaN where a run has none, or one of another shape or with other labels."""
    found = {name: np.full((len(kept), *shape), np.nan) for name, (shape, _) in layout.items()}
    for k, series in enumerate(kept):
        own = _layout(series)
        for name in (name for name in own if own[name] == layout.get(name)):
            found[name][k] = series[name][0]
    return found
