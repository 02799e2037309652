"""What joints do in a step of hard contact: actuators, servos at the end of the step, springs and friction within it."""

from __future__ import annotations

from locodyn.contact.dense import rod_entries
from locodyn.dynamics.joint_laws import limited
from locodyn.kernel import compiled, sqrt
from locodyn.locomotion.arrays import GAIN
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


@compiled
def joint_diagonal(problem, contacts, v, step):
    """E: what springs, friction and servos of the joints add to the mass matrix; also into the armature of its constants.

    Notes the coordinates where there are any: :func:`joint_diagonal_again`.
    """
    robot, servos = contacts.robot, problem.target.shape[0] > 0
    robot.resists = 0
    for i in range(v.shape[0]):
        add_diagonal(problem, contacts, v, step, i)
        if friction_slope(problem, i, v[i]) != 0.0 or spring(problem, i) != 0.0 or (servos and problem.target[i] >= 0):
            robot.resisting[robot.resists] = i
            robot.resists += 1


@compiled
def joint_diagonal_again(problem, contacts, v, step):
    """:func:`joint_diagonal` at another velocity or for another step."""
    for n in range(contacts.robot.resists):
        add_diagonal(problem, contacts, v, step, contacts.robot.resisting[n])


@compiled(inline=True)
def add_diagonal(problem, contacts, v, step, i):
    """E of coordinate i."""
    k = problem.dofs[i, DOF_FRAME]
    total = 0.0
    if not (problem.imposed.shape[0] > 0 and problem.imposed[i] != 0):
        total = contacts.theta * step * (friction_slope(problem, i, v[i]) + 0.5 * step * spring(problem, i))
        if implicit_servo(problem, contacts, i):
            total += step * problem.gains[i, GAIN.damping] + 0.5 * step * step * problem.gains[i, GAIN.stiffness]
    contacts.robot.added[i] = total
    if problem.frames[k, CODE] != ROD:  # which have no armature
        contacts.robot.constants[k, ARMATURE + i - problem.frames[k, FIRST_V]] = (
            problem.constants[k, ARMATURE + i - problem.frames[k, FIRST_V]] + total
        )


@compiled(inline=True)
def spring(problem, i):
    """Stiffness of coordinate i where its velocity is the rate of a position."""
    code = problem.frames[problem.dofs[i, DOF_FRAME], CODE]
    return 0.0 if code == FREE or code == PLANAR or code == SPHERICAL else problem.dof_constants[i, STIFFNESS]


@compiled(inline=True)
def carried_on(problem, contacts, step, v, i):
    """What springs and friction of joint i, taken at theta of the step, give back of those at (q_M, v_A), N s or N m s.

    theta dt c v_A + (1 - theta) dt^2 / 2 k v_A, since q_M is half a step ahead; of rods along all their modes.
    """
    theta = contacts.theta
    total = (theta * step * friction_slope(problem, i, v[i]) + (1.0 - theta) * 0.5 * step * step * spring(problem, i)) * v[i]
    if problem.frames[problem.dofs[i, DOF_FRAME], CODE] == ROD:
        total += rod_carried_on(problem, theta, step, v, i)
    return total


@compiled
def rod_carried_on(problem, theta, step, v, i):
    """The same along mode i of a rod, from all its modes."""
    k = problem.dofs[i, DOF_FRAME]
    first = problem.frames[k, FIRST_V]
    total = 0.0
    for j in range(first, first + problem.frames[k, COUNT_V]):
        elastic, viscous = rod_entries(problem.dof_constants, first, i, j)
        total += (theta * step * viscous + (1.0 - theta) * 0.5 * step * step * elastic) * v[j]
    return total


@compiled
def friction_force(problem, contacts, v, x, i):
    """Friction of joint i, or viscosity of a rod along its mode i, at theta between the velocities v and x; N or N m."""
    theta = contacts.theta
    total = friction_slope(problem, i, v[i]) * (v[i] + theta * (x[i] - v[i]))
    k = problem.dofs[i, DOF_FRAME]
    if problem.frames[k, CODE] == ROD:
        first = problem.frames[k, FIRST_V]
        for j in range(first, first + problem.frames[k, COUNT_V]):
            _, viscous = rod_entries(problem.dof_constants, first, i, j)
            total += viscous * (v[j] + theta * (x[j] - v[j]))
    return total


@compiled
def theta_force(problem, contacts, step, v, x, i):
    """By how much the spring of joint i, or the elasticity of a rod along its mode i, is more than at the middle of its way.

    Springs at theta of the way dq = dt (v_A + v_E) / 2 have k (q_A + theta dq), and the energy between the ends is that of
    k (q_A + dq / 2): the rest, (theta - 1/2) dt k (v_A + v_E) / 2, damps as a viscosity of (theta - 1/2) dt k would. N or N m.
    """
    total = spring(problem, i) * (v[i] + x[i])
    k = problem.dofs[i, DOF_FRAME]
    if problem.frames[k, CODE] == ROD:
        first = problem.frames[k, FIRST_V]
        for j in range(first, first + problem.frames[k, COUNT_V]):
            elastic, _ = rod_entries(problem.dof_constants, first, i, j)
            total += elastic * (v[j] + x[j])
    return (contacts.theta - 0.5) * 0.5 * step * total


@compiled(inline=True)
def friction_slope(problem, i, rate):
    """Friction of joint i over its rate: c + f / sqrt(v^2 + v0^2)."""
    dry = problem.dof_constants[i, COULOMB]
    if dry == 0.0:
        return problem.dof_constants[i, VISCOUS]
    speed = problem.dof_constants[i, COULOMB_SPEED]
    return problem.dof_constants[i, VISCOUS] + dry / sqrt(rate * rate + speed * speed)


@compiled(inline=True)
def implicit_servo(problem, contacts, i):
    """Whether coordinate i has a servo that is taken at the end of the step; not one that commands an actuator which lags."""
    if problem.drives.lags.shape[0] > 0 and problem.drives.lags[i] != 0:
        return False
    return contacts.implicit_servo and problem.target.shape[0] > 0 and problem.target[i] >= 0 and contacts.saturated[i] == 0


@compiled(called=True)
def applied_at_start(problem, contacts, inputs, q, v):
    """``applied``: forces of actuators at the start of the step, those of implicit servos left out, within their limits."""
    for i in range(v.shape[0]):
        contacts.saturated[i] = 0
        total = inputs.command[i]
        if problem.target.shape[0] > 0 and problem.target[i] >= 0 and not implicit_servo(problem, contacts, i):
            k = problem.dofs[i, DOF_FRAME]
            place = q[problem.frames[k, FIRST_Q] + i - problem.frames[k, FIRST_V]]
            total += problem.gains[i, GAIN.stiffness] * (inputs.motion[0, i] - place)
            total += problem.gains[i, GAIN.damping] * (inputs.motion[1, i] - v[i])
        contacts.applied[i] = limited(problem.dof_constants, i, total, v[i])


@compiled(inline=True)
def servo_force(problem, inputs, step, q, v, i, x):
    """Force of an implicit servo: k (r_d - r_A - dt/2 (v_A + x)) + d (rdot_d - x), targets at the end of the step."""
    k = problem.dofs[i, DOF_FRAME]
    place = q[problem.frames[k, FIRST_Q] + i - problem.frames[k, FIRST_V]] + 0.5 * step * (v[i] + x)
    return problem.gains[i, GAIN.stiffness] * (inputs.motion[0, i] - place) + problem.gains[i, GAIN.damping] * (
        inputs.motion[1, i] - x
    )


@compiled
def saturate(problem, contacts, inputs, step, q, v, x):
    """Mark implicit servos whose force is beyond its limit; returns whether there are new ones."""
    found = False
    if not contacts.implicit_servo:
        return found
    for i in range(problem.target.shape[0]):
        if implicit_servo(problem, contacts, i):
            force = contacts.applied[i] + servo_force(problem, inputs, step, q, v, i, x[i])
            if limited(problem.dof_constants, i, force, v[i]) != force:
                contacts.saturated[i] = 1 if force > 0.0 else -1
                found = True
    return found


@compiled
def book_drives(problem, contacts, inputs, step, q, v, x, tau, mean, power):
    """Forces of actuators over the step into ``applied``; their work, that of joint friction, and of a further ``power`` (W).

    ``mean`` (nv,): the velocity on which they work.
    """
    mixed = problem.imposed.shape[0] > 0
    energy = step * power
    for i in range(x.shape[0]):
        if mixed and problem.imposed[i] != 0:
            contacts.applied[i] = (tau[i] - contacts.rhs[i]) / step
        elif implicit_servo(problem, contacts, i):
            contacts.applied[i] += servo_force(problem, inputs, step, q, v, i, x[i])
        elif contacts.saturated[i] != 0:
            contacts.applied[i] = limited(problem.dof_constants, i, contacts.saturated[i] * 1e300, v[i])
        energy += step * mean[i] * (contacts.applied[i] - friction_force(problem, contacts, v, x, i))
        if contacts.theta != 0.5:
            contacts.report.damping_loss += 0.5 * step * (v[i] + x[i]) * theta_force(problem, contacts, step, v, x, i)
    contacts.report.supplied += energy
