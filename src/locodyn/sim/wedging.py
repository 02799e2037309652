"""Forces that nothing bounds: a run looks back at its record for contacts that carry many times the weight of the robot.

Ideal wheels do not give way sideways, hard obstacles do not either, and a joint that follows a position pushes as hard as it
must. A wheel whose axle points at a peg, but for an angle a, bears F / sin a where F pushes it along: without bound as a
vanishes, also where torques are limited.
"""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import numpy as np

from locodyn.robot.layout import MASS

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.compilation.compiled import CompiledRobot

MANY = 100.0  # weights
_LASTING = 3  # records in a row: one alone is an impact


class WedgeWarning(UserWarning):
    """A contact carries many times the weight of the robot."""


def note_wedging(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``wedged`` (JSON): contact, first time (s), largest force (N), and the joint with the largest torque then.

    Looks at the forces of hard contact, means since the last record; three records in a row above 100 times the weight count.
    """
    dataset.attrs.pop("wedged", None)
    gravity = float(np.linalg.norm(np.atleast_1d(dataset.attrs.get("gravity", 9.81)))) or 9.81
    weight = float(robot.constants[:, MASS].sum()) * gravity
    if "contact_gap" not in dataset or dataset.sizes["time"] < _LASTING or not weight > 0.0:
        return
    sizes = np.linalg.norm(dataset["contact_force"].values, axis=-1)
    large = sizes > MANY * weight
    lasting = np.logical_and.reduce([large[k : len(large) - _LASTING + 1 + k] for k in range(_LASTING)])
    if not lasting.any():
        return
    row = int(np.argmax(lasting.any(axis=1)))
    n = int(np.argmax(np.where(lasting[row], sizes[row], 0.0)))
    name, time, force = str(dataset["contact"].values[n]), float(dataset["time"].values[row]), float(sizes[:, n].max())
    joint = _strained(dataset, row)
    dataset.attrs["wedged"] = json.dumps({"contact": name, "time": time, "force": force, "joint": joint})
    through = f", and joint '{joint}' pushes hardest" if joint else ""
    warnings.warn(
        f"contact '{name}' carries up to {force:.3g} N, {force / weight:.0f} times the weight of the robot, from t = {time:g} s"
        f" on{through}: it is wedged between things that do not give way; wheels that may slip do, and"
        " torque limits of the joints help.",
        WedgeWarning,
        stacklevel=4,
    )


def _strained(dataset: xarray.Dataset, row: int) -> str:
    """The joint with the largest torque at a record, or nothing."""
    if "joint_torque" not in dataset or not dataset.sizes.get("joint"):
        return ""
    torque = np.nan_to_num(np.abs(dataset["joint_torque"].values[row]))
    return str(dataset["joint"].values[int(np.argmax(torque))]) if torque.any() else ""
