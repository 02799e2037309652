"""The pairs of surfaces that can touch, one for each point at which a contact can be, and the gap between them."""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle, columns
from locodyn.kernel.vector import add, dot, load3, load9, multiply, rotate, scale, store3, subtract
from locodyn.record import codes
from locodyn.robot.friction import FRICTION_LAWS
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.world.cylinder_gaps import RIM_ON, rim_gap, rim_plane_gap, round_cylinder_gap, sides_gap
from locodyn.world.ellipsoid_gaps import ellipsoid_gap, ellipsoid_round_gap
from locodyn.world.ellipsoid_solids import ellipsoid_box_gap, ellipsoid_cylinder_gap, ellipsoid_terrain_gap, ellipsoids_gap
from locodyn.world.gaps import PAIR, ball_gap, box_gap, plane_gap, round_gap, sideways, unit
from locodyn.world.joint_stops import stop_gap
from locodyn.world.terrain_gaps import terrain_gap

LAW_CODES = {name: code for code, name in enumerate(FRICTION_LAWS)}
FRICTION = codes("coulomb", "rectangle", "regularised", "arctan", "viscous")
_UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class PairArrays(Bundle):
    """All n pairs. The first side is round, an ellipsoid, a rim or the side of a cylinder; the other one is anything."""

    read_only = True

    kind: np.ndarray  # (n,) int64, see locodyn.world.gaps
    frame: np.ndarray  # (n,) int64, of the first side; -1: the world
    other: np.ndarray  # (n,) int64, of the other side; -1: the world
    first: np.ndarray = columns(3)  # (n, 3) m: first end of the first side's axis, or its centre, in its frame
    last: np.ndarray = columns(3)  # (n, 3) m: last end of that axis
    radius: np.ndarray  # (n,) m
    endless: np.ndarray  # (n,) int64: 1 where the axis has no ends
    own_axes: np.ndarray = columns(9)  # (n, 9) rotation of an ellipsoid, a rim or the side of a cylinder in its frame
    own_half: np.ndarray = columns(3)  # (n, 3) m, half lengths of it
    lean: np.ndarray  # (n,) m by which the gap of a point of the flat end of a cylinder grows where the cylinder leans
    other_first: np.ndarray = columns(3)  # (n, 3) m: the other side's first end or centre, or a point of a plane
    other_last: np.ndarray = columns(3)  # (n, 3) m: its last end, or the normal of a plane
    other_radius: np.ndarray  # (n,) m
    other_axes: np.ndarray = columns(9)  # (n, 9)
    other_half: np.ndarray = columns(3)  # (n, 3) m
    heights: np.ndarray  # m, of all terrains
    first_height: np.ndarray  # (n,) int64: where those of the pair begin
    heights_x: np.ndarray  # (n,) int64: how many there are along x
    heights_y: np.ndarray  # (n,) int64
    spacing: np.ndarray  # (n,) m
    origin: np.ndarray = columns(2)  # (n, 2) m; of a stop: which side it is on, and its slack in rad
    restitution: np.ndarray  # (n,)
    friction_law: np.ndarray  # (n,) int64: COULOMB to VISCOUS
    friction_forward: np.ndarray  # (n,)
    friction_backward: np.ndarray  # (n,)
    friction_across: np.ndarray  # (n,)
    friction_rolling: np.ndarray  # (n,) m
    friction_spinning: np.ndarray  # (n,) m
    friction_speed: np.ndarray  # (n,) m/s, of smooth laws
    load: np.ndarray  # (n,) N, of a support
    direction: np.ndarray = columns(3)  # (n, 3) forward, in the frame of the robot's surface


@compiled(inline=True)
def placed(poses, k, x):
    """A point of frame k (-1: the world) in the world."""
    if k < 0:
        return x
    return add(load3(poses, k, POSITION), rotate(load9(poses, k, ROTATION), x))


@compiled(inline=True)
def turned(poses, k, r):
    """A rotation in frame k (-1: the world) in world axes."""
    if k < 0:
        return r
    return multiply(load9(poses, k, ROTATION), r)


@compiled(inline=True)
def forward_axis(pairs, poses, n, frame, normal):
    """Forward of pair n on the ``frame`` of the robot: the direction of its surface in the tangent plane, and its length there.

    Any direction, and length 0, where that of the surface is along the normal.
    """
    lead = rotate(load9(poses, frame, ROTATION), load3(pairs.direction, n, 0))
    flat = subtract(lead, scale(dot(lead, normal), normal))
    if dot(flat, flat) > 1e-12:
        return unit(flat, lead)
    return sideways(normal), 0.0


@compiled(inline=True)
def pair_gap(pairs, poses, n):
    """(gap in m, contact point, unit normal) of pair n, world axes; the normal points to the first side.

    The point lies on the surface of the robot, and midway between the surfaces of two bodies. A cylinder stands on the points of
    its flat ends, but rolls on its rims alone: where its axis a is off the normal n, these are lean (1 - |a . n|) farther.
    """
    kind = pairs.kind[n]
    # What is asked most is inlined: a call of all the other kinds takes ten times as long.
    if kind == PAIR.round and are_balls(pairs, n):
        return balls_gap(pairs, poses, n)
    if kind != PAIR.plane and kind != PAIR.support:
        return curved_gap(pairs, poses, n)
    frame = pairs.frame[n]
    a0 = placed(poses, frame, load3(pairs.first, n, 0))
    if kind == PAIR.support:
        return -1.0, a0, (0.0, 0.0, 1.0)
    normal = load3(pairs.other_last, n, 0)
    gap, point = plane_gap(a0, pairs.radius[n], load3(pairs.other_first, n, 0), normal)
    if pairs.lean[n] > 0.0:
        gap += leaning(pairs, poses, n, frame, normal)
    return gap, point, normal


@compiled(inline=True)
def are_balls(pairs, n):
    """Whether both sides of a pair of round things are balls, with axes of no length."""
    for j in range(3):
        if pairs.first[n, j] != pairs.last[n, j] or pairs.other_first[n, j] != pairs.other_last[n, j]:
            return False
    return pairs.lean[n] == 0.0


@compiled(inline=True)
def balls_gap(pairs, poses, n):
    """:func:`pair_gap` of two balls."""
    frame, other = pairs.frame[n], pairs.other[n]
    centre = placed(poses, frame, load3(pairs.first, n, 0))
    other_centre = placed(poses, other, load3(pairs.other_first, n, 0))
    gap, a, b, normal = ball_gap(centre, pairs.radius[n], other_centre, pairs.other_radius[n])
    return gap, between_sides(frame, other, a, b), normal


@compiled(inline=True)
def between_sides(frame, other, a, b):
    """Where a pair touches: the point of the side that moves, or between both."""
    if frame < 0:
        return b
    if other < 0:
        return a
    return scale(0.5, add(a, b))


@compiled
def pair_gaps(pairs, poses, rows, gaps, points, normals):
    """:func:`pair_gap` of the pairs ``rows`` (k,) into ``gaps`` (k,), ``points`` (k, 3) and ``normals`` (k, 3)."""
    for i in range(rows.shape[0]):
        gaps[i], point, normal = pair_gap(pairs, poses, rows[i])
        store3(points, i, 0, point)
        store3(normals, i, 0, normal)


@compiled
def leaning(pairs, poses, n, frame, normal):
    """lean (1 - |a . n|), m."""
    axes = turned(poses, frame, load9(pairs.own_axes, n, 0))
    return pairs.lean[n] * (1.0 - abs(dot((axes[2], axes[5], axes[8]), normal)))


@compiled(late=(1, 3, 3))
def curved_gap(pairs, poses, n):
    """As :func:`pair_gap`, of all kinds but points on planes and supports."""
    gap, point, normal = nearest_gap(pairs, poses, n)
    if pairs.lean[n] > 0.0:
        gap += leaning(pairs, poses, n, pairs.frame[n], normal)
    return gap, point, normal


@compiled(inline=True)
def nearest_gap(pairs, poses, n):
    """As :func:`curved_gap`, without regard to how a cylinder leans."""
    kind = pairs.kind[n]
    frame = pairs.frame[n]
    other = pairs.other[n]
    a0 = placed(poses, frame, load3(pairs.first, n, 0))
    if kind == PAIR.terrain:
        return terrain_gap(
            a0, pairs.radius[n], pairs.heights, pairs.first_height[n], pairs.heights_x[n], pairs.heights_y[n], pairs.spacing[n],
            pairs.origin[n, 0], pairs.origin[n, 1],
        )  # fmt: skip
    if kind >= PAIR.stop_turn:
        return stop_gap(
            kind == PAIR.stop_turn, load9(poses, frame, ROTATION), load3(poses, frame, POSITION),
            turned(poses, other, load9(pairs.other_axes, n, 0)), placed(poses, other, load3(pairs.other_first, n, 0)),
            pairs.first[n, 0], pairs.origin[n, 0], pairs.origin[n, 1],
        )  # fmt: skip
    gap = 0.0
    a = a0
    b = a0
    normal = a0
    if kind == PAIR.round:
        a1 = placed(poses, frame, load3(pairs.last, n, 0))
        b0 = placed(poses, other, load3(pairs.other_first, n, 0))
        b1 = placed(poses, other, load3(pairs.other_last, n, 0))
        gap, a, b, normal = round_gap(a0, a1, pairs.radius[n], b0, b1, pairs.other_radius[n], pairs.endless[n] != 0)
    elif kind < PAIR.support:
        a1 = placed(poses, frame, load3(pairs.last, n, 0))
        centre = placed(poses, other, load3(pairs.other_first, n, 0))
        axes = turned(poses, other, load9(pairs.other_axes, n, 0))
        half = load3(pairs.other_half, n, 0)
        endless = pairs.endless[n] != 0
        if kind == PAIR.box:
            body = load3(poses, frame, POSITION) if frame >= 0 else a0
            gap, a, b, normal = box_gap(a0, a1, pairs.radius[n], endless, axes, centre, half, body)
        elif kind == PAIR.round_cylinder:
            gap, a, b, normal = round_cylinder_gap(a0, a1, pairs.radius[n], endless, axes, centre, half)
        else:
            gap, a, b, normal = ellipsoid_round_gap(a0, a1, pairs.radius[n], endless, axes, centre, half)
    else:
        gap, a, b, normal = solid_gap(pairs, poses, n, a0)
    return gap, between_sides(frame, other, a, b), normal


@compiled(late=(1, 3, 3, 3))
def solid_gap(pairs, poses, n, centre):
    """(gap, point of the first side, of the other one, normal) of pair n, whose first side is an ellipsoid, a rim or a side."""
    kind = pairs.kind[n]
    axes = turned(poses, pairs.frame[n], load9(pairs.own_axes, n, 0))
    size = load3(pairs.own_half, n, 0)
    radius = pairs.radius[n]
    b0 = placed(poses, pairs.other[n], load3(pairs.other_first, n, 0))
    if kind == PAIR.ellipsoid:
        normal = load3(pairs.other_last, n, 0)
        gap, point = ellipsoid_gap(axes, centre, size, b0, normal)
        return gap, point, point, normal
    if kind == PAIR.rim_plane:
        normal = load3(pairs.other_last, n, 0)
        gap, point = rim_plane_gap(centre, axes, radius, b0, normal)
        return gap, point, point, normal
    first = pairs.first_height[n]
    nx = pairs.heights_x[n]
    ny = pairs.heights_y[n]
    spacing = pairs.spacing[n]
    x0 = pairs.origin[n, 0]
    y0 = pairs.origin[n, 1]
    half = load3(pairs.other_half, n, 0)
    if kind == PAIR.ellipsoid_terrain:
        gap, point, normal = ellipsoid_terrain_gap(axes, centre, size, pairs.heights, first, nx, ny, spacing, x0, y0)
        return gap, point, point, normal
    if kind == PAIR.rim_terrain:
        return rim_gap(RIM_ON.terrain, centre, axes, radius, _UPRIGHT, b0, half, pairs.heights, first, nx, ny, spacing, x0, y0)
    other = turned(poses, pairs.other[n], load9(pairs.other_axes, n, 0))
    if kind == PAIR.rim_box:
        return rim_gap(RIM_ON.box, centre, axes, radius, other, b0, half, pairs.heights, first, nx, ny, spacing, x0, y0)
    if kind == PAIR.rim_cylinder:
        return rim_gap(RIM_ON.cylinder, centre, axes, radius, other, b0, half, pairs.heights, first, nx, ny, spacing, x0, y0)
    if kind == PAIR.ellipsoid_box:
        return ellipsoid_box_gap(axes, centre, size, other, b0, half)
    if kind == PAIR.ellipsoid_cylinder:
        return ellipsoid_cylinder_gap(axes, centre, size, other, b0, half, pairs.heights)
    if kind == PAIR.ellipsoids:
        return ellipsoids_gap(axes, centre, size, other, b0, half)
    return sides_gap(centre, axes, size, b0, other, half)
