"""The stretches of a run: kept in memory, and on disk where the run has an output and takes long; joined at its end.

A run that goes on for longer than a few seconds, or has more records than fit into a stretch, is recorded stretch by stretch. So
its memory is bounded, and whatever stops it leaves all stretches but the last one in :mod:`locodyn.sim.part_file`.
"""

from __future__ import annotations

import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.sim.dataset import concatenated, no_sum, with_variables
from locodyn.sim.ledger import Ledger
from locodyn.sim.part_file import Frame, PartFile, part_of
from locodyn.sim.store import beside, check_writable, moved, room_for, save_dataset

if TYPE_CHECKING:
    import xarray

SECONDS = 5.0  # s of computing in a stretch, about
BYTES = 8e6  # of records in a stretch, about
IN_MEMORY = 64e6  # bytes of a result that is given back in memory; a larger one stays on disk and is read where it is looked at
_ROWS = 4096  # records in a piece of a NetCDF file that is compressed by itself
FEWEST, FIRST, MOST = 16, 2000, 100_000  # records in a stretch


class Pace:
    """How many records the next stretch has at most, and when it is long enough."""

    def __init__(self) -> None:
        self.most = FIRST
        self._began = time.perf_counter()

    def begin(self) -> None:
        """A stretch begins."""
        self._began = time.perf_counter()

    def is_over(self, records: int) -> bool:
        """Whether a stretch with so many records pauses here."""
        return records >= self.most or (records >= FEWEST and time.perf_counter() - self._began > SECONDS)

    def learn(self, stretch: xarray.Dataset) -> None:
        """From the size of a stretch that is over."""
        size = stretch.nbytes / max(1, stretch.sizes["time"])
        self.most = int(np.clip(BYTES / max(size, 1.0), FEWEST, MOST))


class Stretches:
    """What a run has recorded so far.

    ``out``: the file of the result, or None. ``before``: a run that this one goes on with; where it is in a part file, that one
    goes on too.
    """

    def __init__(self, out: Path | None, before: xarray.Dataset | None = None, part: PartFile | None = None) -> None:
        self.out, self.part = out, part
        self._waiting = [] if before is None or part is not None else [before]  # those that are in no file yet
        self._held: list[xarray.Dataset] | None = [] if part is None else None  # those in the part file, as long as they are few
        self.last = before
        self.q: list[np.ndarray] = []
        self.v: list[np.ndarray] = []
        self.resumed = before is not None
        self.ledger = Ledger()  # of a run that records some variables only; of a resumed one since it goes on
        self._merged: Path | None = None  # the file beside the output in which a large run is put together

    def add(self, stretch: xarray.Dataset, q: np.ndarray, v: np.ndarray) -> None:
        """The next stretch, in memory for now."""
        self._waiting.append(stretch)
        self.last = stretch
        self.q.append(q)
        self.v.append(v)

    def keep(self) -> None:
        """Put what waits on the disk: the run goes on."""
        if self.out is None:
            return
        if self.part is None:
            part = PartFile(part_of(self.out))
            part.begin()
            self.part = part
        for stretch in self._waiting:
            self.part.add(stretch)
        if self._held is not None:
            self._held += self._waiting
            self._held = self._held if sum(one.nbytes for one in self._held) <= IN_MEMORY else None
        self._waiting, self.q, self.v = [], [], []

    def told(self) -> str:
        """Where a run that is stopped at once is kept, and until when; nothing where no stretch is on disk."""
        if self.part is None or self.out is None or not self.part.path.exists():
            return ""
        frames = self.part.frames()
        if not frames:
            return ""
        reached = self.part.attributes(frames[-1])["resume_time"]
        return f"'{self.out}' opens with the run to t = {reached:g} s, and --resume goes on from there"

    def close(self) -> None:
        """Let go of the part file, whose stretches stay where the result was not saved."""
        if self.part is not None and self.part.path.exists() and not self.part.frames():
            self.part.remove()  # stopped before the first one was there
        elif self.part is not None:
            self.part.close()
        if self._merged is not None:
            self._merged.unlink(missing_ok=True)

    def whole(self) -> xarray.Dataset:
        """All of it as one dataset; of a run that is too large for memory one that is read from a file beside the output."""
        if self.part is None:
            return concatenated(self._waiting)
        self.keep()
        if self._held is not None:
            return concatenated(self._held)
        frames = self.part.frames()
        if sum(frame.head["bytes"] for frame in frames) <= IN_MEMORY:
            return concatenated([self.part.dataset(frame) for frame in frames])
        assert self.out is not None
        room_for(self.out, sum(frame.head["bytes"] for frame in frames))
        self._merged = beside(self.out)
        return merged(self.part, frames, self._merged)

    def states(self, records: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Positions and velocities of so many records, where the whole run is in memory."""
        if self.part is not None or self.resumed:
            return None, None
        return np.concatenate(self.q)[:records], np.concatenate(self.v)[:records]

    def save(self, dataset: xarray.Dataset) -> xarray.Dataset:
        """Write the whole run as it is now to the output; the part file goes. Gives the dataset, read from there if large."""
        assert self.out is not None
        if self._merged is not None and dataset.encoding.get("source") == str(self._merged):
            dataset = _named(dataset, self._merged, self.out)
        else:
            save_dataset(dataset, self.out)
        if self.part is not None:
            self.part.remove()
        else:
            part_of(self.out).unlink(missing_ok=True)  # of a run to the same file that died
        return dataset


def merged(part: PartFile, frames: list[Frame], target: Path) -> xarray.Dataset:
    """The stretches in one NetCDF file ``target``, written piece by piece, and opened: its variables are read when asked for."""
    import h5netcdf

    first = part.dataset(frames[0])
    missing: dict[str, Any] = {}
    names = dict.fromkeys(name for frame in frames for name in frame.head["variables"])
    for name in names:
        if name not in first.variables:
            frame = next(frame for frame in frames if name in frame.head["variables"])
            about, values = frame.head["variables"][name], part.values(frame, name)
            missing[name] = (about["dims"], no_sum(values, frames[0].records), about["attributes"])
    first = with_variables(first, missing)
    with h5netcdf.File(target, "w") as file:
        _laid_out(file, first, sum(frame.records for frame in frames))
        place = 0
        for frame in frames:
            for name in names:
                if first.variables[name].dims[:1] == ("time",):
                    told = name in frame.head["variables"]
                    values = part.values(frame, name) if told else no_sum(first.variables[name].values, frame.records)
                    file.variables[name][place : place + frame.records] = values
            place += frame.records
    found = opened(target)
    found.attrs = part.attributes(frames[-1])
    return found


def _laid_out(file: Any, first: xarray.Dataset, total: int) -> None:
    """Variables and attributes of a stretch in an empty file, with room for ``total`` records; labels are written.

    As xarray writes them, but for records that are still to come. The number of records is fixed: h5netcdf looks through all
    variables whenever it is asked how long an unlimited dimension is.
    """
    import h5py
    from xarray import conventions

    variables, attributes = conventions.encode_dataset_coordinates(first)
    file.dimensions = {str(name): total if name == "time" else size for name, size in first.sizes.items()}
    for name, one in variables.items():
        encoded = conventions.encode_cf_variable(one, name=name)
        about, timed = dict(encoded.attrs), one.dims[:1] == ("time",)
        kind = h5py.string_dtype() if encoded.dtype.kind in "OU" else encoded.dtype
        room = packed(one, (min(total, _ROWS), *one.shape[1:])) if timed else {}
        made = file.create_variable(str(name), one.dims, kind, fillvalue=about.pop("_FillValue", None), **room)
        for key, value in about.items():
            made.attrs[key] = value
        if not timed:
            made[...] = encoded.values
    for key, value in attributes.items():
        file.attrs[key] = value


def packed(one: xarray.Variable, chunks: tuple[int, ...]) -> dict[str, Any]:
    """How a variable of a large result is stored: in chunks, and compressed where it shrinks to a quarter.

    Numbers that are constant do, and cost nothing. Others shrink by a third or less: compressing them takes as long as an eighth
    of a run of a small robot.
    """
    sample = np.ascontiguousarray(one.values[:_ROWS])
    planes = sample.reshape(-1).view(np.uint8).reshape(-1, sample.itemsize).T.tobytes()
    if 4 * len(zlib.compress(planes, 1)) > len(planes):
        return {"chunks": chunks}
    return {"chunks": chunks, "compression": "gzip", "compression_opts": 1, "shuffle": True}


def opened(file: Path) -> xarray.Dataset:
    """A result whose variables are read when they are asked for, and not kept: all of them may not fit into memory."""
    import xarray

    dataset = xarray.open_dataset(file, engine="h5netcdf", cache=False)
    found = dataset.reset_coords("twist") if "twist" in dataset.coords else dataset.copy()
    found.encoding = dataset.encoding
    found.set_close(dataset.close)
    return found


def _named(dataset: xarray.Dataset, merged: Path, out: Path) -> xarray.Dataset:
    """The merged file under the name of the output, with the attributes of the dataset."""
    import h5netcdf

    check_writable(out, "output")
    dataset.close()
    with h5netcdf.File(merged, "a") as file:
        for name in [name for name in file.attrs if name not in dataset.attrs]:
            del file.attrs[name]
        for name, value in dataset.attrs.items():
            file.attrs[name] = value
    moved(merged, out)
    return opened(out)
