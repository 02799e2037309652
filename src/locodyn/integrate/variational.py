"""Variational integrator of order 2: symplectic, and with the symmetries of the mechanism it keeps momentum to round-off.

The discrete Lagrangian takes for each frame the constant twist that leads from one pose to the next, xi = log(g_k^-1 g_k+1) / h,
and half of the potential at each end (Marsden and West 2001; Lee, Liu, Park and Srinivasa 2016 for the recursion on trees). In
position-momentum form, with T the right Jacobian of SE(3), J the Jacobians of the frames and Q the generalised forces,

    p_k     =  sum J_k^T   T(-h xi)^-T M xi - h/2 Q_k          solved for q_k+1
    p_k+1   =  sum J_k+1^T T(+h xi)^-T M xi + h/2 Q_k+1.

States of laws with memory go along by trapezoids, z_k+1 = z_k + h/2 (f_k + f_k+1). The equation for q_k+1 is solved by a
quasi-Newton iteration whose matrix is the mass matrix: one O(n) articulated-body solve each, with rods a dense one. With wheels
and loops both equations have forces along the constraint rows: :mod:`locodyn.integrate.variational_rows`.
"""

from __future__ import annotations

import numpy as np

from locodyn.dynamics.dense_dynamics import dense_dynamics, has_rods
from locodyn.dynamics.forward_dynamics import DOF_WORK, hybrid_dynamics
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.integrate.discrete_lagrangian import discrete_momenta, project, relative_poses
from locodyn.integrate.record import record
from locodyn.integrate.variational_rows import end_on_rows, hold_end, hold_start, known_forces, position_on_rows
from locodyn.kernel import compiled
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.memory_step import aim_from, solve_states
from locodyn.locomotion.residual import acts_outside
from locodyn.locomotion.rhs import applied_forces, impose, outer_wrenches, read_laws
from locodyn.robot.layout import COUNT_V, FIRST_Q, FIRST_V
from locodyn.shape.configuration import moved_configuration

MOST_ITERATIONS = 100
ROUNDS = 3  # of the end of a step: forces that depend on velocity make it implicit; enough for order 2
STAGES = 2 + ROUNDS
_ROUND_OFF = 1e-15


@compiled
def generalised_force(problem, inputs, q, v, a, work, scratch, result):
    """Q - M a, with Q = actuators, springs, friction, gravity and wrench laws along the coordinates."""
    zero = scratch.zero
    applied_forces(problem, inputs, q, v, work.memory, work.tau)
    outside = acts_outside(problem, inputs)
    if outside:
        outer_wrenches(problem, inputs, q, v, zero, work)
    pushed = known_forces(problem.rows, outside, work)
    loads = work.wrenches if outside or pushed else work.wrenches[:0]
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, zero, a, loads, scratch.work, result)
    for i in range(v.shape[0]):
        result[i] = work.tau[i] - result[i]


@compiled
def begin(problem, inputs, step, q, v, work, scratch):
    """Momentum that the step starts with, p_k + h/2 Q_k, into ``target``; first guess of the step."""
    target, move = scratch.target, scratch.move
    begin_memory(work.memory)
    hold_start(problem.rows, problem, inputs, q, v, work, scratch)
    # p + h/2 Q = h/2 (Q - M a) with a = -2 v / h: one recursion for both.
    for i in range(v.shape[0]):
        move[i] = -2.0 / step * v[i]
    generalised_force(problem, inputs, q, v, move, work, scratch, target)
    for i in range(v.shape[0]):
        target[i] = 0.5 * step * target[i]
        move[i] = step * v[i]
    relative_poses(problem.frames, problem.constants, q, scratch.now)
    aim_from(work.memory, 0.5 * step, scratch.memory)


@compiled
def impose_step(problem, inputs, q, v, scratch):
    """The step that imposed coordinates make, into ``move``; their rates at its end into v."""
    end, start = scratch.q, scratch.before
    for i in range(q.shape[0]):
        end[i] = q[i]
        start[i] = q[i]
    impose(problem, inputs, end, v, scratch.correction)
    if problem.imposed.shape[0] > 0:
        for k in range(problem.frames.shape[0]):
            first = problem.frames[k, FIRST_V]
            for i in range(first, first + problem.frames[k, COUNT_V]):
                if problem.imposed[i] != 0:
                    j = problem.frames[k, FIRST_Q] + i - first
                    scratch.move[i] = end[j] - start[j]


@compiled
def solve_position(problem, step, tolerance, q, v, work, scratch):
    """Find the step to q_k+1; q is moved to the end of the step. Returns iterations, or -1."""
    nv = v.shape[0]
    u = scratch.move
    residual, target, correction = scratch.residual, scratch.target, scratch.correction
    end, start = scratch.q, scratch.before
    mixed = problem.imposed.shape[0] > 0
    scale = 0.0
    for i in range(nv):
        scale = max(scale, abs(target[i]))
    rate = 1.0 / step
    before = np.inf
    inertia = 0.0
    for iteration in range(1, MOST_ITERATIONS + 1):
        moved_configuration(problem.frames, q, u, end)
        relative_poses(problem.frames, problem.constants, end, scratch.then)
        discrete_momenta(problem.frames, problem.constants, step, -1.0, scratch)
        project(problem.frames, problem.constants, scratch.now, scratch.momentum, start, scratch.work, u, rate, residual)
        worst = 0.0
        for i in range(nv):
            residual[i] = target[i] - residual[i]
            if mixed and problem.imposed[i] != 0:
                residual[i] = 0.0
            else:
                worst = max(worst, abs(residual[i]))
            correction[i] = 0.0
        # Down to round-off; a small residual that no longer falls is round-off too (of log(g) / h, times an inertia).
        small = max(tolerance * scale, 1e3 * _ROUND_OFF * rate * inertia)
        if worst <= _ROUND_OFF * scale or (worst <= small and worst >= 0.5 * before) or worst == 0.0:
            for i in range(q.shape[0]):
                q[i] = end[i]
            return iteration
        if not worst < 1e300:
            return -1
        before = worst
        velocity_of(problem, start, residual, work, scratch, correction)
        rods = has_rods(problem.constants)
        for i in range(nv):
            u[i] += step * correction[i]
            if not (mixed and problem.imposed[i] != 0):
                reciprocal = work.matrix[i, i] if rods else work.dof_work[i, DOF_WORK.reciprocal]
                inertia = max(inertia, 1.0 / reciprocal)
    return -1


@compiled
def velocity_of(problem, q, momentum, work, scratch, v):
    """v = M^-1 momentum at the configuration q; imposed coordinates keep what they have in v."""
    if has_rods(problem.constants):
        dense_dynamics(
            problem.frames, problem.constants, problem.dofs, problem.dof_constants, scratch.no_gravity, problem.imposed, q,
            scratch.zero, work.wrenches[:0], work.inverse, work.poses, work.composites, work.columns, work.matrix, work.rest, v,
            momentum,
        )  # fmt: skip
        return
    hybrid_dynamics(
        problem.frames, problem.constants, scratch.no_gravity, problem.imposed, q, scratch.zero, work.wrenches[:0], work.work,
        work.dof_work, v, momentum,
    )  # fmt: skip


@compiled
def find_end(rows, problem, inputs, step, tolerance, q, v, work, scratch):
    """The step to q_k+1, on constraint rows where there are some. Returns iterations, or -1."""
    impose_step(problem, inputs, q, v, scratch)
    if rows is None:
        return solve_position(problem, step, tolerance, q, v, work, scratch)
    return position_on_rows(problem, rows, inputs, step, tolerance, q, work, scratch)


@compiled
def begin_end(problem, step, q, v, work, scratch):
    """Momentum at the end of the step without forces, into ``target``; the mean velocity of the step as a first guess."""
    frames, constants, zero, target = problem.frames, problem.constants, scratch.zero, scratch.target
    discrete_momenta(frames, constants, step, 1.0, scratch)
    if has_rods(constants):  # tangent maps of the slices at the end
        inverse_dynamics(frames, constants, scratch.no_gravity, q, zero, zero, work.wrenches[:0], scratch.work, target)
    project(frames, constants, scratch.then, scratch.momentum, q, scratch.work, scratch.move, 1.0 / step, target)
    scratch.rounds = 0
    scratch.settled = 0
    for i in range(v.shape[0]):
        if not (problem.imposed.shape[0] > 0 and problem.imposed[i] != 0):
            v[i] = scratch.move[i] / step


@compiled
def end_velocity(problem, inputs, step, q, v, work, scratch):
    """Velocity at the end from the momentum there, with forces at the velocity before. ``inputs`` are those at the end.

    Where a round finds the forces of the one before it, they do not depend on the velocity: ``settled``, nothing will change.
    """
    if scratch.settled != 0:
        return
    if scratch.rounds == 0:
        hold_end(problem.rows, problem, inputs, q, v, work, scratch)
    force = scratch.correction
    generalised_force(problem, inputs, q, v, scratch.zero, work, scratch, force)
    if work.memory.value.shape[0] > 0:
        solve_states(problem, inputs, 0.5 * step, v, work, scratch.memory)
        generalised_force(problem, inputs, q, v, scratch.zero, work, scratch, force)
    settled = scratch.rounds > 0 and work.memory.value.shape[0] == 0
    for i in range(v.shape[0]):
        settled = settled and force[i] == scratch.force[i]
        scratch.force[i] = force[i]
        scratch.residual[i] = scratch.target[i] + 0.5 * step * force[i]
    scratch.rounds += 1
    scratch.settled = 1 if settled else 0
    if not settled:
        solve_end(problem.rows, problem, q, v, work, scratch)


@compiled
def solve_end(rows, problem, q, v, work, scratch):
    """v of the momentum ``residual`` at the configuration q, on constraint rows where there are some."""
    if rows is None:
        velocity_of(problem, q, scratch.residual, work, scratch, v)
    else:
        end_on_rows(problem, rows, q, v, work, scratch)


@compiled(inline=True)
def variational_stage(k, problem, inputs, step, tolerance, q, v, work, scratch):
    """Stage k of a step of (q, v), under inputs at its start (0) or at its end: momentum, position, rounds of the velocity."""
    if k == 0:
        begin(problem, inputs, step, q, v, work, scratch)
    elif k == 1:
        scratch.iterations = find_end(problem.rows, problem, inputs, step, tolerance, q, v, work, scratch)
        if scratch.iterations > 0:
            begin_end(problem, step, q, v, work, scratch)
    elif scratch.iterations > 0:
        end_velocity(problem, inputs, step, q, v, work, scratch)
        if k == STAGES - 1:
            for c in range(work.memory.state.shape[0]):
                work.memory.state[c] = work.memory.value[c]


@compiled(called=True)
def variational_step(problem, inputs, t, end, step, tolerance, q, v, work, scratch):
    """Advance (q, v) from t to ``end``, by ``step``, in place; ``scratch.iterations`` says how. Laws are data."""
    for k in range(STAGES):
        if k < 2:
            read_laws(problem, t if k == 0 else end, inputs)
        variational_stage(k, problem, inputs, step, tolerance, q, v, work, scratch)


@compiled
def variational_run(
    problem, inputs, start, step, first, count, every, tolerance, q, v, work, scratch, times, out_q, out_v, iterations, out_memory
):
    """``count`` steps from number ``first``; returns (recorded rows, number of the step that did not converge or -1)."""
    row = 0
    used = 0
    for n in range(first, first + count):
        variational_step(problem, inputs, start + n * step, start + (n + 1) * step, step, tolerance, q, v, work, scratch)
        if scratch.iterations < 0:
            return row, n
        used += scratch.iterations
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, work.memory.state, times, out_q, out_v, out_memory)
            iterations[row] = used
            row += 1
            used = 0
    return row, -1
