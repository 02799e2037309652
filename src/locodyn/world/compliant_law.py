"""Compliant contact in place of hard contact: the options of a scenario, and the wrench laws that follow from its surfaces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locodyn.errors import InputError
from locodyn.record import filled
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.compiled_parts import CompiledCollision, CompiledWrench
from locodyn.robot.friction import Friction
from locodyn.world.contact_table import check_obstacles
from locodyn.world.law_base import WrenchLaw
from locodyn.world.law_table import CONTACT, LAW
from locodyn.world.obstacles import Fixture, Ground
from locodyn.world.surface_parts import balls, named, solid_of

NORMAL_LAWS: dict[str, str] = {
    "hunt_crossley": "k d^m + lambda d^m ddot, never pulls (Hunt and Crossley 1975)",
    "linear": "k d + b ddot while the surfaces overlap; it pulls at the end of an impact",
    "same_height": "k d^m + lambda d^m |ddot|: gives back all energy (Aguirre 2010, (4.15))",
}
FRICTIONS: dict[str, str] = {
    "lugre": "bristles that bend before they slip, with states",
    "regularised": "Coulomb's force times v / sqrt(v^2 + speed^2)",
    "none": "no force along the ground",
}
_NO_LEAST = -1e300  # N: a law that may pull
_HARDEST = 0.02  # restitution below which no damping of Hunt and Crossley's law is found


@dataclass(frozen=True)
class CompliantContact:
    """Contact by springs, dampers and friction, in place of hard contact: ``contact=CompliantContact()``.

    Surfaces that touch planes (:class:`~locodyn.world.Ground`) at points or balls may be compliant: balls, capsules, boxes,
    points and rods. Coefficients of friction and restitution are those of the surfaces and the ground.

    Parameters
    ----------
    normal : str
        ``hunt_crossley``, ``linear`` or ``same_height``, see :data:`NORMAL_LAWS`.
    stiffness : N/m^m, optional
        k. By default that at which one contact carries the robot at the depth ``sink``.
    sink : m
        See there.
    damping : N s/m^(m+1), of the linear law b, N s/m; optional
        lambda. By default that which gives the restitution of the surfaces at ``impact_speed``
        (:func:`damping_ratio`; of the linear law for the mass of the robot).
    impact_speed : m/s
        See there.
    exponent : 1, 1.5, 2, 2.5 or 3
        m; 3/2 for a ball (Hertz). Of the linear law 1.
    friction : str
        ``lugre``, ``regularised`` or ``none``, see :data:`FRICTIONS`.
    speed : m/s
        Of regularised friction; and, of LuGre's, that over which static friction falls.
    static : float
        Friction at rest over that of slip.
    bristle_stiffness, bristle_damping, viscous : 1/m, s/m, s/m
        s0, s1, s2 of LuGre's law, each times the normal force. By default bristles bend by 1 mm before they slip, undamped.
    relaxation : s
        In which bristles fall back when the surfaces part.
    """

    normal: str = "hunt_crossley"
    stiffness: float | None = None
    sink: float = 1e-4
    damping: float | None = None
    impact_speed: float = 1.0
    exponent: float = 1.5
    friction: str = "lugre"
    speed: float = 1e-3
    static: float = 1.0
    bristle_stiffness: float | None = None
    bristle_damping: float = 0.0
    viscous: float = 0.0
    relaxation: float = 1e-3

    def __post_init__(self) -> None:
        for name, known in (("normal", NORMAL_LAWS), ("friction", FRICTIONS)):
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise InputError(f"the {name} law of compliant contact is {given!r}; it must be one of {', '.join(known)}.")
        for name in ("stiffness", "sink", "impact_speed", "speed", "bristle_stiffness", "relaxation"):
            self._check(name, 0.0, "a positive number")
        for name in ("damping", "bristle_damping", "viscous"):
            self._check(name, -1e-300, "a number, zero or more")
        if not (isinstance(self.static, (int, float)) and 1.0 <= self.static < math.inf):
            raise InputError(f"the static of compliant contact is {self.static!r}; it must be a number, 1 or more.")
        if self.normal == "linear":
            object.__setattr__(self, "exponent", 1.0)
        if self.exponent not in (1, 1.5, 2, 2.5, 3):
            raise InputError(f"the exponent of compliant contact is {self.exponent!r}; it must be 1, 1.5, 2, 2.5 or 3.")

    def _check(self, name: str, above: float, what: str) -> None:
        value = getattr(self, name)
        if value is not None and not (isinstance(value, (int, float)) and above < value < math.inf):
            raise InputError(f"the {name} of compliant contact is {value!r}; it must be {what}.")

    def law(self, ground: Ground, friction: Friction, restitution: float, radius: float, weight: float) -> CompliantLaw:
        """The law of one ball of ``radius`` (m) on the ground, for a robot of this ``weight`` (N)."""
        k = self.stiffness if self.stiffness is not None else weight / self.sink**self.exponent
        if friction.across != friction.along or friction.backward != friction.along:
            raise InputError(
                f"the friction on {ground.what} has one coefficient along and another across or backward; compliant contact"
                " takes one for all directions."
            )
        mu = 0.0 if self.friction == "none" else friction.along
        lugre = self.friction == "lugre" and mu > 0.0
        s0 = self.bristle_stiffness if self.bristle_stiffness is not None else 1e3 * mu
        linear = self.normal == "linear"
        damping = self.damping if self.damping is not None else self._damping(k, restitution, weight / 9.81)
        numbers = filled(
            CONTACT, normal=tuple(ground.normal), forward=tuple(_forward(ground.normal)),
            height=float(np.dot(ground.normal, ground.at)), radius=radius, halves=2.0 * self.exponent, stiffness=k,
            damping=0.0 if linear else damping, damper=damping if linear else 0.0, least=_NO_LEAST if linear else 0.0,
            by_size=1.0 if self.normal == "same_height" else 0.0, friction=0.0 if lugre else mu, speed=self.speed,
            relaxation=self.relaxation, bristles=(s0, self.bristle_damping, self.viscous) if lugre else (),
            stribeck=(mu, mu * self.static, self.speed) if lugre else (),
        )  # fmt: skip
        return CompliantLaw(numbers, lugre)

    def _damping(self, stiffness: float, restitution: float, mass: float) -> float:
        if self.normal == "linear":
            return linear_damping(stiffness, mass, max(restitution, _HARDEST))
        return stiffness * damping_ratio(max(restitution, _HARDEST), self.impact_speed)


@dataclass(frozen=True)
class CompliantLaw(WrenchLaw):
    """A compliant contact of a ball with a plane: numbers in the order of ``CONTACT`` of :mod:`locodyn.world.law_table`."""

    numbers: tuple[float, ...]
    bristles: bool
    kind = LAW.compliant

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """How far the bristles are bent along the ground."""
        return (("x", "m"), ("y", "m")) if self.bristles else ()

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return self.numbers

    @property
    def jumps(self) -> bool:
        """Whether the force jumps where the surfaces touch: that of a linear damper, for which Newton's method finds no step."""
        return bool(self.numbers[CONTACT.damper] > 0.0)

    @property
    def axes(self) -> np.ndarray:
        """(3, 3): normal, forward and side of the plane, in the world."""
        normal, forward = (np.array(self.numbers[first : first + 3]) for first in (CONTACT.normal, CONTACT.forward))
        return np.stack([normal, forward, np.cross(normal, forward)])

    def loaded(self, force: float) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness (3,) N/m and damping (3,) N s/m along the axes at rest, under a normal ``force`` (N)."""
        n = self.numbers
        exponent = 0.5 * n[CONTACT.halves]
        depth = (force / n[CONTACT.stiffness]) ** (1.0 / exponent)
        stiffness = exponent * force / depth
        damping = n[CONTACT.damping] * depth**exponent + n[CONTACT.damper]
        s0, s1, s2 = n[CONTACT.bristles : CONTACT.bristles + 3]
        along, rub = s0 * force, (s1 + s2) * force + n[CONTACT.friction] * force / n[CONTACT.speed]
        return np.array([stiffness, along, along]), np.array([damping, rub, rub])

    def gap(self, centre: np.ndarray) -> np.ndarray:
        """Distance (n,) m of the ball from the plane for centres (n, 3) m."""
        found: np.ndarray = centre @ np.array(self.numbers[:3]) - self.numbers[CONTACT.height] - self.numbers[CONTACT.radius]
        return found

    def point(self, centre: np.ndarray) -> np.ndarray:
        """Point (n, 3) m of the ball nearest to the plane."""
        found: np.ndarray = centre - self.numbers[CONTACT.radius] * np.array(self.numbers[:3])
        return found


def restitution_of(ratio: float, speed: float) -> float:
    """Restitution e of Hunt and Crossley's law without weight at this speed of impact (m/s); ``ratio``: lambda / k, s/m.

    a v (1 + e) = ln((1 + a v) / (1 - e a v)), for every exponent, stiffness and mass; e = 1 - 2/3 a v for small a v.

    >>> round(restitution_of(9e5 / 2.5e6, 1.0), 4)
    0.8057
    """
    x = ratio * speed
    if x == 0.0:
        return 1.0
    low, high = 0.0, min(1.0, (1.0 - 1e-15) / x)
    for _ in range(200):
        e = 0.5 * (low + high)
        # The left side is larger below the root: at e = 0 it is x > ln(1 + x).
        low, high = (e, high) if x * (1.0 + e) > math.log1p(x) - math.log1p(-e * x) else (low, e)
    return 0.5 * (low + high)


def damping_ratio(restitution: float, speed: float) -> float:
    """lambda / k (s/m) at which Hunt and Crossley's law has this restitution, 0 < e <= 1, at this speed of impact (m/s)."""
    low, high = 0.0, 1.0
    while restitution_of(high, 1.0) > restitution:
        high *= 2.0
    for _ in range(100):
        x = 0.5 * (low + high)
        low, high = (x, high) if restitution_of(x, 1.0) > restitution else (low, x)
    return 0.5 * (low + high) / speed


def linear_damping(stiffness: float, mass: float, restitution: float) -> float:
    """b (N s/m) of the linear law for a mass (kg): e = exp(-pi b / sqrt(4 m k - b^2)) (Aguirre 2010, (4.8))."""
    part = -math.log(restitution)
    return 2.0 * math.sqrt(stiffness * mass) * part / math.hypot(math.pi, part)


def compliant_wrenches(
    compiled: CompiledRobot, obstacles: Sequence[Fixture], self_collision: bool, contact: CompliantContact, weight: float
) -> list[CompiledWrench]:
    """A law for each ball of each surface on each plane; ``weight`` (N) of the robot. Other pairs are refused."""
    if self_collision:
        raise InputError("compliant contact is between surfaces and planes; leave out self_collision, or use HardContact().")
    check_obstacles(obstacles)
    if not compiled.collisions:
        raise InputError(f"robot '{compiled.name}' has no surface that could touch; give its bodies some with body.collides().")
    if not obstacles:
        raise InputError("compliant contact has nothing to touch; give a Ground among the obstacles.")
    result = []
    for ground in obstacles:
        if not isinstance(ground, Ground):
            raise InputError(f"compliant contact takes planes; {ground.what} is none: use HardContact() for it.")
        for one in compiled.collisions:
            result += _on_ground(one, ground, contact, weight)
    return result


def _on_ground(one: CompiledCollision, ground: Ground, contact: CompliantContact, weight: float) -> list[CompiledWrench]:
    solid = solid_of(one)
    if one.surface.kind == "support" or (solid is not None and solid.kind != "box"):
        raise InputError(
            f"surface '{one.name}' is a {one.surface.kind}; compliant contact takes balls, capsules, boxes, points and rods: use"
            " HardContact() for it."
        )
    friction = one.surface.friction if ground.friction is None else ground.friction
    restitution = one.surface.restitution if ground.restitution is None else float(ground.restitution)
    return [
        CompiledWrench(
            f"{name} on {ground.name}", one.body, one.frame, np.eye(3), part.first,
            contact.law(ground, friction, restitution, part.radius, weight),
        )
        for name, part in named(one.name, balls(one))
    ]  # fmt: skip


def _forward(normal: np.ndarray) -> np.ndarray:
    """The direction in the plane nearest to x; of a plane across x, to y."""
    axis = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    flat = axis - np.dot(axis, normal) * normal
    along: np.ndarray = flat / np.linalg.norm(flat)
    return along
