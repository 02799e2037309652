"""Ideal constraints as rows: one interface for wheels, skates, driven wheels, imposed speeds, loops, gears, rolling, rods.

A row is a linear equation between velocities, w_a . eta_a + w_b . eta_b + sum_j c_j v_i(j) = b(t): a *cotwist* w on one or two
frames, factors c on some coordinates, a right-hand side. Its multiplier is the generalised force along the
row, on the robot.

Obligations of a kind of row:

1. It fills its cotwists and their time derivatives, each in the axes of its frame (:func:`fill_rows`), and factors that vary.
2. It fills b and its derivative.
3. A holonomic row fills its residual too (zero for others), and positions are kept on it.
"""

from __future__ import annotations

import numpy as np

from locodyn.kernel import compiled, floor, lit, portable, sincos, sqrt
from locodyn.kernel.bundle import Bundle, columns
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
from locodyn.record import codes
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.world.rod_places import RodContacts
from locodyn.world.rod_rows import fill_rod_contacts
from locodyn.world.surface import disc_point, ellipsoid_point, rolling_directions

# Kinds. A CONTACT row holds a surface on a plane; up to two TANGENT rows that follow it keep it from slipping. SECTION: see
# locodyn.world.rod_rows. GEAR: factors on coordinates alone.
POINT, TURN, LOOP, CONTACT, TANGENT, SECTION, GEAR = range(7)
INTERNAL = (LOOP, GEAR)  # between parts of the robot (of loops: if neither is the world)
SURFACE = codes("round", "disc", "ellipsoid")  # of contacts
# What a LOOP row keeps: a component of the relative pose, axes that agree, axes at right angles, a helix.
CLOSURE = codes("component", "aligned", "perpendicular", "helix")
# Flags: the row restricts motion; it carries an unknown force; it is the derivative of a position; its force is given by its law.
KINEMATIC, FORCE, HOLONOMIC, KNOWN = 1, 2, 4, 8


class RowNumbers(Bundle):
    """What m rows are made of, each in the axes of its frame; rows have what their kind needs, the rest is zero."""

    rate_factor: np.ndarray  # (m,) of the rate of the law of the right side
    scale: np.ndarray  # (m,) of POINT and TURN
    point: np.ndarray = columns(3)  # (m, 3) m: contact point of POINT, centre of the surface of CONTACT
    direction: np.ndarray = columns(3)  # (m, 3) of POINT and TURN; axis of a disc of CONTACT
    vertical: np.ndarray = columns(3)  # (m, 3) about which the direction of POINT and TURN is steered
    first_rotation: np.ndarray = columns(9)  # (m, 9) of the first joint frame of LOOP
    first_position: np.ndarray = columns(3)  # (m, 3) m
    second_rotation: np.ndarray = columns(9)  # (m, 9) of its second one
    second_position: np.ndarray = columns(3)  # (m, 3) m
    loop_row: np.ndarray = columns(6)  # (m, 6) which component of the relative motion
    loop_axis: np.ndarray = columns(3)  # (m, 3) axis of the cut joint for rows across it that forbid turning, else zero
    loop_second: np.ndarray = columns(3)  # (m, 3) second axis of a universal joint in its second frame, else zero
    surface_axes: np.ndarray = columns(9)  # (m, 9) rotation of the surface of CONTACT in its frame
    semi_axes: np.ndarray = columns(3)  # (m, 3) m, of it; the first one is the radius of a disc
    crown: np.ndarray  # (m,) m, by which the surface is rounded
    plane: np.ndarray = columns(9)  # (m, 9) first, second direction and normal of the plane, as columns, in the world
    anchor: np.ndarray = columns(3)  # (m, 3) m, a point of the plane in the world
    offset: np.ndarray  # (m,) of GEAR


class RowArrays(RowNumbers):
    """m rows: which they are, what they are made of, and what :func:`fill_rows` fills."""

    kind: np.ndarray  # (m,) int64: POINT to GEAR
    frame: np.ndarray  # (m,) int64; -1: the world
    other: np.ndarray  # (m,) int64, second frame of a loop; -1: none, or the world
    coordinate: np.ndarray  # (m, most coordinates) int64, i: coordinates with a factor
    position: np.ndarray  # (m, most coordinates) int64: their places in q, of GEAR
    coordinates: np.ndarray  # (m,) int64, how many there are
    coefficient: np.ndarray  # (m, most coordinates) c
    coefficient_rate: np.ndarray  # (m, most coordinates)
    steering: np.ndarray  # (m,) int64, law of the steering angle; -1: none
    rate_law: np.ndarray  # (m,) int64, law of the right side; -1: none
    flags: np.ndarray  # (m,) int64: KINEMATIC to KNOWN
    group: np.ndarray  # (m,) int64, of rows with one multiplier
    filled: np.ndarray  # (m,) int64, number of rows that a CONTACT fills
    surface: np.ndarray  # (m,) int64: a SURFACE, of CONTACT
    closure: np.ndarray  # (m,) int64: a CLOSURE, of LOOP
    cotwist: np.ndarray = columns(6)  # (m, 6) w_a
    other_cotwist: np.ndarray = columns(6)  # (m, 6) w_b
    cotwist_rate: np.ndarray = columns(6)  # (m, 6)
    other_cotwist_rate: np.ndarray = columns(6)  # (m, 6)
    right_side: np.ndarray  # (m,) b in m/s or rad/s; N or N m of rows whose force is given
    right_side_rate: np.ndarray  # (m,)
    residual: np.ndarray  # (m,) m or rad, of holonomic rows
    disc_sine: np.ndarray  # (m,) between the axis of a disc and the normal of its plane
    rod_contacts: RodContacts | None


@portable(inline=True)
def store_cotwist(cotwist, m, f, n):
    """cotwist[m] = (f; n)."""
    store3(cotwist, m, 0, f)
    store3(cotwist, m, 3, n)


@portable
def clear_other(rows, m):
    """Row m has no second frame."""
    nothing = (0.0, 0.0, 0.0)
    store_cotwist(rows.other_cotwist, m, nothing, nothing)
    store_cotwist(rows.other_cotwist_rate, m, nothing, nothing)


@portable(inline=True)
def heading(rows, m, angle, rate):
    """Direction of row m turned about its vertical by the steering angle, and the rate of that direction."""
    d = load3(rows.direction, m, 0)
    n = load3(rows.vertical, m, 0)
    side = cross(n, d)
    s, c = sincos(angle)
    turned = add(scale(c, d), scale(s, side))
    return turned, scale(rate, cross(n, turned))


@portable
def fill_point(rows, m, angle, angle_rate):
    """POINT: scale * direction . velocity of a point of the frame; TURN: scale * direction . angular velocity."""
    d, rate = heading(rows, m, angle, angle_rate)
    factor = rows.scale[m]
    d = scale(factor, d)
    rate = scale(factor, rate)
    nothing = (0.0, 0.0, 0.0)
    if rows.kind[m] == POINT:
        p = load3(rows.point, m, 0)
        store_cotwist(rows.cotwist, m, d, cross(p, d))
        store_cotwist(rows.cotwist_rate, m, rate, cross(p, rate))
    else:
        store_cotwist(rows.cotwist, m, nothing, d)
        store_cotwist(rows.cotwist_rate, m, nothing, rate)
    clear_other(rows, m)


@portable(inline=True)
def joint_frame(poses, motions, k, r0, p0):
    """World pose and body twist of the joint frame (r0, p0) on frame k (-1: the world)."""
    if k < 0:
        o = lit(p0[0], 0.0)
        return r0, p0, (o, o, o), (o, o, o)
    r = load9(poses, k, ROTATION)
    x, w = to_child(r0, p0, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    return multiply(r, r0), add(load3(poses, k, POSITION), rotate(r, p0)), x, w


@portable(late=())
def fill_loop(rows, poses, motions, m):
    """LOOP: a component of the motion of the second joint frame relative to the first, in the axes of the first."""
    ra0 = load9(rows.first_rotation, m, 0)
    pa0 = load3(rows.first_position, m, 0)
    rb0 = load9(rows.second_rotation, m, 0)
    pb0 = load3(rows.second_position, m, 0)
    ra, pa, va, wa = joint_frame(poses, motions, rows.frame[m], ra0, pa0)
    rb, pb, vb, wb = joint_frame(poses, motions, rows.other[m], rb0, pb0)
    # Relative pose (R, p) and motion, in the axes of the first joint frame.
    r = multiply(transpose(ra), rb)
    p = rotate_back(ra, subtract(pb, pa))
    pdot = subtract(rotate(r, vb), add(va, cross(wa, p)))
    turn = subtract(wb, rotate_back(r, wa))  # relative angular velocity, axes of the second
    a = load3(rows.loop_row, m, 0)
    b = load3(rows.loop_row, m, 3)
    axis = load3(rows.loop_axis, m, 0)
    second = load3(rows.loop_second, m, 0)
    o = lit(p[0], 0.0)
    bdot = (o, o, o)
    if rows.closure[m] == CLOSURE.perpendicular:  # of a universal joint: a . R b = 0; the row is (R b) x a
        other = rotate(r, second)
        b = cross(other, axis)
        bdot = cross(cross(rotate(r, turn), other), axis)
        rows.residual[m] = dot(axis, other)
    elif rows.closure[m] == CLOSURE.aligned:  # b . (n x R n), whose rate is the row also far from zero
        rows.residual[m] = dot(b, cross(axis, rotate(r, axis)))
    else:
        residual = dot(a, p) + dot(b, log_matrix(r))
        if rows.closure[m] == CLOSURE.helix:  # the turn is known up to whole ones, each a lead 2 pi |pitch| along
            lead = lit(o, 2.0 * np.pi) * sqrt(dot(b, b))
            residual = residual - lead * floor(residual / lead + lit(o, 0.5))
        rows.residual[m] = residual
    # Second frame: (R^T a; R^T b), and its rate -turn x.
    fa = rotate_back(r, a)
    fb = rotate_back(r, b)
    f, n = to_parent(rb0, pb0, fa, fb)
    store_cotwist(rows.other_cotwist, m, f, n)
    f, n = to_parent(rb0, pb0, cross(fa, turn), add(cross(fb, turn), rotate_back(r, bdot)))
    store_cotwist(rows.other_cotwist_rate, m, f, n)
    # First frame: -(a; p x a + b), and its rate.
    f, n = to_parent(ra0, pa0, scale(-1.0, a), scale(-1.0, add(cross(p, a), b)))
    store_cotwist(rows.cotwist, m, f, n)
    f, n = to_parent(ra0, pa0, (o, o, o), scale(-1.0, add(cross(pdot, a), bdot)))
    store_cotwist(rows.cotwist_rate, m, f, n)


@portable
def fill_gear(rows, q, m):
    """GEAR: sum_j c_j q_j = offset; its factors are constant."""
    total = lit(q[0], 0.0) - rows.offset[m]
    for j in range(rows.coordinates[m]):
        total += rows.coefficient[m, j] * q[rows.position[m, j]]
    rows.residual[m] = total


@portable
def store_direction(rows, m, point, point_rate, d, rate):
    """Row m: the velocity of the material point at ``point`` along d, both moving in the frame."""
    store_cotwist(rows.cotwist, m, d, cross(point, d))
    store_cotwist(rows.cotwist_rate, m, rate, add(cross(point_rate, d), cross(point, rate)))
    clear_other(rows, m)


@portable(late=())
def fill_contact(rows, poses, motions, m):
    """CONTACT row m and the TANGENT rows after it: height over the plane, and velocity in the plane, of the lowest point.

    The point wanders over the surface, and its rate is part of the rate of the rows; the velocity that they take is that of the
    material point. The height is stationary in the point, so that its rate is the first row itself.
    """
    k = rows.frame[m]
    r = load9(poses, k, ROTATION)
    omega = load3(motions, k, TWIST + 3)
    plane = load9(rows.plane, m, 0)
    normal = (plane[2], plane[5], plane[8])
    n = rotate_back(r, normal)
    ndot = cross(n, omega)
    surface = rows.surface[m]
    crown = rows.crown[m]
    first = rotate_back(r, (plane[0], plane[3], plane[6]))
    first_rate = cross(first, omega)
    second = cross(n, first)
    second_rate = cross(second, omega)
    sines = lit(n[0], 1.0)
    if surface == SURFACE.disc:
        axis = load3(rows.direction, m, 0)
        rho, rhodot, e, edot, sines = disc_point(axis, rows.semi_axes[m, 0], crown, n, ndot)
        first, first_rate, second, second_rate = rolling_directions(axis, e, edot, n, ndot)
    elif surface == SURFACE.ellipsoid:
        rho, rhodot = ellipsoid_point(load9(rows.surface_axes, m, 0), load3(rows.semi_axes, m, 0), crown, n, ndot)
    else:
        rho, rhodot = scale(-crown, n), scale(-crown, ndot)
    point = add(load3(rows.point, m, 0), rho)
    store_direction(rows, m, point, rhodot, n, ndot)
    off = subtract(add(load3(poses, k, POSITION), rotate(r, point)), load3(rows.anchor, m, 0))
    rows.residual[m] = dot(normal, off)
    rows.disc_sine[m] = sines
    if rows.filled[m] > 1:
        store_direction(rows, m + 1, point, rhodot, first, first_rate)
        store_direction(rows, m + 2, point, rhodot, second, second_rate)
        held = rows.flags[m + 1] & HOLONOMIC
        rows.residual[m + 1] = dot((plane[0], plane[3], plane[6]), off) if held else lit(n[0], 0.0)
        rows.residual[m + 2] = dot((plane[1], plane[4], plane[7]), off) if held else lit(n[0], 0.0)


@portable(called=True)
def fill_rows(rows, laws, along_time, q, v, poses, motions):
    """All rows, for the world poses and body motions of the frames at (q, v).

    ``laws`` (k, 3): value, rate, acceleration of the laws that rows need. Rates are time derivatives; with ``along_time`` 0
    instead of 1 they are derivatives along v, at the present time.
    """
    for m in range(rows.kind.shape[0]):
        rows.right_side[m] = 0.0
        rows.right_side_rate[m] = 0.0
        if rows.kind[m] == TANGENT or rows.kind[m] == SECTION:  # filled with its contact
            continue
        rows.residual[m] = 0.0
        rows.disc_sine[m] = 1.0
        if rows.kind[m] == CONTACT:
            fill_contact(rows, poses, motions, m)
        elif rows.kind[m] == LOOP:
            fill_loop(rows, poses, motions, m)
        elif rows.kind[m] == GEAR:
            fill_gear(rows, q, m)
        else:
            angle = 0.0
            angle_rate = 0.0
            law = rows.steering[m]
            if law >= 0:
                angle = laws[law, 0]
                angle_rate = along_time * laws[law, 1]
            fill_point(rows, m, angle, angle_rate)
        law = rows.rate_law[m]
        if rows.flags[m] & KNOWN:
            rows.right_side[m] = laws[law, 0]  # the given force
        elif law >= 0:
            rows.right_side[m] = rows.rate_factor[m] * laws[law, 1]
            rows.right_side_rate[m] = rows.rate_factor[m] * laws[law, 2]
    fill_rod_contacts(rows.rod_contacts, rows, laws, along_time, q, v, poses, motions)


@portable(inline=True)
def row_times(cotwist, m, motions, k, part):
    """``cotwist`` (or its rate) of row m times the twist or acceleration of frame k (0 for the world)."""
    if k < 0:
        return lit(cotwist[m, 0], 0.0)
    total = lit(cotwist[m, 0], 0.0)
    for j in range(6):
        total += cotwist[m, j] * motions[k, part + j]
    return total


@portable(inline=True)
def coefficient_times(coefficient, m, rows, v):
    """Factors (or their rates) of row m times the velocities v (nv,), or accelerations, of its coordinates."""
    total = lit(v[0], 0.0)
    for j in range(rows.coordinates[m]):
        total += coefficient[m, j] * v[rows.coordinate[m, j]]
    return total


@compiled(inline=True)
def take_along(rows, m, force, result):
    """Subtract a force along row m from what its coordinates need, ``result`` (nv,)."""
    for j in range(rows.coordinates[m]):
        result[rows.coordinate[m, j]] -= force * rows.coefficient[m, j]
