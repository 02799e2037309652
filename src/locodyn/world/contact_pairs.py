"""The pairs of surfaces that may touch, as data: one row for each point at which a contact can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.kernel import routine, step
from locodyn.kernel.vector import add, load3, load9, multiply, rotate, scale
from locodyn.robot.compiled import CompiledCollision, CompiledRobot
from locodyn.robot.friction import FRICTION_LAWS, Friction
from locodyn.robot.layout import PARENT
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.world.ellipsoid_gaps import ellipsoid_gap, ellipsoid_round_gap
from locodyn.world.gaps import BOX, ELLIPSOID, PLANE, ROUND, ROUND_ELLIPSOID, SUPPORT, TERRAIN, box_gap, plane_gap, round_gap
from locodyn.world.obstacles import Block, Ground, Obstacle, Terrain
from locodyn.world.surface_parts import Round, balls, corners_and_edges, named, obstacle_round, rounds, rounds_on_box
from locodyn.world.terrain_gaps import terrain_gap

# pairs[n, column], int64. FRAME, OTHER: frames of the round side and of the other one, -1 for the world.
KIND, FRAME, OTHER, ENDLESS, LAW, HEIGHTS, NX, NY = range(8)
PAIR_COLUMNS = 8
# data[n, column]. Round side: ends of its segment and radius, in its frame. Other side: two points (plane: point and normal),
# radius, rotation and half edges, in its frame. Then restitution, friction, its forward direction, load, terrain.
A0, A1, RADIUS_A, B0, B1, RADIUS_B, AXES, HALF = 0, 3, 6, 7, 10, 13, 14, 23
RESTITUTION, FORWARD, BACKWARD, ACROSS, ROLLING, SPINNING, SPEED, LOAD, DIRECTION = 26, 27, 28, 29, 30, 31, 32, 33, 34
SPACING, ORIGIN_X, ORIGIN_Y = 37, 38, 39
PAIR_DATA = 40
LAW_CODES = {name: code for code, name in enumerate(FRICTION_LAWS)}
COULOMB, RECTANGLE, REGULARISED, ARCTAN, VISCOUS = range(5)


_Law = tuple[Friction, float, float]  # friction, restitution, radius of what rolls
_Field = tuple[int, int, int]  # first height, numbers along x and y


class ContactPairs:
    """Arrays ``pairs`` (n, PAIR_COLUMNS), ``data`` (n, PAIR_DATA), ``heights`` and the ``names`` of all pairs.

    ``self_collision``: also surfaces of different bodies, except neighbours in the tree.
    """

    def __init__(self, compiled: CompiledRobot, obstacles: Sequence[Obstacle], self_collision: bool = False) -> None:
        self.compiled = compiled
        self._rows: list[tuple[np.ndarray, np.ndarray]] = []
        self._heights: list[np.ndarray] = []
        self.names: list[str] = []
        check_obstacles(obstacles)
        surfaces = compiled.collisions
        for one in surfaces:
            if one.surface.kind == "support":
                self._support(one)
        solid = [one for one in surfaces if one.surface.kind != "support"]
        starts = {o.name: self._place_heights(o) for o in obstacles if isinstance(o, Terrain)}
        for obstacle in obstacles:
            for one in solid:
                self._against_obstacle(one, obstacle, starts.get(obstacle.name, 0))
        if self_collision:
            for one, two in combinations(solid, 2):
                if not self._neighbours(one, two):
                    self._against_each_other(one, two)
        self.pairs = np.array([row for row, _ in self._rows], dtype=np.int64).reshape(-1, PAIR_COLUMNS)
        self.data = np.array([row for _, row in self._rows], dtype=float).reshape(-1, PAIR_DATA)
        self.heights = np.concatenate([*self._heights, np.zeros(1)])

    def __len__(self) -> int:
        return len(self.names)

    def _neighbours(self, one: CompiledCollision, two: CompiledCollision) -> bool:
        """On frames that are next to each other in the tree; pieces of a rod count as on the whole of it."""
        if "rod" in (one.surface.kind, two.surface.kind):
            parents = {body.name: body.parent for body in self.compiled.description.bodies}
            return one.body == two.body or parents[one.body] == two.body or parents[two.body] == one.body
        carriers = self.compiled.frames[:, PARENT]
        return one.frame == two.frame or carriers[one.frame] == two.frame or carriers[two.frame] == one.frame

    def _place_heights(self, terrain: Terrain) -> int:
        start = sum(len(part) for part in self._heights)
        self._heights.append(terrain.heights.ravel())
        return start

    # ------------------------------------------------------------------------------------------------- rows of the table
    def _row(
        self, name: str, kind: int, frames: tuple[int, int], law: _Law, values: dict[str, Any], field: _Field = (0, 0, 0)
    ) -> None:
        """One row: ``values`` go to the columns of their names, ``field`` tells where the heights of a terrain are."""
        friction, restitution, rolls = law
        row, data = np.zeros(PAIR_COLUMNS, dtype=np.int64), np.zeros(PAIR_DATA)
        row[:] = kind, *frames, int(values.get("endless", False)), LAW_CODES[friction.law], *field
        data[RESTITUTION:DIRECTION] = (
            restitution, friction.along, friction.backward, friction.across, friction.rolling * rolls, friction.spinning,
            friction.speed, 0.0,
        )  # fmt: skip
        for column, start in _COLUMNS.items():
            if column in values:
                data[start : start + np.size(values[column])] = np.ravel(values[column])
        self._rows.append((row, data))
        self.names.append(name)

    def _support(self, one: CompiledCollision) -> None:
        surface = one.surface
        values = {"first": one.position, "load": surface.size[0], "direction": one.direction}
        self._row(one.name, SUPPORT, (one.frame, -1), (surface.friction, 0.0, 0.0), values)

    def _against_obstacle(self, one: CompiledCollision, obstacle: Obstacle, heights: int) -> None:
        surface = one.surface
        friction = surface.friction if obstacle.friction is None else obstacle.friction
        restitution = surface.restitution if obstacle.restitution is None else float(obstacle.restitution)
        law = (friction, restitution, surface.radius)
        if isinstance(obstacle, Ground):
            plane = {"other_first": obstacle.at, "other_last": obstacle.normal, "direction": one.direction}
            if surface.kind == "ellipsoid":
                shape = {"first": one.position, "axes": one.rotation, "half": surface.size}
                self._row(f"{one.name} on {obstacle.name}", ELLIPSOID, (one.frame, -1), law, shape | plane)
                return
            for name, part in named(one.name, balls(one)):
                ball = {"first": part.first, "radius": part.radius}
                self._row(f"{name} on {obstacle.name}", PLANE, (one.frame, -1), law, ball | plane)
            return
        if surface.kind == "ellipsoid" and isinstance(obstacle, (Terrain, Block)):
            raise InputError(
                f"surface '{one.name}' is an ellipsoid, which collides with ground, pegs and balls only; take a capsule or"
                f" vertices against {obstacle.what}."
            )
        if isinstance(obstacle, Terrain):
            field = (heights, *obstacle.heights.shape)
            place = {"spacing": obstacle.spacing, "origin": obstacle.origin, "direction": one.direction}
            for name, part in named(one.name, balls(one)):
                ball = {"first": part.first, "radius": part.radius}
                self._row(f"{name} on {obstacle.name}", TERRAIN, (one.frame, -1), law, ball | place, field)
        elif isinstance(obstacle, Block):
            turned = (np.asarray(obstacle.turned), np.asarray(obstacle.at), 0.5 * obstacle.size)
            for name, part in named(one.name, rounds_on_box(one)):
                self._round_box(f"{name} on {obstacle.name}", part, -1, *turned, law, one.direction)
            if surface.kind == "box":  # corners and edges of the obstacle against the faces of the body
                for name, part in named(obstacle.name, corners_and_edges(-1, *turned)):
                    self._round_solid(f"{name} on {one.name}", part, one, law, one.direction)
        else:
            part = obstacle_round(obstacle)
            if surface.kind in ("box", "ellipsoid"):
                self._round_solid(f"{one.name} on {obstacle.name}", part, one, law, one.direction)
                return
            for name, own in named(one.name, rounds(one)):
                self._round_round(f"{name} on {obstacle.name}", own, part, law, one.direction)

    def _against_each_other(self, one: CompiledCollision, two: CompiledCollision) -> None:
        first, second = one.surface, two.surface
        friction = max(first.friction, second.friction, key=lambda f: f.along)
        law = (friction, max(first.restitution, second.restitution), max(first.radius, second.radius))
        solid = ("box", "ellipsoid")
        if "ellipsoid" in (first.kind, second.kind) and first.kind in solid and second.kind in solid:
            name, other = (one.name, two.name) if first.kind == "ellipsoid" else (two.name, one.name)
            raise InputError(
                f"surface '{name}' is an ellipsoid, which cannot collide with '{other}', a box or an ellipsoid; switch"
                " self_collision off, or take a capsule."
            )
        for a, b in ((one, two), (two, one)):
            if b.surface.kind in solid:
                for name, part in named(a.name, rounds_on_box(a)):
                    self._round_solid(f"{name} on {b.name}", part, b, law, a.direction)
        if first.kind not in solid and second.kind not in solid:
            for name, part in named(one.name, rounds(one)):
                for other_name, other_part in named(two.name, rounds(two)):
                    self._round_round(f"{name} on {other_name}", part, other_part, law, one.direction)

    def _round_solid(self, name: str, part: Round, other: CompiledCollision, law: _Law, direction: Any) -> None:
        """A round thing against the box or the ellipsoid that is a surface of a body."""
        kind = BOX if other.surface.kind == "box" else ROUND_ELLIPSOID
        place = (np.asarray(other.rotation, float), np.asarray(other.position, float), other.surface.size)
        self._round_box(name, part, other.frame, *place, law, direction, kind)

    def _round_box(
        self,
        name: str,
        part: Round,
        other: int,
        rotation: Any,
        centre: Any,
        half: Any,
        law: _Law,
        direction: Any,
        kind: int = BOX,
    ) -> None:
        box = {"other_first": centre, "axes": rotation, "half": half, "direction": direction, "endless": part.endless}
        self._row(name, kind, (part.frame, other), law, part.values | box)

    def _round_round(self, name: str, part: Round, other: Round, law: _Law, direction: Any) -> None:
        values = {"other_first": other.first, "other_last": other.last, "other_radius": other.radius, "direction": direction}
        self._row(name, ROUND, (part.frame, other.frame), law, part.values | values | {"endless": other.endless})


_COLUMNS = {
    "first": A0, "last": A1, "radius": RADIUS_A, "other_first": B0, "other_last": B1, "other_radius": RADIUS_B, "axes": AXES,
    "half": HALF, "load": LOAD, "direction": DIRECTION, "spacing": SPACING, "origin": ORIGIN_X,
}  # fmt: skip


def check_obstacles(obstacles: Sequence[Obstacle]) -> None:
    """Obstacles of the library with names that differ."""
    names: set[str] = set()
    for obstacle in obstacles:
        if not isinstance(obstacle, Obstacle):
            raise InputError(f"an obstacle is {obstacle!r}; it must be a Ground, Peg, Ball, Block or Terrain.")
        if obstacle.name in names:
            raise InputError(f"two obstacles are named '{obstacle.name}'; give them different names.")
        names.add(obstacle.name)


# ---------------------------------------------------------------------------------------------------------------- kernels
@step
def placed(poses, k, x):
    """A point of frame k (-1: the world) in the world."""
    if k < 0:
        return x
    return add(load3(poses, k, POSITION), rotate(load9(poses, k, ROTATION), x))


@step
def turned(poses, k, r):
    """A rotation in frame k (-1: the world) in world axes."""
    if k < 0:
        return r
    return multiply(load9(poses, k, ROTATION), r)


@routine
def pair_gap(pairs, data, heights, poses, n):
    """(gap in m, contact point, unit normal) of pair n, world axes; the normal points to the side of FRAME.

    The point lies on the surface of the robot, and midway between the surfaces of two bodies.
    """
    kind = pairs[n, KIND]
    frame = pairs[n, FRAME]
    other = pairs[n, OTHER]
    a0 = placed(poses, frame, load3(data, n, A0))
    if kind == PLANE:
        normal = load3(data, n, B1)
        gap, point = plane_gap(a0, data[n, RADIUS_A], load3(data, n, B0), normal)
        return gap, point, normal
    if kind == SUPPORT:
        return -1.0, a0, (0.0, 0.0, 1.0)
    if kind == ELLIPSOID:
        normal = load3(data, n, B1)
        axes = turned(poses, frame, load9(data, n, AXES))
        gap, point = ellipsoid_gap(axes, a0, load3(data, n, HALF), load3(data, n, B0), normal)
        return gap, point, normal
    if kind == TERRAIN:
        return terrain_gap(
            a0, data[n, RADIUS_A], heights, pairs[n, HEIGHTS], pairs[n, NX], pairs[n, NY], data[n, SPACING], data[n, ORIGIN_X],
            data[n, ORIGIN_Y],
        )  # fmt: skip
    a1 = placed(poses, frame, load3(data, n, A1))
    if kind == ROUND:
        b0 = placed(poses, other, load3(data, n, B0))
        b1 = placed(poses, other, load3(data, n, B1))
        gap, a, b, normal = round_gap(a0, a1, data[n, RADIUS_A], b0, b1, data[n, RADIUS_B], pairs[n, ENDLESS] != 0)
    else:
        centre = placed(poses, other, load3(data, n, B0))
        axes = turned(poses, other, load9(data, n, AXES))
        half = load3(data, n, HALF)
        endless = pairs[n, ENDLESS] != 0
        if kind == BOX:
            gap, a, b, normal = box_gap(a0, a1, data[n, RADIUS_A], endless, axes, centre, half)
        else:
            gap, a, b, normal = ellipsoid_round_gap(a0, a1, data[n, RADIUS_A], endless, axes, centre, half)
    if frame < 0:
        return gap, b, normal
    if other < 0:
        return gap, a, normal
    return gap, scale(0.5, add(a, b)), normal
