"""Strain fields of rods: strains at the two points of a slice that are not linear in the coordinates of the rod.

    xi(s) = xi_rest(s) + sum_j Phi_j(s) q_j + F(s, y),

y the coordinates of the fields: the phase of a wave, its amplitude. The column of such a coordinate in the Jacobians of a rod is
dF/dy_n instead of a strain function Phi_j, and its motion adds F'' ydot ydot to the accelerations of the strains: nothing else
distinguishes it from a strain mode. F is evaluated where it is needed, from the state and the rows of its terms
(:mod:`locodyn.motion.field_base`), so that no array must be kept in step with the state.

Results are pairs (linear, angular) at the first and at the second point, as everywhere in :mod:`locodyn.shape.rod`.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import dot
from locodyn.motion.field_base import TERM
from locodyn.motion.field_table import term_jet, term_partials
from locodyn.robot.layout import FIELD_TERM, MOST_PLACES, SLICE


@portable(inline=True)
def has_fields(constants, k):
    """True when the rod of slice k has strain fields."""
    return int(constants[k, SLICE.field_last]) > 0


@portable
def put(x, w, c, value):
    """(x; w) with ``value`` added to component c."""
    return (
        (x[0] + value if c == 0 else x[0], x[1] + value if c == 1 else x[1], x[2] + value if c == 2 else x[2]),
        (w[0] + value if c == 3 else w[0], w[1] + value if c == 4 else w[1], w[2] + value if c == 5 else w[2]),
    )


@portable(inline=True)
def put_both(pair, c, both):
    """The strains at both points with the numbers ``both`` (one for each point) added to component c."""
    x1, w1, x2, w2 = pair
    x1, w1 = put(x1, w1, c, both[0])
    x2, w2 = put(x2, w2, c, both[1])
    return x1, w1, x2, w2


@portable(inline=True)
def weighted(both, constants, k, n, value):
    """The numbers of both points with ``value`` at place n of the slice added, by the weights of the place."""
    one = both[0] + constants[k, SLICE.place_weights + n] * value
    return one, both[1] + constants[k, SLICE.place_weights + MOST_PLACES + n] * value


@portable(inline=True)
def nothing(like):
    """No strain at both points."""
    o = lit(like, 0.0)
    return (o, o, o), (o, o, o), (o, o, o), (o, o, o)


@portable(inline=True)
def added(one, two):
    """Strains at both points, added."""
    return (
        (one[0][0] + two[0][0], one[0][1] + two[0][1], one[0][2] + two[0][2]),
        (one[1][0] + two[1][0], one[1][1] + two[1][1], one[1][2] + two[1][2]),
        (one[2][0] + two[2][0], one[2][1] + two[2][1], one[2][2] + two[2][2]),
        (one[3][0] + two[3][0], one[3][1] + two[3][1], one[3][2] + two[3][2]),
    )


@portable(inline=True)
def entry(x, i, n, otherwise):
    """x[i + n], or ``otherwise`` for n = -1."""
    return x[i + n] if n >= 0 else lit(x[0], otherwise)


@portable
def jet_at(constants, k, m, n, sigma):
    """Term m at place n of slice k: value and three derivatives by the phase."""
    return term_jet(constants, m, FIELD_TERM, constants[k, SLICE.places + n], sigma, 0.0, 1.0)


@portable(late=(3, 3, 3, 3))
def field_strains(constants, k, q, i):
    """F at the two points of slice k; q[i] is the first coordinate of the rod."""
    result = nothing(q[0])
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        c = int(constants[m, FIELD_TERM + TERM.strain])
        sigma = entry(q, i, int(constants[m, FIELD_TERM + TERM.phase]), 0.0)
        y = entry(q, i, int(constants[m, FIELD_TERM + TERM.amplitude]), 1.0)
        value = (lit(y, 0.0), lit(y, 0.0))
        for n in range(int(constants[k, SLICE.place_count])):
            p = jet_at(constants, k, m, n, sigma)
            value = weighted(value, constants, k, n, y * p[0])
        result = put_both(result, c, value)
    return result


@portable(late=((3, 3, 3, 3), (3, 3, 3, 3), (3, 3, 3, 3)))
def field_motions(constants, k, q, i, v, a, j):
    """F, its rate and its acceleration at the two points of slice k, for velocities v[j:] and accelerations a[j:]."""
    values = nothing(q[0])
    rates = nothing(q[0])
    seconds = nothing(q[0])
    two = lit(q[0], 2.0)
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        c = int(constants[m, FIELD_TERM + TERM.strain])
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        dx = entry(v, j, phase, 0.0)
        ddx = entry(a, j, phase, 0.0)
        y = entry(q, i, amplitude, 1.0)
        dy = entry(v, j, amplitude, 0.0)
        ddy = entry(a, j, amplitude, 0.0)
        value = (lit(y, 0.0), lit(y, 0.0))
        rate = value
        second = value
        for n in range(int(constants[k, SLICE.place_count])):
            p = jet_at(constants, k, m, n, entry(q, i, phase, 0.0))
            value = weighted(value, constants, k, n, y * p[0])
            rate = weighted(rate, constants, k, n, y * p[1] * dx + p[0] * dy)
            here = y * (p[1] * ddx + p[2] * dx * dx) + two * p[1] * dx * dy + p[0] * ddy
            second = weighted(second, constants, k, n, here)
        values = put_both(values, c, value)
        rates = put_both(rates, c, rate)
        seconds = put_both(seconds, c, second)
    return values, rates, seconds


@portable(late=((3, 3, 3, 3), (3, 3, 3, 3)))
def field_rates(constants, k, q, i, v, j):
    """F and its rate at the two points of slice k, for velocities v[j:]."""
    values = nothing(q[0])
    rates = nothing(q[0])
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        c = int(constants[m, FIELD_TERM + TERM.strain])
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        dx = entry(v, j, phase, 0.0)
        y = entry(q, i, amplitude, 1.0)
        dy = entry(v, j, amplitude, 0.0)
        value = (lit(y, 0.0), lit(y, 0.0))
        rate = value
        for n in range(int(constants[k, SLICE.place_count])):
            p = jet_at(constants, k, m, n, entry(q, i, phase, 0.0))
            value = weighted(value, constants, k, n, y * p[0])
            rate = weighted(rate, constants, k, n, y * p[1] * dx + p[0] * dy)
        values = put_both(values, c, value)
        rates = put_both(rates, c, rate)
    return values, rates


@portable(late=(3, 3, 3, 3))
def field_direction(constants, k, q, i, coordinate):
    """dF/dy at the two points of slice k, y = q[i + coordinate]."""
    result = nothing(q[0])
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        if phase == coordinate or amplitude == coordinate:
            c = int(constants[m, FIELD_TERM + TERM.strain])
            y = entry(q, i, amplitude, 1.0)
            value = (lit(y, 0.0), lit(y, 0.0))
            for n in range(int(constants[k, SLICE.place_count])):
                p = jet_at(constants, k, m, n, entry(q, i, phase, 0.0))
                value = weighted(value, constants, k, n, y * p[1] if phase == coordinate else p[0])
            result = put_both(result, c, value)
    return result


@portable(late=((3, 3, 3, 3), (3, 3, 3, 3), (3, 3, 3, 3)))
def field_direction_motions(constants, k, q, i, v, a, j, coordinate):
    """:func:`field_direction`, its rate and its acceleration along the motion."""
    values = nothing(q[0])
    rates = nothing(q[0])
    seconds = nothing(q[0])
    two = lit(q[0], 2.0)
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        if phase == coordinate or amplitude == coordinate:
            c = int(constants[m, FIELD_TERM + TERM.strain])
            dx = entry(v, j, phase, 0.0)
            ddx = entry(a, j, phase, 0.0)
            y = entry(q, i, amplitude, 1.0)
            dy = entry(v, j, amplitude, 0.0)
            ddy = entry(a, j, amplitude, 0.0)
            value = (lit(y, 0.0), lit(y, 0.0))
            rate = value
            second = value
            for n in range(int(constants[k, SLICE.place_count])):
                p = jet_at(constants, k, m, n, entry(q, i, phase, 0.0))
                if phase == coordinate:
                    p0 = y * p[1]
                    p1 = y * p[2] * dx + p[1] * dy
                    p2 = y * (p[2] * ddx + p[3] * dx * dx) + two * p[2] * dx * dy + p[1] * ddy
                else:
                    p0 = p[0]
                    p1 = p[1] * dx
                    p2 = p[1] * ddx + p[2] * dx * dx
                value = weighted(value, constants, k, n, p0)
                rate = weighted(rate, constants, k, n, p1)
                second = weighted(second, constants, k, n, p2)
            values = put_both(values, c, value)
            rates = put_both(rates, c, rate)
            seconds = put_both(seconds, c, second)
    return values, rates, seconds


@portable(late=1)
def field_bend(constants, k, q, i, one, other, f1, n1, f2, n2):
    """(f; n)^T d2F / dy_one dy_other, forces (f; n) along the strains of both points."""
    total = lit(q[0], 0.0)
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        twice = phase == one and phase == other
        mixed = (phase == one and amplitude == other) or (phase == other and amplitude == one)
        if phase >= 0 and (twice or mixed):
            c = int(constants[m, FIELD_TERM + TERM.strain])
            y = entry(q, i, amplitude, 1.0)
            for n in range(int(constants[k, SLICE.place_count])):
                p = jet_at(constants, k, m, n, entry(q, i, phase, 0.0))
                both = weighted((lit(y, 0.0), lit(y, 0.0)), constants, k, n, y * p[2] if twice else p[1])
                x1, w1, x2, w2 = put_both(nothing(q[0]), c, both)
                total = total + dot(x1, f1) + dot(w1, n1) + dot(x2, f2) + dot(w2, n2)
    return total


@portable(inline=True)
def along_field(constants, k, q, i, coordinate, f1, n1, f2, n2):
    """(f; n)^T dF/dy: force along a coordinate of a field from those along the strains of both points."""
    x1, w1, x2, w2 = field_direction(constants, k, q, i, coordinate)
    return dot(x1, f1) + dot(w1, n1) + dot(x2, f2) + dot(w2, n2)


# --------------------------------------------------------------------------------------------------------- at any abscissa
@portable(late=((3, 3), (3, 3), (3, 3), (3, 3), (3, 3)))
def field_at(constants, k, s, q, i, v, j):
    """Fields of the rod of slice k at any place s (m), each (linear, angular), without modes and rest strain:

    (F, first, second derivative along the rod, rate, derivative of the rate along the rod).
    """
    o = lit(q[0], 0.0)
    zero = ((o, o, o), (o, o, o))
    value, one, two, rate, rate_one = zero, zero, zero, zero, zero
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        c = int(constants[m, FIELD_TERM + TERM.strain])
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        dx = entry(v, j, phase, 0.0)
        y = entry(q, i, amplitude, 1.0)
        dy = entry(v, j, amplitude, 0.0)
        f, fs, fp, fss, fsp, _ = term_partials(constants, m, FIELD_TERM, s, entry(q, i, phase, 0.0))
        value = put(value[0], value[1], c, y * f)
        one = put(one[0], one[1], c, y * fs)
        two = put(two[0], two[1], c, y * fss)
        rate = put(rate[0], rate[1], c, y * fp * dx + f * dy)
        rate_one = put(rate_one[0], rate_one[1], c, y * fsp * dx + fs * dy)
    return value, one, two, rate, rate_one


@portable(late=((3, 3), (3, 3)))
def field_direction_at(constants, k, s, speed, q, i, v, j, coordinate):
    """dF/dy, y = q[i + coordinate], at a place s (m) that moves with ``speed`` (m/s), and its time derivative."""
    o = lit(q[0], 0.0)
    value = ((o, o, o), (o, o, o))
    rate = value
    for m in range(int(constants[k, SLICE.field_first]), int(constants[k, SLICE.field_last])):
        phase = int(constants[m, FIELD_TERM + TERM.phase])
        amplitude = int(constants[m, FIELD_TERM + TERM.amplitude])
        if phase == coordinate or amplitude == coordinate:
            c = int(constants[m, FIELD_TERM + TERM.strain])
            dx = entry(v, j, phase, 0.0)
            y = entry(q, i, amplitude, 1.0)
            dy = entry(v, j, amplitude, 0.0)
            f, fs, fp, _, fsp, fpp = term_partials(constants, m, FIELD_TERM, s, entry(q, i, phase, 0.0))
            if phase == coordinate:
                value = put(value[0], value[1], c, y * fp)
                rate = put(rate[0], rate[1], c, y * (fsp * speed + fpp * dx) + fp * dy)
            else:
                value = put(value[0], value[1], c, f)
                rate = put(rate[0], rate[1], c, fs * speed + fp * dx)
    return value, rate
