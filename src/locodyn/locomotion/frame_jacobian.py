"""How the coordinates of a robot move one of its frames, in the axes of the frame: what wrenches on it need of them."""

from __future__ import annotations

from locodyn.dynamics.rod_derivatives import DOF_WORK
from locodyn.kernel import compiled
from locodyn.kernel.dense import fill
from locodyn.kernel.vector import load3, load9, store3
from locodyn.robot.layout import COUNT_V, FIRST_COLUMN, FIRST_V, ROOT
from locodyn.shape.columns import COLUMN
from locodyn.shape.kinematics import POSITION, ROTATION, to_child


@compiled
def frame_jacobian(problem, tangent, k, exact, jacobian):
    """J and E of frame k (-1: the world, which does not move) into ``jacobian`` (nv, 12).

    ``exact``: E is so after the derivatives of inverse dynamics; 0: it is left out.
    """
    fill(jacobian, 0.0)
    if k < 0:
        return
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
                store3(jacobian, i, 6, ex)
                store3(jacobian, i, 9, ew)
            else:
                x, w = to_child(r, at, load3(tangent.columns, column, COLUMN), load3(tangent.columns, column, COLUMN + 3))
            store3(jacobian, i, 0, x)
            store3(jacobian, i, 3, w)
        c = problem.frames[c, ROOT]
