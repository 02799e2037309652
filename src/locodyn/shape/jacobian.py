"""Jacobian of a frame and its time derivative, both in the frame itself."""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, load3, load9, rotate, rotate_back, scale, store3, subtract
from locodyn.robot.layout import ANGULAR, COUNT_V, DOF_AXIS, FIRST_V, LINEAR, PARENT
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST


@portable(inline=True)
def axis_vector(poses, k, axis):
    """Unit vector of an axis of frame k, in the axes in which the poses are written."""
    return (poses[k, ROTATION + axis], poses[k, ROTATION + 3 + axis], poses[k, ROTATION + 6 + axis])


@portable
def frame_jacobian(frames, dofs, dof_constants, poses, motions, k, jacobian, rate):
    """eta_k = J v and etadot_k = J a + Jdot v for frame k.

    The column of coordinate i, which moves frame c (an ancestor of k), is Ad(g_kc) S_i; its derivative is
    ad(Ad(g_kc) eta_c - eta_k) of it.

    Parameters
    ----------
    poses, motions : from :func:`~locodyn.shape.kinematics.frame_poses` and ``frame_motions``.
    jacobian, rate : (nv, 6) results, one row for each coordinate (the transposes of J and Jdot).
    """
    for i in range(jacobian.shape[0]):
        for j in range(6):
            jacobian[i, j] = lit(poses[0, 0], 0.0)
            rate[i, j] = lit(poses[0, 0], 0.0)
    r = load9(poses, k, ROTATION)
    position = load3(poses, k, POSITION)
    x = load3(motions, k, TWIST)
    w = load3(motions, k, TWIST + 3)
    c = k
    while c >= 0:
        lever = subtract(position, load3(poses, c, POSITION))
        rc = load9(poses, c, ROTATION)
        # Twist of c, carried to the origin and the axes of k, relative to that of k.
        wc = rotate(rc, load3(motions, c, TWIST + 3))
        xc = rotate_back(r, add(rotate(rc, load3(motions, c, TWIST)), cross(wc, lever)))
        wc = rotate_back(r, wc)
        dx = subtract(xc, x)
        dw = subtract(wc, w)
        first = frames[c, FIRST_V]
        for i in range(first, first + frames[c, COUNT_V]):
            e = axis_vector(poses, c, dofs[i, DOF_AXIS])
            turn = scale(dof_constants[i, ANGULAR], e)
            jx = rotate_back(r, add(scale(dof_constants[i, LINEAR], e), cross(turn, lever)))
            jw = rotate_back(r, turn)
            store3(jacobian, i, 0, jx)
            store3(jacobian, i, 3, jw)
            store3(rate, i, 0, add(cross(dw, jx), cross(dx, jw)))
            store3(rate, i, 3, cross(dw, jw))
        c = frames[c, PARENT]
