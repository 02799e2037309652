"""The numbers of a robot by dotted names (``board.mass``, ``front.at.x``), for robots without a table of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from locodyn.robot import Robot, RobotDescription, about_centre
from locodyn.robot.building.contact_draft import ContactDraft
from locodyn.robot.building.tie_draft import TieDraft
from locodyn.robot.values import float_of

_XYZ = ("x", "y", "z")
_MOMENTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_ACTUATOR = {  # value -> the one without which it does not matter
    "armature": "armature", "gear": "armature", "viscous": "viscous", "coulomb": "coulomb", "coulomb_speed": "coulomb",
    "stiffness": "stiffness", "rest": "stiffness",
}  # fmt: skip
_UNITS = {
    "mass": "kg", "centre": "m", "inertia": "kg m^2", "at": "m", "body_at": "m", "pitch": "m/rad", "radius": "m", "crown": "m",
    "semi_axes": "m", "roller_angle": "rad", "first_at": "m", "second_at": "m", "gear": "-",
}  # fmt: skip


class RobotNumbers:
    """The numbers of a robot that may become symbols: those that are not zero, entry by entry.

    ``values``: {dotted name: number}. A vector has entries ``.x``, ``.y``, ``.z``, an inertia ``.xx`` ... ``.yz`` about the
    centre of mass, values for several degrees of freedom ``.0``, ``.1``, ... Directions and rotations stay numbers.
    """

    def __init__(self, description: RobotDescription) -> None:
        self.robot = Robot.from_description(description)
        self.parameters = dict(_parameters(description))  # of the builder: {dotted name: {entry: number}}
        self.values = {
            f"{name}.{entry}" if entry else name: value
            for name, entries in self.parameters.items()
            for entry, value in entries.items()
            if value != 0.0
        }

    def named(self, words: Sequence[str]) -> list[str]:
        """The names that words mean: a number (``board.mass``), all of a vector (``front.at``), all of a part (``board``)."""
        found = [[name for name in self.values if name == word or name.startswith(f"{word}.")] or [word] for word in words]
        return list(dict.fromkeys(name for names in found for name in names))

    def units(self) -> dict[str, tuple[str, str]]:
        """{dotted name: (unit, meaning)}."""
        owners = {f"{name}.{entry}" if entry else name: name for name, entries in self.parameters.items() for entry in entries}
        return {name: (_UNITS.get(owners[name].rpartition(".")[2], "SI"), name) for name in self.values}

    def build(self, values: Mapping[str, Any]) -> Robot:
        """The robot with other numbers, or symbols, for some of ``values``."""
        changes: dict[str, Any] = {}
        for name, entries in self.parameters.items():
            new = {e: values.get(f"{name}.{e}" if e else name, value) for e, value in entries.items()}
            if any(new[entry] is not value for entry, value in entries.items()):
                changes[name] = _assembled(new)
        return self.robot.changed(changes)


def _assembled(entries: Mapping[str, Any]) -> Any:
    """A parameter of the builder from its entries."""
    if set(entries) == set(_MOMENTS):
        return about_centre(**entries)
    return entries[""] if "" in entries else tuple(entries.values())


def _parameters(description: RobotDescription) -> Iterator[tuple[str, dict[str, float]]]:
    for body in description.bodies:
        joint, inertia = body.joint, body.inertia
        yield f"{body.name}.mass", {"": float_of(inertia.mass)}
        yield f"{body.name}.centre", _vector(inertia.centre)
        yield f"{body.name}.inertia", {name: float(inertia.tensor[at]) for name, at in _MOMENTS.items()}
        yield f"{joint.name}.at", _vector(joint.parent_offset.position)
        yield f"{joint.name}.body_at", _vector(joint.child_offset.position)
        yield f"{joint.name}.pitch", {"": joint.pitch}
        for entry, reason in _ACTUATOR.items():
            value: Any = getattr(body.actuator, entry, 0.0)
            if np.any(getattr(body.actuator, reason, 0.0)):
                several = isinstance(value, tuple)
                yield f"{joint.name}.{entry}", {str(i): x for i, x in enumerate(value)} if several else {"": value}
        for marker in body.markers:
            yield f"{marker.name}.at", _vector(marker.pose.position)
    for _, wheel in description.wheels:  # after the bodies: a wheel that is a body takes this body along
        yield f"{wheel.name}.at", _vector(wheel.at)
        yield f"{wheel.name}.roller_angle", {"": wheel.roller_angle}
        yield f"{wheel.name}.radius", {"": wheel.radius or 0.0}
    for _, contact in description.contacts:
        draft = ContactDraft.of(contact)
        yield f"{contact.name}.at", _vector(contact.pose.position)
        yield f"{contact.name}.radius", {"": draft.radius or 0.0}
        yield f"{contact.name}.crown", {"": draft.crown or 0.0}
        yield f"{contact.name}.semi_axes", _vector(np.zeros(3) if draft.semi_axes is None else draft.semi_axes)
    for loop in description.loops:
        yield f"{loop.name}.first_at", _vector(loop.first_pose.position)
        yield f"{loop.name}.second_at", _vector(loop.second_pose.position)
        yield f"{loop.name}.pitch", {"": loop.pitch}
    for tie in description.ties:
        for word, entry in TieDraft.of(tie).parameters.items():
            if entry in ("stiffness", "damping", "rest", "tension") and getattr(tie, entry):
                yield f"{tie.name}.{word}", {"": float_of(getattr(tie, entry))}


def _vector(values: Any) -> dict[str, float]:
    return {name: float(value) for name, value in zip(_XYZ, values, strict=True)}
