"""A robot as a robot file in YAML; what is read back has the same numbers, bit for bit."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.files.notes import Notes
from locodyn.files.parts import WRENCH_LAWS, friction_words
from locodyn.files.rod_contact_words import rod_contact_words
from locodyn.files.rods import rod_words, spread_words, strand_words
from locodyn.files.tie_words import tie_entry
from locodyn.files.yaml_writer import dump
from locodyn.robot import Actuator, Body, Compound, Contact, Inertia, Loop, Pose, RobotDescription, Shape, Wheel
from locodyn.robot.building.contact_draft import ContactDraft
from locodyn.robot.collision import Collision, collision_of
from locodyn.robot.description import holds_symbols
from locodyn.robot.joint import KINDS
from locodyn.robot.pose import AXES, pose_from, quaternion_of_rotation, rotation_about, rotation_of_quaternion
from locodyn.robot.values import float_of
from locodyn.world.water import WetDrag, WetLaw

_WORDS = {
    "revolute": "turning", "prismatic": "sliding", "helical": "screwing", "cylindrical": "cylindrical", "universal": "universal",
    "spherical": "ball", "translating": "translating", "planar": "planar", "free": "free", "fixed": "fixed",
    "rod": "rod",
}  # fmt: skip


def robot_yaml(description: RobotDescription, folder: Path, notes: Notes) -> str:
    """The text of a robot file that will lie in ``folder``; what it cannot hold goes to ``notes``."""
    if holds_symbols(description):
        raise InputError(f"robot '{description.name}' holds symbols; a file holds numbers only.")
    writer = _Writer(folder, notes)
    base, *others = description.bodies
    result: dict[str, Any] = {"robot": description.name}
    for option in ("massless_ok", "any_inertia"):
        if getattr(description, option):
            result[option] = True
    result["base"] = writer.base(base)
    result |= _filled("bodies", {body.name: writer.body(body) for body in others})
    result |= _filled("loops", {loop.name: writer.loop(loop) for loop in description.loops})
    couplings = {
        one.name: {"factors": dict(one.factors)} | ({"offset": one.offset} if one.offset else {}) for one in description.couplings
    }
    result |= _filled("couplings", couplings)
    for tie in description.ties:
        section, entry = tie_entry(tie, place)
        result.setdefault(section, {})[tie.name] = entry
    wrenches = {}
    for wrench in description.wrenches:
        law = writer.law(wrench.law, f"wrench law '{wrench.name}'")
        if law is not None:
            along = spread_words(wrench, notes)
            if along is not None:
                wrenches[wrench.name] = {"acts_on": wrench.body, "law": law, **place(wrench.pose), **along}
    return dump(result | _filled("wrenches", wrenches))


def _filled(key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: dict(values)} if values else {}


# ------------------------------------------------------------------------------------------------------------------ numbers
def numbers(values: Any) -> list[Any]:
    """An array as lists of floats; minus zero is zero."""
    found: list[Any] = (np.asarray(values, dtype=float) + 0.0).tolist()
    return found


def axis(direction: np.ndarray) -> Any:
    """``z``, ``-x`` or a vector."""
    return next((name for name, unit in AXES.items() if np.array_equal(direction, unit)), None) or numbers(direction)


def rotation(matrix: np.ndarray) -> Any:
    """The shortest form that gives the same matrix, bit for bit: nothing, [axis, angle], a quaternion, a matrix."""
    if np.array_equal(matrix, np.eye(3)):
        return None
    for k, name in enumerate("xyz"):
        i, j = (k + 1) % 3, (k + 2) % 3
        angle = math.atan2(matrix[j, i], matrix[i, i])
        for candidate in (angle, round(angle, 12)):
            if np.array_equal(rotation_about(name, candidate), matrix):
                return [name, candidate]
    quaternion = quaternion_of_rotation(matrix)
    if np.array_equal(rotation_of_quaternion(quaternion / np.linalg.norm(quaternion)), matrix):
        return numbers(quaternion)
    return numbers(matrix)


def place(pose: Pose, prefix: str = "") -> dict[str, Any]:
    """``at`` and ``turned``, where they are not those of the identity."""
    found: dict[str, Any] = {}
    if np.any(pose.position):
        found[f"{prefix}at"] = numbers(pose.position)
    turned = rotation(pose.rotation)
    return found if turned is None else found | {f"{prefix}turned": turned}


def substance(inertia: Inertia, shape: Shape | None) -> dict[str, Any]:
    """Mass, centre and moments about the centre; the centre is said where the shape would give another one."""
    centre = {"centre": numbers(inertia.centre)} if np.any(inertia.centre) or (shape is not None and shape.at is not None) else {}
    if inertia.mass == 0.0 and not np.any(inertia.tensor):
        return centre
    result: dict[str, Any] = {"mass": float_of(inertia.mass), **centre}
    tensor = inertia.tensor
    if not np.array_equal(tensor, tensor.T):
        result["inertia"] = numbers(tensor)
    else:  # a zero tensor is said too: without it the shape, if there is one, would give another
        names = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        result["inertia"] = {name: float(tensor[at]) + 0.0 for name, at in names.items() if len(set(at)) == 1 or tensor[at]}
    return result


def actuator_words(actuator: Actuator) -> dict[str, Any]:
    """The values that are not the defaults."""
    nothing, found = Actuator(), {}
    for entry in Actuator.numbers():
        value = getattr(actuator, entry.name)
        if value != getattr(nothing, entry.name):
            found[entry.name] = list(value) if isinstance(value, tuple) else value
    if actuator.bristles is not None:
        found["bristles"] = {entry.name: getattr(actuator.bristles, entry.name) for entry in fields(actuator.bristles)}
    return found


def _is_that_of_the_body(surface: Collision, body: Body) -> bool:
    """Whether a surface is the shape of its body, bit for bit: then a file need not repeat it."""
    if body.shape is None or body.shape.word != surface.kind:
        return False
    own = collision_of(surface.name, surface.name, body.shape, None, np.asarray(body.inertia.centre), 0.0, 0.0, "x")
    pairs = ((own.size, surface.size), (own.pose.position, surface.pose.position), (own.pose.rotation, surface.pose.rotation))
    return all(np.array_equal(*pair) for pair in pairs)


class _Writer:
    """Bodies, loops and laws of one robot."""

    def __init__(self, folder: Path, notes: Notes) -> None:
        self.folder, self.notes = folder, notes

    # --------------------------------------------------------------------------------------------------------------- bodies
    def base(self, body: Body) -> dict[str, Any]:
        joint = body.joint
        result: dict[str, Any] = {"name": body.name, "moves": joint.type}
        if joint.axes:
            result["axis"] = axis(joint.axes[0])
        result |= place(joint.parent_offset) | place(joint.child_offset, "body_")
        return result | substance(body.inertia, body.shape) | self.bears(body)

    def body(self, body: Body) -> dict[str, Any]:
        joint = body.joint
        result: dict[str, Any] = {"parent": body.parent} | ({} if joint.abscissa is None else {"at_s": float(joint.abscissa)})
        result |= place(joint.parent_offset) | place(joint.child_offset, "body_")
        axes = [axis(one) for one in joint.axes]
        value: Any = True if KINDS[joint.type].axes == 0 else axes[0] if len(axes) == 1 else axes
        if joint.type == "helical":
            value = {"axis": axes[0], "pitch": float(joint.pitch)}
        elif joint.rod is not None:
            value = rod_words(joint.rod, body.name)
        result[_WORDS[joint.type]] = value
        return result | substance(body.inertia, body.shape) | self.bears(body) | self.along_rod(body)

    def along_rod(self, body: Body) -> dict[str, Any]:
        """Tendons, chambers, muscles, anchors, sleeves and pegs."""
        return strand_words(body.strands, self.notes) | rod_contact_words(body.rod_contacts, self.notes)

    def bears(self, body: Body) -> dict[str, Any]:
        joint, result = body.joint, {}
        shape = None if body.shape is None else self.shape(body.shape)
        if shape is not None:
            result["shape"] = shape
        if joint.name != body.name:
            result["joint"] = joint.name
        if joint.coordinates:
            result["coordinates"] = list(joint.coordinates)
        if joint.is_limited:
            values = {"lower": joint.limits[0], "upper": joint.limits[1], "speed": joint.speed_limit}
            result["limits"] = {name: value for name, value in values.items() if math.isfinite(value)}
        if body.actuator is not None:
            result["actuator"] = self.actuator(body.actuator, joint.name)
        result |= _filled("markers", {marker.name: place(marker.pose) for marker in body.markers})
        result |= _filled("wheels", {wheel.name: self.wheel(wheel) for wheel in body.wheels if wheel.kind != "skate"})
        result |= _filled("skates", {wheel.name: self.wheel(wheel) for wheel in body.wheels if wheel.kind == "skate"})
        result |= _filled("rolling", {one.name: self.contact(one) for one in body.contacts if one.kind != "point"})
        result |= _filled("feet", {one.name: self.contact(one) for one in body.contacts if one.kind == "point"})
        surfaces = {one.name: self.surface(one, body) for one in body.collisions if one.kind != "support"}
        result |= _filled("collides", surfaces)
        result |= _filled("rests", {one.name: self.surface(one, body) for one in body.collisions if one.kind == "support"})
        if body.fluid is not None:
            result["fluid"] = {"matrix": numbers(body.fluid)} | ({"unbounded": True} if body.unbounded else {})
        return result

    def actuator(self, actuator: Actuator, joint: str) -> dict[str, Any]:
        words = actuator_words(actuator)
        for key, word in (("torque_limit", "torque limits"), ("no_load_speed", "no-load speeds")):
            limit = words.get(key)
            if isinstance(limit, list) and not all(math.isfinite(value) for value in limit):
                del words[key]
                words.pop("no_load_speed", None)
                self.notes.lost(f"joint '{joint}'", f"{word} of some of its coordinates only; they are left out")
        return words

    def wheel(self, wheel: Wheel) -> dict[str, Any]:
        result: dict[str, Any] = {"at": numbers(wheel.at)} if np.any(wheel.at) else {}
        if wheel.kind == "skate":
            result["along"] = axis(wheel.heading)
        else:
            result["axis"] = axis(wheel.axle)
            result["kind"] = wheel.kind
        if axis(wheel.vertical) != "z":
            result["vertical"] = axis(wheel.vertical)
        for name, nothing in (("radius", None), ("roller_angle", 0.0), ("actuated", False), ("coordinate", None)):
            value = getattr(wheel, name)
            if value != nothing:
                result[name] = value
        contact = None if wheel.contact is None else self.law(wheel.contact, f"contact of wheel '{wheel.name}'")
        return result if contact is None else result | {"contact": contact}

    @staticmethod
    def contact(contact: Contact) -> dict[str, Any]:
        draft = ContactDraft.of(contact)
        sizes = {"radius": draft.radius, "crown": draft.crown}
        result: dict[str, Any] = {name: float(value) for name, value in sizes.items() if value}
        if draft.axis is not None:
            result["axis"] = axis(draft.axis)
        if draft.semi_axes is not None:
            result["semi_axes"] = numbers(draft.semi_axes)
        result |= place(pose_from(draft.at, draft.turned, f"The place of contact '{contact.name}'"))
        if axis(contact.normal) != "z":
            result["normal"] = axis(contact.normal)
        if np.any(contact.ground):
            result["ground"] = numbers(contact.ground)
        return result | ({"slips": True} if contact.slips else {})

    @staticmethod
    def surface(surface: Collision, body: Body) -> dict[str, Any]:
        result: dict[str, Any] = {}
        size = surface.size
        if surface.kind == "support":
            result = {"load": float(size[0]), **place(surface.pose)}
        elif surface.kind == "rod":
            result["radius"] = float(size[0])
        elif surface.kind == "points":
            result["vertices"] = numbers(surface.vertices)
        elif not _is_that_of_the_body(surface, body):
            solid = {
                "sphere": float(size[0]),
                "capsule": {"radius": float(size[0]), "length": float(2.0 * size[1])},
                "cylinder": {"radius": float(size[0]), "length": float(2.0 * size[1])},
                "box": numbers(2.0 * size),
                "ellipsoid": numbers(size),
            }
            shape = {surface.kind: solid[surface.kind], **place(surface.pose), "at": numbers(surface.pose.position)}
            result["shape"] = shape
        friction = friction_words(surface.friction)
        result |= {} if friction == 0.0 else {"friction": friction}
        result |= {"restitution": surface.restitution} if surface.restitution else {}
        return result if axis(surface.direction) == "x" else result | {"direction": axis(surface.direction)}

    # ---------------------------------------------------------------------------------------------------------------- shapes
    def shape(self, shape: Shape) -> Any:
        if isinstance(shape, Compound):
            return [self.shape(part) for part in shape.parts]
        look: dict[str, Any] = {} if shape.at is None else {"at": numbers(shape.at)}
        turned = rotation(shape.turned)
        look |= {} if turned is None else {"turned": turned}
        look |= {} if shape.colour is None else {"colour": list(shape.colour)}
        values = vars(shape)
        if shape.word in ("box", "ellipsoid"):
            return {shape.word: numbers(values["size" if shape.word == "box" else "semi_axes"]), **look}
        if shape.word == "sphere":
            return {"sphere": float(values["radius"]), **look}
        if shape.word == "mesh":
            scale = values["scale"]
            factor = {} if np.array_equal(scale, 1.0) else {"scale": numbers(scale) if np.ndim(scale) else float(scale)}
            return {"mesh": self.mesh(values["path"]), **factor, **look}
        size = {name: float(values[name]) for name in ("radius", "length")}
        return {shape.word: {**size, "axis": axis(values["axis"])}, **look}

    def mesh(self, path: str) -> str:
        """The path seen from the folder of the file; one outside of it can be read back with another root only."""
        relative = os.path.relpath(path, self.folder)
        if relative.startswith(os.pardir):
            self.notes.changed(f"mesh '{Path(path).name}'", "it lies outside of the folder of the new file: read it with --root")
        return Path(relative).as_posix()

    # ----------------------------------------------------------------------------------------------------------------- laws
    def law(self, law: Any, what: str) -> dict[str, Any] | None:
        kind = next((name for name, known in WRENCH_LAWS.items() if type(law) is known), None)
        if kind is None:
            self.notes.lost(what, "a law made in Python cannot be written")
            return None
        values = {entry.name: getattr(law, entry.name) for entry in fields(law)}
        if isinstance(law, WetLaw):
            values = self.wet(law)
        return {kind: {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}}

    def wet(self, law: WetLaw) -> dict[str, Any]:
        """The values of a law of water."""
        values: dict[str, Any] = {"shape": self.shape(law.shape)} if isinstance(law.shape, Shape) else {}
        water = law.water
        values["water"] = {"density": water.density, "level": water.level}
        if water.wave is not None:
            values["water"]["wave"] = {entry.name: getattr(water.wave, entry.name) for entry in fields(water.wave)}
            values["water"]["wave"]["direction"] = list(water.wave.direction)
        if isinstance(law, WetDrag):
            values["drag"] = {entry.name: list(getattr(law.drag, entry.name)) for entry in fields(law.drag)}
        return values

    @staticmethod
    def loop(loop: Loop) -> dict[str, Any]:
        ends = {"first": loop.first or "world", "second": loop.second or "world", "joint": loop.type}
        result = {**ends, "axis": axis(loop.axis)}
        if loop.has_second_axis:
            result["second_axis"] = axis(loop.second_axis)
        if loop.pitch:
            result["pitch"] = loop.pitch
        return result | place(loop.first_pose, "first_") | place(loop.second_pose, "second_")
