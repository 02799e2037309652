"""Names of single columns of a result: a variable, and behind points the label along each dimension after time.

``kinetic_energy``, ``position.x``, ``joint_position.knee``, ``body_position.link_1.x``, ``rod_position.arm.0.5.z`` (half way
along the rod). Names of parts may have points themselves, so a name is looked up whole and never taken apart.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from locodyn.errors import InputError, nearest

if TYPE_CHECKING:
    import xarray

_SHOWN = 6  # columns that a refusal lists


def columns_of(dataset: xarray.Dataset, variable: str) -> dict[str, list[tuple[int, ...]]]:
    """Names of all columns of a variable over time, with their places after time: one each, unless parts have unlucky names."""
    data = dataset[variable]
    labels = [_labels(dataset, str(along), size) for along, size in zip(data.dims[1:], data.shape[1:], strict=True)]
    found: dict[str, list[tuple[int, ...]]] = {}
    for parts in itertools.product(*(list(enumerate(one)) for one in labels)):
        name = ".".join((variable, *(label for _, label in parts)))
        found.setdefault(name, []).append(tuple(place for place, _ in parts))
    return found


def column(dataset: xarray.Dataset, name: str) -> xarray.DataArray:
    """The one column (n,) of a result that a name means; :class:`InputError` where it means none or several."""
    variable = name.partition(".")[0]
    if variable not in dataset.data_vars or dataset[variable].dims[:1] != ("time",):
        over_time = [str(one) for one, data in dataset.data_vars.items() if data.dims[:1] == ("time",)]
        raise InputError(f"the run has no variable '{variable}'{nearest(variable, over_time)}")
    names = columns_of(dataset, variable)
    if len(names.get(name, ())) == 1:
        return dataset[variable][(slice(None), *names[name][0])]
    if name in names:
        raise InputError(f"'{name}' of the run means several columns, because names of its parts have points; rename the parts.")
    inside = [one for one in names if one.startswith(f"{name}.")]
    if inside:
        raise InputError(f"'{name}' does not say which column of the run is meant; give one of them: {_listed(inside)}.")
    label = name.removeprefix(variable).removeprefix(".")
    if list(names) == [variable]:
        raise InputError(f"'{variable}' of the run is one number in time and has no '{label}'; give '{variable}' alone.")
    known = [one.removeprefix(f"{variable}.") for one in names]
    sentence = f"'{variable}' of the run has no '{label}'"
    if dataset[variable].ndim == 2:
        raise InputError(f"{sentence}{nearest(label, known)}")
    raise InputError(f"{sentence}; its columns are {_listed(list(names))}.")


def _labels(dataset: xarray.Dataset, along: str, size: int) -> list[str]:
    """Along one dimension: the names of its parts, places as short numbers, or counted from 0 where it has none."""
    word = "twist_component" if along == "twist" and "twist_component" in dataset else along
    if word not in dataset.coords and word not in dataset.data_vars:
        return [str(k) for k in range(size)]
    return [f"{one:g}" if isinstance(one, float) else str(one) for one in dataset[word].values.tolist()]


def _listed(names: list[str]) -> str:
    if len(names) <= _SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[: _SHOWN - 1])}, ..., {names[-1]}"
