"""What stands in the world for robots to hit: solids, ground, terrain."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from locodyn.errors import InputError
from locodyn.robot.collision import surface_of_solid
from locodyn.robot.friction import Friction
from locodyn.robot.pose import Pose, rotation_from, unit_axis
from locodyn.robot.shapes import Shape
from locodyn.typing import Array, Axis, Rotation, Vector


class FixtureFields(TypedDict, total=False):
    """Arguments of all fixtures, see :class:`Fixture`."""

    name: str
    friction: Friction | float | Sequence[float] | None
    restitution: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Fixture:
    """Base of all that stands in the world.

    Parameters
    ----------
    name : str
    friction : Friction, number or pair, optional
        Instead of the friction of the surfaces that touch it.
    restitution : number from 0 to 1, optional
        Instead of theirs.
    """

    name: str = ""
    friction: Friction | None = None
    restitution: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", self.name or self.word)
        if self.friction is not None:
            put(self, "friction", Friction.of(self.friction))
        if self.restitution is not None and not (isinstance(self.restitution, (int, float)) and 0.0 <= self.restitution <= 1.0):
            raise InputError(f"the restitution of {self.what} is {self.restitution!r}; it must be a number from 0 to 1.")

    @property
    def word(self) -> str:
        """What it is called."""
        return type(self).__name__.lower()

    @property
    def what(self) -> str:
        """``cylinder 'front'``."""
        return f"{self.word} '{self.name}'"

    def _vector(self, name: str) -> None:
        object.__setattr__(self, name, numbers(getattr(self, name), (3,), f"{name} of {self.what}"))


@dataclass(frozen=True, eq=False)
class Obstacle(Fixture):
    """A solid that stands in the world: ``Obstacle(Sphere(0.1), at=(1, 0, 0))``.

    A peg of the plane is an endless cylinder, ``Obstacle(Cylinder(0.05), at=(1, 0))``: one without a length.

    Parameters
    ----------
    solid : Sphere, Capsule, Cylinder, Box or Ellipsoid
    at : (3,) or (2,) m
        Where its frame is; of two numbers the third is zero.
    turned : rotation, optional
        How its frame is turned, as shapes are.
    name : str
        By default the word for the solid.
    friction, restitution
        As of :class:`Fixture`.
    """

    solid: Shape
    at: np.ndarray
    turned: np.ndarray = None  # type: ignore[assignment]  # an array after __post_init__

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(self, solid: Shape, at: Vector, turned: Rotation | None = None, **fields: Unpack[FixtureFields]) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.solid, Shape):
            raise InputError(f"an obstacle is made of {self.solid!r}; it must be a solid, such as Sphere(0.1).")
        super().__post_init__()
        place = np.ravel(np.asarray(self.at, dtype=object))
        object.__setattr__(self, "at", (*place, 0.0) if place.size == 2 else self.at)
        self._vector("at")
        object.__setattr__(self, "turned", rotation_from(self.turned, f"The rotation of {self.what}").astype(float))
        self.surface  # noqa: B018  a solid that cannot collide is refused here

    @property
    def word(self) -> str:
        """What it is called: the word for its solid."""
        return self.solid.word if isinstance(self.solid, Shape) else "obstacle"

    @functools.cached_property
    def surface(self) -> tuple[str, Pose, np.ndarray]:
        """Kind, pose in the world and size (3,) of its surface, as of :func:`locodyn.robot.collision.surface_of_solid`."""
        kind, pose, size = surface_of_solid(self.solid, np.zeros(3), f"The {self.what}")
        return kind, Pose(self.turned, self.at) @ pose, size


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Fixture):
    """A half-space: everything below the plane through ``at`` (3,) m with the outer ``normal``."""

    at: np.ndarray = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # an array after __post_init__
    normal: np.ndarray = "z"  # type: ignore[assignment]  # an array after __post_init__

    if TYPE_CHECKING:

        def __init__(self, *, at: Vector = ..., normal: Axis = ..., **fields: Unpack[FixtureFields]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("at")
        object.__setattr__(self, "normal", unit_axis(self.normal, f"The normal of {self.what}"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Terrain(Fixture):
    """A heightfield: the surface z = h(x, y), smooth (bicubic, with continuous slopes) through the given heights.

    Parameters
    ----------
    heights : (nx, ny) m
        At x = origin[0] + i spacing, y = origin[1] + j spacing; at least 4 x 4. Beyond its edge the terrain goes on level.
    spacing : m
    origin : (2,) m
    """

    heights: np.ndarray
    spacing: float = 1.0
    origin: np.ndarray = (0.0, 0.0)  # type: ignore[assignment]  # an array after __post_init__

    if TYPE_CHECKING:

        def __init__(
            self, *, heights: Array, spacing: float = 1.0, origin: Vector = ..., **fields: Unpack[FixtureFields]
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            heights = np.array(self.heights, dtype=float, order="C")
        except (TypeError, ValueError):
            heights = np.zeros(0)
        if heights.ndim != 2 or min(heights.shape) < 4 or not np.isfinite(heights).all():
            raise InputError(f"the heights of {self.what} must be an array of at least 4 x 4 finite numbers, in m.")
        object.__setattr__(self, "heights", heights)
        spacing = self.spacing
        if isinstance(spacing, bool) or not isinstance(spacing, (int, float, np.floating)) or not 0.0 < spacing < np.inf:
            raise InputError(f"the spacing of {self.what} is {spacing!r}; it must be a positive length in m.")
        object.__setattr__(self, "spacing", float(spacing))
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
