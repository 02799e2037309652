"""Surfaces of bodies and obstacles as segments with a radius, corners and edges: what contact points are looked for on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from locodyn.robot.compilation.compiled_parts import CompiledCollision
from locodyn.world.obstacles import Obstacle

FACE_POINTS = 8
_INSET = 1e-3  # of the radius: how far inside the rim the points of a flat end are
_LEAN = 0.4  # of the radius, by which their gaps grow where the cylinder lies on its side
_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Round:
    """A segment with a radius on a frame (-1: the world)."""

    frame: int
    first: np.ndarray
    last: np.ndarray
    radius: float
    endless: bool = False

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its entries of the table as the first side; one dictionary for all pairs."""
        return {"first": self.first, "last": self.last, "radius": self.radius, "endless": self.endless}

    @cached_property
    def other_values(self) -> dict[str, Any]:
        """Its entries of the table as the other side."""
        return {"other_first": self.first, "other_last": self.last, "other_radius": self.radius, "endless": self.endless}


@dataclass(frozen=True, kw_only=True)
class FacePoint(Round):
    """A point of the flat end of a cylinder about the z axis of ``rotation``; ``lean`` m: see ``pair_gap``."""

    rotation: np.ndarray
    lean: float

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its entries of the table."""
        entries: dict[str, Any] = {"first": self.first, "last": self.last, "radius": self.radius, "endless": self.endless}
        return entries | {"own_axes": self.rotation, "lean": self.lean}


@dataclass(frozen=True)
class Rim:
    """The circle at an end of a cylinder about the z axis of ``rotation``, on a frame (-1: the world)."""

    frame: int
    centre: np.ndarray
    rotation: np.ndarray
    radius: float

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its entries of the table."""
        return {"first": self.centre, "own_axes": self.rotation, "radius": self.radius}


@dataclass(frozen=True)
class Solid:
    """A box, an ellipsoid or a cylinder on a frame (-1: the world).

    ``size`` (3,) m: half edges, semi-axes, or (radius, radius, half length) of a cylinder along z of ``rotation``.
    """

    frame: int
    kind: str
    rotation: np.ndarray
    centre: np.ndarray
    size: np.ndarray

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its entries of the table as the first side."""
        return {"first": self.centre, "own_axes": self.rotation, "own_half": self.size}

    @cached_property
    def other_values(self) -> dict[str, Any]:
        """Its entries of the table as the other side."""
        return {"other_first": self.centre, "other_axes": self.rotation, "other_half": self.size}

    @cached_property
    def edges(self) -> list[Round | Rim]:
        """What of it touches a box or a cylinder: corners and edges of a box; rims and points of the flat ends of a cylinder."""
        if self.kind == "box":
            return [*corners_and_edges(self.frame, self.rotation, self.centre, self.size)]
        return [*self.rims(), *self.face_points()]

    def rims(self) -> list[Rim]:
        """The two rims of a cylinder."""
        along = self.size[2] * self.rotation[:, 2]
        return [Rim(self.frame, self.centre + sign * along, self.rotation, float(self.size[0])) for sign in (-1, 1)]

    def face_points(self) -> list[FacePoint]:
        """Eight points of each flat end of a cylinder, on which it stands: just inside the rim, which alone rolls."""
        angles = np.arange(FACE_POINTS) * 2.0 * np.pi / FACE_POINTS
        circle = (1.0 - _INSET) * self.size[0] * np.stack([np.cos(angles), np.sin(angles)])
        points = [(x, y, sign * self.size[2]) for sign in (-1, 1) for x, y in circle.T]
        placed = [self.centre + self.rotation @ np.array(point) for point in points]
        return [FacePoint(self.frame, x, x, 0.0, rotation=self.rotation, lean=_LEAN * float(self.size[0])) for x in placed]


@dataclass(frozen=True)
class Side:
    """One of two things that meet: a solid, or its round parts; the direction of its friction where it is on a body."""

    name: str
    solid: Solid | None
    rounds: list[Round]
    direction: Any = (1.0, 0.0, 0.0)

    @cached_property
    def lead(self) -> dict[str, Any]:
        """Its direction as an entry of the table."""
        return {"direction": self.direction}


def side_of(one: CompiledCollision) -> Side:
    """The surface of a body."""
    solid = solid_of(one)
    return Side(one.name, solid, rounds(one) if solid is None else [], one.direction)


def obstacle_side(obstacle: Obstacle) -> Side:
    """A solid in the world."""
    kind, pose, size = obstacle.surface
    if kind in ("box", "ellipsoid") or (kind == "cylinder" and np.isfinite(size[1])):
        half = np.array([size[0], size[0], size[1]]) if kind == "cylinder" else size
        return Side(obstacle.name, Solid(-1, kind, pose.rotation, pose.position, half), [])
    endless = not np.isfinite(size[1])
    along = (0.5 if endless else size[1]) * pose.rotation[:, 2] if kind != "sphere" else np.zeros(3)
    first, last = pose.position - along, pose.position + along
    return Side(obstacle.name, None, [Round(-1, first, last, float(size[0]), endless)])


def solid_of(one: CompiledCollision) -> Solid | None:
    """The box, ellipsoid or cylinder that a surface is."""
    size = one.surface.size
    if one.surface.kind not in ("box", "ellipsoid", "cylinder"):
        return None
    if one.surface.kind == "cylinder":
        size = np.array([size[0], size[0], size[1]])
    return Solid(one.frame, one.surface.kind, np.asarray(one.rotation, float), np.asarray(one.position, float), size)


def rounds(one: CompiledCollision) -> list[Round]:
    """The segments with radius that a surface consists of: of a box and of points, its corners."""
    surface, frame = one.surface, one.frame
    r, p = np.asarray(one.rotation, dtype=float), np.asarray(one.position, dtype=float)
    if surface.kind == "sphere":
        return [Round(frame, p, p, surface.radius)]
    if surface.kind == "capsule":
        along = r[:, 2] * surface.size[1]
        return [Round(frame, p - along, p + along, surface.radius)]
    if surface.kind == "rod":
        return [Round(frame, p - r[:, 0] * surface.size[1], p + r[:, 0] * surface.size[2], surface.radius)]
    points = box_corners(r, p, surface.size) if surface.kind == "box" else [p + r @ x for x in surface.vertices]
    return [Round(frame, x, x, 0.0) for x in points]


def corners_and_edges(frame: int, rotation: np.ndarray, centre: np.ndarray, half: np.ndarray) -> list[Round]:
    """The 8 corners and 12 edges of a box."""
    corners = box_corners(rotation, centre, half)
    edges = [(a, b) for a, b in combinations(range(8), 2) if bin(a ^ b).count("1") == 1]
    points = [Round(frame, x, x, 0.0) for x in corners]
    return points + [Round(frame, corners[a], corners[b], 0.0) for a, b in edges]


def balls(one: CompiledCollision) -> list[Round]:
    """Where a plane or terrain can touch a surface: balls at the ends of its segments, of a piece of a rod at its middle."""
    if one.surface.kind == "rod":
        p = np.asarray(one.position, dtype=float)
        return [Round(one.frame, p, p, one.surface.radius)]
    return [end for part in rounds(one) for end in ends(part)]


def ends(part: Round) -> Iterator[Round]:
    """A capsule as the balls at its ends: where a plane touches it; a ball as itself."""
    for point in (part.first,) if np.array_equal(part.first, part.last) else (part.first, part.last):
        yield Round(part.frame, point, point, part.radius)


def box_corners(rotation: np.ndarray, centre: np.ndarray, half: np.ndarray) -> list[np.ndarray]:
    """The eight corners of a box, m."""
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return [centre + rotation @ (half * np.array(sign)) for sign in signs]


def named(name: str, parts: Sequence[_Part]) -> list[tuple[str, _Part]]:
    """The parts of a surface with their names: its own where there is one, else numbered."""
    return [(name if len(parts) == 1 else f"{name}[{i}]", part) for i, part in enumerate(parts)]
