"""The right-hand side: accelerations of free coordinates and forces of imposed ones, at one instant (Ali 2011, Fig. 3.11)."""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import dense_dynamics, has_rods
from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.joint_laws import joint_forces, limited
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.dynamics.strands import strand_forces
from locodyn.kernel import kernel, lit, routine, step
from locodyn.kernel.dense import fill
from locodyn.locomotion.arrays import DAMPING_GAIN, STIFFNESS_GAIN
from locodyn.locomotion.constrained import constrained_motion, settle_rows
from locodyn.motion.table import evaluate
from locodyn.robot.layout import COUNT_V, DOF_FRAME, FIRST_Q, FIRST_V
from locodyn.shape.kinematics import frame_motions, frame_poses
from locodyn.world.wrenches import add_fluid_weight, add_memory_forces, add_wrenches


@routine
def read_laws(p, t, inputs):
    """Evaluate the laws of all driven coordinates and the targets of servos at time t into ``inputs``."""
    read_drives(p, t, inputs)
    read_targets(p, t, inputs)


@routine
def read_drives(p, t, inputs):
    """The laws of driven coordinates, rows and strands at time t."""
    mixed = p.imposed.shape[0] > 0
    for i in range(p.law.shape[0]):
        if p.law[i] >= 0:
            value, rate, acceleration = evaluate(p.starts, p.terms, p.parameters, p.data, p.law[i], t)
            if mixed and p.imposed[i] != 0:
                inputs.motion[0, i] = value
                inputs.motion[1, i] = rate
                inputs.motion[2, i] = acceleration
            else:
                inputs.command[i] = value
    for k in range(p.row_law.shape[0]):
        value, rate, acceleration = evaluate(p.starts, p.terms, p.parameters, p.data, p.row_law[k], t)
        inputs.rows[k, 0] = value
        inputs.rows[k, 1] = rate
        inputs.rows[k, 2] = acceleration
    for k in range(p.strand_law.shape[0]):
        if p.strand_law[k] >= 0:
            value, _, _ = evaluate(p.starts, p.terms, p.parameters, p.data, p.strand_law[k], t)
            inputs.strands[k] = value


@routine
def read_targets(p, t, inputs):
    """Positions and velocities that servos aim at, at time t."""
    for i in range(p.target.shape[0]):
        if p.target[i] >= 0:
            value, rate, _ = evaluate(p.starts, p.terms, p.parameters, p.data, p.target[i], t)
            inputs.motion[0, i] = value
            inputs.motion[1, i] = rate


@kernel
def impose(p, inputs, q, v, a):
    """Put imposed coordinates where their motion says. Imposed joints have one position for each velocity."""
    if p.imposed.shape[0] == 0:
        return
    for k in range(p.frames.shape[0]):
        first = p.frames[k, FIRST_V]
        for i in range(first, first + p.frames[k, COUNT_V]):
            if p.imposed[i] != 0:
                q[p.frames[k, FIRST_Q] + i - first] = lit(q[0], inputs.motion[0, i])
                v[i] = lit(q[0], inputs.motion[1, i])
                a[i] = lit(q[0], inputs.motion[2, i])


@routine
def applied_forces(p, inputs, q, v, tau):
    """tau = :func:`actuator_forces` + springs and friction of the joints, elasticity and viscosity of rods."""
    actuator_forces(p, inputs, q, v, tau)
    joint_forces(p.frames, p.dof_constants, q, v, tau)


@step
def actuator_forces(p, inputs, q, v, tau):
    """tau = actuators and servos within their limits + tendons and chambers of rods."""
    for i in range(v.shape[0]):
        tau[i] = lit(v[i], inputs.command[i])
    for i in range(p.target.shape[0]):
        if p.target[i] >= 0:
            k = p.dofs[i, DOF_FRAME]
            place = q[p.frames[k, FIRST_Q] + i - p.frames[k, FIRST_V]]
            tau[i] = tau[i] + p.gains[i, STIFFNESS_GAIN] * (lit(v[i], inputs.motion[0, i]) - place)
            tau[i] = tau[i] + p.gains[i, DAMPING_GAIN] * (lit(v[i], inputs.motion[1, i]) - v[i])
    for i in range(v.shape[0]):
        tau[i] = limited(p.dof_constants, i, tau[i])
    if p.strands.shape[0] > 0:
        strand_forces(p.dofs, p.strands, p.strand_constants, p.strand_points, inputs.strands, q, tau)


@routine
def outer_wrenches(p, inputs, q, v, a, w):
    """Fill ``w.wrenches`` with what acts from outside; returns what :func:`~locodyn.world.wrenches.add_wrenches` does.

    Adds to ``w.tau`` what drives the integrals of feedback laws.
    """
    frame_poses(p.frames, p.constants, q, 1, w.poses)
    frame_motions(p.frames, p.constants, q, v, a, w.motions)
    fill(w.wrenches, lit(q[0], 0.0))
    if inputs.wrenches.shape[0] > 0:
        for k in range(p.frames.shape[0]):
            for j in range(6):
                w.wrenches[k, j] = lit(q[0], inputs.wrenches[k, j])
    add_fluid_weight(p.frames, p.constants, p.gravity, w.poses, w.wrenches)
    add_memory_forces(p.wrench_laws, p.wrench_parameters, inputs.rows, w.poses, w.motions, w.tau)
    return add_wrenches(p.wrench_laws, p.wrench_parameters, inputs.rows, w.poses, w.motions, v, w.wrenches)


@routine
def accelerations(p, inputs, q, v, w, a):
    """a = acceleration at (q, v) under ``inputs``; imposed coordinates of q and v are put in place first.

    On return ``w.tau`` holds, for imposed coordinates, the total force that their motion needs, and for the others what acts
    on them.
    """
    impose(p, inputs, q, v, a)
    applied_forces(p, inputs, q, v, w.tau)
    solve(p.constraints, p, inputs, q, v, w, a)


@kernel
def solve(constraints, p, inputs, q, v, w, a):
    """Without constraints: hybrid dynamics in O(n), or dense with rods. With: :mod:`locodyn.locomotion.constrained`.

    ``constraints`` is an argument of its own, so that the branch is chosen when the kernel is compiled.
    """
    outside = p.wrench_laws.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(p.frames)
    if outside:
        outer_wrenches(p, inputs, q, v, a, w)
    if constraints is not None:
        if not outside:
            fill(w.wrenches, lit(q[0], 0.0))
        constrained_motion(p, constraints, inputs, q, v, w, a)
        return
    loads = w.wrenches if outside else w.wrenches[:0]
    if has_rods(p.constants):
        dense_dynamics(
            p.frames, p.constants, p.dofs, p.dof_constants, p.gravity, p.imposed, q, v, loads, w.inverse, w.poses, w.composites,
            w.columns, w.matrix, w.rest, a, w.tau,
        )  # fmt: skip
        return
    hybrid_dynamics(p.frames, p.constants, p.gravity, p.imposed, q, v, loads, w.work, w.dof_work, a, w.tau)


@routine
def settle(constraints, p, inputs, q, v, w, a):
    """Put a state where it belongs: imposed coordinates on their motion, positions on holonomic rows, velocities on all rows."""
    impose(p, inputs, q, v, a)
    if constraints is not None:
        settle_rows(p, constraints, inputs, q, v, w, a)
