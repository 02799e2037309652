"""The words in which a body is described: ``robot.body("rotor", mass=1).on(board, at=(0.2, 0, 0)).turning("z")``."""

from __future__ import annotations

import math
from dataclasses import fields
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.actuator import Actuator
from locodyn.robot.check_contact import check_contact
from locodyn.robot.collision import Collision, collision_of, rod_surface_of, support_of
from locodyn.robot.contact_draft import ContactDraft
from locodyn.robot.drafts import Draft, WheelDraft
from locodyn.robot.fluid import added_matrix, whole_matrix
from locodyn.robot.pose import pose_from
from locodyn.robot.rod_words import rod_of
from locodyn.robot.strand import Strand

if TYPE_CHECKING:
    from locodyn.robot.builder import Robot


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
        self, parent: BodyHandle | str, at: Any = None, turned: Any = None, body_at: Any = None, body_turned: Any = None,
        at_s: Any = None,
    ) -> BodyHandle:  # fmt: skip
        """Place the joint of this body on its parent.

        Parameters
        ----------
        parent : body or its name
        at, turned : (3,) m; matrix, quaternion (w, x, y, z) or (axis, angle)
            Pose of the joint in the frame of the parent.
        body_at, body_turned
            Pose of this body's frame in the moving frame of the joint; by default they are the same.
        at_s : m
            Where along the parent, if that is a rod; by default at its tip.
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
        self._draft.body_at, self._draft.body_turned, self._draft.abscissa = body_at, body_turned, at_s
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

    def rod(
        self, name: str, *, at: Any = None, turned: Any = None, at_s: Any = None, joint: str | None = None, **values: Any
    ) -> BodyHandle:
        """Add a rod that starts on this body and runs along the x axis of its place; returns its tip.

        Parameters
        ----------
        name : str
            Of the rod, and of the massless body at its tip; bodies are put on it with ``.on(rod, at_s=...)``.
        at, turned, at_s
            Where it starts, in the frame of this body; along this body, if it is a rod itself.
        joint : str
            Name of the joint, by default that of the rod.
        values
            What it is, see :func:`~locodyn.robot.rod_words.rod_of`: ``length``, ``section``, ``material``, ``bending``,
            ``torsion``, ``stretch``, ``shear``, ``basis``, ``nodes``, ``rest_curvature``, ``damping``, ``order``.
        """
        draft = Draft(name, type="rod", joint_name=joint, rod=rod_of(name, **values))
        self._robot._add(draft)
        return BodyHandle(self._robot, draft).on(self, at=at, turned=turned, at_s=at_s)

    def tendon(
        self, name: str, offset: Any, *, start: float = 0.0, end: float | None = None, stiffness: float = 0.0
    ) -> BodyHandle:
        """A tendon along this rod, at ``offset`` (y, z) m in its sections, or a function of s (m) that gives it.

        It is driven by its tension (N), or with a ``stiffness`` (N/m) by its free length (m): ``tension={name: law}``,
        ``tendon_length={name: law}`` of a scenario.
        """
        return self._add_strand(Strand(name, offset, start, end, stiffness))

    def chamber(
        self, name: str, offset: Any = (0.0, 0.0), *, area: float, start: float = 0.0, end: float | None = None
    ) -> BodyHandle:
        """A pressurised chamber of this ``area`` (m^2) along this rod; it is driven by its ``pressure`` (Pa)."""
        if not area > 0.0:
            raise DescriptionError(f"The area of chamber '{name}' is {area!r}; it must be positive.")
        return self._add_strand(Strand(name, offset, start, end, 0.0, area))

    def muscle(
        self, name: str, stress: Any, *, active_stiffness: Any = (0.0,) * 6, start: float = 0.0, end: float | None = None
    ) -> BodyHandle:
        """An active stress along this rod, driven by its ``activation`` a: a (stress + active_stiffness eps) is added to H eps.

        ``stress`` (6,), (force N; moment N m) in the axes of the sections, and ``active_stiffness`` (6,), N and N m^2 along the
        strains, are numbers or functions of s (m).
        """
        return self._add_strand(Strand(name, (0.0, 0.0), start, end, stress=stress, active_stiffness=active_stiffness))

    def _add_strand(self, strand: Strand) -> BodyHandle:
        if self._draft.rod is None:
            raise DescriptionError(f"'{strand.name}' is put on '{self.name}', which is not a rod.")
        strand.check(self._draft.rod, self.name)
        for draft in self._robot._drafts.values():
            if any(other.name == strand.name for other in draft.strands):
                raise DescriptionError(f"Robot '{self._robot.name}' has two tendons or chambers named '{strand.name}'.")
        self._draft.strands = (*self._draft.strands, strand)
        self._robot._touched()
        return self

    # ---------------------------------------------------------- what it bears
    def coordinates(self, *names: str) -> BodyHandle:
        """Name the velocity coordinates of the joint."""
        self._draft.coordinates = tuple(str(name) for name in names)
        self._robot._touched()
        return self

    def limits(self, lower: float = -math.inf, upper: float = math.inf, speed: float = math.inf) -> BodyHandle:
        """Smallest and largest position (rad or m) and largest speed (rad/s or m/s) of a joint with one coordinate.

        The dynamics does not know them: a run that passes them says so.
        """
        self._draft.limits, self._draft.speed_limit = (lower, upper), speed
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
        self._robot._check_new_point(name, "marker")
        self._draft.markers[name] = (at, turned)
        self._robot._touched()
        return self

    def fluid(
        self, added_mass: Any = None, added_inertia: Any = (0.0, 0.0, 0.0), at: Any = None, turned: Any = None, matrix: Any = None
    ) -> BodyHandle:
        """The inertia of an ideal fluid that this body moves along: three masses (kg) and three moments (kg m^2).

        They are those along and about the axes of the frame (``at``, ``turned``) in the body; for elliptic cylinders
        :func:`~locodyn.robot.fluid.ellipse_added_mass` gives them. ``matrix`` (6, 6), (linear; angular), in the frame of the
        body, stands for all of them.
        """
        what = f"body '{self._draft.name}'"
        if (matrix is None) == (added_mass is None):
            raise DescriptionError(f"The fluid of {what}: give added masses or a matrix, one of them.")
        if matrix is not None:
            self._draft.fluid = whole_matrix(matrix, what)
        else:
            self._draft.fluid = added_matrix(added_mass, added_inertia, pose_from(at, turned, f"The fluid of {what}"), what)
        self._robot._touched()
        return self

    # ---------------------------------------------------------------- wheels
    def wheel(
        self, name: str | None = None, at: Any = (0, 0, 0), axis: Any = "y", radius: Any = None, kind: str = "fixed",
        vertical: Any = "z", roller_angle: Any = 0.0, actuated: bool = False, contact: Any = None, mass: Any = None,
        spin_inertia: Any = None, across_inertia: Any = None, coordinate: str | None = None,
    ) -> BodyHandle:  # fmt: skip
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
        return self._robot._add_wheel(
            self._draft,
            WheelDraft(
                self._free_name("wheel") if name is None else name, at, axis, vertical, radius, kind, roller_angle, actuated,
                contact, None, mass, spin_inertia, across_inertia, coordinate,
            ),
        )  # fmt: skip

    def wheels(self, name: str | None = None, **values: Any) -> BodyHandle:
        """An axle with its wheels, which constrain the body as one wheel does; the arguments are those of :meth:`wheel`."""
        return self.wheel(name, **values)

    def skate(
        self, name: str | None = None, at: Any = (0, 0, 0), along: Any = "x", vertical: Any = "z", contact: Any = None
    ) -> BodyHandle:
        """A skate or knife edge on this body: it glides along ``along`` and does not move across it.

        ``at`` (3,) m is the point where it touches the ground. The default name is ``body.skate``, then ``body.skate_2``, ...
        """
        name = self._free_name("skate") if name is None else name
        return self._robot._add_wheel(
            self._draft, WheelDraft(name, at, None, vertical, kind="skate", contact=contact, along=along)
        )

    # -------------------------------------------------------------- contacts
    def rolling(
        self, name: str | None = None, radius: Any = None, axis: Any = None, crown: Any = None, semi_axes: Any = None,
        at: Any = (0, 0, 0), turned: Any = None, normal: Any = "z", ground: Any = (0, 0, 0), slips: bool = False,
    ) -> BodyHandle:  # fmt: skip
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
        self, name: str | None = None, at: Any = (0, 0, 0), normal: Any = "z", ground: Any = (0, 0, 0), slips: bool = False
    ) -> BodyHandle:
        """A point of this body that stays where it stands on a plane, or slides on it without friction (``slips``)."""
        name = self._free_name("foot") if name is None else name
        return self._touches(ContactDraft(name, at, normal=normal, ground=ground, slips=slips))

    # ---------------------------------------------------------- hard contact
    def collides(
        self, shape: Any = None, *, name: str | None = None, friction: Any = 0.0, restitution: Any = 0.0, direction: Any = "x",
        vertices: Any = None, radius: Any = None,
    ) -> BodyHandle:  # fmt: skip
        """A surface of this body that hits, sticks and slides: hard contact with obstacles and other bodies.

        On a rod without a shape: its round surface all along.

        Parameters
        ----------
        shape : Sphere, Capsule, Box or Ellipsoid
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
        self, load: Any, *, at: Any = (0, 0, 0), name: str | None = None, friction: Any = 0.0, direction: Any = "x"
    ) -> BodyHandle:
        """A point of this body that slides on the horizontal plane under a known ``load`` (N): friction of planar robots."""
        name = self._free_name("support") if name is None else name
        return self._collides(support_of(name, f"support '{name}' on '{self.name}'", at, load, friction, direction))

    def _collides(self, surface: Collision) -> BodyHandle:
        self._robot._check_new_point(surface.name, "surface")
        self._draft.collisions[surface.name] = surface
        self._robot._touched()
        return self

    def _touches(self, draft: ContactDraft) -> BodyHandle:
        self._robot._check_new_point(draft.name, "contact")
        check_contact(draft.built(), self.name)
        self._draft.contacts[draft.name] = draft
        self._robot._touched()
        return self

    def _free_name(self, what: str) -> str:
        first = f"{self.name}.{what}"
        taken = {**self._draft.wheels, **self._draft.contacts, **self._draft.collisions}
        return first if first not in taken else next(n for i in count(2) if (n := f"{first}_{i}") not in taken)
