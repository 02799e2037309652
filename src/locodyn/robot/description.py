"""What a robot is: an immutable tree of bodies, in an order in which a parent comes before its children."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from locodyn.errors import InputError, nearest
from locodyn.robot.body import Body, Marker, WrenchLaw
from locodyn.robot.collision import Collision
from locodyn.robot.contact import Contact
from locodyn.robot.loop import Coupling, Loop
from locodyn.robot.pose import Pose
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.tie import Tie
from locodyn.robot.values import is_numeric
from locodyn.robot.wheel import Wheel


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot: bodies with their joints, markers and wheels, wrench laws, closed loops.

    Parameters
    ----------
    name : str
    bodies : tuple of Body
        The reference body first, every parent before its children.
    wrenches : tuple of WrenchLaw
    massless_ok : bool
        Whether joints may move parts without inertia. Such a robot has a singular mass matrix, and these joints can only be
        imposed.
    loops : tuple of Loop
        Joints that close loops of the tree.
    any_inertia : bool
        Whether inertia tensors may be those of no body (negative moments, triangle inequality), as in files of other programs.
    couplings : tuple of Coupling
        Gears between joints.
    ties : tuple of Tie
        Cables, springs and torsion springs.
    """

    name: str
    bodies: tuple[Body, ...]
    wrenches: tuple[WrenchLaw, ...] = ()
    massless_ok: bool = False
    loops: tuple[Loop, ...] = ()
    any_inertia: bool = False
    couplings: tuple[Coupling, ...] = ()
    ties: tuple[Tie, ...] = ()

    def _repr_html_(self) -> str:
        from locodyn.robot.html import robot_html

        return robot_html(self)

    @property
    def reference_body(self) -> Body:
        """The body that carries the robot."""
        return self.bodies[0]

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of all bodies, in order."""
        return tuple(body.name for body in self.bodies)

    @property
    def markers(self) -> Iterator[tuple[Body, Marker]]:
        """All markers with the bodies that they are on."""
        return ((body, marker) for body in self.bodies for marker in body.markers)

    @property
    def wheels(self) -> Iterator[tuple[Body, Wheel]]:
        """All wheels with the bodies that they are on."""
        return ((body, wheel) for body in self.bodies for wheel in body.wheels)

    @property
    def contacts(self) -> Iterator[tuple[Body, Contact]]:
        """All surfaces that roll in space with the bodies that they are on."""
        return ((body, contact) for body in self.bodies for contact in body.contacts)

    @property
    def rod_contacts(self) -> Iterator[tuple[Body, RodContact]]:
        """All anchors, sleeves and pegs with the tips of the rods that they are on."""
        return ((body, contact) for body in self.bodies for contact in body.rod_contacts)

    @property
    def collisions(self) -> Iterator[tuple[Body, Collision]]:
        """All surfaces of hard contact with the bodies that they are on."""
        return ((body, surface) for body in self.bodies for surface in body.collisions)

    def body(self, name: str) -> Body:
        """The body of this name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise InputError(f"Robot '{self.name}' has no body '{name}'{nearest(name, self.body_names)}")

    def path_to(self, name: str) -> tuple[Body, ...]:
        """The bodies from the reference body to the body of this name, both included."""
        path = [self.body(name)]
        while path[-1].parent is not None:
            path.append(self.body(path[-1].parent))
        return tuple(reversed(path))

    # ----------------------------------------------------------------------------------------------------------- filiation
    def children(self, name: str) -> tuple[str, ...]:
        """Names of the bodies that a body carries itself."""
        own = self.body(name).name
        return tuple(body.name for body in self.bodies if body.parent == own)

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Names of the bodies that carry a body, the nearest first, up to the reference body."""
        return tuple(body.name for body in reversed(self.path_to(name)[:-1]))

    def descendants(self, name: str) -> tuple[str, ...]:
        """Names of all bodies that a body carries, in the order of the robot."""
        own = self.body(name).name
        return tuple(body.name for body in self.bodies if own in self.ancestors(body.name))

    @property
    def leaves(self) -> tuple[str, ...]:
        """Names of the bodies that carry no other."""
        parents = {body.parent for body in self.bodies}
        return tuple(body.name for body in self.bodies if body.name not in parents)

    def chain(self, first: str, second: str) -> tuple[str, ...]:
        """Names of the bodies of the kinematic chain from one body to another, both included."""
        up, down = ([body.name for body in self.path_to(name)] for name in (first, second))
        shared = sum(one == two for one, two in zip(up, down, strict=False))
        return tuple(reversed(up[shared - 1 :])) + tuple(down[shared:])


def holds_symbols(description: RobotDescription) -> bool:
    """Whether a parameter of the robot is a symbol instead of a number."""

    def of_pose(pose: Pose) -> tuple[Any, ...]:
        return pose.rotation, pose.position

    for body in description.bodies:
        joint, inertia = body.joint, body.inertia
        values = [inertia.mass, inertia.centre, inertia.tensor, joint.pitch]
        values += of_pose(joint.parent_offset) + of_pose(joint.child_offset)
        for marker in body.markers:
            values += of_pose(marker.pose)
        for wheel in body.wheels:
            values += (wheel.at, wheel.roller_angle) + (() if wheel.radius is None else (wheel.radius,))
        for contact in body.contacts:
            values += (*of_pose(contact.pose), contact.semi_axes, contact.crown, contact.ground)
        if body.actuator is not None:
            for entry in body.actuator.numbers():
                value = getattr(body.actuator, entry.name)
                values += value if isinstance(value, tuple) else (value,)
        if not all(is_numeric(value) for value in values):
            return True
    poses = [wrench.pose for wrench in description.wrenches]
    poses += [pose for loop in description.loops for pose in (loop.first_pose, loop.second_pose)]
    poses += [hold.pose for tie in description.ties for hold in tie.holds]
    numbers = [number for tie in description.ties for number in (tie.stiffness, tie.damping, tie.rest, tie.tension)]
    if not all(number is None or is_numeric(number) for number in numbers):
        return True
    return not all(is_numeric(value) for pose in poses for value in of_pose(pose))


def parents_first(bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """The bodies in an order in which parents come first, otherwise as given.

    Bodies that cannot be reached from a body without parent are left out; :mod:`locodyn.robot.checks.validate` names them.
    """
    placed: set[str | None] = {None}
    waiting, result = list(bodies), []
    while True:
        later = []
        for body in waiting:
            if body.parent in placed:
                placed.add(body.name)
                result.append(body)
            else:
                later.append(body)
        if len(later) == len(waiting) or not later:
            return tuple(result)
        waiting = later
