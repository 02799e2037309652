"""Libraries of gaits as files: the gaits of a design by speed and slope, in JSON, with the command that made them.

What starts a neighbour, the point of the optimiser with its multipliers, is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.controllers.curves import Bezier
from locodyn.errors import InputError
from locodyn.walking.design import Designed
from locodyn.walking.limits import GaitLimits
from locodyn.walking.step_gait import Biped, StepGait

_NUMBERS = ("cost", "transport", "iterations", "seconds", "status")


def save_library(file: str | Path, made_by: str, gaits: Mapping[tuple[float, float], Designed]) -> Path:
    """Write gaits by (speed m/s, slope rad), all of one biped; ``made_by``: the command that made them."""
    if not gaits:
        raise InputError("there is no gait to write; give one or more by (speed, slope).")
    biped = next(iter(gaits.values())).gait.biped
    rows = []
    for (speed, slope), one in gaits.items():
        gait = one.gait
        other = biped.unlike(gait.biped.words())
        if other is not None:
            raise InputError(f"the gaits are of two bipeds, with other {other}; write a file for each of them.")
        curve = {"coefficients": gait.curve.coefficients.tolist(), "begin": gait.begin, "end": gait.end}
        limits = {name: _plain(limit) for name, limit in (("limits", one.limits), ("asked", one.asked))}
        numbers = {name: getattr(one, name) for name in _NUMBERS}
        place = {"speed": float(speed), "slope": float(slope), "gravity": one.gravity.tolist()}
        rows.append({**place, **curve, **numbers, "excess": dict(one.excess), **limits})
    path = Path(file)
    whole = {"made_by": made_by, "biped": biped.words(), "gaits": rows}
    text = json.dumps(whole, indent=1, allow_nan=False) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({error.strerror}).") from None
    return path


def load_library(file: str | Path, biped: Biped) -> dict[tuple[float, float], Designed]:
    """Read what :func:`save_library` wrote, for the biped of which it was written."""
    try:
        whole = json.loads(Path(file).read_text(encoding="utf-8"))
        written, rows = dict(whole["biped"]), list(whole["gaits"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"'{file}' is no library of gaits ({error}); give a file that save_library wrote.") from None
    what = biped.unlike(written)
    if what is not None:
        raise InputError(f"the gaits in '{file}' have other {what} than the biped; give the one of which they were written.")
    try:
        return {(float(row["speed"]), float(row["slope"])): _designed(row, biped) for row in rows}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"a gait in '{file}' cannot be read ({error}); give a file that save_library wrote.") from None


def _designed(row: Mapping[str, Any], biped: Biped) -> Designed:
    gait = StepGait(biped, Bezier(row["coefficients"]), row["begin"], row["end"], np.array(row["gravity"]))
    words: dict[str, Any] = {name: row[name] for name in (*_NUMBERS, "excess")}
    words |= {name: _limits(row[name]) for name in ("limits", "asked")}
    return Designed(gait, **words, point=(np.zeros(0), np.zeros(0), np.zeros(0)))


def _plain(limits: GaitLimits) -> dict[str, Any]:
    """Limits as JSON has them: no limit is null."""
    return {name: None if value == math.inf else value for name, value in asdict(limits).items()}


def _limits(row: Mapping[str, Any]) -> GaitLimits:
    values: dict[str, Any] = {name: math.inf if value is None else value for name, value in row.items()}
    joints = {name: (least, most) for name, (least, most) in values.pop("joints").items()}
    least, most = values.pop("length")
    return GaitLimits(**values, joints=joints, length=(least, most))
