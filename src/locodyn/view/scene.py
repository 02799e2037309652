"""A result as a scene: what can be drawn, at instants that show its motion. All viewers start from here.

The instants are fewer than the records: enough for a smooth picture, so many that no body turns by more than ``TURN`` between two
of them, and never more than there are records.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.contact.stops import is_stop
from locodyn.view.ground import Ground, Terrain, extreme_points, ground_of, lift
from locodyn.view.look import WheelLook, body_parts, wheel_looks
from locodyn.view.obstacles import fixtures_of, obstacles_of, terrain_of
from locodyn.view.parts import Part
from locodyn.view.quaternions import rotate
from locodyn.view.rods import Rod, Tendon, farthest, rods_of, tendons_of, ties_of
from locodyn.view.rolling import rolling, steering

if TYPE_CHECKING:
    from locodyn.sim import Result

RATE = 30.0  # instants in a second
TURN = 0.5  # rad between two instants
MOST = 2400  # instants
POSES = 120_000  # poses of bodies, all instants together
ARROW = 0.45  # length of the largest force, as a share of the size of the robot
SPIKE = 3.0  # forces so much larger than the usual one are drawn longer than that
HIGHEST = 5.0  # but the largest never longer than so many times it
UNSEEN = 1e-5  # of the largest force inside a rod: what contacts give below it is the error of their balance


@dataclass(frozen=True, eq=False)
class BodyLook:
    """A body: its parts, and its depth in the tree (the reference body has 0)."""

    name: str
    parts: tuple[Part, ...]
    depth: int = 0


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body: a marker."""

    name: str
    body: str
    at: np.ndarray
    quaternion: np.ndarray


@dataclass(frozen=True, eq=False)
class Contacts:
    """Where the world acts on the robot: ``points`` (n, k, 3) m and ``forces`` (n, k, 3) N; ``scale`` m/N of the arrows."""

    names: tuple[str, ...]
    points: np.ndarray
    forces: np.ndarray
    scale: float


@dataclass(frozen=True, eq=False)
class Trail:
    """The way of a point, (n, 3) m; ``shown``: from the beginning, or when asked for."""

    name: str
    points: np.ndarray
    shown: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that is drawn of a run; arrays have the instants ``times`` (n,) s in front.

    ``positions`` (n, b, 3) m and ``orientations`` (n, b, 4) are those of ``bodies``; ``wheel_turn``, ``wheel_steer`` (n, w) rad
    those of ``wheels``. ``lift`` (3,) m: parts of bodies are drawn higher by it (:func:`locodyn.view.ground.lift`). ``size`` m:
    of the robot at the first instant. ``extreme`` (k, 3) m: points that a picture of all must show. ``up`` (3,): against gravity.
    """

    title: str
    times: np.ndarray
    bodies: tuple[BodyLook, ...] = ()
    positions: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))
    orientations: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 4)))
    wheels: tuple[WheelLook, ...] = ()
    wheel_turn: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    wheel_steer: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    contacts: Contacts | None = None
    trails: tuple[Trail, ...] = ()
    mass_centre: np.ndarray | None = None
    frames: tuple[Frame, ...] = ()
    rods: tuple[Rod, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    fixtures: tuple[Part, ...] = ()
    ground: Ground | None = None
    terrain: Terrain | None = None
    lift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    up: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    extreme: np.ndarray = field(default_factory=lambda: np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]))
    size: float = 1.0

    def index(self, body: str) -> int:
        """Number of the body of this name."""
        return [look.name for look in self.bodies].index(body)


def scene_of(result: Result, times: np.ndarray | None = None) -> Scene:
    """The scene of a run, at its own instants or at given ``times`` (s)."""
    if result.dataset.sizes["time"] < 2:
        raise InputError("the result holds fewer than two records; there is no motion to show.")
    portrait = json.loads(result.attributes["portrait"])
    parts = body_parts(portrait)
    wheels = wheel_looks(portrait, parts)
    depth = depths(portrait)
    bodies = tuple(BodyLook(str(name), parts[str(name)], depth[str(name)]) for name in result.body.values)
    instants = chosen_times(result) if times is None else np.asarray(times, dtype=float)
    at = Sampler(result.time.values, instants)
    positions = at.linear(result.body_position.values)
    orientations = at.quaternions(result.body_orientation.values)
    steer = [steering(result, wheel) for wheel in wheels]
    turn = [rolling(result, wheel, angle) for wheel, angle in zip(wheels, steer, strict=True)]
    rods = rods_of(result, portrait, at)
    size = robot_size(bodies, positions[0], orientations[0], rods)
    centre = result.mass_centre.values if float(result.attributes["total_mass"]) > 0.0 else None
    extreme = np.vstack([extreme_points(bodies, positions, orientations), farthest(rods)])
    obstacles = obstacles_of(result)
    ground = ground_of(result, portrait, obstacles, bodies, positions, orientations)
    return Scene(
        title=str(result.attributes["scenario"]),
        times=instants,
        bodies=bodies,
        positions=positions,
        orientations=orientations,
        wheels=wheels,
        wheel_turn=at.linear(np.array(turn).T.reshape(len(result.time), len(wheels))),
        wheel_steer=at.linear(np.array(steer).T.reshape(len(result.time), len(wheels))),
        contacts=contacts_of(result, at, size),
        trails=trails_of(result, portrait, centre, at, size),
        mass_centre=None if centre is None else at.linear(centre),
        frames=tuple(Frame(m["name"], m["body"], np.array(m["at"]), np.array(m["quaternion"])) for m in portrait["markers"]),
        rods=rods,
        tendons=tendons_of(result, portrait, at) + ties_of(result, portrait, at),
        fixtures=fixtures_of(obstacles, extreme, size),
        ground=ground,
        terrain=terrain_of(obstacles),
        lift=lift(portrait, float(extreme_points(bodies, positions[:1], orientations[:1])[:, 2].min()), ground, wheels),
        up=up_of(result),
        extreme=extreme,
        size=size,
    )


@dataclass(frozen=True)
class Sampler:
    """Values recorded at ``times`` (n,), read at ``instants``: between two records by straight lines."""

    times: np.ndarray
    instants: np.ndarray

    def linear(self, values: np.ndarray) -> np.ndarray:
        """Values (m, ...) from recorded ones (n, ...)."""
        right = np.clip(np.searchsorted(self.times, self.instants), 1, len(self.times) - 1)
        left = right - 1
        share = (self.instants - self.times[left]) / (self.times[right] - self.times[left])
        share = np.clip(share, 0.0, 1.0).reshape(-1, *([1] * (values.ndim - 1)))
        found: np.ndarray = (1.0 - share) * values[left] + share * values[right]
        return found

    def quaternions(self, values: np.ndarray) -> np.ndarray:
        """Unit quaternions (m, ..., 4) from recorded ones whose neighbours lie on the same side."""
        mixed = self.linear(values)
        found: np.ndarray = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
        return found


def chosen_times(result: Result) -> np.ndarray:
    """Instants (n,) s, evenly spread over the run."""
    times, h = result.time.values, result.body_orientation.values
    cosine = np.clip(np.abs(np.sum(h[1:] * h[:-1], axis=-1)), 0.0, 1.0)
    turns = float(np.max(np.sum(2.0 * np.arccos(cosine), axis=0), initial=0.0))
    if "wheel_angle" in result.dataset:
        turns = max(turns, float(np.abs(np.diff(result.wheel_angle.values, axis=0)).sum(axis=0).max()))
    wanted = max(RATE * (times[-1] - times[0]), turns / TURN, 60.0)
    most = min(len(times), MOST, max(60, POSES // max(1, h.shape[1])))
    return np.linspace(times[0], times[-1], max(2, min(math.ceil(wanted) + 1, most)))


def depths(portrait: dict[str, Any]) -> dict[str, int]:
    """Number of joints between each body and the reference body."""
    found: dict[str, int] = {}
    for body in portrait["bodies"]:  # parents come first
        found[body["name"]] = 0 if body["parent"] is None else found[body["parent"]] + 1
    return found


def robot_size(bodies: tuple[BodyLook, ...], positions: np.ndarray, orientations: np.ndarray, rods: tuple[Rod, ...]) -> float:
    """Largest extent of the robot along an axis at the first instant, m."""
    points = [positions, *(rod.centre[0] for rod in rods)]
    for look, position, orientation in zip(bodies, positions, orientations, strict=True):
        points += [rotate(orientation, part.outline()) + position for part in look.parts]
    return float(np.ptp(np.vstack(points), axis=0).max()) or 1.0


def contacts_of(result: Result, at: Sampler, size: float) -> Contacts | None:
    """Forces of the ground on wheels and contacts; those of joint stops have no place to be drawn at."""
    if "contact_force" not in result.dataset or "contact_point" not in result.dataset:
        return None
    names = tuple(str(name) for name in result.contact.values)
    drawn = [k for k, name in enumerate(names) if not is_stop(name)]
    if not drawn:
        return None
    forces = result.contact_force.values[:, drawn]
    sizes = np.linalg.norm(forces, axis=-1).max(axis=1)
    largest = float(sizes.max())
    usual = min(largest, max(SPIKE * float(np.median(sizes)), largest / HIGHEST))  # a short spike does not make all others small
    inside = np.nanmax(np.abs(result.rod_wrench.values[..., :3]), initial=0.0) if "rod_wrench" in result.dataset else 0.0
    scale = ARROW * size / usual if usual > max(1e-12, UNSEEN * float(inside)) else 0.0
    points = np.nan_to_num(result.contact_point.values[:, drawn])  # contacts that are not there have no force to draw
    return Contacts(tuple(names[k] for k in drawn), at.linear(points), at.linear(forces), scale)


def trails_of(result: Result, portrait: dict[str, Any], centre: np.ndarray | None, at: Sampler, size: float) -> tuple[Trail, ...]:
    """Ways of the reference body, of the body that goes farthest, of the mass centre and of the markers."""
    reference = str(result.attributes["reference_body"])
    names = [str(name) for name in result.body.values]
    span = np.ptp(result.body_position.values, axis=0).max(axis=1)
    followed = (names.index(reference), int(np.flatnonzero(span >= 0.999 * span.max())[-1]))
    ways = {names[k]: result.body_position.values[:, k] for k in followed}
    if centre is not None:
        ways["mass centre"] = centre
    for marker in portrait["markers"]:
        k = names.index(marker["body"])
        turned = rotate(result.body_orientation.values[:, k], np.array(marker["at"]))
        ways[marker["name"]] = result.body_position.values[:, k] + turned
    moving = {name: way for name, way in ways.items() if np.ptp(way, axis=0).max() > 0.02 * size}
    first = next(iter(moving), None)
    return tuple(Trail(name, at.linear(way), shown=name == first) for name, way in moving.items())


def up_of(result: Result) -> np.ndarray:
    """Unit vector (3,) against gravity; z where there is none."""
    gravity = np.asarray(result.attributes["gravity"], dtype=float)
    length = float(np.linalg.norm(gravity))
    return -gravity / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
