"""The stops of a robot: pairs of :mod:`locodyn.world.joint_stops` from the limits of its hinges and slides."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from locodyn.locomotion.arrays import ProblemArrays
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.layout import (
    ARMATURE,
    DOF_FRAME,
    INERTIA,
    MASS,
    OFFSET_POSITION,
    OFFSET_ROTATION,
    PARENT,
)
from locodyn.robot.pose import rotation_about
from locodyn.world.contact_table import StopRow
from locodyn.world.gaps import PAIR

_ZZ = INERTIA + 5
_LEVER = 0.1  # m, of a hinge whose own frame has no mass


def joint_stops(compiled: CompiledRobot, arrays: ProblemArrays) -> Iterator[StopRow]:
    """A pair for each finite limit of a hinge or slide whose motion is not imposed.

    A hinge with a range of a whole turn or more has none: poses do not tell its turns.
    """
    for body in compiled.description.bodies:
        joint = body.joint
        if joint.name not in compiled.joint_names:  # bodies on fixed joints are merged with their parents
            continue
        number = compiled.joint_index(joint.name)
        kind = compiled.joint_types[number]
        i = compiled.joint_velocities[number].start
        lower, upper = joint.limits
        if kind not in ("revolute", "prismatic") or (len(arrays.imposed) and arrays.imposed[i]):
            continue
        turns = kind == "revolute"
        span = upper - lower if math.isfinite(upper - lower) else math.pi
        if turns and span >= 2.0 * math.pi:
            continue
        slack = math.pi - 0.5 * span if math.isfinite(upper - lower) else math.pi
        frame = int(arrays.dofs[i, DOF_FRAME])
        for word, limit, side in (("lower", lower, -1.0), ("upper", upper, 1.0)):
            if math.isfinite(limit):
                values = _values(arrays.constants[frame], turns, limit) | {"origin": (side, slack)}
                frames = (frame, int(arrays.frames[frame, PARENT]))
                yield stop_name(joint.name, word), PAIR.stop_turn if turns else PAIR.stop_slide, frames, values


def stop_name(joint: str, word: str) -> str:
    """What the stop of a joint is called among the contacts; ``word``: lower or upper."""
    return f"{joint}.{word}_stop"


def is_stop(contact: str) -> bool:
    """Whether a contact of this name is the stop of a joint: between two of its bodies, at the end of an imagined lever."""
    return contact.endswith((".lower_stop", ".upper_stop"))


def _values(row: np.ndarray, turns: bool, limit: float) -> dict[str, object]:
    """The child at its limit, as the parent sees it, and the lever: the radius of gyration, so that masses keep their size."""
    rotation, position = row[OFFSET_ROTATION : OFFSET_ROTATION + 9].reshape(3, 3), row[OFFSET_POSITION : OFFSET_POSITION + 3]
    if not turns:
        return {"other_axes": rotation.ravel(), "other_first": position + limit * rotation[:, 2]}
    lever = math.sqrt((row[_ZZ] + row[ARMATURE]) / row[MASS]) if row[MASS] > 0.0 and row[_ZZ] > 0.0 else _LEVER
    # other_last only tells how far the parent's side reaches: the lever turns with it, too.
    return {
        "first": (lever, 0.0, 0.0),
        "other_axes": (rotation @ rotation_about("z", limit)).ravel(),
        "other_first": position,
        "other_last": np.linalg.norm(position) * np.array([1.0, 0.0, 0.0]) + (lever, 0.0, 0.0),
    }
