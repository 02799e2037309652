"""The local term of rods in the derivatives of inverse dynamics: the wrench in a slice times the second derivative of its pose.

With Omega the exponent of a slice (:mod:`locodyn.shape.rod`), s_i = T(Omega) D_i the twist of its end for a unit rate of
coordinate i, and W the wrench on it in its frame,

    W^T d s_i / d q_j = derivative of D_i^T T(Omega)^T W along coordinate j, W held,

D_i = D1 phi1_i + D2 phi2_i. For a coordinate of a strain field, phi_i is dF/dy_i: it moves itself, which adds W^T T D F''.
"""

from __future__ import annotations

from locodyn.dynamics.rod_derivatives import WORK
from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, dot, load3, load9, rotate_back, scale, subtract
from locodyn.lie.matrices import matrix_sum
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import jacobian_derivative_from, jacobian_from, jacobian_second_derivative_from
from locodyn.robot.layout import COUNT_V, FIRST_Q, FIRST_V, SLICE
from locodyn.shape.columns import exponent_columns, first_mode, unit
from locodyn.shape.field import along_field, field_bend, field_direction, has_fields
from locodyn.shape.rod import COMMUTATOR, exponent, exponent_rate, pulled_back, strain_ends, strain_forces, strains


@portable(late=())
def slice_curvature(frames, constants, k, q, work, by_q):
    """Add W^T d s_i / d q_j of slice k, W the wrench on it in its frame: the derivative of D^T T^T W along each strain."""
    v1, w1, v2, w2 = strains(constants, k, q, frames[k, FIRST_Q])
    h = constants[k, SLICE.length]
    rho, theta = exponent(h, v1, w1, v2, w2)
    c = stumpff(dot(theta, theta))
    r = load9(work, k, WORK.rotation)
    p = load3(work, k, WORK.position)
    f = load3(work, k, WORK.wrench)
    n = rotate_back(r, subtract(load3(work, k, WORK.wrench + 3), cross(p, f)))
    f = rotate_back(r, f)
    gf, gn = pulled_back(jacobian_from(c, theta), jacobian_derivative_from(c, theta, rho), f, n)
    s = lit(q[0], COMMUTATOR) * h * h
    first = frames[k, FIRST_V]
    for strain in range(6):
        if first_mode(constants, k, strain) < int(constants[k, SLICE.strain_end + strain]):
            x1, y1, x2, y2 = exponent_columns(h, v1, w1, v2, w2, strain)
            ux, uw = unit(q[0], strain)
            # ad(e)^T G = (G_f x e_w; G_f x e_v + G_n x e_w)
            tf = scale(s, cross(gf, uw))
            tn = scale(s, add(cross(gf, ux), cross(gn, uw)))
            df, dn = tangent_force(c, rho, theta, x1, y1, f, n)
            a1, b1, a2, b2 = strain_forces(h, v1, w1, v2, w2, df, dn)
            a2 = add(a2, tf)
            b2 = add(b2, tn)
            df, dn = tangent_force(c, rho, theta, x2, y2, f, n)
            c1, d1, c2, d2 = strain_forces(h, v1, w1, v2, w2, df, dn)
            c1 = subtract(c1, tf)
            d1 = subtract(d1, tn)
            for j in range(first_mode(constants, k, strain), int(constants[k, SLICE.strain_end + strain])):
                one = constants[k, SLICE.modes + 2 * j]
                two = constants[k, SLICE.modes + 2 * j + 1]
                add_coordinate_column(
                    frames, constants, k, q,
                    add(scale(one, a1), scale(two, c1)), add(scale(one, b1), scale(two, d1)),
                    add(scale(one, a2), scale(two, c2)), add(scale(one, b2), scale(two, d2)),
                    by_q, first + j,
                )  # fmt: skip
    if has_fields(constants, k):
        add_field_curvature(frames, constants, k, q, by_q, h, (v1, w1, v2, w2), c, rho, theta, f, n, gf, gn)


@portable
def add_field_curvature(frames, constants, k, q, by_q, h, here, c, rho, theta, f, n, gf, gn):
    """:func:`slice_curvature` along the coordinates of fields; ``here``: strains at both points, (gf; gn) = T^T (f; n)."""
    first = frames[k, FIRST_V]
    v1, w1, v2, w2 = here
    s = lit(q[0], COMMUTATOR) * h * h
    for j in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
        one = field_direction(constants, k, q, frames[k, FIRST_Q], j)
        x, y = exponent_rate(h, v1, w1, v2, w2, one[0], one[1], one[2], one[3])
        df, dn = tangent_force(c, rho, theta, x, y, f, n)
        a1, b1, a2, b2 = strain_forces(h, v1, w1, v2, w2, df, dn)
        a1 = subtract(a1, scale(s, cross(gf, one[3])))
        b1 = subtract(b1, scale(s, add(cross(gf, one[2]), cross(gn, one[3]))))
        a2 = add(a2, scale(s, cross(gf, one[1])))
        b2 = add(b2, scale(s, add(cross(gf, one[0]), cross(gn, one[1]))))
        add_coordinate_column(frames, constants, k, q, a1, b1, a2, b2, by_q, first + j)
        a1, b1, a2, b2 = strain_forces(h, v1, w1, v2, w2, gf, gn)
        for i in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
            bend = field_bend(constants, k, q, frames[k, FIRST_Q], i, j, a1, b1, a2, b2)
            by_q[first + i, first + j] = by_q[first + i, first + j] + bend


@portable(inline=True)
def tangent_force(c, rho, theta, x, w, f, n):
    """D T(Omega)[(x; w)]^T (f; n) with c = stumpff(theta.theta)."""
    d = jacobian_derivative_from(c, theta, w)
    u = matrix_sum(jacobian_second_derivative_from(c, theta, rho, w), jacobian_derivative_from(c, theta, x))
    return pulled_back(d, u, f, n)


@portable(inline=True)
def add_part(constants, k, one, two, start, end, matrix, first, j):
    """matrix[first + i, j] += phi1_i one + phi2_i two for the modes start ... end - 1."""
    for i in range(start, end):
        matrix[first + i, j] = (
            matrix[first + i, j] + constants[k, SLICE.modes + 2 * i] * one + constants[k, SLICE.modes + 2 * i + 1] * two
        )


@portable
def add_coordinate_column(frames, constants, k, q, f1, n1, f2, n2, matrix, j):
    """Add forces along the coordinates of slice k, from those along the strains of its points, to column j of a matrix."""
    first = frames[k, FIRST_V]
    e0, e1, e2, e3, e4, e5 = strain_ends(constants, k)
    add_part(constants, k, f1[0], f2[0], 0, e0, matrix, first, j)
    add_part(constants, k, f1[1], f2[1], e0, e1, matrix, first, j)
    add_part(constants, k, f1[2], f2[2], e1, e2, matrix, first, j)
    add_part(constants, k, n1[0], n2[0], e2, e3, matrix, first, j)
    add_part(constants, k, n1[1], n2[1], e3, e4, matrix, first, j)
    add_part(constants, k, n1[2], n2[2], e4, e5, matrix, first, j)
    if has_fields(constants, k):
        for i in range(e5, frames[k, COUNT_V]):
            force = along_field(constants, k, q, frames[k, FIRST_Q], i, f1, n1, f2, n2)
            matrix[first + i, j] = matrix[first + i, j] + force
