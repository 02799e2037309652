"""The kernels of a :class:`~locodyn.dynamics.model.Model` as called from Python: lengths are checked in compiled code.

Each returns 0, or 1 + the position of the first vector of wrong length among (q, v, a or tau).
"""

from __future__ import annotations

from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.mass_matrix import mass_matrix
from locodyn.dynamics.totals import totals
from locodyn.kernel import kernel
from locodyn.kernel.entry import F1, F2, FLAGS, I2
from locodyn.shape.configuration import configuration_difference, moved_configuration
from locodyn.shape.jacobian import frame_jacobian
from locodyn.shape.kinematics import frame_motions, frame_poses


@kernel
def wrong_length(nq, nv, q, v, a):
    """Number of the first vector of wrong length, counted from 1; 0 if all are right."""
    if q.shape[0] != nq:
        return 1
    if v.shape[0] != nv:
        return 2
    return 3 if a.shape[0] != nv else 0


INVERSE = ("int64", "int64", I2, F2, F1, F1, F1, F1, F2, F2, F1)


@kernel
def call_inverse_dynamics(nq, nv, frames, constants, gravity, q, v, a, wrenches, work, tau):
    """:func:`~locodyn.dynamics.inverse_dynamics.inverse_dynamics`."""
    wrong = wrong_length(nq, nv, q, v, a)
    if wrong == 0:
        inverse_dynamics(frames, constants, gravity, q, v, a, wrenches, work, tau)
    return wrong


HYBRID = ("int64", "int64", I2, F2, F1, FLAGS, F1, F1, F2, F2, F2, F1, F1)


@kernel
def call_hybrid_dynamics(nq, nv, frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau):
    """:func:`~locodyn.dynamics.forward_dynamics.hybrid_dynamics`."""
    wrong = wrong_length(nq, nv, q, v, tau)
    if wrong == 0:
        hybrid_dynamics(frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau)
    return wrong


MASS_MATRIX = ("int64", I2, F2, I2, F2, F1, F2, F2, F2)


@kernel
def call_mass_matrix(nq, frames, constants, dofs, dof_constants, q, poses, composites, matrix):
    """:func:`~locodyn.dynamics.mass_matrix.mass_matrix` with the poses in F0 computed first."""
    if q.shape[0] != nq:
        return 1
    frame_poses(frames, constants, q, 0, poses)
    mass_matrix(frames, constants, dofs, dof_constants, poses, composites, matrix)
    return 0


DERIVATIVES = ("int64", "int64", I2, F2, I2, F2, F1, F1, F1, F1, F2, F2, F2, F2, F2, F2)


@kernel
def call_derivatives(
    nq, nv, frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work, by_q, by_v, by_a
):
    """:func:`~locodyn.dynamics.inverse_dynamics_derivatives.inverse_dynamics_derivatives`."""
    wrong = wrong_length(nq, nv, q, v, a)
    if wrong == 0:
        inverse_dynamics_derivatives(
            frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work, by_q, by_v, by_a
        )
    return wrong


TOTALS = ("int64", "int64", I2, F2, F1, F1, F1, F2, F1)


@kernel
def call_totals(nq, nv, frames, constants, gravity, q, v, work, result):
    """:func:`~locodyn.dynamics.totals.totals`."""
    wrong = wrong_length(nq, nv, q, v, v)
    if wrong == 0:
        totals(frames, constants, gravity, q, v, work, result)
    return wrong


KINEMATICS = ("int64", "int64", I2, F2, F1, F1, F1, F2, F2)


@kernel
def call_kinematics(nq, nv, frames, constants, q, v, a, poses, motions):
    """World poses and body motions of all frames."""
    wrong = wrong_length(nq, nv, q, v, a)
    if wrong == 0:
        frame_poses(frames, constants, q, 1, poses)
        frame_motions(frames, constants, q, v, a, motions)
    return wrong


JACOBIAN = (I2, I2, F2, F2, F2, "int64", F2, F2)


@kernel
def call_jacobian(frames, dofs, dof_constants, poses, motions, k, jacobian, rate):
    """:func:`~locodyn.shape.jacobian.frame_jacobian`."""
    frame_jacobian(frames, dofs, dof_constants, poses, motions, k, jacobian, rate)


CONFIGURATION = ("int64", "int64", I2, F1, F1, F1)


@kernel
def call_move(nq, nv, frames, q, u, result):
    """:func:`~locodyn.shape.configuration.moved_configuration`."""
    wrong = wrong_length(nq, nv, q, u, u)
    if wrong == 0:
        moved_configuration(frames, q, u, result)
    return wrong


@kernel
def call_difference(nq, nv, frames, q0, q1, u):
    """:func:`~locodyn.shape.configuration.configuration_difference`."""
    if q0.shape[0] != nq or q1.shape[0] != nq:
        return 1
    configuration_difference(frames, q0, q1, u)
    return 0
