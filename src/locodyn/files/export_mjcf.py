"""A robot as MJCF (MuJoCo); what MJCF does not hold is listed."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.files.export_contacts import ContactWriter
from locodyn.files.notes import Notes
from locodyn.files.xml_writer import document, element, mesh_name, note_common, refuse_joint
from locodyn.robot import Actuator, Body, Compound, Inertia, Pose, RobotDescription, Shape
from locodyn.robot.pose import quaternion_of_rotation, rotation_to_axis
from locodyn.robot.values import float_of

if TYPE_CHECKING:
    from locodyn.sim.parts import World

_X, _Y, _Z = np.eye(3)
_TINY = 1e-15  # kg: MuJoCo refuses moving bodies of less mass
_THIN = 1e-13  # kg m^2: MuJoCo refuses moving bodies of less inertia


def robot_mjcf(description: RobotDescription, folder: Path, notes: Notes, world: World | None = None) -> str:
    """The text of an MJCF file that will lie in ``folder``; with what stands in the ``world``, where it is known."""
    note_common(description, notes)
    return document(_Writer(description, folder, notes, world).root)


class _Writer:
    def __init__(self, description: RobotDescription, folder: Path, notes: Notes, world: World | None) -> None:
        self.folder, self.notes = folder, notes
        self.root = element(None, "mujoco", model=description.name)
        balance = "true" if description.any_inertia else None
        element(self.root, "compiler", angle="radian", autolimits="true", balanceinertia=balance, meshdir=".")
        if balance:
            notes.changed("inertias", "MuJoCo refuses inertias that no body can have; it balances them")
        self.assets = element(self.root, "asset")
        self.elements: dict[str | None, ET.Element] = {None: element(self.root, "worldbody")}
        self.still: dict[str | None, Pose] = {}  # poses of the bodies that are fixed to the world
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}
        self.motors = element(None, "actuator")
        for body in description.bodies:
            self.body(body)
        ContactWriter(self.root, self.elements, self.assets, notes, world).write(description)
        if world is not None:
            element(self.root, "option", gravity=world.gravity)
        if len(self.motors):
            self.root.append(self.motors)
        if description.loops or description.couplings:
            self.equalities(description)
        if description.ties:
            self.tendons(description)
        if not len(self.assets):
            self.root.remove(self.assets)

    def body(self, body: Body) -> None:
        joint, inertia = body.joint, body.inertia
        place = joint.parent_offset @ joint.child_offset
        parent = body.parent
        if joint.type == "free" and parent in self.still:  # MuJoCo has free bodies in the world only
            place, parent = self.still[parent] @ place, None
        if joint.type == "fixed" and (parent is None or parent in self.still):
            self.still[body.name] = place if parent is None else self.still[parent] @ place
        if body.name == "world" and body.parent is None and joint.type == "fixed" and place.same_as(Pose()):
            one = self.elements[None]  # MuJoCo's own body of this name
            inertia = Inertia.none()
        else:
            one = element(self.elements[parent], "body", name=body.name, pos=place.position)
            one.attrib |= self.turned(place)
        self.elements[body.name] = one
        if joint.type == "free" and parent is not None:
            raise refuse_joint(joint.name, "free on another body", "MJCF")
        for number, (kind, axis) in enumerate(self.steps(body)):
            self.joint(one, body, number, kind, axis)
        if inertia.mass or np.any(inertia.tensor):
            self.inertial(one, body)
        if joint.kind.nv and float_of(inertia.mass) < _TINY:
            self.notes.changed(f"body '{body.name}'", "MuJoCo refuses a moving body without mass, unless fixed parts give it one")
        if body.shape is not None:
            for shape in body.shape.parts if isinstance(body.shape, Compound) else (body.shape,):
                self.geom(one, shape, shape.pose(inertia.centre))
        for marker in body.markers:
            site = element(one, "site", name=marker.name, pos=marker.pose.position)
            site.attrib |= self.turned(marker.pose)

    def inertial(self, one: ET.Element, body: Body) -> None:
        inertia, t = body.inertia, body.inertia.tensor
        moments, axes = np.linalg.eigh(t)
        if moments[0] > _THIN:
            full = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
            element(one, "inertial", pos=inertia.centre, mass=inertia.mass, fullinertia=full)
            return
        axes[:, 2] *= np.linalg.det(axes)
        self.notes.changed(f"body '{body.name}'", f"MuJoCo wants positive moments: they are at least {_THIN:g} kg m^2")
        raised = np.maximum(moments, _THIN)
        new = element(one, "inertial", pos=inertia.centre, mass=inertia.mass, diaginertia=raised)
        new.attrib |= self.turned(Pose(axes))

    @staticmethod
    def turned(pose: Pose) -> dict[str, str]:
        if np.array_equal(pose.rotation, np.eye(3)):
            return {}
        return {"quat": " ".join(repr(float(x)) for x in quaternion_of_rotation(pose.rotation))}

    # --------------------------------------------------------------------------------------------------------------- joints
    @staticmethod
    def steps(body: Body) -> list[tuple[str, np.ndarray | None]]:
        """The joint as MuJoCo's joints of one body; axes in the frame of the joint."""
        joint = body.joint
        kinds: dict[str, list[tuple[str, Any]]] = {
            "fixed": [],
            "free": [("free", None)],
            "spherical": [("ball", None)],
            "translating": [("slide", _X), ("slide", _Y), ("slide", _Z)],
            "planar": [("slide", _X), ("slide", _Y), ("hinge", _Z)],
        }
        if joint.type in kinds:
            return kinds[joint.type]
        words = {"revolute": ("hinge",), "prismatic": ("slide",), "cylindrical": ("slide", "hinge"), "universal": ("hinge",) * 2}
        if joint.type not in words:
            raise refuse_joint(joint.name, joint.type, "MJCF")
        axes = joint.axes if joint.type == "universal" else joint.axes * 2
        return list(zip(words[joint.type], axes, strict=False))

    def joint(self, one: ET.Element, body: Body, number: int, kind: str, axis: np.ndarray | None) -> None:
        """A joint of the body, placed in the frame of the body, with its damper, spring, rotor and motor."""
        joint, actuator, count = body.joint, body.actuator or Actuator(), body.joint.kind.nv
        several = len(self.steps(body)) > 1
        name = f"{joint.name}.{number}" if several else joint.name
        back = joint.child_offset.inverse()
        keys = [entry.name for entry in actuator.numbers()]
        value = {key: actuator.values(key, count)[number] for key in keys}
        uniform = several or all(len(set(actuator.values(key, count))) == 1 for key in keys)
        if value["time_constant"]:
            self.notes.lost(f"joint '{joint.name}'", "its time constant")
        if math.isfinite(float_of(value["no_load_speed"])):
            self.notes.lost(f"joint '{joint.name}'", "its no-load speed")
        if actuator.bristles is not None:
            self.notes.lost(f"joint '{joint.name}'", "the bristles of its friction")
        if not uniform:
            self.notes.lost(f"joint '{joint.name}'", "values that differ between its coordinates; the first stands for all")
        limits = {"range": joint.limits} if all(math.isfinite(x) for x in joint.limits) else {}
        if not limits and any(math.isfinite(x) for x in joint.limits):
            self.notes.lost(f"joint '{joint.name}'", "a limit on one side only")
        if math.isfinite(joint.speed_limit):
            self.notes.lost(f"joint '{joint.name}'", "its speed limit")
        place = {} if kind == "free" else {"pos": back.position, "axis": None if axis is None else back.rotation @ axis}
        armature = actuator.reflected_inertia(count)[number]
        numbers = {"damping": value["viscous"], "armature": armature, "frictionloss": value["coulomb"]}
        numbers |= {"stiffness": value["stiffness"], "springref": value["rest"] if value["stiffness"] else 0.0}
        if kind == "free" and (value["viscous"] or armature or value["coulomb"]):
            self.notes.lost(f"joint '{joint.name}'", "friction and rotor of a free joint")
        nonzero = {key: x for key, x in numbers.items() if x and kind != "free"}
        element(one, "joint", name=name, type=kind, **place, **limits, **nonzero)
        limit = float_of(value["torque_limit"])
        if math.isfinite(limit) and kind in ("hinge", "slide"):
            span = (-limit, limit)
            element(self.motors, "motor", name=f"{name}.motor", joint=name, ctrlrange=span, forcerange=span)
        if joint.type == "planar" and number == 0:
            self.notes.changed(f"joint '{joint.name}'", "two slides and a hinge: the same motion, velocities in fixed axes")

    # ---------------------------------------------------------------------------------------------------------------- shapes
    def geom(self, one: ET.Element, shape: Shape, pose: Pose) -> None:
        values: dict[str, Any] = vars(shape)
        kind = {"box": "box", "sphere": "sphere", "ellipsoid": "ellipsoid", "mesh": "mesh"}.get(shape.word, shape.word)
        size: dict[str, Any] = {}
        if kind == "box":
            size["size"] = 0.5 * np.asarray(values["size"])
        elif kind == "ellipsoid":
            size["size"] = values["semi_axes"]
        elif kind == "sphere":
            size["size"] = values["radius"]
        elif kind == "mesh":
            size["mesh"] = self.mesh(shape, np.broadcast_to(values["scale"], (3,)))
        else:
            size["size"] = (values["radius"], 0.5 * values["length"])
            pose = pose @ Pose(rotation_to_axis(values["axis"]))
        rgba = None if shape.colour is None else (*shape.colour, 1.0)[:4]
        drawn = {"contype": "0", "conaffinity": "0", "group": "1", "mass": "0"}
        geom = element(one, "geom", type=kind, pos=pose.position, rgba=rgba, **size, **drawn)
        geom.attrib |= self.turned(pose)

    def mesh(self, shape: Any, scale: np.ndarray) -> str:
        file = mesh_name(shape, self.folder, self.notes)
        key = (file, tuple(float(x) for x in scale))
        if key not in self.meshes:
            self.meshes[key] = f"mesh_{len(self.meshes)}"
            element(self.assets, "mesh", name=self.meshes[key], file=file, scale=None if np.all(scale == 1.0) else scale)
        return self.meshes[key]

    # -------------------------------------------------------------------------------------------------------------- equality
    def equalities(self, description: RobotDescription) -> None:
        equality = element(None, "equality")
        for loop in description.loops:
            if loop.type not in ("spherical", "fixed"):
                self.notes.lost(
                    f"loop '{loop.name}'", f"MJCF closes loops by balls (connect) and welds only; it is of the type {loop.type}"
                )
                continue
            first, second = (
                self.site(loop.first, loop.first_pose, loop.name, 1),
                self.site(loop.second, loop.second_pose, loop.name, 2),
            )
            element(equality, "connect" if loop.type == "spherical" else "weld", name=loop.name, site1=first, site2=second)
            self.notes.changed(f"loop '{loop.name}'", "MuJoCo holds it by a stiff spring")
        for coupling in description.couplings:
            (one, factor), *rest = coupling.factors.items()
            if len(rest) > 1:
                self.notes.lost(coupling.words, "MJCF couples two joints")
                continue
            line = (coupling.offset / factor, -rest[0][1] / factor, 0.0, 0.0, 0.0)
            element(equality, "joint", name=coupling.name, joint1=one, joint2=rest[0][0], polycoef=line)
            self.notes.changed(coupling.words, "MuJoCo holds it by a stiff spring")
        if len(equality):
            self.root.append(equality)

    def tendons(self, description: RobotDescription) -> None:
        """Linear springs and cables through sites; a rope has no force from 0 to its rest length."""
        tendons = element(None, "tendon")
        for tie in description.ties:
            plain = not tie.turns and tie.curve is None and tie.damping_curve is None and not tie.tension
            if not plain or (tie.pulls_only and tie.damping):
                self.notes.lost(tie.words, "MJCF has linear springs between points, dampers that push and pull, no preload")
                continue
            rest = None if tie.rest is None else (0.0 if tie.pulls_only else tie.rest, tie.rest)
            if rest is None and tie.pulls_only:
                self.notes.lost(tie.words, "MJCF wants the rest length of a rope: give one")
                continue
            law = {"stiffness": tie.stiffness, "damping": tie.damping, "springlength": rest}
            one = element(tendons, "spatial", name=tie.name, **law)
            for number, hold in enumerate(tie.holds, start=1):
                element(one, "site", site=self.site(hold.body, hold.pose, tie.name, number))
        if len(tendons):
            self.root.append(tendons)

    def site(self, body: str | None, pose: Pose, loop: str, number: int) -> str:
        name = f"{loop}.end_{number}"
        site = element(self.elements[body], "site", name=name, pos=pose.position)
        site.attrib |= self.turned(pose)
        return name
