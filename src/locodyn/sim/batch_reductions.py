"""Numbers of each robot of a batch in place of its records: means, integrals, extremes in time, taken while the robots go on.

Records are kept for a stretch only, and each stretch begins with the last record of the one before. So memory does not grow with
the length of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    import xarray

Piece = Callable[[Any], Any]
Joined = Callable[[Any, Any], Any]
NUMBERS = 2**23  # of states in a stretch, about: 64 MB
_FEWEST = 16  # records in a stretch

# What a stretch gives, and how it goes together with what those before gave. A number that is not finite stays.
_REDUCTIONS: dict[str, tuple[Piece, Joined]] = {
    "mean": (lambda one: one.integrate("time"), lambda before, now: before + now),
    "integral": (lambda one: one.integrate("time"), lambda before, now: before + now),
    "least": (lambda one: one.min("time", skipna=False), lambda before, now: np.minimum(before, now)),
    "most": (lambda one: one.max("time", skipna=False), lambda before, now: np.maximum(before, now)),
    "last": (lambda one: one.isel(time=-1, drop=True), lambda before, now: now),
}


def check_reductions(reduce: Mapping[str, str]) -> None:
    """Refuse what is no reduction."""
    for name, how in reduce.items():
        if how not in _REDUCTIONS:
            raise InputError(f"'{name}' cannot be reduced by '{how}'{nearest(how, _REDUCTIONS)}")


class Reductions:
    """``reduce`` {variable: how}, taken stretch by stretch of a run; ``numbers``: of the states of all robots at a record."""

    def __init__(self, reduce: Mapping[str, str], numbers: int = 1) -> None:
        self.reduce, self.most = reduce, max(_FEWEST, NUMBERS // max(numbers, 1))
        self._found: dict[str, xarray.DataArray] = {}
        self._attributes: dict[str, dict[Any, Any]] = {}
        self._times: list[float] = []

    def add(self, data: xarray.Dataset) -> None:
        """A stretch, with the dimension ``time``; its first record is the last one of the stretch before."""
        self._times += [float(data.time[0]), float(data.time[-1])]
        for name, how in self.reduce.items():
            if "time" not in data[name].dims:
                raise InputError(f"'{name}' is no variable in time; nothing of it can be reduced.")
            piece, joined = _REDUCTIONS[how]
            made, self._attributes[name] = piece(data[name]), data[name].attrs
            self._found[name] = joined(self._found[name], made) if name in self._found else made

    def numbers(self) -> dict[str, xarray.DataArray]:
        """What there is of all stretches, as ``v_mean``."""
        found, span = {}, self._times[-1] - self._times[0]
        for name, how in self.reduce.items():
            made, attributes = self._found[name], self._attributes[name]
            units = str(attributes.get("units", "1")) + (" s" if how == "integral" else "")
            found[f"{name}_{how}"] = (made / span if how == "mean" else made).assign_attrs({**attributes, "units": units})
        return found
