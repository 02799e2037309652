"""The words in which a body is described: ``robot.body("rotor", mass=1).on(board, at=(0.2, 0, 0)).turning("z")``."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import Body, Marker
from locodyn.robot.inertia import Inertia, about_centre, inertia_of
from locodyn.robot.joint import Joint
from locodyn.robot.pose import pose_from, unit_axis
from locodyn.robot.shapes import Shape
from locodyn.robot.values import scalar, vector

if TYPE_CHECKING:
    from locodyn.robot.builder import Robot


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
    actuator: Actuator | None = None
    markers: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Body) -> Draft:
        """The draft that builds ``body`` again."""
        joint, inertia = body.joint, body.inertia
        return cls(
            name=body.name, mass=inertia.mass, centre=inertia.centre, inertia=about_centre(inertia.tensor), shape=body.shape,
            is_base=body.parent is None, parent=body.parent, joint_name=joint.name, type=joint.type, axes=joint.axes,
            pitch=joint.pitch, at=joint.parent_offset.position, turned=joint.parent_offset.rotation,
            body_at=joint.child_offset.position, body_turned=joint.child_offset.rotation, coordinates=joint.coordinates,
            actuator=body.actuator, markers={m.name: (m.pose.position, m.pose.rotation) for m in body.markers},
        )  # fmt: skip

    def copy(self) -> Draft:
        """An independent copy."""
        result = copy.copy(self)
        result.markers = dict(self.markers)
        return result

    def built_inertia(self) -> Inertia:
        """Mass, centre and tensor from what was given: numbers, or the shape."""
        what = f"body '{self.name}'"
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise DescriptionError(f"The shape of {what} is {self.shape!r}, but it must be a shape, such as Box((1, 1, 1)).")
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
        return Joint(
            name=self.joint_name or self.name,
            type=self.type,
            axes=tuple(unit_axis(axis, f"The axis of {what}") for axis in self.axes),
            pitch=scalar(self.pitch, f"The pitch of {what}"),
            parent_offset=pose_from(self.at, self.turned, f"The place of {what} on its parent"),
            child_offset=pose_from(self.body_at, self.body_turned, f"The place of body '{self.name}' on its joint"),
            coordinates=self.coordinates,
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
        return Body(self.name, self.built_inertia(), self.parent, self.built_joint(), self.shape, self.actuator, tuple(markers))


class BodyHandle:
    """A body that is being described; every word returns it again, so that they join to a sentence."""

    def __init__(self, robot: Robot, draft: Draft) -> None:
        self._robot, self._draft = robot, draft

    @property
    def name(self) -> str:
        """Name of the body."""
        return self._draft.name

    def __repr__(self) -> str:
        return f"<body '{self.name}' of robot '{self._robot.name}'>"

    # ----------------------------------------------------------------- place
    def on(
        self, parent: BodyHandle | str, at: Any = None, turned: Any = None, body_at: Any = None, body_turned: Any = None
    ) -> BodyHandle:
        """Place the joint of this body on its parent.

        Parameters
        ----------
        parent : body or its name
        at, turned : (3,) m; matrix, quaternion (w, x, y, z) or (axis, angle)
            Pose of the joint in the frame of the parent.
        body_at, body_turned
            Pose of this body's frame in the moving frame of the joint; by default they are the same.
        """
        if self._draft.is_base:
            raise DescriptionError(f"Body '{self.name}' is the base of robot '{self._robot.name}' and cannot have a parent.")
        if self._draft.parent is not None:
            raise DescriptionError(f"Body '{self.name}' is already on '{self._draft.parent}': a body has one parent.")
        if isinstance(parent, BodyHandle) and parent._robot is not self._robot:
            raise DescriptionError(f"Body '{self.name}' is placed on '{parent.name}' of another robot, '{parent._robot.name}'.")
        what = f"The place of body '{self.name}'"
        pose_from(at, turned, what), pose_from(body_at, body_turned, what)
        name = parent.name if isinstance(parent, BodyHandle) else str(parent)
        self._draft.parent, self._draft.at, self._draft.turned = name, at, turned
        self._draft.body_at, self._draft.body_turned = body_at, body_turned
        self._robot._touched()
        return self

    # ---------------------------------------------------------------- motion
    def turning(self, axis: Any = "z", *, name: str | None = None) -> BodyHandle:
        """A revolute joint about ``axis``."""
        return self._moves("revolute", (axis,), name)

    def sliding(self, axis: Any = "z", *, name: str | None = None) -> BodyHandle:
        """A prismatic joint along ``axis``."""
        return self._moves("prismatic", (axis,), name)

    def screwing(self, axis: Any = "z", *, pitch: Any, name: str | None = None) -> BodyHandle:
        """A helical joint about ``axis`` that advances by ``pitch`` m for each radian."""
        return self._moves("helical", (axis,), name, pitch=pitch)

    def cylindrical(self, axis: Any = "z", *, name: str | None = None) -> BodyHandle:
        """Slides along ``axis`` (coordinate 0) and turns about it (coordinate 1)."""
        return self._moves("cylindrical", (axis,), name)

    def universal(self, first: Any = "x", second: Any = "y", *, name: str | None = None) -> BodyHandle:
        """Turns about the axis ``first`` of the parent's side, then about ``second``, which turns with it."""
        return self._moves("universal", (first, second), name)

    def ball(self, *, name: str | None = None) -> BodyHandle:
        """A spherical joint."""
        return self._moves("spherical", (), name)

    def translating(self, *, name: str | None = None) -> BodyHandle:
        """Moves along x, y, z without turning."""
        return self._moves("translating", (), name)

    def planar(self, *, name: str | None = None) -> BodyHandle:
        """Moves and turns in the x-y plane of the joint."""
        return self._moves("planar", (), name)

    def free(self, *, name: str | None = None) -> BodyHandle:
        """Moves freely relative to its parent."""
        return self._moves("free", (), name)

    def fixed(self, *, name: str | None = None) -> BodyHandle:
        """Held rigidly by its parent."""
        return self._moves("fixed", (), name)

    def _moves(self, kind: str, axes: tuple[Any, ...], name: str | None, pitch: Any = 0.0) -> BodyHandle:
        draft = self._draft
        if draft.is_base:
            raise DescriptionError(f"Body '{self.name}' is the base: say how it moves with base(..., moves=...).")
        if draft.type is not None:
            raise DescriptionError(f"Body '{self.name}' already has a joint ({draft.type}): a body has one joint.")
        draft.type, draft.axes, draft.pitch, draft.joint_name = kind, axes, pitch, name
        try:
            draft.built_joint()
        except DescriptionError:
            draft.type = None
            raise
        self._robot._touched()
        return self

    # ---------------------------------------------------------- what it bears
    def coordinates(self, *names: str) -> BodyHandle:
        """Name the velocity coordinates of the joint."""
        self._draft.coordinates = tuple(str(name) for name in names)
        self._robot._touched()
        return self

    def actuator(self, **values: Any) -> BodyHandle:
        """Drive, friction and spring of the joint; the arguments are those of :class:`~locodyn.robot.actuator.Actuator`."""
        known = [entry.name for entry in fields(Actuator)]
        for name in values:
            if name not in known:
                raise DescriptionError(f"An actuator has no '{name}'{nearest(name, known)}")
        self._draft.actuator = Actuator(**values)
        self._robot._touched()
        return self

    def marker(self, name: str, at: Any = None, turned: Any = None) -> BodyHandle:
        """A named frame on this body."""
        pose_from(at, turned, f"Marker '{name}'")
        self._robot._check_new_point(name)
        self._draft.markers[name] = (at, turned)
        self._robot._touched()
        return self
