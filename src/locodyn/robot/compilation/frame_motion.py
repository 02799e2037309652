"""Poses and motion subspaces of frames in plain NumPy, for checks and conversions of a description.

The recursions of the library are kernels (:mod:`locodyn.shape`); this is their slow and short relative, which needs no compiler.
"""

from __future__ import annotations

import math

import numpy as np

import locodyn.robot.layout as layout
from locodyn.robot.compilation.compiled import CompiledRobot
from locodyn.robot.pose import Pose, quaternion_of_rotation, rotation_about, rotation_of_quaternion
from locodyn.robot.rods.space import exponential


def displacement(code: int, pitch: float, q: np.ndarray) -> Pose:
    """The motion g_joint(q) of a frame from its offset; ``q`` (NQ[code],)."""
    if code == layout.FIXED:
        return Pose()
    if code == layout.REVOLUTE:
        return Pose(rotation_about("z", float(q[0])))
    if code == layout.PRISMATIC:
        return Pose(position=np.array([0.0, 0.0, q[0]]))
    if code == layout.HELICAL:
        return Pose(rotation_about("z", float(q[0])), np.array([0.0, 0.0, pitch * q[0]]))
    if code == layout.SPHERICAL:
        return Pose(rotation_of_quaternion(q))
    if code == layout.TRANSLATION:
        return Pose(position=q)
    if code == layout.PLANAR:
        return Pose(rotation_about("z", float(q[2])), np.array([q[0], q[1], 0.0]))
    return Pose(rotation_of_quaternion(q[3:7]), q[:3])


def coordinates(code: int, pose: Pose) -> np.ndarray:
    """The coordinates q (NQ[code],) of a displacement in the group of a reference joint: the inverse of :func:`displacement`."""
    if code == layout.SPHERICAL:
        return quaternion_of_rotation(pose.rotation)
    if code == layout.TRANSLATION:
        return pose.position.copy()
    if code == layout.PLANAR:
        return np.array([pose.position[0], pose.position[1], math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])])
    return np.concatenate([pose.position, quaternion_of_rotation(pose.rotation)])


def cross_matrix(vector: np.ndarray) -> np.ndarray:
    """The matrix (3, 3) of the cross product with a vector (3,)."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def adjoint(pose: Pose) -> np.ndarray:
    """``Ad(g)`` (6, 6): carries a twist (linear; angular) from B to A if ``pose`` is that of B in A.

    Ali 2011, (B.5), with its slip corrected: the block is ``hat(p) R``.
    """
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = pose.rotation
    result[:3, 3:] = cross_matrix(pose.position) @ pose.rotation
    return result


def offset(compiled: CompiledRobot, frame: int) -> Pose:
    """The constant offset of a frame in its parent."""
    row = compiled.constants[frame]
    position = row[layout.OFFSET_POSITION : layout.OFFSET_POSITION + 3]
    return Pose(row[layout.OFFSET_ROTATION : layout.OFFSET_ROTATION + 9].reshape(3, 3), position)


def frame_displacement(compiled: CompiledRobot, frame: int, q: np.ndarray) -> Pose:
    """The motion of a frame from its offset at the configuration ``q`` (nq,)."""
    code, first = (int(compiled.frames[frame, layout.CODE]), int(compiled.frames[frame, layout.FIRST_Q]))
    if code == layout.ROD:
        return slice_displacement(slice_exponent(compiled, frame, np.asarray(q)[first:])[0])
    pitch = float(compiled.constants[frame, layout.PITCH])
    return displacement(code, pitch, np.asarray(q)[first : first + layout.NQ[code]])


def slice_exponent(
    compiled: CompiledRobot, frame: int, q: np.ndarray, v: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Omega (6,) along a slice of a rod with the modes q[0] ..., and its rate for their rates v; without strain fields.

    See :mod:`locodyn.shape.rod`: Omega = h/2 (xi1 + xi2) + sqrt(3)/12 h^2 [xi1, xi2].
    """
    row = compiled.constants[frame]
    length, rest = float(row[layout.SLICE.length]), row[layout.SLICE.rest_strain : layout.SLICE.rest_strain + 12].reshape(2, 6)
    ends = row[layout.SLICE.strain_end : layout.SLICE.strain_end + 6].astype(int)
    count = int(ends[-1])
    functions = row[layout.SLICE.modes : layout.SLICE.modes + 2 * count].reshape(count, 2)
    of_strain = np.searchsorted(ends, np.arange(count), side="right")
    xi, rate = rest.astype(float), np.zeros((2, 6))
    for j, c in enumerate(of_strain):
        xi[:, c] += functions[j] * q[j]
        rate[:, c] += functions[j] * (0.0 if v is None else v[j])
    share = math.sqrt(3.0) / 12.0 * length**2
    exponent = 0.5 * length * (xi[0] + xi[1]) + share * bracket(xi[0]) @ xi[1]
    return exponent, 0.5 * length * (rate[0] + rate[1]) + share * (bracket(rate[0]) @ xi[1] + bracket(xi[0]) @ rate[1])


def slice_displacement(exponent: np.ndarray) -> Pose:
    """exp(Omega)."""
    turn, move = exponential(exponent[None, :3], exponent[None, 3:])
    return Pose(turn[0], move[0])


def bracket(twist: np.ndarray) -> np.ndarray:
    """``ad`` (6, 6) of a twist (linear; angular)."""
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = cross_matrix(twist[3:])
    result[:3, 3:] = cross_matrix(twist[:3])
    return result


def slice_twist(exponent: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """T(Omega) Omegadot (6,): the twist of the end of a slice, in its axes; T as the series of (-ad)^n / (n + 1)!."""
    term, result, ad = rate, rate.copy(), -bracket(exponent)
    for n in range(2, 40):
        term = ad @ term / n
        result += term
    return result


def pose_in_parent(compiled: CompiledRobot, frame: int, q: np.ndarray) -> Pose:
    """The pose of a frame in its parent frame (the world for frame 0)."""
    return offset(compiled, frame) @ frame_displacement(compiled, frame, q)


def subspace(compiled: CompiledRobot, frame: int) -> np.ndarray:
    """The motion subspace S (6, nv of the frame): twist of the frame relative to its parent, in the frame, is ``S v``."""
    first, count = (compiled.frames[frame, layout.FIRST_V], compiled.frames[frame, layout.COUNT_V])
    result = np.zeros((6, count))
    for i in range(count):
        axis, constants = (compiled.dofs[first + i, layout.DOF_AXIS], compiled.dof_constants[first + i])
        result[axis, i], result[3 + axis, i] = (constants[layout.LINEAR], constants[layout.ANGULAR])
    return result


def spatial_inertia(compiled: CompiledRobot, frame: int) -> np.ndarray:
    """The inertia (6, 6) of a frame, ``[[m 1, -m s^], [m s^, I]]``, Ali 2011 (3.5)."""
    row = compiled.constants[frame]
    moment = cross_matrix(row[layout.FIRST_MOMENT : layout.FIRST_MOMENT + 3])
    xx, xy, xz, yy, yz, zz = row[layout.INERTIA : layout.INERTIA + 6]
    result = np.zeros((6, 6))
    result[:3, :3] = row[layout.MASS] * np.eye(3)
    result[:3, 3:], result[3:, :3] = -moment, moment
    result[3:, 3:] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return result


def frame_poses(compiled: CompiledRobot, q: np.ndarray) -> list[Pose]:
    """The poses of all frames in the world at the configuration ``q`` (nq,)."""
    poses: list[Pose] = []
    for frame, parent in enumerate(compiled.frames[:, layout.PARENT]):
        local = pose_in_parent(compiled, frame, q)
        poses.append(local if parent < 0 else poses[parent] @ local)
    return poses


def frame_twists(compiled: CompiledRobot, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    """The body twists (6,) of all frames at configuration ``q`` (nq,) and velocity ``v`` (nv,)."""
    twists: list[np.ndarray] = []
    for frame, (parent, _, _, first, count) in enumerate(compiled.frames[:, : layout.FLUID]):
        if compiled.frames[frame, layout.CODE] == layout.ROD:
            place = np.asarray(q)[compiled.frames[frame, layout.FIRST_Q] :]
            own = slice_twist(*slice_exponent(compiled, frame, place, np.asarray(v)[first:]))
        else:
            own = subspace(compiled, frame) @ np.asarray(v)[first : first + count]
        if parent >= 0:
            own = own + adjoint(pose_in_parent(compiled, frame, q).inverse()) @ twists[parent]
        twists.append(own)
    return twists


def kinetic_energy(compiled: CompiledRobot, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic energy, J, rotors included."""
    energy = 0.5 * float(np.sum(compiled.dof_constants[:, layout.DOF_ARMATURE] * np.asarray(v) ** 2))
    for frame, twist in enumerate(frame_twists(compiled, q, v)):
        energy += 0.5 * float(twist @ spatial_inertia(compiled, frame) @ twist)
    return energy
