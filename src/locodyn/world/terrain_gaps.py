"""Gap function of a ball on terrain."""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import dot, scale, subtract
from locodyn.world.gaps import clipped, unit

_FOOT_STEPS = 30


@compiled(inline=True)
def cubic(a, b, c, d, t):
    """Catmull-Rom through b (t = 0) and c (t = 1): (value, slope, curvature)."""
    k1 = 0.5 * (c - a)
    k2 = a - 2.5 * b + 2.0 * c - 0.5 * d
    k3 = 0.5 * (d - a) + 1.5 * (b - c)
    return b + t * (k1 + t * (k2 + t * k3)), k1 + t * (2.0 * k2 + 3.0 * t * k3), 2.0 * k2 + 6.0 * t * k3


@compiled
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


@compiled
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
