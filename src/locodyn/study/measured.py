"""Measured motion that a fit is held against: columns of a CSV file, variables of a NetCDF file or a result, at times, in SI."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Result
from locodyn.sim.columns import column, columns_of
from locodyn.sim.recorders import VARIABLES
from locodyn.study.units import factor, read_csv

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Measured:
    """``times`` (T,) s; ``values`` (T, columns); ``columns``: names such as ``position.x``, ``joint_position.knee`` or
    ``body_position.foot.z``."""

    times: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...]

    @classmethod
    def of(cls, data: str | Path | Result | Measured, columns: tuple[str, ...] = ()) -> Measured:
        """From a CSV file (a heading ``position.x [mm]`` tells the unit), a NetCDF file (attributes ``units`` tell them; also a
        result), a result, or as it is."""
        if isinstance(data, Measured):
            return data
        if not isinstance(data, Result) and not str(data).endswith(".nc"):
            return _from_csv(Path(data), columns)
        if not isinstance(data, Result) and "locodyn_result" not in (opened := _opened(Path(data))).attrs:
            return _from_netcdf(opened, Path(data), columns)
        if not columns:
            raise InputError("a result has many variables; say which were measured, such as position.x.")
        result = data if isinstance(data, Result) else Result.load(data)
        return cls(np.asarray(result.time.values), simulated(result, columns), columns)

    @property
    def variables(self) -> tuple[str, ...]:
        """Of a result, that are needed."""
        return tuple(dict.fromkeys(column.partition(".")[0] for column in self.columns))

    def fingerprint(self) -> str:
        """A hash of times and values."""
        return hashlib.sha256(self.times.astype(float).tobytes() + self.values.astype(float).tobytes()).hexdigest()[:16]

    def at_times(self, result: Result) -> np.ndarray:
        """What a run gives in place of the measured values, (T, columns), by cubic splines through its records."""
        from scipy.interpolate import CubicSpline

        times = np.asarray(result.time.values)
        if self.times[0] < times[0] - 1e-9 or self.times[-1] > times[-1] + 1e-9:
            raise InputError(
                f"measured from {self.times[0]:g} to {self.times[-1]:g} s, but the run is from {times[0]:g} to {times[-1]:g} s;"
                " give it another end time (t_end), or cut the data."
            )
        return np.asarray(CubicSpline(times, simulated(result, self.columns))(np.clip(self.times, times[0], times[-1])))


def simulated(result: Result, columns: tuple[str, ...]) -> np.ndarray:
    """Columns (n, columns) of a result."""
    found = []
    for name in columns:
        values = np.asarray(column(result.dataset, name).values, dtype=float)
        if not np.isfinite(values).all():
            at = float(result.time.values[int(np.argmin(np.isfinite(values)))])
            raise InputError(f"the run has no value of '{name}' at {at:g} s; compare what it has at all times.")
        found.append(values)
    return np.column_stack(found)


def _opened(file: Path) -> xarray.Dataset:
    """What is in a NetCDF file, numbers as they are."""
    import xarray

    if not file.is_file():
        raise InputError(f"there is no file of measurements '{file}'.")
    try:
        return xarray.load_dataset(file, decode_times=False)
    except Exception:  # of the library that reads it, according to where the damage is
        raise InputError(f"the file of measurements '{file}' is damaged or not NetCDF.") from None


def _from_netcdf(data: xarray.Dataset, file: Path, wanted: tuple[str, ...]) -> Measured:
    """Variables over ``time``, with the labels of further dimensions behind points: ``position.x``, ``body_position.foot.z``."""
    if "time" not in data.variables or data["time"].dims != ("time",):
        raise InputError(f"the measurements '{file}' have no coordinate 'time'{nearest('time', map(str, data.variables))}")
    own = {"time": data["time"]}
    for name, one in data.data_vars.items():
        if one.dims == ("time",):
            own[str(name)] = one
        elif one.dims[:1] == ("time",):
            found = columns_of(data, str(name))
            own |= {label: one[(slice(None), *at[0])] for label, at in found.items() if len(at) == 1}
    columns = wanted or tuple(name for name in own if name != "time")
    numbered = []
    for name in ("time", *columns):
        if name not in own:
            raise InputError(f"the measurements '{file}' have no column '{name}'{nearest(name, own)}")
        numbers = factor(str(own[name].attrs.get("units", "")), _unit(name), name) * np.asarray(own[name].values, dtype=float)
        if not np.isfinite(numbers).all():
            at = int(np.argmin(np.isfinite(numbers)))
            raise InputError(f"record {at} of '{file}' has no value for '{name}'; leave records with gaps out.")
        numbered.append(numbers)
    if len(numbered[0]) < 2 or (np.diff(numbered[0]) <= 0.0).any():
        raise InputError(f"time does not increase in '{file}', or there are less than two records; a fit needs more.")
    return Measured(numbered[0], np.column_stack(numbered[1:]), columns)


def _from_csv(file: Path, wanted: tuple[str, ...]) -> Measured:
    headings, rows = read_csv(file, "the file of measurements")
    if len(rows) < 2:
        raise InputError(f"the measurements '{file}' have {len(rows)} lines of numbers; a fit needs more.")
    names = [name for name, _ in headings]
    if "time" not in names:
        raise InputError(f"the measurements '{file}' have no column 'time'{nearest('time', names)}")
    columns = wanted or tuple(name for name in names if name != "time")
    for name in columns:
        if name not in names:
            raise InputError(f"the measurements '{file}' have no column '{name}'{nearest(name, names)}")
    data = []
    for name in ("time", *columns):
        place = names.index(name)
        scale = factor(headings[place][1], _unit(name), name)
        data.append([scale * _number(row, place, name, line, file) for line, row in enumerate(rows, 2)])
    values = np.array(data).T
    if (np.diff(values[:, 0]) <= 0.0).any():
        line = int(np.argmax(np.diff(values[:, 0]) <= 0.0)) + 3
        raise InputError(f"time does not increase in line {line} of '{file}'.")
    return Measured(values[:, 0], values[:, 1:], columns)


def _unit(column: str) -> str:
    """Unit of a column in SI; empty where it depends on the joint."""
    if column == "time":
        return "s"
    variable = column.partition(".")[0]
    if variable not in VARIABLES:
        raise InputError(f"a run has no variable '{column}'{nearest(variable, VARIABLES)}")
    unit = VARIABLES[variable].units
    return "" if "{" in unit or "," in unit else unit


def _number(row: list[str], place: int, name: str, line: int, file: Path) -> float:
    text = row[place].strip() if place < len(row) else ""
    if not text:
        raise InputError(f"line {line} of '{file}' has no value for '{name}'; leave lines with gaps out.")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"line {line} of '{file}' has '{text}' for '{name}'; it must be a finite number.")
    return number
