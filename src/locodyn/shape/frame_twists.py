"""Poses and twists of all frames in one recursion: what constraint rows need at every evaluation, and no accelerations.

A slice of a rod costs most of both, and its strains and their integral are shared.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, load3, load9, multiply, rotate, store3, store9
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import POSITION, ROTATION, TWIST, to_child
from locodyn.shape.rod import slice_twist


@compiled(lanes=True)
def frame_twists(frames, constants, q, v, poses, motions):
    """Pose of every frame in the world and its body twist; ``poses``, ``motions`` (n, 12) as of :mod:`locodyn.shape.kinematics`.

    Accelerations in ``motions`` stay as they are.
    """
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        if code == ROD:
            r, p, sx, sw = slice_twist(constants, k, q, frames[k, FIRST_Q], v, frames[k, FIRST_V])
        else:
            r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            sx, sw = joint_twist(code, constants, k, v, frames[k, FIRST_V])
        if parent >= 0:
            x, w = to_child(r, p, load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3))
            sx = add(x, sx)
            sw = add(w, sw)
            r0 = load9(poses, parent, ROTATION)
            p = add(load3(poses, parent, POSITION), rotate(r0, p))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, p)
        store3(motions, k, TWIST, sx)
        store3(motions, k, TWIST + 3, sw)
