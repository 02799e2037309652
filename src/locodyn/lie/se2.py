"""SE(2) as kernels. A twist is (vx, vy, wz), a wrench (fx, fy, mz), a pose (cos, sin, x, y).

It is SE(3) with the rows and columns of vz, wx, wy deleted; t = wz is the angle of u = (vx, vy, wz), z = t^2:

    R = [[cos, -sin], [sin, cos]]       p = [[c1, -t c2], [t c2, c1]] (vx, vy)       Ad(g) = [[R, (y, -x)^T], [0, 1]]

A 3x3 matrix with last row (0, 0, d) and a rotation-like block [[a, -b], [b, a]] is the tuple (a, b, cx, cy), c its last
column; d = 1, or 0 for a derivative.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable, sincos
from locodyn.lie.arctangent import arctangent
from locodyn.lie.series import inverse_tangent_series, stumpff


@portable
def exp_pose(u):
    """(cos, sin, x, y) of exp(u)."""
    vx, vy, t = u
    _, c1, c2, _, _, _, _, _, _ = stumpff(t * t)
    s, c = sincos(t)
    b = t * c2
    return (c, s, c1 * vx - b * vy, b * vx + c1 * vy)


@portable
def log_pose(g):
    """Shortest u with exp(u) = g: angle in (-pi, pi]."""
    c, s, x, y = g
    t = arctangent(s, c)
    k, _, _ = inverse_tangent_series(t * t)
    a = lit(t, 1.0) - k * (t * t)
    b = lit(t, 0.5) * t
    return (a * x + b * y, a * y - b * x, t)


@portable
def compose(g, h):
    """g h"""
    return (
        g[0] * h[0] - g[1] * h[1],
        g[1] * h[0] + g[0] * h[1],
        g[2] + g[0] * h[2] - g[1] * h[3],
        g[3] + g[1] * h[2] + g[0] * h[3],
    )


@portable
def inverse(g):
    """g^-1"""
    return (g[0], -g[1], -(g[0] * g[2] + g[1] * g[3]), g[1] * g[2] - g[0] * g[3])


@portable
def adjoint_apply(g, eta):
    """Ad(g) eta"""
    vx, vy, w = eta
    return (g[0] * vx - g[1] * vy + g[3] * w, g[1] * vx + g[0] * vy - g[2] * w, w)


@portable
def adjoint_inverse_apply(g, eta):
    """Ad(g^-1) eta"""
    w = eta[2]
    vx = eta[0] - g[3] * w
    vy = eta[1] + g[2] * w
    return (g[0] * vx + g[1] * vy, g[0] * vy - g[1] * vx, w)


@portable
def adjoint_transposed_apply(g, F):
    """Ad(g)^T F: a wrench into the frame of g."""
    fx, fy, m = F
    return (g[0] * fx + g[1] * fy, g[0] * fy - g[1] * fx, m + g[3] * fx - g[2] * fy)


@portable
def adjoint_inverse_transposed_apply(g, F):
    """Ad(g^-1)^T F: a wrench out of the frame of g."""
    fx = g[0] * F[0] - g[1] * F[1]
    fy = g[1] * F[0] + g[0] * F[1]
    return (fx, fy, F[2] - g[3] * fx + g[2] * fy)


@portable
def bracket(eta, zeta):
    """ad(eta) zeta"""
    return (
        eta[1] * zeta[2] - eta[2] * zeta[1],
        eta[2] * zeta[0] - eta[0] * zeta[2],
        lit(eta[0], 0.0),
    )


@portable
def bracket_transposed(eta, F):
    """ad(eta)^T F"""
    return (eta[2] * F[1], -(eta[2] * F[0]), eta[1] * F[0] - eta[0] * F[1])


@portable
def tangent(u):
    """Right Jacobian T(u), tuple (a, b, cx, cy): a = c1, b = -t c2, c = c2 (-vy, vx) + t c3 (vx, vy)."""
    vx, vy, t = u
    _, c1, c2, c3, _, _, _, _, _ = stumpff(t * t)
    d = t * c3
    return (c1, -(t * c2), d * vx - c2 * vy, c2 * vx + d * vy)


@portable
def inverse_tangent(u):
    """T(u)^-1, tuple (a, b, cx, cy): a = 1 - k t^2, b = t/2, c = (vy, -vx)/2 + k t (vx, vy); |t| < 2 pi."""
    vx, vy, t = u
    k, _, _ = inverse_tangent_series(t * t)
    half = lit(t, 0.5)
    d = k * t
    return (lit(t, 1.0) - d * t, half * t, d * vx + half * vy, d * vy - half * vx)


@portable
def tangent_derivative(u, du):
    """D T(u)[du], tuple (a, b, cx, cy) with last row zero. d(t c2)/dt = c1 - c2, d(t c3)/dt = c2 - 2 c3."""
    vx, vy, t = u
    dx, dy, dt = du
    _, c1, c2, c3, c4, _, _, _, _ = stumpff(t * t)
    two = lit(t, 2.0)
    e = dt * (t * (two * c4 - c3))
    d = t * c3
    f = dt * (c2 - two * c3)
    return (
        dt * (t * (c3 - c2)),
        -(dt * (c1 - c2)),
        (d * dx - c2 * dy) + (f * vx - e * vy),
        (c2 * dx + d * dy) + (e * vx + f * vy),
    )


@portable
def inverse_tangent_derivative(u, du):
    """D T^-1(u)[du], tuple (a, b, cx, cy) with last row zero; |t| < 2 pi."""
    vx, vy, t = u
    dx, dy, dt = du
    z = t * t
    k, k1, _ = inverse_tangent_series(z)
    half = lit(t, 0.5)
    two = lit(t, 2.0)
    d = k * t
    f = dt * (k + two * z * k1)
    return (
        -(dt * (two * t * (k + z * k1))),
        half * dt,
        (d * dx + half * dy) + f * vx,
        (d * dy - half * dx) + f * vy,
    )


@portable
def matrix_apply(m, w):
    """(a, b, cx, cy) with last row (0, 0, 1), applied to w."""
    return (m[0] * w[0] - m[1] * w[1] + m[2] * w[2], m[1] * w[0] + m[0] * w[1] + m[3] * w[2], w[2])


@portable
def matrix_transposed_apply(m, F):
    """The transpose of (a, b, cx, cy) with last row (0, 0, 1), applied to F."""
    return (m[0] * F[0] + m[1] * F[1], m[0] * F[1] - m[1] * F[0], m[2] * F[0] + m[3] * F[1] + F[2])


@portable
def tangent_apply(u, w):
    """T(u) w: the body twist of exp(u) for the rate w of u."""
    return matrix_apply(tangent(u), w)


@portable
def inverse_tangent_apply(u, w):
    """T(u)^-1 w: the rate of u for the body twist w of exp(u); |t| < 2 pi."""
    return matrix_apply(inverse_tangent(u), w)


@portable
def tangent_transposed_apply(u, F):
    """T(u)^T F"""
    return matrix_transposed_apply(tangent(u), F)


@portable
def inverse_tangent_transposed_apply(u, F):
    """T(u)^-T F; |t| < 2 pi."""
    return matrix_transposed_apply(inverse_tangent(u), F)
