"""SE(3) as kernels. Twist (linear; angular) and wrench (force; moment) are 6-tuples, a pose is (R, p): 9-tuple and 3-tuple.

A twist is an angular velocity over the dual numbers, Omega + eps V with eps^2 = 0, and every function of ad(eta) is the
function of hat(Omega) over the dual numbers. So the right Jacobian of u = (rho; theta), (g^-1 dg)^vee = T(u) du for
g = exp(u), is made of T(theta) of SO(3) and of its directional derivative, and so is its inverse:

    T(u) = [[T, Q], [0, T]],   Q = D T(theta)[rho]          T(u)^-1 = [[S, P], [0, S]],   S = T^-1, P = D S(theta)[rho]

A *block pair* (diagonal, upper) of two 9-tuples stands for such a 6x6 matrix. Ad(g) = (R, hat(p) R) is one as well
(Ali 2011, B.5, whose printed form lacks the right order of factors; see docs/references.md).
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, dot, multiply, rotate, rotate_back, scale, subtract
from locodyn.lie.matrices import hat_product, jordan, matrix_sum, skew_and_symmetric, transpose
from locodyn.lie.series import inverse_tangent_series, stumpff
from locodyn.lie.so3 import (
    jacobian_derivative_from,
    jacobian_from,
    jacobian_inverse_derivative_from,
    jacobian_inverse_from,
    jacobian_inverse_second_derivative_from,
    jacobian_second_derivative_from,
    log_matrix,
    log_quaternion,
    polynomial_apply,
)


@portable
def split(u):
    """(linear, angular) of a 6-tuple."""
    return (u[0], u[1], u[2]), (u[3], u[4], u[5])


@portable
def join(a, b):
    """6-tuple (a; b)."""
    return (a[0], a[1], a[2], b[0], b[1], b[2])


# Poses --------------------------------------------------------------------------------------------------------------------


@portable
def exp_pose(u):
    """(R, p) = exp(u): R = 1 + c1 hat(theta) + c2 hat(theta)^2, p = T(theta)^T rho."""
    rho, theta = split(u)
    _, c1, c2, c3, _, _, _, _, _ = stumpff(dot(theta, theta))
    half = lit(c2, 0.5) * c2
    R = skew_and_symmetric(lit(c2, 1.0), scale(c1, theta), jordan(theta, scale(half, theta)))
    return R, polynomial_apply(c2, c3, theta, rho)


@portable
def exp_position_quaternion(u):
    """(position, unit quaternion) of exp(u).

    All from the half angle: c2(4h) = c1(h)^2 / 2 and c3(4h) = (c2(h) + c0(h) c3(h)) / 4.
    """
    rho, theta = split(u)
    quarter = lit(theta[0], 0.25)
    half = lit(theta[0], 0.5)
    c0, c1, c2, c3, _, _, _, _, _ = stumpff(quarter * dot(theta, theta))
    s = half * c1
    p = polynomial_apply(half * c1 * c1, quarter * (c2 + c0 * c3), theta, rho)
    return p, (c0, s * theta[0], s * theta[1], s * theta[2])


@portable
def log_of(theta, p):
    """Twist whose exponential has the rotation vector theta and the position p: rho = T(theta)^-T p."""
    k, _, _ = inverse_tangent_series(dot(theta, theta))
    return join(polynomial_apply(lit(k, -0.5), k, theta, p), theta)


@portable
def log_pose(R, p):
    """Shortest twist u with exp(u) = (R, p)."""
    return log_of(log_matrix(R), p)


@portable
def log_position_quaternion(p, q):
    """Shortest twist u with exp(u) = (p, q)."""
    return log_of(log_quaternion(q), p)


@portable
def compose(R, p, S, q):
    """(R, p)(S, q) = (R S, p + R q)"""
    return multiply(R, S), add(p, rotate(R, q))


@portable
def inverse(R, p):
    """(R, p)^-1 = (R^T, -R^T p)"""
    return transpose(R), scale(lit(p[0], -1.0), rotate_back(R, p))


# Adjoint maps -------------------------------------------------------------------------------------------------------------


@portable
def adjoint(R, p):
    """Ad(g) as a block pair: (R, hat(p) R)."""
    return R, hat_product(p, R)


@portable
def adjoint_apply(R, p, eta):
    """Ad(g) eta = (R V + p x R W; R W): a twist from the frame of g to the frame that g is seen from."""
    V, W = split(eta)
    w = rotate(R, W)
    return join(add(rotate(R, V), cross(p, w)), w)


@portable
def adjoint_inverse_apply(R, p, eta):
    """Ad(g^-1) eta = (R^T (V - p x W); R^T W)"""
    V, W = split(eta)
    return join(rotate_back(R, subtract(V, cross(p, W))), rotate_back(R, W))


@portable
def adjoint_transposed_apply(R, p, F):
    """Ad(g)^T F = (R^T N; R^T (C - p x N)): a wrench into the frame of g."""
    N, C = split(F)
    return join(rotate_back(R, N), rotate_back(R, subtract(C, cross(p, N))))


@portable
def adjoint_inverse_transposed_apply(R, p, F):
    """Ad(g^-1)^T F = (R N; R C + p x R N): a wrench out of the frame of g."""
    N, C = split(F)
    n = rotate(R, N)
    return join(n, add(rotate(R, C), cross(p, n)))


@portable
def bracket(eta, zeta):
    """ad(eta) zeta = (W x v + V x w; W x w), eta = (V; W), zeta = (v; w)."""
    V, W = split(eta)
    v, w = split(zeta)
    return join(add(cross(W, v), cross(V, w)), cross(W, w))


@portable
def bracket_transposed(eta, F):
    """ad(eta)^T F = (N x W; N x V + C x W), F = (N; C)."""
    V, W = split(eta)
    N, C = split(F)
    return join(cross(N, W), add(cross(N, V), cross(C, W)))


# Tangent maps -------------------------------------------------------------------------------------------------------------


@portable
def blocks_apply(diagonal, upper, w):
    """[[D, U], [0, D]] w"""
    a, b = split(w)
    return join(add(rotate(diagonal, a), rotate(upper, b)), rotate(diagonal, b))


@portable
def blocks_transposed_apply(diagonal, upper, F):
    """[[D, U], [0, D]]^T F"""
    a, b = split(F)
    return join(rotate_back(diagonal, a), add(rotate_back(upper, a), rotate_back(diagonal, b)))


@portable
def tangent(u):
    """Right Jacobian T(u) as a block pair (T, Q)."""
    rho, theta = split(u)
    c = stumpff(dot(theta, theta))
    return jacobian_from(c, theta), jacobian_derivative_from(c, theta, rho)


@portable
def inverse_tangent(u):
    """T(u)^-1 as a block pair (T^-1, D T^-1[rho]); |theta| < 2 pi."""
    rho, theta = split(u)
    k = inverse_tangent_series(dot(theta, theta))
    return jacobian_inverse_from(k, theta), jacobian_inverse_derivative_from(k, theta, rho)


@portable
def tangent_apply(u, w):
    """T(u) w: the body twist of exp(u) for the rate w of u."""
    D, U = tangent(u)
    return blocks_apply(D, U, w)


@portable
def tangent_transposed_apply(u, F):
    """T(u)^T F"""
    D, U = tangent(u)
    return blocks_transposed_apply(D, U, F)


@portable
def inverse_tangent_apply(u, w):
    """T(u)^-1 w: the rate of u for the body twist w of exp(u); |theta| < 2 pi."""
    D, U = inverse_tangent(u)
    return blocks_apply(D, U, w)


@portable
def inverse_tangent_transposed_apply(u, F):
    """T(u)^-T F; |theta| < 2 pi."""
    D, U = inverse_tangent(u)
    return blocks_transposed_apply(D, U, F)


@portable
def tangent_derivative(u, du):
    """D T(u)[du] as a block pair (D T[dtheta], D2 T[rho, dtheta] + D T[drho])."""
    rho, theta = split(u)
    drho, dtheta = split(du)
    c = stumpff(dot(theta, theta))
    upper = matrix_sum(jacobian_second_derivative_from(c, theta, rho, dtheta), jacobian_derivative_from(c, theta, drho))
    return jacobian_derivative_from(c, theta, dtheta), upper


@portable
def inverse_tangent_derivative(u, du):
    """D T^-1(u)[du] as a block pair; |theta| < 2 pi."""
    rho, theta = split(u)
    drho, dtheta = split(du)
    k = inverse_tangent_series(dot(theta, theta))
    upper = matrix_sum(
        jacobian_inverse_second_derivative_from(k, theta, rho, dtheta), jacobian_inverse_derivative_from(k, theta, drho)
    )
    return jacobian_inverse_derivative_from(k, theta, dtheta), upper
