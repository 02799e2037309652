"""What joints do in a step of hard contact: actuators, servos at the end of the step, springs and friction within it."""

from __future__ import annotations

from locodyn.dynamics.joint_laws import limited
from locodyn.kernel import kernel, routine, sqrt
from locodyn.locomotion.arrays import DAMPING_GAIN, STIFFNESS_GAIN
from locodyn.locomotion.contact.arrays import APPLIED, DIAGONAL, IMPLICIT, THETA
from locodyn.locomotion.contact.dense import rod_entries
from locodyn.robot.layout import (
    ARMATURE,
    CODE,
    COULOMB,
    COULOMB_SPEED,
    COUNT_V,
    DOF_FRAME,
    FIRST_Q,
    FIRST_V,
    FREE,
    PLANAR,
    ROD,
    SPHERICAL,
    STIFFNESS,
    VISCOUS,
)


@kernel
def joint_diagonal(p, c, v, step):
    """E: what springs, friction and servos of the joints add to the mass matrix; also into the armature of ``c.constants``."""
    mixed = p.imposed.shape[0] > 0
    for i in range(v.shape[0]):
        k = p.dofs[i, DOF_FRAME]
        total = 0.0
        if not (mixed and p.imposed[i] != 0):
            total = c.settings[THETA] * step * (friction_slope(p, i, v[i]) + 0.5 * step * spring(p, i))
            if implicit_servo(p, c, i):
                total += step * p.gains[i, DAMPING_GAIN] + 0.5 * step * step * p.gains[i, STIFFNESS_GAIN]
        c.vectors[DIAGONAL, i] = total
        if p.frames[k, CODE] != ROD:  # which have no armature
            c.constants[k, ARMATURE + i - p.frames[k, FIRST_V]] = p.constants[k, ARMATURE + i - p.frames[k, FIRST_V]] + total


@kernel
def spring(p, i):
    """Stiffness of coordinate i where its velocity is the rate of a position."""
    code = p.frames[p.dofs[i, DOF_FRAME], CODE]
    return 0.0 if code == FREE or code == PLANAR or code == SPHERICAL else p.dof_constants[i, STIFFNESS]


@kernel
def carried_on(p, c, step, v, i):
    """What springs and friction of joint i, taken at theta of the step, give back of those at (q_M, v_A), N s or N m s.

    theta dt c v_A + (1 - theta) dt^2 / 2 k v_A, since q_M is half a step ahead; of rods along all their modes.
    """
    theta = c.settings[THETA]
    total = (theta * step * friction_slope(p, i, v[i]) + (1.0 - theta) * 0.5 * step * step * spring(p, i)) * v[i]
    k = p.dofs[i, DOF_FRAME]
    if p.frames[k, CODE] == ROD:
        first = p.frames[k, FIRST_V]
        for j in range(first, first + p.frames[k, COUNT_V]):
            elastic, viscous = rod_entries(p.dof_constants, first, i, j)
            total += (theta * step * viscous + (1.0 - theta) * 0.5 * step * step * elastic) * v[j]
    return total


@kernel
def friction_force(p, c, v, x, i):
    """Friction of joint i, or viscosity of a rod along its mode i, at theta between the velocities v and x; N or N m."""
    theta = c.settings[THETA]
    total = friction_slope(p, i, v[i]) * (v[i] + theta * (x[i] - v[i]))
    k = p.dofs[i, DOF_FRAME]
    if p.frames[k, CODE] == ROD:
        first = p.frames[k, FIRST_V]
        for j in range(first, first + p.frames[k, COUNT_V]):
            _, viscous = rod_entries(p.dof_constants, first, i, j)
            total += viscous * (v[j] + theta * (x[j] - v[j]))
    return total


@kernel
def friction_slope(p, i, rate):
    """Friction of joint i over its rate: c + f / sqrt(v^2 + v0^2)."""
    dry = p.dof_constants[i, COULOMB]
    if dry == 0.0:
        return p.dof_constants[i, VISCOUS]
    speed = p.dof_constants[i, COULOMB_SPEED]
    return p.dof_constants[i, VISCOUS] + dry / sqrt(rate * rate + speed * speed)


@kernel
def implicit_servo(p, c, i):
    """Whether coordinate i has a servo that is taken at the end of the step."""
    return c.counts[IMPLICIT] != 0 and p.target.shape[0] > 0 and p.target[i] >= 0 and c.saturated[i] == 0


@routine
def applied_at_start(p, c, inputs, q, v):
    """APPLIED: forces of actuators at the start of the step, those of implicit servos left out, within their limits."""
    for i in range(v.shape[0]):
        total = inputs.command[i]
        if p.target.shape[0] > 0 and p.target[i] >= 0 and c.counts[IMPLICIT] == 0:
            k = p.dofs[i, DOF_FRAME]
            place = q[p.frames[k, FIRST_Q] + i - p.frames[k, FIRST_V]]
            total += p.gains[i, STIFFNESS_GAIN] * (inputs.motion[0, i] - place)
            total += p.gains[i, DAMPING_GAIN] * (inputs.motion[1, i] - v[i])
        c.vectors[APPLIED, i] = limited(p.dof_constants, i, total)
        c.saturated[i] = 0


@kernel
def servo_force(p, inputs, step, q, v, i, x):
    """Force of an implicit servo: k (r_d - r_A - dt/2 (v_A + x)) + d (rdot_d - x), targets at the end of the step."""
    k = p.dofs[i, DOF_FRAME]
    place = q[p.frames[k, FIRST_Q] + i - p.frames[k, FIRST_V]] + 0.5 * step * (v[i] + x)
    return p.gains[i, STIFFNESS_GAIN] * (inputs.motion[0, i] - place) + p.gains[i, DAMPING_GAIN] * (inputs.motion[1, i] - x)


@kernel
def saturate(p, c, inputs, step, q, v, x):
    """Mark implicit servos whose force is beyond its limit; returns whether there are new ones."""
    found = False
    if c.counts[IMPLICIT] == 0:
        return found
    for i in range(p.target.shape[0]):
        if implicit_servo(p, c, i):
            force = c.vectors[APPLIED, i] + servo_force(p, inputs, step, q, v, i, x[i])
            if limited(p.dof_constants, i, force) != force:
                c.saturated[i] = 1 if force > 0.0 else -1
                found = True
    return found
