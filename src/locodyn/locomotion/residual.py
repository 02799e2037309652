"""The equation of motion as a residual, and its tangent: what implicit integrators and statics solve.

    r(t, q, v, a) = inverse dynamics(q, v, a) - J^T wrenches(t, q, v) - applied forces(t, q, v)

with lumped joints and rods alike (Gotelli 2024, (3.60)). The tangent is exact for inverse dynamics, fluid, elasticity,
viscosity and springs of single-axis joints, servos and friction; that of wrench laws is in
:mod:`locodyn.locomotion.wrench_tangent`, that of functions in Python is left out. Imposed coordinates have no equation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import mass_matrix as mass
from locodyn.dynamics.added_mass import add_fluid_mass
from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.joint_laws import viscosity_column
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_with_rods, moves_fluid
from locodyn.dynamics.strands import add_strand_tangent
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.dense import fill
from locodyn.locomotion.arrays import DAMPING_GAIN, STIFFNESS_GAIN
from locodyn.locomotion.rhs import applied_forces, outer_wrenches
from locodyn.locomotion.wrench_tangent import add_wrench_tangent
from locodyn.robot.layout import (
    CODE,
    COULOMB,
    COULOMB_SPEED,
    COUNT_V,
    DOF_CONSTANT_COLUMNS,
    FIRST_V,
    FREE,
    PARENT,
    PLANAR,
    ROD,
    ROOT,
    STIFFNESS,
    VISCOUS,
)
from locodyn.shape.columns import COLUMN, COLUMNS, frame_columns
from locodyn.shape.kinematics import MOTION, POSE, frame_motions, frame_poses

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model


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
    local: Any  # (nf, 12) in the reference frame
    motions: Any  # (nf, 12)
    composites: Any
    columns: Any  # (number of columns, COLUMNS)
    slopes: Any  # (nf, 72) derivative of the wrench on a frame along its pose and twist, row by row
    jacobian: Any  # (nv, 12) columns of a frame, in its axes, and the changes of its twist
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
        zeros((nf, 72)), zeros((nv, 12)), zeros((nv, 12)), zeros(nv),
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
    if exact != 0 or p.wrench_laws.shape[0] > 0:
        frame_poses(p.frames, p.constants, q, 1, s.poses)
    if exact != 0:
        loads = w.wrenches if outside else w.wrenches[:0]
        inverse_dynamics_derivatives(
            p.frames, p.constants, p.dofs, p.dof_constants, p.gravity, q, v, a, loads, s.work, s.dof_work, s.by_q, s.by_v, s.by_a
        )  # fmt: skip
    else:
        fill(s.by_q, 0.0)
        fill(s.by_v, 0.0)
        frame_poses(p.frames, p.constants, q, 0, s.local)
        if has_rods(p.constants):
            frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, s.local, s.columns)
            mass_matrix_with_rods(p.frames, p.constants, p.dof_constants, s.local, s.composites, s.columns, s.by_a)
        else:
            mass_matrix(p.frames, p.constants, p.dofs, p.dof_constants, s.local, s.composites, s.by_a)
            if moves_fluid(p.frames):
                frame_columns(p.frames, p.constants, p.dofs, p.dof_constants, q, s.local, s.columns)
                add_fluid_mass(p.frames, p.constants, s.local, s.columns, COLUMN, s.by_a)
    add_joint_tangent(p, v, s)
    if p.strands.shape[0] > 0:
        add_strand_tangent(p.dofs, p.strands, p.strand_constants, p.strand_points, inputs.strands, q, s.gradient, s.by_q)
    if p.wrench_laws.shape[0] > 0 or (exact != 0 and moves_fluid(p.frames)):
        frame_motions(p.frames, p.constants, q, v, a, s.motions)
        add_wrench_tangent(p, inputs, q, s, load, exact)
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
