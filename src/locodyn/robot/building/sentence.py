"""The words in which a body is described: ``robot.body("rotor", mass=1).on(board, at=(0.2, 0, 0)).turning("z")``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Unpack

from locodyn.errors import DescriptionError, nearest
from locodyn.robot.actuator import Actuator, ActuatorFields
from locodyn.robot.building.drafts import Draft
from locodyn.robot.building.sentence_rod import HeldRod
from locodyn.robot.building.sentence_touch import TouchingBody
from locodyn.robot.fluid import added_matrix, ellipsoid_added_mass, whole_matrix
from locodyn.robot.pose import pose_from
from locodyn.robot.rods.routing import Offset
from locodyn.robot.rods.strand import Strand
from locodyn.robot.rods.words import RodWords, rod_of
from locodyn.typing import Axis, Matrix, Rotation, Scalar, Vector


class BodyHandle(TouchingBody, HeldRod):
    """A body that is being described; every word returns it again, so that they join to a sentence."""

    # ----------------------------------------------------------------- place
    def on(
        self,
        parent: BodyHandle | str,
        at: Vector | None = None,
        turned: Rotation | None = None,
        body_at: Vector | None = None,
        body_turned: Rotation | None = None,
        at_s: Scalar | None = None,
    ) -> BodyHandle:
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
    def turning(self, axis: Axis = "z", *, name: str | None = None) -> BodyHandle:
        """A revolute joint about ``axis``."""
        return self._moves("revolute", (axis,), name)

    def sliding(self, axis: Axis = "z", *, name: str | None = None) -> BodyHandle:
        """A prismatic joint along ``axis``."""
        return self._moves("prismatic", (axis,), name)

    def screwing(self, axis: Axis = "z", *, pitch: Scalar, name: str | None = None) -> BodyHandle:
        """A helical joint about ``axis`` that advances by ``pitch`` m for each radian."""
        return self._moves("helical", (axis,), name, pitch=pitch)

    def cylindrical(self, axis: Axis = "z", *, name: str | None = None) -> BodyHandle:
        """Slides along ``axis`` (coordinate 0) and turns about it (coordinate 1)."""
        return self._moves("cylindrical", (axis,), name)

    def universal(self, first: Axis = "x", second: Axis = "y", *, name: str | None = None) -> BodyHandle:
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

    def _moves(self, kind: str, axes: tuple[Axis, ...], name: str | None, pitch: Scalar = 0.0) -> BodyHandle:
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
        self,
        name: str,
        *,
        at: Vector | None = None,
        turned: Rotation | None = None,
        at_s: Scalar | None = None,
        joint: str | None = None,
        **values: Unpack[RodWords],
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
            What it is, see :func:`~locodyn.robot.rods.words.rod_of`: ``length``, ``section``, ``material``, ``bending``,
            ``torsion``, ``stretch``, ``shear``, ``basis``, ``nodes``, ``rest_curvature``, ``damping``, ``order``.
        """
        draft = Draft(name, type="rod", joint_name=joint, rod=rod_of(name, **values))
        self._robot._add(draft)
        return BodyHandle(self._robot, draft).on(self, at=at, turned=turned, at_s=at_s)

    def tendon(
        self,
        name: str,
        offset: Offset,
        *,
        start: float = 0.0,
        end: float | None = None,
        stiffness: float = 0.0,
        time_constant: float = 0.0,
    ) -> BodyHandle:
        """A tendon along this rod, at ``offset`` (y, z) m in its sections, or along a Helix, PolynomialRoute or function of s.

        It is driven by its tension (N), or with a ``stiffness`` (N/m) by its free length (m): ``tension={name: law}``,
        ``tendon_length={name: law}`` of a scenario. It follows them with the ``time_constant`` (s).
        """
        return self._add_strand(Strand(name, offset, start, end, stiffness, time_constant=time_constant))

    def chamber(
        self,
        name: str,
        offset: Offset = (0.0, 0.0),
        *,
        area: float,
        start: float = 0.0,
        end: float | None = None,
        time_constant: float = 0.0,
    ) -> BodyHandle:
        """A pressurised chamber of this ``area`` (m^2) along this rod; it is driven by its ``pressure`` (Pa).

        The pressure follows what it is told with the ``time_constant`` (s).
        """
        if not area > 0.0:
            raise DescriptionError(f"The area of chamber '{name}' is {area!r}; it must be positive.")
        return self._add_strand(Strand(name, offset, start, end, 0.0, area, time_constant=time_constant))

    def muscle(
        self,
        name: str,
        stress: Vector | Callable[[float], Vector],
        *,
        active_stiffness: Vector | Callable[[float], Vector] = (0.0,) * 6,
        start: float = 0.0,
        end: float | None = None,
        time_constant: float = 0.0,
    ) -> BodyHandle:
        """An active stress along this rod, driven by its ``activation`` a: a (stress + active_stiffness eps) is added to H eps.

        ``stress`` (6,), (force N; moment N m) in the axes of the sections, and ``active_stiffness`` (6,), N and N m^2 along the
        strains, are numbers or functions of s (m). The activation follows what it is told with the ``time_constant`` (s).
        """
        strand = Strand(
            name, (0.0, 0.0), start, end, stress=stress, active_stiffness=active_stiffness, time_constant=time_constant
        )
        return self._add_strand(strand)

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

    def actuator(self, **values: Unpack[ActuatorFields]) -> BodyHandle:
        """Drive, friction and spring of the joint; the arguments are those of :class:`~locodyn.robot.actuator.Actuator`."""
        known = [entry.name for entry in fields(Actuator)]
        for name in values:
            if name not in known:
                raise DescriptionError(f"An actuator has no '{name}'{nearest(name, known)}")
        self._draft.actuator = Actuator(**values)
        self._robot._touched()
        return self

    def marker(self, name: str, at: Vector | None = None, turned: Rotation | None = None) -> BodyHandle:
        """A named frame on this body."""
        pose_from(at, turned, f"Marker '{name}'")
        self._robot._check_new_point(name, "marker")
        self._draft.markers[name] = (at, turned)
        self._robot._touched()
        return self

    def fluid(
        self,
        added_mass: Vector | None = None,
        added_inertia: Vector = (0.0, 0.0, 0.0),
        at: Vector | None = None,
        turned: Rotation | None = None,
        matrix: Matrix | None = None,
        ellipsoid: Vector | None = None,
        density: float = 1000.0,
        unbounded: bool | None = None,
    ) -> BodyHandle:
        """The inertia of an ideal fluid that this body moves along: three masses (kg) and three moments (kg m^2).

        They are those along and about the axes of the frame (``at``, ``turned``) in the body; for elliptic cylinders
        :func:`~locodyn.robot.fluid.ellipse_added_mass` gives them. ``ellipsoid`` (3,) m: semi-axes of an ellipsoid whose added
        masses they are, in a fluid of this ``density`` (kg/m^3). ``matrix`` (6, 6), (linear; angular), in the frame of the body,
        stands for all of them. ``unbounded``: they hold deep under water only, and a run tells where the body comes out; by
        default those of an ellipsoid.
        """
        what = f"body '{self._draft.name}'"
        if sum(way is not None for way in (matrix, added_mass, ellipsoid)) != 1:
            raise DescriptionError(f"The fluid of {what}: give added masses, an ellipsoid or a matrix, one of them.")
        if ellipsoid is not None:
            added_mass, added_inertia = ellipsoid_added_mass(ellipsoid, density)
        if matrix is not None:
            self._draft.fluid = whole_matrix(matrix, what)
        else:
            self._draft.fluid = added_matrix(added_mass, added_inertia, pose_from(at, turned, f"The fluid of {what}"), what)
        self._draft.unbounded = ellipsoid is not None if unbounded is None else unbounded
        self._robot._touched()
        return self
