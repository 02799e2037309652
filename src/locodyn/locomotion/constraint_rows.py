"""From wheels, rolling surfaces, loops, couplings and drives to constraint rows by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest
from locodyn.locomotion.rod_contacts import COMPONENTS, contact_arrays, held_components
from locodyn.motion.base import Law
from locodyn.motion.laws import polynomial
from locodyn.robot.layout import CODE, COUNT_V, FIRST_V, FREE, PARENT
from locodyn.world.rod_places import RodContacts
from locodyn.world.rows import (
    CLOSURE,
    CONTACT,
    FORCE,
    GEAR,
    HOLONOMIC,
    KINEMATIC,
    KNOWN,
    LOOP,
    POINT,
    SECTION,
    SURFACE,
    TANGENT,
    TURN,
    RowArrays,
    RowNumbers,
)

_TURNS_ABOUT_AXIS = ("revolute", "cylindrical", "planar", "helical", "parallel")
_SURFACES = {"disc": SURFACE.disc, "ellipsoid": SURFACE.ellipsoid, "sphere": SURFACE.round, "point": SURFACE.round}


@dataclass
class Row:
    """One constraint row before it is an array."""

    name: str
    kind: int
    frame: int
    flags: int
    other: int = -1
    velocities: tuple[int, ...] = ()  # coordinates with a factor
    positions: tuple[int, ...] = ()  # their places in q, of GEAR
    factors: tuple[float, ...] = ()  # on them; those on coordinates of a rod are filled
    steering: int = -1
    rate_law: int = -1
    surface: int = SURFACE.round
    closure: int = CLOSURE.component
    group: str = ""
    filled: int = 1  # rows that it fills: itself, and those in the plane of a contact
    is_moment: bool = False  # whether its multiplier is a moment
    values: dict[str, Any] = field(default_factory=dict)  # by the names of RowNumbers


def number_arrays(rows: Sequence[Row], dtype: type = float) -> dict[str, Any]:
    """The arrays of :class:`~locodyn.world.rows.RowNumbers` that hold the values of the rows."""
    arrays = {name: _room(RowNumbers, name, len(rows), dtype) for name in _names(RowNumbers)}
    for m, row in enumerate(rows):
        for name, value in row.values.items():
            arrays[name][m : m + 1] = np.reshape(np.asarray(value, dtype=dtype), (1, *arrays[name].shape[1:]))
    return arrays


def filled_arrays(count: int, dtype: type = float) -> dict[str, Any]:
    """Room for what :func:`~locodyn.world.rows.fill_rows` fills."""
    twists = ("cotwist", "other_cotwist", "cotwist_rate", "other_cotwist_rate")
    scalars = ("right_side", "right_side_rate", "residual", "disc_sine")
    return {name: _room(RowArrays, name, count, dtype) for name in (*twists, *scalars)}


def _names(kind: type[RowNumbers]) -> dict[str, int | None]:
    """Fields of a bundle of arrays, with the numbers of their columns; None where a row has one number."""
    return {one.name: one.metadata.get("columns") for one in fields(kind)}  # a bundle is a dataclass


def _room(kind: type[RowNumbers], name: str, count: int, dtype: type) -> np.ndarray:
    width = _names(kind)[name]
    return np.zeros(count if width is None else (count, width), dtype=dtype)


@dataclass(frozen=True)
class Drives:
    """What drives the wheels: laws by the name of the wheel.

    ``steering``: angle of steered wheels, rad. ``rolling``: rolling angle of driven wheels, rad. ``torque``: motor torque,
    N m. ``speeds``: (body or marker, direction in its axes, law of the distance) of points whose speed is imposed; the motors
    of actuated wheels without a law of their own provide the force. ``equal``: groups of driven wheels that share one torque.
    ``motor_reactions``: record the torques of motors with the sign of Ali (2011, (3.86)): as reactions on the motor, negative
    where it drives. Torques that are given keep their sign, positive with positive power.
    """

    steering: Mapping[str, Law] = field(default_factory=dict)
    rolling: Mapping[str, Law] = field(default_factory=dict)
    torque: Mapping[str, Law] = field(default_factory=dict)
    speeds: Sequence[tuple[str, Any, Law]] = ()
    equal: Sequence[Sequence[str]] = ()
    motor_reactions: bool = False


@dataclass(frozen=True)
class Sharing:
    """How redundant contacts share their load: numbers by the name of the row.

    ``weights``: a larger one takes more of the force. ``static``: a loading that is added. ``torque_method``: "exact",
    "no_contact" (as if only the reference body touched the ground), "projective" (Ali 2011, (3.73)-(3.85)) or "min_torque" (the
    least moments in rods, found at the records of a run).
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    static: Mapping[str, float] = field(default_factory=dict)
    torque_method: str = "exact"


class ConstraintRows:
    """The rows of a robot under its drives.

    ``rows``: in the order wheels, speeds, rolling surfaces, loops, couplings, contacts on rods; ``rod_contacts``: the arrays
    of these.
    ``laws``: name and law of what steers and drives them; a row refers to one by its number. ``steering``: number of the law
    that steers a wheel, also one with a contact law.
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
        self._couplings()
        self.rod_contacts = self._rod_contacts()

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
        place = {"point": wheel.point, "vertical": wheel.vertical}
        ideal = wheel.contact is None
        if ideal and self._is_free(wheel.frame) and wheel.frame not in grounded:
            grounded.add(wheel.frame)
            self._ground(wheel)
        if ideal and wheel.kind != "omni":
            values = {**place, "direction": wheel.axle, "scale": 1.0}
            self.rows.append(Row(f"{wheel.name}.side", POINT, wheel.frame, KINEMATIC | FORCE, steering=steering, values=values))
        self._rolling(wheel, place, steering)

    def _is_free(self, frame: int) -> bool:
        """Whether a frame, or one that carries it, is free in space."""
        frames = self.model.compiled.frames
        while frame >= 0:
            if frames[frame, CODE] == FREE:
                return True
            frame = int(frames[frame, PARENT])
        return False

    def _rolling(self, wheel: Any, place: dict[str, Any], steering: int) -> None:
        """Rolling without slipping: the rate of the wheel is (heading . velocity of the contact point) / radius."""
        rolling, torque = self.drives.rolling.get(wheel.name), self.drives.torque.get(wheel.name)
        for laws, word in ((rolling, "a rolling motion"), (torque, "a torque")):
            if laws is not None and not wheel.actuated and wheel.coordinate < 0:
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
        values = {**place, "direction": direction, "scale": 1.0 / (wheel.radius * np.cos(angle))}
        row = Row(f"{wheel.name}.roll", POINT, wheel.frame, 0, steering=steering, values=values)
        row.group = next((f"equal {n}" for n, group in enumerate(self.drives.equal) if wheel.name in group), "")
        if wheel.coordinate >= 0:
            row.flags, row.velocities, row.factors = KINEMATIC | FORCE, (wheel.coordinate,), (-1.0,)
        elif rolling is not None:
            row.flags, row.rate_law = KINEMATIC | FORCE, self._law(wheel.name, rolling)
            values["rate_factor"] = 1.0
        elif torque is not None:
            row.flags, row.rate_law = KNOWN, self._law(wheel.name, torque)
        elif wheel.actuated and self.drives.speeds:
            row.flags = FORCE  # its motor is one of those that provide the force for an imposed speed
        self.rows.append(row)  # without a flag it rolls freely: its rate is read, nothing more

    def _ground(self, wheel: Any) -> None:
        """A wheeled body stays flat on the ground: no vertical motion, no roll, no pitch (for reference bodies that could)."""
        parts = (("z", POINT, wheel.vertical), ("roll", TURN, wheel.heading), ("pitch", TURN, wheel.axle))
        for name, kind, direction in parts:
            values = {"point": wheel.point, "vertical": wheel.vertical, "direction": direction, "scale": 1.0}
            row = Row(f"{wheel.body}.ground.{name}", kind, wheel.frame, KINEMATIC | FORCE, values=values)
            row.is_moment = kind == TURN
            self.rows.append(row)

    def _speeds(self) -> None:
        for name, direction, law in self.drives.speeds:
            frame, rotation, position = self.model.compiled.point(name)
            unit = np.asarray(direction, dtype=float)
            if unit.shape != (3,) or not np.linalg.norm(unit) > 0.0:
                raise InputError(
                    f"the direction of the speed of '{name}' is {direction!r}; it must be three numbers, not all zero."
                )
            values = {"point": position, "direction": rotation @ unit, "vertical": (0.0, 0.0, 1.0)}
            values |= {"scale": 1.0, "rate_factor": 1.0}
            self.rows.append(Row(f"{name}.speed", POINT, frame, KINEMATIC, rate_law=self._law(name, law), values=values))

    def _contacts(self) -> None:
        """Surfaces that roll in space: on the plane (a position), and without slipping (velocities, or positions of a foot)."""
        for contact in self.model.compiled.contacts:
            if self.feet is not None and contact.name not in self.feet:
                continue
            values = {
                "point": contact.position,
                "direction": contact.rotation[:, 2],
                "surface_axes": np.ravel(contact.rotation),
                "semi_axes": contact.semi_axes,
                "plane": np.ravel(contact.plane),
                "anchor": contact.ground,
                "crown": contact.crown,
                "scale": 1.0,
            }
            flags = KINEMATIC | FORCE
            held = HOLONOMIC if contact.kind == "point" else 0
            for n, name in enumerate(contact.row_names):
                kind, flag = (CONTACT, HOLONOMIC) if n == 0 else (TANGENT, held)
                row = Row(name, kind, contact.frame, flags | flag, surface=_SURFACES[contact.kind], values=values)
                row.filled = len(contact.row_names) if n == 0 else 0
                self.rows.append(row)

    def _loops(self) -> None:
        for loop in self.model.compiled.loops:
            values = {
                "first_rotation": np.ravel(loop.first_rotation),
                "first_position": loop.first_position,
                "second_rotation": np.ravel(loop.second_rotation),
                "second_position": loop.second_position,
            }
            flags = KINEMATIC | FORCE | HOLONOMIC
            for name, vector in zip(loop.row_names, loop.matrix, strict=True):
                row = Row(name, LOOP, loop.first_frame, flags, other=loop.second_frame)
                slides, turns = np.any(vector[:3]), np.any(vector[3:])
                row.values, row.is_moment = {**values, "loop_row": vector}, not slides
                if loop.type in _TURNS_ABOUT_AXIS and turns and not slides:
                    row.closure = CLOSURE.aligned
                    row.values["loop_axis"] = loop.axis
                elif not slides and not turns:
                    row.closure = CLOSURE.perpendicular
                    row.values |= {"loop_axis": loop.axis, "loop_second": loop.second_axis}
                elif slides and turns:
                    row.closure = CLOSURE.helix
                self.rows.append(row)

    def _couplings(self) -> None:
        for one in self.model.compiled.couplings:
            row = Row(one.name, GEAR, -1, KINEMATIC | FORCE | HOLONOMIC, is_moment=one.is_moment, values={"offset": one.offset})
            row.velocities, row.positions, row.factors = one.velocities, one.positions, one.factors
            self.rows.append(row)

    def _rod_contacts(self) -> RodContacts | None:
        """Rows of anchors, sleeves and pegs on rods: positions where they keep one, else velocities."""
        model = self.model
        firsts: list[int] = []
        held: list[tuple[int, ...]] = []
        laws: dict[str, int] = {}
        clock = -1
        for one in model.compiled.rod_contacts:
            contact, frame = one.contact, one.frames[0]
            firsts.append(len(self.rows))
            held.append(held_components(model, one))
            if isinstance(contact.at, Law):
                laws[contact.name] = self._law(contact.name, contact.at)
            for word, law in contact.moves.items():
                laws[f"{contact.name}.{word}"] = self._law(f"{contact.name}.{word}", law)
            comes = contact.during is not None or contact.wrap is not None or contact.kind == "peg"
            if comes and clock < 0:
                clock = self._law("time", polynomial(0.0, 1.0))
            for c in held[-1]:
                kept = contact.is_holonomic and not (contact.kind == "peg" and c > 2)
                first, count = int(model.frames[frame, FIRST_V]), int(model.frames[frame, COUNT_V])
                row = Row(
                    f"{contact.name}.{COMPONENTS[c]}", SECTION, int(model.frames[frame, PARENT]),
                    KINEMATIC | FORCE | (HOLONOMIC if kept else 0), velocities=tuple(range(first, first + count)),
                    is_moment=c > 2,
                )  # fmt: skip
                self.rows.append(row)
        return contact_arrays(model, firsts, held, laws, clock)
