"""The discrete Lagrangian of a tree: the momenta of a step from one configuration to the next, and room to compute them.

Each frame moves with the constant twist xi = log(g_k^-1 g_k+1) / h; with T the right Jacobian of SE(3) its momenta at both ends
of the step are T(-h xi)^-T M xi and T(+h xi)^-T M xi (Marsden and West 2001; Lee, Liu, Park and Srinivasa 2016 for the recursion
on trees). A slice of a rod is such a frame too; its momenta are projected on the coordinates of the rod by its tangent map at
that end, which inverse dynamics leaves in ``work``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.dynamics.inertia import fluid_momentum, load_inertia, momentum
from locodyn.dynamics.inverse_dynamics import WORK, begin_rod, slice_inward, work_columns
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
from locodyn.locomotion.memory_step import MemoryStep, new_memory_step
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_Q, FIRST_V, FLUID, PARENT, ROD, ROOT
from locodyn.shape.joint import joint_force, joint_pose
from locodyn.shape.kinematics import POSE, to_parent


class Scratch(Bundle):
    """Workspace of the method, beside that of the problem."""

    now: np.ndarray  # (nf, 12) poses of the frames in their parents at the start of the step
    then: np.ndarray  # (nf, 12) and at its end
    displacement: np.ndarray  # (nf, 12) g_k^-1 g_k+1
    momentum: np.ndarray  # (nf, 6)
    work: np.ndarray  # (nf, WORK.size or ROD_WORK.size) of inverse dynamics, at the start of the step and then at its end
    target: np.ndarray  # (nv,) momentum along the coordinates that the step must have
    move: np.ndarray  # (nv,) the way from q to the end of the step
    residual: np.ndarray  # (nv,)
    correction: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) Q
    zero: np.ndarray  # (nv,) zeros
    no_gravity: np.ndarray  # (3,) zeros
    q: np.ndarray  # (nq,) at the end of the step, as far as it is known
    before: np.ndarray  # (nq,) at its start
    middle: np.ndarray  # (nq,) half way
    laws: np.ndarray  # (k, 3) laws of constraint rows at the start, then their means over the step
    rank: int = 0  # of the constraint rows
    iterations: int = 0  # of the last step, -1 where it has no end
    rounds: int = 0  # of the end of this step
    settled: int = 0  # 1 where another one changes nothing
    memory: MemoryStep  # the end of the states of laws


def new_scratch(nf: int, nq: int, nv: int, states: int, row_laws: int, has_rods: bool = False) -> Scratch:
    """Room for the method, with laws that have so many states, and so many laws of constraint rows."""
    work = np.zeros((nf, work_columns(has_rods)))
    poses: dict[str, Any] = {name: np.zeros((nf, POSE)) for name in ("now", "then", "displacement")}
    vectors: dict[str, Any] = {name: np.zeros(nv) for name in ("target", "move", "residual", "correction", "force", "zero")}
    return Scratch(
        **poses, **vectors, momentum=np.zeros((nf, 6)), work=work, no_gravity=np.zeros(3), q=np.zeros(nq),
        before=np.zeros(nq), middle=np.zeros(nq), laws=np.zeros((row_laws, 3)), memory=new_memory_step(states),
    )  # fmt: skip


@compiled(inline=True)
def relative_poses(frames, constants, q, poses):
    """Pose of every frame in its parent."""
    for k in range(frames.shape[0]):
        r, x = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
        store9(poses, k, 0, r)
        store3(poses, k, 9, x)


@compiled(inline=True)
def project(frames, constants, poses, wrenches, q, work, u, rate, result):
    """J^T wrenches + armature * u * rate. ``wrenches`` (nf, 6) in the frames; they are summed up on the way.

    ``q``, ``work``: of rods, where their tangent maps are taken.
    """
    for k in range(frames.shape[0]):
        if frames[k, CODE] == ROD and frames[k, PARENT] == frames[k, ROOT]:
            begin_rod(frames, k, 0.0, result)
    for k in range(frames.shape[0] - 1, -1, -1):
        parent = frames[k, PARENT]
        f = load3(wrenches, k, 0)
        c = load3(wrenches, k, 3)
        first = frames[k, FIRST_V]
        if frames[k, CODE] == ROD:
            store3(work, k, WORK.wrench, f)
            store3(work, k, WORK.wrench + 3, c)
            slice_inward(frames, constants, k, q, work, result)
        else:
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
