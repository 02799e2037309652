"""Wrench laws: what the world does to a point of a body, as a function of time, pose, twist and states of their own.

Obligations of a law of the library: :mod:`locodyn.world.law_base`.

A law along a rod is one for each metre: N/m and N instead of N and N m.

A law of the user is a Python function (:class:`UserLaw`); the time loop then runs in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.errors import InputError
from locodyn.record import filled
from locodyn.world.law_base import WrenchLaw, finite_numbers, not_negative
from locodyn.world.law_table import BRISTLES, CREEP, LAW, LOAD, RESISTANCE, SLIDE, SPRING, TAIL

if TYPE_CHECKING:
    from locodyn.world.law_base import Numbers


@dataclass(frozen=True)
class WorldForce(WrenchLaw):
    """A dead load: a force (a weight hung on, a wind), N, and a moment, N m, of constant direction in the world.

    The force stores the energy -F . x; the moment, which has none, does work from outside.
    """

    force: tuple[float, float, float]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    kind = LAW.world_force
    may_vary = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", finite_numbers(self.force, 3, "the force of a WorldForce"))
        object.__setattr__(self, "moment", finite_numbers(self.moment, 3, "the moment of a WorldForce"))

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return filled(LOAD, force=self.force, moment=self.moment)


@dataclass(frozen=True)
class Thrust(WrenchLaw):
    """A wrench that follows the body (a propeller): force N and moment N m in the axes of the point where it acts."""

    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    kind = LAW.thrust
    may_vary = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", finite_numbers(self.force, 3, "the force of a Thrust"))
        object.__setattr__(self, "moment", finite_numbers(self.moment, 3, "the moment of a Thrust"))

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return filled(LOAD, force=self.force, moment=self.moment)


@dataclass(frozen=True)
class Drag(WrenchLaw):
    """Resistance along each axis of the point: force -(c v + d |v| v), moment -(e w), component by component.

    ``linear`` c in N s/m, ``quadratic`` d in N s^2/m^2, ``angular`` e in N m s; a number stands for three equal ones. ``current``
    (m/s) is the velocity of the fluid in world axes, the same everywhere and at all times: v is then the velocity against it.
    What the current gives counts as work done from outside, what it makes heat of as dissipated.
    """

    linear: tuple[float, ...] = (0.0, 0.0, 0.0)
    quadratic: tuple[float, ...] = (0.0, 0.0, 0.0)
    angular: tuple[float, ...] = (0.0, 0.0, 0.0)
    current: tuple[float, float, float] = (0.0, 0.0, 0.0)
    kind = LAW.drag

    if TYPE_CHECKING:  # a number stands for equal ones

        def __init__(
            self,
            linear: Numbers = 0.0,
            quadratic: Numbers = 0.0,
            angular: Numbers = 0.0,
            current: Sequence[float] = (0.0, 0.0, 0.0),
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("linear", "quadratic", "angular"):
            value = getattr(self, name)
            triple = np.broadcast_to(np.asarray(value, dtype=float), (3,)) if np.ndim(value) == 0 else value
            numbers = finite_numbers(triple, 3, f"{name} of a Drag")
            for number in numbers:
                not_negative(number, f"{name} of a Drag")
            object.__setattr__(self, name, numbers)
        object.__setattr__(self, "current", finite_numbers(self.current, 3, "the current of a Drag"))

    @property
    def flows(self) -> bool:
        """Whether it is the resistance of a fluid that moves."""
        return any(self.current)

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return filled(RESISTANCE, linear=self.linear, quadratic=self.quadratic, angular=self.angular, current=self.current)


@dataclass(frozen=True)
class Sliding(WrenchLaw):
    """Dry friction under a given load, regularised, along the x and y axes of the point: force -mu_i N v_i / sqrt(u_i^2 + v0^2).

    ``friction`` (mu_x, mu_y), or one number for both; ``load`` N in N; ``speed`` v0 in m/s. On a wheel x is its heading and y
    its axle, so friction may be small along the one and large along the other.

    ``coupled`` says what u is. True: the speed in the x-y plane, u^2 = vx^2 + vy^2, for a pad or a scale that slides as a whole:
    the force has one size in all directions (mu_x = mu_y), and what it gives along x it cannot give along y. False: u_i = v_i,
    each direction by itself, for wheels and skates: a wheel that rolls does not slide along its heading, so that its grip
    across does not depend on how fast it rolls; mu_x is then its rolling resistance.
    """

    friction: tuple[float, ...]
    load: float
    speed: float = 1e-3
    coupled: bool = True
    kind = LAW.sliding

    if TYPE_CHECKING:

        def __init__(self, friction: Numbers, load: float, speed: float = 1e-3, coupled: bool = True) -> None: ...

    def __post_init__(self) -> None:
        pair = np.broadcast_to(np.asarray(self.friction, dtype=float), (2,)) if np.ndim(self.friction) == 0 else self.friction
        numbers = finite_numbers(pair, 2, "the friction of a Sliding law")
        for number in numbers:
            not_negative(number, "the friction of a Sliding law")
        object.__setattr__(self, "friction", numbers)
        object.__setattr__(self, "load", not_negative(self.load, "the load of a Sliding law"))
        object.__setattr__(self, "speed", not_negative(self.speed, "the speed of a Sliding law"))
        if self.speed == 0.0:
            raise InputError(
                "the speed of a Sliding law is 0; it must be positive, a small speed at which friction is developed."
            )

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        coupled = 1.0 if self.coupled else 0.0
        return filled(SLIDE, friction=self.friction, coupled=coupled, load=self.load, speed=self.speed)


@dataclass(frozen=True)
class ArctanFriction(WrenchLaw):
    """Dry and viscous friction under a given load along the x and y axes of the point (Transeth 2007, 6.3.3):

        F_i = -N (mu_i 2/pi arctan(v_i / v0) + nu_i v_i)

    ``friction`` (mu_x, mu_y) and ``viscous`` (nu_x, nu_y) in s/m, or one number for both; ``load`` N in N; ``speed`` v0 in
    m/s, at which half of the dry friction is there. Each direction is by itself: even mu_x = mu_y is not isotropic.
    """

    friction: tuple[float, ...]
    load: float
    speed: float = 1e-3
    viscous: tuple[float, ...] = (0.0, 0.0)
    kind = LAW.arctan

    if TYPE_CHECKING:

        def __init__(self, friction: Numbers, load: float, speed: float = 1e-3, viscous: Numbers = 0.0) -> None: ...

    def __post_init__(self) -> None:
        for name in ("friction", "viscous"):
            value, what = getattr(self, name), f"the {name} coefficient of an ArctanFriction"
            numbers = finite_numbers(np.broadcast_to(np.asarray(value, float), (2,)) if np.ndim(value) == 0 else value, 2, what)
            object.__setattr__(self, name, tuple(not_negative(number, what) for number in numbers))
        object.__setattr__(self, "load", not_negative(self.load, "the load of an ArctanFriction"))
        object.__setattr__(self, "speed", not_negative(self.speed, "the speed of an ArctanFriction"))
        if self.speed == 0.0:
            raise InputError("the speed of an ArctanFriction is 0; it must be positive, a small speed.")

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        dry, viscous = (2.0 / np.pi * self.load * mu for mu in self.friction), (self.load * nu for nu in self.viscous)
        return filled(CREEP, dry=tuple(dry), speed=self.speed, viscous=tuple(viscous))


def both(value: Any) -> tuple[float, float]:
    """One number for two directions, or two."""
    return (value[0], value[1]) if isinstance(value, (list, tuple)) else (value, value)


@dataclass(frozen=True)
class LuGre(WrenchLaw):
    """Dry friction by bristles that bend before they slip (Canudas de Wit, Olsson, Astrom and Lischinsky 1995).

        zdot = v - s0 |v| / g(|v|) z,   F = -(s0 z + s1 zdot + s2 v),   g(s) = F_C + (F_S - F_C) exp(-(s / v_S)^2)

    At a point, along the x and y axes of it together, for a pad that slides on the ground: the bristles stand on the ground.
    There all but the speed may be pairs, along x and along y; in slip the forces then lie on the ellipse of the Coulomb frictions
    (:mod:`locodyn.world.lugre`). At a joint, as ``actuator(bristles=LuGre(...))``: moments and angles instead of forces and
    lengths.

    Parameters
    ----------
    coulomb : N (N m at a joint)
        F_C, friction of fast sliding.
    stiffness : N/m (N m/rad)
        s0, of the bristles, before they slip.
    static : N (N m)
        F_S, friction at the beginning of sliding; by default F_C.
    speed : m/s (rad/s)
        v_S, over which friction falls from F_S to F_C.
    damping : N s/m (N m s/rad)
        s1, of the bristles.
    viscous : N s/m (N m s/rad)
        s2, that is added while it slides.
    """

    coulomb: float | tuple[float, float]
    stiffness: float | tuple[float, float]
    static: float | tuple[float, float] | None = None
    speed: float = 1e-3
    damping: float | tuple[float, float] = 0.0
    viscous: float | tuple[float, float] = 0.0
    kind = LAW.lugre

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.coulomb)
        object.__setattr__(self, "speed", not_negative(self.speed, "the speed of a LuGre law"))
        for name in ("coulomb", "stiffness", "static", "damping", "viscous"):
            value = getattr(self, name)
            if isinstance(value, (list, tuple)) and len(value) != 2:
                raise InputError(f"the {name} of a LuGre law is {value!r}; it must be one number, or two: along x and y.")
            known = [not_negative(one, f"the {name} of a LuGre law") for one in both(value)]
            object.__setattr__(self, name, tuple(known) if isinstance(value, (list, tuple)) else known[0])
        for name in ("coulomb", "stiffness", "speed"):
            if 0.0 in both(getattr(self, name)):
                raise InputError(f"the {name} of a LuGre law is 0; it must be positive.")
        for static, coulomb in zip(both(self.static), both(self.coulomb), strict=True):
            if static < coulomb:
                raise InputError(
                    f"the static friction of a LuGre law is {static:g} and its Coulomb friction {coulomb:g}; the first must not"
                    " be smaller."
                )

    @property
    def by_direction(self) -> bool:
        """Whether x and y differ, which a joint does not know."""
        return any(isinstance(one, tuple) for one in (self.coulomb, self.stiffness, self.static, self.damping, self.viscous))

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """How far the bristles are bent."""
        return (("x", "m"), ("y", "m"))

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        along, across = np.array([both(self.stiffness), both(self.damping), both(self.viscous)]).T
        return filled(
            BRISTLES,
            along=tuple(along),
            across=tuple(across),
            coulomb=both(self.coulomb),
            static=both(self.static),
            speed=self.speed,
        )


@dataclass(frozen=True)
class Anchor(WrenchLaw):
    """A spring and damper from the point to a fixed place in the world: force -k (x - x0) - c xdot; k in N/m, c in N s/m."""

    place: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0
    kind = LAW.anchor

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", finite_numbers(self.place, 3, "the place of an Anchor"))
        object.__setattr__(self, "stiffness", not_negative(self.stiffness, "the stiffness of an Anchor"))
        object.__setattr__(self, "damping", not_negative(self.damping, "the damping of an Anchor"))

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return filled(SPRING, place=self.place, stiffness=self.stiffness, damping=self.damping)


@dataclass(frozen=True)
class Wake(WrenchLaw):
    """Lighthill's force of the wake on the tail of a slender body: u (m w) - 1/2 (w . m w) t.

    t is the x axis of the point, from head to tail; u the velocity along it, w that across, m the added mass of the last section
    (Lighthill 1971, (9)). With the added mass of all sections (:class:`~locodyn.robot.rods.fluid.RodFluid`) it is elongated-body
    theory. The power that it takes, -1/2 u w . m w, goes into the wake.

    ``added_mass``: kg/m along y and z.
    """

    added_mass: tuple[float, float]
    kind = LAW.wake

    def __post_init__(self) -> None:
        numbers = finite_numbers(self.added_mass, 2, "the added mass of a Wake")
        for number in numbers:
            not_negative(number, "the added mass of a Wake")
        object.__setattr__(self, "added_mass", numbers)

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return filled(TAIL, added_mass=self.added_mass)


@dataclass(frozen=True)
class UserLaw(WrenchLaw):
    """Any law: ``function(t, rotation, position, twist) -> wrench``.

    ``rotation`` (3, 3) and ``position`` (3,) m place the point in the world; ``twist`` (6,) is its body twist; the wrench (force;
    moment) is in the axes of the point. Its power counts as work done from outside. Along a rod the place s (m)
    is a fifth argument.

    ``memory``: names and units of states z of its own, such as ``{"lag": "N"}``; the function then takes them as one more
    argument, the last, and returns (wrench, zdot).
    """

    function: Callable[..., Any]
    memory: Mapping[str, str] = field(default_factory=dict)
    kind = LAW.user
    may_vary = True

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError("a UserLaw needs a function of (t, rotation, position, twist).")
        if not isinstance(self.memory, Mapping):
            raise InputError(f"the memory of a UserLaw is {self.memory!r}; it must be names with units, such as {{'lag': 'N'}}.")

    @property
    def states(self) -> tuple[tuple[str, str], ...]:
        """Those that it was given."""
        return tuple((str(name), str(unit)) for name, unit in self.memory.items())
