"""One row for each point at which a contact can be: its columns, and the gap that follows from them."""

from __future__ import annotations

from locodyn.kernel import kernel, routine, step
from locodyn.kernel.vector import add, dot, load3, load9, multiply, rotate, scale
from locodyn.robot.friction import FRICTION_LAWS
from locodyn.shape.kinematics import POSITION, ROTATION
from locodyn.world.cylinder_gaps import (
    ON_BOX,
    ON_CYLINDER,
    ON_TERRAIN,
    rim_gap,
    rim_plane_gap,
    round_cylinder_gap,
    sides_gap,
)
from locodyn.world.ellipsoid_gaps import ellipsoid_gap, ellipsoid_round_gap
from locodyn.world.ellipsoid_solids import ellipsoid_box_gap, ellipsoid_cylinder_gap, ellipsoid_terrain_gap, ellipsoids_gap
from locodyn.world.gaps import (
    BOX,
    ELLIPSOID,
    ELLIPSOID_BOX,
    ELLIPSOID_CYLINDER,
    ELLIPSOID_TERRAIN,
    ELLIPSOIDS,
    PLANE,
    RIM_BOX,
    RIM_CYLINDER,
    RIM_PLANE,
    RIM_TERRAIN,
    ROUND,
    ROUND_CYLINDER,
    SUPPORT,
    TERRAIN,
    box_gap,
    plane_gap,
    round_gap,
)
from locodyn.world.terrain_gaps import terrain_gap

# pairs[n, column], int64. FRAME, OTHER: frames of the first side and of the other one, -1 for the world.
KIND, FRAME, OTHER, ENDLESS, LAW, HEIGHTS, NX, NY = range(8)
PAIR_COLUMNS = 8
# data[n, column]. First side: ends of its segment (or its centre) and radius, in its frame. Other side: two points (plane: point
# and normal), radius, rotation and half lengths, in its frame. Then restitution, friction, its forward direction, load, terrain;
# rotation and half lengths of the first side, where that is an ellipsoid, a rim or the side of a cylinder; of a point of the flat
# end of a cylinder, m by which its gap grows where the cylinder leans.
A0, A1, RADIUS_A, B0, B1, RADIUS_B, AXES, HALF = 0, 3, 6, 7, 10, 13, 14, 23
RESTITUTION, FORWARD, BACKWARD, ACROSS, ROLLING, SPINNING, SPEED, LOAD, DIRECTION = 26, 27, 28, 29, 30, 31, 32, 33, 34
SPACING, ORIGIN_X, ORIGIN_Y, OWN_AXES, OWN_HALF, LEAN = 37, 38, 39, 40, 49, 52
PAIR_DATA = 53
LAW_CODES = {name: code for code, name in enumerate(FRICTION_LAWS)}
COULOMB, RECTANGLE, REGULARISED, ARCTAN, VISCOUS = range(5)
_UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@step
def placed(poses, k, x):
    """A point of frame k (-1: the world) in the world."""
    if k < 0:
        return x
    return add(load3(poses, k, POSITION), rotate(load9(poses, k, ROTATION), x))


@step
def turned(poses, k, r):
    """A rotation in frame k (-1: the world) in world axes."""
    if k < 0:
        return r
    return multiply(load9(poses, k, ROTATION), r)


@step
def pair_gap(pairs, data, heights, poses, n):
    """(gap in m, contact point, unit normal) of pair n, world axes; the normal points to the side of FRAME.

    The point lies on the surface of the robot, and midway between the surfaces of two bodies. A cylinder stands on the points of
    its flat ends, but rolls on its rims alone: where its axis a is off the normal n, these are LEAN (1 - |a . n|) farther.
    """
    kind = pairs[n, KIND]
    if kind != PLANE and kind != SUPPORT:
        return curved_gap(pairs, data, heights, poses, n)
    # What is asked most is inlined: a call of all the other kinds takes ten times as long.
    frame = pairs[n, FRAME]
    a0 = placed(poses, frame, load3(data, n, A0))
    if kind == SUPPORT:
        return -1.0, a0, (0.0, 0.0, 1.0)
    normal = load3(data, n, B1)
    gap, point = plane_gap(a0, data[n, RADIUS_A], load3(data, n, B0), normal)
    if data[n, LEAN] > 0.0:
        gap += leaning(data, poses, n, frame, normal)
    return gap, point, normal


@kernel
def leaning(data, poses, n, frame, normal):
    """LEAN (1 - |a . n|), m."""
    axes = turned(poses, frame, load9(data, n, OWN_AXES))
    return data[n, LEAN] * (1.0 - abs(dot((axes[2], axes[5], axes[8]), normal)))


@routine
def curved_gap(pairs, data, heights, poses, n):
    """As :func:`pair_gap`, of all kinds but points on planes and supports."""
    gap, point, normal = nearest_gap(pairs, data, heights, poses, n)
    if data[n, LEAN] > 0.0:
        gap += leaning(data, poses, n, pairs[n, FRAME], normal)
    return gap, point, normal


@kernel
def nearest_gap(pairs, data, heights, poses, n):
    """As :func:`curved_gap`, without regard to how a cylinder leans."""
    kind = pairs[n, KIND]
    frame = pairs[n, FRAME]
    other = pairs[n, OTHER]
    a0 = placed(poses, frame, load3(data, n, A0))
    if kind == TERRAIN:
        return terrain_gap(
            a0, data[n, RADIUS_A], heights, pairs[n, HEIGHTS], pairs[n, NX], pairs[n, NY], data[n, SPACING], data[n, ORIGIN_X],
            data[n, ORIGIN_Y],
        )  # fmt: skip
    gap = 0.0
    a = a0
    b = a0
    normal = a0
    if kind == ROUND:
        a1 = placed(poses, frame, load3(data, n, A1))
        b0 = placed(poses, other, load3(data, n, B0))
        b1 = placed(poses, other, load3(data, n, B1))
        gap, a, b, normal = round_gap(a0, a1, data[n, RADIUS_A], b0, b1, data[n, RADIUS_B], pairs[n, ENDLESS] != 0)
    elif kind < SUPPORT:
        a1 = placed(poses, frame, load3(data, n, A1))
        centre = placed(poses, other, load3(data, n, B0))
        axes = turned(poses, other, load9(data, n, AXES))
        half = load3(data, n, HALF)
        endless = pairs[n, ENDLESS] != 0
        if kind == BOX:
            gap, a, b, normal = box_gap(a0, a1, data[n, RADIUS_A], endless, axes, centre, half)
        elif kind == ROUND_CYLINDER:
            gap, a, b, normal = round_cylinder_gap(a0, a1, data[n, RADIUS_A], endless, axes, centre, half)
        else:
            gap, a, b, normal = ellipsoid_round_gap(a0, a1, data[n, RADIUS_A], endless, axes, centre, half)
    else:
        gap, a, b, normal = solid_gap(pairs, data, heights, poses, n, a0)
    if frame < 0:
        return gap, b, normal
    if other < 0:
        return gap, a, normal
    return gap, scale(0.5, add(a, b)), normal


@routine
def solid_gap(pairs, data, heights, poses, n, centre):
    """(gap, point of the first side, of the other one, normal) of pair n, whose first side is an ellipsoid, a rim or a side."""
    kind = pairs[n, KIND]
    axes = turned(poses, pairs[n, FRAME], load9(data, n, OWN_AXES))
    size = load3(data, n, OWN_HALF)
    radius = data[n, RADIUS_A]
    b0 = placed(poses, pairs[n, OTHER], load3(data, n, B0))
    if kind == ELLIPSOID:
        normal = load3(data, n, B1)
        gap, point = ellipsoid_gap(axes, centre, size, b0, normal)
        return gap, point, point, normal
    if kind == RIM_PLANE:
        normal = load3(data, n, B1)
        gap, point = rim_plane_gap(centre, axes, radius, b0, normal)
        return gap, point, point, normal
    first = pairs[n, HEIGHTS]
    nx = pairs[n, NX]
    ny = pairs[n, NY]
    spacing = data[n, SPACING]
    x0 = data[n, ORIGIN_X]
    y0 = data[n, ORIGIN_Y]
    half = load3(data, n, HALF)
    if kind == ELLIPSOID_TERRAIN:
        gap, point, normal = ellipsoid_terrain_gap(axes, centre, size, heights, first, nx, ny, spacing, x0, y0)
        return gap, point, point, normal
    if kind == RIM_TERRAIN:
        return rim_gap(ON_TERRAIN, centre, axes, radius, _UPRIGHT, b0, half, heights, first, nx, ny, spacing, x0, y0)
    other = turned(poses, pairs[n, OTHER], load9(data, n, AXES))
    if kind == RIM_BOX:
        return rim_gap(ON_BOX, centre, axes, radius, other, b0, half, heights, first, nx, ny, spacing, x0, y0)
    if kind == RIM_CYLINDER:
        return rim_gap(ON_CYLINDER, centre, axes, radius, other, b0, half, heights, first, nx, ny, spacing, x0, y0)
    if kind == ELLIPSOID_BOX:
        return ellipsoid_box_gap(axes, centre, size, other, b0, half)
    if kind == ELLIPSOID_CYLINDER:
        return ellipsoid_cylinder_gap(axes, centre, size, other, b0, half, heights)
    if kind == ELLIPSOIDS:
        return ellipsoids_gap(axes, centre, size, other, b0, half)
    return sides_gap(centre, axes, size, b0, other, half)
