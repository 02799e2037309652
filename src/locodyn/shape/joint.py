"""One joint: its relative pose, twist and acceleration from its coordinates. Codes and columns: :mod:`locodyn.robot.layout`."""

from __future__ import annotations

from locodyn.kernel import lit, portable, sincos
from locodyn.kernel.vector import add, load3, load9, multiply, rotate
from locodyn.lie.so3 import quaternion_matrix
from locodyn.robot.layout import (
    FREE,
    HELICAL,
    OFFSET_POSITION,
    OFFSET_ROTATION,
    PITCH,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    ROD,
    SPHERICAL,
    TRANSLATION,
)
from locodyn.shape.rod import slice_pose


@portable(inline=True)
def turn_about_z(r, angle):
    """R Rz(angle)."""
    s, c = sincos(angle)
    return (
        r[0] * c + r[1] * s, r[1] * c - r[0] * s, r[2],
        r[3] * c + r[4] * s, r[4] * c - r[3] * s, r[5],
        r[6] * c + r[7] * s, r[7] * c - r[6] * s, r[8],
    )  # fmt: skip


@portable(inline=True)
def along_z(r, p, distance):
    """p + R (0, 0, distance)."""
    return (p[0] + r[2] * distance, p[1] + r[5] * distance, p[2] + r[8] * distance)


@portable(inline=True)
def quaternion_at(q, i):
    """Four entries of q from i as a tuple."""
    return (q[i], q[i + 1], q[i + 2], q[i + 3])


@portable(inline=True)
def joint_pose(code, constants, k, q, i):
    """Pose g_pk = g_offset g_joint(q) of frame k in its parent: (rotation 9, position 3); Ali (2011), (3.7).

    q[i] is the joint's first coordinate.
    """
    if code == REVOLUTE:
        return moved(turn_about_z(load9(constants, k, OFFSET_ROTATION), q[i]), load3(constants, k, OFFSET_POSITION), q[i])
    if code == ROD:
        return slice_pose(constants, k, q, i)
    return other_joint_pose(code, constants, k, q, i)


@portable
def other_joint_pose(code, constants, k, q, i):
    """:func:`joint_pose` for all joints but the commonest and slices of rods."""
    r0 = load9(constants, k, OFFSET_ROTATION)
    p0 = load3(constants, k, OFFSET_POSITION)
    if code == PRISMATIC:
        return moved(r0, along_z(r0, p0, q[i]), q[i])
    if code == HELICAL:
        return moved(turn_about_z(r0, q[i]), along_z(r0, p0, constants[k, PITCH] * q[i]), q[i])
    if code == SPHERICAL:
        return moved(multiply(r0, quaternion_matrix(quaternion_at(q, i))), p0, q[i])
    if code == TRANSLATION:
        return moved(r0, add(p0, rotate(r0, (q[i], q[i + 1], q[i + 2]))), q[i])
    if code == PLANAR:
        zero = lit(q[i], 0.0)
        return moved(turn_about_z(r0, q[i + 2]), add(p0, rotate(r0, (q[i], q[i + 1], zero))), q[i])
    if code == FREE:
        r = multiply(r0, quaternion_matrix(quaternion_at(q, i + 3)))
        return moved(r, add(p0, rotate(r0, (q[i], q[i + 1], q[i + 2]))), q[i])
    return moved(r0, p0, q[0])


@portable(inline=True)
def moved(r, p, like):
    """The pose in the element type of ``like``: constants of the robot may be plain floats beside lanes."""
    return (
        (
            lit(like, r[0]), lit(like, r[1]), lit(like, r[2]),
            lit(like, r[3]), lit(like, r[4]), lit(like, r[5]),
            lit(like, r[6]), lit(like, r[7]), lit(like, r[8]),
        ),
        (lit(like, p[0]), lit(like, p[1]), lit(like, p[2])),
    )  # fmt: skip


@portable(inline=True)
def joint_twist(code, constants, k, v, i):
    """S v: the joint's own twist (linear 3, angular 3) in frame k, from its velocities v[i:]; also maps accelerations.

    Of lumped joints, whose motion subspace is constant; that of rods is in :mod:`locodyn.shape.rod`.
    """
    o = lit(v[0], 0.0)
    if code == REVOLUTE:
        return ((o, o, o), (o, o, v[i]))
    if code == PRISMATIC:
        return ((o, o, v[i]), (o, o, o))
    if code == HELICAL:
        return ((o, o, constants[k, PITCH] * v[i]), (o, o, v[i]))
    if code == SPHERICAL:
        return ((o, o, o), (v[i], v[i + 1], v[i + 2]))
    if code == TRANSLATION:
        return ((v[i], v[i + 1], v[i + 2]), (o, o, o))
    if code == PLANAR:
        return ((v[i], v[i + 1], o), (o, o, v[i + 2]))
    if code == FREE:
        return ((v[i], v[i + 1], v[i + 2]), (v[i + 3], v[i + 4], v[i + 5]))
    return ((o, o, o), (o, o, o))


@portable(inline=True)
def axis_of(code, j):
    """Which of the six unit twists (vx vy vz wx wy wz) the j-th velocity of a joint moves along (helical: wz, plus pitch vz)."""
    if code == REVOLUTE or code == HELICAL:
        return 5
    if code == PRISMATIC:
        return 2
    if code == SPHERICAL:
        return 3 + j
    if code == PLANAR and j == 2:
        return 5
    return j


@portable(inline=True)
def joint_force(code, constants, k, j, f, n):
    """S_j^T W: the j-th generalised force of a joint from the wrench (f; n) on frame k."""
    axis = axis_of(code, j)
    if axis == 5:
        if code == HELICAL:
            return n[2] + constants[k, PITCH] * f[2]
        return n[2]
    if axis == 0:
        return f[0]
    if axis == 1:
        return f[1]
    if axis == 2:
        return f[2]
    if axis == 3:
        return n[0]
    return n[1]
