"""Wrench laws in the tangent of the equation of motion.

A law sees the pose and the twist of its own frame; contacts of two surfaces see two (:mod:`locodyn.locomotion.pair_tangent`),
cables and springs those that they hold on to (:mod:`locodyn.locomotion.tie_tangent`). With the changes W_g, W_eta of the wrench
for a displacement and a twist of the frame, in its axes, and with J the columns of its coordinates and E the change of its twist
with them,

    by_q -= J^T (W_g J + W_eta E),      by_v -= J^T W_eta J,

besides what follows from the wrench turning with its frame, which is in the derivatives of inverse dynamics. W_g and W_eta are
exact (:mod:`locodyn.world.law_slopes`), and so is E (Psi' of :mod:`locodyn.dynamics.inverse_dynamics_derivatives`, in the axes of
the frame). A law with states z, whose wrench changes by W_z and whose rates f by F_g, F_eta and F_z, adds

    by_z -= J^T W_z,      rate_by_q = F_g J + F_eta E,      rate_by_v = F_eta J,      rate_by_z = F_z.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.locomotion.frame_jacobian import frame_jacobian
from locodyn.locomotion.pair_tangent import add_pairs_tangent
from locodyn.locomotion.tie_tangent import add_ties_tangent
from locodyn.robot.layout import FLUID
from locodyn.shape.columns import frame_columns
from locodyn.world.law_slopes import state_slope, wrench_slopes
from locodyn.world.law_table import LAW
from locodyn.world.wrenches import acts_at_point


@compiled
def is_loaded(problem, k):
    """Whether a law acts on frame k, or the weight of the fluid that it moves along."""
    for row in range(problem.wrenches.frame.shape[0]):
        if problem.wrenches.frame[row] == k and acts_at_point(problem.wrenches, row):
            return True
    return problem.frames[k, FLUID] != 0


@compiled(late=())
def add_wrench_tangent(problem, inputs, q, memory, tangent, load, exact):
    """Wrench laws into ``tangent.by_q``, ``tangent.by_v`` and the slopes of their states.

    ``exact`` 0: twists do not change with the configuration.
    """
    nv = tangent.residual.shape[0]
    slopes, jacobian, product = tangent.slopes, tangent.jacobian, tangent.product
    wrench_slopes(
        problem.frames, problem.constants, problem.gravity, problem.wrenches, inputs.rows, tangent.poses, tangent.motions, memory,
        load, tangent.slopes, tangent.rate_slopes,
    )  # fmt: skip
    if exact == 0:
        frame_columns(problem.frames, problem.constants, problem.dofs, problem.dof_constants, q, tangent.poses, tangent.columns)
    for k in range(problem.frames.shape[0]):
        if not is_loaded(problem, k):
            continue
        frame_jacobian(problem, tangent, k, exact, tangent.jacobian)
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
        for row in range(problem.wrenches.frame.shape[0]):
            kind = problem.wrenches.kind[row]
            if problem.wrenches.frame[row] == k and problem.wrenches.memory[row] >= 0 and kind != LAW.user and kind != LAW.pair:
                add_states_tangent(problem, inputs, row, memory, tangent, load)
    add_pairs_tangent(problem.wrenches.pairs, problem, memory, tangent, load, exact)
    if problem.wrenches.ties.first.shape[0] > 0:
        add_ties_tangent(problem, inputs, q, tangent, load, exact)


@compiled
def add_states_tangent(problem, inputs, row, memory, tangent, load):
    """Slopes by and of the states of law ``row``, on whose frame ``tangent.jacobian`` is."""
    first, count = problem.wrenches.memory[row], problem.wrenches.states[row]
    jacobian, slopes = tangent.jacobian, tangent.rate_slopes
    for c in range(count):
        f, n, rates = state_slope(problem.wrenches, inputs.rows, tangent.poses, tangent.motions, memory, row, c)
        for j in range(count):
            tangent.rate_by_z[first + j, c] = rates[j]
        for i in range(jacobian.shape[0]):
            along = 0.0
            one = 0.0
            two = 0.0
            for d in range(3):
                along += jacobian[i, d] * f[d] + jacobian[i, 3 + d] * n[d]
            for d in range(6):
                one += slopes[first + c, d] * jacobian[i, d] + slopes[first + c, 6 + d] * jacobian[i, 6 + d]
                two += slopes[first + c, 6 + d] * jacobian[i, d]
            tangent.by_z[i, first + c] -= load * along
            tangent.rate_by_q[first + c, i] = one
            tangent.rate_by_v[first + c, i] = two
