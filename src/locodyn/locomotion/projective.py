"""Projective torques (Ali 2011, (3.73)-(3.85)), for comparison.

The wrench that a wheeled body hands to its parent is projected on its admissible motions, W -> H H^T W: the lateral force of
its wheel is dropped. The torque of a leaf whose joint passes through its axle is exact; others are not in balance, and a wrench
W_0 is left at the reference body: tau . rdot + W_0 . eta_0 = dT/dt. The exact torques are those of
:mod:`locodyn.locomotion.multipliers`.
"""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import WORK, start_wrench
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.vector import increase3, load3, load9
from locodyn.robot.layout import ARMATURE, CODE, COUNT_V, FIRST_V, PARENT
from locodyn.shape.joint import joint_force
from locodyn.shape.kinematics import to_parent
from locodyn.world.rows import KINEMATIC, POINT


@compiled
def drop_lateral(rows, k):
    """Take from the wrench on frame k its parts along the rows of its wheels (orthonormalised one after the other)."""
    sorted_rows = rows.projective.sorted_rows
    starts = rows.projective.frame_starts
    normals = rows.projective.normals
    work = rows.inverse
    count = 0
    for j in range(starts[k], starts[k + 1]):
        m = sorted_rows[j]
        if rows.kind[m] == POINT and rows.flags[m] & KINEMATIC and rows.rate_law[m] < 0 and count < 6:
            for j in range(6):
                normals[count, j] = rows.cotwist[m, j]
            for before in range(count):
                part = 0.0
                for j in range(6):
                    part += normals[before, j] * normals[count, j]
                for j in range(6):
                    normals[count, j] -= part * normals[before, j]
            size = 0.0
            for j in range(6):
                size += normals[count, j] * normals[count, j]
            if size > 0.0:
                size = 1.0 / sqrt(size)
                part = 0.0
                for j in range(6):
                    normals[count, j] *= size
                    part += normals[count, j] * work[k, WORK.wrench + j]
                for j in range(6):
                    work[k, WORK.wrench + j] -= part * normals[count, j]
                count += 1


@compiled(late=())
def projective_torques(problem, rows, a, loads, tau):
    """tau (nv,) by the projective recursion; W_0 into ``base_wrench``.

    The workspace holds a pass of inverse dynamics at this state.
    """
    work = rows.inverse
    base_wrench = rows.projective.base_wrench
    n = problem.frames.shape[0]
    for k in range(n):
        x, w = load3(work, k, WORK.twist), load3(work, k, WORK.twist + 3)
        ax, aw = load3(work, k, WORK.rate), load3(work, k, WORK.rate + 3)
        start_wrench(problem.frames, problem.constants, k, x, w, ax, aw, True, loads, work)
    for k in range(n - 1, -1, -1):
        parent = problem.frames[k, PARENT]
        first = problem.frames[k, FIRST_V]
        drop_lateral(rows, k)
        f, moment = load3(work, k, WORK.wrench), load3(work, k, WORK.wrench + 3)
        for j in range(problem.frames[k, COUNT_V]):
            force = joint_force(problem.frames[k, CODE], problem.constants, k, j, f, moment)
            tau[first + j] = force + problem.constants[k, ARMATURE + j] * a[first + j]
        if parent >= 0:
            f, moment = to_parent(load9(work, k, WORK.rotation), load3(work, k, WORK.position), f, moment)
            increase3(work, parent, WORK.wrench, f)
            increase3(work, parent, WORK.wrench + 3, moment)
    for j in range(6):
        base_wrench[j] = work[0, WORK.wrench + j]
