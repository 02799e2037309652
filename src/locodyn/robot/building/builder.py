"""The builder of robots: it reads as a sentence and gives a validated, immutable description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, overload

import numpy.typing as npt

from locodyn.errors import DescriptionError, InputError, nearest
from locodyn.robot.building.change import change, parameters
from locodyn.robot.building.connections import Connections
from locodyn.robot.building.drafts import Draft, LoopDraft, WrenchDraft
from locodyn.robot.building.parts import Parts
from locodyn.robot.building.sentence import BodyHandle
from locodyn.robot.building.tie_draft import TieDraft
from locodyn.robot.compilation.compile import compile_robot
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.describe import diagram, one_line, tree
from locodyn.robot.description import RobotDescription
from locodyn.robot.html import robot_html
from locodyn.robot.inertia import Moments
from locodyn.robot.joint import KINDS, REFERENCE_KINDS
from locodyn.robot.reroot import Rerooting, reroot
from locodyn.robot.shapes import Shape
from locodyn.robot.together import together
from locodyn.typing import Axis, Matrix, Rotation, Scalar, Vector

if TYPE_CHECKING:
    from locodyn.batch import Batch, DeviceBatch
    from locodyn.dynamics.model import Model


MOST_BODIES = 5000  # a matrix of a chain of so many takes 0.2 GB, and a run has some ten


class Robot(Connections):
    """A robot in the making.

    >>> robot = Robot("pendulum")
    >>> ground = robot.base("ground", moves="fixed")
    >>> bob = robot.body("bob", mass=1.0, centre=(0, 0, -0.5)).on(ground).turning("y")
    >>> robot.compile()
    CompiledRobot('pendulum', 2 frames, 1 positions, 1 velocities)

    Parameters
    ----------
    name : str
    massless_ok : bool
        Allow joints that move parts without inertia, for robots whose motion is always imposed.
    any_inertia : bool
        Allow inertia tensors that no body can have, as in files of other programs.
    """

    # --------------------------------------------------------------- the words
    def base(
        self,
        name: str,
        *,
        moves: str = "free",
        mass: Scalar | None = None,
        density: Scalar | None = None,
        centre: Vector | None = None,
        inertia: Moments | Matrix | None = None,
        shape: Shape | None = None,
        axis: Axis = "z",
        at: Vector | None = None,
        turned: Rotation | None = None,
        body_at: Vector | None = None,
        body_turned: Rotation | None = None,
        joint: str | None = None,
    ) -> BodyHandle:
        """Add the reference body, which carries the robot.

        Parameters
        ----------
        name : str
        moves : str
            In which group: ``free`` (SE(3)), ``planar`` (SE(2), in the x-y plane), ``spherical`` (SO(3)), ``translating`` (R^3),
            ``revolute`` and ``prismatic`` (about or along ``axis``), or ``fixed``. A planar base moves in the plane across
            ``axis``: with ``axis="-y"`` along x, along z and about -y.
        mass, density, centre, inertia, shape
            As for :meth:`body`.
        axis : str or (3,)
            For ``revolute``, ``prismatic`` and, as the normal of its plane, ``planar``.
        at, turned
            Pose in the world from which the motion is counted.
        body_at, body_turned
            Pose of the body's frame in the frame that moves; by default they are the same.
        joint : str
            Name of the reference joint, by default that of the body.
        """
        if moves not in REFERENCE_KINDS:
            raise DescriptionError(f"The base '{name}' moves '{moves}', which is not known{nearest(moves, REFERENCE_KINDS)}")
        for draft in self._drafts.values():
            if draft.is_base:
                raise DescriptionError(
                    f"Robot '{self.name}' has two bases, '{draft.name}' and '{name}': a robot has one reference body."
                )
        draft = Draft(name, mass, density, centre, inertia, shape, is_base=True, type=moves, at=at, turned=turned)
        draft.body_at, draft.body_turned = body_at, body_turned
        draft.axes, draft.joint_name = (axis,) * (1 if moves == "planar" else KINDS[moves].axes), joint
        draft.built_joint()
        return self._add(draft)

    def body(
        self,
        name: str,
        *,
        mass: Scalar | None = None,
        density: Scalar | None = None,
        centre: Vector | None = None,
        inertia: Moments | Matrix | None = None,
        shape: Shape | None = None,
    ) -> BodyHandle:
        """Add a body; place it with ``.on(parent)`` and say how it moves with ``.turning("z")`` and the like.

        Parameters
        ----------
        name : str
        mass : kg
            Without mass and density the body is massless.
        density : kg/m^3
            Instead of the mass, if there is a shape.
        centre : (3,) m
            Centre of mass in the frame of the body; by default that of the shape, or the origin.
        inertia : about_centre(...), about_origin(...) or (3, 3) kg m^2 about the centre
            By default that of the shape; without shape the body is a point mass.
        shape : shape
            See :mod:`locodyn.robot.shapes`.
        """
        return self._add(Draft(name, mass, density, centre, inertia, shape))

    def __getitem__(self, name: str) -> BodyHandle:
        """The body of this name, to say more about it."""
        if name not in self._drafts:
            raise InputError(f"Robot '{self.name}' has no body '{name}'{nearest(name, self._drafts)}")
        return BodyHandle(self, self._drafts[name])

    # ------------------------------------------------------------ what it gives
    @property
    def mass(self) -> Scalar:
        """Total mass, kg."""
        found: Scalar = sum(body.mass for body in self.description.bodies)
        return found

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies said so far."""
        return tuple(self._drafts)

    @classmethod
    def from_description(cls, description: RobotDescription) -> Robot:
        """A robot that can be changed, from a description."""
        robot = cls(description.name, massless_ok=description.massless_ok, any_inertia=description.any_inertia)
        robot._drafts = {body.name: Draft.of(body) for body in description.bodies}
        for wrench in description.wrenches:
            place = (wrench.pose.position, wrench.pose.rotation)
            spread = wrench.spread
            along = (None, 1.0) if spread is None else (spread.end is None or (spread.start, spread.end), spread.profile)
            robot._wrenches[wrench.name] = WrenchDraft(wrench.name, wrench.body, *place, wrench.law, wrench.abscissa, *along)
        robot._loops = {loop.name: LoopDraft.of(loop) for loop in description.loops}
        robot._couplings = {one.name: one for one in description.couplings}
        robot._ties = {tie.name: TieDraft.of(tie) for tie in description.ties}
        return robot

    @classmethod
    def together(
        cls,
        name: str,
        robots: Mapping[str, Robot | RobotDescription],
        at: Mapping[str, Vector] | None = None,
        turned: Mapping[str, Rotation] | None = None,
    ) -> Robot:
        """Several robots and free objects in one world, as one robot whose base is ``world``.

        The name of a robot stands before those of its bodies, joints, wheels, laws and so on: ``dog.trunk``, ``ball.ball``. Bases
        move as before. More may be added: bodies on any of them, loops and couplings between them.

        >>> from locodyn.robot import about_centre
        >>> ball = Robot("ball")
        >>> base = ball.base("ball", mass=1.0, inertia=about_centre(xx=0.1, yy=0.1, zz=0.1))
        >>> Robot.together("two balls", {"one": ball, "two": ball}, at={"two": (0, 0, 2)}).bodies
        ('world', 'one.ball', 'two.ball')

        Parameters
        ----------
        name : str
        robots : {name: Robot or description}
        at, turned : {name: position (3,) m}, {name: rotation}
            Places in the world from which the motions of their bases are counted, before their own places.
        """
        descriptions = {key: robot.description if isinstance(robot, Parts) else robot for key, robot in robots.items()}
        return cls.from_description(together(name, descriptions, at, turned))

    def compile(self, dtype: npt.DTypeLike = float) -> CompiledRobot:
        """The arrays of the robot, see :class:`~locodyn.robot.compilation.compiled.CompiledRobot`."""
        return compile_robot(self.description, dtype)

    def model(self, gravity: Vector | None = None) -> Model:
        """The dynamics of this robot under ``gravity`` (3,) m/s^2, by default that of the Earth."""
        from locodyn.dynamics.model import Model

        return Model(self.compile()) if gravity is None else Model(self.compile(), gravity)

    @overload
    def batch(self, n: int, threads: int | None = None, device: None = None) -> Batch: ...
    @overload
    def batch(self, n: int, threads: int | None = None, *, device: str, dtype: npt.DTypeLike = float) -> DeviceBatch: ...
    def batch(
        self, n: int, threads: int | None = None, device: str | None = None, dtype: npt.DTypeLike = float
    ) -> Batch | DeviceBatch:
        """``n`` copies of this robot, computed together: in SIMD lanes on all cores, or on a ``device`` as ``"cuda"``.

        ``dtype``: ``"float32"`` for half the precision and twice the speed, on a device.
        """
        from locodyn.batch import Batch, DeviceBatch

        if device is not None:
            return DeviceBatch(self.model(), n, device, dtype)
        if dtype not in (float, "float64"):
            raise InputError(f"dtype of a batch is {dtype!r}; on the processor it is float64: name a device for others.")
        return Batch(self.model(), n, threads)

    def rerooting(self, body: str) -> Rerooting:
        """The same robot carried by another reference body, with the conversion of its states."""
        return reroot(self.description, body)

    def rerooted(self, body: str) -> Robot:
        """The same robot carried by another reference body."""
        return Robot.from_description(self.rerooting(body).description)

    def tree(self) -> str:
        """A diagram of the bodies and joints."""
        return tree(self.description)

    def __str__(self) -> str:
        return diagram(self.description)

    def __repr__(self) -> str:
        try:
            return one_line(self.description)
        except DescriptionError as error:
            return f"<robot '{self.name}', not complete: {error}>"

    def _repr_html_(self) -> str:
        try:
            return robot_html(self.description)
        except DescriptionError:
            return f"<p>{escape(repr(self))}</p>"

    # ----------------------------------------------------------------- changes
    def changed(self, changes: Mapping[str, object]) -> Robot:
        """A copy of this robot with other parameters.

        Parameters
        ----------
        changes : mapping of dotted names to values
            ``"board.mass"``, ``"front.at"``, ``"rotor.axis"``, ``"rotor.armature"``, ``"tip.at"``, ``"front.wheel.radius"``: a
            body, joint, marker, wheel, wrench law, loop, coupling, cable or spring, and one of its parameters.
        """
        robot = Robot(self.name, massless_ok=self.massless_ok, any_inertia=self.any_inertia)
        robot._drafts = {name: draft.copy() for name, draft in self._drafts.items()}
        robot._wrenches = {name: replace(draft) for name, draft in self._wrenches.items()}
        robot._loops = {name: replace(draft) for name, draft in self._loops.items()}
        robot._couplings = dict(self._couplings)
        robot._ties = {name: draft.copy() for name, draft in self._ties.items()}
        for key, value in changes.items():
            change(robot, key, value)
        robot.description  # noqa: B018  a wrong value fails here, where it is set
        return robot

    @property
    def parameters(self) -> tuple[str, ...]:
        """The dotted names that :meth:`changed` knows."""
        return parameters(self)

    def _add(self, draft: Draft) -> BodyHandle:
        if len(self._drafts) >= MOST_BODIES:
            raise DescriptionError(
                f"Robot '{self.name}' has more than {MOST_BODIES} bodies: a run needs matrices of (degrees of freedom)^2 numbers,"
                " and that is the most it can hold."
            )
        self._check_new_point(draft.name, "body")
        draft.built_inertia()
        self._drafts[draft.name] = draft
        self._touched()
        return BodyHandle(self, draft)
