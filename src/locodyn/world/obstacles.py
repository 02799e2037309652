"""What stands in the world for robots to hit: ground, pegs, balls, blocks, terrain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.friction import Friction
from locodyn.robot.pose import rotation_from, unit_axis


@dataclass(frozen=True, eq=False, kw_only=True)
class Obstacle:
    """Base of all obstacles.

    Parameters
    ----------
    name : str
    friction : Friction, number or pair, optional
        Instead of the friction of the surfaces that touch it.
    restitution : number from 0 to 1, optional
        Instead of theirs.
    """

    name: str = ""
    friction: Any = None
    restitution: Any = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", self.name or type(self).__name__.lower())
        if self.friction is not None:
            put(self, "friction", Friction.of(self.friction))
        if self.restitution is not None and not (isinstance(self.restitution, (int, float)) and 0.0 <= self.restitution <= 1.0):
            raise InputError(f"the restitution of {self.what} is {self.restitution!r}; it must be a number from 0 to 1.")

    @property
    def what(self) -> str:
        """``peg 'front'``."""
        return f"{type(self).__name__.lower()} '{self.name}'"

    def _vector(self, name: str) -> None:
        object.__setattr__(self, name, numbers(getattr(self, name), (3,), f"{name} of {self.what}"))

    def _length(self, name: str) -> None:
        value = getattr(self, name)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.floating))
            or not (np.isfinite(value) and value > 0.0)
        ):
            raise InputError(f"the {name} of {self.what} is {value!r}; it must be a positive length in m.")
        object.__setattr__(self, name, float(value))


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Obstacle):
    """A half-space: everything below the plane through ``at`` (3,) m with the outer ``normal``."""

    at: Any = (0.0, 0.0, 0.0)
    normal: Any = "z"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("at")
        object.__setattr__(self, "normal", unit_axis(self.normal, f"The normal of {self.what}"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Peg(Obstacle):
    """A cylinder of ``radius`` m along ``axis`` through ``at``: endless, or ``length`` m long about ``at``.

    Its ends are round and add to the length, or ``flat``.
    """

    at: Any
    radius: float
    axis: Any = "z"
    length: float | None = None
    flat: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        given = np.ravel(np.asarray(self.at, dtype=object))
        object.__setattr__(self, "at", (*given, 0.0) if given.size == 2 else self.at)
        self._vector("at")
        self._length("radius")
        object.__setattr__(self, "axis", unit_axis(self.axis, f"The axis of {self.what}"))
        if self.length is not None:
            self._length("length")
        if not isinstance(self.flat, bool):
            raise InputError(f"the flat of {self.what} is {self.flat!r}; it must be True or False.")
        if self.flat and self.length is None:
            raise InputError(f"{self.what} has flat ends, but no length; give length= in m.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Ball(Obstacle):
    """A ball of ``radius`` m with its centre ``at`` (3,) m."""

    at: Any
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("at")
        self._length("radius")


@dataclass(frozen=True, eq=False, kw_only=True)
class Block(Obstacle):
    """A box of full lengths ``size`` (3,) m with its centre ``at``, turned as shapes are."""

    at: Any
    size: Any
    turned: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("at")
        self._vector("size")
        if not np.all(self.size > 0.0):
            raise InputError(f"the size of {self.what} is {self.size.tolist()}; it must be three positive lengths in m.")
        object.__setattr__(self, "turned", rotation_from(self.turned, f"The rotation of {self.what}").astype(float))


@dataclass(frozen=True, eq=False, kw_only=True)
class Terrain(Obstacle):
    """A heightfield: the surface z = h(x, y), smooth (bicubic, with continuous slopes) through the given heights.

    Parameters
    ----------
    heights : (nx, ny) m
        At x = origin[0] + i spacing, y = origin[1] + j spacing; at least 4 x 4. Beyond its edge the terrain goes on level.
    spacing : m
    origin : (2,) m
    """

    heights: Any
    spacing: float = 1.0
    origin: Any = field(default=(0.0, 0.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            heights = np.array(self.heights, dtype=float, order="C")
        except (TypeError, ValueError):
            heights = np.zeros(0)
        if heights.ndim != 2 or min(heights.shape) < 4 or not np.isfinite(heights).all():
            raise InputError(f"the heights of {self.what} must be an array of at least 4 x 4 finite numbers, in m.")
        object.__setattr__(self, "heights", heights)
        self._length("spacing")
        object.__setattr__(self, "origin", numbers(self.origin, (2,), f"origin of {self.what}"))


def numbers(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A finite float array of this shape, or :class:`InputError`."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(f"the {what} is {values!r}; it must be {shape[0]} finite numbers.")
    return array
