"""A run that is still going, on disk: whole stretches one after another in a file that survives whatever stops the run.

A run to ``result.nc`` appends its stretches to ``result.nc.part`` and becomes ``result.nc`` at its end. HDF5 keeps its index in
memory while it writes, so that a file whose writer was killed cannot be read; here each stretch is a frame of its own, with its
length and a checksum in front. A torn last frame, of a killed process or a full disk, is left out when the file is read and cut
off when it goes on. A frame holds a dataset as plain data:

    FRAME, length of the head, length of the body, CRC-32 of both     the mark, three little-endian numbers
    head                                                              JSON: attributes, variables with dims, type, place
    body                                                              the numbers of the variables, C order
"""

from __future__ import annotations

import base64
import functools
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locodyn.errors import InputError

if TYPE_CHECKING:
    import xarray

MAGIC = b"locodyn run, layout 1\n"
FRAME = b"STRETCH\n"
_SIZES = struct.Struct("<QQI")


def part_of(path: str | Path) -> Path:
    """The file in which a run to ``path`` goes on."""
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + ".part")


class Frame(NamedTuple):
    """One stretch: its head, and where its body begins in the file."""

    head: dict[str, Any]
    body: int

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.head["records"])


class PartFile:
    """The file of one run: written by one process at a time, read by any."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: IO[bytes] | None = None

    # ------------------------------------------------------------------------------------------------------------- writing
    def begin(self) -> None:
        """An empty file; one that is there goes, unless another process is writing it."""
        self._open("ab")
        assert self._stream is not None
        self._stream.truncate(0)
        self._write(MAGIC)

    def go_on(self) -> list[Frame]:
        """Open what is there to write more, without a torn end; the frames that it has."""
        self._open("r+b")
        assert self._stream is not None
        frames = self.frames()
        end = len(MAGIC) if not frames else frames[-1].body + int(frames[-1].head["bytes"])
        self._stream.truncate(end)
        self._stream.seek(end)
        return frames

    def add(self, dataset: xarray.Dataset) -> None:
        """One more stretch, on the disk when this returns."""
        variables: dict[str, Any] = {}
        blocks: list[bytes | memoryview] = []
        place = 0
        for name, one in dataset.variables.items():
            values = np.ascontiguousarray(one.values)
            kind = values.dtype.str if values.dtype.kind in "fiub" else "json"
            if kind == "json":
                block: bytes | memoryview = json.dumps([str(word) for word in values]).encode()
            else:
                block = values.reshape(-1).view(np.uint8).data
            variables[str(name)] = {
                "dims": list(one.dims), "type": kind, "shape": list(values.shape), "attributes": _plain(one.attrs),
                "coordinate": name in dataset.coords, "place": place, "length": len(block),
            }  # fmt: skip
            blocks.append(block)
            place += len(block)
        head = json.dumps(
            {"records": dataset.sizes["time"], "bytes": place, "attributes": _plain(dataset.attrs), "variables": variables}
        ).encode()
        check = functools.reduce(lambda crc, block: zlib.crc32(block, crc), blocks, zlib.crc32(head))
        self._write(FRAME + _SIZES.pack(len(head), place, check) + head, *blocks)

    def close(self) -> None:
        """Let go of the file, which stays."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def remove(self) -> None:
        """Close and delete it."""
        self.path.unlink(missing_ok=True)  # while it is still held, so that no other process finds it in between
        self.close()

    def _open(self, mode: str) -> None:
        try:
            self._stream = self.path.open(mode)
            _hold(self._stream)
        except BlockingIOError:
            self.close()
            raise InputError(f"'{self.path}' is being written by another run; wait for it, or give another output.") from None
        except OSError as error:
            raise InputError(f"'{self.path}' cannot be written ({error.strerror}).") from None

    def _write(self, *blocks: bytes | memoryview) -> None:
        assert self._stream is not None
        begin = self._stream.seek(0, os.SEEK_END)
        try:
            for block in blocks:
                self._stream.write(block)
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            try:
                self._stream.truncate(begin)
            except OSError:
                pass  # readers leave a torn frame out
            kept = (
                "what it has so far is kept: make room, and go on with --resume"
                if begin > len(MAGIC)
                else "make room, and begin anew"
            )
            raise InputError(f"'{self.path}' cannot be written ({error.strerror}); {kept}.") from None

    # ------------------------------------------------------------------------------------------------------------- reading
    def frames(self) -> list[Frame]:
        """The whole stretches in the file, in their order."""
        with self.path.open("rb") as stream:
            return list(_frames(stream))

    def values(self, frame: Frame, name: str) -> np.ndarray:
        """A variable of one stretch."""
        about = frame.head["variables"][name]
        with self.path.open("rb") as stream:
            stream.seek(frame.body + about["place"])
            block = stream.read(about["length"])
        if about["type"] == "json":
            return np.array(json.loads(block), dtype=object)
        return np.frombuffer(block, dtype=np.dtype(about["type"])).reshape(about["shape"]).copy()

    def attributes(self, frame: Frame) -> dict[str, Any]:
        """Those of one stretch."""
        return _arrays(frame.head["attributes"])

    def dataset(self, frame: Frame) -> xarray.Dataset:
        """One stretch as it was added."""
        import xarray

        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {}
        for name, about in frame.head["variables"].items():
            target = coordinates if about["coordinate"] else variables
            target[name] = (tuple(about["dims"]), self.values(frame, name), _arrays(about["attributes"]))
        dataset = xarray.Dataset(variables, coordinates, self.attributes(frame))
        return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset  # the variable has the name of a dimension


def _frames(stream: IO[bytes]) -> Iterator[Frame]:
    if stream.read(len(MAGIC)) != MAGIC:
        return
    while True:
        mark = stream.read(len(FRAME) + _SIZES.size)
        if len(mark) < len(FRAME) + _SIZES.size or not mark.startswith(FRAME):
            return
        length, size, check = _SIZES.unpack(mark[len(FRAME) :])
        rest = os.fstat(stream.fileno()).st_size - stream.tell()
        if length + size > rest:
            return
        head = stream.read(length)
        body, crc, left = stream.tell(), zlib.crc32(head), size
        while left:
            block = stream.read(min(left, 1 << 24))
            crc, left = zlib.crc32(block, crc), left - len(block)
        if crc != check:
            return
        yield Frame(json.loads(head), body)


def _hold(stream: IO[bytes]) -> None:
    """Keep other processes from writing; the system lets go when the process ends, however it does."""
    try:
        import fcntl
    except ImportError:  # Windows, where a file that is open for writing cannot be deleted
        return
    fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _plain(attributes: Any) -> dict[str, Any]:
    """Attributes as JSON can hold them; arrays are marked as such."""
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        if isinstance(value, np.ndarray):
            words = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            found[str(name)] = {"array": words, "type": value.dtype.str, "shape": list(value.shape)}
        else:
            found[str(name)] = value.item() if isinstance(value, np.generic) else value
    return found


def _arrays(attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        name: np.frombuffer(base64.b64decode(value["array"]), dtype=value["type"]).reshape(value["shape"]).copy()
        if isinstance(value, dict)
        else value
        for name, value in attributes.items()
    }
