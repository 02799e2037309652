"""Measured motion: laws from the columns of a CSV file, and from samples that are filtered.

:func:`filtered` makes laws that are twice differentiable, for imposed motions: samples at any times are brought to even steps,
passed forth and back through a Butterworth filter (no delay; Gotelli 2024, 4.9: order 4, 4 Hz), and joined by a spline of degree
5, so that value, rate and acceleration fit together.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.motion.base import Law, positive
from locodyn.motion.interpolation import checked_samples, samples, spline
from locodyn.typing import Array


def from_csv(
    path: str | Path,
    columns: Iterable[str] | None = None,
    *,
    time: str = "time",
    degree: int = 5,
    periodic: bool = False,
    cutoff: float | None = None,
) -> dict[str, Law]:
    """Laws from a CSV file with a header line, one law for each column, by its name.

    ``columns``: the names wanted (all but the time column when not given); ``time``: name of the time column (s);
    ``degree``: of the splines through the samples (1: straight lines); ``cutoff`` (Hz): what is faster is filtered away
    (:func:`filtered`; then splines are of degree 5). Empty lines and lines that begin with ``#`` are
    skipped.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"the motion file '{file}' cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise InputError(f"the motion file '{file}' is not a text file; it must be comma-separated values.") from None
    rows = [
        (number, [cell.strip() for cell in row])
        for number, row in enumerate(csv.reader(text.splitlines()), start=1)
        if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")
    ]
    if len(rows) < 2:
        raise InputError(f"the motion file '{file}' holds no data; it needs a header line and lines of numbers.")
    line, header = rows[0]
    doubled = {name for name in header if header.count(name) > 1}
    if doubled:
        raise InputError(f"the motion file '{file}' has two columns '{min(doubled)}' in line {line}; names must differ.")
    wanted = [name for name in header if name != time] if columns is None else list(columns)
    for name in (time, *wanted):
        if name not in header:
            raise InputError(f"the motion file '{file}' has no column '{name}'{nearest(name, header)}")
    data: dict[str, list[float]] = {name: [] for name in (time, *wanted)}
    places = {name: header.index(name) for name in data}
    for line, row in rows[1:]:
        if len(row) != len(header):
            raise InputError(f"line {line} of '{file}' has {len(row)} values; the header names {len(header)} columns.")
        for name, place in places.items():
            data[name].append(_number(row[place], name, line, file))
        if len(data[time]) > 1 and data[time][-1] <= data[time][-2]:
            raise InputError(
                f"time does not increase in line {line} of '{file}' ({data[time][-2]:g} s, then {data[time][-1]:g} s)."
            )
    if cutoff is not None:
        if periodic or degree != 5:
            raise InputError(f"the motion file '{file}' is filtered; its laws are splines of degree 5 that do not repeat.")
        return {name: filtered(data[time], data[name], cutoff) for name in wanted}
    law = (lambda t, x: samples(t, x)) if degree == 1 and not periodic else (lambda t, x: spline(t, x, degree, periodic))
    return {name: law(data[time], data[name]) for name in wanted}


def _number(text: str, column: str, line: int, file: Path) -> float:
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"line {line} of '{file}' has '{text}' in column '{column}'; it must be a number.") from None
    if not math.isfinite(number):
        raise InputError(f"line {line} of '{file}' has '{text}' in column '{column}'; it must be finite.")
    return number


def filtered(times: Array, values: Array, cutoff: float, *, order: int = 4, step: float | None = None) -> Law:
    """Law through samples without what is faster than ``cutoff``.

    Parameters
    ----------
    times, values : (N,) s and any unit
        Times increase, in any steps.
    cutoff : Hz
        At which a sine has lost half of its amplitude (a pass forth and one back, 1/sqrt(2) each).
    order : int
        Of the Butterworth filter.
    step : s
        Between the samples that the filter sees; by default the median of the steps given.

    >>> import numpy as np
    >>> t = np.arange(0.0, 4.0, 0.01)
    >>> law = filtered(t, np.sin(t) + 0.01 * np.sin(200 * t), cutoff=4.0)
    >>> bool(abs(law.acceleration(2.0) + np.sin(2.0)) < 1e-3)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    t, x = checked_samples(times, values, "a filtered motion", 8)
    h = float(np.median(np.diff(t))) if step is None else positive(step, "the step of a filtered motion")
    cutoff = positive(cutoff, "the cut-off frequency of a filtered motion")
    if cutoff >= 0.5 / h:
        raise InputError(
            f"the cut-off frequency is {cutoff:g} Hz; samples every {h:g} s show nothing above {0.5 / h:g} Hz: it must be lower."
        )
    if int(order) != order or order < 1:
        raise InputError(f"the order of the filter is {order!r}; it must be a whole number, 1 or more.")
    count = max(8, round((t[-1] - t[0]) / h) + 1)
    even = np.linspace(t[0], t[-1], count)
    resampled = spline(t, x, 3)(even)
    sections = butter(int(order), cutoff, fs=(count - 1) / (t[-1] - t[0]), output="sos")
    edge = min(count - 1, int(3.0 / (cutoff * h)))  # reflected beyond the ends: as long as the filter remembers
    return spline(even, sosfiltfilt(sections, resampled, padlen=edge), 5)
