"""The equation of motion as a residual, and its tangent: what implicit integrators and statics solve.

    r(t, q, v, a) = inverse dynamics(q, v, a) - J^T wrenches(t, q, v) - applied forces(t, q, v)

with lumped joints and rods alike (Gotelli 2024, (3.60)). The tangent is exact for inverse dynamics, elasticity, viscosity and
springs of single-axis joints, servos and friction; the derivative of wrench laws along pose and twist is taken by central
differences, that of functions in Python is left out. Imposed coordinates have no equation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import mass_matrix as mass
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.joint_laws import viscosity_column
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_with_rods, moves_fluid
from locodyn.dynamics.model import Model
from locodyn.dynamics.strands import add_strand_tangent
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.vector import add, load3, load9, multiply, rotate, store3, store9
from locodyn.lie.se3 import exp_pose
from locodyn.locomotion.arrays import DAMPING_GAIN, STIFFNESS_GAIN, clear
from locodyn.locomotion.rhs import applied_forces, outer_wrenches
from locodyn.robot.layout import (
    CODE,
    COULOMB,
    COULOMB_SPEED,
    COUNT_V,
    DOF_CONSTANT_COLUMNS,
    FIRST_COLUMN,
    FIRST_V,
    FREE,
    PARENT,
    PLANAR,
    ROD,
    ROOT,
    STIFFNESS,
    VISCOUS,
)
from locodyn.shape.columns import COLUMN, COLUMNS, frame_columns, store_in_frame
from locodyn.shape.kinematics import MOTION, POSE, POSITION, ROTATION, frame_motions, frame_poses
from locodyn.world.wrenches import FRAME, add_fluid_weight, add_wrenches

_SHIFT = 6.0e-6  # of a length and an angle of 1, in central differences of wrench laws


class Tangent(NamedTuple):
    """Workspace of residual and tangent of one robot."""

    residual: Any  # (nv,)
    by_q: Any  # (nv, nv), along velocities
    by_v: Any
    by_a: Any
    inverse: Any  # (nf, work_columns) of inverse dynamics
    work: Any  # (nf, ...) of its derivatives
    dof_work: Any
    poses: Any  # (nf, 12) in the world
    shifted: Any  # (nf, 12)
    motions: Any  # (nf, 12)
    composites: Any
    columns: Any  # (number of columns, COLUMNS)
    forward: Any  # (nf, 6) wrenches beside the state
    backward: Any
    slopes: Any  # (nf, 72) derivative of the wrench on a frame along its pose and twist, row by row
    jacobian: Any  # (nv, 6)
    product: Any  # (nv, 12)
    gradient: Any  # (nv,)


def new_tangent(model: Model) -> Tangent:
    """Room for a model."""
    nf, nv, columns = model.nf, model.nv, model.compiled.columns
    rods, zeros = model.compiled.has_rods, np.zeros
    return Tangent(
        zeros(nv), zeros((nv, nv)), zeros((nv, nv)), zeros((nv, nv)), zeros((nf, inverse.work_columns(rods))),
        zeros((nf, derivatives.WORK)), zeros((columns, derivatives.ROD_DOF_WORK if rods else derivatives.DOF_WORK)),
        zeros((nf, POSE)), zeros((nf, POSE)), zeros((nf, MOTION)), zeros((nf, mass.COMPOSITE)), zeros((columns, COLUMNS)),
        zeros((nf, 6)), zeros((nf, 6)), zeros((nf, 72)), zeros((nv, 6)), zeros((nv, 12)), zeros(nv),
    )  # fmt: skip


@kernel
def acts_outside(p, inputs):
    """True when something acts on the robot from outside."""
    return p.wrench_laws.shape[0] > 0 or inputs.wrenches.shape[0] > 0 or moves_fluid(p.frames)


@routine
def motion_residual(p, inputs, q, v, a, w, s, load):
    """``s.residual`` at (q, v, a) under ``inputs``; zero for imposed coordinates. Leaves the wrenches in ``w.wrenches``.

    ``load``: factor of what acts from outside; 1, or less where a solution is approached by small loads.
    """
    applied_forces(p, inputs, q, v, w.tau)
    if acts_outside(p, inputs):
        outer_wrenches(p, inputs, q, v, a, w)
        for k in range(w.wrenches.shape[0]):
            for m in range(6):
                w.wrenches[k, m] *= load
        inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, w.wrenches, s.inverse, s.residual)
    else:
        inverse_dynamics(p.frames, p.constants, p.gravity, q, v, a, w.wrenches[:0], s.inverse, s.residual)
    mixed = p.imposed.shape[0] > 0
    for i in range(v.shape[0]):
        s.residual[i] -= w.tau[i]
        if mixed and p.imposed[i] != 0:
            s.residual[i] = 0.0


@routine
def motion_tangent(p, inputs, q, v, a, w, s, load, exact):
    """``s.by_q``, ``s.by_v``, ``s.by_a`` at the state of the last :func:`motion_residual`.

    ``exact`` 0: mass matrix, elasticity and viscosity only, which is enough for Newton at the steps of dynamics (not of statics).
    """
    outside = acts_outside(p, inputs)
    if exact != 0 or (outside and p.wrench_laws.shape[0] > 0):
        frame_poses(p.frames, p.constants, q, 1, s.poses)
    if exact != 0:
        loads = w.wrenches if outside else w.wrenches[:0]
        inverse_dynamics_derivatives(
            p.frames, p.constants, p.dofs, p.dof_constants, p.gravity, q, v, a, loads, s.work, s.dof_work, s.by_q, s.by_v, s.by_a
        )  # fmt: skip
    else:
        clear(s.by_q)
        clear(s.by_v)
        frame_poses(p.frames, p.constants, q, 0, s.shifted)
        if has_rods(p.constants):
            frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, s.shifted, s.columns)
            mass_matrix_with_rods(p.frames, p.constants, p.dof_constants, s.shifted, s.composites, s.columns, s.by_a)
        else:
            mass_matrix(p.frames, p.constants, p.dofs, p.dof_constants, s.shifted, s.composites, s.by_a)
    add_joint_tangent(p, v, s)
    if p.strands.shape[0] > 0:
        add_strand_tangent(p.dofs, p.strands, p.strand_constants, p.strand_points, inputs.strands, q, s.gradient, s.by_q)
    if p.wrench_laws.shape[0] > 0:
        frame_motions(p.frames, p.constants, q, v, a, s.motions)
        add_wrench_tangent(p, inputs, q, s, load)
    if p.imposed.shape[0] > 0:
        for i in range(v.shape[0]):
            if p.imposed[i] != 0:
                for j in range(v.shape[0]):
                    s.by_q[i, j] = 0.0
                    s.by_v[i, j] = 0.0
                    s.by_a[i, j] = 1.0 if i == j else 0.0


@kernel
def add_joint_tangent(p, v, s):
    """Springs, friction and servos of lumped joints; elasticity and viscosity of rods."""
    viscous = viscosity_column(p.dof_constants)
    for k in range(p.frames.shape[0]):
        code = p.frames[k, CODE]
        first = p.frames[k, FIRST_V]
        count = p.frames[k, COUNT_V]
        if code == ROD:
            if p.frames[k, PARENT] == p.frames[k, ROOT]:
                for i in range(count):
                    for j in range(count):
                        s.by_q[first + i, first + j] += p.dof_constants[first + i, DOF_CONSTANT_COLUMNS + j]
                        s.by_v[first + i, first + j] += p.dof_constants[first + i, viscous + j]
            continue
        for i in range(first, first + count):
            speed = p.dof_constants[i, COULOMB_SPEED]
            size = v[i] * v[i] + speed * speed
            s.by_v[i, i] += p.dof_constants[i, VISCOUS] + p.dof_constants[i, COULOMB] * speed * speed / (size * sqrt(size))
            if code != FREE and code != PLANAR:
                s.by_q[i, i] += p.dof_constants[i, STIFFNESS]
    for i in range(p.target.shape[0]):
        if p.target[i] >= 0:
            s.by_q[i, i] += p.gains[i, STIFFNESS_GAIN]
            s.by_v[i, i] += p.gains[i, DAMPING_GAIN]


@kernel
def shift_poses(poses, direction, amount, shifted):
    """Every frame moved along one of its own unit twists."""
    u = (
        amount if direction == 0 else 0.0, amount if direction == 1 else 0.0, amount if direction == 2 else 0.0,
        amount if direction == 3 else 0.0, amount if direction == 4 else 0.0, amount if direction == 5 else 0.0,
    )  # fmt: skip
    turn, move = exp_pose(u)
    for k in range(poses.shape[0]):
        r = load9(poses, k, ROTATION)
        store9(shifted, k, ROTATION, multiply(r, turn))
        store3(shifted, k, POSITION, add(load3(poses, k, POSITION), rotate(r, move)))


@kernel
def wrenches_at(p, inputs, poses, motions, wrenches):
    """Wrenches of all laws for given poses and motions of the frames."""
    clear(wrenches)
    add_fluid_weight(p.frames, p.constants, p.gravity, poses, wrenches)
    add_wrenches(p.wrench_laws, p.wrench_parameters, inputs.rows, poses, motions, wrenches)


@routine
def add_wrench_tangent(p, inputs, q, s, load):
    """-J^T (dW/dpose J) into ``by_q`` and -J^T (dW/dtwist J) into ``by_v``. A law sees its own frame only, so that all frames
    are shifted at once. The change of a twist with the configuration is left out.
    """
    nf = p.frames.shape[0]
    nv = s.residual.shape[0]
    rate = 0.5 * load / _SHIFT
    for direction in range(12):
        if direction < 6:
            shift_poses(s.poses, direction, _SHIFT, s.shifted)
            wrenches_at(p, inputs, s.shifted, s.motions, s.forward)
            shift_poses(s.poses, direction, -_SHIFT, s.shifted)
            wrenches_at(p, inputs, s.shifted, s.motions, s.backward)
        else:
            for k in range(nf):
                s.motions[k, direction - 6] += _SHIFT
            wrenches_at(p, inputs, s.poses, s.motions, s.forward)
            for k in range(nf):
                s.motions[k, direction - 6] -= 2.0 * _SHIFT
            wrenches_at(p, inputs, s.poses, s.motions, s.backward)
            for k in range(nf):
                s.motions[k, direction - 6] += _SHIFT
        for k in range(nf):
            for m in range(6):
                s.slopes[k, 12 * m + direction] = rate * (s.forward[k, m] - s.backward[k, m])
    frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, s.poses, s.columns)
    for row in range(p.wrench_laws.shape[0]):
        k = p.wrench_laws[row, FRAME]
        again = False
        for other in range(row):
            again = again or p.wrench_laws[other, FRAME] == k
        if again:
            continue
        # J_k, transposed: the columns of the coordinates that move frame k, in its axes.
        clear(s.jacobian)
        r = load9(s.poses, k, ROTATION)
        at = load3(s.poses, k, POSITION)
        c = k
        while c >= 0:
            for j in range(p.frames[c, COUNT_V]):
                column = p.frames[c, FIRST_COLUMN] + j
                x = load3(s.columns, column, COLUMN)
                y = load3(s.columns, column, COLUMN + 3)
                store_in_frame(r, at, x, y, s.jacobian, p.frames[c, FIRST_V] + j)
            c = p.frames[c, ROOT]
        for j in range(nv):
            for m in range(6):
                one = 0.0
                two = 0.0
                for d in range(6):
                    one += s.slopes[k, 12 * m + d] * s.jacobian[j, d]
                    two += s.slopes[k, 12 * m + 6 + d] * s.jacobian[j, d]
                s.product[j, m] = one
                s.product[j, 6 + m] = two
        for i in range(nv):
            for j in range(nv):
                one = 0.0
                two = 0.0
                for m in range(6):
                    one += s.jacobian[i, m] * s.product[j, m]
                    two += s.jacobian[i, m] * s.product[j, 6 + m]
                s.by_q[i, j] -= one
                s.by_v[i, j] -= two
