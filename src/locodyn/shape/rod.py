"""One slice of a rod: its pose, twist and acceleration from the strain modes, and the forces along them.

The pose of the end of a slice of length h in its start is one step of the Magnus expansion of g' = g hat(xi) (Gotelli 2024,
5.4.3), with the strains xi1, xi2 at two Gauss points,

    g = exp(Omega),     Omega = h/2 (xi1 + xi2) + sqrt(3)/12 h^2 [xi1, xi2].

Its twist and acceleration are exact derivatives of this pose, with T the right Jacobian of SE(3),

    s = T(Omega) Omegadot,     sdot = T(Omega) Omegaddot + (dT/dt) Omegadot,

so that a rod is a Lagrangian system of its modes whatever the number of its slices. In D1, D2, Omegadot = D1 xidot1 + D2 xidot2.
Strains are pairs (linear 3, angular 3). Strain fields (:mod:`locodyn.shape.field`) are added to what the modes make.
"""

from __future__ import annotations

from locodyn.kernel import fma, lit, portable
from locodyn.kernel.vector import add, add_times, cross, dot, load3, load9, multiply, rotate, rotate_back, scale
from locodyn.lie.matrices import combine, jordan, matrix_sum, skew_and_symmetric
from locodyn.lie.series import stumpff
from locodyn.lie.so3 import (
    jacobian_derivative_from,
    jacobian_from,
    jacobian_second_derivative_from,
    polynomial_apply,
)
from locodyn.robot.layout import OFFSET_POSITION, OFFSET_ROTATION, SLICE
from locodyn.shape.field import added, field_motions, field_rates, field_strains, has_fields

COMMUTATOR = 0.14433756729740643  # sqrt(3) / 12


@portable(inline=True)
def strain_ends(constants, k):
    """Numbers before which the modes of the six strains of slice k end; those of strain c begin where those before it end."""
    return (
        int(constants[k, SLICE.strain_end]),
        int(constants[k, SLICE.strain_end + 1]),
        int(constants[k, SLICE.strain_end + 2]),
        int(constants[k, SLICE.strain_end + 3]),
        int(constants[k, SLICE.strain_end + 4]),
        int(constants[k, SLICE.strain_end + 5]),
    )


@portable(inline=True)
def strain_sum(constants, k, q, i, first, last):
    """Sum of modes first ... last - 1 of slice k at its two points, for the coordinates q[i:]."""
    one = lit(q[0], 0.0)
    two = lit(q[0], 0.0)
    for j in range(first, last):
        one = fma(constants[k, SLICE.modes + 2 * j], q[i + j], one)
        two = fma(constants[k, SLICE.modes + 2 * j + 1], q[i + j], two)
    return one, two


@portable(inline=True)
def motion_sums(constants, k, q, i, v, a, j, first, last):
    """:func:`strain_sum` of coordinates q[i:], velocities v[j:] and accelerations a[j:] together: each function is read once."""
    o = lit(q[0], 0.0)
    q1, q2, v1, v2, a1, a2 = o, o, o, o, o, o
    for n in range(first, last):
        one = constants[k, SLICE.modes + 2 * n]
        two = constants[k, SLICE.modes + 2 * n + 1]
        q1 = fma(one, q[i + n], q1)
        q2 = fma(two, q[i + n], q2)
        v1 = fma(one, v[j + n], v1)
        v2 = fma(two, v[j + n], v2)
        a1 = fma(one, a[j + n], a1)
        a2 = fma(two, a[j + n], a2)
    return q1, q2, v1, v2, a1, a2


@portable(inline=True)
def mode_strains(constants, k, v, i):
    """Strains at the two points from the modes alone, each (linear, angular): also maps rates and accelerations."""
    e0, e1, e2, e3, e4, e5 = strain_ends(constants, k)
    a0, b0 = strain_sum(constants, k, v, i, 0, e0)
    a1, b1 = strain_sum(constants, k, v, i, e0, e1)
    a2, b2 = strain_sum(constants, k, v, i, e1, e2)
    a3, b3 = strain_sum(constants, k, v, i, e2, e3)
    a4, b4 = strain_sum(constants, k, v, i, e3, e4)
    a5, b5 = strain_sum(constants, k, v, i, e4, e5)
    return (a0, a1, a2), (a3, a4, a5), (b0, b1, b2), (b3, b4, b5)


@portable(inline=True)
def mode_motions(constants, k, q, i, v, a, j):
    """Strains at the two points, their rates and accelerations, in one pass over the modes; fields apart."""
    e0, e1, e2, e3, e4, e5 = strain_ends(constants, k)
    p0, s0, x0, y0, a0, b0 = motion_sums(constants, k, q, i, v, a, j, 0, e0)
    p1, s1, x1, y1, a1, b1 = motion_sums(constants, k, q, i, v, a, j, e0, e1)
    p2, s2, x2, y2, a2, b2 = motion_sums(constants, k, q, i, v, a, j, e1, e2)
    p3, s3, x3, y3, a3, b3 = motion_sums(constants, k, q, i, v, a, j, e2, e3)
    p4, s4, x4, y4, a4, b4 = motion_sums(constants, k, q, i, v, a, j, e3, e4)
    p5, s5, x5, y5, a5, b5 = motion_sums(constants, k, q, i, v, a, j, e4, e5)
    values = with_rest(constants, k, (p0, p1, p2), (p3, p4, p5), (s0, s1, s2), (s3, s4, s5))
    rates = ((x0, x1, x2), (x3, x4, x5), (y0, y1, y2), (y3, y4, y5))
    seconds = ((a0, a1, a2), (a3, a4, a5), (b0, b1, b2), (b3, b4, b5))
    return values, rates, seconds


@portable(inline=True)
def strain_motions(constants, k, q, i, v, a, j):
    """:func:`mode_motions`, and those of the fields."""
    values, rates, seconds = mode_motions(constants, k, q, i, v, a, j)
    if has_fields(constants, k):
        field, rates_of_field, seconds_of_field = field_motions(constants, k, q, i, v, a, j)
        return added(values, field), added(rates, rates_of_field), added(seconds, seconds_of_field)
    return values, rates, seconds


@portable(inline=True)
def strains(constants, k, q, i):
    """Strains at the two points, those without load and those of fields included."""
    v1, w1, v2, w2 = mode_strains(constants, k, q, i)
    values = with_rest(constants, k, v1, w1, v2, w2)
    return added(values, field_strains(constants, k, q, i)) if has_fields(constants, k) else values


@portable(inline=True)
def strains_and_rates(constants, k, q, i, v, j):
    """Strains at the two points and their rates."""
    v1, w1, v2, w2 = mode_strains(constants, k, q, i)
    values = with_rest(constants, k, v1, w1, v2, w2)
    rates = mode_strains(constants, k, v, j)
    if has_fields(constants, k):
        field, rates_of_field = field_rates(constants, k, q, i, v, j)
        return added(values, field), added(rates, rates_of_field)
    return values, rates


@portable(inline=True)
def with_rest(constants, k, v1, w1, v2, w2):
    """Strains at the two points of slice k with those without load added."""
    return (
        add(v1, load3(constants, k, SLICE.rest_strain)),
        add(w1, load3(constants, k, SLICE.rest_strain + 3)),
        add(v2, load3(constants, k, SLICE.rest_strain + 6)),
        add(w2, load3(constants, k, SLICE.rest_strain + 9)),
    )


@portable(inline=True)
def bracket(v, w, x, y):
    """[(v; w), (x; y)] = (w x x + v x y; w x y)."""
    return add(cross(w, x), cross(v, y)), cross(w, y)


@portable(inline=True)
def exponent(h, v1, w1, v2, w2):
    """Omega: (linear, angular)."""
    bv, bw = bracket(v1, w1, v2, w2)
    half = lit(v1[0], 0.5) * h
    c = lit(v1[0], COMMUTATOR) * h * h
    return combine(half, add(v1, v2), c, bv), combine(half, add(w1, w2), c, bw)


@portable(inline=True)
def exponent_rate(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2):
    """Omegadot for the rates (dv; dw) of the strains."""
    av, aw = bracket(dv1, dw1, v2, w2)
    bv, bw = bracket(v1, w1, dv2, dw2)
    half = lit(v1[0], 0.5) * h
    c = lit(v1[0], COMMUTATOR) * h * h
    return combine(half, add(dv1, dv2), c, add(av, bv)), combine(half, add(dw1, dw2), c, add(aw, bw))


@portable(inline=True)
def exponent_acceleration(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2, ev1, ew1, ev2, ew2):
    """Omegaddot: its rate along the accelerations (ev; ew) of the strains, and twice the bracket of their rates (dv; dw)."""
    rho, theta = exponent_rate(h, v1, w1, v2, w2, ev1, ew1, ev2, ew2)
    bv, bw = bracket(dv1, dw1, dv2, dw2)
    twice = lit(v1[0], 2.0 * COMMUTATOR) * h * h
    return add_times(rho, twice, bv), add_times(theta, twice, bw)


@portable(inline=True)
def exponential(c, rho, theta):
    """(R, p) = exp((rho; theta)) with c = stumpff(theta.theta)."""
    half = lit(rho[0], 0.5) * c[2]
    r = skew_and_symmetric(lit(rho[0], 1.0), scale(c[1], theta), jordan(theta, scale(half, theta)))
    return r, polynomial_apply(c[2], c[3], theta, rho)


@portable(inline=True)
def on_parent(constants, k, r, p):
    """The pose (r, p) of the end of slice k, seen from the parent frame."""
    r0 = load9(constants, k, OFFSET_ROTATION)
    return multiply(r0, r), add(load3(constants, k, OFFSET_POSITION), rotate(r0, p))


@portable(late=(9, 3))
def slice_pose(constants, k, q, i):
    """Pose of slice k in its parent; q[i] is the first coordinate of the rod."""
    v1, w1, v2, w2 = strains(constants, k, q, i)
    rho, theta = exponent(constants[k, SLICE.length], v1, w1, v2, w2)
    r, p = exponential(stumpff(dot(theta, theta)), rho, theta)
    return on_parent(constants, k, r, p)


@portable(late=(9, 3, 3, 3))
def slice_twist(constants, k, q, i, v, j):
    """Pose of slice k in its parent and the twist s of the slice in its frame: (R, p, linear, angular)."""
    (v1, w1, v2, w2), (dv1, dw1, dv2, dw2) = strains_and_rates(constants, k, q, i, v, j)
    h = constants[k, SLICE.length]
    rho, theta = exponent(h, v1, w1, v2, w2)
    drho, dtheta = exponent_rate(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2)
    c = stumpff(dot(theta, theta))
    r, p = exponential(c, rho, theta)
    r, p = on_parent(constants, k, r, p)
    d = jacobian_from(c, theta)
    u = jacobian_derivative_from(c, theta, rho)
    return r, p, add(rotate(d, drho), rotate(u, dtheta)), rotate(d, dtheta)


@portable(late=(9, 3, 3, 3, 3, 3, 9, 9, 3, 3, 3, 3))
def slice_motion(constants, k, q, i, v, a, j):
    """:func:`motion_of_slice` of the strains of the modes and of the fields, called."""
    return motion_of_slice(constants, k, strain_motions(constants, k, q, i, v, a, j))


@portable(inline=True)
def motion_of_slice(constants, k, moving):
    """Pose of slice k in its parent, twist s and acceleration sdot of the slice, all that :func:`slice_force` needs.

    ``moving``: as of :func:`strain_motions`.
    Returns (R, p, s linear, s angular, sdot linear, sdot angular, T diagonal, T upper, v1, w1, v2, w2).
    """
    (v1, w1, v2, w2), (dv1, dw1, dv2, dw2), (ev1, ew1, ev2, ew2) = moving
    h = constants[k, SLICE.length]
    rho, theta = exponent(h, v1, w1, v2, w2)
    drho, dtheta = exponent_rate(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2)
    erho, etheta = exponent_acceleration(h, v1, w1, v2, w2, dv1, dw1, dv2, dw2, ev1, ew1, ev2, ew2)
    c = stumpff(dot(theta, theta))
    r, p = exponential(c, rho, theta)
    r, p = on_parent(constants, k, r, p)
    d = jacobian_from(c, theta)
    u = jacobian_derivative_from(c, theta, rho)
    dd = jacobian_derivative_from(c, theta, dtheta)
    du = matrix_sum(jacobian_second_derivative_from(c, theta, rho, dtheta), jacobian_derivative_from(c, theta, drho))
    sv = add(rotate(d, drho), rotate(u, dtheta))
    sw = rotate(d, dtheta)
    av = add(add(rotate(d, erho), rotate(u, etheta)), add(rotate(dd, drho), rotate(du, dtheta)))
    aw = add(rotate(d, etheta), rotate(dd, dtheta))
    return r, p, sv, sw, av, aw, d, u, v1, w1, v2, w2


@portable(inline=True)
def pulled_back(d, u, f, n):
    """T^T (f; n) of the block pair (d, u)."""
    return rotate_back(d, f), add(rotate_back(u, f), rotate_back(d, n))


@portable(inline=True)
def strain_forces(h, v1, w1, v2, w2, f, n):
    """D1^T (f; n) and D2^T (f; n): forces along the strains of the two points, for a wrench (f; n) along Omega."""
    half = lit(f[0], 0.5) * h
    c = lit(f[0], COMMUTATOR) * h * h
    f0 = scale(half, f)
    n0 = scale(half, n)
    # ad(x)^T (f; n) = (f x w; f x v + n x w)
    return (
        add_times(f0, -c, cross(f, w2)),
        add_times(n0, -c, add(cross(f, v2), cross(n, w2))),
        add_times(f0, c, cross(f, w1)),
        add_times(n0, c, add(cross(f, v1), cross(n, w1))),
    )


@portable(inline=True)
def add_along(constants, k, one, two, first, last, tau, i):
    """tau_j += phi1_j one + phi2_j two for the modes first ... last - 1."""
    for j in range(first, last):
        tau[i + j] = fma(constants[k, SLICE.modes + 2 * j + 1], two, fma(constants[k, SLICE.modes + 2 * j], one, tau[i + j]))


@portable(inline=True)
def add_mode_forces(constants, k, f1, n1, f2, n2, tau, i):
    """Add the forces along the modes of slice k, from those along the strains of its two points, to tau[i:]."""
    e0, e1, e2, e3, e4, e5 = strain_ends(constants, k)
    add_along(constants, k, f1[0], f2[0], 0, e0, tau, i)
    add_along(constants, k, f1[1], f2[1], e0, e1, tau, i)
    add_along(constants, k, f1[2], f2[2], e1, e2, tau, i)
    add_along(constants, k, n1[0], n2[0], e2, e3, tau, i)
    add_along(constants, k, n1[1], n2[1], e3, e4, tau, i)
    add_along(constants, k, n1[2], n2[2], e4, e5, tau, i)


@portable(inline=True)
def add_slice_force(constants, k, d, u, v1, w1, v2, w2, f, n, tau, j):
    """Add S^T (f; n), forces along the modes from the wrench (f; n) on slice k in its frame, to tau[j:]."""
    f, n = pulled_back(d, u, f, n)
    f1, n1, f2, n2 = strain_forces(constants[k, SLICE.length], v1, w1, v2, w2, f, n)
    add_mode_forces(constants, k, f1, n1, f2, n2, tau, j)
