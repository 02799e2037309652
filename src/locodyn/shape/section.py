"""The section of a rod at any abscissa C, which may move along the rod: its pose, and its twist for unit rates of everything.

The slice k in which C lies is integrated up to C only, from its start s_k with length h = C - s_k. As everywhere (see
:mod:`locodyn.shape.rod`), the pose is one step of the Magnus expansion with the strains at its own two Gauss points,

    g = exp(Omega),     Omega = 1/2 (y1 + y2) + sqrt(3)/12 [y1, y2],     y_n = h xi(s_k + c_n h),

so that it is of order 4 in the length of slices, and of the whole slice where C is its end: nothing jumps when C crosses a node.
Omega depends on the coordinates of the rod and on C. Its derivatives by all of them are exact, with the columns

    S_j = T(Omega) (D1 dy1/dq_j + D2 dy2/dq_j),       S_C = T(Omega) (D1 dy1/dC + D2 dy2/dC)

in the axes of the section. Material moves with sum_j S_j qdot_j relative to the node, the place C(t) with S_C Cdot more.

Strain functions and rest strains within a slice are polynomials of degree 5 through six points, the two Gauss points of the whole
slice among them (:func:`locodyn.locomotion.rod_contacts.rod_sections`): exact for polynomial bases up to that degree. Strain
fields are evaluated where they are needed.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.vector import add, add_times, dot, scale, store3
from locodyn.lie.matrices import combine, matrix_sum
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import jacobian_derivative_from, jacobian_from, jacobian_second_derivative_from
from locodyn.robot.layout import COUNT_V, FIRST_Q, FIRST_V, SLICE
from locodyn.shape.columns import blocks_times, column_rate, exponent_column_rates, exponent_columns, first_mode
from locodyn.shape.field import field_at, field_direction_at, has_fields
from locodyn.shape.rod import COMMUTATOR, bracket, exponent, exponent_rate, exponential, on_parent, strain_ends

COEFFICIENTS = 6  # of the polynomials, lowest first, in x = -1 ... 1 from start to end of the slice
FIRST_POINT, SECOND_POINT = 0.21132486540518713, 0.7886751345948129  # 1/2 -+ sqrt(3)/6, c_n of the Gauss points


class RodSections(Bundle):
    """Strains within the slices of rods. n: the most coordinates that a rod has."""

    start: np.ndarray  # (nf,) m: abscissa at which a slice begins
    rest: np.ndarray  # (nf, 6 COEFFICIENTS) of the six strains without load
    functions: np.ndarray  # (nf, n COEFFICIENTS) of the strain functions
    columns: np.ndarray  # (n, 6) S_j of the section looked at last
    column_rates: np.ndarray  # (n, 6) and their time derivatives


@compiled(inline=True)
def jet(table, k, first, x):
    """Polynomial in columns ``first`` ... of row k, with its first and second derivative by x."""
    value = table[k, first + COEFFICIENTS - 1]
    one = 0.0
    half = 0.0
    for c in range(COEFFICIENTS - 2, -1, -1):
        half = half * x + one
        one = one * x + value
        value = value * x + table[k, first + c]
    return value, one, half + half


@compiled(inline=True)
def strain_jet(sections, k, c, first, last, x, q, i, v, j):
    """Strain c with its modes first ... last - 1 at x: value, two derivatives by x; rate, and its derivative by x."""
    value, one, two = jet(sections.rest, k, COEFFICIENTS * c, x)
    rate = 0.0
    rate_one = 0.0
    for n in range(first, last):
        f0, f1, f2 = jet(sections.functions, k, COEFFICIENTS * n, x)
        value += f0 * q[i + n]
        one += f1 * q[i + n]
        two += f2 * q[i + n]
        rate += f0 * v[j + n]
        rate_one += f1 * v[j + n]
    return value, one, two, rate, rate_one


@compiled(inline=True)
def scaled(s, pair):
    """s (linear, angular)."""
    return scale(s, pair[0]), scale(s, pair[1])


@compiled(inline=True)
def plus(pair, s, other):
    """pair + s other, each (linear, angular)."""
    return add_times(pair[0], s, other[0]), add_times(pair[1], s, other[1])


@compiled
def strain_at(sections, constants, k, share, h, q, i, v, j):
    """Strain at the share of the way h (m) from the start of slice k, each (linear, angular):

    (value, first, second derivative along the rod, rate, derivative of the rate along the rod).
    """
    per = 2.0 / constants[k, SLICE.length]
    x = share * h * per - 1.0
    e0, e1, e2, e3, e4, e5 = strain_ends(constants, k)
    a0, b0, c0, d0, f0 = strain_jet(sections, k, 0, 0, e0, x, q, i, v, j)
    a1, b1, c1, d1, f1 = strain_jet(sections, k, 1, e0, e1, x, q, i, v, j)
    a2, b2, c2, d2, f2 = strain_jet(sections, k, 2, e1, e2, x, q, i, v, j)
    a3, b3, c3, d3, f3 = strain_jet(sections, k, 3, e2, e3, x, q, i, v, j)
    a4, b4, c4, d4, f4 = strain_jet(sections, k, 4, e3, e4, x, q, i, v, j)
    a5, b5, c5, d5, f5 = strain_jet(sections, k, 5, e4, e5, x, q, i, v, j)
    square = per * per
    value = ((a0, a1, a2), (a3, a4, a5))
    one = ((per * b0, per * b1, per * b2), (per * b3, per * b4, per * b5))
    two = ((square * c0, square * c1, square * c2), (square * c3, square * c4, square * c5))
    rate = ((d0, d1, d2), (d3, d4, d5))
    rate_one = ((per * f0, per * f1, per * f2), (per * f3, per * f4, per * f5))
    if has_fields(constants, k):
        field = field_at(constants, k, sections.start[k] + share * h, q, i, v, j)
        value, one, two = plus(value, 1.0, field[0]), plus(one, 1.0, field[1]), plus(two, 1.0, field[2])
        rate, rate_one = plus(rate, 1.0, field[3]), plus(rate_one, 1.0, field[4])
    return value, one, two, rate, rate_one


@compiled(inline=True)
def point_motion(strain, share, h, speed):
    """(y, ydot, dy/dC, d/dt dy/dC) of one Gauss point, C moving with ``speed`` (m/s)."""
    xi, one, two, rate, rate_one = strain
    moving = plus(rate, share * speed, one)  # d/dt xi(s_k + share h(t), t)
    by_place = plus(xi, h * share, one)
    by_place_rate = plus(plus(moving, share * speed, one), h * share, plus(rate_one, share * speed, two))
    return scaled(h, xi), plus(scaled(speed, xi), h, moving), by_place, by_place_rate


@compiled(called=True)
def section_pose(sections, frames, constants, k, place, q, v):
    """Pose of the section at ``place`` (m) in slice k, seen from the parent of k, its twist there, and S_C.

    Returns (R, p, linear, angular of sum_j S_j v_j, linear, angular of S_C), twists in the axes of the section.
    """
    h = place - sections.start[k]
    i, j = frames[k, FIRST_Q], frames[k, FIRST_V]
    y1, dy1, c1, _ = point_motion(strain_at(sections, constants, k, FIRST_POINT, h, q, i, v, j), FIRST_POINT, h, 0.0)
    y2, dy2, c2, _ = point_motion(strain_at(sections, constants, k, SECOND_POINT, h, q, i, v, j), SECOND_POINT, h, 0.0)
    rho, theta = exponent(1.0, y1[0], y1[1], y2[0], y2[1])
    drho, dtheta = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], dy1[0], dy1[1], dy2[0], dy2[1])
    crho, ctheta = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], c1[0], c1[1], c2[0], c2[1])
    c = stumpff(dot(theta, theta))
    r, p = exponential(c, rho, theta)
    r, p = on_parent(constants, k, r, p)
    d = jacobian_from(c, theta)
    u = jacobian_derivative_from(c, theta, rho)
    sx, sw = blocks_times(d, u, drho, dtheta)
    cx, cw = blocks_times(d, u, crho, ctheta)
    return r, p, sx, sw, cx, cw


@compiled(inline=True)
def mixed(one1, one2, other1, other2):
    """[one1, other2] + [other1, one2] times its factor: what rates ``other`` of y add to the rate of D1 one1 + D2 one2."""
    av, aw = bracket(one1[0], one1[1], other2[0], other2[1])
    bv, bw = bracket(other1[0], other1[1], one2[0], one2[1])
    return scale(COMMUTATOR, add(av, bv)), scale(COMMUTATOR, add(aw, bw))


@compiled(called=True)
def section_columns(sections, frames, constants, k, place, speed, q, v):
    """Columns S_j of the section at ``place`` (m) in slice k and their rates, into ``sections``; C moves with ``speed`` (m/s).

    Returns the pose and the twist of :func:`section_pose`, S_C and its rate: (R, p, linear, angular, linear, angular, linear,
    angular). Rates are those of the components, in the axes of the section.
    """
    h = place - sections.start[k]
    i, j = frames[k, FIRST_Q], frames[k, FIRST_V]
    first = strain_at(sections, constants, k, FIRST_POINT, h, q, i, v, j)
    second = strain_at(sections, constants, k, SECOND_POINT, h, q, i, v, j)
    y1, dy1, c1, dc1 = point_motion(first, FIRST_POINT, h, speed)
    y2, dy2, c2, dc2 = point_motion(second, SECOND_POINT, h, speed)
    rho, theta = exponent(1.0, y1[0], y1[1], y2[0], y2[1])
    drho, dtheta = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], dy1[0], dy1[1], dy2[0], dy2[1])
    c = stumpff(dot(theta, theta))
    d = jacobian_from(c, theta)
    u = jacobian_derivative_from(c, theta, rho)
    dd = jacobian_derivative_from(c, theta, dtheta)
    du = matrix_sum(jacobian_second_derivative_from(c, theta, rho, dtheta), jacobian_derivative_from(c, theta, drho))
    r, p = exponential(c, rho, theta)
    r, p = on_parent(constants, k, r, p)
    m1, m2 = scaled(h, first[3]), scaled(h, second[3])  # rates of y at a place that stays
    sx, sw = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], m1[0], m1[1], m2[0], m2[1])
    sx, sw = blocks_times(d, u, sx, sw)
    nothing = (0.0, 0.0, 0.0)
    per = 2.0 / constants[k, SLICE.length]
    for strain in range(6):
        if first_mode(constants, k, strain) < int(constants[k, SLICE.strain_end + strain]):
            x1, w1, x2, w2 = exponent_columns(1.0, y1[0], y1[1], y2[0], y2[1], strain)
            a1, b1, a2, b2 = exponent_column_rates(1.0, dy1[0], dy1[1], dy2[0], dy2[1], strain)
            a1, b1 = column_rate(d, u, dd, du, nothing, nothing, x1, w1, a1, b1)
            a2, b2 = column_rate(d, u, dd, du, nothing, nothing, x2, w2, a2, b2)
            x1, w1 = blocks_times(d, u, x1, w1)
            x2, w2 = blocks_times(d, u, x2, w2)
            for n in range(first_mode(constants, k, strain), int(constants[k, SLICE.strain_end + strain])):
                f1, g1, _ = jet(sections.functions, k, COEFFICIENTS * n, FIRST_POINT * h * per - 1.0)
                f2, g2, _ = jet(sections.functions, k, COEFFICIENTS * n, SECOND_POINT * h * per - 1.0)
                # dy/dq_n = h phi, and its rate
                f1, f2, g1, g2 = (
                    h * f1,
                    h * f2,
                    speed * (f1 + FIRST_POINT * h * per * g1),
                    speed * (f2 + SECOND_POINT * h * per * g2),
                )
                store3(sections.columns, n, 0, combine(f1, x1, f2, x2))
                store3(sections.columns, n, 3, combine(f1, w1, f2, w2))
                store3(sections.column_rates, n, 0, add(combine(f1, a1, f2, a2), combine(g1, x1, g2, x2)))
                store3(sections.column_rates, n, 3, add(combine(f1, b1, f2, b2), combine(g1, w1, g2, w2)))
    if has_fields(constants, k):
        for n in range(int(constants[k, SLICE.strain_end + 5]), frames[k, COUNT_V]):
            e1, de1 = field_column(sections, constants, k, FIRST_POINT, h, speed, q, i, v, j, n)
            e2, de2 = field_column(sections, constants, k, SECOND_POINT, h, speed, q, i, v, j, n)
            x1, w1, a1, b1 = general_column(d, u, dd, du, y1, y2, dy1, dy2, e1, e2, de1, de2)
            store3(sections.columns, n, 0, x1)
            store3(sections.columns, n, 3, w1)
            store3(sections.column_rates, n, 0, a1)
            store3(sections.column_rates, n, 3, b1)
    x1, w1, a1, b1 = general_column(d, u, dd, du, y1, y2, dy1, dy2, c1, c2, dc1, dc2)
    return r, p, sx, sw, x1, w1, a1, b1


@compiled(inline=True)
def field_column(sections, constants, k, share, h, speed, q, i, v, j, n):
    """dy/dq_n at a Gauss point for the coordinate n of a strain field, h dF/dq_n, and its rate."""
    value, rate = field_direction_at(constants, k, sections.start[k] + share * h, share * speed, q, i, v, j, n)
    return scaled(h, value), plus(scaled(speed, value), h, rate)


@compiled(inline=True)
def general_column(d, u, dd, du, y1, y2, dy1, dy2, e1, e2, de1, de2):
    """T (D1 e1 + D2 e2) and its rate for changes e of y at both points, which change themselves with de."""
    x, w = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], e1[0], e1[1], e2[0], e2[1])
    a, b = exponent_rate(1.0, y1[0], y1[1], y2[0], y2[1], de1[0], de1[1], de2[0], de2[1])
    ax, aw = mixed(e1, e2, dy1, dy2)
    nothing = (0.0, 0.0, 0.0)
    a, b = column_rate(d, u, dd, du, nothing, nothing, x, w, add(a, ax), add(b, aw))
    x, w = blocks_times(d, u, x, w)
    return x, w, a, b
