"""SO(3) as kernels: unit quaternions (w, x, y, z), rotation vectors theta (rad), rotation matrices (9-tuples, row by row).

T(theta) is the right Jacobian, (R^T dR)^vee = T(theta) dtheta for R = exp(hat theta) (Gotelli 2024, appendix A):

    T    = 1 - c2 hat(theta) + c3 hat(theta)^2        T^-1 = 1 + hat(theta)/2 + k hat(theta)^2

with c2, c3, k of :mod:`locodyn.lie.series`. The left Jacobian is T^T. The derivatives D T[u], D2 T[u, v] are directional
derivatives with respect to theta; se(3) needs the second ones.
"""

from __future__ import annotations

from locodyn.kernel import fma, lit, portable, select_lt, sqrt
from locodyn.kernel.vector import cross, dot, scale
from locodyn.lie.arctangent import arctangent
from locodyn.lie.matrices import combine, jordan, skew_and_symmetric, symmetric_sum
from locodyn.lie.series import cos_sinc, inverse_tangent_series, stumpff

_TINY = 1e-290  # square of a quaternion part below which only its direction matters


@portable
def quaternion_product(a, b):
    """Quaternion of R(a) R(b)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@portable
def quaternion_conjugate(q):
    """Quaternion of R(q)^T."""
    return (q[0], -q[1], -q[2], -q[3])


@portable
def quaternion_normalise(q):
    """q / |q|, q not zero."""
    r = lit(q[0], 1.0) / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * r, q[1] * r, q[2] * r, q[3] * r)


@portable
def quaternion_matrix(q):
    """Rotation matrix of a unit quaternion; both signs of q give the same bits."""
    w, x, y, z = q
    one = lit(w, 1.0)
    two = lit(w, 2.0)
    return (
        one - two * (y * y + z * z),
        two * (x * y - w * z),
        two * (x * z + w * y),
        two * (x * y + w * z),
        one - two * (x * x + z * z),
        two * (y * z - w * x),
        two * (x * z - w * y),
        two * (y * z + w * x),
        one - two * (x * x + y * y),
    )


@portable
def matrix_quaternion(m):
    """Unit quaternion (w >= 0 up to round-off) of a rotation matrix, accurate at every angle.

    One of the four columns of 4 q q^T, which is linear in the matrix, is normalised: the one with the largest diagonal
    entry (Shepperd 1978).
    """
    one = lit(m[0], 1.0)
    zero = lit(m[0], 0.0)
    dw = one + m[0] + m[4] + m[8]
    dx = one + m[0] - m[4] - m[8]
    dy = one - m[0] + m[4] - m[8]
    dz = one - m[0] - m[4] + m[8]
    wx = m[7] - m[5]
    wy = m[2] - m[6]
    wz = m[3] - m[1]
    xy = m[1] + m[3]
    xz = m[2] + m[6]
    yz = m[5] + m[7]
    # Winners of (w, x) and of (y, z), then of both.
    p = select_lt(dw, dx, dx, dw)
    pw = select_lt(dw, dx, wx, dw)
    px = select_lt(dw, dx, dx, wx)
    py = select_lt(dw, dx, xy, wy)
    pz = select_lt(dw, dx, xz, wz)
    q = select_lt(dy, dz, dz, dy)
    qw = select_lt(dy, dz, wz, wy)
    qx = select_lt(dy, dz, xz, xy)
    qy = select_lt(dy, dz, yz, dy)
    qz = select_lt(dy, dz, dz, yz)
    w = select_lt(p, q, qw, pw)
    x = select_lt(p, q, qx, px)
    y = select_lt(p, q, qy, py)
    z = select_lt(p, q, qz, pz)
    return quaternion_normalise(
        (
            select_lt(w, zero, -w, w),
            select_lt(w, zero, -x, x),
            select_lt(w, zero, -y, y),
            select_lt(w, zero, -z, z),
        )
    )


@portable
def exp_quaternion(x, y, z):
    """Unit quaternion of the rotation vector (x, y, z): (cos t/2, sin(t/2)/t theta)."""
    c, s = cos_sinc(lit(x, 0.25) * (x * x + y * y + z * z))
    s = lit(x, 0.5) * s
    return (c, s * x, s * y, s * z)


@portable
def log_quaternion(q):
    """Shortest rotation vector of a quaternion (of any length but zero): |theta| <= pi; q and -q give the same.

    theta = 2 atan2(|v|, |w|) sign(w) v / |v|. At w = 0 exactly the axis is v.
    """
    w, x, y, z = q
    zero = lit(w, 0.0)
    one = lit(w, 1.0)
    two = lit(w, 2.0)
    n2 = x * x + y * y + z * z
    tiny = lit(w, _TINY)
    a = select_lt(w, zero, -w, w)
    n = sqrt(select_lt(n2, tiny, one, n2))
    f = select_lt(n2, tiny, two / select_lt(n2, tiny, a, one), two * arctangent(n, a) / n)
    f = select_lt(w, zero, -f, f)
    return (f * x, f * y, f * z)


@portable
def exp_matrix(theta):
    """exp(hat theta) = 1 + c1 hat(theta) + c2 hat(theta)^2 (Rodrigues), c1 = sin t / t, c2 = (1 - cos t) / t^2.

    Both from the half angle: c1 = sinc(t/2) cos(t/2), c2 = sinc(t/2)^2 / 2.
    """
    c, s = cos_sinc(lit(theta[0], 0.25) * dot(theta, theta))
    quarter = lit(theta[0], 0.25) * s * s
    return skew_and_symmetric(lit(s, 1.0), scale(s * c, theta), jordan(theta, scale(quarter, theta)))


@portable
def log_matrix(m):
    """Rotation vector of a rotation matrix, |theta| <= pi; at pi one of the two."""
    return log_quaternion(matrix_quaternion(m))


@portable
def jacobian_from(c, theta):
    """:func:`right_jacobian` with given coefficients c = stumpff(theta.theta)."""
    c2, c3 = c[2], c[3]
    half = lit(c3, 0.5) * c3
    return skew_and_symmetric(lit(c3, 1.0), scale(-c2, theta), jordan(theta, scale(half, theta)))


@portable
def right_jacobian(theta):
    """T(theta), 9-tuple."""
    return jacobian_from(stumpff(dot(theta, theta)), theta)


@portable
def jacobian_inverse_from(k, theta):
    """:func:`right_jacobian_inverse` with given coefficients k = inverse_tangent_series(theta.theta)."""
    k0 = k[0]
    half = lit(k0, 0.5)
    return skew_and_symmetric(lit(k0, 1.0), scale(half, theta), jordan(theta, scale(half * k0, theta)))


@portable
def right_jacobian_inverse(theta):
    """T(theta)^-1, 9-tuple; |theta| < 2 pi."""
    return jacobian_inverse_from(inverse_tangent_series(dot(theta, theta)), theta)


@portable
def polynomial_apply(a, b, theta, w):
    """(1 + a hat(theta) + b hat(theta)^2) w"""
    u = cross(theta, w)
    v = cross(theta, u)
    return (fma(b, v[0], fma(a, u[0], w[0])), fma(b, v[1], fma(a, u[1], w[1])), fma(b, v[2], fma(a, u[2], w[2])))


@portable
def right_jacobian_apply(theta, w):
    """T(theta) w"""
    _, _, c2, c3, _, _, _, _, _ = stumpff(dot(theta, theta))
    return polynomial_apply(-c2, c3, theta, w)


@portable
def right_jacobian_transposed_apply(theta, w):
    """T(theta)^T w; T^T is the left Jacobian."""
    _, _, c2, c3, _, _, _, _, _ = stumpff(dot(theta, theta))
    return polynomial_apply(c2, c3, theta, w)


@portable
def right_jacobian_inverse_apply(theta, w):
    """T(theta)^-1 w: the rate of theta for the body angular velocity w; |theta| < 2 pi."""
    k, _, _ = inverse_tangent_series(dot(theta, theta))
    return polynomial_apply(lit(k, 0.5), k, theta, w)


@portable
def right_jacobian_inverse_transposed_apply(theta, w):
    """T(theta)^-T w; |theta| < 2 pi."""
    k, _, _ = inverse_tangent_series(dot(theta, theta))
    return polynomial_apply(lit(k, -0.5), k, theta, w)


@portable
def jacobian_derivative_from(c, theta, u):
    """:func:`right_jacobian_derivative` with given coefficients c = stumpff(theta.theta)."""
    _, _, c2, c3, c4, c5, _, _, _ = c
    s = dot(theta, u)
    d2 = lit(s, 2.0) * c4 - c3
    d3 = lit(s, 3.0) * c5 - c4
    skew = combine(-c2, u, -d2 * s, theta)
    return skew_and_symmetric(lit(s, 0.0), skew, jordan(theta, combine(c3, u, lit(s, 0.5) * d3 * s, theta)))


@portable
def right_jacobian_derivative(theta, u):
    """D T(theta)[u], 9-tuple.

    = -c2 hat(u) + c3 (hat(theta) hat(u) + hat(u) hat(theta)) + s (-c2' hat(theta) + c3' hat(theta)^2), s = theta.u, where a
    prime is twice the derivative to t^2: c2' = 2 c4 - c3, c3' = 3 c5 - c4.
    """
    return jacobian_derivative_from(stumpff(dot(theta, theta)), theta, u)


@portable
def jacobian_second_derivative_from(c, theta, u, v):
    """:func:`right_jacobian_second_derivative` with given coefficients c = stumpff(theta.theta)."""
    _, _, _, c3, c4, c5, c6, c7, _ = c
    s = dot(theta, u)
    t = dot(theta, v)
    m = dot(u, v)
    d2 = lit(s, 2.0) * c4 - c3
    d3 = lit(s, 3.0) * c5 - c4
    e2 = (c4 - lit(s, 5.0) * c5) + lit(s, 8.0) * c6
    e3 = (c5 - lit(s, 7.0) * c6) + lit(s, 15.0) * c7
    mixed = combine(t, u, s, v)
    skew = combine(-d2, mixed, -(d2 * m + e2 * s * t), theta)
    first = jordan(theta, combine(d3, mixed, lit(s, 0.5) * (d3 * m + e3 * s * t), theta))
    second = jordan(scale(c3, u), v)
    return skew_and_symmetric(lit(s, 0.0), skew, symmetric_sum(first, second))


@portable
def right_jacobian_second_derivative(theta, u, v):
    """D2 T(theta)[u, v], 9-tuple, symmetric in u and v.

    Beyond the primes of D T: c2'' = c4 - 5 c5 + 8 c6, c3'' = c5 - 7 c6 + 15 c7.
    """
    return jacobian_second_derivative_from(stumpff(dot(theta, theta)), theta, u, v)


@portable
def jacobian_inverse_derivative_from(k, theta, u):
    """:func:`right_jacobian_inverse_derivative` with given coefficients k = inverse_tangent_series(theta.theta)."""
    k0, k1, _ = k
    s = dot(theta, u)
    return skew_and_symmetric(lit(s, 0.0), scale(lit(s, 0.5), u), jordan(theta, combine(k0, u, k1 * s, theta)))


@portable
def right_jacobian_inverse_derivative(theta, u):
    """D T^-1(theta)[u] = hat(u)/2 + k (hat(theta) hat(u) + hat(u) hat(theta)) + 2 k' (theta.u) hat(theta)^2, k' = dk/dt^2."""
    return jacobian_inverse_derivative_from(inverse_tangent_series(dot(theta, theta)), theta, u)


@portable
def jacobian_inverse_second_derivative_from(k, theta, u, v):
    """:func:`right_jacobian_inverse_second_derivative` with given coefficients k = inverse_tangent_series(theta.theta)."""
    k0, k1, k2 = k
    s = dot(theta, u)
    t = dot(theta, v)
    zero = lit(s, 0.0)
    two = lit(s, 2.0)
    first = jordan(theta, combine(two * k1, combine(t, u, s, v), k1 * dot(u, v) + two * k2 * s * t, theta))
    second = jordan(scale(k0, u), v)
    return skew_and_symmetric(zero, (zero, zero, zero), symmetric_sum(first, second))


@portable
def right_jacobian_inverse_second_derivative(theta, u, v):
    """D2 T^-1(theta)[u, v], 9-tuple, symmetric in u and v."""
    return jacobian_inverse_second_derivative_from(inverse_tangent_series(dot(theta, theta)), theta, u, v)
