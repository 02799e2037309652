"""What a robot stands on: the polygon of its contacts, the centre of pressure, and how far both are from tipping.

Of contacts at points p_i with normal forces N_i > 0 (Aguirre 2010, 1.2; Vukobratovic, Borovac 2004):

    support polygon = convex hull of the p_i,      centre of pressure = sum N_i p_i / sum N_i.

A posture is statically stable where the mass centre is above the polygon, seen along gravity; a motion is dynamically stable
where the centre of pressure lies inside it, so that no foot begins to turn over an edge. Margins are distances to the edge,
positive inside. On point feet in a plane the polygon is a line between two feet, or one point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError

if TYPE_CHECKING:
    from locodyn.sim.result import Result

_FLAT = 1e-9  # m: a polygon that is thinner is a line, a line that is shorter a point


def support_polygon(points: np.ndarray) -> np.ndarray:
    """Corners (k, 2) m of the convex hull of points (n, 2), counter-clockwise; two of a line, one of a point, none of none.

    >>> support_polygon(np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.1], [1.0, 1.0], [0.0, 1.0]]))
    array([[0., 0.],
           [1., 0.],
           [1., 1.],
           [0., 1.]])
    """
    left = sorted({(float(x), float(y)) for x, y in np.reshape(points, (-1, 2))})
    if len(left) < 3:
        return np.array(left).reshape(-1, 2)

    def chain(sorted_points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """The hull on the right of the way from the first point to the last (Andrew 1979)."""
        kept: list[tuple[float, float]] = []
        for x, y in sorted_points:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > _FLAT * np.hypot(x - ax, y - ay):
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array([*chain(left), *chain(left[::-1])])


def stability_margin(point: np.ndarray, polygon: np.ndarray) -> float:
    """Distance (m) of a point (2,) to the edge of a polygon (k, 2), negative outside; -inf where nothing supports.

    On a line it is the distance to the nearer end, if the point is on the line.
    """
    if not len(polygon):
        return -np.inf
    ends = np.roll(polygon, -1, axis=0)
    way = ends - polygon
    lengths = np.linalg.norm(way, axis=1)
    part = np.clip(np.einsum("ij,ij->i", point - polygon, way) / np.maximum(lengths**2, 1e-300), 0.0, 1.0)
    distance = float(np.linalg.norm(polygon + part[:, None] * way - point, axis=1).min())
    if len(polygon) < 3:
        near = float(np.linalg.norm(polygon - point, axis=1).min())
        return near if distance <= _FLAT else -distance
    turn = way[:, 0] * (point - polygon)[:, 1] - way[:, 1] * (point - polygon)[:, 0]
    return distance if np.all(turn >= 0.0) else -distance


@dataclass(frozen=True)
class Support:
    """What a run stood on: at each record the ``polygons`` (k, 2) m, the mass centre along gravity on the ground and the centre
    of pressure (n, 2) m (NaN without a force), and the margins (n,) m of both.
    """

    time: np.ndarray
    polygons: tuple[np.ndarray, ...]
    mass_centre: np.ndarray
    pressure: np.ndarray
    static_margin: np.ndarray
    dynamic_margin: np.ndarray

    @property
    def statically_stable(self) -> np.ndarray:
        """(n,): the mass centre is above the polygon."""
        return np.asarray(self.static_margin >= 0.0)

    @property
    def dynamically_stable(self) -> np.ndarray:
        """(n,): the centre of pressure is inside the polygon, or on its edge."""
        return np.asarray(self.dynamic_margin >= -_FLAT)


def support(result: Result, contacts: Sequence[str] | None = None, height: float = 0.0) -> Support:
    """What the run of a robot on level ground stood on, from its contact points and forces.

    ``contacts``: names of those that count, by default all. ``height`` (m) of the ground. A contact supports the robot where its
    force presses, F_z > 0.
    """
    data = result.dataset
    if "contact_point" not in data or "contact_force" not in data:
        raise InputError(f"the run of '{data.attrs.get('scenario', 'the robot')}' has no contacts; a support needs their forces.")
    known = [str(name) for name in data.contact.values]
    for name in contacts or ():
        if name not in known:
            raise InputError(f"there is no contact '{name}' in the run; it has {', '.join(known)}.")
    chosen = [known.index(name) for name in contacts or known]
    points, force = (data[name].values[:, chosen] for name in ("contact_point", "contact_force"))
    gravity = np.asarray(data.attrs["gravity"], dtype=float)
    centre = data.mass_centre.values
    if not gravity[2] < 0.0:
        raise InputError("nothing stands without gravity towards -z; a support needs it.")
    below = centre[:, :2] - (centre[:, 2] - height)[:, None] * gravity[:2] / gravity[2]
    normal = force[..., 2]
    presses = normal > 0.0
    polygons = tuple(support_polygon(p[on, :2]) for p, on in zip(points, presses, strict=True))
    total = normal.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        weighted = np.einsum("nc,ncx->nx", normal, np.where(np.isfinite(points[..., :2]), points[..., :2], 0.0))
        pressure = np.where(total[:, None] > 0.0, weighted / total[:, None], np.nan)
    static, dynamic = (
        np.array([stability_margin(p, polygon) for p, polygon in zip(places, polygons, strict=True)])
        for places in (below, np.where(np.isfinite(pressure), pressure, np.inf))
    )
    return Support(data.time.values, polygons, below, pressure, static, dynamic)
