"""Ideal constraints as rows: one interface for wheels, skates, driven wheels, imposed speeds, loops and rolling in space.

A row is a linear equation between body twists, w_a . eta_a + w_b . eta_b + c v_i = b(t): a *cotwist* w on one or two frames,
a factor on at most one coordinate, a right-hand side. Its multiplier is the generalised force along the row, on the robot.

Obligations of a kind of row:

1. It fills its cotwists and their time derivatives, each in the axes of its frame (:func:`fill_rows`).
2. It fills b and its derivative.
3. A holonomic row fills its residual too (zero for others), and positions are kept on it.

Kernels take an object ``rows`` with the arrays ``table`` (m, ROW_COLUMNS) int64 and ``data`` (m, ROW_DATA), and fill its arrays
``cotwists`` (m, COTWISTS): w_a, w_b, and their derivatives; ``right_side`` (m,): b; ``right_side_rate`` (m,); ``residual`` (m,)
of holonomic rows; ``disc_sine`` (m,) between the axis of a disc and the normal.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled, sincos, sqrt
from locodyn.kernel.vector import (
    add,
    cross,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    scale,
    store3,
    subtract,
)
from locodyn.lie.matrices import transpose
from locodyn.lie.so3 import log_matrix
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.world.surface import disc_point, ellipsoid_point, rolling_directions

# table[m, column]: kind, frames (-1: none, or the world), coordinate (-1: none), law of the steering angle, law of the right
# side, flags, group of rows with one multiplier, number of rows that a contact fills.
KIND, FRAME, OTHER, COORDINATE, STEERING, RATE, FLAGS, GROUP, GROUPED = range(9)
ROW_COLUMNS = 9
# Kinds. A CONTACT row holds a surface on a plane; up to two TANGENT rows that follow it keep it from slipping.
POINT, TURN, LOOP, CONTACT, TANGENT = range(5)
# Surfaces of contacts, in the column of the steering law.
ROUND, DISC, ELLIPSOID = -1, -2, -3
# Flags: the row restricts motion; it carries an unknown force; it is the derivative of a position; its force is given by its law.
KINEMATIC, FORCE, HOLONOMIC, KNOWN = 1, 2, 4, 8
# data[m, column]. POINT: contact point, direction, vertical; TURN: direction only; LOOP: two joint poses and the row;
# CONTACT: centre, axis of a disc, axes of the surface (rotation), semi-axes, plane (first, second, normal), anchor, crown.
PLACE, DIRECTION, VERTICAL, SCALE, COEFFICIENT, RATE_FACTOR = 0, 3, 6, 9, 10, 11
FIRST_ROTATION, FIRST_POSITION, SECOND_ROTATION, SECOND_POSITION, LOOP_ROW = 12, 21, 24, 33, 36
LOOP_AXIS = 42  # axis of the cut joint for rows across it that forbid turning, else zero
LOOP_SECOND = 45  # second axis of a universal joint in its second frame, else zero
SURFACE_AXES, SEMI_AXES, PLANE, ANCHOR, CROWN = 12, 21, 24, 33, 36
ROW_DATA = 48
# Filled arrays.
W_A, W_B, RATE_A, RATE_B = 0, 6, 12, 18
COTWISTS = 24


@compiled(inline=True)
def store_twelve(cotwists, m, column, f, n):
    """cotwists[m, column:column+6] = (f; n)."""
    store3(cotwists, m, column, f)
    store3(cotwists, m, column + 3, n)


@compiled(inline=True)
def heading(data, m, angle, rate):
    """Direction of row m turned about its vertical by the steering angle, and the rate of that direction."""
    d = load3(data, m, DIRECTION)
    n = load3(data, m, VERTICAL)
    side = cross(n, d)
    s, c = sincos(angle)
    turned = add(scale(c, d), scale(s, side))
    return turned, scale(rate, cross(n, turned))


@compiled
def fill_point(rows, m, angle, angle_rate):
    """POINT: scale * direction . velocity of a point of the frame; TURN: scale * direction . angular velocity."""
    data, cotwists = rows.data, rows.cotwists
    d, rate = heading(data, m, angle, angle_rate)
    factor = data[m, SCALE]
    d = scale(factor, d)
    rate = scale(factor, rate)
    nothing = (0.0, 0.0, 0.0)
    if rows.table[m, KIND] == POINT:
        p = load3(data, m, PLACE)
        store_twelve(cotwists, m, W_A, d, cross(p, d))
        store_twelve(cotwists, m, RATE_A, rate, cross(p, rate))
    else:
        store_twelve(cotwists, m, W_A, nothing, d)
        store_twelve(cotwists, m, RATE_A, nothing, rate)
    store_twelve(cotwists, m, W_B, nothing, nothing)
    store_twelve(cotwists, m, RATE_B, nothing, nothing)


@compiled(inline=True)
def joint_frame(poses, motions, k, r0, p0):
    """World pose and body twist of the joint frame (r0, p0) on frame k (-1: the world)."""
    if k < 0:
        return r0, p0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    r = load9(poses, k, ROTATION)
    x, w = to_child(r0, p0, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    return multiply(r, r0), add(load3(poses, k, POSITION), rotate(r, p0)), x, w


@compiled
def fill_loop(rows, poses, motions, m):
    """LOOP: a component of the motion of the second joint frame relative to the first, in the axes of the first."""
    data, cotwists = rows.data, rows.cotwists
    ra0 = load9(data, m, FIRST_ROTATION)
    pa0 = load3(data, m, FIRST_POSITION)
    rb0 = load9(data, m, SECOND_ROTATION)
    pb0 = load3(data, m, SECOND_POSITION)
    ra, pa, va, wa = joint_frame(poses, motions, rows.table[m, FRAME], ra0, pa0)
    rb, pb, vb, wb = joint_frame(poses, motions, rows.table[m, OTHER], rb0, pb0)
    # Relative pose (R, p) and motion, in the axes of the first joint frame.
    r = multiply(transpose(ra), rb)
    p = rotate_back(ra, subtract(pb, pa))
    pdot = subtract(rotate(r, vb), add(va, cross(wa, p)))
    turn = subtract(wb, rotate_back(r, wa))  # relative angular velocity, axes of the second
    a = load3(data, m, LOOP_ROW)
    b = load3(data, m, LOOP_ROW + 3)
    axis = load3(data, m, LOOP_AXIS)
    second = load3(data, m, LOOP_SECOND)
    bdot = (0.0, 0.0, 0.0)
    if dot(second, second) > 0.0:  # universal: its axes stay perpendicular, a . R b = 0; the row is (R b) x a
        other = rotate(r, second)
        b = cross(other, axis)
        bdot = cross(cross(rotate(r, turn), other), axis)
        rows.residual[m] = dot(axis, other)
    elif dot(axis, axis) > 0.0:  # the axes of the two frames must agree: b . (n x R n), whose rate is the row also far from zero
        rows.residual[m] = dot(b, cross(axis, rotate(r, axis)))
    else:
        residual = dot(a, p) + dot(b, log_matrix(r))
        if dot(a, a) > 0.0 and dot(b, b) > 0.0:  # helical: the turn is known up to whole ones, each a lead 2 pi |pitch| along
            lead = 2.0 * np.pi * sqrt(dot(b, b))
            residual -= lead * np.floor(residual / lead + 0.5)
        rows.residual[m] = residual
    # Second frame: (R^T a; R^T b), and its rate -turn x.
    fa = rotate_back(r, a)
    fb = rotate_back(r, b)
    f, n = to_parent(rb0, pb0, fa, fb)
    store_twelve(cotwists, m, W_B, f, n)
    f, n = to_parent(rb0, pb0, cross(fa, turn), add(cross(fb, turn), rotate_back(r, bdot)))
    store_twelve(cotwists, m, RATE_B, f, n)
    # First frame: -(a; p x a + b), and its rate.
    f, n = to_parent(ra0, pa0, scale(-1.0, a), scale(-1.0, add(cross(p, a), b)))
    store_twelve(cotwists, m, W_A, f, n)
    f, n = to_parent(ra0, pa0, (0.0, 0.0, 0.0), scale(-1.0, add(cross(pdot, a), bdot)))
    store_twelve(cotwists, m, RATE_A, f, n)


@compiled
def store_direction(cotwists, m, point, point_rate, d, rate):
    """Row m: the velocity of the material point at ``point`` along d, both moving in the frame."""
    nothing = (0.0, 0.0, 0.0)
    store_twelve(cotwists, m, W_A, d, cross(point, d))
    store_twelve(cotwists, m, RATE_A, rate, add(cross(point_rate, d), cross(point, rate)))
    store_twelve(cotwists, m, W_B, nothing, nothing)
    store_twelve(cotwists, m, RATE_B, nothing, nothing)


@compiled
def fill_contact(rows, poses, motions, m):
    """CONTACT row m and the TANGENT rows after it: height over the plane, and velocity in the plane, of the lowest point.

    The point wanders over the surface, and its rate is part of the rate of the rows; the velocity that they take is that of the
    material point. The height is stationary in the point, so that its rate is the first row itself.
    """
    data, cotwists = rows.data, rows.cotwists
    k = rows.table[m, FRAME]
    r = load9(poses, k, ROTATION)
    omega = load3(motions, k, TWIST + 3)
    plane = load9(data, m, PLANE)
    normal = (plane[2], plane[5], plane[8])
    n = rotate_back(r, normal)
    ndot = cross(n, omega)
    surface = rows.table[m, STEERING]
    crown = data[m, CROWN]
    first = rotate_back(r, (plane[0], plane[3], plane[6]))
    first_rate = cross(first, omega)
    second = cross(n, first)
    second_rate = cross(second, omega)
    sines = 1.0
    if surface == DISC:
        axis = load3(data, m, DIRECTION)
        rho, rhodot, e, edot, sines = disc_point(axis, data[m, SEMI_AXES], crown, n, ndot)
        first, first_rate, second, second_rate = rolling_directions(axis, e, edot, n, ndot)
    elif surface == ELLIPSOID:
        rho, rhodot = ellipsoid_point(load9(data, m, SURFACE_AXES), load3(data, m, SEMI_AXES), crown, n, ndot)
    else:
        rho, rhodot = scale(-crown, n), scale(-crown, ndot)
    point = add(load3(data, m, PLACE), rho)
    store_direction(cotwists, m, point, rhodot, n, ndot)
    off = subtract(add(load3(poses, k, POSITION), rotate(r, point)), load3(data, m, ANCHOR))
    rows.residual[m] = dot(normal, off)
    rows.disc_sine[m] = sines
    if rows.table[m, GROUPED] > 1:
        store_direction(cotwists, m + 1, point, rhodot, first, first_rate)
        store_direction(cotwists, m + 2, point, rhodot, second, second_rate)
        held = rows.table[m + 1, FLAGS] & HOLONOMIC
        rows.residual[m + 1] = dot((plane[0], plane[3], plane[6]), off) if held else 0.0
        rows.residual[m + 2] = dot((plane[1], plane[4], plane[7]), off) if held else 0.0


@compiled(called=True)
def fill_rows(rows, laws, poses, motions):
    """All rows, for the world poses and body motions of the frames; ``laws`` (k, 3): value, rate, acceleration of their laws."""
    table = rows.table
    for m in range(table.shape[0]):
        rows.right_side[m] = 0.0
        rows.right_side_rate[m] = 0.0
        if table[m, KIND] == TANGENT:  # filled with its contact
            continue
        rows.residual[m] = 0.0
        rows.disc_sine[m] = 1.0
        if table[m, KIND] == CONTACT:
            fill_contact(rows, poses, motions, m)
        elif table[m, KIND] == LOOP:
            fill_loop(rows, poses, motions, m)
        else:
            angle = 0.0
            angle_rate = 0.0
            law = table[m, STEERING]
            if law >= 0:
                angle = laws[law, 0]
                angle_rate = laws[law, 1]
            fill_point(rows, m, angle, angle_rate)
        law = table[m, RATE]
        if table[m, FLAGS] & KNOWN:
            rows.right_side[m] = laws[law, 0]  # the given force
        elif law >= 0:
            rows.right_side[m] = rows.data[m, RATE_FACTOR] * laws[law, 1]
            rows.right_side_rate[m] = rows.data[m, RATE_FACTOR] * laws[law, 2]


@compiled(inline=True)
def row_times(cotwists, m, column, motions, k, part):
    """Cotwist of row m (from ``column``) times the twist or acceleration of frame k (0 for the world)."""
    if k < 0:
        return 0.0
    total = 0.0
    for j in range(6):
        total += cotwists[m, column + j] * motions[k, part + j]
    return total
