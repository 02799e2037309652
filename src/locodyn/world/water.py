"""Water with a free surface, and the law of what it carries: buoyancy. Their kernels: :mod:`locodyn.world.buoyant`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.motion import Law, polynomial
from locodyn.record import filled
from locodyn.robot.rods.section import Annulus, Circle, Ellipse, Rectangle, Section
from locodyn.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from locodyn.robot.values import float_of, is_numeric, is_symbol
from locodyn.world.law_base import WrenchLaw, finite_numbers, not_negative
from locodyn.world.law_table import LAW, SOLID, WET
from locodyn.world.laws import Drag


def _positive(value: Any, what: str) -> float:
    number = not_negative(value, what)
    if number == 0.0:
        raise InputError(f"{what} is 0; it must be positive.")
    return number


def _three(values: Any) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


@dataclass(frozen=True)
class Wave:
    """A wave on the surface that travels along ``direction``: amplitude cos(2 pi (x / length - t / period) + phase).

    It is long against the bodies in it: under each the surface is a plane, and the pressure is hydrostatic.

    Parameters
    ----------
    amplitude, length : m
    period : s
    direction : (2,)
        Along x and y of the world; of any length.
    phase : rad
    """

    amplitude: float
    length: float
    period: float
    direction: tuple[float, float] = (1.0, 0.0)
    phase: float = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "length", "period"):
            object.__setattr__(self, name, _positive(getattr(self, name), f"the {name} of a wave"))
        x, y = finite_numbers(self.direction, 2, "the direction of a wave")
        if x == 0.0 and y == 0.0:
            raise InputError("the direction of a wave is (0, 0); it must point somewhere, such as (1, 0).")
        object.__setattr__(self, "direction", (x, y))
        object.__setattr__(self, "phase", finite_numbers((self.phase,), 1, "the phase of a wave")[0])

    @property
    def vector(self) -> tuple[float, float]:
        """The wave vector, rad/m."""
        number = 2.0 * math.pi / self.length / math.hypot(*self.direction)
        return number * self.direction[0], number * self.direction[1]

    @property
    def phase_law(self) -> Law:
        """What is taken from k . x, as a law of time, rad."""
        return polynomial(-self.phase, 2.0 * math.pi / self.period)


@dataclass(frozen=True)
class Water:
    """Water below z = ``level`` (m), or below a wave on it; ``density`` in kg/m^3. Gravity is that of the scenario, along -z."""

    density: float = 1000.0
    level: float = 0.0
    wave: Wave | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", _positive(self.density, "the density of water"))
        object.__setattr__(self, "level", finite_numbers((self.level,), 1, "the level of water")[0])
        if self.wave is not None and not isinstance(self.wave, Wave):
            raise InputError(f"the wave of water is {self.wave!r}; it must be a Wave(amplitude, length, period).")


@dataclass(frozen=True)
class Slice:
    """A metre of a rod with an elliptic section: semi-axes along y and z, m.

    ``spread`` (m) smears it along x, for the length of rod that it stands for: see :meth:`WetLaw.fitted`.
    """

    semi_y: float
    semi_z: float
    spread: float


@dataclass(frozen=True)
class Plank:
    """A piece of a rod with a rectangular section: the ``length`` that a section stands for, its width and height, m."""

    length: float
    width: float
    height: float


class WetLaw(WrenchLaw):
    """A law of a body or rod in water: it knows the ``water`` and what of the robot displaces it."""

    water: Water
    shape: Shape | Slice | Plank | None

    def fitted(self, shape: Shape | Section, share: float | None) -> WetLaw:
        """The law for this solid, or for the section of a rod of which it stands for ``share`` m.

        A round section is spread along the rod by share / sqrt(3): a semicircle then has the variance of a uniform slice. A
        rectangular one is a box of that length.
        """
        if share is not None:
            return replace(self, shape=_slice(shape, abs(share)))  # type: ignore[type-var]  # laws are dataclasses
        fitted: WetLaw = replace(self, shape=shape)  # type: ignore[type-var]  # laws are dataclasses
        return fitted

    def solid(self) -> tuple[int, int, tuple[float, float, float], float]:
        """Code, axis, half axes (m) and volume (m^3; m^2 of a section) of what displaces water."""
        shape = self.shape
        if isinstance(shape, Slice):
            return SOLID.section, 0, (shape.spread, shape.semi_y, shape.semi_z), math.pi * shape.semi_y * shape.semi_z
        if isinstance(shape, Plank):
            size = (0.5 * shape.length, 0.5 * shape.width, 0.5 * shape.height)
            return SOLID.box, 0, size, shape.length * shape.width * shape.height
        if isinstance(shape, Shape) and not all(is_numeric(x) for x in vars(shape).values() if is_symbol(x) or np.ndim(x)):
            raise InputError(f"the {shape.word} that displaces water holds symbols; it must have numbers.")
        if isinstance(shape, Ellipsoid):
            return SOLID.ellipsoid, 0, _three(shape.semi_axes), float_of(shape.volume)
        if isinstance(shape, Sphere):
            return SOLID.ellipsoid, 0, _three([shape.radius] * 3), float_of(shape.volume)
        if isinstance(shape, Box):
            return SOLID.box, 0, _three(shape.size / 2), float_of(shape.volume)
        if isinstance(shape, (Cylinder, Capsule)):
            axis = int(np.argmax(np.abs(shape.axis)))
            if abs(abs(shape.axis[axis]) - 1.0) > 1e-12:
                raise InputError(
                    f"a {shape.word} in water has the axis {shape.axis.tolist()}; it must be x, y or z: turn the shape instead."
                )
            code = SOLID.cylinder if isinstance(shape, Cylinder) else SOLID.capsule
            return code, axis, _three([shape.whole_length / 2, shape.radius, shape.radius]), float_of(shape.volume)
        raise InputError(
            f"what a {type(shape).__name__} displaces of water is not known; it must be a box, sphere, ellipsoid, cylinder or"
            " capsule."
        )

    @property
    def per_metre(self) -> float:
        """What the kernel finds is to be multiplied with, 1 or 1/m: a law along a rod is that of a metre."""
        return 1.0 / self.shape.length if isinstance(self.shape, Plank) else 1.0

    def wet_numbers(self, resistance: tuple[float, ...] = ()) -> tuple[float, ...]:
        """The numbers that the kernel reads, with the density instead of the weight, which depends on gravity."""
        _, _, size, volume = self.solid()
        wave = self.water.wave
        amplitude, vector = (0.0, (0.0, 0.0)) if wave is None else (wave.amplitude, wave.vector)
        return filled(
            WET, half_axes=size, weight=self.water.density, level=self.water.level, amplitude=amplitude, wave=vector,
            volume=volume, resistance=resistance,
        )  # fmt: skip


@dataclass(frozen=True)
class Buoyancy(WetLaw):
    """The weight of the displaced water, up at the centre of the displaced volume, however far a body is under water.

    On a body it acts on a solid about the point; along a rod (``along=True``) on its round, elliptic or rectangular sections. It
    stores the energy of the water that was lifted to the surface; a wave does work from outside.

    Parameters
    ----------
    shape : Box, Sphere, Ellipsoid, Cylinder, Capsule or None
        By default the shape of the body, or the sections of the rod. An annular section is closed: it displaces its whole disc.
    water : Water
    """

    shape: Shape | Slice | Plank | None = None
    water: Water = Water()
    kind = LAW.buoyancy

    def __post_init__(self) -> None:
        check_wet(self)

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return self.wet_numbers()


@dataclass(frozen=True)
class WetDrag(WetLaw):
    """The resistance ``drag`` of a body or of a metre of rod, times the share of its volume that is under the surface.

    ``shape`` and ``water`` as of :class:`Buoyancy`; the axes are those of the shape. The water moves with the ``current`` of the
    drag; a wave does not move it.
    """

    drag: Drag
    shape: Shape | Slice | Plank | None = None
    water: Water = Water()
    kind = LAW.wet_drag

    def __post_init__(self) -> None:
        if not isinstance(self.drag, Drag):
            raise InputError(f"the drag of a WetDrag is {self.drag!r}; it must be a Drag(linear, quadratic, angular).")
        check_wet(self)

    @property
    def flows(self) -> bool:
        """Whether it is the resistance of water that moves."""
        return self.drag.flows

    def parameters(self) -> tuple[float, ...]:
        """The numbers that the kernel reads."""
        return self.wet_numbers(self.drag.parameters())


def check_wet(law: WetLaw) -> None:
    """:class:`InputError` where the water or the shape of a law is none."""
    if not isinstance(law.water, Water):
        raise InputError(f"the water of a {type(law).__name__} is {law.water!r}; it must be a Water(density, level, wave).")
    if law.shape is not None:
        law.solid()


def _slice(section: Any, share: float) -> Slice | Plank:
    """A section of a rod as something that displaces water; it stands for ``share`` m of the rod."""
    spread = share / math.sqrt(3.0)
    if isinstance(section, Rectangle):
        return Plank(share, section.width, section.height)
    if isinstance(section, Ellipse):
        return Slice(section.semi_y, section.semi_z, spread)
    if isinstance(section, (Circle, Annulus)):
        return Slice(section.radius, section.radius, spread)
    raise InputError(
        f"what a rod with a {type(section).__name__} section displaces of water is not known; the section must be a circle, an"
        " annulus, an ellipse or a rectangle."
    )


def surface_weight(law: WetLaw, gravity: np.ndarray, name: str) -> float:
    """Density times gravity, N/m^3 (N/m^4 of a piece of rod); :class:`InputError` where gravity is not across the surface."""
    if gravity[0] != 0.0 or gravity[1] != 0.0 or gravity[2] > 0.0:
        raise InputError(
            f"wrench '{name}' has water with a level surface, but gravity is ({gravity[0]:g}, {gravity[1]:g}, {gravity[2]:g})"
            " m/s^2; it must point along -z."
        )
    return -law.water.density * law.per_metre * float(gravity[2])
