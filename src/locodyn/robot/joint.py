"""Joints: how a body moves in its parent. The reference body has one too, with the world."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from locodyn.robot.layout import FREE, HELICAL, NQ, NV, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, TRANSLATION
from locodyn.robot.pose import Pose
from locodyn.robot.rods.rod import Rod
from locodyn.robot.values import read_only, scalar


@dataclass(frozen=True)
class JointKind:
    """What a type of joint is: its frames' codes (see :mod:`locodyn.robot.layout`), how many axes it names, its words."""

    codes: tuple[int, ...]
    axes: int
    word: str
    position_suffixes: tuple[str, ...] = ()
    velocity_suffixes: tuple[str, ...] = ()

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(NQ[code] for code in self.codes)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates (degrees of freedom)."""
        return sum(NV[code] for code in self.codes)


_XYZ, _QUATERNION = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
_LINEAR, _ANGULAR = ("vx", "vy", "vz"), ("wx", "wy", "wz")

KINDS: dict[str, JointKind] = {
    "fixed": JointKind((), 0, "fixed"),
    "revolute": JointKind((REVOLUTE,), 1, "turns about"),
    "prismatic": JointKind((PRISMATIC,), 1, "slides along"),
    "helical": JointKind((HELICAL,), 1, "screws about"),
    "cylindrical": JointKind((PRISMATIC, REVOLUTE), 1, "slides along and turns about"),
    "universal": JointKind((REVOLUTE, REVOLUTE), 2, "universal"),
    "spherical": JointKind((SPHERICAL,), 0, "ball", _QUATERNION, _ANGULAR),
    "translating": JointKind((TRANSLATION,), 0, "translating", _XYZ, _LINEAR),
    "planar": JointKind((PLANAR,), 0, "planar", ("x", "y", "angle"), ("vx", "vy", "wz")),
    "free": JointKind((FREE,), 0, "free", _XYZ + _QUATERNION, _LINEAR + _ANGULAR),
    "rod": JointKind((), 0, "rod"),
}

# What the reference body may do in the world: a group of motions.
REFERENCE_KINDS = ("free", "planar", "fixed", "spherical", "translating", "prismatic", "revolute")


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between a parent (or the world) and a body: ``g_parent_body = parent_offset * motion(q) * child_offset``.

    Parameters
    ----------
    name : str
    type : str
        One of :data:`KINDS`.
    axes : tuple of (3,)
        Unit axes in the frame of the joint: one for single-axis and cylindrical joints, two for a universal joint (the second
        turns with the first), none for the others.
    pitch : m/rad
        Advance of a helical joint for each radian.
    parent_offset : Pose
        Pose of the joint in the frame of the parent body.
    child_offset : Pose
        Pose of the body's frame in the moving frame of the joint.
    coordinates : tuple of str
        Names of the velocity coordinates; empty: they are named after the joint.
    limits : (2,) rad or m
        Smallest and largest position, of a joint with one coordinate. The dynamics does not know them: a run that passes them
        says so.
    speed_limit : rad/s or m/s
        Largest speed, likewise.
    rod : Rod or None
        What the rod is, where the type is ``rod``; the body's frame is then at its tip.
    abscissa : m or None
        Where on the parent the joint is, if the parent is held by a rod; None: at its tip. ``parent_offset`` is counted from
        there.
    """

    name: str
    type: str
    axes: tuple[np.ndarray, ...] = ()
    pitch: float = 0.0
    parent_offset: Pose = field(default_factory=Pose)
    child_offset: Pose = field(default_factory=Pose)
    coordinates: tuple[str, ...] = ()
    limits: tuple[float, float] = (-math.inf, math.inf)
    speed_limit: float = math.inf
    rod: Rod | None = None
    abscissa: float | None = None

    def __post_init__(self) -> None:
        axes = tuple(read_only(np.array(axis, dtype=float)) for axis in self.axes)
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "pitch", scalar(self.pitch, f"The pitch of joint '{self.name}'"))
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        lower, upper = self.limits
        object.__setattr__(self, "limits", (float(lower), float(upper)))
        object.__setattr__(self, "speed_limit", float(self.speed_limit))

    @property
    def is_limited(self) -> bool:
        """Whether position or speed have a limit."""
        return any(math.isfinite(value) for value in (*self.limits, self.speed_limit))

    @property
    def kind(self) -> JointKind:
        """What this type of joint is."""
        return KINDS[self.type]

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return self.kind.nv if self.rod is None else self.rod.count

    def velocity_names(self, reference_body: str | None = None) -> tuple[str, ...]:
        """Names of the velocity coordinates.

        One coordinate: the name of the joint. Several: ``name.0``, ``name.1``, ...; those of the reference joint are named
        after the reference body and the component of its twist: ``board.vx``, ``board.wz``.
        """
        if self.coordinates:
            return self.coordinates
        if reference_body is not None and self.kind.velocity_suffixes:
            return tuple(f"{reference_body}.{suffix}" for suffix in self.kind.velocity_suffixes)
        if self.rod is not None and (self.nv > 1 or self.rod.fields):
            return tuple(f"{self.name}.{coordinate}" for coordinate in self.rod.coordinate_names)
        return (self.name,) if self.nv == 1 else tuple(f"{self.name}.{i}" for i in range(self.nv))

    def position_names(self, reference_body: str | None = None) -> tuple[str, ...]:
        """Names of the position coordinates: as the velocities, or ``name.x``, ``name.qw``, ``name.angle`` where they differ."""
        if self.kind.position_suffixes:
            owner = self.name if reference_body is None else reference_body
            return tuple(f"{owner}.{suffix}" for suffix in self.kind.position_suffixes)
        return self.velocity_names(reference_body)
