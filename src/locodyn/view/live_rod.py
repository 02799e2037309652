"""A rod on a viser server: a row of short cylinders along its centre line, coloured by its curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.rods import Rod

if TYPE_CHECKING:
    from locodyn.view.scene import Sampler

FINER = 2  # cylinders for each piece between two places of the result
OVERLAP = 1.12  # length of a cylinder over that of its piece, so that bends have no gaps
SIDES = 16
PLAIN = (20, 120, 95)


class LiveRod:
    """The node of one rod; ``show`` moves it. ``span``: least and largest value of the colours, 1/m."""

    def __init__(self, api: Any, name: str, rod: Rod, span: tuple[float, float], opacity: float | None) -> None:
        from matplotlib import colormaps

        self._rod, self._span = rod, span
        self._shades = np.round(255.0 * colormaps["cividis"](np.linspace(0.0, 1.0, 256))[:, :3]).astype(np.uint8)
        vertices, triangles = cylinder()
        turns, places, scales = pieces(rod.centre[0], rod.radius[0])
        self.node = api.add_batched_meshes_simple(
            name, vertices, triangles, turns, places, batched_scales=scales, batched_colors=self._colours(self._first()),
            lod="off", opacity=opacity, cast_shadow=opacity is None,
        )  # fmt: skip

    def _first(self) -> np.ndarray | None:
        return None if self._rod.scalar is None else self._rod.scalar[0]

    def _colours(self, values: np.ndarray | None) -> np.ndarray:
        count = FINER * (self._rod.centre.shape[1] - 1)
        if values is None:
            return np.tile(np.array(PLAIN, dtype=np.uint8), (count, 1))
        share = (finer(values[:, None])[:, 0] - self._span[0]) / (self._span[1] - self._span[0] or 1.0)
        middle = 0.5 * (share[1:] + share[:-1])
        return np.asarray(self._shades[np.clip(255.0 * middle, 0.0, 255.0).astype(int)])

    def show(self, at: Sampler) -> None:
        """Move it to the instant of a sampler."""
        turns, places, scales = pieces(at.linear(self._rod.centre)[0], at.linear(self._rod.radius)[0])
        self.node.batched_wxyzs, self.node.batched_positions, self.node.batched_scales = turns, places, scales
        if self._rod.scalar is not None:
            self.node.batched_colors = self._colours(at.linear(self._rod.scalar)[0])


def segments(points: np.ndarray) -> np.ndarray:
    """Pieces (k - 1, 2, 3) of a line through points (k, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)


def cylinder() -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a cylinder of radius 1 and length 1 along z, closed at both ends."""
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    low, high = (np.column_stack([ring, np.full(SIDES, z)]) for z in (-0.5, 0.5))
    vertices = np.vstack([low, high, [[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]])
    a = np.arange(SIDES)
    b = (a + 1) % SIDES
    sides = [np.column_stack([a, b, b + SIDES]), np.column_stack([a, b + SIDES, a + SIDES])]
    ends = [
        np.column_stack([b, a, np.full(SIDES, 2 * SIDES)]),
        np.column_stack([a + SIDES, b + SIDES, np.full(SIDES, 2 * SIDES + 1)]),
    ]
    return vertices.astype(np.float32), np.vstack([*sides, *ends]).astype(np.uint32)


def finer(values: np.ndarray) -> np.ndarray:
    """Values (k, m) at equal distances on a curve through them with ``FINER`` times as many pieces (Catmull-Rom)."""
    before, after = (
        np.vstack([2 * values[:1] - values[1:2], values[:-1]]),
        np.vstack([values[1:], 2 * values[-1:] - values[-2:-1]]),
    )
    made = np.empty((FINER * (len(values) - 1) + 1, values.shape[1]))
    made[::FINER] = values
    slope = 0.5 * (after - before)
    for i in range(1, FINER):
        u = i / FINER
        h = (2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, -2 * u**3 + 3 * u**2, u**3 - u**2)
        made[i::FINER] = h[0] * values[:-1] + h[1] * slope[:-1] + h[2] * values[1:] + h[3] * slope[1:]
    return made


def pieces(centre: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Quaternions (k, 4), places (k, 3) m and scales (k, 3) m of the cylinders along a centre line (s, 3) m."""
    line = finer(centre)
    thick = finer(radius[:, None])[:, 0]
    along = np.diff(line, axis=0)
    lengths = np.linalg.norm(along, axis=1)
    unit = along / np.maximum(lengths, 1e-12)[:, None]
    # the shortest turn from z to the direction: (1 + z.u, z x u), normalised; half a turn about x where u = -z
    turns = np.column_stack([1.0 + unit[:, 2], -unit[:, 1], unit[:, 0], np.zeros(len(unit))])
    turns[turns[:, 0] < 1e-9] = (0.0, 1.0, 0.0, 0.0)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    across = 0.5 * (thick[1:] + thick[:-1])
    return turns, 0.5 * (line[1:] + line[:-1]), np.column_stack([across, across, OVERLAP * lengths])
