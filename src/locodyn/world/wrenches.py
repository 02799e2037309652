"""The wrench laws of a robot in one table, and the kernel that adds them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from locodyn.dynamics.inertia import fluid_momentum
from locodyn.errors import InputError
from locodyn.kernel import kernel, lit, select_lt, sincos, sqrt, step
from locodyn.kernel.vector import (
    add,
    dot,
    increase3,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    scale,
    subtract,
)
from locodyn.lie.arctangent import arctangent
from locodyn.robot.compiled import CompiledRobot, CompiledWrench
from locodyn.robot.layout import FLUID
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child, to_parent
from locodyn.world.laws import ANCHOR, ARCTAN, DRAG, PARAMETERS, SLIDING, THRUST, WORLD_FORCE, WrenchLaw

# laws[l, column], int64: frame, kind of law, number of the law of the steering angle (-1: none)
FRAME, KIND, STEERING = range(3)
LAW_COLUMNS = 3
# parameters[l, column]: pose of the point in its frame, then the numbers of the law
POINT_ROTATION, POINT_POSITION, FIRST = 0, 9, 12


class WrenchTable:
    """Arrays ``laws`` (m, 3) and ``parameters`` (m, 12 + PARAMETERS) of the wrench laws on a robot.

    ``steering``: for wrenches whose point turns about its z axis, by name, the number of the law of that angle.
    """

    def __init__(self, wrenches: Sequence[CompiledWrench], steering: Mapping[str, int] | None = None) -> None:
        self.wrenches = tuple(wrenches)
        self.laws = np.zeros((len(wrenches), LAW_COLUMNS), dtype=np.int64)
        self.parameters = np.zeros((len(wrenches), FIRST + PARAMETERS))
        for row, wrench in enumerate(wrenches):
            if not isinstance(wrench.law, WrenchLaw):
                raise InputError(
                    f"wrench '{wrench.name}' has the law {wrench.law!r}; it must be one of locodyn.world (WorldForce, Thrust,"
                    " Drag, Anchor) or a UserLaw(function)."
                )
            self.laws[row] = wrench.frame, wrench.law.kind, (steering or {}).get(wrench.name, -1)
            numbers = wrench.law.parameters()
            self.parameters[row, POINT_ROTATION:POINT_POSITION] = np.ravel(wrench.rotation)
            self.parameters[row, POINT_POSITION:FIRST] = wrench.position
            self.parameters[row, FIRST : FIRST + len(numbers)] = numbers


def wheel_wrenches(compiled: CompiledRobot) -> list[CompiledWrench]:
    """Wheels whose contact is a law, as wrenches at the contact point: x along the heading, y along the axle, z up.

    For a steered wheel these are the axes at the steering angle zero.
    """
    result = []
    for wheel in compiled.wheels:
        if wheel.contact is not None:
            axes = np.column_stack([wheel.heading, wheel.axle, wheel.vertical])
            result.append(CompiledWrench(wheel.name, wheel.body, wheel.frame, axes, np.asarray(wheel.point), wheel.contact))
    return result


@step
def resistance(linear, quadratic, v):
    """c v + d |v| v."""
    size = select_lt(v, lit(v, 0.0), -v, v)
    return v * (linear + quadratic * size)


@kernel
def law_wrench(laws, parameters, row, r, p, x, w):
    """Force, moment, stored energy and lost power of law ``row`` at a point with world pose (r, p) and body twist (x; w)."""
    o = lit(p[0], 0.0)
    force = (o, o, o)
    moment = (o, o, o)
    stored = o
    lost = o
    kind = laws[row, KIND]
    a = load3(parameters, row, FIRST)
    b = load3(parameters, row, FIRST + 3)
    if kind == WORLD_FORCE:
        force = rotate_back(r, (o + a[0], o + a[1], o + a[2]))
        stored = o - dot(p, a)
    elif kind == THRUST:
        force = (o + a[0], o + a[1], o + a[2])
        moment = (o + b[0], o + b[1], o + b[2])
    elif kind == DRAG:
        e = load3(parameters, row, FIRST + 6)
        force = (-resistance(a[0], b[0], x[0]), -resistance(a[1], b[1], x[1]), -resistance(a[2], b[2], x[2]))
        moment = (o - e[0] * w[0], o - e[1] * w[1], o - e[2] * w[2])
        lost = o - dot(force, x) - dot(moment, w)
    elif kind == SLIDING:
        along = x[0] * x[0]
        across = x[1] * x[1]
        rest = b[1] * b[1]  # a[2]: 1 where one direction uses up the friction of the other, 0 where they are independent
        pressure = (b[0] / sqrt(along + a[2] * across + rest), b[0] / sqrt(a[2] * along + across + rest))
        force = (o - a[0] * pressure[0] * x[0], o - a[1] * pressure[1] * x[1], o)
        lost = o - dot(force, x)
    elif kind == ARCTAN:
        along = a[0] * arctangent(x[0], o + a[2]) + b[0] * x[0]
        across = a[1] * arctangent(x[1], o + a[2]) + b[1] * x[1]
        force = (o - along, o - across, o)
        lost = o - dot(force, x)
    elif kind == ANCHOR:
        d = subtract(p, (o + a[0], o + a[1], o + a[2]))
        pull = scale(o - b[0], d)
        force = add(rotate_back(r, pull), scale(o - b[1], x))
        stored = lit(o, 0.5) * b[0] * dot(d, d)
        lost = b[1] * dot(x, x)
    return force, moment, stored, lost


@kernel
def add_fluid_weight(frames, constants, gravity, poses, wrenches):
    """Take the weight of the fluid moved along out again: the recursions carry gravity as an acceleration of everything.

    Adds -M_fluid (R^T g; 0) to ``wrenches`` (nf, 6) of the frames that move fluid along.
    """
    for k in range(frames.shape[0]):
        if frames[k, FLUID] != 0:
            o = lit(poses[k, 0], 0.0)
            g = rotate_back(load9(poses, k, ROTATION), (o - gravity[0], o - gravity[1], o - gravity[2]))
            f, n = fluid_momentum(constants, k, g, (o, o, o))
            increase3(wrenches, k, 0, f)
            increase3(wrenches, k, 3, n)


@step
def steered_point(laws, parameters, angles, row):
    """Axes of the point of a law in its frame, turned about their z axis by the steering angle, and the rate of that angle.

    ``angles`` (k, 3): value, rate, acceleration of the laws of steering. Robots in lanes share them.
    """
    r0 = load9(parameters, row, POINT_ROTATION)
    rate = 0.0
    law = laws[row, STEERING]
    if law >= 0:
        s, c = sincos(angles[law, 0])
        rate = angles[law, 1]
        r0 = multiply(r0, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
    return r0, rate


@step
def point_wrench(laws, parameters, angles, poses, motions, row):
    """Force and moment of law ``row`` in its own axes r0 (turned by its steering), with the motion of its point.

    Returns (place (r0, p0) in its frame, twist (x; w) and steering rate, (force, moment), (stored energy, lost power)).
    """
    k = laws[row, FRAME]
    r0, rate = steered_point(laws, parameters, angles, row)
    p0 = load3(parameters, row, POINT_POSITION)
    rk = load9(poses, k, ROTATION)
    p = add(load3(poses, k, POSITION), rotate(rk, p0))
    x, w = to_child(r0, p0, load3(motions, k, TWIST), load3(motions, k, TWIST + 3))
    w = (w[0], w[1], w[2] + rate)
    force, moment, energy, power = law_wrench(laws, parameters, row, multiply(rk, r0), p, x, w)
    return (r0, p0), (x, w, rate), (force, moment), (energy, power)


@kernel
def add_wrenches(laws, parameters, angles, poses, motions, wrenches):
    """Add the wrenches of all laws to ``wrenches`` (nf, 6).

    Returns (stored energy J, lost power W, power from outside W, power W of steering motors against the moment of the contact).
    ``poses``, ``motions``: world poses and body motions of the frames; ``angles`` (k, 3): steering of points, see
    :func:`steered_point`.
    """
    o = lit(poses[0, 0], 0.0)
    stored = o
    lost = o
    outside = o
    steering = o
    for row in range(laws.shape[0]):
        k = laws[row, FRAME]
        place, twist, load, tally = point_wrench(laws, parameters, angles, poses, motions, row)
        (r0, p0), (x, w, rate), (force, moment), (energy, power) = place, twist, load, tally
        stored = stored + energy
        lost = lost + power
        if laws[row, KIND] == THRUST:
            outside = outside + dot(force, x) + dot(moment, w)
        steering = steering - moment[2] * rate
        f, c = to_parent(r0, p0, force, moment)
        increase3(wrenches, k, 0, f)
        increase3(wrenches, k, 3, c)
    return stored, lost, outside, steering


@kernel
def contact_forces(laws, parameters, angles, poses, motions, forces):
    """Forces of all laws on the robot, in world axes, into ``forces`` (m, 3), N."""
    for row in range(laws.shape[0]):
        place, _, load, _ = point_wrench(laws, parameters, angles, poses, motions, row)
        f = rotate(multiply(load9(poses, laws[row, FRAME], ROTATION), place[0]), load[0])
        for j in range(3):
            forces[row, j] = f[j]
