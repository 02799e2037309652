"""The kernels of a :class:`~locodyn.dynamics.model.Model` as called from Python.

Each takes the handle of the model (:mod:`locodyn.kernel.handle`), checks its vectors in compiled code, and returns 0, or a
number that says what is wrong with them (:func:`wrong_length`, :func:`wrong_number`).
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics import forward_dynamics as forward
from locodyn.dynamics import inverse_dynamics as inverse
from locodyn.dynamics import inverse_dynamics_derivatives as derivatives
from locodyn.dynamics import mass_matrix as mass
from locodyn.dynamics import totals as total
from locodyn.dynamics.dense_dynamics import dense_dynamics, has_rods
from locodyn.dynamics.forward_dynamics import hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from locodyn.dynamics.mass_matrix import mass_matrix, mass_matrix_by_columns, mass_matrix_with_rods, moves_fluid
from locodyn.dynamics.totals import totals
from locodyn.kernel import compiled
from locodyn.kernel.entry import F1, F2, FLAGS
from locodyn.kernel.handle import float_table_at, floats_at, integer_table_at, integers_at
from locodyn.record import record
from locodyn.robot.layout import CONSTANT_COLUMNS, COUNT_V, DOF_COLUMNS, FRAME_COLUMNS
from locodyn.shape.columns import COLUMNS, frame_columns, jacobian_from_columns
from locodyn.shape.configuration import configuration_difference, moved_configuration
from locodyn.shape.jacobian import frame_jacobian
from locodyn.shape.kinematics import MOTION, POSE, frame_motions, frame_poses

# Entries of the table behind a handle: sizes, then addresses of the robot's arrays, then of the workspaces; widths of arrays that
# are wider for robots with rods; number of columns of frames; workspaces that only they have.
AT = record(
    nq=1, nv=1, nf=1, frames=1, constants=1, dofs=1, dof_constants=1, gravity=1, work=1, forward=1, forward_dof=1, poses=1,
    motions=1, composites=1, derivative=1, derivative_dof=1, totals_work=1, vectors=1, width=1, dof_width=1, work_width=1, nc=1,
    column_space=1, matrix=1,
)  # fmt: skip

# Workspaces: (entry, rows counted in frames or coordinates, columns).
WORKSPACES = (
    (AT.forward, AT.nf, forward.WORK.size),
    (AT.forward_dof, AT.nv, forward.DOF_WORK.size),
    (AT.poses, AT.nf, POSE),
    (AT.motions, AT.nf, MOTION),
    (AT.composites, AT.nf, mass.COMPOSITE.size),
    (AT.derivative, AT.nf, derivatives.WORK.size),
    (AT.derivative_dof, AT.nc, derivatives.DOF_WORK.size),
    (AT.totals_work, AT.nf, total.WORK.size),
    (AT.vectors, AT.nv, 6),
)


def handle_table(sizes: tuple[int, int, int], arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """The table behind a handle, and the workspaces by entry. ``sizes`` (nq, nv, nf); ``arrays`` from frames to gravity."""
    table = np.zeros(AT.size, dtype=np.int64)
    frames, constants, _, dof_constants, _ = arrays
    rods = constants.shape[1] > CONSTANT_COLUMNS
    table[:3] = sizes
    table[3:8] = [array.ctypes.data for array in arrays]
    table[AT.width], table[AT.dof_width], table[AT.work_width] = (
        constants.shape[1],
        dof_constants.shape[1],
        inverse.work_columns(rods),
    )
    table[AT.nc] = frames[:, COUNT_V].sum()
    spaces = {entry: np.zeros((int(table[rows]), columns)) for entry, rows, columns in WORKSPACES}
    spaces[AT.work] = np.zeros((sizes[2], table[AT.work_width]))
    if rods:
        spaces[AT.column_space], spaces[AT.matrix] = np.zeros((table[AT.nc], COLUMNS)), np.zeros((sizes[1], sizes[1]))
        spaces[AT.derivative_dof] = np.zeros((table[AT.nc], derivatives.ROD_DOF_WORK.size))
    for entry, space in spaces.items():
        table[entry] = space.ctypes.data
    return table, spaces


@compiled(inline=True)
def robot_at(handle):
    """(table, frames, constants, gravity) behind a handle."""
    t = integers_at(handle, AT.size)
    frames = integer_table_at(t[AT.frames], t[AT.nf], FRAME_COLUMNS)
    return t, frames, float_table_at(t[AT.constants], t[AT.nf], t[AT.width]), floats_at(t[AT.gravity], 3)


@compiled(inline=True)
def coordinates_at(t):
    """(dofs, dof_constants) of a table."""
    return integer_table_at(t[AT.dofs], t[AT.nv], DOF_COLUMNS), float_table_at(t[AT.dof_constants], t[AT.nv], t[AT.dof_width])


@compiled(inline=True)
def not_finite(x):
    """True when an entry of a vector is NaN or infinite: zero times it is not zero."""
    total = 0.0
    for i in range(x.shape[0]):
        total += 0.0 * x[i]
    return total != 0.0


@compiled(inline=True)
def wrong_length(t, q, v, a):
    """1, 2 or 3 when the first, second or third vector has the wrong length; 0 if all are right."""
    if q.shape[0] != t[AT.nq]:
        return 1
    if v.shape[0] != t[AT.nv]:
        return 2
    return 3 if a.shape[0] != t[AT.nv] else 0


@compiled
def wrong_number(q, v, a):
    """4, 5 or 6 when the first, second or third vector holds NaN or infinity; 0 if none does."""
    if not_finite(q):
        return 4
    if not_finite(v):
        return 5
    return 6 if not_finite(a) else 0


@compiled(inline=True)
def wrong_state(t, q, v, a):
    """What :func:`wrong_length` or else :func:`wrong_number` says."""
    wrong = wrong_length(t, q, v, a)
    return wrong if wrong != 0 else wrong_number(q, v, a)


INVERSE = ("int64", F1, F1, F1, F2, F1)


@compiled
def call_inverse_dynamics(handle, q, v, a, wrenches, tau):
    """:func:`~locodyn.dynamics.inverse_dynamics.inverse_dynamics`."""
    t, frames, constants, gravity = robot_at(handle)
    wrong = wrong_length(t, q, v, a)
    if wrong == 0:
        inverse_dynamics(
            frames, constants, gravity, q, v, a, wrenches, float_table_at(t[AT.work], t[AT.nf], t[AT.work_width]), tau
        )
        if not_finite(tau):  # look for the cause only then
            wrong = wrong_number(q, v, a)
    return wrong


HYBRID = ("int64", FLAGS, F1, F1, F2, F1, F1)


@compiled
def call_hybrid_dynamics(handle, imposed, q, v, wrenches, a, tau):
    """:func:`~locodyn.dynamics.forward_dynamics.hybrid_dynamics`."""
    t, frames, constants, gravity = robot_at(handle)
    wrong = wrong_length(t, q, v, tau)
    if wrong == 0:
        if has_rods(constants):
            dofs, dof_constants = coordinates_at(t)
            poses = float_table_at(t[AT.poses], t[AT.nf], POSE)
            composites = float_table_at(t[AT.composites], t[AT.nf], mass.COMPOSITE.size)
            columns = float_table_at(t[AT.column_space], t[AT.nc], COLUMNS)
            matrix = float_table_at(t[AT.matrix], t[AT.nv], t[AT.nv])
            dense_dynamics(
                frames, constants, dofs, dof_constants, gravity, imposed, q, v, wrenches, float_table_at(t[AT.work], t[AT.nf],
                t[AT.work_width]), poses, composites, columns, matrix, floats_at(t[AT.vectors], t[AT.nv]), a, tau,
            )  # fmt: skip
            if not_finite(a):
                wrong = wrong_number(q, v, tau)
            return wrong
        work = float_table_at(t[AT.forward], t[AT.nf], forward.WORK.size)
        dof_work = float_table_at(t[AT.forward_dof], t[AT.nv], forward.DOF_WORK.size)
        hybrid_dynamics(frames, constants, gravity, imposed, q, v, wrenches, work, dof_work, a, tau)
        if not_finite(a):
            wrong = wrong_number(q, v, tau)
    return wrong


MASS_MATRIX = ("int64", F1, F2)


@compiled
def call_mass_matrix(handle, q, matrix):
    """:func:`~locodyn.dynamics.mass_matrix.mass_matrix` with the poses in F0 computed first."""
    t, frames, constants, _ = robot_at(handle)
    if q.shape[0] != t[AT.nq]:
        return 1
    if not_finite(q):
        return 4
    if moves_fluid(frames):
        work = float_table_at(t[AT.work], t[AT.nf], t[AT.work_width])
        vectors = float_table_at(t[AT.vectors], 6, t[AT.nv])
        no_gravity, no_wrench = floats_at(t[AT.vectors], 3), float_table_at(t[AT.work], 0, 6)
        mass_matrix_by_columns(frames, constants, q, vectors[3], no_gravity, no_wrench, vectors[5], work, matrix)
        return 0
    poses = float_table_at(t[AT.poses], t[AT.nf], POSE)
    frame_poses(frames, constants, q, 0, poses)
    dofs, dof_constants = coordinates_at(t)
    if has_rods(constants):
        columns = float_table_at(t[AT.column_space], t[AT.nc], COLUMNS)
        composites = float_table_at(t[AT.composites], t[AT.nf], mass.COMPOSITE.size)
        frame_columns(frames, constants, dofs, dof_constants, q, poses, columns)
        mass_matrix_with_rods(frames, constants, dof_constants, poses, composites, columns, matrix)
        return 0
    mass_matrix(
        frames, constants, dofs, dof_constants, poses, float_table_at(t[AT.composites], t[AT.nf], mass.COMPOSITE.size), matrix
    )
    return 0


DERIVATIVES = ("int64", F1, F1, F1, F2, F2, F2, F2)


@compiled
def call_derivatives(handle, q, v, a, wrenches, by_q, by_v, by_a):
    """:func:`~locodyn.dynamics.inverse_dynamics_derivatives.inverse_dynamics_derivatives`."""
    t, frames, constants, gravity = robot_at(handle)
    wrong = wrong_state(t, q, v, a)
    if wrong == 0:
        dofs, dof_constants = coordinates_at(t)
        work = float_table_at(t[AT.derivative], t[AT.nf], derivatives.WORK.size)
        width = derivatives.ROD_DOF_WORK.size if has_rods(constants) else derivatives.DOF_WORK.size
        dof_work = float_table_at(t[AT.derivative_dof], t[AT.nc], width)
        inverse_dynamics_derivatives(
            frames, constants, dofs, dof_constants, gravity, q, v, a, wrenches, work, dof_work, by_q, by_v, by_a
        )
    return wrong


TOTALS = ("int64", F1, F1, F1)


@compiled
def call_totals(handle, q, v, result):
    """:func:`~locodyn.dynamics.totals.totals`."""
    t, frames, constants, gravity = robot_at(handle)
    wrong = wrong_state(t, q, v, v)
    if wrong == 0:
        totals(frames, constants, gravity, q, v, float_table_at(t[AT.totals_work], t[AT.nf], total.WORK.size), result)
    return wrong


KINEMATICS = ("int64", F1, F1, F1, F2, F2)


@compiled
def call_kinematics(handle, q, v, a, poses, motions):
    """World poses and body motions of all frames."""
    t, frames, constants, _ = robot_at(handle)
    wrong = wrong_state(t, q, v, a)
    if wrong == 0:
        frame_poses(frames, constants, q, 1, poses)
        frame_motions(frames, constants, q, v, a, motions)
    return wrong


JACOBIAN = ("int64", F1, F1, F2, F2, "int64", F2, F2)


@compiled
def call_jacobian(handle, q, v, poses, motions, k, jacobian, rate):
    """:func:`~locodyn.shape.jacobian.frame_jacobian`."""
    t, frames, constants, _ = robot_at(handle)
    dofs, dof_constants = coordinates_at(t)
    if has_rods(constants):
        columns = float_table_at(t[AT.column_space], t[AT.nc], COLUMNS)
        jacobian_from_columns(
            frames, constants, dofs, dof_constants, q, v, poses, motions, k, columns, jacobian, rate
        )  # fmt: skip
        return
    frame_jacobian(frames, dofs, dof_constants, poses, motions, k, jacobian, rate)


CONFIGURATION = ("int64", F1, F1, F1)


@compiled
def call_move(handle, q, u, result):
    """:func:`~locodyn.shape.configuration.moved_configuration`."""
    t, frames, _, _ = robot_at(handle)
    wrong = wrong_state(t, q, u, u)
    if wrong == 0:
        moved_configuration(frames, q, u, result)
    return wrong


@compiled
def call_difference(handle, q0, q1, u):
    """:func:`~locodyn.shape.configuration.configuration_difference`."""
    t, frames, _, _ = robot_at(handle)
    if q0.shape[0] != t[AT.nq] or q1.shape[0] != t[AT.nq]:
        return 1
    if not_finite(q0) or not_finite(q1):
        return 4
    configuration_difference(frames, q0, q1, u)
    return 0
