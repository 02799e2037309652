"""Solids of uniform density: what a body looks like and is made of, what its surface is, what stands in the world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.inertia import Inertia
from locodyn.robot.pose import Pose, rotation_from, rotation_to_axis, unit_axis
from locodyn.robot.values import is_numeric, scalar, vector
from locodyn.typing import Axis, Rotation, Scalar, Vector


class ShapePlace(TypedDict, total=False):
    """Where a shape is and how it is drawn: arguments of all shapes, see :class:`Shape`."""

    at: Vector | None
    turned: Rotation | None
    colour: Sequence[float] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """Base of all shapes.

    Parameters
    ----------
    at : (3,) m or None
        Centre of the shape in the frame of its body; ``None``: at the body's centre of mass.
    turned : rotation or None
        Rotation of the shape in the frame of its body: matrix, quaternion or (axis, angle).
    colour : (3,) or (4,) or None
        Red, green, blue and opacity between 0 and 1, for drawing; ``None``: whatever the drawing chooses.
    """

    at: np.ndarray | None = None
    turned: np.ndarray = None  # type: ignore[assignment]  # an array after __post_init__
    colour: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.at is not None:
            object.__setattr__(self, "at", vector(self.at, f"The position of a {self.word}"))
        object.__setattr__(self, "turned", rotation_from(self.turned, f"The rotation of a {self.word}"))
        if self.colour is not None:
            object.__setattr__(self, "colour", _colour(self.colour, f"The colour of a {self.word}"))

    @property
    def word(self) -> str:
        """What the shape is called."""
        return type(self).__name__.lower()

    @property
    def own_rotation(self) -> np.ndarray:
        """Rotation (3, 3) from the axes in which the moments are principal to those of the shape."""
        return np.eye(3)

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        raise DescriptionError(f"A {self.word} has no volume here: give mass and inertia of its body.")

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments of inertia (3,) kg m^2 about the centre, along the shape's own axes, if its mass is ``mass`` kg."""
        raise DescriptionError(f"A {self.word} has no inertia here: give the inertia of its body.")

    def inertia(self, mass: Scalar | None = None, density: Scalar | None = None, centre: Vector | None = None) -> Inertia:
        """The inertia in the frame of the body, from a mass (kg) or a density (kg/m^3).

        ``centre`` (3,) m is the centre of mass if it is known; otherwise it is that of the shape.
        """
        if (mass is None) == (density is None):
            raise DescriptionError(f"The inertia of a {self.word} follows from its mass or its density: give one of them.")
        if mass is None:
            mass = scalar(density, f"The density of a {self.word}") * self.volume
        turned = self.turned @ self.own_rotation
        return Inertia(mass, self.pose(centre).position, turned @ np.diag(self.principal_moments(mass)) @ turned.T)

    def pose(self, centre: Vector | None = None) -> Pose:
        """Pose of the shape in the frame of its body, whose centre of mass is ``centre`` (default: the origin)."""
        position = self.at if self.at is not None else np.zeros(3) if centre is None else centre
        return Pose(self.turned, np.asarray(position))

    def placed(self, at: Vector | None = None, turned: Rotation | None = None) -> Shape:
        """The same shape elsewhere on the body."""
        other: dict[str, Any] = {"at": self.at if at is None else at, "turned": self.turned if turned is None else turned}
        return replace(self, **other)

    def _length(self, name: str) -> None:
        value = scalar(getattr(self, name), f"The {name} of a {self.word}")
        if is_numeric(value) and not (value > 0 and math.isfinite(value)):
            raise DescriptionError(f"The {name} of a {self.word} is {value:g}, but it must be a positive length in metres.")
        object.__setattr__(self, name, value)

    def _lengths(self, name: str) -> None:
        value = vector(getattr(self, name), f"The {name} of a {self.word}")
        if is_numeric(value) and not (np.all(value > 0) and np.all(np.isfinite(value))):
            raise DescriptionError(
                f"The {name} of a {self.word} is {value.tolist()}, but it must be 3 positive lengths in metres."
            )
        object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box; ``size`` (3,) m is its full length along x, y, z."""

    size: np.ndarray

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(self, size: Vector, **place: Unpack[ShapePlace]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._lengths("size")

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        found: Scalar = self.size[0] * self.size[1] * self.size[2]
        return found

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments (3,) about the centre for a mass, kg m^2."""
        xx, yy, zz = self.size * self.size
        return mass * np.array([yy + zz, xx + zz, xx + yy]) / 12


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid; ``semi_axes`` (3,) m are half its lengths along x, y, z."""

    semi_axes: np.ndarray

    if TYPE_CHECKING:

        def __init__(self, semi_axes: Vector, **place: Unpack[ShapePlace]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._lengths("semi_axes")

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        found: Scalar = 4 * math.pi / 3 * self.semi_axes[0] * self.semi_axes[1] * self.semi_axes[2]
        return found

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments (3,) about the centre for a mass, kg m^2."""
        xx, yy, zz = self.semi_axes * self.semi_axes
        return mass * np.array([yy + zz, xx + zz, xx + yy]) / 5


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball of ``radius`` m."""

    radius: Scalar

    if TYPE_CHECKING:

        def __init__(self, radius: Scalar, **place: Unpack[ShapePlace]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._length("radius")

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        return 4 * math.pi / 3 * self.radius * self.radius * self.radius

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments (3,) about the centre for a mass, kg m^2."""
        return np.array([2 * mass * self.radius * self.radius / 5] * 3)


@dataclass(frozen=True, eq=False)
class _Round(Shape):
    """A shape with an axis of symmetry: ``radius`` and ``length`` in m, ``axis`` such as ``"z"`` or a vector."""

    radius: Scalar
    length: Scalar | None = None
    axis: np.ndarray = "z"  # type: ignore[assignment]  # an array after __post_init__

    if TYPE_CHECKING:

        def __init__(
            self, radius: Scalar, length: Scalar | None = None, axis: Axis = "z", **place: Unpack[ShapePlace]
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._length("radius")
        if self.length is not None:
            self._length("length")
        object.__setattr__(self, "axis", unit_axis(self.axis, f"The axis of a {self.word}"))

    @property
    def own_rotation(self) -> np.ndarray:
        return rotation_to_axis(self.axis)

    @property
    def whole_length(self) -> Scalar:
        """The length, m; :class:`DescriptionError` where there is none."""
        if self.length is None:
            raise DescriptionError(f"A {self.word} of a body has no length: give length= in metres.")
        return self.length


class Cylinder(_Round):
    """A cylinder of ``radius`` and full ``length`` (m) along ``axis``; without a length it is endless, as a peg in the plane is.

    Only what stands in the world may be endless (:class:`~locodyn.world.obstacles.Obstacle`).
    """

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        return math.pi * self.radius * self.radius * self.whole_length

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments (3,) about the centre for a mass, kg m^2."""
        length = self.whole_length
        r2, l2 = self.radius * self.radius, length * length
        across = mass * (3 * r2 + l2) / 12
        return np.array([across, across, mass * r2 / 2])


class Capsule(_Round):
    """A cylinder of ``radius`` and ``length`` (m) along ``axis``, closed by two half balls (which add to the length)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is None:
            raise DescriptionError("A capsule has no length: give length= in metres.")

    @property
    def volume(self) -> Scalar:
        """Volume, m^3."""
        return math.pi * self.radius * self.radius * (self.whole_length + 4 * self.radius / 3)

    def principal_moments(self, mass: Scalar) -> np.ndarray:
        """Moments (3,) about the centre for a mass, kg m^2."""
        r, length = self.radius, self.whole_length
        tube = mass * length / (length + 4 * r / 3)  # mass of the cylinder; the rest is in the two half balls
        caps = mass - tube
        along = tube * r * r / 2 + caps * 2 * r * r / 5
        # a half ball's centre of mass is 3r/8 behind its flat face: 2/5 r^2 + L^2/4 + 3/8 L r about the middle
        across = tube * (length * length / 12 + r * r / 4) + caps * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8)
        return np.array([across, across, along])


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A surface in a file (``path``), enlarged by ``scale`` (one number, or three for x, y, z): for drawing only, no inertia."""

    path: str
    scale: Scalar | np.ndarray = 1.0

    if TYPE_CHECKING:

        def __init__(self, path: str | Path, scale: Scalar | Vector = 1.0, **place: Unpack[ShapePlace]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.scale, (Sequence, np.ndarray)) and np.ndim(self.scale):
            scale = vector(self.scale, "The scale of a mesh")  # a negative factor mirrors
            if is_numeric(scale) and not (np.all(scale != 0) and np.all(np.isfinite(scale))):
                raise DescriptionError(
                    f"The scale of a mesh is {scale.tolist()}, but it must be 3 finite numbers other than zero."
                )
            object.__setattr__(self, "scale", scale)
        else:
            self._length("scale")
        object.__setattr__(self, "path", str(self.path))


@dataclass(frozen=True, eq=False)
class Compound(Shape):
    """Several shapes (``parts``) of one body, each placed in the frame of the body: for drawing only, it has no inertia."""

    parts: tuple[Shape, ...]

    if TYPE_CHECKING:

        def __init__(self, parts: Sequence[Shape]) -> None: ...

    def __post_init__(self) -> None:
        turned = self.turned is not None and not np.array_equal(self.turned, np.eye(3))
        if self.at is not None or turned or self.colour is not None:
            raise DescriptionError("A compound has no place and no colour of its own: give those of its parts.")
        super().__post_init__()
        parts = tuple(self.parts)
        if not parts or not all(isinstance(part, Shape) and not isinstance(part, Compound) for part in parts):
            raise DescriptionError(f"The parts of a compound are {self.parts!r}, but they must be plain shapes, at least one.")
        object.__setattr__(self, "parts", parts)


def _colour(colour: Sequence[float], what: str) -> tuple[float, ...]:
    values = tuple(float(x) for x in colour) if np.ndim(colour) == 1 and len(colour) in (3, 4) else ()
    if not values or not all(0.0 <= x <= 1.0 for x in values):
        raise DescriptionError(f"{what} is {colour!r}, but it must be 3 or 4 numbers between 0 and 1: red, green, blue, opacity.")
    return values
