"""What is drawn, piece by piece: solids placed in a frame, and the points that span them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.view.quaternions import rotate

_CIRCLE = np.column_stack([np.cos(t := np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)), np.sin(t)])


@dataclass(frozen=True, eq=False)
class Part:
    """A solid in the frame of its body (or of the world).

    Parameters
    ----------
    kind : str
        ``box``, ``ellipsoid``, ``sphere``, ``cylinder``, ``capsule`` or ``mesh``. Round ones have their axis along their own z.
    at : (3,) m
    quaternion : (4,) (w, x, y, z)
        Of its own axes in the frame.
    lengths : mapping
        ``size`` (3) of a box, ``semi_axes`` (3) of an ellipsoid, ``radius`` and ``length`` of the round ones, m.
    vertices, triangles : (n, 3) m, (m, 3)
        Of a mesh.
    role : str
        ``body``, ``joint``, ``tyre``, ``ball``, ``anchor`` or ``fixture``: how it is coloured.
    colour : (3,) or (4,) or None
        Red, green, blue and opacity between 0 and 1, instead of that.
    """

    kind: str
    at: np.ndarray
    quaternion: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    lengths: dict[str, Any] = field(default_factory=dict)
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None
    role: str = "body"
    colour: tuple[float, ...] | None = None

    def outline(self) -> np.ndarray:
        """Points (k, 3) m, in the frame, whose convex hull is the part (a round one to 1 % of its radius)."""
        found: np.ndarray = rotate(self.quaternion, self._own_points()) + self.at
        return found

    def _own_points(self) -> np.ndarray:
        if self.kind == "mesh":
            assert self.vertices is not None
            return np.asarray(self.vertices, dtype=float)
        if self.kind == "box":
            corners = np.array(np.meshgrid((-0.5, 0.5), (-0.5, 0.5), (-0.5, 0.5))).reshape(3, -1).T
            return np.asarray(corners * self.lengths["size"])
        if self.kind in ("sphere", "ellipsoid"):
            axes = self.lengths.get("semi_axes") or [self.lengths["radius"]] * 3
            return np.asarray(_ball() * axes)
        radius, half = self.lengths["radius"], 0.5 * self.lengths["length"]
        if self.kind == "capsule":
            ball, end = radius * _ball(), np.array([0.0, 0.0, half])
            return np.vstack([ball + end, ball - end])
        ends = [np.column_stack([radius * _CIRCLE, np.full(len(_CIRCLE), z)]) for z in (-half, half)]
        return np.vstack(ends)


def _ball() -> np.ndarray:
    """Points (k, 3) on the unit sphere."""
    layers = []
    for angle in np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9):
        layers.append(np.column_stack([np.cos(angle) * _CIRCLE, np.full(len(_CIRCLE), np.sin(angle))]))
    return np.vstack(layers)


def surface(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) m and triangles (m, 3), looking outwards, of a part in its frame, for viewers that know nothing else."""
    if part.kind == "mesh":
        assert part.triangles is not None
        return part.outline().astype(np.float32), part.triangles.astype(np.uint32)
    from scipy.spatial import ConvexHull

    points = part.outline()
    hull = ConvexHull(points)
    used, places = np.unique(hull.simplices, return_inverse=True)
    vertices, triangles = points[used], places.reshape(-1, 3)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inwards = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return vertices.astype(np.float32), triangles.astype(np.uint32)
