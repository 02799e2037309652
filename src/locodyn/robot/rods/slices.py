"""The slices of a rod in the compiled robot.

They end at the nodes of the rod, where its inertia is (:mod:`locodyn.robot.rods.nodes`), at its tip, and wherever something is
attached. Within a slice the pose is a step of a space integrator (:mod:`locodyn.robot.rods.space`), by default one exponential
with the strains at two Gauss points (Magnus expansion of order 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.rods.nodes import Slice
from locodyn.robot.rods.rod import Rod
from locodyn.robot.rods.space import SPACES, Space, halved, pose_over

_CLOSE = 1e-9  # of the length: places nearer than that are one
_BEND, _STRETCH = 2.0, 0.1  # rad over the length, and shear or stretch: of the shapes for which slices are halved
_FINE, _FINEST = 8, 1e-13  # parts of a slice whose poses are looked at as exact; accuracy of poses beyond which nothing is asked


def slices(rod: Rod, attachments: Sequence[float]) -> list[Slice]:
    """The slices, in order from the root, with ends at the ``attachments`` (m) too."""
    ends: list[float] = []
    for place in sorted([*(s for s, _ in rod.lumps), *attachments, *rod.joints, rod.length]):
        if place > _CLOSE * rod.length and (not ends or place - ends[-1] > _CLOSE * rod.length):
            ends.append(float(place))
    if rod.space == "adaptive":
        ends = _halved(rod, ends, rod.tolerance)
    elif rod.space == "spectral":
        ends = _halved(rod, ends, max(_unresolved(rod), _FINEST))
    scheme, result, start = SPACES[rod.space], [], 0.0
    for end in ends:
        points = _points(rod, scheme, start, end)
        rest, functions = rod.rest(points), rod.functions(points)
        edges = start + (end - start) * np.concatenate([[0.0], np.cumsum(scheme.shares)])
        edges[-1] = end
        for (left, right), two in zip(pairwise(edges), scheme.weights, strict=True):
            result.append(Slice(float(left), float(right), two @ rest, two @ functions, points, two))
        for node, lump in rod.lumps:
            if abs(node - end) <= _CLOSE * rod.length:
                result[-1] = replace(result[-1], lump=lump)
        start = end
    return result


def _points(rod: Rod, scheme: Space, start: float, end: float) -> np.ndarray:
    """Places (m) of the points of a space integrator in a slice, on its side of jumps of the strain functions."""
    points = start + (end - start) * scheme.points
    return np.clip(points, start + _CLOSE * (end - start), end - _CLOSE * (end - start)) if rod.joints.size else points


def pose_between(rod: Rod, start: float, end: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pose at ``end`` seen from ``start`` (m), one step of the space integrator: (N, 3, 3), (N, 3) for q (N, count)."""
    scheme = SPACES[rod.space]
    return pose_over(scheme, end - start, rod.strain_motion(_points(rod, scheme, start, end), q)[0])


def _halved(rod: Rod, ends: list[float], tolerance: float) -> list[float]:
    """Ends of slices, halved until their error is below the tolerance."""
    shapes = _shapes(rod)
    return halved(lambda start, end: pose_between(rod, start, end, shapes), ends, rod.length, tolerance)


def _shapes(rod: Rod) -> np.ndarray:
    """Coordinates (N, count) for which slices are made fine enough.

    At rest, each mode alone, all at once; 2 rad over the length, stretch and shear of 0.1. Fields are there with amplitude 1, at
    each quarter of a wave.
    """
    size = np.where(np.array(rod.strain_of_mode) < 3, _STRETCH, _BEND / rod.length)
    modes = np.vstack([np.zeros(rod.mode_count), np.diag(size), size / max(1, np.count_nonzero(rod.modes))])
    quarters = [0.25 * n * min(field.span, rod.length) if c == field.name and field.has_phase else 1.0
                for n in range(4) for field in rod.fields for c in field.coordinates]  # fmt: skip
    fields = np.array(quarters).reshape(4, -1)
    return np.hstack([np.repeat(modes, 4, axis=0), np.tile(fields, (len(modes), 1))]) if rod.fields else modes


def _unresolved(rod: Rod) -> float:
    """What the Chebyshev points of a rod miss, over its length: how far the integral of its tangents at them is from the tip."""
    if rod.joints.size:
        raise DescriptionError("A rod with space='spectral' needs smooth strain functions; this one has a piecewise basis.")
    shapes, (places, weights) = _shapes(rod), rod.quadrature_nodes()
    tangents = rod.strain_motion(places, shapes)[0][:, :, :3]
    turn, tip = np.broadcast_to(np.eye(3), (len(shapes), 3, 3)), np.zeros((len(shapes), 3))
    summed, start = weights[0] * tangents[:, 0], 0.0
    for k, end in enumerate(places[1:]):
        for left, right in pairwise(np.linspace(start, end, _FINE + 1)):
            own, way = pose_between(rod, left, right, shapes)
            tip, turn = tip + np.einsum("nij,nj->ni", turn, way), turn @ own
        summed, start = summed + weights[k + 1] * np.einsum("nij,nj->ni", turn, tangents[:, k + 1]), end
    return float(np.max(np.abs(tip - summed))) / rod.length
