"""Parameters of a robot in the making by dotted names: ``board.mass``, ``rotor.armature``, ``front.wheel.radius``."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from locodyn.errors import InputError, nearest
from locodyn.robot.actuator import Actuator
from locodyn.robot.rods.rod import Rod

if TYPE_CHECKING:
    from locodyn.robot.building.builder import Robot

_BODY_FIELDS = ("mass", "density", "centre", "inertia", "shape")
_JOINT_FIELDS = ("at", "turned", "body_at", "body_turned", "axis", "axes", "pitch", "limits", "speed_limit")
_ACTUATOR_FIELDS = tuple(entry.name for entry in fields(Actuator))
_ROD_FIELDS = tuple(entry.name for entry in fields(Rod))
_WRENCH_FIELDS = ("at", "turned", "law", "at_s", "along", "profile")
_LOOP_FIELDS = ("axis", "second_axis", "pitch", "first_at", "first_turned", "second_at", "second_turned")

_COUPLING_FIELDS = ("factors", "offset")


def parameters(robot: Robot) -> tuple[str, ...]:
    """The dotted names that :func:`change` knows."""
    drafts = robot._drafts.values()
    names = [f"{draft.name}.{entry}" for draft in drafts for entry in _BODY_FIELDS]
    for draft in drafts:
        names += [f"{draft.joint_name or draft.name}.{entry}" for entry in _JOINT_FIELDS + _ACTUATOR_FIELDS]
        names += [f"{draft.name}.{entry}" for entry in _ROD_FIELDS if draft.rod is not None]
        names += [f"{marker}.{entry}" for marker in draft.markers for entry in ("at", "turned")]
        names += [f"{wheel.name}.{entry}" for wheel in draft.wheels.values() for entry in wheel.parameters]
        names += [f"{contact.name}.{entry}" for contact in draft.contacts.values() for entry in contact.parameters]
    names += [f"{wrench}.{entry}" for wrench in robot._wrenches for entry in _WRENCH_FIELDS]
    names += [f"{loop}.{entry}" for loop in robot._loops for entry in _LOOP_FIELDS]
    names += [f"{coupling}.{entry}" for coupling in robot._couplings for entry in _COUPLING_FIELDS]
    names += [f"{tie}.{entry}" for tie, draft in robot._ties.items() for entry in draft.parameters]
    return tuple(dict.fromkeys(names))


def change(robot: Robot, key: str, value: Any) -> None:
    """Set one parameter; a wheel with a body of its own takes this body along."""
    owner, _, entry = str(key).rpartition(".")
    by_joint = {draft.joint_name or draft.name: draft for draft in robot._drafts.values()}
    marked = next((draft for draft in robot._drafts.values() if owner in draft.markers), None)
    carrier = next((draft for draft in robot._drafts.values() if owner in draft.wheels), None)
    touching = next((draft.contacts[owner] for draft in robot._drafts.values() if owner in draft.contacts), None)
    joint = by_joint.get(owner) or robot._drafts.get(owner)
    if carrier is not None and entry in carrier.wheels[owner].parameters:
        wheel = carrier.wheels[owner]
        setattr(wheel, entry, value)
        body = None if wheel.coordinate is None else by_joint.get(wheel.coordinate)
        if body is not None and body.parent == carrier.name:
            wheel.place(body)
    elif touching is not None and entry in touching.parameters:
        setattr(touching, entry, value)
    elif owner in robot._drafts and entry in _BODY_FIELDS:
        draft = robot._drafts[owner]
        setattr(draft, entry, value)
        if entry == "mass":
            draft.density = None
        elif entry == "density":
            draft.mass = None
    elif joint is not None and joint.rod is not None and entry in _ROD_FIELDS:
        joint.rod = replace(joint.rod, **{entry: value})
    elif joint is not None and entry in _ACTUATOR_FIELDS:
        joint.actuator = replace(joint.actuator or Actuator(), **{entry: value})
    elif joint is not None and entry == "axis":
        joint.axes = (value,)
    elif joint is not None and entry in _JOINT_FIELDS:
        setattr(joint, entry, value)
    elif marked is not None and entry in ("at", "turned"):
        at, turned = marked.markers[owner]
        marked.markers[owner] = (value, turned) if entry == "at" else (at, value)
    elif owner in robot._wrenches and entry in _WRENCH_FIELDS:
        setattr(robot._wrenches[owner], entry, value)
    elif owner in robot._loops and entry in _LOOP_FIELDS:
        setattr(robot._loops[owner], entry, value)
    elif owner in robot._couplings and entry in _COUPLING_FIELDS:
        robot._couplings[owner] = replace(robot._couplings[owner], **{entry: value})
    elif owner in robot._ties and entry in robot._ties[owner].parameters:
        robot._ties[owner].change(entry, value)
    else:
        raise InputError(f"Robot '{robot.name}' has no parameter '{key}'{nearest(key, parameters(robot))}")
    robot._touched()
