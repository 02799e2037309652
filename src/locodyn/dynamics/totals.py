"""Totals of the whole robot: energy, centre of mass, momentum."""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_momentum, kinetic_energy, load_inertia, momentum
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.vector import add, cross, dot, load3, load9, multiply, rotate, scale, store3, store9
from locodyn.record import record
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child
from locodyn.shape.rod import slice_twist

# Workspace of a frame: pose in the world, body twist.
WORK = record(rotation=9, position=3, twist=6)
# The result: energies (J), mass (kg), mass centre (m), momenta (N s, N m s) about the origin of the world.
TOTALS = record(kinetic=1, potential=1, mass=1, centre=3, linear_momentum=3, angular_momentum=3)


@portable(inline=True)
def with_frame(sums, frames, constants, k, r, p, x, w):
    """Sums over frames (kinetic energy, mass, first moment, linear and angular momentum) with frame k, at (r, p) with (x; w)."""
    kinetic, mass, first_moment, linear, angular = sums
    m, h, inertia = load_inertia(constants, k)
    kinetic = kinetic + kinetic_energy(m, h, inertia, x, w)
    lin, ang = momentum(m, h, inertia, x, w)
    if frames[k, FLUID] != 0:
        dx, dw = fluid_momentum(constants, k, x, w)
        lin = add(lin, dx)
        ang = add(ang, dw)
        kinetic = kinetic + lit(m, 0.5) * (dot(x, dx) + dot(w, dw))
    lin = rotate(r, lin)
    first_moment = add(first_moment, add(scale(m, p), rotate(r, h)))
    return kinetic, mass + m, first_moment, add(linear, lin), add(angular, add(rotate(r, ang), cross(p, lin)))


@portable(inline=True)
def armature_energy(frames, constants, k, v):
    """Kinetic energy of the armatures of joint k, J."""
    total = lit(v[0], 0.0)
    i = frames[k, FIRST_V]
    for j in range(frames[k, COUNT_V]):
        total = total + lit(v[0], 0.5) * constants[k, ARMATURE + j] * v[i + j] * v[i + j]
    return total


@portable(inline=True)
def store_totals(sums, gravity, result):
    """The sums as the result of :func:`totals`."""
    kinetic, mass, first_moment, linear, angular = sums
    o = lit(mass, 0.0)
    result[TOTALS.kinetic] = kinetic
    result[TOTALS.potential] = o - dot(first_moment, (gravity[0] + o, gravity[1] + o, gravity[2] + o))
    result[TOTALS.mass] = mass
    share = lit(o, 1.0) / mass
    for j in range(3):
        result[TOTALS.centre + j] = first_moment[j] * share
        result[TOTALS.linear_momentum + j] = linear[j]
        result[TOTALS.angular_momentum + j] = angular[j]


@portable(inline=True)
def carried_frame(frames, constants, k, q, v, work):
    """Pose (r, p) of frame k in the world and its body twist (x; w), kept in ``work`` (n, WORK.size) for what it carries."""
    parent = frames[k, PARENT]
    code = frames[k, CODE]
    i = frames[k, FIRST_V]
    if code == ROD:
        r, p, x, w = slice_twist(constants, k, q, frames[k, FIRST_Q], v, i)
    else:
        r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
        x, w = joint_twist(code, constants, k, v, i)
    if parent >= 0:
        px, pw = to_child(r, p, load3(work, parent, WORK.twist), load3(work, parent, WORK.twist + 3))
        x = add(px, x)
        w = add(pw, w)
        rp = load9(work, parent, WORK.rotation)
        p = add(load3(work, parent, WORK.position), rotate(rp, p))
        r = multiply(rp, r)
    store9(work, k, WORK.rotation, r)
    store3(work, k, WORK.position, p)
    store3(work, k, WORK.twist, x)
    store3(work, k, WORK.twist + 3, w)
    return r, p, x, w


@portable
def totals(frames, constants, gravity, q, v, work, result):
    """Energy, mass centre and momentum of the robot.

    ``result`` (12,): kinetic energy (armature included) and potential energy of gravity, J; mass, kg; centre of mass, m; linear
    momentum, N s, and angular momentum about the world's origin, N m s, both in world axes. Kinetic
    energy and momentum include the fluid that bodies move along. ``work`` (n, WORK.size).
    """
    o = lit(q[0], 0.0)
    sums = (o, o, (o, o, o), (o, o, o), (o, o, o))
    armature = o
    for k in range(frames.shape[0]):
        r, p, x, w = carried_frame(frames, constants, k, q, v, work)
        if frames[k, CODE] != ROD:
            armature = armature + armature_energy(frames, constants, k, v)
        sums = with_frame(sums, frames, constants, k, r, p, x, w)
    store_totals((sums[0] + armature, sums[1], sums[2], sums[3], sums[4]), gravity, result)


@compiled(called=True)
def totals_of(frames, constants, gravity, v, poses, motions, result):
    """:func:`totals` of frames whose world poses and body motions are known already."""
    sums = (0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    armature = 0.0
    for k in range(frames.shape[0]):
        if frames[k, CODE] != ROD:
            armature += armature_energy(frames, constants, k, v)
        r = load9(poses, k, ROTATION)
        p = load3(poses, k, POSITION)
        sums = with_frame(sums, frames, constants, k, r, p, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    store_totals((sums[0] + armature, sums[1], sums[2], sums[3], sums[4]), gravity, result)
