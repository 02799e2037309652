"""Closed loops: a joint that the tree leaves out, given by what it forbids. Couplings: gears, differentials, fingers that close
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from locodyn.robot.pose import Pose, rotation_to_axis
from locodyn.robot.values import read_only

# What each joint forbids of the linear and of the angular motion: all of it, what is across the axis, what is along it, nothing.
LOOP_JOINTS: dict[str, tuple[str, str]] = {
    "fixed": ("all", "all"),
    "revolute": ("all", "across"),
    "prismatic": ("across", "all"),
    "cylindrical": ("across", "across"),
    "planar": ("along", "across"),
    "pin": ("across", "nothing"),
    "in_plane": ("along", "nothing"),
    "spherical": ("all", "nothing"),
    "translating": ("nothing", "all"),
    "parallel": ("nothing", "across"),
    "perpendicular": ("nothing", "crossed"),
    "universal": ("all", "crossed"),
    "helical": ("across", "across"),
}

_WITHOUT_AXIS = ("fixed", "spherical", "translating")
_XYZ = ("x", "y", "z")


def _x() -> np.ndarray:
    return np.array([1.0, 0.0, 0.0])


def _z() -> np.ndarray:
    return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Loop:
    """The closure of a kinematic loop: a joint between a frame of one body and a frame of another, or of the world.

    Where the loop is closed, the two frames differ only by what the joint allows: they have the same axis, and for a joint
    that does not turn the same orientation; for one that does not slide the same origin.

    Parameters
    ----------
    name : str
    type : str
        One of :data:`LOOP_JOINTS`.
    first, second : str or None
        The bodies; ``None``: the world.
    first_pose, second_pose : Pose
        The frames of the joint in those of the bodies, or in the world.
    axis : (3,)
        Unit vector, in either frame of the joint: turns about it, slides along it, or the normal of its plane; the line along
        which a pin keeps the two origins. Fixed, spherical
        and translating joints have none and do not read it. Universal and perpendicular joints have it in the first frame.
    second_axis : (3,)
        Of a universal or a perpendicular joint: its other axis, in the second frame; the two stay perpendicular.
    pitch : m/rad
        Of a helical joint: how far the second frame moves along the axis when it turns. Turns are counted by continuity.
    """

    name: str
    type: str
    first: str | None
    second: str | None
    first_pose: Pose = field(default_factory=Pose)
    second_pose: Pose = field(default_factory=Pose)
    axis: np.ndarray = field(default_factory=_z)
    second_axis: np.ndarray = field(default_factory=_x)
    pitch: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", read_only(np.array(self.axis, dtype=float)))
        object.__setattr__(self, "second_axis", read_only(np.array(self.second_axis, dtype=float)))
        object.__setattr__(self, "pitch", float(self.pitch))

    @property
    def has_axis(self) -> bool:
        """Whether the joint has an axis."""
        return self.type not in _WITHOUT_AXIS

    @property
    def has_second_axis(self) -> bool:
        """Whether it has another axis, in the second frame."""
        return LOOP_JOINTS[self.type][1] == "crossed"

    @property
    def constraint_matrix(self) -> np.ndarray:
        """Rows (k, 6) that vanish on the twist of the second frame relative to the first.

        The twist is (linear; angular), the velocity of the origin of the second frame and the angular velocity, both seen from
        the first frame and in its axes. The rows are unit vectors, linear ones first. The row that keeps two axes a and b
        perpendicular depends on the configuration, (R b) x a: it is zero here.
        """
        rows = [(0, row) for row, _ in self._rows(0)] + [(3, row) for row, _ in self._rows(1)]
        result = np.zeros((len(rows), 6))
        for i, (start, row) in enumerate(rows):
            result[i, start : start + 3] = row
        if self.type == "helical":
            result = np.vstack([result, np.concatenate([self.axis, -self.pitch * self.axis])])
        return read_only(result)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows: ``pin.x`` for a motion along x, ``pin.about_x`` for a turn about x.

        With an axis that is not a coordinate axis: ``pin.along`` the axis, ``pin.across_1`` and ``pin.across_2``.
        """
        linear = tuple(f"{self.name}.{name}" for _, name in self._rows(0))
        helix = (f"{self.name}.helix",) if self.type == "helical" else ()
        return linear + tuple(f"{self.name}.about_{name}" for _, name in self._rows(1)) + helix

    def _rows(self, part: int) -> list[tuple[np.ndarray, str]]:
        """Directions (3,) and their names of the forbidden linear (0) or angular (1) motion."""
        which = LOOP_JOINTS[self.type][part]
        if which == "crossed":
            return [(np.zeros(3), "both")]
        directions = list(zip(np.eye(3), _XYZ, strict=True))
        if which in ("across", "along"):
            nonzero = np.flatnonzero(self.axis)
            if len(nonzero) == 1:
                along = int(nonzero[0])
                chosen = [along] if which == "along" else [i for i in range(3) if i != along]
                return [directions[i] for i in chosen]
            if which == "along":
                return [(self.axis, "along")]
            across = rotation_to_axis(self.axis)
            return [(across[:, 0], "across_1"), (across[:, 1], "across_2")]
        return directions if which == "all" else []


@dataclass(frozen=True, eq=False)
class Coupling:
    """An ideal gear between joints: sum_j c_j q_j = offset, at all times.

    Its multiplier lambda is the generalised force that it gives: c_j lambda on joint j, so that it takes no power.

    Parameters
    ----------
    name : str
    factors : mapping of joints to numbers
        c_j of each joint, which turns about or slides along one axis. Rad and m may be mixed: a rack of pinion radius r is
        ``{"pinion": r, "rack": -1}``.
    offset : float
        In the unit of c_j q_j.
    """

    name: str
    factors: Mapping[str, float]
    offset: float = 0.0

    @property
    def words(self) -> str:
        """``coupling gearbox: motor - 50 wheel = 0``."""
        terms = ""
        for joint, factor in self.factors.items():
            size = "" if abs(factor) == 1.0 else f"{abs(factor):g} "
            sign = ("-" if factor < 0.0 else "") if not terms else (" - " if factor < 0.0 else " + ")
            terms += f"{sign}{size}{joint}"
        return f"coupling {self.name}: {terms} = {self.offset:g}"
