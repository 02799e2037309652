"""Compiled loops of the group maps over rows: what the NumPy interface of :mod:`locodyn.lie.groups` calls.

Every loop takes its arguments as 2-D arrays (one sample per row, vectors and matrices flattened row by row) and writes the
result into the rows of its last argument. The same loops run on arrays of lanes.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import multiply
from locodyn.lie.matrices import transpose
from locodyn.lie.se2 import compose as planar_compose
from locodyn.lie.se2 import exp_pose as planar_exp
from locodyn.lie.se2 import inverse as planar_inverse
from locodyn.lie.se2 import inverse_tangent as planar_inverse_tangent
from locodyn.lie.se2 import inverse_tangent_derivative as planar_inverse_tangent_derivative
from locodyn.lie.se2 import log_pose as planar_log
from locodyn.lie.se2 import tangent as planar_tangent
from locodyn.lie.se2 import tangent_derivative as planar_tangent_derivative
from locodyn.lie.se3 import (
    adjoint,
    compose,
    exp_pose,
    inverse,
    inverse_tangent,
    inverse_tangent_derivative,
    log_pose,
    tangent,
    tangent_derivative,
)
from locodyn.lie.so3 import (
    exp_matrix,
    log_matrix,
    matrix_quaternion,
    quaternion_matrix,
    quaternion_normalise,
    right_jacobian,
    right_jacobian_derivative,
    right_jacobian_inverse,
    right_jacobian_inverse_derivative,
)


@portable
def vector3(a, i):
    """Row i as a 3-tuple."""
    return (a[i, 0], a[i, 1], a[i, 2])


@portable
def vector6(a, i):
    """Row i as a 6-tuple."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5])


@portable
def matrix3(a, i):
    """Row i as a 9-tuple."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6], a[i, 7], a[i, 8])


@portable
def pose(a, i):
    """(R, p) of the 4x4 matrix in row i."""
    R = (a[i, 0], a[i, 1], a[i, 2], a[i, 4], a[i, 5], a[i, 6], a[i, 8], a[i, 9], a[i, 10])
    return R, (a[i, 3], a[i, 7], a[i, 11])


@portable
def planar_pose(a, i):
    """(cos, sin, x, y) of the 3x3 matrix in row i."""
    return (a[i, 0], a[i, 3], a[i, 2], a[i, 5])


@portable
def put(out, i, values, count):
    """The tuple into row i."""
    for k in range(count):
        out[i, k] = values[k]


@portable
def put_pose(out, i, R, p):
    """(R, p) into row i as a 4x4 matrix."""
    for r in range(3):
        for c in range(3):
            out[i, 4 * r + c] = R[3 * r + c]
        out[i, 4 * r + 3] = p[r]
        out[i, 12 + r] = lit(p[0], 0.0)
    out[i, 15] = lit(p[0], lit(out[i, 0], 1.0))


@portable
def put_blocks(out, i, diagonal, upper):
    """[[D, U], [0, D]] into row i as a 6x6 matrix."""
    for r in range(3):
        for c in range(3):
            out[i, 6 * r + c] = diagonal[3 * r + c]
            out[i, 6 * r + c + 3] = upper[3 * r + c]
            out[i, 6 * r + c + 18] = lit(diagonal[0], 0.0)
            out[i, 6 * r + c + 21] = diagonal[3 * r + c]


@portable
def put_planar(out, i, m, corner):
    """(a, b, cx, cy) into row i as a 3x3 matrix with last row (0, 0, corner)."""
    zero = lit(m[0], 0.0)
    put(out, i, (m[0], -m[1], m[2], m[1], m[0], m[3], zero, zero, corner), 9)


# SO(3) ----------------------------------------------------------------------------------------------------------------


@portable
def so3_exp(u, out):
    """exp"""
    for i in range(out.shape[0]):
        put(out, i, exp_matrix(vector3(u, i)), 9)


@portable
def so3_log(g, out):
    """log"""
    for i in range(out.shape[0]):
        put(out, i, log_matrix(matrix3(g, i)), 3)


@portable
def so3_compose(g, h, out):
    """g h"""
    for i in range(out.shape[0]):
        put(out, i, multiply(matrix3(g, i), matrix3(h, i)), 9)


@portable
def so3_inverse(g, out):
    """g^-1"""
    for i in range(out.shape[0]):
        put(out, i, transpose(matrix3(g, i)), 9)


@portable
def so3_from_quaternion(q, out):
    """Rotation matrix of q / |q|"""
    for i in range(out.shape[0]):
        put(out, i, quaternion_matrix(quaternion_normalise((q[i, 0], q[i, 1], q[i, 2], q[i, 3]))), 9)


@portable
def so3_to_quaternion(g, out):
    """Quaternion of g"""
    for i in range(out.shape[0]):
        put(out, i, matrix_quaternion(matrix3(g, i)), 4)


@portable
def so3_tangent(u, out):
    """T(u)"""
    for i in range(out.shape[0]):
        put(out, i, right_jacobian(vector3(u, i)), 9)


@portable
def so3_inverse_tangent(u, out):
    """T(u)^-1"""
    for i in range(out.shape[0]):
        put(out, i, right_jacobian_inverse(vector3(u, i)), 9)


@portable
def so3_tangent_derivative(u, du, out):
    """D T(u)[du]"""
    for i in range(out.shape[0]):
        put(out, i, right_jacobian_derivative(vector3(u, i), vector3(du, i)), 9)


@portable
def so3_inverse_tangent_derivative(u, du, out):
    """D T^-1(u)[du]"""
    for i in range(out.shape[0]):
        put(out, i, right_jacobian_inverse_derivative(vector3(u, i), vector3(du, i)), 9)


# SE(3) ----------------------------------------------------------------------------------------------------------------


@portable
def se3_exp(u, out):
    """exp"""
    for i in range(out.shape[0]):
        R, p = exp_pose(vector6(u, i))
        put_pose(out, i, R, p)


@portable
def se3_log(g, out):
    """log"""
    for i in range(out.shape[0]):
        R, p = pose(g, i)
        put(out, i, log_pose(R, p), 6)


@portable
def se3_compose(g, h, out):
    """g h"""
    for i in range(out.shape[0]):
        R, p = pose(g, i)
        S, q = pose(h, i)
        R, p = compose(R, p, S, q)
        put_pose(out, i, R, p)


@portable
def se3_inverse(g, out):
    """g^-1"""
    for i in range(out.shape[0]):
        R, p = pose(g, i)
        R, p = inverse(R, p)
        put_pose(out, i, R, p)


@portable
def se3_adjoint(g, out):
    """Ad(g)"""
    for i in range(out.shape[0]):
        R, p = pose(g, i)
        D, U = adjoint(R, p)
        put_blocks(out, i, D, U)


@portable
def se3_tangent(u, out):
    """T(u)"""
    for i in range(out.shape[0]):
        D, U = tangent(vector6(u, i))
        put_blocks(out, i, D, U)


@portable
def se3_inverse_tangent(u, out):
    """T(u)^-1"""
    for i in range(out.shape[0]):
        D, U = inverse_tangent(vector6(u, i))
        put_blocks(out, i, D, U)


@portable
def se3_tangent_derivative(u, du, out):
    """D T(u)[du]"""
    for i in range(out.shape[0]):
        D, U = tangent_derivative(vector6(u, i), vector6(du, i))
        put_blocks(out, i, D, U)


@portable
def se3_inverse_tangent_derivative(u, du, out):
    """D T^-1(u)[du]"""
    for i in range(out.shape[0]):
        D, U = inverse_tangent_derivative(vector6(u, i), vector6(du, i))
        put_blocks(out, i, D, U)


# SE(2) ----------------------------------------------------------------------------------------------------------------


@portable
def se2_exp(u, out):
    """exp"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_exp(vector3(u, i)), lit(out[i, 0], 1.0))


@portable
def se2_log(g, out):
    """log"""
    for i in range(out.shape[0]):
        put(out, i, planar_log(planar_pose(g, i)), 3)


@portable
def se2_compose(g, h, out):
    """g h"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_compose(planar_pose(g, i), planar_pose(h, i)), lit(out[i, 0], 1.0))


@portable
def se2_inverse(g, out):
    """g^-1"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_inverse(planar_pose(g, i)), lit(out[i, 0], 1.0))


@portable
def se2_adjoint(g, out):
    """Ad(g)"""
    for i in range(out.shape[0]):
        c, s, x, y = planar_pose(g, i)
        put_planar(out, i, (c, s, y, -x), lit(out[i, 0], 1.0))


@portable
def se2_tangent(u, out):
    """T(u)"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_tangent(vector3(u, i)), lit(out[i, 0], 1.0))


@portable
def se2_inverse_tangent(u, out):
    """T(u)^-1"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_inverse_tangent(vector3(u, i)), lit(out[i, 0], 1.0))


@portable
def se2_tangent_derivative(u, du, out):
    """D T(u)[du]"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_tangent_derivative(vector3(u, i), vector3(du, i)), lit(out[i, 0], 0.0))


@portable
def se2_inverse_tangent_derivative(u, du, out):
    """D T^-1(u)[du]"""
    for i in range(out.shape[0]):
        put_planar(out, i, planar_inverse_tangent_derivative(vector3(u, i), vector3(du, i)), lit(out[i, 0], 0.0))
