"""Gap functions of cylinders with flat ends: of round things on them, of their rims on planes, solids and terrain, of two sides.

A cylinder has its centre at the origin of its axes r, its axis along z, and ``size`` = (radius, radius, half length). A *rim* is
the circle at one of its ends. Two convex solids touch where a rim of one is on the other, or where two sides cross.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sincos, sqrt
from locodyn.kernel.vector import add, cross, dot, rotate_back, scale, subtract
from locodyn.record import codes
from locodyn.world.ellipsoid_gaps import from_ellipsoid
from locodyn.world.gaps import (
    closest_on_segments,
    depth_in_box,
    nearest_in_box,
    over_edge,
    search_range,
    touching_points,
    unit,
    way_out,
)
from locodyn.world.terrain_gaps import terrain_gap

RIM_ON = codes("box", "ellipsoid", "cylinder", "terrain")
_TINY = 1e-300
_BISECTIONS = 55
_LEVEL = 1e-11  # slope per length below which a segment is level, and a rim flush with a plane
_KINK = 1e-6  # slope on both sides of the deepest point of a rim, per radius, where it is under an edge
_SAMPLES = 16  # of a rim, before its nearest point is bisected
_TURN = 6.283185307179586


@compiled(inline=True)
def from_box(x, half):
    """(signed distance, outer unit normal) of the point x from the box |x_i| <= half_i; negative inside."""
    n, distance = unit(subtract(x, nearest_in_box(x, half)), (0.0, 0.0, 1.0))
    if depth_in_box(x, half) > 0.0:
        n, depth, _, _ = way_out(x, x, half, False)
        distance = -depth
    return distance, n


@compiled(inline=True)
def side_and_end(x, size):
    """(distance from the side, its normal, distance from the nearer end, its normal) of the point x, each negative inside."""
    out, across = unit((x[0], x[1], 0.0), (1.0, 0.0, 0.0))
    return across - size[0], out, abs(x[2]) - size[2], (0.0, 0.0, 1.0 if x[2] >= 0.0 else -1.0)


@compiled(inline=True)
def from_cylinder(x, size):
    """(signed distance, outer unit normal) of the point x from the cylinder: a box in the half plane of x and the axis."""
    beside, out, above, up = side_and_end(x, size)
    if beside > 0.0 and above > 0.0:
        n, distance = unit(add(scale(beside, out), scale(above, up)), out)
        return distance, n
    if beside > above:
        return beside, out
    return above, up


@compiled
def distance_from(kind, x, size, heights, first, nx, ny, spacing, origin_x, origin_y):
    """(signed distance, outer unit normal) of the point x from a solid, in its axes, or from terrain."""
    if kind == RIM_ON.box:
        return from_box(x, size)
    if kind == RIM_ON.ellipsoid:
        return from_ellipsoid(x, size)
    if kind == RIM_ON.cylinder:
        return from_cylinder(x, size)
    gap, _, n = terrain_gap(x, 0.0, heights, first, nx, ny, spacing, origin_x, origin_y)
    return gap, n


@compiled
def nearest_on_cylinder(x0, d, low, high, size):
    """Parameter s in [low, high] at which x0 + s d is nearest to the cylinder, or deepest in it; the middle, where it is level.

    The signed distance is convex along the segment: the two ends of the part on which its slope n . d vanishes are bisected.
    """
    level = _LEVEL * sqrt(dot(d, d))
    ends = 0.0
    for side in range(2):
        left = low
        right = high
        for _ in range(_BISECTIONS):
            s = 0.5 * (left + right)
            _, n = from_cylinder(add(x0, scale(s, d)), size)
            slope = dot(n, d)
            if slope > level or (side == 0 and slope >= -level):
                right = s
            else:
                left = s
        ends += 0.5 * (left + right)
    return 0.5 * ends


@compiled
def round_cylinder_gap(a0, a1, radius, endless, r, centre, size):
    """A round thing against a cylinder: (gap, point of the round thing, point of the cylinder, normal to the round thing).

    The segment from a0 to a1 is a whole line where ``endless``. Where it runs under a rim, both faces are equally near, and the
    way out is perpendicular to segment and rim, see :func:`~locodyn.world.gaps.over_edge`.
    """
    x = rotate_back(r, subtract(a0, centre))
    d = subtract(rotate_back(r, subtract(a1, centre)), x)
    if dot(d, d) > _TINY:
        low, high = search_range(x, d, endless, size)
        x = add(x, scale(nearest_on_cylinder(x, d, low, high, size), d))
    distance, n = from_cylinder(x, size)
    beside, out, above, up = side_and_end(x, size)
    if distance < 0.0 and abs(beside - above) < 1e-9 * (size[0] + size[2]) and dot(out, d) * dot(up, d) < 0.0:
        distance, n, x = over_edge(distance, out, up, d, x)
    return touching_points(distance, n, x, radius, r, centre)


@compiled(inline=True)
def rim_plane_gap(centre, r, radius, origin, normal):
    """Rim about the z axis of r on a half-space: (gap, its lowest point); a rim that is flush takes its x axis."""
    axis = (r[2], r[5], r[8])
    down = subtract(scale(dot(normal, axis), axis), normal)
    lead = (r[0], r[3], r[6])
    if dot(down, down) > _LEVEL * _LEVEL:
        lead, _ = unit(down, lead)
    point = add(centre, scale(radius, lead))
    return dot(subtract(point, origin), normal), point


@compiled(late=(1, 3, 3, 3))
def rim_gap(
    kind, centre, r, radius, other_r, other_centre, size, heights, first, nx, ny, spacing, origin_x, origin_y
):  # fmt: skip
    """Rim about the z axis of r on a solid, or on terrain: (gap, point of the rim, point of the other, normal to the rim).

    The nearest of 16 points of the rim, then the slope of the signed distance along it bisected between its neighbours.
    """
    at = rotate_back(other_r, subtract(centre, other_centre))
    ex = scale(radius, rotate_back(other_r, (r[0], r[3], r[6])))
    ey = scale(radius, rotate_back(other_r, (r[1], r[4], r[7])))
    best = 1e300
    angle = 0.0
    for k in range(_SAMPLES):
        s, c = sincos(k * (_TURN / _SAMPLES))
        x = add(at, add(scale(c, ex), scale(s, ey)))
        distance, n = distance_from(kind, x, size, heights, first, nx, ny, spacing, origin_x, origin_y)
        if distance < best:
            best = distance
            angle = k * (_TURN / _SAMPLES)
    left = angle - _TURN / _SAMPLES
    right = angle + _TURN / _SAMPLES
    x = at
    n = (0.0, 0.0, 1.0)
    distance = best
    for _ in range(_BISECTIONS):
        angle = 0.5 * (left + right)
        s, c = sincos(angle)
        x = add(at, add(scale(c, ex), scale(s, ey)))
        distance, n = distance_from(kind, x, size, heights, first, nx, ny, spacing, origin_x, origin_y)
        slope = dot(n, subtract(scale(c, ey), scale(s, ex)))
        if abs(slope) <= 1e-16 * radius:
            break
        if slope > 0.0:
            right = angle
        else:
            left = angle
    if distance < 0.0 and kind != RIM_ON.terrain:  # under an edge the normals on both sides of it differ
        s, c = sincos(left)
        _, n_left = distance_from(
            kind, add(at, add(scale(c, ex), scale(s, ey))), size, heights, first, nx, ny, spacing, origin_x, origin_y
        )
        s, c = sincos(right)
        _, n_right = distance_from(
            kind, add(at, add(scale(c, ex), scale(s, ey))), size, heights, first, nx, ny, spacing, origin_x, origin_y
        )
        d = subtract(scale(c, ey), scale(s, ex))
        if dot(n_left, d) < -_KINK * radius and dot(n_right, d) > _KINK * radius:
            distance, n, x = over_edge(distance, n_left, n_right, d, x)
    return touching_points(distance, n, x, 0.0, other_r, other_centre)


@compiled
def sides_gap(a, axes_a, size_a, b, axes_b, size_b):
    """The sides of two cylinders, which cross: (gap, point of a, point of b, normal from b to a).

    Where the nearest points of the axes are at an end, a rim is nearer: then the sides count as farther apart by both diameters.
    A small gap would not do: contacts that look ahead take what is near for something that is about to close.
    """
    along_a = scale(size_a[2], (axes_a[2], axes_a[5], axes_a[8]))
    along_b = scale(size_b[2], (axes_b[2], axes_b[5], axes_b[8]))
    a0 = subtract(a, along_a)
    b0 = subtract(b, along_b)
    s, t = closest_on_segments(a0, add(a, along_a), b0, add(b, along_b), False)
    ca = add(a0, scale(2.0 * s, along_a))
    cb = add(b0, scale(2.0 * t, along_b))
    n, distance = unit(subtract(ca, cb), unit(cross(along_a, along_b), (0.0, 0.0, 1.0))[0])
    gap = distance - size_a[0] - size_b[0]
    if not (0.0 < s < 1.0 and 0.0 < t < 1.0):
        gap += 2.0 * (size_a[0] + size_b[0])
    return gap, subtract(ca, scale(size_a[0], n)), add(cb, scale(size_b[0], n)), n
