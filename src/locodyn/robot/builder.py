"""The builder of robots: it reads as a sentence and gives a validated, immutable description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from locodyn.errors import DescriptionError, InputError, nearest
from locodyn.robot.actuator import Actuator
from locodyn.robot.body import WrenchLaw
from locodyn.robot.compile import compile_robot
from locodyn.robot.compiled import CompiledRobot
from locodyn.robot.describe import diagram, one_line, tree
from locodyn.robot.description import RobotDescription
from locodyn.robot.joint import KINDS, REFERENCE_KINDS
from locodyn.robot.pose import pose_from
from locodyn.robot.reroot import Rerooting, reroot
from locodyn.robot.sentence import BodyHandle, Draft
from locodyn.robot.validate import validate

_BODY_FIELDS = ("mass", "density", "centre", "inertia", "shape")
_JOINT_FIELDS = ("at", "turned", "body_at", "body_turned", "axis", "axes", "pitch")
_ACTUATOR_FIELDS = tuple(entry.name for entry in fields(Actuator))


@dataclass
class _WrenchDraft:
    name: str
    body: str
    at: Any
    turned: Any
    law: Any


class Robot:
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
    """

    def __init__(self, name: str, *, massless_ok: bool = False) -> None:
        self.name, self.massless_ok = str(name), massless_ok
        self._drafts: dict[str, Draft] = {}
        self._wrenches: dict[str, _WrenchDraft] = {}
        self._built: RobotDescription | None = None

    # --------------------------------------------------------------- the words
    def base(
        self, name: str, *, moves: str = "free", mass: Any = None, density: Any = None, centre: Any = None, inertia: Any = None,
        shape: Any = None, axis: Any = "z", at: Any = None, turned: Any = None, joint: str | None = None,
    ) -> BodyHandle:  # fmt: skip
        """Add the reference body, which carries the robot.

        Parameters
        ----------
        name : str
        moves : str
            In which group: ``free`` (SE(3)), ``planar`` (SE(2), in the x-y plane), ``spherical`` (SO(3)), ``translating`` (R^3),
            ``revolute`` and ``prismatic`` (about or along ``axis``), or ``fixed``.
        mass, density, centre, inertia, shape
            As for :meth:`body`.
        axis : str or (3,)
            For ``revolute`` and ``prismatic``.
        at, turned
            Pose in the world from which the motion is counted.
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
        draft.axes, draft.joint_name = (axis,) * KINDS[moves].axes, joint
        draft.built_joint()
        return self._add(draft)

    def body(
        self, name: str, *, mass: Any = None, density: Any = None, centre: Any = None, inertia: Any = None, shape: Any = None
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

    def wrench(self, name: str, *, on: BodyHandle | str, law: Any, at: Any = None, turned: Any = None) -> Robot:
        """Add a wrench law on a body or at a marker; ``at`` and ``turned`` place its frame in that of the body or marker."""
        if name in self._wrenches:
            raise DescriptionError(f"Robot '{self.name}' has two wrench laws named '{name}': names must differ.")
        pose_from(at, turned, f"The place of wrench law '{name}'")
        self._wrenches[name] = _WrenchDraft(name, on.name if isinstance(on, BodyHandle) else str(on), at, turned, law)
        self._touched()
        return self

    def __getitem__(self, name: str) -> BodyHandle:
        """The body of this name, to say more about it."""
        if name not in self._drafts:
            raise InputError(f"Robot '{self.name}' has no body '{name}'{nearest(name, self._drafts)}")
        return BodyHandle(self, self._drafts[name])

    # ------------------------------------------------------------ what it gives
    @property
    def description(self) -> RobotDescription:
        """The validated description; an error says in one sentence what is missing or wrong."""
        if self._built is None:
            bodies = tuple(draft.built() for draft in self._drafts.values())
            wrenches = tuple(self._built_wrench(draft) for draft in self._wrenches.values())
            self._built = validate(RobotDescription(self.name, bodies, wrenches, self.massless_ok))
        return self._built

    @property
    def mass(self) -> Any:
        """Total mass, kg."""
        return sum(body.inertia.mass for body in self.description.bodies)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies said so far."""
        return tuple(self._drafts)

    @classmethod
    def from_description(cls, description: RobotDescription) -> Robot:
        """A robot that can be changed, from a description."""
        robot = cls(description.name, massless_ok=description.massless_ok)
        robot._drafts = {body.name: Draft.of(body) for body in description.bodies}
        for wrench in description.wrenches:
            place = (wrench.pose.position, wrench.pose.rotation)
            robot._wrenches[wrench.name] = _WrenchDraft(wrench.name, wrench.body, *place, wrench.law)
        return robot

    def compile(self, dtype: Any = float) -> CompiledRobot:
        """The arrays of the robot, see :class:`~locodyn.robot.compiled.CompiledRobot`."""
        return compile_robot(self.description, dtype)

    def model(self, **options: Any) -> Any:
        """The dynamics of this robot: a :class:`locodyn.dynamics.model.Model`."""
        from locodyn.dynamics.model import Model

        return Model(self.compile(), **options)

    def batch(self, n: int, **options: Any) -> Any:
        """Many copies of this robot computed together: a :class:`locodyn.batch.Batch`."""
        from locodyn.batch import Batch

        return Batch(self.model(), n, **options)

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

    # ----------------------------------------------------------------- changes
    def changed(self, changes: Mapping[str, Any]) -> Robot:
        """A copy of this robot with other parameters.

        Parameters
        ----------
        changes : mapping of dotted names to values
            ``"board.mass"``, ``"front.at"``, ``"rotor.axis"``, ``"rotor.armature"``, ``"tip.at"``: a body, joint, marker or
            wrench law, and one of its parameters.
        """
        robot = Robot(self.name, massless_ok=self.massless_ok)
        robot._drafts = {name: draft.copy() for name, draft in self._drafts.items()}
        robot._wrenches = {name: replace(draft) for name, draft in self._wrenches.items()}
        for key, value in changes.items():
            robot._change(key, value)
        robot.description  # noqa: B018  a wrong value fails here, where it is set
        return robot

    @property
    def parameters(self) -> tuple[str, ...]:
        """The dotted names that :meth:`changed` knows."""
        names = [f"{draft.name}.{entry}" for draft in self._drafts.values() for entry in _BODY_FIELDS]
        for draft in self._drafts.values():
            names += [f"{draft.joint_name or draft.name}.{entry}" for entry in _JOINT_FIELDS + _ACTUATOR_FIELDS]
            names += [f"{marker}.{entry}" for marker in draft.markers for entry in ("at", "turned")]
        names += [f"{wrench}.{entry}" for wrench in self._wrenches for entry in ("at", "turned", "law")]
        return tuple(dict.fromkeys(names))

    def _change(self, key: str, value: Any) -> None:
        owner, _, entry = str(key).rpartition(".")
        by_joint = {draft.joint_name or draft.name: draft for draft in self._drafts.values()}
        marked = next((draft for draft in self._drafts.values() if owner in draft.markers), None)
        joint = by_joint.get(owner) or self._drafts.get(owner)
        if owner in self._drafts and entry in _BODY_FIELDS:
            draft = self._drafts[owner]
            setattr(draft, entry, value)
            if entry == "mass":
                draft.density = None
            elif entry == "density":
                draft.mass = None
        elif joint is not None and entry in _ACTUATOR_FIELDS:
            joint.actuator = replace(joint.actuator or Actuator(), **{entry: value})
        elif joint is not None and entry == "axis":
            joint.axes = (value,)
        elif joint is not None and entry in _JOINT_FIELDS:
            setattr(joint, entry, value)
        elif marked is not None and entry in ("at", "turned"):
            at, turned = marked.markers[owner]
            marked.markers[owner] = (value, turned) if entry == "at" else (at, value)
        elif owner in self._wrenches and entry in ("at", "turned", "law"):
            setattr(self._wrenches[owner], entry, value)
        else:
            raise InputError(f"Robot '{self.name}' has no parameter '{key}'{nearest(key, self.parameters)}")
        self._touched()

    # ---------------------------------------------------------------- internals
    def _add(self, draft: Draft) -> BodyHandle:
        self._check_new_point(draft.name)
        draft.built_inertia()
        self._drafts[draft.name] = draft
        self._touched()
        return BodyHandle(self, draft)

    def _check_new_point(self, name: str) -> None:
        if name in self._drafts:
            raise DescriptionError(f"Robot '{self.name}' already has a body '{name}': bodies and markers need different names.")
        for draft in self._drafts.values():
            if name in draft.markers:
                raise DescriptionError(
                    f"Robot '{self.name}' already has a marker '{name}': bodies and markers need different names."
                )

    def _built_wrench(self, draft: _WrenchDraft) -> WrenchLaw:
        pose = pose_from(draft.at, draft.turned, f"The place of wrench law '{draft.name}'")
        for body in self._drafts.values():
            if draft.body in body.markers:
                return WrenchLaw(draft.name, body.name, pose_from(*body.markers[draft.body], "A marker") @ pose, draft.law)
        return WrenchLaw(draft.name, draft.body, pose, draft.law)

    def _touched(self) -> None:
        self._built = None
