"""The words for what holds a rod along its length: anchors, sleeves and pegs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from locodyn.errors import DescriptionError
from locodyn.motion.base import Law
from locodyn.robot.building.drafts import Draft
from locodyn.robot.pose import pose_from, unit_axis
from locodyn.robot.rods.contact import RodContact
from locodyn.robot.values import is_number
from locodyn.typing import Axis, Rotation, Vector

if TYPE_CHECKING:
    from locodyn.robot.building.builder import Robot


class ObstacleWords(TypedDict, total=False):
    """What is said of the obstacle of a contact on a rod, and of the times at which it is there.

    ``place`` (3,) m, ``turned``: where the obstacle is in the world; by default where the section is at the start.
    ``moves``: laws of its motion, ``{"x": law, "y": law, "z": law}`` in m along the axes of the world and ``{"turn": law}`` in
    rad about its own ``axis``, or any rotation by its vector, ``{"about_x": law, "about_y": law, "about_z": law}`` in rad.
    ``during``, ``period``: it is there from the first to before the second time (s), of each period if one is given.
    """

    place: Vector | None
    turned: Rotation | None
    moves: Mapping[str, Law]
    axis: Axis
    during: tuple[float, float] | None
    period: float | None


class HeldRod:
    """A rod that is being described, and what holds it in the world."""

    _robot: Robot
    _draft: Draft

    def anchor(
        self,
        name: str,
        at: float | Law,
        *,
        slips: bool = True,
        wrap: tuple[float, float] | None = None,
        **obstacle: Unpack[ObstacleWords],
    ) -> Self:
        """An anchor at the abscissa ``at`` (m) of this rod, a number or a law of time: the section there stays in place.

        Where the abscissa moves, the *place* of the contact is fixed in space, so that the material slides through it (sweeping
        anchorage; Ali 2011, (5.38)); with ``slips=False`` the material at the abscissa is at rest instead. ``wrap``: the
        abscissa goes around between these two (m). For the rest see :class:`ObstacleWords`.
        """
        return self._hold(name, "anchor", at, slips, wrap, obstacle)

    def sleeve(
        self,
        name: str,
        at: float | Law,
        *,
        wrap: tuple[float, float] | None = None,
        **obstacle: Unpack[ObstacleWords],
    ) -> Self:
        """An annular contact at the abscissa ``at`` (m) of this rod, a number or a law of time (Ali 2011, (5.40)).

        The section there moves along its axis only, and does not spin about it; it turns freely with the body. ``wrap``: the
        abscissa goes around between these two (m). For the rest see :class:`ObstacleWords`.
        """
        return self._hold(name, "sleeve", at, True, wrap, obstacle)

    def peg(self, name: str, at: float | None = None, **obstacle: Unpack[ObstacleWords]) -> Self:
        """A sleeve that stays in the world while this rod slides through it: a peg on both sides, a short tube.

        It is where the section at ``at`` (m) is at the start, or at its ``place`` (3,) m. Which section it holds follows from
        the motion. For the rest see :class:`ObstacleWords`.
        """
        return self._hold(name, "peg", at, True, None, obstacle)

    def _hold(
        self,
        name: str,
        kind: str,
        at: float | Law | None,
        slips: bool,
        wrap: tuple[float, float] | None,
        obstacle: ObstacleWords,
    ) -> Self:
        if self._draft.rod is None:
            raise DescriptionError(f"The {kind} '{name}' is put on '{self._draft.name}', which is not a rod.")
        what = f"The place of {kind} '{name}'"
        place, turned = obstacle.get("place"), obstacle.get("turned")
        pose = None if place is None and turned is None else pose_from(place, turned, what)
        axis = unit_axis(obstacle.get("axis", "z"), f"The axis of {kind} '{name}'")
        where = float(at) if is_number(at) else at  # a number, as is_number says
        contact = RodContact(
            name, kind, where, bool(slips), pose, dict(obstacle.get("moves", {})), axis, wrap,
            obstacle.get("during"), obstacle.get("period"),
        )  # fmt: skip
        contact.check(self._draft.rod, self._draft.name)
        self._robot._check_new_point(name, "contact")
        self._draft.rod_contacts = (*self._draft.rod_contacts, contact)
        self._robot._touched()
        return self
