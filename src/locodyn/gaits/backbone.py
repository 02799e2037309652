"""Backbone curves: joint angles that put a chain of links on a given curve.

A chain lies on a curve when its joints do: from a point of the curve on, the next joint is where the curve leaves the ball of
one link length about this one. The angles follow from the directions of the links; a joint turns about z by the yaw angle, and
in space then about y by the pitch angle, so that the next link has the direction (cos y cos p, sin y cos p, -sin p) in this one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from locodyn.errors import InputError
from locodyn.gaits.gait import Gait
from locodyn.motion import spline
from locodyn.motion.base import positive

_FINE = 16  # steps of the search in a link
Curve = Callable[[float], Any]


class Backbone(NamedTuple):
    """A chain on a curve."""

    yaw: np.ndarray  # (n - 1,) rad
    pitch: np.ndarray  # (n - 1,) rad
    joints: np.ndarray  # (n + 1, 3) m: the ends of the links
    rotation: np.ndarray  # (3, 3) of the first link: x along it
    places: np.ndarray  # (n + 1,): s of the ends


def fit_backbone(curve: Curve | Any, links: int, length: float, *, start: float = 0.0, up: Any = (0.0, 0.0, 1.0)) -> Backbone:
    """Joint angles of a chain of ``links`` links of ``length`` (m) with its joints on the curve, from s = ``start`` on.

    Parameters
    ----------
    curve : function s -> point (2,) or (3,) m, or points (m, 2) or (m, 3)
        s need not be the arc length; it must be about as long. Points are joined by a cubic spline over their chord lengths.
    up : (3,)
        Which way the z axis of the first link points, as far as its direction allows.
    """
    if not isinstance(links, int) or links < 2:
        raise InputError(f"a chain on a curve has {links!r} links; it must have two or more.")
    size = positive(length, "the length of a link")
    point, end = _as_curve(curve)
    places = [float(start)]
    joints = [point(places[0])]
    for k in range(links):
        places.append(_next(point, places[-1], joints[-1], size, end, k + 1, links))
        joints.append(point(places[-1]))
    ends = np.array(joints)
    along = np.diff(ends, axis=0) / size
    sideways = np.cross(np.asarray(up, dtype=float), along[0])
    if np.linalg.norm(sideways) < 1e-9:
        raise InputError("the first link on the curve points along 'up'; give another 'up'.")
    side = sideways / np.linalg.norm(sideways)
    rotation = first = np.column_stack([along[0], side, np.cross(along[0], side)])
    yaw, pitch = np.zeros(links - 1), np.zeros(links - 1)
    for k, direction in enumerate(along[1:]):
        x, y, z = rotation.T @ direction
        yaw[k], pitch[k] = math.atan2(y, x), -math.asin(max(-1.0, min(1.0, z)))
        (sy, cy), (sp, cp) = (_sincos(yaw[k]), _sincos(pitch[k]))
        rotation = rotation @ np.array([[cy * cp, -sy, cy * sp], [sy * cp, cy, sy * sp], [-sp, 0.0, cp]])
    return Backbone(yaw, pitch, ends, first, np.array(places))


def gait_along(
    curve: Callable[[float, float], Any],
    yaw: Sequence[str],
    pitch: Sequence[str] = (),
    *,
    length: float,
    period: float,
    samples: int = 48,
    start: float = 0.0,
) -> Gait:
    """A gait whose joints follow a moving curve: ``curve(s, t)`` -> point, the same at t and t + ``period`` (s).

    Angles are fitted at ``samples`` times and joined by periodic splines of degree 5.
    """
    span = positive(period, "the period of a gait")
    if not isinstance(samples, int) or samples < 8:
        raise InputError(f"a gait along a curve has {samples!r} samples; it needs 8 or more.")
    times = np.linspace(0.0, span, samples + 1)
    shapes = [fit_backbone(partial(_at, curve, t), len(yaw) + 1, length, start=start) for t in times[:-1]]
    shapes.append(shapes[0])
    if not pitch and max(np.abs(shape.pitch).max() for shape in shapes) > 1e-6:
        raise InputError("the curve leaves the plane, but there are no pitch joints; give their names.")
    angles = {name: np.unwrap([shape.yaw[k] for shape in shapes]) for k, name in enumerate(yaw)}
    angles |= {name: np.unwrap([shape.pitch[k] for shape in shapes]) for k, name in enumerate(pitch)}
    return Gait({name: spline(times, values, degree=5, periodic=True) for name, values in angles.items()}, span)


def _at(curve: Callable[[float, float], Any], t: float, s: float) -> Any:
    """The point s of a moving curve at time t."""
    return curve(s, t)


def _sincos(angle: float) -> tuple[float, float]:
    return math.sin(angle), math.cos(angle)


def _as_curve(curve: Any) -> tuple[Callable[[float], np.ndarray], float]:
    """A function s -> (3,), and where it ends."""
    if callable(curve):
        return lambda s: _point(curve(s)), math.inf
    from scipy.interpolate import CubicSpline

    points = np.array([_point(row) for row in curve])
    if len(points) < 4:
        raise InputError(f"a curve is given by {len(points)} points; it needs 4 or more.")
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (chords > 0.0).all():
        raise InputError("two neighbouring points of a curve are the same; leave one out.")
    line = CubicSpline(np.concatenate([[0.0], np.cumsum(chords)]), points)
    return lambda s: np.asarray(line(s)), float(line.x[-1])


def _point(value: Any) -> np.ndarray:
    row = np.asarray(value, dtype=float)
    if row.shape not in ((2,), (3,)) or not np.isfinite(row).all():
        raise InputError(f"a point of a curve is {value!r}; it must be two or three finite numbers (m).")
    return row if row.shape == (3,) else np.array([*row, 0.0])


def _next(point: Callable[[float], np.ndarray], s: float, here: np.ndarray, size: float, end: float, k: int, links: int) -> float:
    """The first place behind s at which the curve is ``size`` away from ``here``."""
    from scipy.optimize import brentq

    def away(place: float) -> float:
        return float(np.linalg.norm(point(place) - here)) - size

    low = s
    for _ in range(40 * _FINE):
        high = min(low + size / _FINE, end)
        if away(high) >= 0.0:
            return float(brentq(away, low, high, xtol=1e-15, rtol=1e-15))
        if high >= end:
            break
        low = high
    raise InputError(f"the curve ends before the end of link {k} of {links}; give a longer curve, or shorter links.")
