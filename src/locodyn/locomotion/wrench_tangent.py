"""Wrench laws in the tangent of the equation of motion.

A law sees the pose and the twist of its own frame. With their changes W_g, W_eta for a displacement and a twist of the frame, in
its axes, and with J the columns of its coordinates and E the change of its twist with them,

    by_q -= J^T (W_g J + W_eta E),      by_v -= J^T W_eta J,

besides what follows from the wrench turning with its frame, which is in the derivatives of inverse dynamics. W_g and W_eta are
exact (:mod:`locodyn.world.law_slopes`), and so is E (Psi' of :mod:`locodyn.dynamics.inverse_dynamics_derivatives`, in the axes of
the frame). A feedback law with an integral z (the velocity
of a coordinate) adds by_v -= J^T K_I, and its coordinate, whose equation is zdot = e, de (Gotelli 2024, (3.62)):

    e = d - eta,  d = Ad(g^-1 g_d) eta_d,      de = -ad(J) d - E for a displacement, -J for a twist.
"""

from __future__ import annotations

from locodyn.dynamics.rod_derivatives import DOF_WORK
from locodyn.kernel import compiled
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import add, cross, load3, load9, store3, subtract
from locodyn.robot.layout import COUNT_V, FIRST_COLUMN, FIRST_V, FLUID, ROOT
from locodyn.shape.columns import COLUMN, frame_columns
from locodyn.shape.kinematics import POSITION, ROTATION, to_child, to_parent
from locodyn.world.law_slopes import wrench_slopes
from locodyn.world.law_table import FIRST, FRAME, MEMORY
from locodyn.world.wrenches import amount, desired_twist, point_motion


@compiled
def frame_jacobian(problem, tangent, k, exact):
    """J and E of frame k into ``tangent.jacobian`` (nv, 12); E exact after the derivatives of inverse dynamics, or left out."""
    fill(tangent.jacobian, 0.0)
    poses = tangent.work if exact != 0 else tangent.poses
    r = load9(poses, k, ROTATION)
    at = load3(poses, k, POSITION)
    c = k
    while c >= 0:
        for j in range(problem.frames[c, COUNT_V]):
            column = problem.frames[c, FIRST_COLUMN] + j
            i = problem.frames[c, FIRST_V] + j
            if exact != 0:
                x, w = to_child(
                    r, at, load3(tangent.dof_work, column, DOF_WORK.phi), load3(tangent.dof_work, column, DOF_WORK.phi + 3)
                )
                ex, ew = to_child(
                    r, at, load3(tangent.dof_work, column, DOF_WORK.psi1), load3(tangent.dof_work, column, DOF_WORK.psi1 + 3)
                )
                store3(tangent.jacobian, i, 6, ex)
                store3(tangent.jacobian, i, 9, ew)
            else:
                x, w = to_child(r, at, load3(tangent.columns, column, COLUMN), load3(tangent.columns, column, COLUMN + 3))
            store3(tangent.jacobian, i, 0, x)
            store3(tangent.jacobian, i, 3, w)
        c = problem.frames[c, ROOT]


@compiled
def is_loaded(problem, k):
    """Whether a law acts on frame k, or the weight of the fluid that it moves along."""
    for row in range(problem.wrench_laws.shape[0]):
        if problem.wrench_laws[row, FRAME] == k:
            return True
    return problem.frames[k, FLUID] != 0


@compiled(called=True)
def add_wrench_tangent(problem, inputs, q, tangent, load, exact):
    """Wrench laws into ``tangent.by_q`` and ``tangent.by_v``. ``exact`` 0: twists do not change with the configuration."""
    nv = tangent.residual.shape[0]
    slopes, jacobian, product = tangent.slopes, tangent.jacobian, tangent.product
    wrench_slopes(
        problem.frames, problem.constants, problem.gravity, problem.wrench_laws, problem.wrench_parameters, inputs.rows,
        tangent.poses, tangent.motions, load, tangent.slopes,
    )  # fmt: skip
    if exact == 0:
        frame_columns(problem.frames, problem.constants, problem.dofs, problem.dof_constants, q, tangent.poses, tangent.columns)
    for k in range(problem.frames.shape[0]):
        if not is_loaded(problem, k):
            continue
        frame_jacobian(problem, tangent, k, exact)
        for j in range(nv):
            for m in range(6):
                one = 0.0
                two = 0.0
                for d in range(6):
                    by_pose = slopes[k, 12 * m + d]
                    by_twist = slopes[k, 12 * m + 6 + d]
                    one += by_pose * jacobian[j, d] + by_twist * jacobian[j, 6 + d]
                    two += by_twist * jacobian[j, d]
                product[j, m] = one
                product[j, 6 + m] = two
        for i in range(nv):
            for j in range(nv):
                one = 0.0
                two = 0.0
                for m in range(6):
                    one += jacobian[i, m] * product[j, m]
                    two += jacobian[i, m] * product[j, 6 + m]
                tangent.by_q[i, j] -= one
                tangent.by_v[i, j] -= two
        for row in range(problem.wrench_laws.shape[0]):
            if problem.wrench_laws[row, FRAME] == k and problem.wrench_laws[row, MEMORY] >= 0:
                add_integral_tangent(problem, inputs, tangent, row, load)


@compiled
def add_integral_tangent(problem, inputs, tangent, row, load):
    """The integral of feedback law ``row``: J^T K_I on the robot, -de on its own coordinates."""
    m = problem.wrench_laws[row, MEMORY]
    r0, p0, r, at, _, _, _ = point_motion(
        problem.wrench_laws, problem.wrench_parameters, inputs.rows, tangent.poses, tangent.motions, row
    )
    d, turn = desired_twist(problem.wrench_laws, inputs.rows, row, r, at)
    scaling = load * amount(problem.wrench_laws, problem.wrench_parameters, inputs.rows, row, 1.0)
    for c in range(6):
        gain = scaling * problem.wrench_parameters[row, FIRST + 6 + c]
        f = (gain if c == 0 else 0.0, gain if c == 1 else 0.0, gain if c == 2 else 0.0)
        n = (gain if c == 3 else 0.0, gain if c == 4 else 0.0, gain if c == 5 else 0.0)
        f, n = to_parent(r0, p0, f, n)
        for i in range(tangent.jacobian.shape[0]):
            total = 0.0
            for j in range(3):
                total += tangent.jacobian[i, j] * f[j] + tangent.jacobian[i, 3 + j] * n[j]
            tangent.by_v[i, m + c] -= total
    for i in range(tangent.jacobian.shape[0]):
        x, w = to_child(r0, p0, load3(tangent.jacobian, i, 0), load3(tangent.jacobian, i, 3))
        ex, ew = to_child(r0, p0, load3(tangent.jacobian, i, 6), load3(tangent.jacobian, i, 9))
        dx = subtract(add(cross(d, w), cross(turn, x)), ex)
        dw = subtract(cross(turn, w), ew)
        for j in range(3):
            tangent.by_q[m + j, i] -= dx[j]
            tangent.by_q[m + 3 + j, i] -= dw[j]
            tangent.by_v[m + j, i] += x[j]
            tangent.by_v[m + 3 + j, i] += w[j]
