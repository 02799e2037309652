"""Forces that a motion needs, M a + h less loads, of a robot with constraint rows; slices of imposed rods are looked at once.

Accelerations of a constrained robot are found in steps: those of imposed coordinates are given, the rows give some, the dynamics
the others. Each step changes the accelerations of free joints only, and those of the frames are linear in them,

    etadot_k += Ad(g_kp^-1) (change of etadot_p) + S_k (change of a_k).

A rod none of whose coordinates is free moves relative to its nodes as before. So the recursion over frames that gives all motions
at the first accelerations is kept, with the poses, twists and tangent maps of slices, which cost most of it.
"""

from __future__ import annotations

from locodyn.dynamics.dense_dynamics import has_rods
from locodyn.dynamics.inverse_dynamics import begin_motion, change_accelerations, forces_under, inverse_dynamics, motions_of
from locodyn.dynamics.mass_matrix import moves_fluid
from locodyn.kernel import compiled
from locodyn.shape.kinematics import frame_motions


@compiled(called=True, lanes=True)
def known_motions(problem, rows, q, v, a, work):
    """Twists and accelerations of the frames into ``work.motions``, for accelerations ``a`` (nv,) that are zero in E.

    The motion is kept in ``rows.inverse`` where a later look at it is worth it.
    """
    if has_rods(problem.constants) and rows.bending == 0 and not moves_fluid(problem.frames):
        begin_motion(problem.frames, problem.constants, problem.gravity, q, v, a, rows.inverse, rows.dynamics.needed)
        motions_of(rows.inverse, problem.gravity, work.poses, work.motions)
        for i in range(a.shape[0]):
            rows.dynamics.reached[i] = a[i]
        rows.dynamics.kept = 1
    else:
        frame_motions(problem.frames, problem.constants, q, v, a, work.motions)


@compiled(called=True, lanes=True)
def needed_forces(problem, rows, q, v, a, loads, along_rods, result):
    """M a + h - J^T ``loads`` of all coordinates into ``result`` (nv,): by the motion that is kept, or by inverse dynamics.

    Forces along the coordinates of rods whose motion is kept are left at zero where ``along_rods`` is 0.
    """
    if rows.dynamics.kept == 0:
        inverse_dynamics(problem.frames, problem.constants, problem.gravity, q, v, a, loads, rows.inverse, result)
        return
    change = rows.dynamics.change
    reached = rows.dynamics.reached
    for i in range(a.shape[0]):
        change[i] = a[i] - reached[i]
        reached[i] = a[i]
    change_accelerations(problem.frames, problem.constants, change, rows.inverse)
    forces_under(problem.frames, problem.constants, q, a, loads, along_rods, rows.inverse, result)
