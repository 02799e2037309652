"""Gap functions of ellipsoids: against a half-space, and against round things (balls, pegs, capsules, points)."""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import add, dot, rotate, rotate_back, scale, subtract
from locodyn.world.gaps import search_range, touching_points, unit

_TINY = 1e-300
_ROOT_STEPS, _SEARCH_STEPS = 60, 80
_OFF_CENTRE = 1e-13  # of a semi-axis: how far a point is kept from the planes of symmetry, where the nearest point may be two


@compiled(inline=True)
def ellipsoid_gap(r, centre, semi_axes, origin, normal):
    """Ellipsoid with axes r against a half-space: (gap, its lowest point), by the support point -D^2 n / |D n|."""
    n = rotate_back(r, normal)
    dn = (semi_axes[0] * n[0], semi_axes[1] * n[1], semi_axes[2] * n[2])
    _, length = unit(dn, n)
    lowest = (-semi_axes[0] * dn[0] / length, -semi_axes[1] * dn[1] / length, -semi_axes[2] * dn[2] / length)
    point = add(centre, rotate(r, lowest))
    return dot(subtract(point, origin), normal), point


@compiled(inline=True)
def off_centre(x, semi_axis):
    """|x|, at least a tiny part of the semi-axis."""
    return max(abs(x), _OFF_CENTRE * semi_axis)


@compiled
def from_ellipsoid(x, semi_axes):
    """(signed distance in m, outer unit normal) of the point x from the ellipsoid, in its axes; negative inside.

    The nearest point y_i = a_i^2 x_i / (t + a_i^2) has x - y = t grad, with t > -min a_i^2 the root of
    sum (a_i x_i / (t + a_i^2))^2 = 1 (Eberly 2013). The sum falls and is convex in t, and from max(a_i |x_i| - a_i^2), where it
    is between 1 and 3, Newton's steps go up to the root without passing it.
    """
    a = semi_axes
    least = min(a[0] * a[0], min(a[1] * a[1], a[2] * a[2]))
    s = (a[0] * a[0] - least, a[1] * a[1] - least, a[2] * a[2] - least)
    e = (a[0] * off_centre(x[0], a[0]), a[1] * off_centre(x[1], a[1]), a[2] * off_centre(x[2], a[2]))
    u = max(e[0] - s[0], max(e[1] - s[1], e[2] - s[2]))  # t + least, without cancellation near the centre
    for _ in range(_ROOT_STEPS):
        value = -1.0
        fall = 0.0
        for i in range(3):
            part = e[i] / (u + s[i])
            value += part * part
            fall += 2.0 * part * part / (u + s[i])
        if not value > 4e-16:
            break
        u += value / fall
    gradient = (
        (e[0] if x[0] >= 0.0 else -e[0]) / (a[0] * (u + s[0])),
        (e[1] if x[1] >= 0.0 else -e[1]) / (a[1] * (u + s[1])),
        (e[2] if x[2] >= 0.0 else -e[2]) / (a[2] * (u + s[2])),
    )
    n, length = unit(gradient, (0.0, 0.0, 1.0))
    return (u - least) * length, n


@compiled
def nearest_along(x0, d, low, high, semi_axes):
    """Parameter s in [low, high] at which x0 + s d is nearest to the ellipsoid, or deepest in it.

    The signed distance is convex along a line, its slope n . d: a zero of what rises, by the secant that halves the value of an
    end that stays (Illinois), with a bisection in every third step.
    """
    _, n = from_ellipsoid(add(x0, scale(low, d)), semi_axes)
    left = dot(n, d)
    if left >= 0.0:
        return low
    _, n = from_ellipsoid(add(x0, scale(high, d)), semi_axes)
    right = dot(n, d)
    if right <= 0.0:
        return high
    s = low
    least = 1e-15 * sqrt(dot(d, d))
    for k in range(_SEARCH_STEPS):
        s = 0.5 * (low + high) if k % 3 == 2 else (low * right - high * left) / (right - left)
        _, n = from_ellipsoid(add(x0, scale(s, d)), semi_axes)
        slope = dot(n, d)
        if abs(slope) <= least or not low < s < high:
            break
        if slope > 0.0:
            high = s
            right = slope
            left *= 0.5
        else:
            low = s
            left = slope
            right *= 0.5
    return s


@compiled
def ellipsoid_round_gap(a0, a1, radius, endless, r, centre, semi_axes):
    """A round thing against an ellipsoid with axes r: (gap, point of the round thing, of the ellipsoid, normal to the round).

    The segment from a0 to a1 is a whole line where ``endless``.
    """
    x = rotate_back(r, subtract(a0, centre))
    d = subtract(rotate_back(r, subtract(a1, centre)), x)
    if dot(d, d) > _TINY:
        low, high = search_range(x, d, endless, semi_axes)
        x = add(x, scale(nearest_along(x, d, low, high, semi_axes), d))
    distance, n = from_ellipsoid(x, semi_axes)
    return touching_points(distance, n, x, radius, r, centre)
