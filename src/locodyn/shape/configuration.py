"""Moving on the configuration space: q (+) u, its inverse, and the rate of u.

The configuration space is a product of groups: a spherical joint lives on SO(3), a free one on SE(3), a planar one on SE(2),
all others on
R^n. A step u lies in the space of velocities; q (+) u = q exp(u), joint by joint: body-fixed, as the velocities are.
"""

from __future__ import annotations

from locodyn.kernel import portable, sincos
from locodyn.kernel.vector import add, rotate, rotate_back, subtract
from locodyn.lie import se2, se3, so3
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, FREE, PARENT, PLANAR, ROD, ROOT, SPHERICAL


@portable(inline=True)
def triple(a, i):
    """a[i:i+3] as a tuple."""
    return (a[i], a[i + 1], a[i + 2])


@portable(inline=True)
def quadruple(a, i):
    """a[i:i+4] as a tuple."""
    return (a[i], a[i + 1], a[i + 2], a[i + 3])


@portable(inline=True)
def sextuple(a, i):
    """a[i:i+6] as a tuple."""
    return (a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5])


@portable(inline=True)
def write(a, i, x):
    """a[i:i+len(x)] = x."""
    for j in range(len(x)):
        a[i + j] = x[j]


@portable
def moved_configuration(frames, q, u, result):
    """result = q (+) u. ``q``, ``result`` (nq,), may be the same array; ``u`` (nv,). Quaternions come out with norm 1."""
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        i = frames[k, FIRST_Q]
        j = frames[k, FIRST_V]
        if code == SPHERICAL:
            turn = so3.exp_quaternion(u[j], u[j + 1], u[j + 2])
            write(result, i, so3.quaternion_normalise(so3.quaternion_product(quadruple(q, i), turn)))
        elif code == FREE:
            p, turn = se3.exp_position_quaternion(sextuple(u, j))
            orientation = quadruple(q, i + 3)
            write(result, i, add(triple(q, i), rotate(so3.quaternion_matrix(orientation), p)))
            write(result, i + 3, so3.quaternion_normalise(so3.quaternion_product(orientation, turn)))
        elif code == PLANAR:
            _, _, x, y = se2.exp_pose(triple(u, j))
            s, c = sincos(q[i + 2])
            write(result, i, (q[i] + c * x - s * y, q[i + 1] + s * x + c * y, q[i + 2] + u[j + 2]))
        elif code != ROD or frames[k, PARENT] == frames[k, ROOT]:  # a rod once, not with each of its slices
            for n in range(frames[k, COUNT_V]):
                result[i + n] = q[i + n] + u[j + n]


@portable
def configuration_difference(frames, q0, q1, u):
    """u with q1 = q0 (+) u, the shortest where there are several (a planar angle loses whole turns). ``u`` (nv,)."""
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        i = frames[k, FIRST_Q]
        j = frames[k, FIRST_V]
        if code == SPHERICAL:
            turn = so3.quaternion_product(so3.quaternion_conjugate(quadruple(q0, i)), quadruple(q1, i))
            write(u, j, so3.log_quaternion(turn))
        elif code == FREE:
            orientation = quadruple(q0, i + 3)
            turn = so3.quaternion_product(so3.quaternion_conjugate(orientation), quadruple(q1, i + 3))
            p = rotate_back(so3.quaternion_matrix(orientation), subtract(triple(q1, i), triple(q0, i)))
            write(u, j, se3.log_position_quaternion(p, turn))
        elif code == PLANAR:
            s, c = sincos(q0[i + 2])
            x = q1[i] - q0[i]
            y = q1[i + 1] - q0[i + 1]
            sine, cosine = sincos(q1[i + 2] - q0[i + 2])
            write(u, j, se2.log_pose((cosine, sine, c * x + s * y, c * y - s * x)))
        elif code != ROD or frames[k, PARENT] == frames[k, ROOT]:  # a rod once, not with each of its slices
            for n in range(frames[k, COUNT_V]):
                u[j + n] = q1[i + n] - q0[i + n]


@portable
def step_rate(frames, u, v, rate):
    """Rate of u when q (+) u moves with velocity v: rate = T(u)^-1 v joint by joint (Munthe-Kaas). All (nv,)."""
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        j = frames[k, FIRST_V]
        if code == SPHERICAL:
            write(rate, j, so3.right_jacobian_inverse_apply(triple(u, j), triple(v, j)))
        elif code == FREE:
            write(rate, j, se3.inverse_tangent_apply(sextuple(u, j), sextuple(v, j)))
        elif code == PLANAR:
            write(rate, j, se2.inverse_tangent_apply(triple(u, j), triple(v, j)))
        elif code != ROD or frames[k, PARENT] == frames[k, ROOT]:  # a rod once, not with each of its slices
            for n in range(frames[k, COUNT_V]):
                rate[j + n] = v[j + n]
