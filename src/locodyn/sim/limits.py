"""Joint limits that a run passes: the dynamics does not know them, so a run looks back at its record."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray

    from locodyn.robot.compilation.compiled import CompiledRobot

_SLACK = 1e-9  # relative to the size of a limit


class LimitWarning(UserWarning):
    """A joint went beyond the limits of its position or speed."""


def note_limits(dataset: xarray.Dataset, robot: CompiledRobot) -> None:
    """Attribute ``limits_passed`` (JSON): for each joint beyond its limits the first time (s), and a warning for the first one.

    Looks at the recorded positions (rad, m) and speeds (rad/s, m/s) of the joints that have limits.
    """
    dataset.attrs.pop("limits_passed", None)
    if "joint_position" not in dataset:
        return
    known = {str(name) for name in dataset["joint"].values}
    found: dict[str, float] = {}
    for body in robot.description.bodies:
        names = body.joint.velocity_names(body.name if body.parent is None else None)
        if not body.joint.is_limited or names[0] not in known:
            continue
        position, speed = (dataset[v].sel(joint=names[0]).values for v in ("joint_position", "joint_velocity"))
        lower, upper = body.joint.limits
        beyond = (position < _beyond(lower, -1.0)) | (position > _beyond(upper, 1.0))
        beyond |= np.abs(speed) > _beyond(body.joint.speed_limit, 1.0)
        if beyond.any():
            found[names[0]] = float(dataset["time"].values[int(np.argmax(beyond))])
    if found:
        dataset.attrs["limits_passed"] = json.dumps(found)
        joint, time = min(found.items(), key=lambda item: item[1])
        more = f", and {len(found) - 1} other joints pass theirs" if len(found) > 1 else ""
        warnings.warn(f"joint '{joint}' passes its limits from t = {time:g} s on{more}.", LimitWarning, stacklevel=4)


def _beyond(limit: float, side: float) -> float:
    return limit + side * _SLACK * (1.0 + abs(limit)) if np.isfinite(limit) else limit
