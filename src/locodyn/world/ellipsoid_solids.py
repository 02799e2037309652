"""Gap functions of ellipsoids against boxes, cylinders, other ellipsoids and terrain.

The signed distance from an ellipsoid is convex: over another convex solid it has one least value, which is their distance, or
how deep that solid goes into the ellipsoid. It lies where a face of the solid faces the ellipsoid, on an edge, on a rim or on a
side: the least value over these is taken. All in world axes; normals point to the ellipsoid.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, cross, dot, rotate, rotate_back, scale, subtract
from locodyn.world.cylinder_gaps import RIM_ON, rim_gap
from locodyn.world.ellipsoid_gaps import ellipsoid_gap, from_ellipsoid, nearest_along
from locodyn.world.gaps import sideways, unit
from locodyn.world.terrain_gaps import terrain_gap, terrain_height

_STEPS, _HALVINGS = 60, 30
_SETTLED = 1e-14
_SUNK = 0.5  # of the least semi-axis: height of the centre of an ellipsoid above terrain, below which it counts as sunk


@compiled(inline=True)
def component(x, i):
    """x_i of a vector."""
    return x[0] if i == 0 else x[1] if i == 1 else x[2]


@compiled(inline=True)
def along(r, i):
    """Column i of a rotation."""
    return (r[0], r[3], r[6]) if i == 0 else (r[1], r[4], r[7]) if i == 1 else (r[2], r[5], r[8])


@compiled
def ellipsoid_box_gap(r, centre, semi_axes, box_r, box_centre, half):
    """Ellipsoid against a box: (gap, point of the ellipsoid, point of the box, normal from the box).

    A face whose nearest point of the ellipsoid lies over it is the answer; else the nearest or deepest of the 12 edges. With its
    centre inside the box the ellipsoid leaves through the face that is nearest.
    """
    x = rotate_back(box_r, subtract(centre, box_centre))
    inside = abs(x[0]) < half[0] and abs(x[1]) < half[1] and abs(x[2]) < half[2]
    best = -1e300
    point = centre
    normal = (0.0, 0.0, 1.0)
    for i in range(3):
        sign = 1.0 if component(x, i) >= 0.0 else -1.0
        n = scale(sign, along(box_r, i))
        gap, lowest = ellipsoid_gap(r, centre, semi_axes, add(box_centre, scale(component(half, i), n)), n)
        foot = rotate_back(box_r, subtract(lowest, box_centre))
        j = (i + 1) % 3
        k = (i + 2) % 3
        over = abs(component(foot, j)) <= component(half, j) and abs(component(foot, k)) <= component(half, k)
        if (inside or (over and abs(component(x, i)) > component(half, i))) and gap > best:
            best = gap
            point = lowest
            normal = n
    if best > -1e299:
        return best, point, subtract(point, scale(best, normal)), normal
    best = 1e300
    nearest = centre
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        d = rotate_back(r, scale(2.0 * component(half, i), along(box_r, i)))
        for corner in range(4):
            start = subtract(
                add(
                    scale(component(half, j) if corner % 2 else -component(half, j), along(box_r, j)),
                    scale(component(half, k) if corner >= 2 else -component(half, k), along(box_r, k)),
                ),
                scale(component(half, i), along(box_r, i)),
            )
            x0 = rotate_back(r, subtract(add(box_centre, start), centre))
            y = add(x0, scale(nearest_along(x0, d, 0.0, 1.0, semi_axes), d))
            distance, n = from_ellipsoid(y, semi_axes)
            if distance < best:
                best = distance
                nearest = add(centre, rotate(r, y))
                normal = rotate(r, scale(-1.0, n))
    return best, add(nearest, scale(best, normal)), nearest, normal


@compiled(late=(1, 3, 3, 3))
def ellipsoid_cylinder_gap(r, centre, semi_axes, other_r, other_centre, size, heights):
    """Ellipsoid against a cylinder of ``size``: (gap, point of the ellipsoid, point of the cylinder, normal from the cylinder).

    Candidates: the flat end on the side of the ellipsoid, where the nearest point lies over it; the side; the rims.
    """
    axis = along(other_r, 2)
    x = rotate_back(other_r, subtract(centre, other_centre))
    up = scale(1.0 if x[2] >= 0.0 else -1.0, axis)
    gap, lowest = ellipsoid_gap(r, centre, semi_axes, add(other_centre, scale(size[2], up)), up)
    foot = rotate_back(other_r, subtract(lowest, other_centre))
    over = foot[0] * foot[0] + foot[1] * foot[1] <= size[0] * size[0]
    inside = x[0] * x[0] + x[1] * x[1] < size[0] * size[0] and abs(x[2]) < size[2]
    if over and (inside or abs(x[2]) > size[2]):
        return gap, lowest, subtract(lowest, scale(gap, up)), up
    x0 = rotate_back(r, subtract(subtract(other_centre, scale(size[2], axis)), centre))
    d = rotate_back(r, scale(2.0 * size[2], axis))
    s = nearest_along(x0, d, 0.0, 1.0, semi_axes)
    y = add(x0, scale(s, d))
    distance, n = from_ellipsoid(y, semi_axes)
    if 0.0 < s < 1.0:
        normal = rotate(r, scale(-1.0, n))
        at = add(centre, rotate(r, y))
        gap = distance - size[0]
        return gap, add(at, scale(distance, normal)), add(at, scale(size[0], normal)), normal
    best = 1e300
    point = centre
    nearest = centre
    normal = up
    for end in range(2):
        middle = add(other_centre, scale(size[2] if end else -size[2], axis))
        gap, a, b, n = rim_gap(RIM_ON.ellipsoid, middle, other_r, size[0], r, centre, semi_axes, heights, 0, 0, 0, 1.0, 0.0, 0.0)
        if gap < best:
            best = gap
            nearest = a
            point = b
            normal = scale(-1.0, n)
    return best, point, nearest, normal


# ------------------------------------------------------------------------------------------------------------ two ellipsoids
@compiled(inline=True)
def support(r, semi_axes, n):
    """(h, D^2 n / h), h = |D n|: support function of an ellipsoid about the origin, and its farthest point along n."""
    m = rotate_back(r, n)
    dm = (semi_axes[0] * m[0], semi_axes[1] * m[1], semi_axes[2] * m[2])
    h = sqrt(dot(dm, dm))
    far = (semi_axes[0] * dm[0] / h, semi_axes[1] * dm[1] / h, semi_axes[2] * dm[2] / h)
    return h, rotate(r, far)


@compiled(inline=True)
def bend(r, semi_axes, h, far, t):
    """Second derivative of the support function times t: (D^2 t - (far . t) far) / h."""
    m = rotate_back(r, t)
    squared = rotate(
        r, (semi_axes[0] * semi_axes[0] * m[0], semi_axes[1] * semi_axes[1] * m[1], semi_axes[2] * semi_axes[2] * m[2])
    )
    return scale(1.0 / h, subtract(squared, scale(dot(far, t), far)))


@compiled
def widest(n, between, ra, a, rb, b):
    """Normal near n at which f(n) = n . between - h_a(n) - h_b(n) is largest: the signed distance of two ellipsoids.

    Newton's method on the sphere: gradient g = between - far_a - far_b, second derivative on the tangent plane
    -(h_a'' + h_b'') - f; steps are shortened until f grows.
    """
    ha, fa = support(ra, a, n)
    hb, fb = support(rb, b, n)
    value = dot(n, between) - ha - hb
    size = ha + hb
    for _ in range(_STEPS):
        g = subtract(subtract(between, fa), fb)
        t = sideways(n)
        u = cross(n, t)
        gt = dot(g, t)
        gu = dot(g, u)
        if gt * gt + gu * gu < _SETTLED * _SETTLED * size * size:
            break
        bt = add(bend(ra, a, ha, fa, t), bend(rb, b, hb, fb, t))
        bu = add(bend(ra, a, ha, fa, u), bend(rb, b, hb, fb, u))
        floor = max(value, 0.0)  # in penetration only as far as the matrix stays positive
        ktt = dot(t, bt) + value
        ktu = dot(t, bu)
        kuu = dot(u, bu) + value
        if not (ktt > 0.0 and ktt * kuu - ktu * ktu > 1e-6 * ktt * kuu):
            ktt += floor - value
            kuu += floor - value
        determinant = ktt * kuu - ktu * ktu
        st = (kuu * gt - ktu * gu) / determinant
        su = (ktt * gu - ktu * gt) / determinant
        share = 1.0
        grew = False
        for _ in range(_HALVINGS):
            m, _ = unit(add(n, add(scale(share * st, t), scale(share * su, u))), n)
            ma, pa = support(ra, a, m)
            mb, pb = support(rb, b, m)
            if dot(m, between) - ma - mb >= value:
                grew = dot(m, between) - ma - mb > value or share == 1.0
                n = m
                ha, fa, hb, fb = ma, pa, mb, pb
                value = dot(n, between) - ha - hb
                break
            share *= 0.5
        if not grew:
            break
    return value, n


@compiled
def ellipsoids_gap(ra, centre_a, a, rb, centre_b, b):
    """Two ellipsoids: (gap, point of a, point of b, normal from b to a).

    The largest over all directions of what separates them, also in penetration: there from three starts, along the centres and
    along the normals at each other's centre.
    """
    between = subtract(centre_a, centre_b)
    start, _ = unit(between, along(rb, 0))
    gap, n = widest(start, between, ra, a, rb, b)
    if gap < 0.0:
        _, m = from_ellipsoid(rotate_back(rb, between), b)
        other, m = widest(rotate(rb, m), between, ra, a, rb, b)
        if other > gap:
            gap, n = other, m
        _, m = from_ellipsoid(rotate_back(ra, scale(-1.0, between)), a)
        other, m = widest(rotate(ra, scale(-1.0, m)), between, ra, a, rb, b)
        if other > gap:
            gap, n = other, m
    _, fa = support(ra, a, n)
    _, fb = support(rb, b, n)
    return gap, subtract(centre_a, fa), add(centre_b, fb), n


# ----------------------------------------------------------------------------------------------------------------- terrain
@compiled(inline=True)
def curved(x, n, distance, semi_axes, v):
    """Second derivative of the signed distance from an ellipsoid at x times v.

    From x - y = t g, g_i = x_i / (t + a_i^2), n = g / |g|, and the root t of sum (a_i x_i / (t + a_i^2))^2 = 1.
    """
    a = semi_axes
    y = subtract(x, scale(distance, n))
    g = (y[0] / (a[0] * a[0]), y[1] / (a[1] * a[1]), y[2] / (a[2] * a[2]))
    length = sqrt(dot(g, g))
    t = distance / length
    d = (t + a[0] * a[0], t + a[1] * a[1], t + a[2] * a[2])
    p = (a[0] * a[0] * g[0] / d[0], a[1] * a[1] * g[1] / d[1], a[2] * a[2] * g[2] / d[2])
    rate = dot(p, v) / dot(p, g)
    w = ((v[0] - rate * g[0]) / d[0], (v[1] - rate * g[1]) / d[1], (v[2] - rate * g[2]) / d[2])
    return scale(1.0 / length, subtract(w, scale(dot(n, w), n)))


@compiled
def ellipsoid_terrain_gap(r, centre, semi_axes, heights, first, nx, ny, spacing, origin_x, origin_y):
    """Ellipsoid on terrain: (gap, point of the ellipsoid, normal): the point of the surface that is nearest, or deepest in it.

    Newton's method for the least signed distance over (x, y), from below the lowest point of the ellipsoid, with shortened steps.
    With its centre near the surface, or below, the plane through the foot of its centre counts.
    """
    above, _, n = terrain_gap(centre, 0.0, heights, first, nx, ny, spacing, origin_x, origin_y)
    gap, lowest = ellipsoid_gap(r, centre, semi_axes, subtract(centre, scale(above, n)), n)
    if above < _SUNK * min(semi_axes[0], min(semi_axes[1], semi_axes[2])):
        return gap, lowest, n
    x = lowest[0]
    y = lowest[1]
    h, hx, hy, hxx, hxy, hyy = terrain_height(heights, first, nx, ny, spacing, x - origin_x, y - origin_y)
    own = rotate_back(r, subtract((x, y, h), centre))
    distance, n = from_ellipsoid(own, semi_axes)
    for _ in range(_STEPS):
        out = rotate(r, n)
        fx = out[0] + out[2] * hx
        fy = out[1] + out[2] * hy
        if fx * fx + fy * fy < _SETTLED * _SETTLED:
            break
        tx = rotate_back(r, (1.0, 0.0, hx))
        ty = rotate_back(r, (0.0, 1.0, hy))
        cx = curved(own, n, distance, semi_axes, tx)
        cy = curved(own, n, distance, semi_axes, ty)
        kxx = dot(tx, cx) + out[2] * hxx
        kxy = dot(tx, cy) + out[2] * hxy
        kyy = dot(ty, cy) + out[2] * hyy
        determinant = kxx * kyy - kxy * kxy
        if not (kxx > 0.0 and determinant > 1e-9 * kxx * abs(kyy)):  # without the bend of the terrain
            kxx = dot(tx, cx) + abs(out[2] * hxx) + 1e-3
            kyy = dot(ty, cy) + abs(out[2] * hyy) + 1e-3
            kxy = 0.0
            determinant = kxx * kyy
        sx = -(kyy * fx - kxy * fy) / determinant
        sy = -(kxx * fy - kxy * fx) / determinant
        share = 1.0
        fell = False
        for _ in range(_HALVINGS):
            px = x + share * sx
            py = y + share * sy
            nh, nhx, nhy, nhxx, nhxy, nhyy = terrain_height(heights, first, nx, ny, spacing, px - origin_x, py - origin_y)
            new = rotate_back(r, subtract((px, py, nh), centre))
            away, m = from_ellipsoid(new, semi_axes)
            if away <= distance:
                fell = away < distance or share == 1.0
                x, y, own, distance, n = px, py, new, away, m
                h, hx, hy, hxx, hxy, hyy = nh, nhx, nhy, nhxx, nhxy, nhyy
                break
            share *= 0.5
        if not fell:
            break
    normal, _ = unit((-hx, -hy, 1.0), (0.0, 0.0, 1.0))
    return distance, add((x, y, h), scale(distance, normal)), normal
