"""Poses and motions of all frames in one recursion: what :mod:`locodyn.shape.kinematics` gives in two.

A slice of a rod costs most of both, and the strains, their integral and its derivatives are shared. Constraint rows need
poses and twists at every evaluation, but no accelerations.
"""

from __future__ import annotations

from locodyn.kernel import compiled
from locodyn.kernel.vector import add, cross, load3, load9, multiply, rotate, store3, store9
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, PARENT, ROD
from locodyn.shape.joint import joint_pose, joint_twist
from locodyn.shape.kinematics import ACCELERATION, POSITION, ROTATION, TWIST, to_child
from locodyn.shape.rod import slice_motion, slice_twist


@compiled
def frame_states(frames, constants, q, v, a, poses, motions):
    """Pose of every frame in the world, body twist eta_k and its derivative; ``poses``, ``motions`` (n, 12) as there."""
    nothing = (0.0, 0.0, 0.0)
    for k in range(frames.shape[0]):
        parent = frames[k, PARENT]
        code = frames[k, CODE]
        i = frames[k, FIRST_V]
        if code == ROD:
            r, p, sx, sw, dx, dw, _, _, _, _, _, _ = slice_motion(constants, k, q, frames[k, FIRST_Q], v, a, i)
        else:
            r, p = joint_pose(code, constants, k, q, frames[k, FIRST_Q])
            sx, sw = joint_twist(code, constants, k, v, i)
            dx, dw = joint_twist(code, constants, k, a, i)
        if parent < 0:
            x, w, ax, aw = nothing, nothing, nothing, nothing
        else:
            x, w = to_child(r, p, load3(motions, parent, TWIST), load3(motions, parent, TWIST + 3))
            ax, aw = to_child(r, p, load3(motions, parent, ACCELERATION), load3(motions, parent, ACCELERATION + 3))
            r0 = load9(poses, parent, ROTATION)
            p = add(load3(poses, parent, POSITION), rotate(r0, p))
            r = multiply(r0, r)
        store9(poses, k, ROTATION, r)
        store3(poses, k, POSITION, p)
        x = add(x, sx)
        w = add(w, sw)
        store3(motions, k, TWIST, x)
        store3(motions, k, TWIST + 3, w)
        store3(motions, k, ACCELERATION, add(add(ax, dx), add(cross(w, sx), cross(x, sw))))
        store3(motions, k, ACCELERATION + 3, add(add(aw, dw), cross(w, sw)))


@compiled
def frame_twists(frames, constants, q, v, poses, motions):
    """:func:`frame_states` without accelerations: those in ``motions`` stay as they are."""
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
