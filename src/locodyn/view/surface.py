"""Parts and rods as triangles, for viewers that know nothing else."""

from __future__ import annotations

import numpy as np

from locodyn.view.parts import Part

SIDES = 12


def surface(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) m and triangles (m, 3), looking outwards, of a part in its frame."""
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


def tube(centre: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a tube about a centre line (s, 3) m with radii (s,) m, closed at both ends.

    Sections are carried along the line without twisting (parallel transport).
    """
    tangents = np.gradient(centre, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    helper = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    first = np.empty_like(centre)
    first[0] = np.cross(helper, tangents[0])
    for k in range(1, len(centre)):
        first[k] = first[k - 1] - (first[k - 1] @ tangents[k]) * tangents[k]
        first[k] /= np.linalg.norm(first[k])
    first[0] /= np.linalg.norm(first[0])
    second = np.cross(tangents, first)
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)[:, None]
    rings = np.cos(angles) * first[:, None] + np.sin(angles) * second[:, None]
    skin = (centre[:, None] + radius[:, None, None] * rings).reshape(-1, 3)
    return np.vstack([skin, centre[[0, -1]]]).astype(np.float32), tube_triangles(len(centre))


def tube_triangles(sections: int) -> np.ndarray:
    """Triangles (m, 3) of a tube of so many sections."""
    i, j = np.meshgrid(np.arange(sections - 1), np.arange(SIDES), indexing="ij")
    a, b = (i * SIDES + j).ravel(), (i * SIDES + (j + 1) % SIDES).ravel()
    around, last, end = np.arange(SIDES), (sections - 1) * SIDES, sections * SIDES
    beside = (around + 1) % SIDES
    faces = [
        np.column_stack([a, b, b + SIDES]),
        np.column_stack([a, b + SIDES, a + SIDES]),
        np.column_stack([np.full(SIDES, end), beside, around]),
        np.column_stack([np.full(SIDES, end + 1), last + around, last + beside]),
    ]
    return np.vstack(faces).astype(np.uint32)
