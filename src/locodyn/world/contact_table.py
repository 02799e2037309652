"""The pairs of surfaces that may touch: which surfaces meet which, and with how many points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.compiled_parts import CompiledCollision
from locodyn.robot.friction import Friction
from locodyn.robot.shapes import Shape
from locodyn.world.contact_pairs import LAW_CODES, PairArrays
from locodyn.world.gaps import PAIR
from locodyn.world.obstacles import Fixture, Ground, Obstacle, Terrain
from locodyn.world.self_collision import BodyPairs, SelfCollision
from locodyn.world.surface_parts import Rim, Round, Side, Solid, balls, named, obstacle_side, side_of, solid_of

_Law = tuple[Friction, float, float]  # friction, restitution, radius of what rolls
_Field = tuple[int, int, int]  # first height, numbers along x and y
_MOST = 4  # pieces of a row
StopRow = tuple[str, int, tuple[int, int], dict[str, Any]]  # name, kind, frames, values of a stop of a joint


class ContactPairs:
    """Arrays ``arrays`` and ``names`` of all n pairs.

    ``self_collision``: also surfaces of different bodies, but for those that ``bodies.left_out`` names; ``stops``: of joints.
    A thousand bodies make half a million pairs: a row is put together of *pieces*, what one side or a law says, which many rows
    share.
    """

    def __init__(
        self,
        compiled: CompiledRobot,
        obstacles: Sequence[Fixture],
        self_collision: bool | SelfCollision = False,
        stops: Iterable[StopRow] = (),
    ) -> None:
        self._rows: list[tuple[int, ...]] = []
        self._pieces: list[dict[str, Any]] = [{}]
        self._places: dict[int, int] = {}  # of the pieces, by their identities
        self._laws: dict[tuple[int, float, float], tuple[Friction, dict[str, Any]]] = {}
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
        choice = SelfCollision.of(self_collision)
        self.bodies = BodyPairs(compiled.description, choice)
        if choice is not None:
            for (one, first), (two, second) in combinations([(one, side_of(one)) for one in solid], 2):
                if self.bodies.meet(one, two):
                    self._meet(first, second, _law_between(one, two))
        for name, kind, frames, values in stops:
            self._row(name, kind, frames, (Friction(0.0), 0.0, 0.0), (values,))
        self.arrays = new_pair_arrays(self._rows, self._pieces, np.concatenate([*self._heights, np.zeros(1)]))
        del self._rows, self._pieces, self._places, self._laws

    def __len__(self) -> int:
        return len(self.names)

    def _place_heights(self, terrain: Terrain) -> int:
        start = sum(len(part) for part in self._heights)
        self._heights.append(terrain.heights.ravel())
        return start

    # ------------------------------------------------------------------------------------------------- rows of the table
    def _row(
        self,
        name: str,
        kind: int,
        frames: tuple[int, int],
        law: _Law,
        values: tuple[dict[str, Any], ...],
        field: _Field = (0, 0, 0),
    ) -> None:
        """One pair: ``values`` by the names of :class:`PairArrays`, ``field`` tells where the heights of a terrain are."""
        pieces = [self._place(piece) for piece in (*values, self._law(law))]
        self._rows.append((kind, *frames, *field, *pieces, *[0] * (_MOST - len(pieces))))
        self.names.append(name)

    def _place(self, piece: dict[str, Any]) -> int:
        """Where the piece stands; the list keeps it, so that no other one has its identity."""
        place = self._places.setdefault(id(piece), len(self._pieces))
        if place == len(self._pieces):
            self._pieces.append(piece)
        return place

    def _law(self, law: _Law) -> dict[str, Any]:
        """Its entries of the table."""
        friction, restitution, rolls = law
        key = id(friction), restitution, rolls
        if key not in self._laws:
            self._laws[key] = friction, {
                "restitution": restitution, "friction_law": LAW_CODES[friction.law], "friction_forward": friction.along,
                "friction_backward": friction.backward, "friction_across": friction.across,
                "friction_rolling": friction.rolling * rolls, "friction_spinning": friction.spinning,
                "friction_speed": friction.speed,
            }  # fmt: skip
        return self._laws[key][1]

    def _support(self, one: CompiledCollision) -> None:
        surface = one.surface
        values = {"first": one.position, "load": surface.size[0], "direction": one.direction}
        self._row(one.name, PAIR.support, (one.frame, -1), (surface.friction, 0.0, 0.0), (values,))

    def _against_obstacle(self, one: CompiledCollision, obstacle: Fixture, heights: int) -> None:
        surface = one.surface
        friction = surface.friction if obstacle.friction is None else obstacle.friction
        restitution = surface.restitution if obstacle.restitution is None else float(obstacle.restitution)
        law = (friction, restitution, surface.radius)
        if isinstance(obstacle, Ground):
            place: dict[str, Any] = {"other_first": obstacle.at, "other_last": obstacle.normal}
            self._on_surface(one, obstacle, (PAIR.plane, PAIR.rim_plane, PAIR.ellipsoid), law, place)
        elif isinstance(obstacle, Terrain):
            place = {"spacing": obstacle.spacing, "origin": obstacle.origin}
            field = (heights, *obstacle.heights.shape)
            self._on_surface(one, obstacle, (PAIR.terrain, PAIR.rim_terrain, PAIR.ellipsoid_terrain), law, place, field)
        elif isinstance(obstacle, Obstacle):
            self._meet(side_of(one), obstacle_side(obstacle), law)

    def _on_surface(
        self,
        one: CompiledCollision,
        obstacle: Fixture,
        kinds: tuple[int, int, int],
        law: _Law,
        place: dict[str, Any],
        field: _Field = (0, 0, 0),
    ) -> None:
        """A surface on a plane or terrain: its balls, the rims and face points of a cylinder, or an ellipsoid."""
        solid, frames = solid_of(one), (one.frame, -1)
        place = place | {"direction": one.direction}
        if solid is not None and solid.kind == "ellipsoid":
            self._row(f"{one.name} on {obstacle.name}", kinds[2], frames, law, (solid.values, place), field)
            return
        parts: Sequence[Round | Rim] = solid.edges if solid is not None and solid.kind == "cylinder" else balls(one)
        for name, part in named(one.name, parts):
            kind = kinds[1] if isinstance(part, Rim) else kinds[0]
            self._row(f"{name} on {obstacle.name}", kind, frames, rolling(law, part), (part.values, place), field)

    # ---------------------------------------------------------------------------------------------------- two sides that meet
    def _meet(self, one: Side, two: Side, law: _Law) -> None:
        """All rows between two surfaces, of which at most one is fixed in the world."""
        if one.solid is None and two.solid is None:
            for name, part in named(one.name, one.rounds):
                for other_name, other_part in named(two.name, two.rounds):
                    frames, values = (part.frame, other_part.frame), (part.values, other_part.other_values, one.lead)
                    self._row(f"{name} on {other_name}", PAIR.round, frames, law, values)
        elif one.solid is None or two.solid is None:
            loose, hard = (one, two) if one.solid is None else (two, one)
            for name, part in named(loose.name, loose.rounds):
                called = f"{hard.name} on {name}" if part.frame < 0 else f"{name} on {hard.name}"
                self._on_solid(called, part, loose, hard, law)
        elif one.solid.kind == "ellipsoid" or two.solid.kind == "ellipsoid":
            first, other = (one, two) if one.solid.kind == "ellipsoid" else (two, one)
            assert first.solid is not None and other.solid is not None
            called = f"{other.name} on {first.name}" if first.solid.frame < 0 else f"{first.name} on {other.name}"
            self._pair(called, _ELLIPSOID_ON[other.solid.kind], first.solid, first, other, law)
        else:
            for first, other in ((one, two), (two, one)):
                assert first.solid is not None
                for name, edge in named(first.name, first.solid.edges):
                    self._on_solid(f"{name} on {other.name}", edge, first, other, rolling(law, edge))
            if one.solid.kind == "cylinder" and two.solid.kind == "cylinder":
                self._pair(f"{one.name} beside {two.name}", PAIR.sides, one.solid, one, two, law)

    def _on_solid(self, name: str, part: Round | Rim, loose: Side, hard: Side, law: _Law) -> None:
        """A round thing or a rim on a box, ellipsoid or cylinder."""
        assert hard.solid is not None
        kinds = _RIM_ON if isinstance(part, Rim) else _ROUND_ON
        self._pair(name, kinds[hard.solid.kind], part, loose, hard, law)

    def _pair(self, name: str, kind: int, part: Round | Rim | Solid, first: Side, other: Side, law: _Law) -> None:
        assert other.solid is not None
        lead = first.lead if part.frame >= 0 else other.lead
        self._row(name, kind, (part.frame, other.solid.frame), law, (part.values, other.solid.other_values, lead))


def _law_between(one: CompiledCollision, two: CompiledCollision) -> _Law:
    """Of two surfaces of bodies: the larger friction, restitution and radius."""
    first, second = one.surface, two.surface
    friction = first.friction if first.friction.along >= second.friction.along else second.friction
    return friction, max(first.restitution, second.restitution), max(first.radius, second.radius)


def rolling(law: _Law, part: Round | Rim) -> _Law:
    """The law for a part of a surface: points and edges do not roll."""
    return law if part.radius > 0.0 else (*law[:2], 0.0)


_ROUND_ON = {"box": PAIR.box, "ellipsoid": PAIR.round_ellipsoid, "cylinder": PAIR.round_cylinder}
_ELLIPSOID_ON = {"box": PAIR.ellipsoid_box, "cylinder": PAIR.ellipsoid_cylinder, "ellipsoid": PAIR.ellipsoids}
_RIM_ON = {"box": PAIR.rim_box, "cylinder": PAIR.rim_cylinder}
_PLACED = ("kind", "frame", "other", "first_height", "heights_x", "heights_y")
_WHOLE = ("endless", "friction_law")
_LONG = {
    "first": 3, "last": 3, "own_axes": 9, "own_half": 3, "other_first": 3, "other_last": 3, "other_axes": 9, "other_half": 3,
    "origin": 2, "direction": 3,
}  # fmt: skip


def new_pair_arrays(rows: list[tuple[int, ...]], pieces: list[dict[str, Any]], heights: np.ndarray) -> PairArrays:
    """Arrays of pairs. A row: kind, frames, field of heights, and places of its pieces; what these do not say is zero."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(_PLACED) + _MOST)
    arrays: dict[str, np.ndarray] = {"heights": heights} | {name: table[:, k].copy() for k, name in enumerate(_PLACED)}
    for field in fields(PairArrays):  # a bundle is a dataclass
        if field.name not in arrays:
            shape = (_LONG[field.name],) if field.name in _LONG else ()
            kind = np.int64 if field.name in _WHOLE else np.float64
            arrays[field.name] = np.zeros((len(rows), *shape), dtype=kind)
            said = np.array([field.name in piece for piece in pieces])
            values = np.zeros((len(pieces), *shape), dtype=kind)
            for place in np.flatnonzero(said):
                values[place] = np.reshape(pieces[place][field.name], shape)
            for place in table[:, len(_PLACED) :].T:
                found = np.flatnonzero(said[place])
                arrays[field.name][found] = values[place[found]]
    return PairArrays(**arrays)


def check_obstacles(obstacles: Sequence[Fixture]) -> None:
    """Obstacles of the library with names that differ."""
    names: set[str] = set()
    for obstacle in obstacles:
        if not isinstance(obstacle, Fixture):
            hint = "Obstacle(solid, at=)" if isinstance(obstacle, Shape) else "an Obstacle, Ground or Terrain"
            raise InputError(f"an obstacle is {obstacle!r}; it must be {hint}.")
        if obstacle.name in names:
            raise InputError(f"two obstacles are named '{obstacle.name}'; give them different names.")
        names.add(obstacle.name)
