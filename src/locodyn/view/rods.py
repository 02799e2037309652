"""Rods of a scene: tubes about the centre lines of a result, coloured by their curvature or stretch; outlines in a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locodyn.view.quaternions import rotate

if TYPE_CHECKING:
    from locodyn.sim import Result

CORNER = 0.15  # rad: centre lines that turn by more between two places are drawn through more of them
FINEST = 6  # at most so many pieces for one
STRAIGHT = 1e-6  # of a turn over the length of a rod: less is no bending
THIN = 0.004  # smallest radius that is drawn, as a share of the length of the rod


@dataclass(frozen=True, eq=False)
class Rod:
    """A deformable rod: centre line (n, s, 3) m, radius (n, s) m, and a quantity (n, s) along it that colours it."""

    name: str
    centre: np.ndarray
    radius: np.ndarray
    scalar: np.ndarray | None = None
    scalar_label: str = ""


@dataclass(frozen=True, eq=False)
class Tendon:
    """A thread through points (n, k, 3) m."""

    name: str
    points: np.ndarray


def tendons_of(result: Result, portrait: dict[str, Any], at: Any) -> tuple[Tendon, ...]:
    """Tendons and chambers of the rods: p(s) + R(s) D(s), with poses between two recorded places by straight lines."""
    if "rod_orientation" not in result.dataset:
        return ()
    centre, axes = at.linear(result.rod_position.values), at.linear(result.rod_orientation.values)
    names = [str(name) for name in result.rod.values]
    found = []
    for rod in portrait.get("rods", ()):
        k = names.index(rod["name"])
        for strand in rod.get("strands", ()):
            share = np.array(strand["s"]) / rod["length"] * (centre.shape[2] - 1)
            left = np.minimum(share.astype(int), centre.shape[2] - 2)
            right = (share - left)[:, None]
            place = (1.0 - right) * centre[:, k, left] + right * centre[:, k, left + 1]
            first, second = axes[:, k, left], axes[:, k, left + 1]
            second = second * np.sign(np.sum(first * second, axis=-1, keepdims=True))  # the same side of the sphere
            turned = (1.0 - right) * first + right * second
            turned = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
            offset = np.pad(np.array(strand["offset"]), ((0, 0), (1, 0)))
            found.append(Tendon(strand["name"], place + rotate(turned, offset)))
    return tuple(found)


def ties_of(result: Result, portrait: dict[str, Any], at: Any) -> tuple[Tendon, ...]:
    """Cables and springs: threads from point to point of bodies, of rods at their abscissas, and of the world."""
    bodies = [str(name) for name in result.body.values]
    lengths = {rod["name"]: rod["length"] for rod in portrait.get("rods", ())}
    found = []
    for tie in portrait.get("ties", ()):
        way = []
        for body, place, s in tie["points"]:
            point = np.broadcast_to(np.array(place), (len(at.instants), 3))
            if body is not None and s is None:
                k = bodies.index(body)
                turned = at.quaternions(result.body_orientation.values[:, k])
                point = at.linear(result.body_position.values[:, k]) + rotate(turned, point)
            elif body is not None:
                k = int(np.flatnonzero(result.rod.values == body)[0])
                centre, axes = (at.linear(one.values[:, k]) for one in (result.rod_position, result.rod_orientation))
                share = s / lengths[body] * (centre.shape[1] - 1)
                left = min(int(share), centre.shape[1] - 2)
                turned = axes[:, left] if share - left < 0.5 else axes[:, left + 1]
                turned = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
                point = (left + 1 - share) * centre[:, left] + (share - left) * centre[:, left + 1] + rotate(turned, point)
            way.append(point)
        found.append(Tendon(tie["name"], np.stack(way, axis=1)))
    return tuple(found)


def rods_of(result: Result, portrait: dict[str, Any], at: Any) -> tuple[Rod, ...]:
    """The rods of a result at the instants of a sampler, coloured by the bending sqrt(kappa_y^2 + kappa_z^2), 1/m; where none
    bends, by their stretch.
    """
    if "rod_position" not in result.dataset:
        return ()
    looks = {rod["name"]: rod for rod in portrait.get("rods", ())}
    centre, strain = at.linear(result.rod_position.values), result.rod_strain.values
    bending = at.linear(np.linalg.norm(strain[..., 4:], axis=-1))  # between records a mean of sizes: one of directions is less
    bent = float(bending.max(initial=0.0)) * _longest(centre) > STRAIGHT
    colour, label = (bending, "curvature (1/m)") if bent else (at.linear(strain[..., 0]), "stretch")
    found = []
    for k, name in enumerate(map(str, result.rod.values)):
        line = centre[:, k]
        length = float(np.linalg.norm(np.diff(line[0], axis=0), axis=1).sum())
        if "rod_radius" in result.dataset:
            radius = np.nan_to_num(at.linear(result.rod_radius.values)[:, k])
        else:
            radii = np.array(looks[name]["radius"] if name in looks else [0.0, 0.0])
            even = np.interp(np.linspace(0.0, 1.0, line.shape[1]), np.linspace(0.0, 1.0, len(radii)), radii)
            radius = np.tile(even, (len(line), 1))
        parts = _parts(line)
        line, radius, shade = (_between(values, parts) for values in (line, np.maximum(radius, THIN * length), colour[:, k]))
        shade = np.clip(shade, np.nanmin(colour[:, k]), np.nanmax(colour[:, k]))  # a spline swings beyond its values
        found.append(Rod(name, line, radius, shade, label))
    return tuple(found)


def _longest(centre: np.ndarray) -> float:
    """Length of the longest rod at the first instant, m; ``centre`` (n, rods, s, 3)."""
    return float(np.linalg.norm(np.diff(centre[0], axis=1), axis=2).sum(axis=1).max(initial=0.0))


def _parts(line: np.ndarray) -> int:
    """Into how many pieces each stretch between two places is cut so that a centre line (n, s, 3) has no corners."""
    ways = np.diff(line, axis=1)
    ways = ways / np.maximum(np.linalg.norm(ways, axis=2, keepdims=True), 1e-300)
    cosines = np.sum(ways[:, 1:] * ways[:, :-1], axis=2)
    corner = float(np.arccos(np.clip(cosines.min(initial=1.0), -1.0, 1.0)))
    return min(FINEST, max(1, int(np.ceil(corner / CORNER))))


def _between(values: np.ndarray, parts: int) -> np.ndarray:
    """Values (n, s, ...) at ``parts`` times as many places, by a cubic spline."""
    if parts == 1 or not np.isfinite(values).all():
        return values
    from scipy.interpolate import CubicSpline

    places = values.shape[1]
    return np.asarray(CubicSpline(np.arange(places), values, axis=1)(np.linspace(0.0, places - 1, parts * (places - 1) + 1)))


def farthest(rods: tuple[Rod, ...]) -> np.ndarray:
    """Points (k, 3) m of the rods that lie farthest along the axes, over all instants."""
    points = [rod.centre.reshape(-1, 3) for rod in rods]
    return np.vstack([cloud[pick(axis=0)] for cloud in points for pick in (cloud.argmin, cloud.argmax)] or [np.zeros((0, 3))])


def strip(rod: Rod, instant: int, plane: tuple[int, int]) -> np.ndarray:
    """Polygon (2 s, 2) m of the rod, seen across a coordinate plane: its centre line widened by its radius."""
    line = rod.centre[instant][:, plane]
    along = np.gradient(line, axis=0)
    lengths = np.linalg.norm(along, axis=1, keepdims=True)
    along = np.divide(along, lengths, out=np.tile([1.0, 0.0], (len(line), 1)), where=lengths > 0.0)
    across = rod.radius[instant][:, None] * np.column_stack([-along[:, 1], along[:, 0]])
    return np.vstack([line + across, (line - across)[::-1]])
