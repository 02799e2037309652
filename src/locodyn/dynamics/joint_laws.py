"""What a joint does by itself: spring, viscous and Coulomb friction; and the limits of its actuator.

    tau = -k d - c v - f v / sqrt(v^2 + v0^2),     d = deviation from rest, v0 = regularisation speed of Coulomb friction

For a spherical joint d is the rotation vector theta from rest and the spring torque is -T(theta)^-T (k theta), the gradient
of 1/2 k theta^2
along the velocities of the joint. A rod has the force -K q - D qdot of its elasticity and its viscosity (Gotelli 2024, (2.38)).
"""

from __future__ import annotations

from locodyn.kernel import fma, lit, portable, select_lt, sqrt
from locodyn.lie import so3
from locodyn.robot.layout import (
    CODE,
    COULOMB,
    COULOMB_SPEED,
    COUNT_V,
    DOF_CONSTANT_COLUMNS,
    FADING,
    FIRST_Q,
    FIRST_V,
    FREE,
    LIMIT,
    PARENT,
    PLANAR,
    REST,
    ROD,
    ROOT,
    SPHERICAL,
    STIFFNESS,
    VISCOUS,
)


@portable(inline=True)
def friction(dof_constants, i, rate):
    """c v + f v / sqrt(v^2 + v0^2): what friction takes from coordinate i."""
    speed = dof_constants[i, COULOMB_SPEED]
    return rate * (dof_constants[i, VISCOUS] + dof_constants[i, COULOMB] / sqrt(rate * rate + lit(rate, speed * speed)))


@portable(inline=True)
def viscosity_column(dof_constants):
    """Where the rows of the viscosity matrices of rods begin."""
    return DOF_CONSTANT_COLUMNS + (dof_constants.shape[1] - DOF_CONSTANT_COLUMNS) // 2


@portable
def rod_forces(dof_constants, first, count, q, i, v, tau):
    """Add -K q - D qdot of the rod with the velocities first ... and the positions i ... to tau."""
    viscous = viscosity_column(dof_constants)
    for j in range(count):
        total = lit(q[0], 0.0)
        for n in range(count):
            total = fma(dof_constants[first + j, DOF_CONSTANT_COLUMNS + n], q[i + n], total)
        if dof_constants[first + j, viscous + j] != 0.0:  # D is not indefinite: a zero on its diagonal is a row of zeros
            for n in range(count):
                total = fma(dof_constants[first + j, viscous + n], v[first + n], total)
        tau[first + j] = tau[first + j] - total


@portable
def rod_energy(dof_constants, first, count, q, i, v):
    """(1/2 q^T K q, qdot^T D qdot) of the same rod."""
    viscous = viscosity_column(dof_constants)
    stored = lit(q[0], 0.0)
    lost = lit(q[0], 0.0)
    for j in range(count):
        for n in range(count):
            stored = stored + dof_constants[first + j, DOF_CONSTANT_COLUMNS + n] * q[i + j] * q[i + n]
            lost = lost + dof_constants[first + j, viscous + n] * v[first + j] * v[first + n]
    return lit(q[0], 0.5) * stored, lost


@portable
def joint_forces(frames, dof_constants, q, v, tau):
    """Add springs and friction of all joints, elasticity and viscosity of rods to ``tau`` (nv,)."""
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        i = frames[k, FIRST_Q]
        first = frames[k, FIRST_V]
        if code == ROD:
            if frames[k, PARENT] == frames[k, ROOT]:
                rod_forces(dof_constants, first, frames[k, COUNT_V], q, i, v, tau)
            continue
        for j in range(first, first + frames[k, COUNT_V]):
            tau[j] = tau[j] - friction(dof_constants, j, v[j])
            if code != SPHERICAL and code != FREE and code != PLANAR:
                tau[j] = tau[j] - dof_constants[j, STIFFNESS] * (q[i + j - first] - dof_constants[j, REST])
        if code == SPHERICAL:
            theta = so3.log_quaternion((q[i], q[i + 1], q[i + 2], q[i + 3]))
            pull = (
                dof_constants[first, STIFFNESS] * theta[0],
                dof_constants[first + 1, STIFFNESS] * theta[1],
                dof_constants[first + 2, STIFFNESS] * theta[2],
            )
            pull = so3.right_jacobian_inverse_transposed_apply(theta, pull)
            for j in range(3):
                tau[first + j] = tau[first + j] - pull[j]


@portable
def joint_energy(frames, dof_constants, q, v):
    """(energy stored in springs and rods, J; power lost in joint friction and viscosity of rods, W)."""
    o = lit(q[0], 0.0)
    half = lit(q[0], 0.5)
    stored = o
    lost = o
    for k in range(frames.shape[0]):
        code = frames[k, CODE]
        i = frames[k, FIRST_Q]
        first = frames[k, FIRST_V]
        if code == ROD:
            if frames[k, PARENT] == frames[k, ROOT]:
                elastic, viscous = rod_energy(dof_constants, first, frames[k, COUNT_V], q, i, v)
                stored = stored + elastic
                lost = lost + viscous
            continue
        for j in range(first, first + frames[k, COUNT_V]):
            lost = lost + friction(dof_constants, j, v[j]) * v[j]
            if code != SPHERICAL and code != FREE and code != PLANAR:
                d = q[i + j - first] - dof_constants[j, REST]
                stored = stored + half * dof_constants[j, STIFFNESS] * d * d
        if code == SPHERICAL:
            theta = so3.log_quaternion((q[i], q[i + 1], q[i + 2], q[i + 3]))
            for j in range(3):
                stored = stored + half * dof_constants[first + j, STIFFNESS] * theta[j] * theta[j]
    return stored, lost


@portable(inline=True)
def limited(dof_constants, i, force, rate):
    """``force`` of the actuator of coordinate i at the rate v, kept within its limit.

    An electric drive gives less the faster it turns, because the voltage that it induces takes from that of its supply:

        -L max(0, 1 + min(0, v) / v_n) <= force <= L max(0, 1 - max(0, v) / v_n),     v_n: speed at which nothing is left

    Where it brakes, force v < 0, it has all of L.
    """
    up = lit(force, dof_constants[i, LIMIT])
    down = lit(force, dof_constants[i, LIMIT])
    if dof_constants[i, FADING] != 0.0:
        zero = lit(force, 0.0)
        share = rate * dof_constants[i, FADING]
        up = up * (lit(force, 1.0) - select_lt(share, zero, zero, share))
        down = down * (lit(force, 1.0) + select_lt(share, zero, share, zero))
        up = select_lt(up, zero, zero, up)
        down = select_lt(down, zero, zero, down)
    return select_lt(up, force, up, select_lt(force, -down, -down, force))
