"""A robot as URDF. Joints of several axes become chains of links without mass; what URDF does not hold is listed."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.files.urdf_friction import DRAKE, write_link_touch, write_touch
from locodyn.files.xml_writer import document, element, mesh_name, note_common, numbers, refuse_joint
from locodyn.robot import Actuator, Body, Compound, Mesh, Pose, RobotDescription, Shape
from locodyn.robot.collision import Collision
from locodyn.robot.pose import roll_pitch_yaw_of, rotation_to_axis
from locodyn.robot.values import float_of

_Z = np.array([0.0, 0.0, 1.0])
_FAR = 1e6  # m: URDF wants limits of every prismatic joint


def robot_urdf(description: RobotDescription, folder: Path, notes: Notes) -> str:
    """The text of a URDF file that will lie in ``folder``."""
    note_common(description, notes)
    for loop in description.loops:
        notes.lost(f"loop '{loop.name}'", "URDF is a tree; keep it in a YAML file with 'from'")
    for tie in description.ties:
        notes.lost(tie.words, "URDF has no springs between bodies; keep it in a YAML file with 'from'")
    ET.register_namespace("drake", DRAKE)
    return document(_Writer(description, folder, notes).root)


class _Writer:
    def __init__(self, description: RobotDescription, folder: Path, notes: Notes) -> None:
        self.folder, self.notes = folder, notes
        self.names = set(description.body_names)
        self.root = element(None, "robot", name=description.name)
        self.mimics = self.couplings(description)
        for body in description.bodies:
            self.body(body)

    def couplings(self, description: RobotDescription) -> dict[str, tuple[str, float, float]]:
        """Joints that mimic another one: its name, multiplier, offset. A joint can mimic one only."""
        found: dict[str, tuple[str, float, float]] = {}
        for coupling in description.couplings:
            free = [joint for joint in coupling.factors if joint not in found]
            if len(coupling.factors) > 2 or not free:
                self.notes.lost(coupling.words, "in URDF a joint mimics one other")
                continue
            leader = next(joint for joint in coupling.factors if joint != free[0])
            own, other = coupling.factors[free[0]], coupling.factors[leader]
            found[free[0]] = (leader, -other / own, coupling.offset / own)
        return found

    def body(self, body: Body) -> None:
        """The link of a body with the joint, or the chain of joints, that carries it."""
        joint, motions = body.joint, self.steps(body)
        places = [joint.parent_offset] + [Pose()] * (len(motions) - 1)
        names = [joint.name] if len(motions) == 1 else [f"{joint.name}.{k}" for k in range(len(motions))]
        chain = [(name, *motion, place) for name, motion, place in zip(names, motions, places, strict=True)]
        if joint.type == "fixed":
            chain = [(joint.name, "fixed", None, joint.parent_offset @ joint.child_offset)]
        elif not joint.child_offset.same_as(Pose(), 0.0):  # URDF's links begin at their joints
            chain.append((f"{body.name}_offset", "fixed", None, joint.child_offset))
        parent = body.parent
        if parent is None and joint.type == "free":
            self.note_free(body)
            chain = chain[1:]
            parent = self.empty_link(f"{body.name}_root") if chain else None
        elif parent is None and joint.type == "fixed" and chain[0][3].same_as(Pose(), 0.0):
            chain = []
        elif parent is None:
            parent = self.empty_link("world")
        for number, (name, kind, axis, place) in enumerate(chain):
            child = body.name if number == len(chain) - 1 else self.empty_link(f"{body.name}_{number}")
            self.joint(name, kind, axis, str(parent), child, place, body, number)
            parent = child
        self.link(body)

    def note_free(self, body: Body) -> None:
        self.notes.changed(f"base '{body.name}'", "URDF does not say that it is free; say so where it is read")
        if not body.joint.parent_offset.same_as(Pose(), 0.0):
            self.notes.lost(f"base '{body.name}'", "the place from which its motion is counted")

    def empty_link(self, name: str) -> str:
        element(self.root, "link", name=self.free(name))
        return str(self.root[-1].get("name"))

    def free(self, name: str) -> str:
        """A name for a link that is not taken."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    @staticmethod
    def steps(body: Body) -> list[tuple[str, np.ndarray | None]]:
        """The joint as URDF's joints, one after the other."""
        joint = body.joint
        if joint.type in ("revolute", "prismatic"):
            return [(joint.type, joint.axes[0])]
        if joint.type == "cylindrical":
            return [("prismatic", joint.axes[0]), ("revolute", joint.axes[0])]
        if joint.type == "universal":
            return [("revolute", joint.axes[0]), ("revolute", joint.axes[1])]
        if joint.type == "translating":
            return [("prismatic", axis) for axis in np.eye(3)]
        simple = {"fixed": ("fixed", None), "planar": ("planar", _Z), "free": ("floating", None)}
        if joint.type not in simple:
            raise refuse_joint(joint.name, joint.type, "URDF")
        return [simple[joint.type]]

    def joint(
        self, name: str, kind: str, axis: np.ndarray | None, parent: str, child: str, place: Pose, body: Body, number: int
    ) -> None:
        joint, actuator = body.joint, body.actuator or Actuator()
        count = joint.kind.nv if kind != "fixed" else 0
        keys = [entry.name for entry in actuator.numbers()]
        value = {key: 0.0 if not count else float_of(actuator.values(key, count)[number]) for key in keys}
        limited = all(math.isfinite(x) for x in joint.limits)
        turning = kind == "revolute"
        one = element(self.root, "joint", name=name, type="continuous" if turning and not limited else kind)
        self.origin(one, place)
        element(one, "parent", link=parent)
        element(one, "child", link=child)
        if axis is not None:
            element(one, "axis", xyz=axis)
        if kind in ("revolute", "prismatic"):
            self.limit(one, body, kind, limited, value["torque_limit"])
        if value["viscous"] or value["coulomb"]:
            element(one, "dynamics", damping=value["viscous"], friction=value["coulomb"])
        if name in self.mimics:
            leader, multiplier, offset = self.mimics[name]
            element(one, "mimic", joint=leader, multiplier=multiplier, offset=offset)
        for key, word in (("armature", "rotor inertia"), ("stiffness", "spring"), ("time_constant", "time constant")):
            if value[key]:
                self.notes.lost(f"joint '{joint.name}'", f"its {word}")
        if count and math.isfinite(value["no_load_speed"]):
            self.notes.lost(f"joint '{joint.name}'", "its no-load speed")
        if actuator.bristles is not None:
            self.notes.lost(f"joint '{joint.name}'", "the bristles of its friction")
        if value["coulomb"] and value["coulomb_speed"] != Actuator().coulomb_speed:
            self.notes.lost(f"joint '{joint.name}'", "the speed over which its dry friction is smoothed")

    def limit(self, one: ET.Element, body: Body, kind: str, limited: bool, effort: float) -> None:
        joint = body.joint
        speed = joint.speed_limit if math.isfinite(joint.speed_limit) else _FAR
        effort = effort if math.isfinite(effort) else _FAR
        if limited:
            element(one, "limit", lower=joint.limits[0], upper=joint.limits[1], effort=effort, velocity=speed)
            return
        if any(math.isfinite(x) for x in joint.limits):
            self.notes.lost(f"joint '{joint.name}'", "a limit on one side only")
        if kind == "prismatic":
            self.notes.changed(f"joint '{joint.name}'", f"URDF wants limits of its length: +-{_FAR:g} m")
            element(one, "limit", lower=-_FAR, upper=_FAR, effort=effort, velocity=speed)
        elif effort != _FAR or speed != _FAR:
            element(one, "limit", effort=effort, velocity=speed)

    @staticmethod
    def origin(parent: ET.Element, pose: Pose) -> None:
        if not pose.same_as(Pose(), 0.0):
            element(parent, "origin", xyz=pose.position, rpy=roll_pitch_yaw_of(pose.rotation))

    # ----------------------------------------------------------------------------------------------------------------- links
    def link(self, body: Body) -> None:
        inertia, t = body.inertia, body.inertia.tensor
        link = element(self.root, "link", name=body.name)
        if inertia.mass or np.any(inertia.tensor):
            inertial = element(link, "inertial")
            element(inertial, "origin", xyz=inertia.centre)
            element(inertial, "mass", value=inertia.mass)
            names = {"ixx": t[0, 0], "ixy": t[0, 1], "ixz": t[0, 2], "iyy": t[1, 1], "iyz": t[1, 2], "izz": t[2, 2]}
            element(inertial, "inertia", **names)
        if body.shape is not None:
            for shape in body.shape.parts if isinstance(body.shape, Compound) else (body.shape,):
                self.visual(link, shape, shape.pose(inertia.centre))
        for surface in body.collisions:
            self.collision(link, surface)
        write_link_touch(self.root, link, body.collisions, self.notes)
        for marker in body.markers:  # a frame is a link without mass
            element(self.root, "link", name=marker.name)
            joint = element(self.root, "joint", name=f"{marker.name}_frame", type="fixed")
            self.origin(joint, marker.pose)
            element(joint, "parent", link=body.name)
            element(joint, "child", link=marker.name)

    def collision(self, link: ET.Element, surface: Collision) -> None:
        """A surface of hard contact; a capsule is a cylinder and two balls."""
        radius, half, _ = surface.size
        parts: dict[str, list[tuple[Pose, str, dict[str, Any]]]] = {
            "box": [(Pose(), "box", {"size": 2.0 * surface.size})],
            "sphere": [(Pose(), "sphere", {"radius": radius})],
            "cylinder": [(Pose(), "cylinder", {"radius": radius, "length": 2.0 * half})],
        }
        balls = [(Pose(position=end * half * _Z), "sphere", {"radius": radius}) for end in (1.0, -1.0)]
        parts["capsule"] = [*parts["cylinder"], *balls]
        about = f"surface '{surface.name}'"
        if surface.kind not in parts:
            self.notes.lost(about, f"URDF has no {surface.kind}")
            return
        if surface.kind == "capsule":
            self.notes.changed(about, "URDF has no capsule: a cylinder and two balls")
        for pose, tag, size in parts[surface.kind]:
            one = element(link, "collision", name=surface.name)
            self.origin(one, surface.pose @ pose)
            element(element(one, "geometry"), tag, **size)
            write_touch(one, surface, self.notes)

    def visual(self, link: ET.Element, shape: Shape, pose: Pose) -> None:
        values: dict[str, Any] = vars(shape)
        if shape.word == "box":
            self.one(link, shape, pose, "box", size=values["size"])
        elif shape.word == "sphere":
            self.one(link, shape, pose, "sphere", radius=values["radius"])
        elif isinstance(shape, Mesh):
            scale = np.broadcast_to(values["scale"], (3,))
            file = mesh_name(shape, self.folder, self.notes)
            self.one(link, shape, pose, "mesh", filename=file, scale=None if np.all(scale == 1.0) else scale)
        elif shape.word in ("cylinder", "capsule"):
            along = pose @ Pose(rotation_to_axis(values["axis"]))
            self.one(link, shape, along, "cylinder", radius=values["radius"], length=values["length"])
            if shape.word == "capsule":
                for end in (0.5, -0.5):
                    ball = along @ Pose(position=end * values["length"] * _Z)
                    self.one(link, shape, ball, "sphere", radius=values["radius"])
        else:
            self.notes.lost(f"shape of link '{link.get('name')}'", f"URDF has no {shape.word}")

    def one(self, link: ET.Element, shape: Shape, pose: Pose, tag: str, **size: Any) -> None:
        visual = element(link, "visual")
        self.origin(visual, pose)
        element(element(visual, "geometry"), tag, **size)
        if shape.colour is not None:
            rgba = (*shape.colour, 1.0)[:4]
            name = "colour_" + "_".join(f"{round(255 * x):02x}" for x in rgba)
            element(element(visual, "material", name=name), "color", rgba=numbers(rgba))
