"""The equation of motion as a residual, and its tangent: what implicit integrators and statics solve.

    r(t, q, v, a) = inverse dynamics(q, v, a) - J^T wrenches(t, q, v) - applied forces(t, q, v)

with lumped joints and rods alike (Gotelli 2024, (3.60)). The tangent is exact for inverse dynamics, fluid, elasticity,
viscosity and springs of single-axis joints, servos and friction; that of wrench laws is in
:mod:`locodyn.locomotion.wrench_tangent`, that of functions in Python is left out. Imposed coordinates have no equation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import mass_matrix as mass
from locodyn.dynamics.added_mass import add_fluid_mass
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.joint_laws import limited, viscosity_column
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_with_rods, moves_fluid
from locodyn.dynamics.strands import add_strand_tangent, strand_slope
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.bundle import columns as fixed
from locodyn.kernel.dense import fill
from locodyn.locomotion.arrays import GAIN, REMEMBERS
from locodyn.locomotion.drive_memory import bristle_slopes, strand_values
from locodyn.locomotion.rhs import applied_forces, outer_wrenches
from locodyn.locomotion.wrench_tangent import add_wrench_tangent
from locodyn.robot.layout import (
    CODE,
    COULOMB,
    COULOMB_SPEED,
    COUNT_V,
    DOF_CONSTANT_COLUMNS,
    DOF_FRAME,
    FADING,
    FIRST_Q,
    FIRST_V,
    FREE,
    LIMIT,
    PARENT,
    PLANAR,
    ROD,
    ROOT,
    STIFFNESS,
    VISCOUS,
)
from locodyn.shape.columns import COLUMN, COLUMNS, frame_columns
from locodyn.shape.kinematics import MOTION, POSE, frame_motions, frame_poses
from locodyn.world.compliant_pairs import GEOMETRY
from locodyn.world.law_table import MOST_STATES

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model


class Tangent(Bundle):
    """Workspace of residual and tangent of one robot."""

    residual: np.ndarray  # (nv,)
    by_q: np.ndarray  # (nv, nv), along velocities
    by_v: np.ndarray
    by_a: np.ndarray
    inverse: np.ndarray  # (nf, work_columns) of inverse dynamics
    work: np.ndarray  # (nf, ...) of its derivatives
    dof_work: np.ndarray
    poses: np.ndarray  # (nf, 12) in the world
    local: np.ndarray  # (nf, 12) in the reference frame
    motions: np.ndarray  # (nf, 12)
    composites: np.ndarray
    slopes: np.ndarray  # (nf, 72) derivative of the wrench on a frame along its pose and twist, row by row
    rate_slopes: np.ndarray  # (nz, 12) of the rates of states of wrench laws, likewise
    by_z: np.ndarray  # (nv, nz) of the residual, by the states of laws
    rate_by_q: np.ndarray  # (nz, nv) of the rates of these states
    rate_by_v: np.ndarray  # (nz, nv)
    rate_by_z: np.ndarray = fixed(MOST_STATES)  # (nz, 6) by the states of the same block
    jacobian: np.ndarray  # (nv, 12) columns of a frame, in its axes, and the changes of its twist
    other_jacobian: np.ndarray  # (nv, 12) of the other frame of a contact
    held: np.ndarray  # (points * nv, 9) of a cable: motions of its points, changes of their velocities, turns of their frames
    geometry: np.ndarray  # (7, 6) of a contact: how gap, normal and point follow the motion of its sides
    product: np.ndarray  # (nv, 12)
    gradient: np.ndarray  # (nv,)
    columns: np.ndarray  # (number of columns, COLUMNS)


def new_tangent(model: Model, states: int = 0) -> Tangent:
    """Room for a model whose laws have so many states."""
    nf, nv, columns = model.nf, model.nv, model.compiled.columns
    rods, zeros = model.compiled.has_rods, np.zeros
    return Tangent(
        residual=zeros(nv), by_q=zeros((nv, nv)), by_v=zeros((nv, nv)), by_a=zeros((nv, nv)),
        inverse=zeros((nf, inverse.work_columns(rods))), work=zeros((nf, derivatives.WORK.size)),
        dof_work=zeros((columns, derivatives.ROD_DOF_WORK.size if rods else derivatives.DOF_WORK.size)), poses=zeros((nf, POSE)),
        local=zeros((nf, POSE)), motions=zeros((nf, MOTION)), composites=zeros((nf, mass.COMPOSITE.size)),
        columns=zeros((columns, COLUMNS)), slopes=zeros((nf, 72)), rate_slopes=zeros((states, 12)), by_z=zeros((nv, states)),
        rate_by_q=zeros((states, nv)), rate_by_v=zeros((states, nv)), rate_by_z=zeros((states, MOST_STATES)),
        jacobian=zeros((nv, 12)), other_jacobian=zeros((nv, 12)), geometry=zeros((GEOMETRY, 6)), product=zeros((nv, 12)),
        gradient=zeros(nv), held=zeros((nv * max((len(tie.frames) for tie in model.compiled.ties), default=0), 9)),
    )  # fmt: skip


@compiled
def acts_outside(problem, inputs):
    """True when something acts on the robot from outside."""
    return problem.wrenches.frame.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(problem.frames)


@compiled(called=True)
def motion_residual(problem, inputs, q, v, a, work, tangent, load):
    """``tangent.residual`` at (q, v, a) under ``inputs``; zero for imposed coordinates. Leaves the wrenches in ``work.wrenches``.

    ``load``: factor of what acts from outside; 1, or less where a solution is approached by small loads.
    """
    applied_forces(problem, inputs, q, v, work.memory, work.tau)
    outside = acts_outside(problem, inputs)
    if outside:
        outer_wrenches(problem, inputs, q, v, a, work)
        for k in range(work.wrenches.shape[0]):
            for m in range(6):
                work.wrenches[k, m] *= load
    loads = work.wrenches if outside else work.wrenches[:0]
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, v, a, loads, tangent.inverse, tangent.residual)
    mixed = problem.imposed.shape[0] > 0
    for i in range(v.shape[0]):
        tangent.residual[i] -= work.tau[i]
        if mixed and problem.imposed[i] != 0:
            tangent.residual[i] = 0.0


@compiled(called=True)
def motion_tangent(problem, inputs, q, v, a, work, tangent, load, exact):
    """``tangent.by_q``, ``tangent.by_v``, ``tangent.by_a`` at the state of the last :func:`motion_residual`.

    ``exact`` 0: mass matrix, elasticity and viscosity only, which is enough for Newton at the steps of dynamics (not of statics).
    """
    frames, constants, dofs, dof_constants = problem.frames, problem.constants, problem.dofs, problem.dof_constants
    fill(tangent.by_z, 0.0)
    fill(tangent.rate_by_q, 0.0)
    fill(tangent.rate_by_v, 0.0)
    fill(tangent.rate_by_z, 0.0)
    if exact != 0 or problem.wrenches.frame.shape[0] > 0:
        frame_poses(frames, constants, q, 1, tangent.poses)
    if exact != 0:
        loads = work.wrenches if acts_outside(problem, inputs) else work.wrenches[:0]
        inverse_dynamics_derivatives(
            frames, constants, dofs, dof_constants, problem.gravity, q, v, a, loads, tangent.work, tangent.dof_work,
            tangent.by_q, tangent.by_v, tangent.by_a,
        )  # fmt: skip
    else:
        fill(tangent.by_q, 0.0)
        fill(tangent.by_v, 0.0)
        frame_poses(frames, constants, q, 0, tangent.local)
        if has_rods(constants):
            frame_columns(frames, constants, dofs, dof_constants, q, tangent.local, tangent.columns)
            mass_matrix_with_rods(
                frames, constants, dof_constants, tangent.local, tangent.composites, tangent.columns, tangent.by_a
            )
        else:
            mass_matrix(frames, constants, dofs, dof_constants, tangent.local, tangent.composites, tangent.by_a)
            if moves_fluid(frames):
                frame_columns(frames, constants, dofs, dof_constants, q, tangent.local, tangent.columns)
                add_fluid_mass(frames, constants, tangent.local, tangent.columns, COLUMN, tangent.by_a)
    add_joint_tangent(problem, v, tangent)
    for i in range(v.shape[0]):
        by_q, by_v = command_slopes(problem, inputs, q, v, i)
        tangent.by_q[i, i] -= by_q
        tangent.by_v[i, i] -= by_v
    if problem.strands.shape[0] > 0:
        strands, points, memory = problem.strands, problem.strand_points, work.memory
        strand_values(problem.drives, inputs.strands, memory)
        add_strand_tangent(dofs, strands, problem.strand_constants, points, memory.strands, q, tangent.gradient, tangent.by_q)
    if problem.wrenches.frame.shape[0] > 0 or (exact != 0 and moves_fluid(problem.frames)):
        frame_motions(problem.frames, problem.constants, q, v, a, tangent.motions)
        add_wrench_tangent(problem, inputs, q, work.memory, tangent, load, exact)
    if problem.drives.kind.shape[0] > 0:
        add_drive_memories(problem, inputs, q, v, work.memory, tangent)
    if problem.imposed.shape[0] > 0:
        for i in range(v.shape[0]):
            if problem.imposed[i] != 0:
                for j in range(v.shape[0]):
                    tangent.by_q[i, j] = 0.0
                    tangent.by_v[i, j] = 0.0
                    tangent.by_a[i, j] = 1.0 if i == j else 0.0
                for c in range(tangent.by_z.shape[1]):
                    tangent.by_z[i, c] = 0.0


@compiled
def add_joint_tangent(problem, v, tangent):
    """Springs and friction of lumped joints; elasticity and viscosity of rods."""
    viscous = viscosity_column(problem.dof_constants)
    for k in range(problem.frames.shape[0]):
        code = problem.frames[k, CODE]
        first = problem.frames[k, FIRST_V]
        count = problem.frames[k, COUNT_V]
        if code == ROD:
            if problem.frames[k, PARENT] == problem.frames[k, ROOT]:
                for i in range(count):
                    for j in range(count):
                        tangent.by_q[first + i, first + j] += problem.dof_constants[first + i, DOF_CONSTANT_COLUMNS + j]
                        tangent.by_v[first + i, first + j] += problem.dof_constants[first + i, viscous + j]
            continue
        for i in range(first, first + count):
            speed = problem.dof_constants[i, COULOMB_SPEED]
            size = v[i] * v[i] + speed * speed
            coulomb = problem.dof_constants[i, COULOMB] * speed * speed / (size * sqrt(size))
            tangent.by_v[i, i] += problem.dof_constants[i, VISCOUS] + coulomb
            if code != FREE and code != PLANAR:
                tangent.by_q[i, i] += problem.dof_constants[i, STIFFNESS]


@compiled
def command_slopes(problem, inputs, q, v, i):
    """d u/dq_i and d u/dv_i of what the actuator of coordinate i is commanded to give, u, within its limits.

    At a limit, a servo is not felt: what is left is the slope -L / v_n of the line from the torque L to the no-load speed v_n.
    """
    by_q = 0.0
    by_v = 0.0
    force = inputs.command[i]
    if problem.target.shape[0] > 0 and problem.target[i] >= 0:
        by_q = -problem.gains[i, GAIN.stiffness]
        by_v = -problem.gains[i, GAIN.damping]
        k = problem.dofs[i, DOF_FRAME]
        force -= by_q * (inputs.motion[0, i] - q[problem.frames[k, FIRST_Q] + i - problem.frames[k, FIRST_V]])
        force -= by_v * (inputs.motion[1, i] - v[i])
    most = limited(problem.dof_constants, i, force, v[i])
    if most == force:
        return by_q, by_v
    if most * v[i] > 0.0:
        return 0.0, -problem.dof_constants[i, LIMIT] * problem.dof_constants[i, FADING]
    return 0.0, 0.0


@compiled(late=())
def add_drive_memories(problem, inputs, q, v, memory, tangent):
    """Lags and bristles of joints and strands: slopes of the residual and of their rates, by their states too.

    The command of an actuator that lags changes only the rate of its state: it leaves the diagonal.
    """
    drives = problem.drives
    for k in range(drives.kind.shape[0]):
        i = drives.place[k]
        m = drives.memory[k]
        if drives.kind[k] == REMEMBERS.bristles:
            force_by_v, force_by_z, rate_by_v, rate_by_z = bristle_slopes(drives, k, v, memory)
            tangent.by_v[i, i] += force_by_v
            tangent.by_z[i, m] += force_by_z
            tangent.rate_by_v[m, i] = rate_by_v
            tangent.rate_by_z[m, 0] = rate_by_z
            continue
        often = 1.0 / drives.numbers[k, 0]
        tangent.rate_by_z[m, 0] = -often
        if drives.kind[k] == REMEMBERS.lag:
            tangent.by_z[i, m] -= 1.0
            by_q, by_v = command_slopes(problem, inputs, q, v, i)
            tangent.by_q[i, i] += by_q
            tangent.by_v[i, i] += by_v
            tangent.rate_by_q[m, i] = often * by_q
            tangent.rate_by_v[m, i] = often * by_v
        elif drives.kind[k] == REMEMBERS.strand_lag:
            for j in range(v.shape[0]):
                tangent.gradient[j] = 0.0
            points, constants = problem.strand_points, problem.strand_constants
            strand_slope(problem.dofs, problem.strands, constants, points, i, memory.strands[i], q, tangent.gradient)
            for j in range(v.shape[0]):
                tangent.by_z[j, m] -= tangent.gradient[j]
