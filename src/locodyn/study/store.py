"""A study on disk: a Zarr store (version 3) that xarray opens, filled task by task, and complete at any time.

Along the dimension ``run`` it has the index of the runs (a column of each parameter, ``status``, ``account``, ``message``),
a variable for each metric, and the time series that were asked for. A task is a chunk of runs, and a chunk of each array:
writing one touches no other. Its ``status`` is written last, each file by a rename: what was half written when the process
died counts as not done.
No clock, host or number of workers is in the store, so that two studies of the same definition are the same bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.study.one_run import ACCOUNT, STATUS, Labels, Layout, Outcome

if TYPE_CHECKING:
    import zarr

FORMAT = 1
MESSAGE = 320  # bytes of a sentence
RUN = "run"
INDEX = ("status", "account", "message")
_TIME, _LABELS = "sample_time", "labels"  # the array of the times of series; what tells arrays of series from others
_WORDS = "flag_meanings"


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise InputError("a study needs Zarr, which is not installed; install locodyn[studies].") from None
    return zarr


def chunk_of(runs: int) -> int:
    """Runs of a task: enough to keep a process busy for a while, few enough for all processes to have work to the end."""
    return max(1, min(64, runs // 32))


class StudyStore:
    """The arrays of a study, on disk, or in memory where there is no path."""

    def __init__(self, group: zarr.Group, path: Path | None) -> None:
        self.group, self.path = group, path
        self.definition: dict[str, Any] = json.loads(str(group.attrs["definition"]))
        self.runs, self.chunk = int(self.definition["runs"]), int(self.definition["chunk"])
        self.metrics: list[str] = [one["name"] for one in self.definition["metrics"]]
        self._has_account = "account" in group  # stores of earlier versions have none
        self._arrays: dict[str, Any] = {}  # that were written to: to find one takes as long as to write a task into it

    @classmethod
    def create(cls, path: Path | None, definition: Mapping[str, Any], columns: Mapping[str, list[Any]]) -> StudyStore:
        """A store with all runs to be done; a folder that is there when it is whole."""
        zarr = _zarr()
        if path is None:
            group = zarr.create_group(zarr.storage.MemoryStore(), zarr_format=3)
            _fill(group, definition, columns)
            return cls(group, None)
        made = Path(tempfile.mkdtemp(dir=path.absolute().parent, prefix=f".{path.name}-"))
        try:
            _fill(zarr.create_group(made, zarr_format=3), definition, columns)
            os.chmod(made, 0o755)
            os.rename(made, path)
        except OSError as error:
            raise InputError(f"the study cannot be written to '{path}' ({error.strerror or error}).") from None
        finally:
            shutil.rmtree(made, ignore_errors=True)
        return cls(zarr.open_group(path, mode="r+"), path)

    @classmethod
    def open(cls, path: Path, mode: str = "r") -> StudyStore:
        """A store that is there."""
        zarr = _zarr()
        if not path.exists():
            raise InputError(f"there is no study '{path}'.")
        try:
            group = zarr.open_group(path, mode="r+" if mode == "r+" else "r", zarr_format=3)
            layout = int(str(group.attrs["locodyn_study"]))
        except Exception:  # of Zarr, according to what is missing
            raise InputError(f"'{path}' is not a study; give a folder that a study was written to.") from None
        if layout != FORMAT:
            words = (
                "was written by a newer locodyn; update locodyn to read it"
                if layout > FORMAT
                else "has an old layout; run it again"
            )
            raise InputError(f"the study '{path}' {words} (layout {layout}, this version reads {FORMAT}).")
        if mode == "r+":  # one process writes to a store: what another has begun to write was killed
            for orphan in path.rglob("*.partial"):
                orphan.unlink(missing_ok=True)
        return cls(group, path)

    @property
    def status(self) -> np.ndarray:
        """0 to be done, 1 completed, 2 failed, (runs,)."""
        return np.asarray(self.group["status"][:])  # type: ignore[index]  # an array, not a group

    def pending(self) -> list[int]:
        """Numbers of the tasks that are not done."""
        done = self.status != STATUS.pending
        return [k for k in range(-(-self.runs // self.chunk)) if not done[k * self.chunk : (k + 1) * self.chunk].all()]

    def span(self, task: int) -> range:
        """The runs of a task."""
        return range(task * self.chunk, min((task + 1) * self.chunk, self.runs))

    def write(self, task: int, outcome: Outcome) -> None:
        """Put the outcome of a task in its place."""
        span = self.span(task)
        region = slice(span.start, span.stop)
        try:
            for k, name in enumerate(self.metrics):
                self._array(name)[region] = outcome.numbers[:, k]
            for name in sorted(outcome.series, key=lambda name: (name == "time", name)):
                values = outcome.series[name]
                self._series(name, values.shape[1:], outcome.labels[name])[region] = values
            if self._has_account:
                self._array("account")[region] = outcome.account
            if any(outcome.messages):
                self._array("message")[region] = _encoded(outcome.messages)
            self._array("status")[region] = outcome.status
        except OSError as error:
            kept = int((self.status != STATUS.pending).sum())
            raise InputError(
                f"the study '{self.path}' cannot be written ({error.strerror or error}); {kept} of {self.runs} runs are kept:"
                " make room and run the same study again to go on."
            ) from None

    def _array(self, name: str) -> Any:
        """An array of the store."""
        if name not in self._arrays:
            self._arrays[name] = self.group[name]
        return self._arrays[name]

    def layout(self) -> Layout | None:
        """Shapes and labels of the time series, as of the first run that is completed; None while there is none."""
        if _TIME not in self.group:  # the last one that is made
            return None
        found = {}
        for own in sorted(name for name, array in self.group.arrays() if _LABELS in array.attrs):
            array: Any = self.group[own]
            found["time" if own == _TIME else own] = tuple(array.shape[1:]), json.loads(str(array.attrs[_LABELS]))
        return found

    def _series(self, name: str, shape: tuple[int, ...], labels: Labels) -> Any:
        """The array of a time series, made when the first run is completed."""
        own = _TIME if name == "time" else name
        if own in self.group:
            return self._array(own)
        return self.group.create_array(
            own,
            shape=(self.runs, *shape),
            chunks=(self.chunk, *shape),
            dtype="float64",
            fill_value=np.nan,
            dimension_names=[RUN, "sample", *labels],
            attributes={_LABELS: json.dumps(labels), "units": "s" if name == "time" else ""},
        )

    def messages(self) -> list[str]:
        """The sentence of each run; empty of one that has nothing to say."""
        raw = np.asarray(self.group["message"][:], dtype=np.uint8)  # type: ignore[index]  # an array, not a group
        return [row.tobytes().rstrip(b"\0").decode("utf-8", "ignore") for row in raw]

    def column(self, name: str) -> list[Any]:
        """Values of a parameter, one of each run."""
        array: Any = self.group[name]
        values = np.asarray(array[:])
        if _WORDS in array.attrs:
            words = json.loads(str(array.attrs[_WORDS]))
            return [words[int(k)] for k in values]
        return [x.item() for x in values]

    def accounts(self) -> np.ndarray:
        """Of the energy of each run, by the codes ``ACCOUNT`` (runs,)."""
        if not self._has_account:
            return np.full(self.runs, ACCOUNT.unwatched, dtype=np.int8)
        return np.asarray(self.group["account"][:])  # type: ignore[index]  # an array, not a group

    def counts(self) -> tuple[int, int, int]:
        """How many runs are to be done, completed, failed."""
        status = self.status
        return tuple(int((status == code).sum()) for code in (STATUS.pending, STATUS.completed, STATUS.failed))  # type: ignore[return-value]  # three


def _fill(group: zarr.Group, definition: Mapping[str, Any], columns: Mapping[str, list[Any]]) -> None:
    runs, chunk = int(definition["runs"]), int(definition["chunk"])
    group.attrs.update({"locodyn_study": FORMAT, "definition": json.dumps(definition)})

    def add(name: str, dtype: str, fill: Any, attributes: dict[str, Any], more: tuple[tuple[str, int], ...] = ()) -> Any:
        sizes, dims = [size for _, size in more], [dim for dim, _ in more]
        return group.create_array(
            name, shape=(runs, *sizes), chunks=(chunk, *sizes), dtype=dtype, fill_value=fill, dimension_names=[RUN, *dims],
            attributes=attributes,
        )  # fmt: skip

    for metric in definition["metrics"]:
        add(metric["name"], "float64", np.nan, {"units": metric["unit"], "long_name": metric["meaning"]})
    add("status", "int8", STATUS.pending, {_WORDS: "pending completed failed", "long_name": "how far a run is"})
    watched = {_WORDS: "unwatched closes open", "long_name": "whether the energy account of a run closes"}
    add("account", "int8", ACCOUNT.unwatched, watched)
    add("message", "uint8", 0, {"long_name": "why a run failed, or what it warned of; UTF-8"}, (("byte", MESSAGE),))
    for name, values in columns.items():
        about = {"units": definition["units"][name], "long_name": f"parameter {name}"}
        numbers, words = _coded(values)
        whole = group.create_array(
            name, shape=(runs,), chunks=(runs,), dtype=str(numbers.dtype), dimension_names=[RUN],
            attributes=about | ({_WORDS: json.dumps(words)} if words else {}),
        )  # fmt: skip
        whole[:] = numbers


def _coded(values: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Numbers as they are; words and lists by their number in a list of them."""
    if all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in values):
        return np.array(values), []
    words = list(dict.fromkeys(json.dumps(x) for x in values))
    return np.array([words.index(json.dumps(x)) for x in values]), [json.loads(word) for word in words]


def _encoded(messages: list[str]) -> np.ndarray:
    rows = np.zeros((len(messages), MESSAGE), dtype=np.uint8)
    for k, message in enumerate(messages):
        raw = message.encode()[:MESSAGE]
        rows[k, : len(raw)] = np.frombuffer(raw, dtype=np.uint8)
    return rows
