"""The words for what touches the ground and other bodies: wheels, skates, rolling surfaces, feet, surfaces of hard contact."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.building.contact_draft import ContactDraft
from locodyn.robot.building.drafts import Draft, WheelDraft
from locodyn.robot.checks.ground import check_contact
from locodyn.robot.collision import Collision, collision_of, rod_surface_of, support_of
from locodyn.robot.friction import Friction
from locodyn.robot.shapes import Shape
from locodyn.typing import Array, Axis, Rotation, Scalar, Vector

if TYPE_CHECKING:
    from locodyn.robot.building.builder import Robot
    from locodyn.world.law_base import WrenchLaw


class WheelWords(TypedDict, total=False):
    """Arguments of :meth:`TouchingBody.wheel` besides the name."""

    at: Vector
    axis: Axis
    radius: Scalar | None
    kind: str
    vertical: Axis
    roller_angle: Scalar
    actuated: bool
    contact: WrenchLaw | None
    mass: Scalar | None
    spin_inertia: Scalar | None
    across_inertia: Scalar | None
    coordinate: str | None


class TouchingBody:
    """A body that is being described, and what it touches other things with."""

    def __init__(self, robot: Robot, draft: Draft) -> None:
        self._robot, self._draft = robot, draft

    @property
    def name(self) -> str:
        """Name of the body."""
        return self._draft.name

    def __repr__(self) -> str:
        return f"<body '{self.name}' of robot '{self._robot.name}'>"

    # ---------------------------------------------------------------- wheels
    def wheel(
        self,
        name: str | None = None,
        at: Vector = (0, 0, 0),
        axis: Axis = "y",
        *,
        radius: Scalar | None = None,
        kind: str = "fixed",
        vertical: Axis = "z",
        roller_angle: Scalar = 0.0,
        actuated: bool = False,
        contact: WrenchLaw | None = None,
        mass: Scalar | None = None,
        spin_inertia: Scalar | None = None,
        across_inertia: Scalar | None = None,
        coordinate: str | None = None,
    ) -> Self:
        """A wheel on this body.

        Parameters
        ----------
        name : str
            By default ``body.wheel``, then ``body.wheel_2``, ...
        at : (3,) m
            The point where it touches the ground, in the frame of this body.
        axis : str or (3,)
            Its axle. It rolls along ``axle x vertical``: x for the axle y.
        radius : m
            Needed for the rolling angle, so for a motor or an inertia.
        kind : str
            ``fixed``, ``steered`` (by a law that the scenario gives by the name of the wheel), ``castor`` (free), ``omni``.
        vertical : str or (3,)
            From the ground to its centre; perpendicular to the axle.
        roller_angle : rad
            Of an omni wheel: its drive acts along the heading turned by this angle about the vertical; +-pi/4 for mecanum.
        actuated : bool
            Whether a motor turns it about its axle.
        contact : law or None
            ``None``: ideal; otherwise a law of :mod:`locodyn.world`.
        mass, spin_inertia, across_inertia : kg, kg m^2, kg m^2
            With one of them the wheel is a body of its own, of the same name, that turns about the axle at the centre of the
            wheel. By default no mass, a uniform disc of this mass about the axle, and half of that across it.
        coordinate : str
            Instead of these: the joint of a body that is this wheel already, revolute about the axle.
        """
        wheel = WheelDraft(
            self._free_name("wheel") if name is None else name, at, axis, vertical, radius, kind, roller_angle, actuated,
            contact, None, mass, spin_inertia, across_inertia, coordinate,
        )  # fmt: skip
        self._robot._add_wheel(self._draft, wheel)
        return self

    def wheels(self, name: str | None = None, **values: Unpack[WheelWords]) -> Self:
        """An axle with its wheels, which constrain the body as one wheel does; the arguments are those of :meth:`wheel`."""
        return self.wheel(name, **values)

    def skate(
        self,
        name: str | None = None,
        at: Vector = (0, 0, 0),
        along: Axis = "x",
        vertical: Axis = "z",
        contact: WrenchLaw | None = None,
    ) -> Self:
        """A skate or knife edge on this body: it glides along ``along`` and does not move across it.

        ``at`` (3,) m is the point where it touches the ground. The default name is ``body.skate``, then ``body.skate_2``, ...
        """
        name = self._free_name("skate") if name is None else name
        self._robot._add_wheel(self._draft, WheelDraft(name, at, None, vertical, kind="skate", contact=contact, along=along))
        return self

    # -------------------------------------------------------------- contacts
    def rolling(
        self,
        name: str | None = None,
        radius: Scalar | None = None,
        axis: Axis | None = None,
        crown: Scalar | None = None,
        semi_axes: Vector | None = None,
        at: Vector = (0, 0, 0),
        turned: Rotation | None = None,
        normal: Axis = "z",
        ground: Vector = (0, 0, 0),
        slips: bool = False,
    ) -> Self:
        """A surface of this body that stays on a plane in space, however the body leans, and rolls there without slipping.

        Parameters
        ----------
        name : str
            By default ``body.contact``, then ``body.contact_2``, ...
        radius, axis : m, str or (3,)
            Both: a disc. The radius alone: a sphere.
        crown : m
            Radius of the section of a tyre; ``radius`` is the whole one, from the centre to the tread. Also rounds an ellipsoid.
        semi_axes : (3,) m
            An ellipsoid.
        at, turned
            Centre of the surface in the frame of this body; axes of an ellipsoid.
        normal, ground : str or (3,); (3,) m
            Normal of the plane in the world, towards the robot, and a point of it.
        slips : bool
            Slides without friction instead of rolling.
        """
        name = self._free_name("contact") if name is None else name
        if radius is None and semi_axes is None:
            raise DescriptionError(f"Contact '{name}' on '{self.name}' has no surface: give radius=, or semi_axes=.")
        return self._touches(ContactDraft(name, at, radius, axis, crown, semi_axes, turned, normal, ground, slips))

    def foot(
        self, name: str | None = None, at: Vector = (0, 0, 0), normal: Axis = "z", ground: Vector = (0, 0, 0), slips: bool = False
    ) -> Self:
        """A point of this body that stays where it stands on a plane, or slides on it without friction (``slips``)."""
        name = self._free_name("foot") if name is None else name
        return self._touches(ContactDraft(name, at, normal=normal, ground=ground, slips=slips))

    # ---------------------------------------------------------- hard contact
    def collides(
        self,
        shape: Shape | None = None,
        *,
        name: str | None = None,
        friction: Friction | float | tuple[float, float] = 0.0,
        restitution: float = 0.0,
        direction: Axis = "x",
        vertices: Array | None = None,
        radius: Scalar | None = None,
    ) -> Self:
        """A surface of this body that hits, sticks and slides: hard contact with obstacles and other bodies.

        On a rod without a shape: its round surface all along.

        Parameters
        ----------
        shape : Sphere, Capsule, Cylinder, Box or Ellipsoid
            By default the shape of the body.
        name : str
            By default ``body.surface``, then ``body.surface_2``, ...
        friction : number, pair (along, across) or :class:`~locodyn.robot.friction.Friction`
            An obstacle may have its own, which then counts.
        restitution : number
            Newton's, from 0 to 1.
        direction : str or (3,)
            Forward direction of the friction, in the frame of this body.
        vertices : (n, 3) m
            Points instead of a shape: those of a mesh.
        radius : m
            Of the surface along a rod; by default that of its round section.
        """
        name = self._free_name("surface") if name is None else name
        rod = self._draft.rod
        if rod is not None and shape is None and vertices is None:
            what, section = f"the surface '{name}' along '{self.name}'", rod.section
            return self._collides(rod_surface_of(name, what, section, radius, friction, restitution, direction))
        if radius is not None:
            raise DescriptionError(f"Surface '{name}' on '{self.name}' has a radius=, which only the surface along a rod has.")
        shape = self._draft.shape if shape is None and vertices is None else shape
        what = f"surface '{name}' on '{self.name}'"
        centre = np.asarray(self._draft.built_inertia().centre)
        return self._collides(collision_of(name, what, shape, vertices, centre, friction, restitution, direction))

    def rests(
        self,
        load: Scalar,
        *,
        at: Vector = (0, 0, 0),
        name: str | None = None,
        friction: Friction | float | tuple[float, float] = 0.0,
        direction: Axis = "x",
    ) -> Self:
        """A point of this body that slides on the horizontal plane under a known ``load`` (N): friction of planar robots."""
        name = self._free_name("support") if name is None else name
        return self._collides(support_of(name, f"support '{name}' on '{self.name}'", at, load, friction, direction))

    def _collides(self, surface: Collision) -> Self:
        self._robot._check_new_point(surface.name, "surface")
        self._draft.collisions[surface.name] = surface
        self._robot._touched()
        return self

    def _touches(self, draft: ContactDraft) -> Self:
        self._robot._check_new_point(draft.name, "contact")
        check_contact(draft.built(), self.name)
        self._draft.contacts[draft.name] = draft
        self._robot._touched()
        return self

    def _free_name(self, what: str) -> str:
        first = f"{self.name}.{what}"
        taken = {**self._draft.wheels, **self._draft.contacts, **self._draft.collisions}
        return first if first not in taken else next(n for i in count(2) if (n := f"{first}_{i}") not in taken)
