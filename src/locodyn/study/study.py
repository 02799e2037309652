"""Many runs of one scenario with other parameters: which, what is kept of them, where they are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from locodyn.errors import InputError, LocodynError
from locodyn.sim import Scenario
from locodyn.sim.interrupts import telling
from locodyn.study import backends, dask_workers
from locodyn.study.axes import Range
from locodyn.study.design import GRID, LIST, Design, design, table
from locodyn.study.metrics import MetricLike, metric_of, named
from locodyn.study.one_run import Job
from locodyn.study.store import INDEX, RUN, StudyStore, chunk_of
from locodyn.study.study_progress import StudyProgress
from locodyn.study.study_result import StudyResult
from locodyn.study.subject import Maker, Subject, fingerprint

Varied = str | Range | float | Sequence[Any]
_TRIES = 8  # scenarios that are made to see whether a study is possible at all


class Study:
    """Runs of a scenario over parameters, with a few numbers (metrics) kept of each.

    Parameters
    ----------
    source : str, Scenario or function
        A name of the zoo, a file (yaml, urdf, xml), ``file.py:function``, a scenario, or a function of the parameters that
        gives one. What is derived from parameters (inertias of shapes, sections of rods) follows them in each run.
    vary : {name: values}
        Parameters of the zoo's table, keys of a scenario file (``drives.imposed.rotor.sine.omega``), parameters of the robot
        (``board.mass``), ``start.NAME``, ``start_velocity.NAME``, ``t_end`` or ``dt``. Values: a text such as ``"10..60:11deg"``,
        ``"0.1,0.2 m"``, ``"A,B"``; a sequence; or a :class:`Range`. Or the name of a CSV file with a column for each parameter.
    metrics : names, functions of the result, or {name: either}
        See :data:`~locodyn.study.metrics.METRICS`.
    settings : {name: value}
        Parameters that all runs share.
    design : ``grid``, ``list``, ``random``, ``latin`` or ``sobol``; the last three take ``samples`` and ``seed``
    cycle : s
        Length of a cycle, for metrics per cycle; by default the period of the drive.
    series : names of variables
        Time series that are kept too, ``series_samples`` records of each run. All have the shapes and labels of the first run
        that is completed; of a run with others they are NaN, and its message says so.

    >>> import locodyn as ld
    >>> study = ld.study.Study("chaplygin_sleigh", {"a": "0.1..0.3:3"}, ["speed"])
    >>> found = study.run(progress=False)
    >>> found.dataset["speed"].dims
    ('a',)
    """

    def __init__(
        self,
        source: str | Scenario | Maker,
        vary: Mapping[str, Varied] | str | Path,
        metrics: Sequence[MetricLike] | Mapping[str, MetricLike],
        *,
        settings: Mapping[str, object] | None = None,
        design: str = GRID,
        samples: int | None = None,
        seed: int = 0,
        cycle: float | None = None,
        series: Sequence[str] = (),
        series_samples: int = 101,
    ) -> None:
        self.subject = Subject(source, dict(settings or {}))
        self.kind, self.samples, self.seed = design, samples, seed
        chosen = named([metrics] if isinstance(metrics, str) else metrics)
        self.job = Job(self.subject, chosen, cycle, _variables(series), series_samples)
        self.design = self._design(vary)
        self._check_columns()

    def _design(self, vary: Mapping[str, Varied] | str | Path) -> Design:
        if isinstance(vary, Mapping):
            kind, columns = self.kind, dict(vary)
        else:
            if self.kind not in (GRID, LIST):
                raise InputError(f"a table says its runs itself; leave the design '{self.kind}' out.")
            kind, columns = LIST, dict(table(vary))
        axes = [self.subject.axis(name, values) for name, values in columns.items()]
        return design(axes, kind, self.samples, self.seed)

    def _check_columns(self) -> None:
        taken = {*self.job.metrics, *self.job.series, *INDEX, RUN}
        for name in self.design.columns:
            if name in taken:
                raise InputError(f"'{name}' is the name of a parameter and of what is kept of a run; name the metric otherwise.")

    def __len__(self) -> int:
        return len(self.design)

    def __repr__(self) -> str:
        return (
            f"Study({self.subject.name}: {len(self)} runs over {', '.join(self.design.columns)}; {', '.join(self.job.metrics)})"
        )

    def scenario(self, run: int) -> Scenario:
        """The scenario of one run."""
        return self.subject.scenario(self.design.row(run))

    def definition(self) -> dict[str, Any]:
        """What makes the study what it is, for the store: two studies with the same one have the same numbers."""
        from locodyn import __version__

        about = [metric_of(metric, name) for name, metric in self.job.metrics.items()]
        words = [metric if isinstance(metric, str) else "" for metric in self.job.metrics.values()]
        return {
            "source": self.subject.word,
            "name": self.subject.name,
            "settings": dict(self.subject.settings),
            "design": self.kind,
            "units": dict(self.design.units),
            "shape": list(self.design.shape),
            "metrics": [
                {"name": name, "unit": one.unit, "meaning": one.meaning, "source": word}
                for name, one, word in zip(self.job.metrics, about, words, strict=True)
            ],
            "cycle": self.job.cycle,
            "series": list(self.job.series),
            "series_samples": self.job.samples,
            "runs": len(self),
            "chunk": chunk_of(len(self)),
            "first": self._checked(),
            "version": __version__,
        }

    def _checked(self) -> str:
        """Fingerprint of the first scenario that can be made; the sentence of the first one where none can."""
        first: LocodynError | None = None
        for run in sorted({round(k * (len(self) - 1) / max(_TRIES - 1, 1)) for k in range(_TRIES)}):
            try:
                scenario = self.scenario(run)
            except LocodynError as error:
                first = first or error
                continue
            for metric in self.job.resolved():
                metric.check(scenario, self.job.cycle)
            return fingerprint(scenario)
        assert first is not None
        raise first

    def run(
        self,
        out: str | Path | None = None,
        *,
        processes: int | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        progress: bool = True,
    ) -> StudyResult:
        """Compute what is not there yet.

        Parameters
        ----------
        out : folder.zarr
            Where the study is written while it goes on. Where it is there already and is the same study, it goes on.
        processes : int
            Of this machine; by default one for each core, or none where the study is short.
        workers : int
            So many Dask workers on this machine instead: processes of one thread each.
        cluster : str
            The address of a Dask scheduler, ``tcp://host:8786``, whose workers compute instead.
        progress : bool
            Whether a line shows rate and time left.
        """
        backends.leave_if_starting()
        backends.check_places(processes, workers, cluster)
        on_dask = workers is not None or cluster is not None
        with dask_workers.dask_client(workers, cluster) if on_dask else nullcontext() as client:
            store = self._store(None if out is None else Path(out))

            def kept() -> str:
                done = len(self) - store.counts()[0]
                return "" if out is None else f"'{out}' has {done} of {len(self)} runs, and goes on with the rest"

            shown = StudyProgress(self.subject.name, len(self), len(self) - store.counts()[0], progress)
            with telling(kept), shown as bar:
                for number, outcome in self._computed(store, client, processes):
                    store.write(number, outcome)
                    bar.add(len(outcome.status))
        return StudyResult(store, self.subject)

    def _computed(self, store: StudyStore, client: Any, processes: int | None) -> backends.Done:
        """Outcomes of the tasks that are not done, as they come.

        Where time series are kept, those of the first run that is completed, in the order of the study, say what all look
        like: until there is one, tasks go in turn.
        """
        left = store.pending()
        while left and self.job.series and store.layout() is None:
            yield from self._outcomes(store, [left.pop(0)], client, processes)
        yield from self._outcomes(store, left, client, processes)

    def _outcomes(self, store: StudyStore, numbers: list[int], client: Any, processes: int | None) -> backends.Done:
        """Of these tasks, as they come."""
        job = replace(self.job, layout=store.layout()) if self.job.series else self.job
        tasks = ((k, [self.design.row(run) for run in store.span(k)]) for k in numbers)
        if client is not None:
            yield from dask_workers.dask(job, tasks, client)
        else:
            yield from backends.local(job, tasks, len(numbers), processes)

    def _store(self, path: Path | None) -> StudyStore:
        definition = self.definition()
        if path is None or not path.exists():
            if path is not None:
                _check_folder(path)
            return StudyStore.create(path, definition, self.design.columns)
        store = StudyStore.open(path, "r+")
        own, wanted = store.definition, _plain(definition)
        others = [key for key in wanted if own.get(key) != wanted[key]]
        others += [name for name, values in self.design.columns.items() if not others and store.column(name) != _plain(values)]
        if others:
            raise InputError(
                f"'{path}' holds another study, of '{own['name']}' with {own['runs']} runs ('{others[0]}' differs); give another"
                " output, or remove it."
            )
        return store


def _plain(value: Any) -> Any:
    """As it comes back from JSON."""
    import json

    return json.loads(json.dumps(value))


def _variables(series: Sequence[str]) -> tuple[str, ...]:
    from locodyn.sim import Recording

    return Recording(record=tuple(series)).record


def _check_folder(path: Path) -> None:
    if path.suffix != ".zarr":
        raise InputError(f"the output '{path}' must end in .zarr: a study is a Zarr store.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the output '{path}' cannot be written: there is no folder '{path.parent}'.")
