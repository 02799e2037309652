"""The right-hand side: accelerations of free coordinates and forces of imposed ones, at one instant (Ali 2011, Fig. 3.11)."""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import dense_dynamics, has_rods
from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.joint_laws import joint_forces, limited
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.strands import strand_forces
from locodyn.kernel import compiled, lit, portable
from locodyn.kernel.dense import fill
from locodyn.locomotion.arrays import GAIN
from locodyn.locomotion.constrained import constrained_motion, settle_rows
from locodyn.locomotion.drive_memory import bristle_forces, lagging_forces, strand_values
from locodyn.motion.table import evaluate
from locodyn.robot.layout import COUNT_V, DOF_FRAME, FIRST_Q, FIRST_V
from locodyn.shape.kinematics import frame_motions, frame_poses
from locodyn.world.wrenches import add_fluid_weight, add_wrenches


@compiled(called=True)
def read_laws(problem, t, inputs):
    """Evaluate the laws of all driven coordinates and the targets of servos at time t into ``inputs``."""
    read_drives(problem, t, inputs)
    read_targets(problem, t, inputs)


@compiled(called=True)
def read_drives(problem, t, inputs):
    """The laws of driven coordinates, rows and strands at time t."""
    mixed = problem.imposed.shape[0] > 0
    for i in range(problem.law.shape[0]):
        if problem.law[i] >= 0:
            value, rate, acceleration = evaluate(problem.laws, problem.law[i], t)
            if mixed and problem.imposed[i] != 0:
                inputs.motion[0, i] = value
                inputs.motion[1, i] = rate
                inputs.motion[2, i] = acceleration
            else:
                inputs.command[i] = value
    for k in range(problem.row_law.shape[0]):
        value, rate, acceleration = evaluate(problem.laws, problem.row_law[k], t)
        inputs.rows[k, 0] = value
        inputs.rows[k, 1] = rate
        inputs.rows[k, 2] = acceleration
    for k in range(problem.strand_law.shape[0]):
        if problem.strand_law[k] >= 0:
            value, _, _ = evaluate(problem.laws, problem.strand_law[k], t)
            inputs.strands[k] = value


@compiled(called=True)
def read_targets(problem, t, inputs):
    """Positions and velocities that servos aim at, at time t."""
    for i in range(problem.target.shape[0]):
        if problem.target[i] >= 0:
            value, rate, _ = evaluate(problem.laws, problem.target[i], t)
            inputs.motion[0, i] = value
            inputs.motion[1, i] = rate


@portable
def impose(problem, inputs, q, v, a):
    """Put imposed coordinates where their motion says. Imposed joints have one position for each velocity."""
    if problem.imposed.shape[0] == 0:
        return
    for k in range(problem.frames.shape[0]):
        first = problem.frames[k, FIRST_V]
        for i in range(first, first + problem.frames[k, COUNT_V]):
            if problem.imposed[i] != 0:
                q[problem.frames[k, FIRST_Q] + i - first] = lit(q[0], inputs.motion[0, i])
                v[i] = lit(q[0], inputs.motion[1, i])
                a[i] = lit(q[0], inputs.motion[2, i])


@portable(called=True)
def applied_forces(problem, inputs, q, v, memory, tau):
    """tau = actuators, tendons and chambers, springs and friction of the joints, elasticity and viscosity of rods.

    With laws that remember, at the states ``memory.value``; their rates go to ``memory.rate``.
    """
    commanded_forces(problem, inputs, q, v, tau)
    lagging_forces(problem.drives, memory, tau)
    if problem.strands.shape[0] > 0:
        strand_values(problem.drives, inputs.strands, memory)
        strand_forces(problem.dofs, problem.strands, problem.strand_constants, problem.strand_points, memory.strands, q, tau)
    joint_forces(problem.frames, problem.dof_constants, q, v, tau)
    bristle_forces(problem.drives, v, memory, tau)


@portable(inline=True)
def actuator_forces(problem, inputs, q, v, tau):
    """tau = actuators and servos within their limits + tendons and chambers of rods, of a robot whose drives do not lag."""
    commanded_forces(problem, inputs, q, v, tau)
    if problem.strands.shape[0] > 0:
        strand_forces(problem.dofs, problem.strands, problem.strand_constants, problem.strand_points, inputs.strands, q, tau)


@portable(inline=True)
def commanded_forces(problem, inputs, q, v, tau):
    """tau = what actuators and servos are commanded to give, within their limits."""
    for i in range(v.shape[0]):
        tau[i] = lit(v[i], inputs.command[i])
    for i in range(problem.target.shape[0]):
        if problem.target[i] >= 0:
            k = problem.dofs[i, DOF_FRAME]
            place = q[problem.frames[k, FIRST_Q] + i - problem.frames[k, FIRST_V]]
            tau[i] = tau[i] + problem.gains[i, GAIN.stiffness] * (lit(v[i], inputs.motion[0, i]) - place)
            tau[i] = tau[i] + problem.gains[i, GAIN.damping] * (lit(v[i], inputs.motion[1, i]) - v[i])
    for i in range(v.shape[0]):
        tau[i] = limited(problem.dof_constants, i, tau[i], v[i])


@portable(called=True)
def outer_wrenches(problem, inputs, q, v, a, work):
    """Fill ``work.wrenches`` with what acts from outside; returns what :func:`~locodyn.world.wrenches.add_wrenches` does.

    Rates of the states of wrench laws go to ``work.memory.rate``.
    """
    frame_poses(problem.frames, problem.constants, q, 1, work.poses)
    frame_motions(problem.frames, problem.constants, q, v, a, work.motions)
    fill(work.wrenches, lit(q[0], 0.0))
    if inputs.wrenches.shape[0] > 0:
        for k in range(problem.frames.shape[0]):
            for j in range(6):
                work.wrenches[k, j] = lit(q[0], inputs.wrenches[k, j])
    add_fluid_weight(problem.frames, problem.constants, problem.gravity, work.poses, work.wrenches)
    return add_wrenches(problem.wrenches, inputs.rows, q, work.poses, work.motions, work.memory, work.wrenches)


@compiled
def power_of_functions(inputs, motions):
    """Power (W) of the wrenches of the user's functions on the motions (nf, 12) of their frames."""
    power = 0.0
    for k in range(inputs.wrenches.shape[0]):
        for j in range(6):
            power += inputs.wrenches[k, j] * motions[k, j]
    return power


@portable(called=True)
def accelerations(problem, inputs, q, v, work, a):
    """a = acceleration at (q, v) under ``inputs``; imposed coordinates of q and v are put in place first.

    Laws with memory are at the states ``work.memory.value``, whose rates go to ``work.memory.rate``. On return ``work.tau``
    holds, for imposed coordinates, the total force that their motion needs, and for the others what acts on them.
    """
    impose(problem, inputs, q, v, a)
    applied_forces(problem, inputs, q, v, work.memory, work.tau)
    solve(problem.rows, problem, inputs, q, v, work, a)


@portable
def solve(rows, problem, inputs, q, v, work, a):
    """Without constraints: hybrid dynamics in O(n), or dense with rods. With: :mod:`locodyn.locomotion.constrained`.

    ``rows`` is an argument of its own, so that the branch is chosen when the kernel is compiled.
    """
    outside = problem.wrenches.frame.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(problem.frames)
    if outside:
        outer_wrenches(problem, inputs, q, v, a, work)
    if rows is not None:
        if not outside:
            fill(work.wrenches, lit(q[0], 0.0))
        constrained_motion(problem, rows, inputs, q, v, work, a)
        return
    loads = work.wrenches if outside else work.wrenches[:0]
    if has_rods(problem.constants):
        dense_dynamics(
            problem.frames, problem.constants, problem.dofs, problem.dof_constants, problem.gravity, problem.imposed, q, v, loads,
            work.inverse, work.poses, work.composites, work.columns, work.matrix, work.rest, a, work.tau,
        )  # fmt: skip
        return
    hybrid_dynamics(
        problem.frames, problem.constants, problem.gravity, problem.imposed, q, v, loads, work.work, work.dof_work, a, work.tau
    )


@portable(called=True)
def settle(rows, problem, inputs, q, v, work, a):
    """Put a state where it belongs: imposed coordinates on their motion, positions on holonomic rows, velocities on all rows."""
    impose(problem, inputs, q, v, a)
    if rows is not None:
        settle_rows(problem, rows, inputs, q, v, work, a)
