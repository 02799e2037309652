"""Variational integrator of order 2: symplectic, and with the symmetries of the mechanism it keeps momentum to round-off.

The discrete Lagrangian takes for each frame the constant twist that leads from one pose to the next, xi = log(g_k^-1 g_k+1)
/ h, and half
of the potential at each end (Marsden and West 2001; Lee, Liu, Park and Srinivasa 2016 for the recursion on trees). In
position-momentum form,
with T the right Jacobian of SE(3), J the Jacobians of the frames and Q the generalised forces,

    p_k     =  sum J_k^T   T(-h xi)^-T M xi - h/2 Q_k          solved for q_k+1
    p_k+1   =  sum J_k+1^T T(+h xi)^-T M xi + h/2 Q_k+1.

States of laws with memory go along by trapezoids, z_k+1 = z_k + h/2 (f_k + f_k+1). The equation for q_k+1 is solved by a
quasi-Newton iteration whose matrix is the mass matrix: one O(n) articulated-body solve each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.dynamics.forward_dynamics import DOF_WORK, hybrid_dynamics
from locodyn.dynamics.inertia import fluid_momentum, load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import WORK, inverse_dynamics
from locodyn.integrate.record import record
from locodyn.kernel import compiled, lit
from locodyn.kernel.bundle import Bundle
from locodyn.kernel.vector import (
    add,
    increase3,
    load3,
    load9,
    multiply,
    rotate,
    rotate_back,
    store3,
    store9,
    subtract,
)
from locodyn.lie import se3
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.memory_step import MemoryStep, aim_from, new_memory_step, solve_states
from locodyn.locomotion.residual import acts_outside
from locodyn.locomotion.rhs import applied_forces, impose, outer_wrenches, read_laws
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.joint import joint_force, joint_pose
from locodyn.shape.kinematics import POSE, to_parent

MOST_ITERATIONS = 100
ROUNDS = 3  # of the end of a step: forces that depend on velocity make it implicit; enough for order 2
STAGES = 2 + ROUNDS
_ROUND_OFF = 1e-15


class Scratch(Bundle):
    """Workspace of the method, beside that of the problem."""

    now: np.ndarray  # (nf, 12) poses of the frames in their parents at the start of the step
    then: np.ndarray  # (nf, 12) and at its end
    displacement: np.ndarray  # (nf, 12) g_k^-1 g_k+1
    momentum: np.ndarray  # (nf, 6)
    work: np.ndarray  # (nf, WORK.size) of inverse dynamics
    target: np.ndarray  # (nv,) momentum along the coordinates that the step must have
    move: np.ndarray  # (nv,) the way from q to the end of the step
    residual: np.ndarray  # (nv,)
    correction: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) Q
    zero: np.ndarray  # (nv,) zeros
    no_gravity: np.ndarray  # (3,) zeros
    q: np.ndarray  # (nq,) at the end of the step, as far as it is known
    before: np.ndarray  # (nq,) at its start
    iterations: int = 0  # of the last step, -1 where it has no end
    rounds: int = 0  # of the end of this step
    settled: int = 0  # 1 where another one changes nothing
    memory: MemoryStep  # the end of the states of laws


def new_scratch(nf: int, nq: int, nv: int, states: int) -> Scratch:
    """Room for the method, with laws that have so many states."""
    poses: dict[str, Any] = {name: np.zeros((nf, POSE)) for name in ("now", "then", "displacement")}
    vectors: dict[str, Any] = {name: np.zeros(nv) for name in ("target", "move", "residual", "correction", "force", "zero")}
    return Scratch(
        **poses, **vectors, momentum=np.zeros((nf, 6)), work=np.zeros((nf, WORK.size)), no_gravity=np.zeros(3), q=np.zeros(nq),
        before=np.zeros(nq), memory=new_memory_step(states),
    )  # fmt: skip


@compiled(inline=True)
def relative_poses(frames, constants, q, poses):
    """Pose of every frame in its parent."""
    for k in range(frames.shape[0]):
        r, x = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
        store9(poses, k, 0, r)
        store3(poses, k, 9, x)


@compiled(inline=True)
def project(frames, constants, poses, wrenches, u, rate, result):
    """J^T wrenches + armature * u * rate. ``wrenches`` (nf, 6) in the frames; they are summed up on the way."""
    for k in range(frames.shape[0] - 1, -1, -1):
        parent = frames[k, PARENT]
        f = load3(wrenches, k, 0)
        c = load3(wrenches, k, 3)
        first = frames[k, FIRST_V]
        for j in range(frames[k, COUNT_V]):
            result[first + j] = joint_force(frames[k, CODE], constants, k, j, f, c)
            result[first + j] = result[first + j] + constants[k, ARMATURE + j] * u[first + j] * rate
        if parent >= 0:
            f, c = to_parent(load9(poses, k, 0), load3(poses, k, 9), f, c)
            increase3(wrenches, parent, 0, f)
            increase3(wrenches, parent, 3, c)


@compiled(inline=True)
def discrete_momenta(frames, constants, step, side, scratch):
    """T(side h xi)^-T M xi of every frame into ``momentum``, for the poses ``now`` and ``then``; side is -1 or +1.

    The displacement of a frame follows from that of its parent: d_k = g_now^-1 d_parent g_then.
    """
    rate = lit(step, 1.0) / step
    now, then, displacement, momenta = scratch.now, scratch.then, scratch.displacement, scratch.momentum
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        r0 = load9(now, k, 0)
        p0 = load3(now, k, 9)
        r1 = load9(then, k, 0)
        p1 = load3(then, k, 9)
        if parent >= 0:
            rp = load9(displacement, parent, 0)
            p1 = add(load3(displacement, parent, 9), rotate(rp, p1))
            r1 = multiply(rp, r1)
        r = multiply((r0[0], r0[3], r0[6], r0[1], r0[4], r0[7], r0[2], r0[5], r0[8]), r1)
        x = rotate_back(r0, subtract(p1, p0))
        store9(displacement, k, 0, r)
        store3(displacement, k, 9, x)
        xi = se3.log_pose(r, x)
        m, h, inertia = load_inertia(constants, k)
        lin, ang = momentum(m, h, inertia, (rate * xi[0], rate * xi[1], rate * xi[2]), (rate * xi[3], rate * xi[4], rate * xi[5]))
        if frames[k, FLUID] != 0:
            dx, dw = fluid_momentum(
                constants, k, (rate * xi[0], rate * xi[1], rate * xi[2]), (rate * xi[3], rate * xi[4], rate * xi[5])
            )
            lin, ang = add(lin, dx), add(ang, dw)
        signed = (side * xi[0], side * xi[1], side * xi[2], side * xi[3], side * xi[4], side * xi[5])
        mu = se3.inverse_tangent_transposed_apply(signed, (lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]))
        for j in range(6):
            momenta[k, j] = mu[j]


@compiled
def generalised_force(problem, inputs, q, v, a, work, scratch, result):
    """Q - M a, with Q = actuators, springs, friction, gravity and wrench laws along the coordinates."""
    zero = scratch.zero
    applied_forces(problem, inputs, q, v, work.memory, work.tau)
    outside = acts_outside(problem, inputs)
    if outside:
        outer_wrenches(problem, inputs, q, v, zero, work)
    loads = work.wrenches if outside else work.wrenches[:0]
    inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, zero, a, loads, scratch.work, result)
    for i in range(v.shape[0]):
        result[i] = work.tau[i] - result[i]


@compiled
def begin(problem, inputs, step, q, v, work, scratch):
    """Momentum that the step starts with, p_k + h/2 Q_k, into ``target``; first guess of the step."""
    target, move = scratch.target, scratch.move
    begin_memory(work.memory)
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
def solve_position(problem, inputs, step, tolerance, q, v, work, scratch):
    """Find the step to q_k+1; q and the imposed entries of v are moved to the end of the step. Returns iterations, or -1."""
    nv = v.shape[0]
    u = scratch.move
    residual, target, correction = scratch.residual, scratch.target, scratch.correction
    end, start = scratch.q, scratch.before
    mixed = problem.imposed.shape[0] > 0
    # Imposed coordinates: the step that their motion makes.
    for i in range(q.shape[0]):
        end[i] = q[i]
        start[i] = q[i]
    impose(problem, inputs, end, v, correction)
    if mixed:
        for k in range(problem.frames.shape[0]):
            first = problem.frames[k, FIRST_V]
            for i in range(first, first + problem.frames[k, COUNT_V]):
                if problem.imposed[i] != 0:
                    j = problem.frames[k, FIRST_Q] + i - first
                    u[i] = end[j] - start[j]
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
        project(problem.frames, problem.constants, scratch.now, scratch.momentum, u, rate, residual)
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
        hybrid_dynamics(
            problem.frames, problem.constants, scratch.no_gravity, problem.imposed, start, scratch.zero,
            work.wrenches[:0], work.work, work.dof_work, correction, residual,
        )  # fmt: skip
        for i in range(nv):
            u[i] += step * correction[i]
            if not (mixed and problem.imposed[i] != 0):
                inertia = max(inertia, 1.0 / work.dof_work[i, DOF_WORK.reciprocal])
    return -1


@compiled
def begin_end(problem, step, v, scratch):
    """Momentum at the end of the step without forces, into ``target``; the mean velocity of the step as a first guess."""
    discrete_momenta(problem.frames, problem.constants, step, 1.0, scratch)
    project(problem.frames, problem.constants, scratch.then, scratch.momentum, scratch.move, 1.0 / step, scratch.target)
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
    if settled:
        return
    hybrid_dynamics(
        problem.frames, problem.constants, scratch.no_gravity, problem.imposed, q, scratch.zero, work.wrenches[:0], work.work,
        work.dof_work, v, scratch.residual,
    )  # fmt: skip


@compiled(inline=True)
def variational_stage(k, problem, inputs, step, tolerance, q, v, work, scratch):
    """Stage k of a step of (q, v), under inputs at its start (0) or at its end: momentum, position, rounds of the velocity."""
    if k == 0:
        begin(problem, inputs, step, q, v, work, scratch)
    elif k == 1:
        scratch.iterations = solve_position(problem, inputs, step, tolerance, q, v, work, scratch)
        if scratch.iterations > 0:
            begin_end(problem, step, v, scratch)
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
            record(row, start + (n + 1) * step, q, v, work.memory, times, out_q, out_v, out_memory)
            iterations[row] = used
            row += 1
            used = 0
    return row, -1
