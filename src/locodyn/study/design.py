"""Which runs a study makes: a grid, a list, a table, or samples (random, Latin hypercube, Sobol) of the parameters' ranges."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError, nearest
from locodyn.study.axes import Axis
from locodyn.study.units import read_csv

GRID, LIST, RANDOM, LATIN, SOBOL = DESIGNS = ("grid", "list", "random", "latin", "sobol")
SAMPLED = (RANDOM, LATIN, SOBOL)
MOST_RUNS = 10_000_000


@dataclass(frozen=True)
class Design:
    """The runs of a study: for each parameter a column of values (n,), in the parameter's unit.

    ``shape``: numbers of values along the axes of a grid, in the order of the parameters, of which the last changes fastest;
    empty where the runs do not form a grid.
    """

    kind: str
    columns: Mapping[str, list[Any]]
    units: Mapping[str, str]
    shape: tuple[int, ...] = ()
    axes: tuple[list[Any], ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def row(self, run: int) -> dict[str, Any]:
        """The parameters of one run."""
        return {name: column[run] for name, column in self.columns.items()}


def design(axes: Sequence[Axis], kind: str = GRID, samples: int | None = None, seed: int = 0) -> Design:
    """The runs over these axes.

    Parameters
    ----------
    axes : sequence of Axis
    kind : ``grid`` (all combinations), ``list`` (first values together, second values together, ...), ``random``, ``latin``
        (Latin hypercube), ``sobol`` (scrambled Sobol sequence; balanced where ``samples`` is a power of two)
    samples : number of runs of the last three
    seed : same seed, same runs
    """
    if kind not in DESIGNS:
        raise InputError(f"there is no design '{kind}'{nearest(str(kind), DESIGNS)}")
    if not axes:
        raise InputError("a study varies nothing; say what varies, such as A=10..60:11deg.")
    names = [axis.name for axis in axes]
    units = {axis.name: axis.unit for axis in axes}
    if kind in SAMPLED:
        count = _count(kind, samples)
        shares = _shares(kind, len(axes), count, seed)
        return Design(kind, {axis.name: axis.sampled(shares[:, k]) for k, axis in enumerate(axes)}, units)
    if samples is not None:
        raise InputError(f"a {kind} has the runs of its values; leave the number of samples out, or take random, latin or sobol.")
    values = [axis.grid() for axis in axes]
    lengths = [len(column) for column in values]
    if kind == LIST:
        if len(set(lengths)) > 1:
            said = ", ".join(f"{length} of '{name}'" for name, length in zip(names, lengths, strict=True))
            raise InputError(f"a list takes as many values of each parameter; there are {said}.")
        return Design(kind, dict(zip(names, values, strict=True)), units)
    _check_count(math.prod(lengths))
    columns, after = {}, math.prod(lengths)
    for name, column in zip(names, values, strict=True):  # the values once, and 8 bytes for each run
        before, after = math.prod(lengths) // after, after // len(column)
        columns[name] = [value for value in column for _ in range(after)] * before
    return Design(kind, columns, units, tuple(lengths), tuple(values))


def _count(kind: str, samples: int | None) -> int:
    if samples is None or isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise InputError(f"the design '{kind}' has {samples} samples; it needs their number, a whole number from 1 on.")
    return _check_count(samples)


def _check_count(count: int) -> int:
    if count > MOST_RUNS:
        raise InputError(f"the study has {count} runs; at most {MOST_RUNS} are possible: take fewer values.")
    return count


def _shares(kind: str, dimensions: int, count: int, seed: int) -> np.ndarray:
    """Numbers (count, dimensions) between 0 and 1."""
    from scipy.stats import qmc

    if kind == RANDOM:
        return np.random.default_rng(seed).random((count, dimensions))
    rng = np.random.default_rng(seed)
    engine = qmc.LatinHypercube(dimensions, rng=rng) if kind == LATIN else qmc.Sobol(dimensions, rng=rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers that are not a power of two
        return np.asarray(engine.random(count))


def table(path: str | Path) -> dict[str, list[str]]:
    """The columns of a CSV file as text, each value with the unit of its heading."""
    file = Path(path)
    headings, rows = read_csv(file, "the table")
    if not rows:
        raise InputError(f"the table '{file}' has no runs; it needs a line of names and a line of values for each run.")
    columns: dict[str, list[str]] = {}
    for k, (name, unit) in enumerate(headings):
        if not name:
            raise InputError(f"column {k + 1} of the table '{file}' has no name.")
        for number, row in enumerate(rows, 2):
            if len(row) != len(headings) or not row[k].strip():
                raise InputError(f"line {number} of the table '{file}' has no value for '{name}'; a study takes no gaps.")
        columns[name] = [f"{row[k].strip()} {unit}".strip() for row in rows]
    return columns
