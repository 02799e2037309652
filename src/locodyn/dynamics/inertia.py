"""One body: momentum, inertial wrench and articulated inertia as tuples.

A rigid inertia is (mass, first moment h = m c, inertia I about the frame's origin), M = [[m 1, -hat h], [hat h, I]] (Ali
2011, 3.5). An
articulated inertia is three blocks M = [[A, B], [B^T, C]]: A and C symmetric (6 values), B general (9 values, row by row).
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    scale,
    subtract,
    symmetric_times,
    transform_general,
    transform_symmetric,
)
from locodyn.robot.layout import ADDED, FIRST_MOMENT, INERTIA, MASS


@portable(inline=True)
def load_inertia(constants, k):
    """(mass, first moment, inertia) of frame k."""
    return constants[k, MASS], load3(constants, k, FIRST_MOMENT), load6(constants, k, INERTIA)


@portable(inline=True)
def momentum(m, h, inertia, v, w):
    """M eta: linear and angular momentum about the frame's origin."""
    return subtract(scale(m, v), cross(h, w)), add(cross(h, v), symmetric_times(inertia, w))


@portable(inline=True)
def inertial_wrench(m, h, inertia, v, w, av, aw):
    """M etadot - ad(eta)^T M eta (Ali 2011, (3.12)-(3.13)): force and moment that the motion of the body needs."""
    pv, pw = momentum(m, h, inertia, v, w)
    fv, fw = momentum(m, h, inertia, av, aw)
    return add(fv, cross(w, pv)), add(fw, add(cross(w, pw), cross(v, pv)))


@portable(inline=True)
def bias_wrench(m, h, inertia, v, w):
    """-ad(eta)^T M eta: the part of the inertial wrench that velocity alone makes."""
    pv, pw = momentum(m, h, inertia, v, w)
    return cross(w, pv), add(cross(w, pw), cross(v, pv))


@portable(inline=True)
def kinetic_energy(m, h, inertia, v, w):
    """1/2 eta^T M eta."""
    pv, pw = momentum(m, h, inertia, v, w)
    return lit(v[0], 0.5) * (dot(v, pv) + dot(w, pw))


@portable(inline=True)
def articulated_to_parent(r, p, a, b, c):
    """X^T M X: an articulated inertia of frame k seen from its parent, (R, p) the pose of k in the parent.

    Rotation first, M' = diag(R, R) M diag(R, R)^T; then the shift of the origin by -p:
    B'' = B' - A' hat(p),  C'' = C' + hat(p) B'' - B'^T hat(p).
    """
    a = transform_symmetric(r, a)
    b = transform_general(r, b)
    c = transform_symmetric(r, c)
    # A hat(p): rows of A times hat(p) = [[0, -pz, py], [pz, 0, -px], [-py, px, 0]].
    b2 = (
        b[0] - (a[1] * p[2] - a[2] * p[1]),
        b[1] - (a[2] * p[0] - a[0] * p[2]),
        b[2] - (a[0] * p[1] - a[1] * p[0]),
        b[3] - (a[3] * p[2] - a[4] * p[1]),
        b[4] - (a[4] * p[0] - a[1] * p[2]),
        b[5] - (a[1] * p[1] - a[3] * p[0]),
        b[6] - (a[4] * p[2] - a[5] * p[1]),
        b[7] - (a[5] * p[0] - a[2] * p[2]),
        b[8] - (a[2] * p[1] - a[4] * p[0]),
    )
    # hat(p) B'' - B'^T hat(p), upper triangle only.
    c2 = (
        c[0] + (p[1] * b2[6] - p[2] * b2[3]) - (b[3] * p[2] - b[6] * p[1]),
        c[1] + (p[1] * b2[7] - p[2] * b2[4]) - (b[6] * p[0] - b[0] * p[2]),
        c[2] + (p[1] * b2[8] - p[2] * b2[5]) - (b[0] * p[1] - b[3] * p[0]),
        c[3] + (p[2] * b2[1] - p[0] * b2[7]) - (b[7] * p[0] - b[1] * p[2]),
        c[4] + (p[2] * b2[2] - p[0] * b2[8]) - (b[1] * p[1] - b[4] * p[0]),
        c[5] + (p[0] * b2[5] - p[1] * b2[2]) - (b[2] * p[1] - b[5] * p[0]),
    )
    return a, b2, c2


@portable(inline=True)
def articulated_times(a, b, c, x, y):
    """M (x; y) for the three blocks of an articulated inertia."""
    return (
        (
            a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + b[0] * y[0] + b[1] * y[1] + b[2] * y[2],
            a[1] * x[0] + a[3] * x[1] + a[4] * x[2] + b[3] * y[0] + b[4] * y[1] + b[5] * y[2],
            a[2] * x[0] + a[4] * x[1] + a[5] * x[2] + b[6] * y[0] + b[7] * y[1] + b[8] * y[2],
        ),
        (
            b[0] * x[0] + b[3] * x[1] + b[6] * x[2] + c[0] * y[0] + c[1] * y[1] + c[2] * y[2],
            b[1] * x[0] + b[4] * x[1] + b[7] * x[2] + c[1] * y[0] + c[3] * y[1] + c[4] * y[2],
            b[2] * x[0] + b[5] * x[1] + b[8] * x[2] + c[2] * y[0] + c[4] * y[1] + c[5] * y[2],
        ),
    )


@portable(inline=True)
def articulated_column(axis, a, b, c):
    """M e_axis, axis 0..5 in the order (linear; angular)."""
    if axis == 0:
        return (a[0], a[1], a[2]), (b[0], b[1], b[2])
    if axis == 1:
        return (a[1], a[3], a[4]), (b[3], b[4], b[5])
    if axis == 2:
        return (a[2], a[4], a[5]), (b[6], b[7], b[8])
    if axis == 3:
        return (b[0], b[3], b[6]), (c[0], c[1], c[2])
    if axis == 4:
        return (b[1], b[4], b[7]), (c[1], c[3], c[4])
    return (b[2], b[5], b[8]), (c[2], c[4], c[5])


@portable(inline=True)
def articulated_reduced(a, b, c, x, y, s):
    """M - s (x; y)(x; y)^T: the inertia left when one direction is free to move."""
    sx = scale(s, x)
    sy = scale(s, y)
    return (
        (
            a[0] - sx[0] * x[0], a[1] - sx[0] * x[1], a[2] - sx[0] * x[2],
            a[3] - sx[1] * x[1], a[4] - sx[1] * x[2], a[5] - sx[2] * x[2],
        ),
        (
            b[0] - sx[0] * y[0], b[1] - sx[0] * y[1], b[2] - sx[0] * y[2],
            b[3] - sx[1] * y[0], b[4] - sx[1] * y[1], b[5] - sx[1] * y[2],
            b[6] - sx[2] * y[0], b[7] - sx[2] * y[1], b[8] - sx[2] * y[2],
        ),
        (
            c[0] - sy[0] * y[0], c[1] - sy[0] * y[1], c[2] - sy[0] * y[2],
            c[3] - sy[1] * y[1], c[4] - sy[1] * y[2], c[5] - sy[2] * y[2],
        ),
    )  # fmt: skip


@portable(inline=True)
def load_fluid(constants, k):
    """Blocks (A, B, C) of the inertia of the fluid that frame k moves along."""
    return load6(constants, k, ADDED), load9(constants, k, ADDED + 6), load6(constants, k, ADDED + 15)


@portable
def fluid_wrench(constants, k, v, w, av, aw):
    """M etadot - ad(eta)^T M eta of the fluid that frame k moves along (Ali 2011, 3.30 with the sign of 2.17)."""
    a, b, c = load_fluid(constants, k)
    pv, pw = articulated_times(a, b, c, v, w)
    fv, fw = articulated_times(a, b, c, av, aw)
    return add(fv, cross(w, pv)), add(fw, add(cross(w, pw), cross(v, pv)))


@portable
def fluid_momentum(constants, k, v, w):
    """M eta of the fluid that frame k moves along."""
    a, b, c = load_fluid(constants, k)
    return articulated_times(a, b, c, v, w)
