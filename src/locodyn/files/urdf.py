"""URDF files: links, joints, limits, meshes and colours become a robot; what it cannot hold is listed."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from locodyn.errors import LocodynError
from locodyn.files.assemble import Part, assembled
from locodyn.files.drawn_shapes import inertia_box
from locodyn.files.loaded import Loaded
from locodyn.files.notes import Notes
from locodyn.files.paths import find_mesh
from locodyn.files.reading import Reading
from locodyn.files.surfaces import ground_below, surface
from locodyn.files.urdf_friction import USUAL, Touch, by_link, read_touches
from locodyn.files.urdf_tags import check_tags, check_tree, lines
from locodyn.files.xml_reader import required_package
from locodyn.robot import Actuator, Box, Compound, Coupling, Cylinder, Friction, Mesh, Pose, Shape, Sphere, about_centre
from locodyn.robot.collision import Collision
from locodyn.robot.pose import rotation_to_axis

_WORDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "floating": "free",
          "planar": "planar", "spherical": "spherical", "ball": "spherical"}  # fmt: skip


def read_urdf(root: Any, file: Path, reading: Reading, notes: Notes) -> Loaded:
    """The robot of a URDF tree (lxml); ``notes``: what was said already.

    ``reading.moves``: how the root link moves; by default ``fixed`` if it is called ``world`` or nothing has mass, else ``free``.
    """
    touches = read_touches(root, file) if reading.collides else {}
    check_tags(root, file, notes)
    found = lines(root, file)
    top = check_tree(root, file)
    etree, yourdfpy = required_package("lxml.etree", "reading URDF"), required_package("yourdfpy", "reading URDF")
    options = {"build_scene_graph": False, "load_meshes": False, "build_collision_scene_graph": False}
    model = yourdfpy.URDF.load(io.BytesIO(etree.tostring(root)), **options).robot
    return _Reader(model, file, reading, found, notes, by_link(root, touches)).loaded(top)


class _Reader:
    """Turns the links and joints of yourdfpy into parts."""

    def __init__(
        self,
        model: Any,
        file: Path,
        reading: Reading,
        places: dict[tuple[str, str], int],
        notes: Notes,
        touches: dict[str, list[Touch]],
    ) -> None:
        self.model, self.file, self.reading, self.places, self.notes, self.touches = model, file, reading, places, notes, touches
        self.root = reading.within(file)
        self.colours = {m.name: m.color.rgba for m in model.materials if m.color is not None}
        self.links = {link.name: link for link in model.links}
        self.joints = {joint.child: joint for joint in model.joints}
        self.root_place = Pose()

    def loaded(self, top: str) -> Loaded:
        top, moves = self.base(top, self.reading.moves)
        order, waiting = [], [top]
        children: dict[str, list[str]] = {}
        for child, joint in self.joints.items():
            children.setdefault(joint.parent, []).append(child)
        while waiting:  # parents first, siblings in the order of the file
            order.append(waiting.pop(0))
            waiting += children.get(order[-1], [])
        parts = [self.part(self.links[name], None if name == top else self.joints[name], moves) for name in order]
        if any(link.collisions for link in self.links.values()) and not self.reading.collides:
            text = "they are drawn where a link has no visual (collides=True, --collides: they touch)"
            self.notes.lost("collision shapes", text)
        touches = bool(self.reading.collides) and moves != "fixed"
        obstacles = ground_below(parts, self.notes) if touches else ()
        robot = assembled(self.model.name, parts, self.notes, self.file.name, couplings=self.couplings())
        return Loaded(robot, self.notes.all(), obstacles=obstacles)

    def line(self, tag: str, name: str) -> int | None:
        return self.places.get((tag, name))

    # ----------------------------------------------------------------------------------------------------------------- base
    def base(self, top: str, moves: str | None) -> tuple[str, str]:
        """The reference body and how it moves. An empty link 'world' with one floating or planar joint stands for that joint."""
        below = [joint for joint in self.joints.values() if joint.parent == top]
        empty = self.links[top].inertial is None and not self.links[top].visuals
        if top == "world" and empty and len(below) == 1 and moves is None and below[0].type in ("floating", "planar"):
            if below[0].type == "floating" or np.array_equal(below[0].axis, (0.0, 0.0, 1.0)):
                del self.joints[below[0].child], self.links["world"]
                self.root_place = self.pose(below[0].origin)
                return below[0].child, _WORDS[below[0].type]
        if moves is None:
            weightless = not any(link.inertial is not None and link.inertial.mass for link in self.links.values())
            moves = "fixed" if top == "world" or weightless else "free"
            if weightless and top != "world":
                self.notes.assumed(f"base '{top}'", "nothing has mass, so it is fixed (other: moves, --moves)")
            if moves == "free":
                self.notes.assumed(f"base '{top}'", "URDF does not say how it moves; it is free (other: moves, --moves)")
        return top, moves

    # ---------------------------------------------------------------------------------------------------------------- links
    def part(self, link: Any, joint: Any, moves: str) -> Part:
        mass, centre, tensor = self.inertial(link)
        place: dict[str, Any] = {"line": self.line("link", link.name), "mass": mass, "centre": centre, "tensor": tensor}
        shape = self.shape(link, mass, centre, tensor)
        place["collisions"] = self.surfaces(link) if self.reading.collides else ()
        if joint is None:
            about_z = (np.array([0.0, 0.0, 1.0]),) if moves in ("revolute", "prismatic") else ()
            return Part(link.name, None, link.name, moves, shape=shape, at=self.root_place, axes=about_z, **place)
        kind, axes, at, child = self.motion(joint)
        limits, speed, actuator = self.values(joint, kind)
        return Part(
            link.name, joint.parent, joint.name, kind, shape=shape, at=at, child=child, axes=axes, limits=limits, speed=speed,
            actuator=actuator, **place,
        )  # fmt: skip

    def inertial(self, link: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre and tensor about the centre, in the axes of the link."""
        said, about, line = link.inertial, f"link '{link.name}'", self.line("link", link.name)
        if said is None:
            self.notes.assumed(about, "it has no inertial, so no mass", line)
            return 0.0, np.zeros(3), np.zeros((3, 3))
        pose = self.pose(said.origin)
        if said.mass is None:
            self.notes.assumed(about, "its inertial has no mass; it is zero", line)
        if said.inertia is None:
            self.notes.assumed(about, "its inertial has no inertia; it is a point mass", line)
        tensor = np.zeros((3, 3)) if said.inertia is None else pose.rotation @ said.inertia @ pose.rotation.T
        return float(said.mass or 0.0), pose.position, 0.5 * (tensor + tensor.T)

    @staticmethod
    def pose(origin: Any) -> Pose:
        return Pose() if origin is None else Pose(np.array(origin[:3, :3]), np.array(origin[:3, 3]))

    # --------------------------------------------------------------------------------------------------------------- joints
    def motion(self, joint: Any) -> tuple[str, tuple[np.ndarray, ...], Pose, Pose]:
        """Type, axes, place on the parent, place of the link on the moving side."""
        at, about, line = self.pose(joint.origin), f"joint '{joint.name}'", self.line("joint", joint.name)
        kind = _WORDS.get(joint.type)
        if kind is None:
            self.notes.lost(about, f"the type '{joint.type}' is not known; it is held fixed", line)
            return "fixed", (), at, Pose()
        if kind == "planar":
            turn = Pose(rotation_to_axis(joint.axis / np.linalg.norm(joint.axis)))
            if not np.array_equal(turn.rotation, np.eye(3)):
                self.notes.assumed(about, "x and y of its plane, of which URDF gives the normal only", line)
            return kind, (), at @ turn, turn.inverse()
        return kind, (np.array(joint.axis),) if kind in ("revolute", "prismatic") else (), at, Pose()

    def values(self, joint: Any, kind: str) -> tuple[tuple[float, float], float, Actuator | None]:
        """Limits, speed limit, actuator."""
        about, line = f"joint '{joint.name}'", self.line("joint", joint.name)
        limits, speed, words = (-np.inf, np.inf), np.inf, {}
        if joint.limit is not None and kind in ("revolute", "prismatic"):
            lower, upper = (0.0 if value is None else value for value in (joint.limit.lower, joint.limit.upper))
            if joint.type != "continuous" and lower < upper:
                limits = (lower, upper)
            elif joint.type != "continuous":
                self.notes.lost(about, f"limits from {lower:g} to {upper:g} leave no room", line)
            for value, what in ((joint.limit.effort, "effort"), (joint.limit.velocity, "velocity")):
                if value is not None and value <= 0.0:
                    self.notes.lost(about, f"a limit of {value:g} on its {what}", line)
            speed = joint.limit.velocity if joint.limit.velocity and joint.limit.velocity > 0.0 else np.inf
            if joint.limit.effort and joint.limit.effort > 0.0:
                words["torque_limit"] = joint.limit.effort
        if joint.dynamics is not None and kind != "fixed":
            damping, friction = (float(value or 0.0) for value in (joint.dynamics.damping, joint.dynamics.friction))
            words |= {"viscous": damping} if damping else {}
            words |= {"coulomb": friction} if friction else {}
            if friction:
                self.notes.changed(about, f"its dry friction is smoothed over {Actuator().coulomb_speed:g} rad/s or m/s", line)
        return limits, speed, Actuator(**words) if words else None

    def couplings(self) -> list[Coupling]:
        """Joints that mimic another one: q = multiplier * q_leader + offset."""
        found = []
        for joint in self.model.joints:
            if joint.mimic is not None:
                ratio = 1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier)
                factors = {joint.name: 1.0, joint.mimic.joint: -ratio}
                found.append(Coupling(f"{joint.name}.mimic", factors, float(joint.mimic.offset or 0.0)))
        return found

    # --------------------------------------------------------------------------------------------------------------- shapes
    def shape(self, link: Any, mass: float, centre: np.ndarray, tensor: np.ndarray) -> Shape | None:
        shapes = []
        for visual in link.visuals or link.collisions:
            pose = self.pose(visual.origin)
            one = self.one_shape(visual.geometry, link.name)
            if one is None:
                one = inertia_box(mass, centre, about_centre(tensor))
            else:
                one = one.placed(pose.position, pose.rotation)
            if one is not None:
                shapes.append(self.coloured(one, getattr(visual, "material", None)))
        return None if not shapes else shapes[0] if len(shapes) == 1 else Compound(shapes)

    def surfaces(self, link: Any) -> tuple[Collision, ...]:
        """The collision shapes of a link, with the friction of the tags that programs have added."""
        found: list[Collision] = []
        touches = self.touches[link.name]
        for number, (collision, touch) in enumerate(zip(link.collisions, touches, strict=True), start=1):
            about, pose = f"collision {number} of link '{link.name}'", self.pose(collision.origin)
            shape = self.one_shape(collision.geometry, link.name)
            if shape is None:
                self.notes.lost(about, "there is no such mesh, so it does not touch")
                continue
            name = f"{link.name}.surface" + (f"_{number}" if number > 1 else "")
            one = surface(name, shape.placed(pose.position, pose.rotation), Friction(USUAL), about, self.notes)
            if one is not None:
                rubs = touch.friction(one.radius, about, self.notes)
                found.append(replace(one, friction=rubs, restitution=min(1.0, touch.restitution)))
        if found and any(touch.sliding is None for touch in touches):
            self.notes.assumed(f"friction of link '{link.name}'", f"{USUAL:g}; the file says none")
        return tuple(found)

    def one_shape(self, geometry: Any, link: str) -> Shape | None:
        """The shape, or ``None`` for a mesh that is not there."""
        line = self.line("link", link)
        try:
            if geometry.box is not None:
                return Box(geometry.box.size)
            if geometry.sphere is not None:
                return Sphere(geometry.sphere.radius)
            if geometry.cylinder is not None:
                return Cylinder(geometry.cylinder.radius, geometry.cylinder.length)
            path, reason = find_mesh(geometry.mesh.filename, self.file, self.root)
            if path is not None:
                scale = geometry.mesh.scale
                return Mesh(str(path), 1.0 if scale is None else scale)
        except LocodynError as error:
            raise type(error)(f"'{self.file.name}', line {line}: link '{link}': {error}") from None
        self.notes.changed(f"mesh '{geometry.mesh.filename}'", f"{reason}; a box of the same inertia is drawn", line)
        return None

    def coloured(self, shape: Shape, material: Any) -> Shape:
        if material is None:
            return shape
        if material.texture is not None:
            self.notes.lost(f"texture '{material.texture.filename}'", "shapes have colours only")
        rgba = material.color.rgba if material.color is not None else self.colours.get(material.name)
        return shape if rgba is None else replace(shape, colour=np.clip(rgba, 0.0, 1.0).tolist())
