"""Surfaces of bodies that can hit, stick and slide on other things: hard contact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.friction import Friction
from locodyn.robot.pose import Pose, rotation_to_axis, unit_axis
from locodyn.robot.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from locodyn.robot.values import float_of, is_numeric, read_only

COLLISION_KINDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "points", "support", "rod")


def _x() -> np.ndarray:
    return np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Collision:
    """A surface of a body that touches obstacles, or other bodies.

    Parameters
    ----------
    name : str
    kind : str
        One of :data:`COLLISION_KINDS`. A ``support`` is a point that slides on the horizontal plane under a known load; a ``rod``
        is the round surface all along a rod.
    pose : Pose
        Centre and axes of the surface in the frame of the body.
    size : (3,) m
        Sphere: radius, 0, 0. Capsule, cylinder (along z of ``pose``): radius, half length between the centres of its ends, 0.
        Box: half edges. Ellipsoid: semi-axes. Support: load in N, 0, 0. Rod: radius, 0, 0; of a compiled piece of it: radius, how
        far it reaches back and ahead along x.
    vertices : (n, 3) m
        Of ``points``, in the axes of ``pose``: the vertices of a mesh.
    friction : Friction
    restitution : float
        Newton's: part of the approach velocity with which it rebounds, from 0 to 1.
    direction : (3,)
        Forward direction of the friction, in the frame of the body.
    """

    name: str
    kind: str
    pose: Pose = field(default_factory=Pose)
    size: np.ndarray = field(default_factory=lambda: np.zeros(3))
    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    friction: Friction = field(default_factory=Friction)
    restitution: float = 0.0
    direction: np.ndarray = field(default_factory=_x)

    @property
    def radius(self) -> float:
        """Radius of what rolls, m: 0 for surfaces with corners."""
        return float(self.size[0]) if self.kind in ("sphere", "capsule", "cylinder", "rod") else 0.0


def collision_of(
    name: str, what: str, shape: Any, vertices: Any, centre: np.ndarray, friction: Any, restitution: Any, direction: Any
) -> Collision:
    """The surface of a shape (or of vertices) on a body; ``what`` names both in errors, ``centre`` is that of the body's mass."""
    if (shape is None) == (vertices is None):
        raise DescriptionError(f"The surface of {what} is not known: give the body a shape, or collides(shape) or vertices=.")
    kind, pose, size, points = "points", Pose(), np.zeros(3), np.zeros((0, 3))
    if vertices is not None:
        points = _vertices(vertices, what)
    elif not isinstance(shape, Shape):
        raise DescriptionError(f"The surface of {what} is {shape!r}, but it must be a shape, such as Sphere(0.1).")
    else:
        kind, pose, size = surface_of_solid(shape, centre, f"The surface of {what}")
        if not np.isfinite(size).all():
            raise DescriptionError(f"The surface of {what} is a cylinder without a length: give length= in metres.")
    return Collision(
        name, kind, pose, read_only(size), points, Friction.of(friction), _restitution(restitution, what),
        unit_axis(direction, f"The friction direction of {what}"),
    )  # fmt: skip


def surface_of_solid(solid: Shape, centre: np.ndarray, what: str) -> tuple[str, Pose, np.ndarray]:
    """Kind, pose and size (3,) of the surface of a solid, as of :class:`Collision`, on a body or in the world.

    ``centre`` (3,) m is where it sits unless it says so itself. The half length of an endless cylinder is infinite.
    """
    pose = solid.pose(centre)
    if not is_numeric(pose.position) or not is_numeric(pose.rotation):
        raise DescriptionError(f"{what} holds symbols: hard contact needs numbers.")
    if isinstance(solid, Sphere):
        return "sphere", pose, np.array([solid.radius, 0.0, 0.0], dtype=float)
    if isinstance(solid, (Capsule, Cylinder)):
        half = np.inf if solid.length is None else 0.5 * float_of(solid.length)
        turned = Pose(pose.rotation @ rotation_to_axis(solid.axis), pose.position)
        return solid.word, turned, np.array([solid.radius, half, 0.0], dtype=float)
    if isinstance(solid, Box):
        return "box", pose, 0.5 * np.array(solid.size, dtype=float)
    if isinstance(solid, Ellipsoid):
        return "ellipsoid", pose, np.array(solid.semi_axes, dtype=float)
    raise DescriptionError(
        f"{what} is a {solid.word}, which cannot collide: use a sphere, capsule, cylinder, box or ellipsoid, or vertices=."
    )


def rod_surface_of(name: str, what: str, section: Any, radius: Any, friction: Any, restitution: Any, direction: Any) -> Collision:
    """The round surface along a rod; ``radius`` (m) by default that of a round ``section``."""
    if radius is None:
        radius = getattr(section, "radius", None)
    value = float(radius) if isinstance(radius, (int, float)) else float("nan")
    if not (np.isfinite(value) and value > 0.0):
        raise DescriptionError(f"The radius of {what} is {radius!r}, but it must be a positive length in m: give radius=.")
    return Collision(
        name, "rod", Pose(), read_only(np.array([value, 0.0, 0.0])), np.zeros((0, 3)), Friction.of(friction),
        _restitution(restitution, what), unit_axis(direction, f"The friction direction of {what}"),
    )  # fmt: skip


def support_of(name: str, what: str, at: Any, load: Any, friction: Any, direction: Any) -> Collision:
    """A point that carries a known load (N) on the horizontal plane."""
    value = float(load) if isinstance(load, (int, float)) else float("nan")
    if not (np.isfinite(value) and value >= 0.0):
        raise DescriptionError(f"The load of {what} is {load!r}, but it must be a force in N that is not negative.")
    pose = Pose(np.eye(3), at)
    return Collision(
        name, "support", pose, read_only(np.array([value, 0.0, 0.0])), np.zeros((0, 3)), Friction.of(friction), 0.0,
        unit_axis(direction, f"The friction direction of {what}"),
    )  # fmt: skip


def _vertices(values: Any, what: str) -> np.ndarray:
    try:
        points = np.array(values, dtype=float)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise DescriptionError(f"The vertices of {what} must be an array (n, 3) of finite numbers, in m.")
    return read_only(points)


def _restitution(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise DescriptionError(f"The restitution of {what} is {value!r}, but it must be a number from 0 to 1.")
    return float(value)
