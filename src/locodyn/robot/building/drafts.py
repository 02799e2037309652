"""What has been said about the parts of a robot so far: drafts that can still change, and become parts when it is built."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, Marker
from locodyn.robot.building.contact_draft import ContactDraft
from locodyn.robot.checks.basics import TIGHT
from locodyn.robot.collision import Collision
from locodyn.robot.contact import plane_axes
from locodyn.robot.inertia import Inertia, about_centre, inertia_of
from locodyn.robot.joint import Joint
from locodyn.robot.loop import Loop
from locodyn.robot.pose import Pose, pose_from, unit_axis
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.strand import Strand
from locodyn.robot.shapes import Cylinder, Shape
from locodyn.robot.values import scalar, vector
from locodyn.robot.wheel import Wheel, disc_inertia


@dataclass
class WrenchDraft:
    """A wrench law; ``body`` is a body or a marker."""

    name: str
    body: str
    at: Any
    turned: Any
    law: Any
    at_s: Any = None
    along: Any = None
    profile: Any = 1.0


@dataclass
class LoopDraft:
    """The closure of a loop; ``first`` and ``second`` are bodies or markers, or ``None`` for the world."""

    name: str
    type: str
    axis: Any
    first: str | None
    second: str | None
    first_at: Any = None
    first_turned: Any = None
    second_at: Any = None
    second_turned: Any = None
    second_axis: Any = "x"
    pitch: Any = 0.0

    @classmethod
    def of(cls, loop: Loop) -> LoopDraft:
        """The draft that builds ``loop`` again."""
        one, two = loop.first_pose, loop.second_pose
        places = (one.position, one.rotation, two.position, two.rotation)
        return cls(loop.name, loop.type, loop.axis, loop.first, loop.second, *places, loop.second_axis, loop.pitch)

    def place_in_world(self, at: Any, turned: Any) -> None:
        """Put the end that is the world there."""
        if "world" not in (self.first, self.second):
            raise DescriptionError(
                f"Loop '{self.name}' has a place in the world, but neither of its ends is 'world': place it with first_at= and "
                "second_at=, or between markers."
            )
        side = "first" if self.first == "world" else "second"
        if getattr(self, f"{side}_at") is not None or getattr(self, f"{side}_turned") is not None:
            raise DescriptionError(
                f"Loop '{self.name}' has two places in the world: give at= and turned=, or {side}_at= and {side}_turned=."
            )
        setattr(self, f"{side}_at", at)
        setattr(self, f"{side}_turned", turned)

    def built(self) -> Loop:
        """The loop, with its ends named as they were said."""
        what = f"The place of loop '{self.name}' on its"
        poses = (
            pose_from(self.first_at, self.first_turned, f"{what} first end"),
            pose_from(self.second_at, self.second_turned, f"{what} second end"),
        )
        axis = unit_axis(self.axis, f"The axis of loop '{self.name}'")
        other = unit_axis(self.second_axis, f"The second axis of loop '{self.name}'")
        pitch = scalar(self.pitch, f"The pitch of loop '{self.name}'")
        return Loop(self.name, str(self.type), self.first, self.second, *poses, axis, other, pitch)


@dataclass
class WheelDraft:
    """A wheel, or a skate (then ``along`` says its heading); ``coordinate`` is the joint of its own body, if it has one."""

    name: str
    at: Any = None
    axis: Any = "y"
    vertical: Any = "z"
    radius: Any = None
    kind: str = "fixed"
    roller_angle: Any = 0.0
    actuated: bool = False
    contact: Any = None
    along: Any = None
    mass: Any = None
    spin_inertia: Any = None
    across_inertia: Any = None
    coordinate: str | None = None

    @classmethod
    def of(cls, wheel: Wheel) -> WheelDraft:
        """The draft that builds ``wheel`` again."""
        return cls(
            wheel.name, wheel.at, wheel.axle, wheel.vertical, wheel.radius, wheel.kind, wheel.roller_angle, wheel.actuated,
            wheel.contact, along=wheel.heading if wheel.kind == "skate" else None, coordinate=wheel.coordinate,
        )  # fmt: skip

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that can be changed."""
        if self.along is not None:
            return ("at", "along", "vertical", "contact")
        names = ("at", "axis", "vertical", "radius", "roller_angle", "actuated", "contact")
        return (*names, "mass", "spin_inertia", "across_inertia") if self.has_inertia else names

    @property
    def has_inertia(self) -> bool:
        """Whether mass or inertia of the wheel were said."""
        return any(value is not None for value in (self.mass, self.spin_inertia, self.across_inertia))

    def built(self) -> Wheel:
        """The wheel."""
        what = f"wheel '{self.name}'" if self.along is None else f"skate '{self.name}'"
        at = np.zeros(3) if self.at is None else vector(self.at, f"The contact point of {what}")
        vertical = unit_axis(self.vertical, f"The vertical of {what}")
        if self.along is not None:
            heading = unit_axis(self.along, f"The direction of {what}")
            if abs(float(heading @ vertical)) > TIGHT:
                raise DescriptionError(f"The direction of {what} must be perpendicular to its vertical.")
            axle = np.cross(vertical, heading) + 0.0
        elif self.axis is None:
            raise DescriptionError(f"Wheel '{self.name}' has no axle: say about which axis it rolls, such as axis='y'.")
        else:
            axle = unit_axis(self.axis, f"The axle of {what}")
        return Wheel(
            self.name, at, axle, vertical, self.radius, str(self.kind), self.roller_angle, self.actuated, self.contact,
            self.coordinate,
        )  # fmt: skip

    def place(self, body: Draft) -> None:
        """Put the body of this wheel where the wheel is, and give it the inertia that was said."""
        wheel = self.built()
        if wheel.radius is None:
            raise DescriptionError(f"Wheel '{self.name}' has a body of its own, but no radius: its centre is not known.")
        body.at = wheel.centre
        if self.has_inertia:
            what = f"of wheel '{self.name}'"
            body.axes = (wheel.axle,)
            body.mass = 0.0 if self.mass is None else scalar(self.mass, f"The mass {what}")
            spin, across = self.spin_inertia, self.across_inertia
            spin = body.mass * wheel.radius * wheel.radius / 2 if spin is None else scalar(spin, f"The spin inertia {what}")
            across = spin / 2 if across is None else scalar(across, f"The across inertia {what}")
            body.inertia = about_centre(disc_inertia(wheel.axle, spin, across))


@dataclass
class Draft:
    """What has been said about a body so far; becomes a :class:`~locodyn.robot.body.Body` when the robot is built."""

    name: str
    mass: Any = None
    density: Any = None
    centre: Any = None
    inertia: Any = None
    shape: Any = None
    is_base: bool = False
    parent: str | None = None
    joint_name: str | None = None
    type: str | None = None
    axes: tuple[Any, ...] = ()
    pitch: Any = 0.0
    at: Any = None
    turned: Any = None
    body_at: Any = None
    body_turned: Any = None
    coordinates: tuple[str, ...] = ()
    limits: tuple[Any, Any] = (-math.inf, math.inf)
    speed_limit: Any = math.inf
    actuator: Actuator | None = None
    markers: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    wheels: dict[str, WheelDraft] = field(default_factory=dict)
    contacts: dict[str, ContactDraft] = field(default_factory=dict)
    fluid: Any = None
    unbounded: bool = False
    rod: Rod | None = None
    abscissa: Any = None
    strands: tuple[Strand, ...] = ()
    rod_contacts: tuple[RodContact, ...] = ()
    collisions: dict[str, Collision] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Body) -> Draft:
        """The draft that builds ``body`` again."""
        joint, inertia = body.joint, body.inertia
        return cls(
            name=body.name, mass=inertia.mass, centre=inertia.centre, inertia=about_centre(inertia.tensor), shape=body.shape,
            is_base=body.parent is None, parent=body.parent, joint_name=joint.name, type=joint.type, axes=joint.axes,
            pitch=joint.pitch, at=joint.parent_offset.position, turned=joint.parent_offset.rotation,
            body_at=joint.child_offset.position, body_turned=joint.child_offset.rotation, coordinates=joint.coordinates,
            limits=joint.limits, speed_limit=joint.speed_limit, actuator=body.actuator,
            markers={m.name: (m.pose.position, m.pose.rotation) for m in body.markers},
            wheels={wheel.name: WheelDraft.of(wheel) for wheel in body.wheels},
            contacts={contact.name: ContactDraft.of(contact) for contact in body.contacts}, fluid=body.fluid,
            unbounded=body.unbounded,
            rod=joint.rod, abscissa=joint.abscissa, strands=body.strands, rod_contacts=body.rod_contacts,
            collisions={surface.name: surface for surface in body.collisions},
        )  # fmt: skip

    def copy(self) -> Draft:
        """An independent copy."""
        result = copy.copy(self)
        result.markers = dict(self.markers)
        result.wheels = {name: replace(wheel) for name, wheel in self.wheels.items()}
        result.contacts = {name: replace(contact) for name, contact in self.contacts.items()}
        result.collisions = dict(self.collisions)
        return result

    def built_inertia(self) -> Inertia:
        """Mass, centre and tensor from what was given: numbers, or the shape."""
        what = f"body '{self.name}'"
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise DescriptionError(f"The shape of {what} is {self.shape!r}, but it must be a shape, such as Box((1, 1, 1)).")
        if isinstance(self.shape, Cylinder) and self.shape.length is None:
            raise DescriptionError(f"The shape of {what} is a cylinder without a length: give length= in metres.")
        centre = None if self.centre is None else vector(self.centre, f"The centre of {what}")
        mass = None if self.mass is None else scalar(self.mass, f"The mass of {what}")
        if self.density is not None:
            if mass is not None:
                raise DescriptionError(f"Body '{self.name}' has a mass and a density: give one of them.")
            if self.shape is None:
                raise DescriptionError(f"Body '{self.name}' has a density but no shape: give a shape, or a mass.")
            mass = scalar(self.density, f"The density of {what}") * self.shape.volume
        if self.shape is not None and mass is not None and self.inertia is None:
            return self.shape.inertia(mass=mass, centre=centre)
        if centre is None:
            centre = np.zeros(3) if self.shape is None else self.shape.pose().position
        return inertia_of(self.inertia, 0.0 if mass is None else mass, centre, what)

    def built_joint(self) -> Joint:
        """The joint, from the words that place and move the body."""
        what = f"joint '{self.joint_name or self.name}'"
        assert self.type is not None
        offsets = (
            pose_from(self.at, self.turned, f"The place of {what} on its parent"),
            pose_from(self.body_at, self.body_turned, f"The place of body '{self.name}' on its joint"),
        )
        axes = tuple(unit_axis(axis, f"The axis of {what}") for axis in self.axes)
        if self.type == "planar" and axes:  # the normal of its plane: z in the axes of the joint, not in those of the body
            turn, axes = Pose(plane_axes(axes[0])), ()
            offsets = offsets[0] @ turn, turn.inverse() @ offsets[1]
        return Joint(
            name=self.joint_name or self.name,
            type=self.type,
            axes=axes,
            pitch=scalar(self.pitch, f"The pitch of {what}"),
            parent_offset=offsets[0],
            child_offset=offsets[1],
            coordinates=self.coordinates,
            limits=self.limits,
            speed_limit=self.speed_limit,
            rod=self.rod,
            abscissa=None if self.abscissa is None else scalar(self.abscissa, f"The abscissa of {what}"),
        )

    def built(self) -> Body:
        """The body, if enough has been said about it."""
        if self.parent is None and not self.is_base:
            raise DescriptionError(f"Body '{self.name}' has no parent: place it with .on(parent), or make it the base.")
        if self.type is None:
            raise DescriptionError(
                f"Body '{self.name}' is placed on '{self.parent}', but how it moves was not said: "
                "add .turning(axis), .sliding(axis), .ball(), ... or .fixed()."
            )
        markers = (Marker(name, pose_from(at, turned, f"Marker '{name}'")) for name, (at, turned) in self.markers.items())
        wheels = (wheel.built() for wheel in self.wheels.values())
        contacts = (contact.built() for contact in self.contacts.values())
        return Body(
            self.name, self.built_inertia(), self.parent, self.built_joint(), self.shape, self.actuator, tuple(markers),
            tuple(wheels), tuple(contacts), self.fluid, self.strands, tuple(self.collisions.values()), self.rod_contacts,
            self.unbounded,
        )  # fmt: skip
