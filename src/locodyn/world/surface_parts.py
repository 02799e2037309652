"""Surfaces of bodies and obstacles as segments with a radius, corners and edges: what contact points are looked for on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from locodyn.robot.compiled import CompiledCollision
from locodyn.world.obstacles import Ball, Obstacle, Peg


@dataclass(frozen=True)
class Round:
    """A segment with a radius on a frame (-1: the world)."""

    frame: int
    first: np.ndarray
    last: np.ndarray
    radius: float
    endless: bool = False

    @property
    def values(self) -> dict[str, Any]:
        """Its entries of the table."""
        return {"first": self.first, "last": self.last, "radius": self.radius}


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


def rounds_on_box(one: CompiledCollision) -> list[Round]:
    """What of a surface can touch a box: of another box also its edges, since crossed boxes have no corner inside each other."""
    if one.surface.kind != "box":
        return rounds(one)
    r, p = np.asarray(one.rotation, dtype=float), np.asarray(one.position, dtype=float)
    return corners_and_edges(one.frame, r, p, one.surface.size)


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


def obstacle_round(obstacle: Obstacle) -> Round:
    """A peg or ball as a segment with a radius in the world."""
    if isinstance(obstacle, Ball):
        return Round(-1, obstacle.at, obstacle.at, obstacle.radius)
    assert isinstance(obstacle, Peg)
    half = 0.5 * (1.0 if obstacle.length is None else obstacle.length)
    return Round(
        -1, obstacle.at - half * obstacle.axis, obstacle.at + half * obstacle.axis, obstacle.radius, obstacle.length is None
    )


def named(name: str, parts: Sequence[Round]) -> list[tuple[str, Round]]:
    """The parts of a surface with their names: its own where there is one, else numbered."""
    return [(name if len(parts) == 1 else f"{name}[{i}]", part) for i, part in enumerate(parts)]
