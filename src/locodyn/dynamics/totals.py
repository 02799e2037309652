"""Totals of the whole robot: energy, centre of mass, momentum."""

from __future__ import annotations

from locodyn.dynamics.inertia import fluid_momentum, kinetic_energy, load_inertia, momentum
from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, dot, load3, load9, multiply, rotate, scale, store3, store9
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import to_child
from locodyn.shape.rod import slice_twist

# Columns of the workspace of a frame: pose in the world, body twist.
ROTATION, POSITION, TWIST = 0, 9, 12
WORK = 18
# Entries of the result.
KINETIC, POTENTIAL, MASS, CENTRE, LINEAR_MOMENTUM, ANGULAR_MOMENTUM = 0, 1, 2, 3, 6, 9
TOTALS = 12


@portable
def totals(frames, constants, gravity, q, v, work, result):
    """Energy, mass centre and momentum of the robot.

    ``result`` (12,): kinetic energy (armature included) and potential energy of gravity, J; mass, kg; centre of mass, m; linear
    momentum, N s, and angular momentum about the world's origin, N m s, both in world axes. Kinetic
    energy and momentum include the fluid that bodies move along. ``work`` (n, WORK).
    """
    o = lit(q[0], 0.0)
    kinetic = o
    mass = o
    first_moment = (o, o, o)
    linear = (o, o, o)
    angular = (o, o, o)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        if code == ROD:
            r, p, x, w = slice_twist(constants, k, q, frames[k, FIRST_Q], v, i)
        else:
            r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            x, w = joint_twist(code, constants, k, v, i)
            for j in range(frames[k, COUNT_V]):
                kinetic = kinetic + lit(o, 0.5) * constants[k, ARMATURE + j] * v[i + j] * v[i + j]
        if parent >= 0:
            px, pw = to_child(r, p, load3(work, parent, TWIST), load3(work, parent, TWIST + 3))
            x = add(px, x)
            w = add(pw, w)
            rp = load9(work, parent, ROTATION)
            p = add(load3(work, parent, POSITION), rotate(rp, p))
            r = multiply(rp, r)
        store9(work, k, ROTATION, r)
        store3(work, k, POSITION, p)
        store3(work, k, TWIST, x)
        store3(work, k, TWIST + 3, w)
        m, h, inertia = load_inertia(constants, k)
        kinetic = kinetic + kinetic_energy(m, h, inertia, x, w)
        mass = mass + m
        first_moment = add(first_moment, add(scale(m, p), rotate(r, h)))
        lin, ang = momentum(m, h, inertia, x, w)
        if frames[k, FLUID] != 0:
            dx, dw = fluid_momentum(constants, k, x, w)
            lin = add(lin, dx)
            ang = add(ang, dw)
            kinetic = kinetic + lit(o, 0.5) * (dot(x, dx) + dot(w, dw))
        lin = rotate(r, lin)
        linear = add(linear, lin)
        angular = add(angular, add(rotate(r, ang), cross(p, lin)))
    result[KINETIC] = kinetic
    result[POTENTIAL] = o - dot(first_moment, (gravity[0] + o, gravity[1] + o, gravity[2] + o))
    result[MASS] = mass
    share = lit(o, 1.0) / mass
    for j in range(3):
        result[CENTRE + j] = first_moment[j] * share
        result[LINEAR_MOMENTUM + j] = linear[j]
        result[ANGULAR_MOMENTUM + j] = angular[j]
