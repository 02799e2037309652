"""Hard contact in MJCF and URDF: surfaces of bodies, what stands in the world, and which bodies meet.

MuJoCo takes the larger friction of two geoms; what stands in the world is therefore written without friction, so that the
surfaces of the robot keep their own, as they do here.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.files.notes import Notes
from locodyn.files.xml_writer import element
from locodyn.robot import Friction, Pose, RobotDescription
from locodyn.robot.collision import Collision
from locodyn.robot.pose import quaternion_of_rotation, rotation_to_axis
from locodyn.world import Ground, Obstacle, Terrain
from locodyn.world.self_collision import BodyPairs, SelfCollision

if TYPE_CHECKING:
    from locodyn.sim.parts import World

_ROBOT = {"contype": "1", "conaffinity": "0", "group": "3", "mass": "0"}  # meets the world
_EACH_OTHER = {**_ROBOT, "conaffinity": "1"}
_WORLD = {"contype": "0", "conaffinity": "1", "friction": "0.0 0.0 0.0", "condim": "1"}
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2}  # numbers that say the size of a geom; of others 3
_ENDLESS = 10.0  # m, half the length of a peg that has no end
_FLAT = 1e-9  # m: points of a smaller extent in one direction span no volume


class ContactWriter:
    """Puts surfaces on the ``bodies`` (elements by name) of an MJCF file; ``world``: what else there is, where it is known."""

    def __init__(
        self, root: ET.Element, bodies: dict[str | None, ET.Element], assets: ET.Element, notes: Notes, world: World | None
    ) -> None:
        self.root, self.bodies, self.assets, self.notes, self.world = root, bodies, assets, notes, world
        self.names: set[str] = set()
        self.choice = None if world is None else SelfCollision.of(world.self_collision)

    def free(self, name: str) -> str:
        """A name for a geom that no other has."""
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def write(self, description: RobotDescription) -> None:
        """Surfaces, obstacles, pairs of bodies that do not meet."""
        found = [(body.name, surface) for body, surface in description.collisions]
        for body, surface in found:
            self.surface(body, surface)
        for fixture in () if self.world is None else self.world.obstacles:
            self.fixture(fixture)
        if found:
            self.notes.changed("contacts", "MuJoCo's are soft and without Newton's restitution; here they are hard")
        if self.choice is not None:
            self.exclude(description, list(dict.fromkeys(body for body, _ in found)))

    def surface(self, body: str, one: Collision) -> None:
        """A geom that touches."""
        about = f"surface '{one.name}'"
        if one.restitution:
            self.notes.lost(about, "its restitution")
        place = dict(pos=one.pose.position, **_turned(one.pose))
        meets = _ROBOT if self.choice is None else _EACH_OTHER
        numbers = friction_numbers(one, about, self.notes)
        name = self.free(one.name)
        if one.kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid"):
            size = one.size[: _SIZES.get(one.kind, 3)]
            element(self.bodies[body], "geom", name=name, type=one.kind, size=size, **place, **numbers, **meets)
        elif one.kind == "points" and np.linalg.svd(one.vertices - one.vertices.mean(axis=0))[1][-1] > _FLAT:
            element(self.assets, "mesh", name=f"{one.name}.hull", vertex=one.vertices)
            element(self.bodies[body], "geom", name=name, type="mesh", mesh=f"{one.name}.hull", **place, **numbers, **meets)
        elif one.kind == "points":
            self.notes.lost(about, "MuJoCo's meshes need points that span a volume")
        else:
            self.notes.lost(about, f"MJCF has no {one.kind}")

    def fixture(self, fixture: Any) -> None:
        """Something that stands in the world."""
        if fixture.friction is not None or fixture.restitution:
            self.notes.lost(fixture.what, "friction and restitution of its own: the surfaces of the robot keep theirs")
        if isinstance(fixture, Ground):
            pose = Pose(rotation_to_axis(fixture.normal), fixture.at)
            plane = {"type": "plane", "size": "0 0 1", "pos": fixture.at, **_turned(pose)}
            self.standing(fixture.name, **plane)
        elif isinstance(fixture, Obstacle):
            self.solid(fixture)
        elif isinstance(fixture, Terrain):
            self.terrain(fixture)
        else:
            self.notes.lost(fixture.what, "MJCF has no such thing")

    def standing(self, name: str, **geom: Any) -> None:
        """A geom of the world."""
        element(self.bodies[None], "geom", name=self.free(name), **geom, **_WORLD)

    def solid(self, fixture: Obstacle) -> None:
        """A solid of the world."""
        kind, pose, size = fixture.surface
        size = np.array(size, dtype=float)
        if not np.isfinite(size).all():
            self.notes.changed(fixture.what, f"it has no end here, and is {2 * _ENDLESS:g} m long in the file")
            size[~np.isfinite(size)] = _ENDLESS
        place = {"pos": pose.position, **_turned(pose)}
        element(
            self.bodies[None],
            "geom",
            name=self.free(fixture.name),
            type=kind,
            size=size[: _SIZES.get(kind, 3)],
            **place,
            **_WORLD,
        )

    def terrain(self, fixture: Terrain) -> None:
        """A height field: facets between the same heights."""
        heights = np.asarray(fixture.heights, dtype=float)
        low, span = float(heights.min()), float(np.ptp(heights))
        half = 0.5 * fixture.spacing * (np.array(heights.shape) - 1)
        size = (*half, span or 1e-3, 1.0)
        rows = heights.T[::-1]  # the first row of an elevation lies at the largest y
        count = {"nrow": str(heights.shape[1]), "ncol": str(heights.shape[0])}
        name = f"{fixture.name}.heights"
        element(self.assets, "hfield", name=name, **count, size=size, elevation=(rows - low) / (span or 1.0))
        place = (*(np.asarray(fixture.origin) + half), low)
        self.standing(fixture.name, type="hfield", hfield=name, pos=place)
        self.notes.changed(fixture.what, "smooth here and level beyond its edge; MuJoCo has facets that end there")

    def exclude(self, description: RobotDescription, bodies: list[str]) -> None:
        """Pairs of bodies that do not hit each other."""
        assert self.choice is not None
        apart = {frozenset(pair) for pair in BodyPairs(description, self.choice).left_out}
        contact = element(None, "contact")
        parents = {body.name: body.parent for body in description.bodies}
        for one, two in combinations(bodies, 2):
            near = parents[one] == two or parents[two] == one
            meets = frozenset((one, two)) not in apart
            if not meets and not near:
                element(contact, "exclude", body1=one, body2=two)
            elif meets and near:
                self.notes.lost(f"contact of '{one}' and '{two}'", "MuJoCo leaves out a body and the one that carries it")
        if len(contact):
            self.root.append(contact)


def friction_numbers(one: Collision, about: str, notes: Notes) -> dict[str, Any]:
    """Friction of a geom: sliding, spinning, rolling (m), and how many directions have some (condim)."""
    friction: Friction = one.friction
    if friction.law != "coulomb":
        notes.changed(about, f"its friction is {friction.law}; MuJoCo has Coulomb's")
    if (friction.across, friction.backward) != (friction.along, friction.along):
        notes.lost(about, "friction across and backward: geoms of MJCF have one number for all directions")
    rank = 6 if friction.rolling else 4 if friction.spinning else 3 if friction.along else 1
    return {"friction": (friction.along, friction.spinning, friction.rolling * one.radius), "condim": str(rank)}


def _turned(pose: Pose) -> dict[str, Any]:
    if np.array_equal(pose.rotation, np.eye(3)):
        return {}
    return {"quat": quaternion_of_rotation(pose.rotation)}
