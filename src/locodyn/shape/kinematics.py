"""Forward kinematics: poses, twists and accelerations of all frames from the coordinates (Ali 2011, (3.7)-(3.9)).

Accelerations are derivatives of the components of the body twist: etadot_j = X_j etadot_i + ad(eta_j) S v + S a. The printed
(3.10) belongs to the inertial acceleration of the origin and must not be mixed with the gyroscopic wrench (3.13): see
docs/references.md.
"""

from __future__ import annotations

from locodyn.kernel import lit, portable
from locodyn.kernel.vector import add, cross, load3, load9, multiply, rotate, rotate_back, store3, store9
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.rod import slice_motion

# Columns of a pose and of a motion row.
ROTATION, POSITION = 0, 9
POSE = 12
TWIST, ACCELERATION = 0, 6
MOTION = 12


@portable(inline=True)
def to_child(r, p, v, w):
    """Ad(g^-1) (v; w): a twist of the parent as seen from the child at g = (R, p)."""
    return rotate_back(r, add(v, cross(w, p))), rotate_back(r, w)


@portable(inline=True)
def to_parent(r, p, f, n):
    """Ad(g^-1)^T (f; n): a wrench of the child as seen from the parent."""
    f = rotate(r, f)
    return f, add(rotate(r, n), cross(p, f))


@portable
def frame_poses(frames, constants, q, in_world, poses):
    """Pose of every frame in the world (``in_world`` = 1), or in the reference frame F0 (0: frame 0 is the identity).

    ``poses`` (n, 12): rotation row by row, then position in m.
    """
    o = lit(q[0], 0.0)
    one = lit(q[0], 1.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        if parent < 0:
            if in_world != 0:
                r, p = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
            else:
                r = (one, o, o, o, one, o, o, o, one)
                p = (o, o, o)
        else:
            r, p = joint_pose(frames[k, CODE], constants, k, q, frames[k, FIRST_Q])
            r0 = load9(poses, parent, ROTATION)
            p = add(load3(poses, parent, POSITION), rotate(r0, p))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, p)


@portable
def frame_motions(frames, constants, q, v, a, motions):
    """Body twist eta_k and its derivative etadot_k of every frame, each in its own frame.

    ``motions`` (n, 12): eta (v; w) in m/s and rad/s, then etadot, the derivative of these components.
    """
    o = lit(q[0], 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        if code == ROD:
            r, p, sx, sw, dx, dw, _, _, _, _, _, _ = slice_motion(constants, k, q, frames[k, FIRST_Q], v, a, i)
        else:
            sx, sw = joint_twist(code, constants, k, v, i)
            dx, dw = joint_twist(code, constants, k, a, i)
        if parent < 0:
            x, w, ax, aw = (o, o, o), (o, o, o), (o, o, o), (o, o, o)
        else:
            if code != ROD:
                r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            x, w = to_child(r, p, load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3))
            ax, aw = to_child(r, p, load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3))
        x = add(x, sx)
        w = add(w, sw)
        store3(motions, k, TWIST, x)
        store3(motions, k, TWIST + 3, w)
        store3(motions, k, ACCELERATION, add(add(ax, dx), add(cross(w, sx), cross(x, sw))))
        store3(motions, k, ACCELERATION + 3, add(add(aw, dw), cross(w, sw)))
