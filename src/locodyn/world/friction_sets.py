"""Laws of contact in normalised form: impulse z and velocity w of one contact, and the derivative of z along w.

With mu_x, mu_y the coefficients in slip, w = (u_N, mu_x u_x, mu_y u_y) and z = (p_N, p_x / mu_x, p_y / mu_y) turn the ellipse
of Coulomb's law into a disc of radius p_N (Transeth 2007, 3.4.3; the change of variables keeps normal cones). Where backward
differs from forward the set is two half ellipses, whose longest semi-axis is the radius.

Set-valued laws are written as z = proj(zc - rho w): exact at zc = z for every rho > 0. Smooth laws are z = f(w).
"""

from __future__ import annotations

from locodyn.kernel import compiled, sqrt
from locodyn.lie.arctangent import arctangent
from locodyn.world.contact_pairs import FRICTION

_NEWTON_STEPS = 60
_TWO_OVER_PI = 0.6366197723675814


@compiled(inline=True)
def disc_projection(x, y, radius):
    """(px, py, jxx, jxy, jyy): nearest point of the disc about 0 and the derivative of it."""
    length = sqrt(x * x + y * y)
    if length <= radius:
        return x, y, 1.0, 0.0, 1.0
    if radius <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    k = 1.0 / length
    ex = x * k
    ey = y * k
    share = radius * k
    return radius * ex, radius * ey, share * ey * ey, -share * ex * ey, share * ex * ex


@compiled
def ellipse_projection(x, y, a, b):
    """(px, py, jxx, jxy, jyy): nearest point of the ellipse of semi-axes a, b.

    Outside, p_k = d_k^2 x_k / (d_k^2 + t) with sum (d_k x_k / (d_k^2 + t))^2 = 1; the sum is convex and falls with t, so that
    Newton's method from t = 0 rises to the root.
    """
    if b <= 0.0 and a <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    aa = a * a
    bb = b * b
    inside = (x * x * bb + y * y * aa <= aa * bb) if a > 0.0 and b > 0.0 else False
    if inside:
        return x, y, 1.0, 0.0, 1.0
    t = 0.0
    if a <= 0.0 or b <= 0.0:  # an interval
        px = min(max(x, -a), a)
        py = min(max(y, -b), b)
        return px, py, 1.0 if px == x else 0.0, 0.0, 1.0 if py == y else 0.0
    for _ in range(_NEWTON_STEPS):
        u = 1.0 / (aa + t)
        v = 1.0 / (bb + t)
        fx = aa * x * x * u * u
        fy = bb * y * y * v * v
        move = (fx + fy - 1.0) / (2.0 * (fx * u + fy * v))
        t += move
        if move <= 1e-15 * (aa + bb + t):
            break
    u = 1.0 / (aa + t)
    v = 1.0 / (bb + t)
    gx = aa * x * u * u
    gy = bb * y * v * v
    s = 1.0 / (gx * x * u + gy * y * v)
    return aa * x * u, bb * y * v, aa * u - gx * gx * s, -gx * gy * s, bb * v - gy * gy * s


@compiled(inline=True)
def tangential_response(law, radius, forward, backward, scale_x, scale_y, speed, zx, zy, wx, wy, rho):
    """(zx, zy, dxx, dxy, dyy): impulse in the tangent plane at velocity w, and -dz/dw (symmetric, not negative).

    Parameters
    ----------
    law : code of the friction law
    radius : N s, of the disc
    forward, backward : coefficients over the larger of the two
    scale_x, scale_y : coefficients that w holds
    speed : m/s of the smooth laws
    zx, zy, wx, wy : centre of the projection and velocity, normalised
    rho : kg
    """
    if law == FRICTION.coulomb:
        x = zx - rho * wx
        y = zy - rho * wy
        share = forward if x < 0.0 else backward  # a force backward (x < 0) resists a motion forward
        if share == 1.0:
            px, py, jxx, jxy, jyy = disc_projection(x, y, radius)
        else:
            px, py, jxx, jxy, jyy = ellipse_projection(x, y, share * radius, radius)
        return px, py, rho * jxx, rho * jxy, rho * jyy
    if law == FRICTION.rectangle:
        x = zx - rho * wx
        y = zy - rho * wy
        px = min(max(x, -radius), radius)
        py = min(max(y, -radius), radius)
        return px, py, rho if px == x else 0.0, 0.0, rho if py == y else 0.0
    if law == FRICTION.regularised:
        rest = speed * max(scale_x, scale_y)
        size = sqrt(wx * wx + wy * wy + rest * rest)
        if size <= 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0
        k = radius / size
        cube = k / (size * size)
        return -k * wx, -k * wy, k - cube * wx * wx, -cube * wx * wy, k - cube * wy * wy
    if law == FRICTION.arctan:
        zx, dxx = arctan_response(radius, scale_x * speed, wx)
        zy, dyy = arctan_response(radius, scale_y * speed, wy)
        return zx, zy, dxx, 0.0, dyy
    kx = radius / scale_x if scale_x > 0.0 else 0.0
    ky = radius / scale_y if scale_y > 0.0 else 0.0
    return -kx * wx, -ky * wy, kx, 0.0, ky


@compiled
def arctan_response(radius, rest, w):
    """(z, -dz/dw) of z = -radius 2/pi arctan(w / rest)."""
    if rest <= 0.0:
        return 0.0, 0.0
    t = w / rest
    return -radius * _TWO_OVER_PI * arctangent(t, 1.0), radius * _TWO_OVER_PI / (rest * (1.0 + t * t))
