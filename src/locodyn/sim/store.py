"""Results on disk: NetCDF-4, written beside and renamed; a file that is damaged or not ours is refused with one sentence.

The state of a run also goes into a table of comma-separated values (Gotelli 2024, appendix E).
"""

from __future__ import annotations

import csv
import glob
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn import __version__
from locodyn.errors import InputError
from locodyn.sim.columns import columns_of
from locodyn.sim.contract import FORMAT, REQUIRED_ATTRIBUTES

if TYPE_CHECKING:
    import xarray


class PartWarning(UserWarning):
    """A run to this file was stopped, or goes on: that is what is read, and the file holds a longer run of before."""


RESULT = (".nc",)
REPORT = (".html", ".htm")
# What the state and its motion are: pose, twist and acceleration of the reference body, joints, multipliers.
STATE = (
    "position", "orientation", "twist", "acceleration", "joint_position", "joint_velocity", "joint_acceleration", "joint_torque",
    "multiplier",
)  # fmt: skip


def check_writable(path: str | Path, what: str = "output", endings: tuple[str, ...] = ()) -> Path:
    """The path, after making sure that a file can be written there; before a run, not after it.

    ``endings``: those that say the format, where there are any. A symbolic link is followed; devices and pipes are no files.
    """
    file = Path(path)
    if endings and file.suffix.lower() not in endings:
        raise InputError(f"the {what} '{file}' must end in {' or '.join(endings)}; the ending says the format.")
    if file.is_dir():
        raise InputError(f"the {what} '{file}' is a folder; give the name of a file.")
    if file.exists() and not file.is_file():
        raise InputError(f"the {what} '{file}' is a device or a pipe; give the name of a file.")
    folder = Path(os.path.realpath(file)).parent
    if not folder.is_dir():
        raise InputError(
            f"the {what} '{file}' cannot be written: there is no folder '{folder if file.is_symlink() else file.parent}'."
        )
    try:
        with tempfile.TemporaryFile(dir=folder):  # without a name, where the system can: a signal leaves nothing behind
            pass
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise InputError(f"the {what} '{file}' cannot be written ({error.strerror}).") from None
    return file


def beside(path: str | Path) -> Path:
    """A new empty file beside the one that ``path`` leads to, with its ending; what killed processes left there is deleted."""
    file = Path(os.path.realpath(path))
    for old in file.parent.glob(f".{glob.escape(file.stem)}-*-locodyn*"):
        process = old.name.removeprefix(f".{file.stem}-").partition("-")[0]
        if process.isdigit() and not _is_running(int(process)):
            old.unlink(missing_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-{os.getpid()}-locodyn", suffix=file.suffix)
    os.close(handle)
    return Path(temporary)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True


def moved(temporary: Path, path: str | Path) -> Path:
    """Give a file that was written beside ``path`` that name: whoever opens it sees the old one or the new one, whole."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(temporary, 0o666 & ~mask)  # mkstemp files are private; results are ordinary files
    os.replace(temporary, os.path.realpath(path))
    return Path(path)


def write_beside(path: str | Path, write: Any) -> Path:
    """Call ``write(temporary path)``, then rename to ``path``: the file is whole or not there."""
    file = check_writable(path)
    try:
        temporary = beside(file)
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({error.strerror or error}).") from None
    try:
        write(temporary)
        return moved(temporary, file)
    except OSError as error:
        raise InputError(f"'{file}' cannot be written ({error.strerror or error}).") from None
    finally:
        temporary.unlink(missing_ok=True)


def room_for(path: str | Path, size: float) -> None:
    """Refuse to begin writing so many bytes beside ``path`` where the disk has no room for them.

    HDF5 that runs out of disk in the middle cannot close its file any more, and takes the process with it.
    """
    trial = beside(path)
    try:
        with trial.open("wb") as stream:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(stream.fileno(), 0, int(size) + 1)
    except OSError as error:
        free = shutil.disk_usage(trial.parent).free
        raise InputError(
            f"'{path}' cannot be written ({error.strerror}): it needs up to {amount(size)}, and there are {amount(free)} free;"
            " make room, or give another output."
        ) from None
    finally:
        trial.unlink(missing_ok=True)


def amount(size: float) -> str:
    """A number of bytes in words.

    >>> amount(2.5e9)
    '2.5 GB'
    """
    unit = ""
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if size < 1e3 or unit == "PB":
            break
        size /= 1e3
    return f"{size:.3g} {unit}"


def save_dataset(dataset: xarray.Dataset, path: str | Path) -> Path:
    """Write a dataset as NetCDF-4; the file ends in .nc, by which commands know it."""
    check_writable(path, "output", RESULT)
    room_for(path, dataset.nbytes + 1e5)
    encoding = {
        name: {"zlib": True, "complevel": 1, "shuffle": True}  # higher levels take twice as long and save a hundredth
        for name, variable in dataset.data_vars.items()
        if variable.dtype.kind == "f" and variable.size > 64
    }
    return write_beside(path, lambda file: dataset.to_netcdf(file, engine="h5netcdf", encoding=encoding))


def load_dataset(path: str | Path) -> xarray.Dataset:
    """Read a result: of a run that was killed, or is still going, the stretches that it has written."""
    from locodyn.sim.dataset import concatenated
    from locodyn.sim.part_file import PartFile, part_of

    file = Path(path)
    part = PartFile(part_of(file))
    if part.path.is_file():
        try:
            frames = part.frames()
        except OSError as error:
            raise InputError(f"the result file '{part.path}' cannot be read ({error.strerror}).") from None
        if frames:
            found = _checked(concatenated([part.dataset(frame) for frame in frames]), file)
            reached = float(found.attrs.get("resume_time", 0.0))
            if _reached(file) > reached:
                warnings.warn(
                    f"a later run to '{file}' has reached t = {reached:g} s and not its end; these are its records. Delete"
                    f" '{part.path.name}' for those of the run before.",
                    PartWarning,
                    stacklevel=2,
                )
            return found
    if not file.is_file():
        raise InputError(f"there is no result file '{file}'.")
    import xarray

    why = ""
    with warnings.catch_warnings(), _no_last_words():
        warnings.simplefilter("ignore")
        try:
            dataset = xarray.load_dataset(file, engine="h5netcdf")
        except PermissionError:
            why = f"the result file '{file}' cannot be read (permission denied)."
        except Exception:  # h5py raises OSError, KeyError, RuntimeError, ... according to where the damage is
            why = f"'{file}' is damaged or not a NetCDF-4 file; give a file that a run has written."
    if why:
        raise InputError(why)
    return _checked(dataset, file)


def _reached(file: Path) -> float:
    """Until when (s) the run in a file goes; nothing of one that is not there or damaged."""
    import h5py

    try:
        with h5py.File(file) as stream:
            return float(np.max(stream.attrs["resume_time"]))
    except Exception:  # h5py raises errors of many kinds
        return -np.inf


@contextmanager
def _no_last_words() -> Iterator[None]:
    """Objects of h5netcdf that could not open their file complain on standard error when they go; one sentence is enough."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = hook


def _checked(dataset: xarray.Dataset, file: Path) -> xarray.Dataset:
    """The dataset, if it is a result that this version reads."""
    missing = [name for name in REQUIRED_ATTRIBUTES if name not in dataset.attrs]
    if missing or "time" not in dataset.coords:
        lacking = f"attribute '{missing[0]}'" if missing else "coordinate 'time'"
        raise InputError(f"'{file}' is not a result of locodyn (it has no {lacking}); give a file that a run has written.")
    layout = int(dataset.attrs["locodyn_result"])
    if layout > FORMAT:
        writer = dataset.attrs.get("library_version", "a newer version")
        raise InputError(
            f"'{file}' was written by a newer locodyn ({writer}, layout {layout} of a result), this version ({__version__}) reads"
            f" layout {FORMAT}; update locodyn to read it."
        )
    if layout != FORMAT:
        raise InputError(f"'{file}' has layout {layout} of a result, this version reads layout {FORMAT}; run the scenario again.")
    return dataset.reset_coords("twist") if "twist" in dataset.coords else dataset


def write_csv(dataset: xarray.Dataset, path: str | Path) -> Path:
    """Write time and state of every record: columns ``time``, ``position.x``, ``joint_position.knee``, ... in SI units."""
    file = check_writable(path, "table", (".csv",))
    names, columns = ["time"], [dataset["time"].values]
    for variable in STATE:
        if variable in dataset:
            names += list(columns_of(dataset, variable))
            columns += list(dataset[variable].values.T)

    def write(target: Path) -> None:
        with target.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(names)
            writer.writerows([repr(float(x)) for x in row] for row in np.column_stack(columns))

    return write_beside(file, write)
