"""From parts, as URDF and MJCF have them, to a robot: joints that move nothing are held, impossible inertias named."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError, InputError
from locodyn.files.notes import Notes
from locodyn.robot import Actuator, Body, Coupling, Inertia, Joint, Loop, Marker, Pose, Robot, RobotDescription
from locodyn.robot.checks.basics import LOOSE, TIGHT
from locodyn.robot.collision import Collision
from locodyn.robot.compilation.singularity import unresisted_joint
from locodyn.robot.description import parents_first
from locodyn.robot.pose import unit_axis
from locodyn.robot.tie import Tie


def _zero3() -> np.ndarray:
    return np.zeros(3)


def _zero33() -> np.ndarray:
    return np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class Part:
    """A body with its joint, before it is checked; ``at`` and ``child`` are the offsets of its joint."""

    name: str
    parent: str | None
    joint: str
    type: str
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=_zero3)
    tensor: np.ndarray = field(default_factory=_zero33)
    axes: tuple[np.ndarray, ...] = ()
    at: Pose = field(default_factory=Pose)
    child: Pose = field(default_factory=Pose)
    limits: tuple[float, float] = (-math.inf, math.inf)
    speed: float = math.inf
    actuator: Actuator | None = None
    shape: Any = None
    markers: tuple[Marker, ...] = ()
    collisions: tuple[Collision, ...] = ()
    line: int | None = None

    def body(self) -> Body:
        """The body."""
        axes = tuple(unit_axis(axis, f"The axis of joint '{self.joint}'") for axis in self.axes)
        joint = Joint(self.joint, self.type, axes, 0.0, self.at, self.child, (), self.limits, self.speed)
        inertia = Inertia(self.mass, self.centre, self.tensor)
        return Body(self.name, inertia, self.parent, joint, self.shape, self.actuator, self.markers, collisions=self.collisions)


def assembled(
    name: str,
    parts: Sequence[Part],
    notes: Notes,
    file: str,
    loops: Sequence[Loop] = (),
    couplings: Sequence[Coupling] = (),
    ties: Sequence[Tie] = (),
) -> Robot:
    """The robot of the parts of ``file``. A joint that moves nothing with inertia is held fixed; the notes say so.

    A coupling with a joint that is fixed, or is none of one coordinate, is left out and noted.

    If no part has mass, the file describes kinematics only: all joints stay.
    """
    parts = list(parts)
    weightless = not any(part.mass for part in parts) and any(part.type != "fixed" for part in parts)
    if weightless:
        text = "no body has mass; it serves kinematics and imposed motion (give masses for forces)"
        notes.assumed(f"robot '{name}'", text)
    odd = not all([_is_possible(part, notes) for part in parts])  # a list: every part gets its note
    while True:
        bodies = parents_first(tuple(_body(part, file) for part in parts))
        description = RobotDescription(name, bodies, (), weightless, tuple(loops), odd)
        found = unresisted_joint(description) if len(bodies) == len(parts) and not weightless else None
        if found is None:
            break
        joint, body = found
        number = next(i for i, part in enumerate(parts) if part.name == body)
        notes.changed(f"joint '{joint}'", "it moves nothing that has inertia; it is held fixed", parts[number].line)
        unlimited = (-math.inf, math.inf)
        parts[number] = replace(parts[number], type="fixed", axes=(), limits=unlimited, speed=math.inf, actuator=None)
    kept = _possible_couplings(couplings, {part.joint: part.type for part in parts}, notes)
    robot = Robot.from_description(replace(description, couplings=kept, ties=tuple(ties)))
    try:
        robot.description  # noqa: B018  a fault of the file fails here
    except DescriptionError as error:
        raise InputError(f"'{file}': {error}") from None
    return robot


def _possible_couplings(couplings: Sequence[Coupling], types: Mapping[str, str], notes: Notes) -> tuple[Coupling, ...]:
    kept = []
    for coupling in couplings:
        odd = [joint for joint in coupling.factors if types.get(joint) not in ("revolute", "prismatic")]
        if odd or not all(coupling.factors.values()):
            why = f"joint '{odd[0]}' does not turn about or slide along one axis" if odd else "its ratio is 0"
            notes.lost(coupling.words, why)
        else:
            kept.append(coupling)
    return tuple(kept)


def _body(part: Part, file: str) -> Body:
    try:
        return part.body()
    except DescriptionError as error:
        raise InputError(f"'{file}'{'' if part.line is None else f', line {part.line}'}: {error}") from None


def _is_possible(part: Part, notes: Notes) -> bool:
    """Whether a body can have this inertia: principal moments that are not negative and fulfil the triangle inequality."""
    if not np.isfinite(part.tensor).all():
        return True  # the description names it
    small, middle, large = np.linalg.eigvalsh(part.tensor)
    scale = float(max(abs(small), abs(large)))
    if small >= -TIGHT * scale and large <= small + middle + LOOSE * scale:
        return True
    text = f"its principal moments {small:.4g}, {middle:.4g}, {large:.4g} kg m^2 are those of no body; they stay as they are"
    notes.assumed(f"body '{part.name}'", text, part.line)
    return False
