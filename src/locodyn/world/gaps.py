"""Gap functions: how far apart two surfaces are, where they are closest, and the normal there.

One side is *round*: the points within a radius of a segment (a ball, where the segment is a point; a point, where the radius is
zero). The other side is a plane, another round thing or a box; terrain is in :mod:`locodyn.world.terrain_gaps`, ellipsoids are in
:mod:`locodyn.world.ellipsoid_gaps` and :mod:`locodyn.world.ellipsoid_solids`, cylinders with flat ends in
:mod:`locodyn.world.cylinder_gaps`. All of it in world axes. The gap is negative in penetration; the normal points from the other
side to the round one.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, dot, rotate, rotate_back, scale, subtract
from locodyn.record import codes

# What a pair is. A round thing on a plane (a ball), another one, a box, terrain (a ball), an ellipsoid, a cylinder; a support; an
# ellipsoid on a plane, box, terrain, cylinder, another one; the rim of a cylinder on a plane, box, cylinder, terrain; two sides.
# Last the stops of hinges and slides, see locodyn.world.joint_stops.
PAIR = codes(
    "plane", "round", "box", "terrain", "round_ellipsoid", "round_cylinder", "support",
    "ellipsoid", "ellipsoid_box", "ellipsoid_terrain", "ellipsoid_cylinder", "ellipsoids",
    "rim_plane", "rim_box", "rim_cylinder", "rim_terrain", "sides",
    "stop_turn", "stop_slide",
)  # fmt: skip
_TINY = 1e-300
_ACROSS = (1.0, 0.0, 0.0)  # sideways of z: the normal where two centres coincide
_BISECTIONS = 60
_EDGE = 1e-6  # part of the size of a box within which a point is at its edge
_CROSSES = 1e-12  # product of the slopes to two faces, beyond which a line crosses their edge: otherwise it is along it


@compiled(inline=True)
def clipped(x, low, high):
    """x kept within [low, high]."""
    return min(max(x, low), high)


@compiled(inline=True)
def unit(x, otherwise):
    """(x / |x|, |x|), or ``otherwise`` where x vanishes."""
    length = sqrt(dot(x, x))
    if length > _TINY:
        return scale(1.0 / length, x), length
    return otherwise, length


@compiled(inline=True)
def sideways(axis):
    """A unit vector perpendicular to the unit vector ``axis``."""
    lead = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0)
    n, _ = unit(subtract(lead, scale(dot(lead, axis), axis)), lead)
    return n


@compiled(inline=True)
def plane_gap(centre, radius, origin, normal):
    """Ball against a half-space: gap, point of the ball that is closest."""
    return dot(subtract(centre, origin), normal) - radius, subtract(centre, scale(radius, normal))


@compiled(inline=True)
def closest_on_segments(a0, a1, b0, b1, endless):
    """Parameters (s, t) in [0, 1] of the closest points of the segments a0 a1 and b0 b1; t is unbounded where ``endless``.

    Parallel segments: the middle of their overlap (Ericson 2005, 5.1.9).
    """
    da = subtract(a1, a0)
    db = subtract(b1, b0)
    r = subtract(a0, b0)
    aa = dot(da, da)
    bb = dot(db, db)
    rb = dot(db, r)
    ra = dot(da, r)
    if aa <= _TINY and bb <= _TINY:
        return 0.0, 0.0
    if aa <= _TINY:
        t = rb / bb
        return 0.0, t if endless else clipped(t, 0.0, 1.0)
    if bb <= _TINY:
        return clipped(-ra / aa, 0.0, 1.0), 0.0
    ab = dot(da, db)
    denominator = aa * bb - ab * ab
    if denominator > 1e-14 * aa * bb:
        s = clipped((ab * rb - ra * bb) / denominator, 0.0, 1.0)
    else:  # parallel: the middle of the part of a that lies beside b
        if endless:
            s = 0.5
        else:
            first = clipped(-ra / aa, 0.0, 1.0)
            last = clipped((ab - ra) / aa, 0.0, 1.0)
            s = 0.5 * (first + last)
    t = (ab * s + rb) / bb
    if not endless:
        if t < 0.0:
            t = 0.0
            s = clipped(-ra / aa, 0.0, 1.0)
        elif t > 1.0:
            t = 1.0
            s = clipped((ab - ra) / aa, 0.0, 1.0)
    return s, t


@compiled(inline=True)
def ball_gap(a, radius_a, b, radius_b):
    """Two balls, as :func:`round_gap`."""
    n, distance = unit(subtract(a, b), _ACROSS)
    return distance - radius_a - radius_b, subtract(a, scale(radius_a, n)), add(b, scale(radius_b, n)), n


@compiled(inline=True)
def round_gap(a0, a1, radius_a, b0, b1, radius_b, endless):
    """Two round things: (gap, point of a, point of b, normal from b to a)."""
    s, t = closest_on_segments(a0, a1, b0, b1, endless)
    ca = add(a0, scale(s, subtract(a1, a0)))
    cb = add(b0, scale(t, subtract(b1, b0)))
    db = subtract(b1, b0)
    axis, _ = unit(db, (0.0, 0.0, 1.0))
    n, distance = unit(subtract(ca, cb), sideways(axis))
    return distance - radius_a - radius_b, subtract(ca, scale(radius_a, n)), add(cb, scale(radius_b, n)), n


@compiled(inline=True)
def search_range(x, d, endless, size):
    """(low, high): where on the segment x + s d a solid within the half lengths ``size`` about the origin is nearest.

    The whole segment; of an ``endless`` line what is within the diagonal of ``size`` of its foot.
    """
    if endless:
        dd = dot(d, d)
        middle = -dot(x, d) / dd
        reach = sqrt(dot(size, size) / dd)
        return middle - reach, middle + reach
    return 0.0, 1.0


@compiled(inline=True)
def touching_points(distance, n, x, radius, r, centre):
    """(gap, point of a round thing, point of a solid, normal) in the world, where x of the segment is at ``distance`` along n.

    n and x are in the axes r of the solid, from its centre.
    """
    n = rotate(r, n)
    x = add(centre, rotate(r, x))
    return distance - radius, subtract(x, scale(radius, n)), subtract(x, scale(distance, n)), n


@compiled(inline=True)
def nearest_in_box(x, half):
    """The point of the box |x_i| <= half_i that is nearest to x, in the axes of the box."""
    return (clipped(x[0], -half[0], half[0]), clipped(x[1], -half[1], half[1]), clipped(x[2], -half[2], half[2]))


@compiled(inline=True)
def depth_in_box(x, half):
    """Distance from the nearest face of a point inside the box; negative outside."""
    return min(half[0] - abs(x[0]), min(half[1] - abs(x[1]), half[2] - abs(x[2])))


@compiled(inline=True)
def face_depth(x, half, face):
    """Distance of x from face 0 .. 5 of the box, positive inside: half_i - x_i, then half_i + x_i."""
    return half[face] - x[face] if face < 3 else half[face - 3] + x[face - 3]


@compiled
def deepest(x0, d, low, high, half):
    """Parameter of the deepest point of the segment x0 + s d inside the box; the middle, where the segment is level.

    The depth is the least of six functions that are linear in s: largest at an end, or where two of them are equal.
    """
    tie = 1e-12 * (half[0] + half[1] + half[2])
    best = -1e300
    first = low
    last = low
    for i in range(6):
        for j in range(i, 6):
            rise = (-d[i] if i < 3 else d[i - 3]) - (-d[j] if j < 3 else d[j - 3])
            s = low if i < 3 else high  # of i = j: the ends
            if i != j:
                if rise == 0.0:
                    continue
                s = (face_depth(x0, half, j) - face_depth(x0, half, i)) / rise
            if s < low or s > high:
                continue
            depth = depth_in_box(add(x0, scale(s, d)), half)
            if depth > best + tie:
                best = depth
                first = s
                last = s
            elif depth > best - tie:
                best = max(best, depth)
                first = min(first, s)
                last = max(last, s)
    return 0.5 * (first + last)


@compiled(inline=True)
def outward(x, i):
    """Outer normal of the face of a box that is nearest to x along axis i."""
    sign = 1.0 if x[i] >= 0.0 else -1.0
    return (sign if i == 0 else 0.0, sign if i == 1 else 0.0, sign if i == 2 else 0.0)


@compiled(inline=True)
def over_edge(distance, n, m, d, x):
    """(distance, normal, x) of a point x at ``distance`` < 0 of two faces with normals n, m, on a line along d under their edge.

    The normal is perpendicular to d in the plane of n and m, and x moves along d to below the edge, which is at
    -distance (n + m) from it: exact for straight lines and edges, to second order of the depth for rims.
    """
    a = dot(n, d)
    b = dot(m, d)
    x = subtract(x, scale(distance * (a + b) / (a * a + b * b), d))
    n, length = unit(add(scale(b / (b - a), n), scale(a / (a - b), m)), n)
    return distance / length, n, x


@compiled
def way_out(x, d, half, edge):
    """(normal, depth, x, y): the shortest way out of the box for the point x inside it, from x to the point y of its surface.

    Where x is the deepest point of an ``edge`` along d that passes under an edge of the box, two faces are equally near: the way
    out is perpendicular to both edges, between the points at which these are closest, to which x moves along d.
    """
    depths = (half[0] - abs(x[0]), half[1] - abs(x[1]), half[2] - abs(x[2]))
    first = 0
    for i in range(1, 3):
        if depths[i] < depths[first]:
            first = i
    second = (first + 1) % 3
    if depths[(first + 2) % 3] < depths[second]:
        second = (first + 2) % 3
    n = outward(x, first)
    depth = depths[first]
    if edge and depths[second] - depth < 1e-9 * (half[0] + half[1] + half[2]):
        m = outward(x, second)
        if dot(n, d) * dot(m, d) < -_CROSSES * dot(d, d):
            distance, n, x = over_edge(-depth, n, m, d, x)
            depth = -distance
    return n, depth, x, add(x, scale(depth, n))


@compiled
def at_edge(x, d, half, n, distance, body):
    """(normal, distance) of a point x at an edge or a corner of the box, by which of its faces the body is: that farthest out.

    A corner on an edge, or two edges that coincide, have as many normals as faces meet there, and round-off would choose one:
    boxes whose edges are aligned would not carry each other. Edges along d that cross have one normal, and keep it.
    """
    tie = _EDGE * (half[0] + half[1] + half[2])
    if abs(distance) > tie:
        return n, distance
    best = -1
    near = 0
    for i in range(3):
        if abs(half[i] - abs(x[i])) <= tie:
            near += 1
            if best < 0 or abs(body[i]) - half[i] > abs(body[best]) - half[best]:
                best = i
    if near < 2:
        return n, distance
    face = outward(x, best)
    for i in range(3):
        if i != best and abs(half[i] - abs(x[i])) <= tie:
            if dot(face, d) * dot(outward(x, i), d) < -_CROSSES * dot(d, d):
                return n, distance
    return face, abs(x[best]) - half[best]


@compiled
def box_gap(a0, a1, radius, endless, r, centre, half, body):
    """A round thing against a box with axes r: (gap, point of the round thing, point of the box, normal from box to round).

    The squared distance of a point of the segment from the box is convex along the segment: its derivative is bisected.
    Where the segment runs through the box, its deepest point is pushed out through the nearest face, or over the nearest edge.
    ``body``: a point of the body that the round thing belongs to, for :func:`at_edge`.
    """
    x0 = rotate_back(r, subtract(a0, centre))
    x1 = rotate_back(r, subtract(a1, centre))
    d = subtract(x1, x0)
    dd = dot(d, d)
    low, high = search_range(x0, d, endless, half)
    s = 0.5 * (low + high)
    if dd > _TINY:
        left = low
        right = high
        for _ in range(_BISECTIONS):
            s = 0.5 * (left + right)
            x = add(x0, scale(s, d))
            slope = dot(subtract(x, nearest_in_box(x, half)), d)
            if slope > 0.0:
                right = s
            elif slope < 0.0:
                left = s
            else:
                break
    x = add(x0, scale(s, d))
    y = nearest_in_box(x, half)
    n, distance = unit(subtract(x, y), (0.0, 0.0, 1.0))
    if distance <= 1e-14 * (half[0] + half[1] + half[2]):
        if dd > _TINY:
            s = deepest(x0, d, low, high, half)
            x = add(x0, scale(s, d))
        n, depth, x, y = way_out(x, d, half, dd > _TINY)
        distance = -depth
    if radius == 0.0:
        n, distance = at_edge(x, d, half, n, distance, rotate_back(r, subtract(body, centre)))
    n = rotate(r, n)
    x = add(centre, rotate(r, x))
    return distance - radius, subtract(x, scale(radius, n)), add(centre, rotate(r, y)), n
