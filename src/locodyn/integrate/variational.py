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

import numpy as np

from locodyn.dynamics.forward_dynamics import RECIPROCAL, hybrid_dynamics
from locodyn.dynamics.inertia import fluid_momentum, load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
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
from locodyn.locomotion.rhs import applied_forces, impose, outer_wrenches, read_laws
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT
from locodyn.shape.configuration import moved_configuration
from locodyn.shape.joint import joint_force, joint_pose
from locodyn.shape.kinematics import to_parent

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
    work: np.ndarray  # (nf, 30) of inverse dynamics
    vectors: np.ndarray  # (VECTORS, nv)
    no_gravity: np.ndarray  # (3,)
    q: np.ndarray  # (nq,) at the end of the step, as far as it is known
    before: np.ndarray  # (nq,) at its start
    iterations: int = 0  # of the last step, -1 where it has no end
    memory: MemoryStep  # the end of the states of laws


TARGET, STEP, RESIDUAL, CORRECTION, ZERO, FORCE = range(6)
VECTORS = 6


def new_scratch(nf: int, nq: int, nv: int, states: int) -> Scratch:
    """Room for the method, with laws that have so many states."""
    zeros = np.zeros
    return Scratch(
        now=zeros((nf, 12)), then=zeros((nf, 12)), displacement=zeros((nf, 12)), momentum=zeros((nf, 6)), work=zeros((nf, 30)),
        vectors=zeros((VECTORS, nv)), no_gravity=zeros(3), q=zeros(nq), before=zeros(nq), memory=new_memory_step(states),
    )  # fmt: skip


@compiled
def relative_poses(frames, constants, q, poses):
    """Pose of every frame in its parent."""
    for k in range(frames.shape[0]):
        r, x = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
        store9(poses, k, 0, r)
        store3(poses, k, 9, x)


@compiled
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


@compiled
def discrete_momenta(frames, constants, step, side, s):
    """T(side h xi)^-T M xi of every frame into ``s.momentum``, for the poses ``s.now`` and ``s.then``; side is -1 or +1.

    The displacement of a frame follows from that of its parent: d_k = g_now^-1 d_parent g_then.
    """
    rate = lit(step, 1.0) / step
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        r0 = load9(s.now, k, 0)
        p0 = load3(s.now, k, 9)
        r1 = load9(s.then, k, 0)
        p1 = load3(s.then, k, 9)
        if parent >= 0:
            rp = load9(s.displacement, parent, 0)
            p1 = add(load3(s.displacement, parent, 9), rotate(rp, p1))
            r1 = multiply(rp, r1)
        r = multiply((r0[0], r0[3], r0[6], r0[1], r0[4], r0[7], r0[2], r0[5], r0[8]), r1)
        x = rotate_back(r0, subtract(p1, p0))
        store9(s.displacement, k, 0, r)
        store3(s.displacement, k, 9, x)
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
            s.momentum[k, j] = mu[j]


@compiled
def generalised_force(p, inputs, q, v, w, s, result):
    """Q = actuators, springs, friction, gravity and wrench laws along the coordinates."""
    zero = s.vectors[ZERO]
    applied_forces(p, inputs, q, v, w.memory, w.tau)
    outer_wrenches(p, inputs, q, v, zero, w)
    inverse_dynamics(p.frames, p.constants, p.gravity, q, zero, zero, w.wrenches, s.work, result)
    for i in range(v.shape[0]):
        result[i] = w.tau[i] - result[i]


@compiled
def begin(p, inputs, step, q, v, w, s):
    """Momentum that the step starts with, p_k + h/2 Q_k, into the row TARGET; first guess of the step."""
    zero = s.vectors[ZERO]
    begin_memory(w.memory)
    inverse_dynamics(p.frames, p.constants, s.no_gravity, q, zero, v, w.wrenches[:0], s.work, s.vectors[TARGET])
    generalised_force(p, inputs, q, v, w, s, s.vectors[FORCE])
    for i in range(v.shape[0]):
        s.vectors[TARGET, i] += lit(step, 0.5) * step * s.vectors[FORCE, i]
        s.vectors[STEP, i] = step * v[i]
    relative_poses(p.frames, p.constants, q, s.now)
    aim_from(w.memory, 0.5 * step, s.memory)


@compiled
def solve_position(p, inputs, step, tolerance, q, v, w, s):
    """Find the step to q_k+1; q and the imposed entries of v are moved to the end of the step. Returns iterations, or -1."""
    nv = v.shape[0]
    u = s.vectors[STEP]
    residual = s.vectors[RESIDUAL]
    mixed = p.imposed.shape[0] > 0
    # Imposed coordinates: the step that their motion makes.
    for i in range(q.shape[0]):
        s.q[i] = q[i]
        s.before[i] = q[i]
    impose(p, inputs, s.q, v, s.vectors[CORRECTION])
    if mixed:
        for k in range(p.frames.shape[0]):
            first = p.frames[k, FIRST_V]
            for i in range(first, first + p.frames[k, COUNT_V]):
                if p.imposed[i] != 0:
                    j = p.frames[k, FIRST_Q] + i - first
                    u[i] = s.q[j] - s.before[j]
    scale = 0.0
    for i in range(nv):
        scale = max(scale, abs(s.vectors[TARGET, i]))
    rate = 1.0 / step
    before = np.inf
    inertia = 0.0
    for iteration in range(1, MOST_ITERATIONS + 1):
        moved_configuration(p.frames, q, u, s.q)
        relative_poses(p.frames, p.constants, s.q, s.then)
        discrete_momenta(p.frames, p.constants, step, -1.0, s)
        project(p.frames, p.constants, s.now, s.momentum, u, rate, residual)
        worst = 0.0
        for i in range(nv):
            residual[i] = s.vectors[TARGET, i] - residual[i]
            if mixed and p.imposed[i] != 0:
                residual[i] = 0.0
            else:
                worst = max(worst, abs(residual[i]))
            s.vectors[CORRECTION, i] = 0.0
        # Down to round-off; a small residual that no longer falls is round-off too (of log(g) / h, times an inertia).
        small = max(tolerance * scale, 1e3 * _ROUND_OFF * rate * inertia)
        if worst <= _ROUND_OFF * scale or (worst <= small and worst >= 0.5 * before) or worst == 0.0:
            for i in range(q.shape[0]):
                q[i] = s.q[i]
            return iteration
        if not worst < 1e300:
            return -1
        before = worst
        hybrid_dynamics(
            p.frames, p.constants, s.no_gravity, p.imposed, s.before, s.vectors[ZERO], w.wrenches[:0], w.work, w.dof_work,
            s.vectors[CORRECTION], residual,
        )  # fmt: skip
        for i in range(nv):
            u[i] += step * s.vectors[CORRECTION, i]
            if not (mixed and p.imposed[i] != 0):
                inertia = max(inertia, 1.0 / w.dof_work[i, RECIPROCAL])
    return -1


@compiled
def begin_end(p, step, v, s):
    """Momentum at the end of the step without forces, into the row TARGET; the mean velocity of the step as a first guess."""
    discrete_momenta(p.frames, p.constants, step, 1.0, s)
    project(p.frames, p.constants, s.then, s.momentum, s.vectors[STEP], 1.0 / step, s.vectors[TARGET])
    for i in range(v.shape[0]):
        s.vectors[FORCE, i] = 0.0
        if not (p.imposed.shape[0] > 0 and p.imposed[i] != 0):
            v[i] = s.vectors[STEP, i] / step


@compiled
def end_velocity(p, inputs, step, q, v, w, s):
    """Velocity at the end from the momentum there, with forces at the velocity before. ``inputs`` are those at the end."""
    generalised_force(p, inputs, q, v, w, s, s.vectors[FORCE])
    if w.memory.value.shape[0] > 0:
        solve_states(p, inputs, 0.5 * step, v, w, s.memory)
        generalised_force(p, inputs, q, v, w, s, s.vectors[FORCE])
    for i in range(v.shape[0]):
        s.vectors[RESIDUAL, i] = s.vectors[TARGET, i] + 0.5 * step * s.vectors[FORCE, i]
    hybrid_dynamics(
        p.frames, p.constants, s.no_gravity, p.imposed, q, s.vectors[ZERO], w.wrenches[:0], w.work, w.dof_work,
        v, s.vectors[RESIDUAL],
    )  # fmt: skip


@compiled(inline=True)
def variational_stage(k, p, inputs, step, tolerance, q, v, w, s):
    """Stage k of a step of (q, v), under inputs at its start (0) or at its end: momentum, position, rounds of the velocity."""
    if k == 0:
        begin(p, inputs, step, q, v, w, s)
    elif k == 1:
        s.iterations = solve_position(p, inputs, step, tolerance, q, v, w, s)
        if s.iterations > 0:
            begin_end(p, step, v, s)
    elif s.iterations > 0:
        end_velocity(p, inputs, step, q, v, w, s)
        if k == STAGES - 1:
            for c in range(w.memory.state.shape[0]):
                w.memory.state[c] = w.memory.value[c]


@compiled(called=True)
def variational_step(p, inputs, t, end, step, tolerance, q, v, w, s):
    """Advance (q, v) from t to ``end``, by ``step``, in place; ``s.iterations`` says how. Laws are data."""
    for k in range(STAGES):
        if k < 2:
            read_laws(p, t if k == 0 else end, inputs)
        variational_stage(k, p, inputs, step, tolerance, q, v, w, s)


@compiled
def variational_run(
    p, inputs, start, step, first, count, every, tolerance, q, v, w, s, times, out_q, out_v, iterations, out_memory
):
    """``count`` steps from number ``first``; returns (recorded rows, number of the step that did not converge or -1)."""
    row = 0
    used = 0
    for n in range(first, first + count):
        variational_step(p, inputs, start + n * step, start + (n + 1) * step, step, tolerance, q, v, w, s)
        if s.iterations < 0:
            return row, n
        used += s.iterations
        if (n + 1) % every == 0:
            record(row, start + (n + 1) * step, q, v, w.memory, times, out_q, out_v, out_memory)
            iterations[row] = used
            row += 1
            used = 0
    return row, -1
