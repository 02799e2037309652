"""The words for what acts on a robot and ties its parts together: wrench laws, loops, couplings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from locodyn.errors import DescriptionError
from locodyn.robot.building.drafts import LoopDraft, WrenchDraft
from locodyn.robot.building.sentence import BodyHandle
from locodyn.robot.building.ties import Ties
from locodyn.robot.loop import Coupling
from locodyn.robot.pose import pose_from
from locodyn.robot.values import floats
from locodyn.typing import Axis, Rotation, Scalar, Vector

if TYPE_CHECKING:
    from locodyn.world.law_base import WrenchLaw


class Connections(Ties):
    """A robot in the making, as far as laws, loops and couplings go."""

    def wrench(
        self,
        name: str,
        *,
        on: BodyHandle | str,
        law: WrenchLaw,
        at: Vector | None = None,
        turned: Rotation | None = None,
        at_s: Scalar | None = None,
        along: bool | tuple[float, float] | None = None,
        profile: float | Sequence[tuple[float, float]] | Callable[[float], float] = 1.0,
    ) -> Self:
        """Add a wrench law on a body, at a marker or on a rod.

        Parameters
        ----------
        name : str
        on : body, marker, or their names
        law : law of :mod:`locodyn.world`
        at, turned
            Place its frame in that of the body or marker, or in the sections of the rod.
        at_s : m
            On a rod: where it acts, instead of the tip.
        along : True or (start, end) in m
            On a rod: the law acts on every metre of it, or of this stretch.
        profile : number, pairs (s, factor), or function of s (m)
            With ``along``: what the law is multiplied with.
        """
        if name in self._wrenches:
            raise DescriptionError(f"Robot '{self.name}' has two wrench laws named '{name}': names must differ.")
        pose_from(at, turned, f"The place of wrench law '{name}'")
        draft = WrenchDraft(name, on.name if isinstance(on, BodyHandle) else str(on), at, turned, law, at_s, along, profile)
        self._built_wrench(draft)
        self._wrenches[name] = draft
        self._touched()
        return self

    def loop(
        self,
        name: str,
        first: BodyHandle | str,
        second: BodyHandle | str,
        joint: str = "revolute",
        axis: Axis = "z",
        *,
        at: Vector | None = None,
        turned: Rotation | None = None,
        first_at: Vector | None = None,
        first_turned: Rotation | None = None,
        second_at: Vector | None = None,
        second_turned: Rotation | None = None,
        second_axis: Axis = "x",
        pitch: Scalar = 0.0,
    ) -> Self:
        """Close a loop by a joint between two frames of the tree, or one of them and the world.

        Parameters
        ----------
        name : str
        first, second : body, marker, their names, or "world"
        joint : str
            ``revolute``, ``spherical``, ``prismatic``, ``cylindrical``, ``planar``, ``translating``, ``universal``, ``helical``,
            ``fixed``, or ``pin``: two rows that keep a point on a line along the axis, all that a mechanism needs whose bodies
            stay in a plane anyway. Single conditions, of which any set may be put together: ``in_plane`` keeps a point in a
            plane, ``parallel`` and ``perpendicular`` keep axes so.
        axis : str or (3,)
            In the frames of the joint: turns about it, slides along it, or the normal of the plane.
        at, turned
            Pose of the joint in the world, where one of the ends is "world".
        first_at, first_turned, second_at, second_turned
            Poses of the frames of the joint on the two ends; by default they are those of the bodies or markers.
        second_axis : str or (3,)
            Of a universal or perpendicular joint: its other axis, in the second frame.
        pitch : m/rad
            Of a helical joint.
        """
        if name in self._loops:
            raise DescriptionError(f"Robot '{self.name}' has two loops named '{name}': names must differ.")
        for end in (first, second):
            if isinstance(end, BodyHandle) and end._robot is not self:
                raise DescriptionError(f"Loop '{name}' joins '{end.name}' of another robot, '{end._robot.name}'.")
        one, two = (end.name if isinstance(end, BodyHandle) else str(end) for end in (first, second))
        draft = LoopDraft(name, joint, axis, one, two, first_at, first_turned, second_at, second_turned, second_axis, pitch)
        if at is not None or turned is not None:
            draft.place_in_world(at, turned)
        draft.built()
        self._loops[name] = draft
        self._touched()
        return self

    def coupling(self, name: str, factors: Mapping[str, float], offset: float = 0.0) -> Self:
        """Couple joints by an ideal gear: the sum of factor times position of the joints stays ``offset``.

        >>> from locodyn.robot import Robot
        >>> robot = Robot("finger")
        >>> palm = robot.base("palm", moves="fixed")
        >>> near = robot.body("near", mass=0.1, centre=(0.02, 0, 0)).on(palm).turning("z")
        >>> tip = robot.body("tip", mass=0.1, centre=(0.02, 0, 0)).on(near, at=(0.04, 0, 0)).turning("z")
        >>> robot.coupling("link", {"tip": 1, "near": -0.5})
        <robot 'finger': 3 bodies, 2 degrees of freedom, 0.2 kg, 1 coupling>

        Parameters
        ----------
        name : str
        factors : {joint: number}
            Of two or more joints with one coordinate. Here ``tip`` turns half as far as ``near``.
        offset : number
        """
        if name in self._couplings:
            raise DescriptionError(f"Robot '{self.name}' has two couplings named '{name}': names must differ.")
        if not isinstance(factors, Mapping):
            raise DescriptionError(f"The factors of coupling '{name}' are {factors!r}: give {{joint: number, ...}}.")
        what = f"coupling '{name}'"
        numbers = {str(joint): floats(value, f"The factor of '{joint}' in {what}") for joint, value in factors.items()}
        self._couplings[name] = Coupling(name, numbers, floats(offset, f"The offset of {what}"))
        self._touched()
        return self
