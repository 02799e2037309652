"""Finds a joint that moves nothing: its mass matrix would be singular.

The mass matrix is regular exactly if, in the articulated-body recursion (Featherstone 2008, section 7.3), the matrix
``D = S^T IA S`` of every joint is. This is tried at one general configuration, so that a robot which is singular in a special
posture only (a spherical pendulum hanging straight, say) passes.
"""

from __future__ import annotations

import numpy as np

import locodyn.robot.layout as layout
from locodyn.robot.compilation.compile import compile_robot
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.compilation.frame_motion import adjoint, pose_in_parent, spatial_inertia, subspace
from locodyn.robot.description import RobotDescription, holds_symbols

# Smallest eigenvalue of D, relative to the inertia that the joint carries. Rounding leaves about 1e-16; a wire of
# 1 m and 1 mm about its own axis has 4e-7.
_TOLERANCE = 1e-12


def unresisted_joint(description: RobotDescription) -> tuple[str, str] | None:
    """Names of a joint and its body if the motion of the joint has no inertia; ``None`` if all have, or on symbols."""
    if holds_symbols(description):
        return None
    compiled = compile_robot(description)
    frame = unresisted_frame(compiled, general_configuration(compiled))
    if frame is None:
        return None
    number = next(i for i, frames in enumerate(compiled.joint_frames) if frame in frames)
    joint = compiled.joint_names[number]
    return joint, next(body.name for body in description.bodies if body.joint.name == joint)


def general_configuration(compiled: CompiledRobot) -> np.ndarray:
    """A configuration (nq,) without special angles, the same at every call."""
    q = np.random.default_rng(20080131).uniform(0.3, 1.2, compiled.nq)
    for code, first in compiled.frames[:, [layout.CODE, layout.FIRST_Q]]:
        if code in (layout.SPHERICAL, layout.FREE):
            quaternion = slice(first + layout.NQ[code] - 4, first + layout.NQ[code])
            q[quaternion] /= np.linalg.norm(q[quaternion])
    return q


def unresisted_frame(compiled: CompiledRobot, q: np.ndarray) -> int | None:
    """The frame nearest to a tip whose joint meets no inertia at ``q`` (nq,), or ``None``."""
    articulated = [spatial_inertia(compiled, frame) for frame in range(compiled.nf)]
    composite = [inertia.copy() for inertia in articulated]
    for frame in range(compiled.nf - 1, -1, -1):
        parent, code, _, first, count = compiled.frames[frame, : layout.FLUID]
        own, carried = articulated[frame], composite[frame]
        if count and code != layout.ROD:  # rods have mass all along; for the other joints they count as rigid
            motion = subspace(compiled, frame)
            armature = compiled.dof_constants[first : first + count, layout.DOF_ARMATURE]
            resisted = own @ motion
            d = motion.T @ resisted + np.diag(armature)
            # the inertia that the joint carries, whatever the direction of its axis
            linear, angular = (np.sum(motion[:3] ** 2, axis=0), np.sum(motion[3:] ** 2, axis=0))
            scale = linear * carried[0, 0] + angular * np.trace(carried[3:, 3:]) + armature
            if np.any(scale <= 0):
                return frame
            if np.linalg.eigvalsh(d / np.outer(np.sqrt(scale), np.sqrt(scale)))[0] <= _TOLERANCE:
                return frame
            own = own - resisted @ np.linalg.solve(d, resisted.T)
        if parent >= 0:
            transform = adjoint(pose_in_parent(compiled, frame, q).inverse())
            articulated[parent] += transform.T @ own @ transform
            composite[parent] += transform.T @ carried @ transform
    return None
