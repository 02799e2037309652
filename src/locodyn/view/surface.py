"""Parts as triangles, for viewers that know nothing else."""

from __future__ import annotations

import numpy as np

from locodyn.view.parts import Part


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
