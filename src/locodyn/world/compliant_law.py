"""Compliant contact in place of hard contact: the options of a scenario, and the wrench laws that follow from its surfaces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locodyn.errors import InputError
from locodyn.record import filled
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.compiled_parts import CompiledWrench
from locodyn.robot.friction import Friction
from locodyn.world.contact_pairs import PairArrays
from locodyn.world.contact_table import ContactPairs
from locodyn.world.gaps import PAIR
from locodyn.world.law_base import WrenchLaw
from locodyn.world.law_table import BRISTLES, CONTACT, LAW, RUBS
from locodyn.world.laws import both
from locodyn.world.obstacles import Fixture, Ground
from locodyn.world.self_collision import SelfCollision

NORMAL_LAWS: dict[str, str] = {
    "hunt_crossley": "k d^m + lambda d^m ddot, never pulls (Hunt and Crossley 1975)",
    "linear": "k d + b ddot while the surfaces overlap; it pulls at the end of an impact",
    "same_height": "k d^m + lambda d^m |ddot|: gives back all energy (Aguirre 2010, (4.15))",
}
FRICTIONS: dict[str, str] = {
    "lugre": "bristles that bend before they slip, with states",
    "stick_slip": "a spring and damper along the ground that slips at Coulomb's limit, with states (Aguirre 2010, (4.16))",
    "regularised": "Coulomb's force times v / sqrt(v^2 + speed^2)",
    "none": "no force along the ground",
}
_NO_LEAST = -1e300  # N: a law that may pull
_HARDEST = 0.02  # restitution below which no damping of Hunt and Crossley's law is found
_LEAST_SHARE = 1e-3  # of the larger coefficient of friction, that the other one has at least: bristles need one
_BY_DIRECTION = ("static", "bristle_stiffness", "bristle_damping", "viscous")
_Pair = tuple[float, float]


@dataclass(frozen=True)
class CompliantContact:
    """Contact by springs, dampers and friction, in place of hard contact: ``contact=CompliantContact()``.

    All surfaces that hard contact knows may be compliant: on planes, terrain and solids, between bodies, on rods. Coefficients of
    friction and restitution are theirs, forward and aside; friction against rolling and spinning is refused.

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
        ``lugre``, ``stick_slip``, ``regularised`` or ``none``, see :data:`FRICTIONS`.
    speed : m/s
        Of regularised friction; and, of LuGre's, that over which static friction falls.
    static : float, or two: forward and aside
        Friction at rest over that of slip, of LuGre's law.
    bristle_stiffness, bristle_damping, viscous : 1/m, s/m, s/m; or two, forward and aside
        s0, s1, s2 of LuGre's law, each times the normal force. By default bristles bend by 1 mm before they slip, undamped.
    grip_stiffness, grip_damping : N/m^m, N s/m^(m+1)
        Of the spring along the ground of ``stick_slip``; by default as along the normal.
    relaxation : s
        In which bristles and springs along the ground fall back when the surfaces part.
    """

    normal: str = "hunt_crossley"
    stiffness: float | None = None
    sink: float = 1e-4
    damping: float | None = None
    impact_speed: float = 1.0
    exponent: float = 1.5
    friction: str = "lugre"
    speed: float = 1e-3
    static: float | _Pair = 1.0
    bristle_stiffness: float | _Pair | None = None
    bristle_damping: float | _Pair = 0.0
    viscous: float | _Pair = 0.0
    grip_stiffness: float | None = None
    grip_damping: float | None = None
    relaxation: float = 1e-3

    def __post_init__(self) -> None:
        for name, known in (("normal", NORMAL_LAWS), ("friction", FRICTIONS)):
            if getattr(self, name) not in known:
                number = getattr(self, name)
                raise InputError(f"the {name} law of compliant contact is {number!r}; it must be one of {', '.join(known)}.")
        for name in _BY_DIRECTION:
            value = getattr(self, name)
            if isinstance(value, (list, tuple)):
                if len(value) != 2:
                    raise InputError(
                        f"the {name} of compliant contact is {value!r}; it must be one number, or two: forward and aside."
                    )
                object.__setattr__(self, name, tuple(value))
        for name in ("stiffness", "sink", "impact_speed", "speed", "bristle_stiffness", "grip_stiffness", "relaxation"):
            self._check(name, 0.0, "a positive number")
        for name in ("damping", "bristle_damping", "grip_damping", "viscous"):
            self._check(name, -1e-300, "a number, zero or more")
        self._check("static", 1.0 - 1e-15, "a number, 1 or more")
        if self.normal == "linear":
            object.__setattr__(self, "exponent", 1.0)
        if self.exponent not in (1, 1.5, 2, 2.5, 3):
            raise InputError(f"the exponent of compliant contact is {self.exponent!r}; it must be 1, 1.5, 2, 2.5 or 3.")

    def _check(self, name: str, above: float, what: str) -> None:
        value = getattr(self, name)
        for one in both(value) if value is not None else ():
            if not (isinstance(one, (int, float)) and above < one < math.inf):
                raise InputError(f"the {name} of compliant contact is {one!r}; it must be {what}.")

    def law(self, ground: Ground, friction: Friction, restitution: float, radius: float, weight: float) -> CompliantLaw:
        """The law of one ball of ``radius`` (m) on the ground, for a robot of this ``weight`` (N), with even friction."""
        mu = (friction.along, friction.along)
        plane = {"normal": tuple(ground.normal), "forward": tuple(_forward(ground.normal)), "radius": radius}
        height = float(np.dot(ground.normal, ground.at))
        return CompliantLaw(filled(CONTACT, **self.numbers(mu, restitution, weight), **plane, height=height), self._rubs(mu))

    def pair_law(self, pair: int, other: int, mu: _Pair, restitution: float, weight: float) -> CompliantLaw:
        """The law of pair number ``pair``, whose other side is the frame ``other`` (-1: the world)."""
        return CompliantLaw(filled(CONTACT, **self.numbers(mu, restitution, weight)), self._rubs(mu), pair, other)

    def is_even(self, mu: _Pair) -> bool:
        """Whether friction is alike on all sides."""
        return mu[0] == mu[1] and all(len(set(both(getattr(self, name)))) == 1 for name in _BY_DIRECTION)

    def _rubs(self, mu: _Pair) -> int:
        kinds: dict[str, int] = {"lugre": RUBS.by_bristles, "stick_slip": RUBS.by_stick_slip}
        found: int = kinds.get(self.friction if max(mu) > 0.0 else "", RUBS.smoothly)
        return found

    def numbers(self, mu: _Pair, restitution: float, weight: float) -> dict[str, float | tuple[float, ...]]:
        """Those of a ``CONTACT`` by name, for coefficients of friction ``mu`` forward and aside."""
        k = self.stiffness if self.stiffness is not None else weight / self.sink**self.exponent
        damping = self.damping if self.damping is not None else self._damping(k, restitution, weight / 9.81)
        linear = self.normal == "linear"
        found: dict[str, float | tuple[float, ...]] = {
            "halves": 2.0 * self.exponent, "stiffness": k, "damping": 0.0 if linear else damping,
            "damper": damping if linear else 0.0, "least": _NO_LEAST if linear else 0.0,
            "by_size": 1.0 if self.normal == "same_height" else 0.0, "speed": self.speed, "relaxation": self.relaxation,
        }  # fmt: skip
        if self._rubs(mu) == RUBS.smoothly:
            return found | {"friction": (0.0, 0.0) if self.friction == "none" else mu}
        floor = _LEAST_SHARE * max(mu)
        slip = (max(mu[0], floor), max(mu[1], floor))
        s0 = both(self.bristle_stiffness) if self.bristle_stiffness is not None else (1e3 * slip[0], 1e3 * slip[1])
        d, c, static = both(self.bristle_damping), both(self.viscous), both(self.static)
        bristles = filled(
            BRISTLES, along=(s0[0], d[0], c[0]), across=(s0[1], d[1], c[1]), coulomb=slip,
            static=(slip[0] * static[0], slip[1] * static[1]), speed=self.speed,
        )  # fmt: skip
        grip = k if self.grip_stiffness is None else self.grip_stiffness
        return found | {"bristles": bristles, "grip": (grip, damping if self.grip_damping is None else self.grip_damping)}

    def _damping(self, stiffness: float, restitution: float, mass: float) -> float:
        if self.normal == "linear":
            return linear_damping(stiffness, mass, max(restitution, _HARDEST))
        return stiffness * damping_ratio(max(restitution, _HARDEST), self.impact_speed)


@dataclass(frozen=True)
class CompliantLaw(WrenchLaw):
    """A compliant contact: numbers in the order of ``CONTACT`` of :mod:`locodyn.world.law_table`.

    ``rubs``: of ``RUBS`` there; ``pair``: number of the two surfaces, -1 for a ball on a plane; ``other``: the frame of the
    second one, -1: the world.
    """

    numbers: tuple[float, ...]
    rubs: int
    pair: int = -1
    other: int = -1

    @property
    def kind(self) -> int:  # type: ignore[override]  # that of other laws is one for all
        """How the kernels call it."""
        return int(LAW.compliant if self.pair < 0 else LAW.pair)

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """How far bristles or springs are bent along the ground; of two surfaces in the axes of the second one."""
        if self.rubs == RUBS.smoothly:
            return ()
        return tuple((axis, "m") for axis in ("xyz" if self.pair >= 0 else "xy"))

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return self.numbers

    def frames(self, frame: int) -> list[tuple[int, float]]:
        """The frames on which the force acts, with its sign; ``frame``: the first of them."""
        return [(frame, 1.0)] + ([(self.other, -1.0)] if self.other >= 0 else [])

    @property
    def jumps(self) -> bool:
        """Whether the force jumps where the surfaces touch: that of a linear damper, for which Newton's method finds no step."""
        return bool(self.numbers[CONTACT.damper] > 0.0)

    @property
    def relaxation(self) -> float:
        """In which its states fall back where the surfaces part, s."""
        return float(self.numbers[CONTACT.relaxation])

    @cached_property
    def axes(self) -> np.ndarray:
        """(3, 3): normal, forward and side of the plane, in the world."""
        normal, forward = (np.array(self.numbers[first : first + 3]) for first in (CONTACT.normal, CONTACT.forward))
        return np.stack([normal, forward, np.cross(normal, forward)])

    def loaded(self, force: float) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness (3,) N/m and damping (3,) N s/m along the axes at rest, under a normal ``force`` (N)."""
        n = self.numbers
        exponent = 0.5 * n[CONTACT.halves]
        depth = (force / n[CONTACT.stiffness]) ** (1.0 / exponent)
        stiffness, damping = [exponent * force / depth], [n[CONTACT.damping] * depth**exponent + n[CONTACT.damper]]
        for i in range(2):
            first = CONTACT.bristles + (BRISTLES.across if i else BRISTLES.along)
            along, rub = 0.0, n[CONTACT.friction + i] * force / n[CONTACT.speed]
            if self.rubs == RUBS.by_bristles:
                along, rub = n[first] * force, (n[first + 1] + n[first + 2]) * force
            elif self.rubs == RUBS.by_stick_slip:  # stretched to its limit
                limit = n[CONTACT.bristles + BRISTLES.coulomb + i] * force
                stretch = (limit / n[CONTACT.grip]) ** (1.0 / exponent)
                along, rub = exponent * limit / stretch, n[CONTACT.grip + 1] * stretch**exponent
            stiffness.append(along)
            damping.append(rub)
        return np.array(stiffness), np.array(damping)

    def gap(self, centre: np.ndarray) -> np.ndarray:
        """Distance (n,) m of the ball from the plane for centres (n, 3) m."""
        found: np.ndarray = centre @ self.axes[0] - self.numbers[CONTACT.height] - self.numbers[CONTACT.radius]
        return found

    def point(self, centre: np.ndarray) -> np.ndarray:
        """Point (n, 3) m of the ball nearest to the plane."""
        found: np.ndarray = centre - self.numbers[CONTACT.radius] * self.axes[0]
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
    compiled: CompiledRobot,
    obstacles: Sequence[Fixture],
    self_collision: bool | SelfCollision,
    contact: CompliantContact,
    weight: float,
) -> tuple[list[CompiledWrench], PairArrays | None]:
    """A law for each pair of surfaces that may touch, and the arrays of pairs that are more than balls on planes.

    ``weight`` (N) of the robot. Balls and points on planes, with friction alike on all sides, have a law of their own, which
    robots in lanes know too; the others read the geometry of hard contact.
    """
    if not compiled.collisions:
        raise InputError(f"robot '{compiled.name}' has no surface that could touch; give its bodies some with body.collides().")
    table = ContactPairs(compiled, obstacles, self_collision)
    if not len(table):
        raise InputError("compliant contact has nothing to touch; give obstacles, such as a Ground, or self_collision.")
    bodies = {one.frame: one.body for one in compiled.collisions}
    found = [_pair_wrench(table, n, name, contact, bodies, weight) for n, name in enumerate(table.names)]
    return found, table.arrays if any(one.law.pair >= 0 for one in found) else None


def _pair_wrench(
    table: ContactPairs, n: int, name: str, contact: CompliantContact, bodies: dict[int, str], weight: float
) -> CompiledWrench:
    """Pair ``n`` of the table as a law on the first of its sides that is on the robot."""
    pairs = table.arrays
    if pairs.kind[n] == PAIR.support:
        raise InputError(
            f"surface '{name}' is a support with a known load; compliant contact finds loads itself: use HardContact()."
        )
    if pairs.friction_backward[n] != pairs.friction_forward[n]:
        raise InputError(
            f"the friction of '{name}' has one coefficient forward and another backward; compliant contact takes one for both:"
            " use HardContact()."
        )
    if pairs.friction_rolling[n] != 0.0 or pairs.friction_spinning[n] != 0.0:
        raise InputError(
            f"the friction of '{name}' also acts against rolling or spinning, which compliant contact does not know: use"
            " HardContact(), or leave rolling and spinning out."
        )
    mu, restitution = (float(pairs.friction_forward[n]), float(pairs.friction_across[n])), float(pairs.restitution[n])
    first = int(pairs.frame[n])
    frame, other = (first, int(pairs.other[n])) if first >= 0 else (int(pairs.other[n]), -1)
    if pairs.kind[n] == PAIR.plane and pairs.lean[n] == 0.0 and contact.is_even(mu):
        ground = Ground(at=pairs.other_first[n], normal=pairs.other_last[n])
        law = contact.law(ground, Friction(mu[0]), restitution, float(pairs.radius[n]), weight)
        return CompiledWrench(name, bodies[frame], frame, np.eye(3), pairs.first[n].copy(), law)
    law = contact.pair_law(n, other, mu, restitution, weight)
    return CompiledWrench(name, bodies[frame], frame, np.eye(3), np.zeros(3), law)


def _forward(normal: np.ndarray) -> np.ndarray:
    """The direction in the plane nearest to x; of a plane across x, to y."""
    axis = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    flat = axis - np.dot(axis, normal) * normal
    along: np.ndarray = flat / np.linalg.norm(flat)
    return along
