"""Ideal contacts on a rod: anchors, sleeves and pegs at an abscissa of it (Ali 2011, 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from locodyn.errors import DescriptionError, nearest
from locodyn.motion.base import Law
from locodyn.robot.pose import Pose
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import is_number

# What a contact on a rod may be, and what it holds.
ROD_CONTACT_KINDS: dict[str, str] = {
    "anchor": "the section stays in the frame of an obstacle",
    "sleeve": "the section does not move sideways or about its axis",
    "peg": "the body slides through a point of the world",
}
MOVES = ("x", "y", "z", "turn", "about_x", "about_y", "about_z")


@dataclass(frozen=True, eq=False)
class RodContact:
    """A contact between a section of a rod and an obstacle in the world. See :mod:`locodyn.world.rod_rows` for its rows.

    Parameters
    ----------
    name : str
    kind : str
        ``anchor``: the section has the pose of the obstacle. ``sleeve``: it has its velocity sideways, and about the axis of
        the rod. ``peg``: the body passes through a point of the obstacle, at the section that is there.
    at : m, or Law
        The abscissa of the section. Of a peg: of the section that is there at the start.
    slips : bool
        Of an anchor whose abscissa moves: its place is fixed in space and the material slides through it; False: the
        material at the abscissa is at rest.
    place : Pose or None
        Of the obstacle in the world; None: where the section is at the start.
    moves : {"x", "y", "z": Law (m), "turn", "about_x", "about_y", "about_z": Law (rad)}
        Displacement of the obstacle along the axes of the world, turn about ``axis``, and components of a rotation vector in
        its own axes: it has turned by the exponential of their sum.
    axis : (3,)
        In the axes of the obstacle.
    wrap : (m, m) or None
        The abscissa goes around between these two: where its law leaves at one end, it comes in at the other.
    during : (s, s) or None
        The contact is there from the first to before the second time; of each ``period``, if there is one.
    period : s or None
    """

    name: str
    kind: str
    at: float | Law | None = None
    slips: bool = True
    place: Pose | None = None
    moves: Mapping[str, Law] = field(default_factory=dict)
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    wrap: tuple[float, float] | None = None
    during: tuple[float, float] | None = None
    period: float | None = None

    @property
    def is_holonomic(self) -> bool:
        """Whether it keeps a position, not only a velocity."""
        kept = self.kind == "peg" or (self.kind == "anchor" and (self.slips or not isinstance(self.at, Law)))
        return kept and self.wrap is None

    def check(self, rod: Rod, owner: str) -> None:
        """:class:`DescriptionError` when it does not fit its rod."""
        what = f"{self.kind} '{self.name}' on rod '{owner}'"
        if self.kind not in ROD_CONTACT_KINDS:
            raise DescriptionError(f"There is no contact {self.kind!r} for rods{nearest(str(self.kind), ROD_CONTACT_KINDS)}")
        if rod.space != "magnus4":
            raise DescriptionError(f"The {what} needs space='magnus4', the poses of which it shares; the rod has {rod.space!r}.")
        if self.at is None and not (self.kind == "peg" and self.place is not None):
            raise DescriptionError(f"The {what} has no abscissa: give at=, a number (m) or a law of time.")
        if isinstance(self.at, Law) and self.kind == "peg":
            raise DescriptionError(f"The {what} stays where it is while the body slides: its abscissa at the start is a number.")
        if is_number(self.at) and not 0.0 <= float(self.at) <= rod.length:  # a number, as is_number says
            raise DescriptionError(f"The {what} is at s = {self.at:g} m; the rod goes from 0 to {rod.length:g} m.")
        if not (self.at is None or is_number(self.at) or isinstance(self.at, Law)):
            raise DescriptionError(f"The abscissa of {what} is {self.at!r}; it must be a number (m) or a law of time.")
        self._check_times(rod, what)
        for word, law in self.moves.items():
            if word not in MOVES:
                raise DescriptionError(f"The {what} cannot move along '{word}'{nearest(word, MOVES)}")
            if not isinstance(law, Law):
                raise DescriptionError(f"The motion '{word}' of {what} is {law!r}; it must be a law of time.")

    def _check_times(self, rod: Rod, what: str) -> None:
        if self.wrap is not None:
            first, last = self.wrap
            if not 0.0 <= first < last <= rod.length * (1.0 + 1e-12):
                raise DescriptionError(
                    f"The {what} goes around from {first:g} to {last:g} m; that must be a stretch of the rod, 0 to"
                    f" {rod.length:g} m."
                )
            if not isinstance(self.at, Law):
                raise DescriptionError(f"The {what} goes around, but its abscissa does not move: give a law of time, or no wrap.")
        if self.period is not None and self.during is None:
            raise DescriptionError(f"The {what} has a period, but it is always there: say from when to when, during=.")
        if self.during is not None:
            first, last = self.during
            if not first < last or (self.period is not None and not 0.0 <= first < last <= self.period):
                raise DescriptionError(
                    f"The {what} is there from {first:g} to {last:g} s; the first time must come before the second, and both"
                    " within the period if there is one."
                )

    def outside(self, rod: Rod, times: np.ndarray) -> tuple[float, float] | None:
        """The first of the ``times`` (s) at which the law of the abscissa is outside the rod, and the abscissa; or None."""
        if not isinstance(self.at, Law) or self.wrap is not None:
            return None
        there = np.array([self.is_there(float(t)) for t in times])
        places = np.asarray(self.at(times))
        tolerance = 1e-9 * rod.length
        wrong = np.flatnonzero(there & ((places < -tolerance) | (places > rod.length + tolerance)))
        return (float(times[wrong[0]]), float(places[wrong[0]])) if len(wrong) else None

    def is_there(self, t: float) -> bool:
        """Whether the contact is there at time t (s)."""
        if self.during is None:
            return True
        phase = t % self.period if self.period is not None else t
        return self.during[0] <= phase < self.during[1]
