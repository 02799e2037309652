"""The words for cables, springs and torsion springs between bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from locodyn.errors import DescriptionError
from locodyn.robot.building.parts import Parts
from locodyn.robot.building.tie_draft import Guides, TieDraft, end_of
from locodyn.robot.pose import Pose, pose_from, rotation_to_axis, unit_axis
from locodyn.robot.tie import Curve
from locodyn.typing import Axis, Rotation, Scalar

if TYPE_CHECKING:
    from locodyn.robot.building.tie_draft import On, Place


class Ties(Parts):
    """A robot in the making, as far as cables and springs go."""

    def spring(
        self,
        name: str,
        first: Place,
        second: Place,
        *,
        stiffness: Scalar = 0.0,
        damping: Scalar = 0.0,
        rest_length: Scalar | None = None,
        tension: Scalar = 0.0,
        curve: Curve | None = None,
        damping_curve: Curve | None = None,
        pulls_only: bool = False,
    ) -> Self:
        """Add a spring and damper between two points.

        Its tension is T = tension + stiffness (L - rest length) + damping d/dt (L - rest length), L being the distance of the
        points; negative where it pushes. For results it is a ``tie``: they record its tension and length.

        >>> from locodyn.robot import Robot
        >>> robot = Robot("swing")
        >>> ground = robot.base("ground", moves="fixed")
        >>> arm = robot.body("arm", mass=1.0, centre=(0.5, 0, 0)).on(ground).turning("y")
        >>> robot.spring("stay", ("world", (0, 0, 1)), (arm, (1, 0, 0)), stiffness=50, rest_length=1)
        <robot 'swing': 2 bodies, 1 degree of freedom, 1 kg, 1 spring>

        Parameters
        ----------
        name : str
        first, second
            A body or marker (its origin) or its name; (body, (x, y, z)) with a point in m in its frame; ("world", (x, y, z));
            on a rod (rod, s) or (rod, s, (x, y, z)) with the abscissa s in m and a point of the section there.
        stiffness : N/m
        damping : N s/m
        rest_length : m
            By default the length where all joints are at zero.
        tension : N
            At the rest length; without a stiffness the spring has this tension at all lengths.
        curve : pairs (L - rest length, T) in m and N
            In place of stiffness and tension; smooth between the pairs, straight beyond them.
        damping_curve : pairs (rate of L, T) in m/s and N
            Added to the damping.
        pulls_only : bool
            Whether it goes slack, as a rope does, instead of pushing.
        """
        ends = [end_of(place, name) for place in (first, second)]
        numbers = numbers_of(stiffness, damping, rest_length, tension, curve, damping_curve, pulls_only)
        return self._add_tie(TieDraft(name, ends, numbers=numbers))

    def cable(
        self,
        name: str,
        through: Sequence[Place | Guides],
        *,
        stiffness: Scalar = 0.0,
        damping: Scalar = 0.0,
        rest_length: Scalar | None = None,
        tension: Scalar = 0.0,
        curve: Curve | None = None,
        damping_curve: Curve | None = None,
        pulls_only: bool = True,
    ) -> Self:
        """Add a cable that runs straight from point to point, and through those in between without friction.

        As :meth:`spring`, with L the sum of all parts: a pulley is a cable through three points. A scenario winds it up by
        ``tendon_length`` or pulls it by ``tension``.

        Parameters
        ----------
        name : str
        through : places as of :meth:`spring`, in their order
            And :class:`Guides`: a stretch along a rod. So a tendon runs through several rods and bodies.
        stiffness, damping, rest_length, tension, curve, damping_curve, pulls_only
            As of :meth:`spring`; a cable only pulls unless you say otherwise.
        """
        if isinstance(through, str) or not isinstance(through, Sequence) or len(through) < 2:
            raise DescriptionError(f"Cable '{name}' runs through {through!r}; give a list of two points or more.")
        numbers = numbers_of(stiffness, damping, rest_length, tension, curve, damping_curve, pulls_only)
        places = [one for place in through for one in (self._eyes(place, name) if isinstance(place, Guides) else [place])]
        return self._add_tie(TieDraft(name, [end_of(place, name) for place in places], numbers=numbers))

    def _eyes(self, guides: Guides, name: str) -> list[Place]:
        rod = guides.rod if isinstance(guides.rod, str) else guides.rod.name
        draft = self._drafts.get(rod)
        if draft is None or draft.rod is None:
            raise DescriptionError(f"Cable '{name}' has guides along '{rod}', which is not a rod.")
        return guides.places(name, float(draft.rod.length))

    def torsion_spring(
        self,
        name: str,
        first: On | tuple[On, float],
        second: On | tuple[On, float],
        axis: Axis = "z",
        *,
        first_turned: Rotation | None = None,
        second_turned: Rotation | None = None,
        stiffness: Scalar = 0.0,
        damping: Scalar = 0.0,
        rest_angle: Scalar = 0.0,
        moment: Scalar = 0.0,
        curve: Curve | None = None,
        damping_curve: Curve | None = None,
    ) -> Self:
        """Add a torsion spring and damper between two bodies that need not have a common joint.

        The angle is that by which the second is turned against the first about the axis: through any number of turns where all
        joints between the two turn about it, else up to half a turn to either side. The moment that turns it back is moment +
        stiffness (angle - rest angle) + damping times its rate. A spring of a joint is said with ``actuator(stiffness=,
        rest=)``.

        Parameters
        ----------
        name : str
        first, second : body, marker, their names, or "world"; or (rod, s) with the abscissa s in m
        axis : str or (3,)
            In the frames of both.
        first_turned, second_turned : rotation
            Of these frames in those of the bodies, by default none.
        stiffness : N m/rad
        damping : N m s/rad
        rest_angle : rad
        moment : N m
            At the rest angle.
        curve : pairs (angle - rest angle, moment) in rad and N m
            In place of stiffness and moment.
        damping_curve : pairs (rate of the angle, moment) in rad/s and N m
        """
        what = f"of torsion spring '{name}'"
        about = Pose(rotation_to_axis(unit_axis(axis, f"The axis {what}")))
        ends: list[tuple[str, Any, Any]] = []
        for place, turned in ((first, first_turned), (second, second_turned)):
            body, _, s = end_of(place, name)
            ends.append((body, pose_from(None, turned, f"An end {what}") @ about, s))
        numbers = numbers_of(stiffness, damping, rest_angle, moment, curve, damping_curve, False)
        return self._add_tie(TieDraft(name, ends, True, numbers))

    def _add_tie(self, draft: TieDraft) -> Self:
        if draft.name in self._ties:
            raise DescriptionError(f"Robot '{self.name}' has two cables or springs named '{draft.name}': names must differ.")
        draft.built(self).check()
        self._ties[draft.name] = draft
        self._touched()
        return self


def numbers_of(
    stiffness: Any, damping: Any, rest: Any, tension: Any, curve: Any, damping_curve: Any, pulls_only: bool
) -> dict[str, Any]:
    """The numbers of a tie by the names of its fields."""
    return {
        "stiffness": stiffness, "damping": damping, "rest": rest, "tension": tension, "curve": curve,
        "damping_curve": damping_curve, "pulls_only": bool(pulls_only),
    }  # fmt: skip
