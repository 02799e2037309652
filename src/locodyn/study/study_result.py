"""What a study gave: a labelled dataset, the best run, what failed and why; any run again as an ordinary result."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.study.one_run import ACCOUNT, STATUS
from locodyn.study.store import RUN, StudyStore
from locodyn.study.subject import Subject

if TYPE_CHECKING:
    import xarray

    from locodyn.sim import Result, Scenario

PATHS = ("mass_centre", "position")  # series that are paths, the first one first


@dataclass(frozen=True)
class Best:
    """A run with the largest or smallest value of a metric: its number, its parameters, the value."""

    run: int
    parameters: dict[str, Any]
    metric: str
    value: float


class StudyResult:
    """A study that was run, or is being run: ``dataset`` (xarray), ``best("speed")``, ``failures()``, ``result(run)``."""

    def __init__(self, store: StudyStore, subject: Subject | None = None) -> None:
        self.store = store
        about = store.definition
        self.subject = subject or (Subject(about["source"], about["settings"]) if about["source"] else None)

    @classmethod
    def load(cls, path: str | Path) -> StudyResult:
        """Open a study on disk; it may still be going on."""
        return cls(StudyStore.open(Path(path)))

    @property
    def definition(self) -> dict[str, Any]:
        """What was studied."""
        return self.store.definition

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what varies."""
        return tuple(self.definition["units"])

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.store.metrics)

    @cached_property
    def table(self) -> xarray.Dataset:
        """All runs along the dimension ``run``: parameters, metrics, ``status``, ``account`` (of energy) and ``message``."""
        import xarray

        group: Any = self.store.group
        units = self.definition["units"]
        coords = {name: (RUN, np.array(self.store.column(name)), {"units": units[name]}) for name in self.parameters}
        data: dict[str, Any] = {
            one["name"]: (RUN, np.asarray(group[one["name"]][:]), {"units": one["unit"], "long_name": one["meaning"]})
            for one in self.definition["metrics"]
        }
        data["status"] = (RUN, self.store.status, {"flag_meanings": "pending completed failed"})
        data["account"] = (RUN, self.store.accounts(), {"flag_meanings": "unwatched closes open"})
        data["message"] = (RUN, np.array(self.store.messages(), dtype=object))
        for name in self.definition["series"]:
            if name in group:
                array = group[name]
                dims = (RUN, "sample", *json.loads(str(array.attrs["labels"])))
                data[name] = (dims, np.asarray(array[:]))
        if "sample_time" in group:
            data["sample_time"] = ((RUN, "sample"), np.asarray(group["sample_time"][:]), {"units": "s"})
        found = xarray.Dataset(data, coords, {"source": self.definition["name"]})
        return found.assign_coords(self._labels(found))

    def _labels(self, found: xarray.Dataset) -> dict[str, Any]:
        group: Any = self.store.group
        labels = {}
        for name in self.definition["series"]:
            for dim, own in json.loads(str(group[name].attrs["labels"])).items() if name in group else ():
                if len(own) == found.sizes[dim]:
                    labels[dim] = own
        return labels

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """The study with a dimension for each parameter of a grid; the table of runs where it is no grid."""
        shape = self.definition["shape"]
        if not shape:
            return self.table
        import xarray

        names, flat = list(self.parameters), self.table
        axes = {}
        for k, name in enumerate(names):
            column = flat[name].values.reshape(shape)
            place: list[Any] = [0] * len(shape)
            place[k] = slice(None)
            axes[name] = (name, column[tuple(place)], flat[name].attrs)
        data = {
            str(name): ((*names, *one.dims[1:]), one.values.reshape(*shape, *one.shape[1:]), one.attrs)
            for name, one in flat.data_vars.items()
        }
        others = {str(name): one.variable for name, one in flat.coords.items() if name not in names}
        return xarray.Dataset(data, {**axes, **others}, flat.attrs)

    def column(self, metric: str) -> np.ndarray:
        """Values of a metric, (runs,); NaN where there is none."""
        if metric not in self.metrics:
            raise InputError(f"the study has no metric '{metric}'{nearest(metric, self.metrics)}")
        return np.asarray(self.table[metric].values)

    def best(self, metric: str, largest: bool = True) -> Best:
        """The run with the largest (or smallest) value of a metric."""
        values = self.column(metric)
        if not np.isfinite(values).any():
            raise InputError(f"no run of the study has a value of '{metric}'; see why in failures().")
        run = int(np.nanargmax(np.where(np.isfinite(values), values, np.nan) * (1.0 if largest else -1.0)))
        return Best(run, self.row(run), metric, float(values[run]))

    def row(self, run: int) -> dict[str, Any]:
        """The parameters of a run."""
        if not 0 <= run < self.store.runs:
            raise InputError(f"there is no run {run}; the study has runs 0 to {self.store.runs - 1}.")
        return {name: _item(self.table[name].values[run]) for name in self.parameters}

    def failures(self) -> dict[str, list[int]]:
        """The sentences with which runs failed, the most frequent first, and the numbers of those runs."""
        found: dict[str, list[int]] = {}
        for run in np.flatnonzero(self.table["status"].values == STATUS.failed):
            found.setdefault(str(self.table["message"].values[run]), []).append(int(run))
        order = Counter({sentence: len(runs) for sentence, runs in found.items()})
        return {sentence: found[sentence] for sentence, _ in order.most_common()}

    def remarks(self, account_open: bool = False) -> dict[int, str]:
        """What completed runs warned of; ``account_open``: those of them only whose energy account does not close."""
        done, messages = self.table["status"].values == STATUS.completed, self.table["message"].values
        if account_open:
            done = done & (self.table["account"].values == ACCOUNT.open)
        return {int(run): str(messages[run]) for run in np.flatnonzero(done) if messages[run]}

    @property
    def completed(self) -> int:
        """How many runs are completed."""
        return int((self.table["status"].values == STATUS.completed).sum())

    def scenario(self, run: int) -> Scenario:
        """The scenario of a run."""
        if self.subject is None:
            raise InputError("the scenario of this study was made in Python; make its Study again, and take study.scenario(run).")
        return self.subject.scenario(self.row(run))

    def result(self, run: int, progress: bool = False) -> Result:
        """A run computed again, with everything on record: for plots, reports and videos."""
        from locodyn.sim.run import run_through

        return run_through(self.scenario(run), progress=progress)

    def plot(self, path: str | Path, metrics: tuple[str, ...] = ()) -> Path:
        """Draw the metrics (default: all) into a file: curves, maps or parallel coordinates, as fits the design."""
        from locodyn.view.study_pictures import plot_study

        return plot_study(self, path, metrics)

    def plot_paths(self, path: str | Path) -> Path:
        """Draw the paths of the runs as small multiples; the study must keep the series ``mass_centre`` or ``position``."""
        from locodyn.view.study_paths import plot_paths

        return plot_paths(self, path)

    def report(self, path: str | Path, most: int | None = 24) -> Path:
        """Write one page with all runs as points, ``most`` (None: all) of which a click plays; they are computed again for it."""
        from locodyn.view.study_page import study_report

        return study_report(self, path, most)

    def __repr__(self) -> str:
        pending, completed, failed = self.store.counts()
        return f"StudyResult({self.definition['name']}: {completed} runs completed, {failed} failed, {pending} to be done)"


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
