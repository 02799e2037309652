"""What a bicycle looks like: tubes, a saddle and a handlebar, for drawing only."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from locodyn.robot import Box, Capsule, Compound

TUBE, CROWN, HEAD, BAR = 0.016, 0.05, 0.16, 0.32  # m: radius of a tube; heights over the front wheel, along the steer axis
SEAT = (0.24, 0.52)  # m, forward and up of the rear hub, for a rear wheel of 0.3 m
BRACKET = (0.42, -0.03)


def tube(start: Sequence[float], end: Sequence[float], radius: float = TUBE) -> Capsule:
    """A tube between two points (3,) m."""
    way = np.subtract(end, start)
    return Capsule(radius=radius, length=float(np.linalg.norm(way)), axis=way, at=0.5 * np.add(start, end))


def frame_shape(foot: tuple[float, float], tilt: float, wheels: tuple[float, float]) -> Compound:
    """The frame, in axes at the rear hub: ``foot`` (forward, up) m and ``tilt`` rad of the steer axis, radii of both wheels m."""
    scale = wheels[0] / 0.3
    seat, bracket = ((scale * x, 0.0, scale * z) for x, z in (SEAT, BRACKET))
    axis = (-math.sin(tilt), math.cos(tilt))
    low, high = (
        (foot[0] + z * axis[0], 0.0, foot[1] + z * axis[1]) for z in (wheels[1] + CROWN + 0.03, wheels[1] + CROWN + HEAD)
    )
    above = (seat[0], 0.0, seat[2] + 0.08 * scale)
    saddle = Box((0.26 * scale, 0.13 * scale, 0.05 * scale), at=above)
    stays = [tube((0.0, y, 0.0), end, 0.6 * TUBE) for y in (-0.05, 0.05) for end in (bracket, seat)]
    main = [tube(a, b) for a, b in ((bracket, seat), (bracket, low), (seat, high), (low, high))]
    return Compound((*main, *stays, saddle, tube(seat, above, 0.8 * TUBE)))


def fork_shape(offset: float, radius: float) -> Compound:
    """The fork, in axes with z along the steer axis: ``offset`` (m) of the front hub, ``radius`` of the front wheel (m)."""
    crown, bar = radius + CROWN, radius + BAR
    legs = [tube((offset, y, 0.0), (0.0, y, crown), 0.7 * TUBE) for y in (-0.05, 0.05)]
    across = [tube((0.0, -half, z), (0.0, half, z), 0.8 * TUBE) for half, z in ((0.05, crown), (0.26, bar))]
    return Compound((*legs, *across, tube((0.0, 0.0, crown), (0.0, 0.0, bar))))
