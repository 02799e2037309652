"""From wheels, rolling surfaces, loops and drives to constraint rows by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.motion.base import Law
from locodyn.robot.layout import FREE
from locodyn.world import rows as layout
from locodyn.world.rows import CONTACT, FORCE, HOLONOMIC, KINEMATIC, KNOWN, LOOP, POINT, TANGENT, TURN

_TURNS_ABOUT_AXIS = ("revolute", "cylindrical", "planar", "helical")
_SURFACES = {"disc": layout.DISC, "ellipsoid": layout.ELLIPSOID, "sphere": layout.ROUND, "point": layout.ROUND}


@dataclass
class Row:
    """One constraint row before it is an array."""

    name: str
    kind: int
    frame: int
    flags: int
    other: int = -1
    coordinate: int = -1
    steering: int = -1
    rate: int = -1
    group: str = ""
    filled: int = 1  # rows that it fills: itself, and those in the plane of a contact
    values: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Drives:
    """What drives the wheels: laws by the name of the wheel.

    ``steering``: angle of steered wheels, rad. ``rolling``: rolling angle of driven wheels, rad. ``torque``: motor torque, N
    m. ``speeds``:
    (body or marker, direction in its axes, law of the distance) of points whose speed is imposed; the motors of actuated
    wheels without a law of
    their own provide the force. ``equal``: groups of driven wheels that share one torque.
    """

    steering: Mapping[str, Law] = field(default_factory=dict)
    rolling: Mapping[str, Law] = field(default_factory=dict)
    torque: Mapping[str, Law] = field(default_factory=dict)
    speeds: Sequence[tuple[str, Any, Law]] = ()
    equal: Sequence[Sequence[str]] = ()


class ConstraintRows:
    """The rows of a robot under its drives.

    ``rows``: in the order wheels, speeds, rolling surfaces, loops. ``laws``: name and law of what steers and drives them; a row
    refers to one by its number. ``steering``: number of the law that steers a wheel, also one with a contact law.
    """

    def __init__(self, model: Model, drives: Drives, feet: Collection[str] | None = None) -> None:
        self.model, self.drives, self.feet = model, drives, feet
        self.laws: list[tuple[str, Law]] = []
        self.steering: dict[str, int] = {}
        self.rows: list[Row] = []
        self._wheels()
        self._speeds()
        self._contacts()
        self._loops()

    def _law(self, name: str, law: Law) -> int:
        if not isinstance(law, Law):
            raise InputError(f"what drives '{name}' is {law!r}; it must be a law, such as constant(0.3) or sine(0.3, omega=2).")
        self.laws.append((name, law))
        return len(self.laws) - 1

    # ------------------------------------------------------------------------------------------------------------ rows
    def _wheels(self) -> None:
        wheels = {wheel.name: wheel for wheel in self.model.compiled.wheels}
        for what in ("steering", "rolling", "torque"):
            for name in getattr(self.drives, what):
                if name not in wheels:
                    raise InputError(f"there is no wheel '{name}' to be given {what}{nearest(name, wheels)}")
        for name in self.drives.steering:
            if wheels[name].kind != "steered":
                raise InputError(f"wheel '{name}' is {wheels[name].kind}, it has no steering angle; make it steered.")
        for group in self.drives.equal:
            for name in group:
                if name not in wheels:
                    raise InputError(f"there is no wheel '{name}' to share a torque{nearest(name, wheels)}")
        grounded: set[int] = set()
        for wheel in wheels.values():
            driven = wheel.name in self.drives.rolling or wheel.name in self.drives.torque
            if wheel.kind == "steered":
                self._steer(wheel)
            if wheel.kind == "castor" and driven:
                raise InputError(f"wheel '{wheel.name}' cannot be driven: it is a castor.")
            if wheel.kind != "castor" and (wheel.contact is None or driven or wheel.coordinate >= 0):
                self._wheel(wheel, grounded)

    def _steer(self, wheel: Any) -> None:
        if wheel.name not in self.drives.steering:
            raise InputError(f"wheel '{wheel.name}' is steered but no steering angle is given; add it to 'steering'.")
        self.steering[wheel.name] = self._law(wheel.name, self.drives.steering[wheel.name])

    def _wheel(self, wheel: Any, grounded: set[int]) -> None:
        """Rows of a wheel; a contact law stands in place of those that hold it, its motor stays."""
        steering = self.steering.get(wheel.name, -1)
        place = {layout.PLACE: wheel.point, layout.VERTICAL: wheel.vertical}
        ideal = wheel.contact is None
        if ideal and self.model.compiled.base_code == FREE and wheel.frame not in grounded:
            grounded.add(wheel.frame)
            self._ground(wheel)
        if ideal and wheel.kind != "omni":
            values = {**place, layout.DIRECTION: wheel.axle, layout.SCALE: 1.0}
            self.rows.append(Row(f"{wheel.name}.side", POINT, wheel.frame, KINEMATIC | FORCE, steering=steering, values=values))
        self._rolling(wheel, place, steering)

    def _rolling(self, wheel: Any, place: dict[int, Any], steering: int) -> None:
        """Rolling without slipping: the rate of the wheel is (heading . velocity of the contact point) / radius."""
        rolling, torque = self.drives.rolling.get(wheel.name), self.drives.torque.get(wheel.name)
        for given, word in ((rolling, "a rolling motion"), (torque, "a torque")):
            if given is not None and not wheel.actuated and wheel.coordinate < 0:
                raise InputError(f"wheel '{wheel.name}' is passive but is given {word}; make it actuated.")
        if wheel.coordinate >= 0 and (rolling is not None or torque is not None):
            raise InputError(
                f"wheel '{wheel.name}' is a body of its own; drive its joint '{wheel.name}' instead (imposed, torque)."
            )
        if rolling is not None and torque is not None:
            raise InputError(f"wheel '{wheel.name}' is given both a rolling motion and a torque; choose one.")
        if wheel.radius is None:
            return
        angle = float(wheel.roller_angle) if wheel.kind == "omni" else 0.0
        direction = np.cos(angle) * wheel.heading + np.sin(angle) * np.cross(wheel.vertical, wheel.heading)
        values = {**place, layout.DIRECTION: direction, layout.SCALE: 1.0 / (wheel.radius * np.cos(angle))}
        row = Row(f"{wheel.name}.roll", POINT, wheel.frame, 0, steering=steering, values=values)
        row.group = next((f"equal {n}" for n, group in enumerate(self.drives.equal) if wheel.name in group), "")
        if wheel.coordinate >= 0:
            row.flags, row.coordinate = KINEMATIC | FORCE, wheel.coordinate
            values[layout.COEFFICIENT] = -1.0
        elif rolling is not None:
            row.flags, row.rate = KINEMATIC | FORCE, self._law(wheel.name, rolling)
            values[layout.RATE_FACTOR] = 1.0
        elif torque is not None:
            row.flags, row.rate = KNOWN, self._law(wheel.name, torque)
        elif wheel.actuated and self.drives.speeds:
            row.flags = FORCE  # its motor is one of those that provide the force for an imposed speed
        self.rows.append(row)  # without a flag it rolls freely: its rate is read, nothing more

    def _ground(self, wheel: Any) -> None:
        """A wheeled body stays flat on the ground: no vertical motion, no roll, no pitch (for reference bodies that could)."""
        parts = (("z", POINT, wheel.vertical), ("roll", TURN, wheel.heading), ("pitch", TURN, wheel.axle))
        for name, kind, direction in parts:
            values = {layout.PLACE: wheel.point, layout.VERTICAL: wheel.vertical, layout.DIRECTION: direction, layout.SCALE: 1.0}
            self.rows.append(Row(f"{wheel.body}.ground.{name}", kind, wheel.frame, KINEMATIC | FORCE, values=values))

    def _speeds(self) -> None:
        for name, direction, law in self.drives.speeds:
            frame, rotation, position = self.model.compiled.point(name)
            unit = np.asarray(direction, dtype=float)
            if unit.shape != (3,) or not np.linalg.norm(unit) > 0.0:
                raise InputError(
                    f"the direction of the speed of '{name}' is {direction!r}; it must be three numbers, not all zero."
                )
            values = {layout.PLACE: position, layout.DIRECTION: rotation @ unit, layout.VERTICAL: (0.0, 0.0, 1.0)}
            values |= {layout.SCALE: 1.0, layout.RATE_FACTOR: 1.0}
            self.rows.append(Row(f"{name}.speed", POINT, frame, KINEMATIC, rate=self._law(name, law), values=values))

    def _contacts(self) -> None:
        """Surfaces that roll in space: on the plane (a position), and without slipping (velocities, or positions of a foot)."""
        for contact in self.model.compiled.contacts:
            if self.feet is not None and contact.name not in self.feet:
                continue
            values = {
                layout.PLACE: contact.position,
                layout.DIRECTION: contact.rotation[:, 2],
                layout.SURFACE_AXES: np.ravel(contact.rotation),
                layout.SEMI_AXES: contact.semi_axes,
                layout.PLANE: np.ravel(contact.plane),
                layout.ANCHOR: contact.ground,
                layout.CROWN: contact.crown,
                layout.SCALE: 1.0,
            }
            flags = KINEMATIC | FORCE
            held = HOLONOMIC if contact.kind == "point" else 0
            for n, name in enumerate(contact.row_names):
                kind, flag = (CONTACT, HOLONOMIC) if n == 0 else (TANGENT, held)
                row = Row(name, kind, contact.frame, flags | flag, steering=_SURFACES[contact.kind], values=values)
                row.filled = len(contact.row_names) if n == 0 else 0
                self.rows.append(row)

    def _loops(self) -> None:
        for loop in self.model.compiled.loops:
            values = {
                layout.FIRST_ROTATION: np.ravel(loop.first_rotation),
                layout.FIRST_POSITION: loop.first_position,
                layout.SECOND_ROTATION: np.ravel(loop.second_rotation),
                layout.SECOND_POSITION: loop.second_position,
            }
            flags = KINEMATIC | FORCE | HOLONOMIC
            for name, vector in zip(loop.row_names, loop.matrix, strict=True):
                row = Row(name, LOOP, loop.first_frame, flags, other=loop.second_frame)
                row.values = {**values, layout.LOOP_ROW: vector}
                if loop.type in _TURNS_ABOUT_AXIS and np.any(vector[3:]) and not np.any(vector[:3]):
                    row.values[layout.LOOP_AXIS] = loop.axis
                if loop.type == "universal" and not np.any(vector):
                    row.values |= {layout.LOOP_AXIS: loop.axis, layout.LOOP_SECOND: loop.second_axis}
                self.rows.append(row)
