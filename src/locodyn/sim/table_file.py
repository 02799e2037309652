"""The state of a run as a table of comma-separated values: one row for each record (Gotelli 2024, appendix E)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.sim.store import check_writable

if TYPE_CHECKING:
    import xarray

# What the state and its motion are: pose, twist and acceleration of the reference body, joints, multipliers.
STATE = (
    "position", "orientation", "twist", "acceleration", "joint_position", "joint_velocity", "joint_acceleration", "joint_torque",
    "multiplier",
)  # fmt: skip


def write_csv(dataset: xarray.Dataset, path: str | Path) -> Path:
    """Write time and state of every record: columns ``time``, ``position.x``, ``joint_position.knee``, ... in SI units."""
    file = check_writable(path, "table", (".csv",))
    names, columns = ["time"], [dataset["time"].values]
    for variable in STATE:
        if variable in dataset:
            (along,) = dataset[variable].dims[1:]
            labels = dataset["twist_component" if along == "twist" else along].values
            names += [f"{variable}.{label}" for label in labels]
            columns += list(dataset[variable].values.T)
    try:
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(names)
            writer.writerows([repr(float(x)) for x in row] for row in np.column_stack(columns))
    except OSError as error:
        raise InputError(f"the table cannot be written to '{file}' ({error.strerror}).") from None
    return file
