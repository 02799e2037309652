"""Gap functions: how far apart two surfaces are, where they are closest, and the normal there.

One side is *round*: the points within a radius of a segment (a ball, where the segment is a point; a point, where the radius is
zero) or an ellipsoid. The other side is a plane, another round thing, a box, or terrain. All of it in world axes. The gap is
negative in penetration; the normal points from the other side to the round one.
"""

from __future__ import annotations

from locodyn.kernel import kernel, sqrt, step
from locodyn.kernel.vector import add, dot, rotate, rotate_back, scale, subtract

PLANE, ROUND, BOX, TERRAIN, ELLIPSOID, SUPPORT = range(6)
_TINY = 1e-300
_BISECTIONS = 60
_FOOT_STEPS = 30


@step
def clipped(x, low, high):
    """x kept within [low, high]."""
    return min(max(x, low), high)


@step
def unit(x, otherwise):
    """(x / |x|, |x|), or ``otherwise`` where x vanishes."""
    length = sqrt(dot(x, x))
    if length > _TINY:
        return scale(1.0 / length, x), length
    return otherwise, length


@kernel
def sideways(axis):
    """A unit vector perpendicular to the unit vector ``axis``."""
    lead = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0)
    n, _ = unit(subtract(lead, scale(dot(lead, axis), axis)), lead)
    return n


@step
def plane_gap(centre, radius, origin, normal):
    """Ball against a half-space: gap, point of the ball that is closest."""
    return dot(subtract(centre, origin), normal) - radius, subtract(centre, scale(radius, normal))


@kernel
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


@kernel
def round_gap(a0, a1, radius_a, b0, b1, radius_b, endless):
    """Two round things: (gap, point of a, point of b, normal from b to a)."""
    s, t = closest_on_segments(a0, a1, b0, b1, endless)
    ca = add(a0, scale(s, subtract(a1, a0)))
    cb = add(b0, scale(t, subtract(b1, b0)))
    db = subtract(b1, b0)
    axis, _ = unit(db, (0.0, 0.0, 1.0))
    n, distance = unit(subtract(ca, cb), sideways(axis))
    return distance - radius_a - radius_b, subtract(ca, scale(radius_a, n)), add(cb, scale(radius_b, n)), n


@step
def nearest_in_box(x, half):
    """The point of the box |x_i| <= half_i that is nearest to x, in the axes of the box."""
    return (clipped(x[0], -half[0], half[0]), clipped(x[1], -half[1], half[1]), clipped(x[2], -half[2], half[2]))


@step
def depth_in_box(x, half):
    """Distance from the nearest face of a point inside the box; negative outside."""
    return min(half[0] - abs(x[0]), min(half[1] - abs(x[1]), half[2] - abs(x[2])))


@kernel
def deepest(x0, d, low, high, half):
    """Parameter of the deepest point of the segment x0 + s d inside the box, by golden section: the depth is concave."""
    left = low
    right = high
    for _ in range(_BISECTIONS):
        a = left + 0.38196601125010515 * (right - left)
        b = left + 0.6180339887498949 * (right - left)
        rise = depth_in_box(add(x0, scale(b, d)), half) - depth_in_box(add(x0, scale(a, d)), half)
        if rise > 1e-12 * half[0]:
            left = a
        elif rise < -1e-12 * half[0]:
            right = b
        else:  # level between them
            left = a
            right = b
    return 0.5 * (left + right)


@step
def outward(x, i):
    """Outer normal of the face of a box that is nearest to x along axis i."""
    sign = 1.0 if x[i] >= 0.0 else -1.0
    return (sign if i == 0 else 0.0, sign if i == 1 else 0.0, sign if i == 2 else 0.0)


@kernel
def way_out(x, d, half, edge):
    """(normal, depth): the shortest way out of the box for the point x inside it.

    Where x is the deepest point of an ``edge`` along d that passes under an edge of the box, two faces are equally near: the way
    out is perpendicular to both edges, the mean of the two normals that d is perpendicular to.
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
    if edge and depths[second] - depths[first] < 1e-9 * (half[0] + half[1] + half[2]):
        m = outward(x, second)
        a = dot(n, d)
        b = dot(m, d)
        if a * b < 0.0:
            n, length = unit(add(scale(b / (b - a), n), scale(a / (a - b), m)), n)
            return n, depths[first] / length
    return n, depths[first]


@kernel
def box_gap(a0, a1, radius, endless, r, centre, half):
    """A round thing against a box with axes r: (gap, point of the round thing, point of the box, normal from box to round).

    The squared distance of a point of the segment from the box is convex along the segment: its derivative is bisected.
    Where the segment runs through the box, its deepest point is pushed out through the nearest face; the depth is concave.
    """
    x0 = rotate_back(r, subtract(a0, centre))
    x1 = rotate_back(r, subtract(a1, centre))
    d = subtract(x1, x0)
    dd = dot(d, d)
    low = 0.0
    high = 1.0
    if endless:
        middle = -dot(x0, d) / dd
        reach = sqrt(dot(half, half) / dd)
        low = middle - reach
        high = middle + reach
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
        n, depth = way_out(x, d, half, dd > _TINY)
        y = add(x, scale(depth, n))
        distance = -depth
    n = rotate(r, n)
    x = add(centre, rotate(r, x))
    return distance - radius, subtract(x, scale(radius, n)), add(centre, rotate(r, y)), n


@step
def ellipsoid_gap(r, centre, semi_axes, origin, normal):
    """Ellipsoid with axes r against a half-space: (gap, its lowest point), by the support point -D^2 n / |D n|."""
    n = rotate_back(r, normal)
    dn = (semi_axes[0] * n[0], semi_axes[1] * n[1], semi_axes[2] * n[2])
    _, length = unit(dn, n)
    lowest = (-semi_axes[0] * dn[0] / length, -semi_axes[1] * dn[1] / length, -semi_axes[2] * dn[2] / length)
    point = add(centre, rotate(r, lowest))
    return dot(subtract(point, origin), normal), point


@step
def cubic(a, b, c, d, t):
    """Catmull-Rom through b (t = 0) and c (t = 1): (value, slope, curvature)."""
    k1 = 0.5 * (c - a)
    k2 = a - 2.5 * b + 2.0 * c - 0.5 * d
    k3 = 0.5 * (d - a) + 1.5 * (b - c)
    return b + t * (k1 + t * (k2 + t * k3)), k1 + t * (2.0 * k2 + 3.0 * t * k3), 2.0 * k2 + 6.0 * t * k3


@kernel
def terrain_height(heights, first, nx, ny, spacing, x, y):
    """h and its derivatives (h, hx, hy, hxx, hxy, hyy) at (x, y) m from the origin; heights[first + i ny + j]."""
    u = clipped(x / spacing, 0.0, nx - 1.0)
    v = clipped(y / spacing, 0.0, ny - 1.0)
    i = min(int(u), nx - 2)
    j = min(int(v), ny - 2)
    s = u - i
    t = v - j
    value = (0.0, 0.0, 0.0, 0.0)
    slope = (0.0, 0.0, 0.0, 0.0)
    bend = (0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        row = first + min(max(i - 1 + k, 0), nx - 1) * ny
        f, fy, fyy = cubic(
            heights[row + min(max(j - 1, 0), ny - 1)],
            heights[row + j],
            heights[row + j + 1],
            heights[row + min(j + 2, ny - 1)],
            t,
        )
        value = (value[1], value[2], value[3], f)
        slope = (slope[1], slope[2], slope[3], fy)
        bend = (bend[1], bend[2], bend[3], fyy)
    h, hx, hxx = cubic(value[0], value[1], value[2], value[3], s)
    hy, hxy, _ = cubic(slope[0], slope[1], slope[2], slope[3], s)
    hyy, _, _ = cubic(bend[0], bend[1], bend[2], bend[3], s)
    k = 1.0 / spacing
    inside_x = 1.0 if 0.0 < x < spacing * (nx - 1) else 0.0
    inside_y = 1.0 if 0.0 < y < spacing * (ny - 1) else 0.0
    hx *= k * inside_x
    hy *= k * inside_y
    return h, hx, hy, hxx * k * k * inside_x, hxy * k * k * inside_x * inside_y, hyy * k * k * inside_y


@kernel
def terrain_gap(centre, radius, heights, first, nx, ny, spacing, origin_x, origin_y):
    """Ball against terrain: (gap, point of the ball, normal), from the foot of the perpendicular: (c - x) + (c_z - h) grad h = 0.

    Newton's method from the point below the centre; its steps are halved until the distance falls.
    """
    cx = centre[0] - origin_x
    cy = centre[1] - origin_y
    x = cx
    y = cy
    h, hx, hy, hxx, hxy, hyy = terrain_height(heights, first, nx, ny, spacing, x, y)
    for _ in range(_FOOT_STEPS):
        d = centre[2] - h
        fx = (x - cx) - d * hx  # half the gradient of the squared distance
        fy = (y - cy) - d * hy
        if fx * fx + fy * fy < 1e-28 * (1.0 + d * d):
            break
        kxx = 1.0 + hx * hx - d * hxx
        kyy = 1.0 + hy * hy - d * hyy
        kxy = hx * hy - d * hxy
        determinant = kxx * kyy - kxy * kxy
        if determinant > 1e-12 and kxx > 0.0:
            sx = -(kyy * fx - kxy * fy) / determinant
            sy = -(kxx * fy - kxy * fx) / determinant
        else:
            sx = -fx / (1.0 + hx * hx + abs(d * hxx))
            sy = -fy / (1.0 + hy * hy + abs(d * hyy))
        before = (x - cx) * (x - cx) + (y - cy) * (y - cy) + d * d
        share = 1.0
        for _ in range(20):
            nh, nhx, nhy, nhxx, nhxy, nhyy = terrain_height(heights, first, nx, ny, spacing, x + share * sx, y + share * sy)
            rx = x + share * sx - cx
            ry = y + share * sy - cy
            if rx * rx + ry * ry + (centre[2] - nh) * (centre[2] - nh) <= before:
                break
            share *= 0.5
        x += share * sx
        y += share * sy
        h, hx, hy, hxx, hxy, hyy = nh, nhx, nhy, nhxx, nhxy, nhyy
    n, _ = unit((-hx, -hy, 1.0), (0.0, 0.0, 1.0))
    gap = dot((cx - x, cy - y, centre[2] - h), n) - radius
    return gap, subtract(centre, scale(radius, n)), n
