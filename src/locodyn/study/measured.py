"""Measured motion that a fit is held against: columns of a CSV file or variables of a result, at times, in SI units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.sim import Result
from locodyn.sim.recorders import VARIABLES
from locodyn.study.units import factor, read_csv


@dataclass(frozen=True, eq=False)
class Measured:
    """``times`` (T,) s; ``values`` (T, columns); ``columns``: names such as ``position.x`` or ``joint_position.knee``."""

    times: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...]

    @classmethod
    def of(cls, given: str | Path | Result | Measured, columns: tuple[str, ...] = ()) -> Measured:
        """From a CSV file (a heading ``position.x [mm]`` tells the unit), a result in NetCDF, a result, or as it is."""
        if isinstance(given, Measured):
            return given
        if isinstance(given, Result) or str(given).endswith(".nc"):
            if not columns:
                raise InputError("a result has many variables; say which were measured, such as position.x.")
            result = given if isinstance(given, Result) else Result.load(given)
            return cls(np.asarray(result.time.values), simulated(result, columns), columns)
        return _from_csv(Path(given), columns)

    @property
    def variables(self) -> tuple[str, ...]:
        """Of a result, that are needed."""
        return tuple(dict.fromkeys(column.partition(".")[0] for column in self.columns))

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
    for column in columns:
        variable, _, label = column.partition(".")
        if variable not in result.dataset:
            raise InputError(f"the run has no variable '{variable}'{nearest(variable, map(str, result.dataset.data_vars))}")
        data = result.dataset[variable]
        if not label:
            found.append(np.asarray(data.values))
            continue
        along = data.dims[1]
        labels = [str(x) for x in result.dataset["twist_component" if along == "twist" else along].values]
        if label not in labels:
            raise InputError(f"'{variable}' of the run has no '{label}'{nearest(label, labels)}")
        found.append(np.asarray(data.values[:, labels.index(label)]))
    return np.column_stack(found)


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
