"""Robot files as Pinocchio and MuJoCo read them: the same poses, mass matrices and accelerations, in our coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.robot.pose import Pose, quaternion_of_rotation, rotation_of_quaternion


def random_state(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities; quaternions of unit length."""
    q, v = rng.uniform(-1.0, 1.0, model.nq), rng.uniform(-1.0, 1.0, model.nv)
    compiled = model.compiled
    for kind, span in zip(compiled.joint_types, compiled.joint_positions, strict=True):
        if kind in ("free", "spherical"):
            q[span.stop - 4 : span.stop] /= np.linalg.norm(q[span.stop - 4 : span.stop])
    return q, v


class PinocchioFile:
    """A URDF or MJCF file in Pinocchio, with coordinates matched to ours by the names of the joints."""

    def __init__(self, path: Path, model: Model) -> None:
        import pinocchio as pin

        self.ours, moves = model, model.compiled.joint_types[0]
        if path.suffix == ".urdf":
            root = {"free": pin.JointModelFreeFlyer, "planar": pin.JointModelPlanar}.get(moves)
            self.peer = pin.buildModelFromUrdf(str(path)) if root is None else pin.buildModelFromUrdf(str(path), root())
        else:
            self.peer = pin.buildModelFromMJCF(str(path))
        self.peer.gravity.linear = np.asarray(model.gravity)
        self.data = self.peer.createData()
        self.names = {str(name): number for number, name in enumerate(self.peer.names)}

    def number(self, joint: int) -> int:
        """Pinocchio's number of our joint."""
        name = self.ours.compiled.joint_names[joint]
        return self.names.get(name, 1 if joint == 0 else -1)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """q in Pinocchio's coordinates."""
        import pinocchio as pin

        compiled, result = self.ours.compiled, pin.neutral(self.peer)
        for i, (kind, span) in enumerate(zip(compiled.joint_types, compiled.joint_positions, strict=True)):
            own = q[span]
            if not len(own):
                continue
            joint = self.peer.joints[self.number(i)]
            if kind in ("free", "spherical"):
                own = np.concatenate([own[:-4], own[-3:], own[-4:-3]])
            elif kind == "planar":
                own = np.array([own[0], own[1], np.cos(own[2]), np.sin(own[2])])
            elif joint.nq == 2:  # a continuous joint
                own = np.array([np.cos(own[0]), np.sin(own[0])])
            result[joint.idx_q : joint.idx_q + joint.nq] = own
        return result

    @property
    def at(self) -> np.ndarray:
        """Which of Pinocchio's velocities each of ours is."""
        compiled, found = self.ours.compiled, []
        for i, span in enumerate(compiled.joint_velocities):
            if span.stop > span.start:
                joint = self.peer.joints[self.number(i)]
                found += range(joint.idx_v, joint.idx_v + joint.nv)
        return np.array(found, dtype=int)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        import pinocchio as pin

        matrix = pin.crba(self.peer, self.data, self.configuration(q))
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        return matrix[np.ix_(self.at, self.at)]

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        import pinocchio as pin

        theirs = np.zeros(self.peer.nv)
        theirs[self.at] = v
        return pin.nonLinearEffects(self.peer, self.data, self.configuration(q), theirs)[self.at]

    def position(self, body: str, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import pinocchio as pin

        pin.framesForwardKinematics(self.peer, self.data, self.configuration(q))
        pose = self.data.oMf[self.peer.getFrameId(body, pin.FrameType.BODY)]
        return pose.rotation, pose.translation

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return self.mass_matrix(q) @ a + self.bias(q, v)

    def poses(self, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        import pinocchio as pin

        pin.framesForwardKinematics(self.peer, self.data, self.configuration(q))
        bodies = [(i, frame.name) for i, frame in enumerate(self.peer.frames) if frame.type == pin.FrameType.BODY]
        return {name: (self.data.oMf[i].rotation.copy(), self.data.oMf[i].translation.copy()) for i, name in bodies}

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        import pinocchio as pin

        theirs, force = np.zeros(self.peer.nv), np.zeros(self.peer.nv)
        theirs[self.at], force[self.at] = v, tau
        # plain dynamics: friction, damping and rotors are given in tau, whatever this version does with those of the file
        for name in ("damping", "friction", "armature", "rotorInertia", "upperDryFrictionLimit", "lowerDryFrictionLimit"):
            if hasattr(self.peer, name):
                setattr(self.peer, name, np.zeros(self.peer.nv))
        return pin.aba(self.peer, self.data, self.configuration(q), theirs, force)[self.at]


def worst(found: Any, wanted: Any) -> float:
    """Largest difference, relative to the largest entry."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    return float(np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0)))


class MujocoFile:
    """An MJCF file in MuJoCo, with coordinates matched to ours by the names of the joints; no contacts, limits, servos."""

    def __init__(self, path: Path, model: Model) -> None:
        import mujoco

        self.ours = model
        self.peer = mujoco.MjModel.from_xml_path(str(path))
        flags = mujoco.mjtDisableBit
        self.peer.opt.disableflags |= (
            flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_FRICTIONLOSS | flags.mjDSBL_ACTUATION
        )
        # What a robot here does not have, and lists: rotors of free joints and of tendons.
        for joint in np.flatnonzero(self.peer.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
            dof = int(self.peer.jnt_dofadr[joint])
            self.peer.dof_M0[dof : dof + 6] -= self.peer.dof_armature[dof : dof + 6]  # what counts for single bodies
            self.peer.dof_armature[dof : dof + 6] = 0.0
        if hasattr(self.peer, "tendon_armature"):
            self.peer.tendon_armature[:] = 0.0
        self.data = mujoco.MjData(self.peer)
        self.spans = []
        compiled = model.compiled
        for i, name in enumerate(compiled.joint_names):
            span = compiled.joint_velocities[i]
            if span.stop > span.start:
                joint = mujoco.mj_name2id(self.peer, mujoco.mjtObj.mjOBJ_JOINT, name)
                joint = int(name.rpartition("_")[2]) if joint < 0 else joint  # a joint without a name is called joint_NUMBER
                place = compiled.description.body(self._body(name)).joint.parent_offset
                self.spans.append((i, int(self.peer.jnt_qposadr[joint]), int(self.peer.jnt_dofadr[joint]), place))

    def _body(self, joint: str) -> str:
        return next(body.name for body in self.ours.compiled.description.bodies if body.joint.name == joint)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        result = self.peer.qpos0.copy()
        for i, at, _, place in self.spans:
            own, kind = q[self.ours.compiled.joint_positions[i]], self.ours.compiled.joint_types[i]
            if kind == "free":
                pose = place @ Pose(rotation_of_quaternion(own[3:]), own[:3])
                result[at : at + 7] = [*pose.position, *quaternion_of_rotation(pose.rotation)]
            elif kind == "spherical":
                result[at : at + 4] = own
            else:
                result[at] += own[0]
        return result

    def turn(self, q: np.ndarray) -> np.ndarray:
        """T with MuJoCo's velocities = T times ours: the linear velocity of a free joint is in world axes there."""
        result = np.zeros((self.peer.nv, self.ours.nv))
        for i, _, at, place in self.spans:
            span, kind = self.ours.compiled.joint_velocities[i], self.ours.compiled.joint_types[i]
            block = np.eye(span.stop - span.start)
            if kind == "free":
                quaternion = q[self.ours.compiled.joint_positions[i]][3:]
                block[:3, :3] = place.rotation @ rotation_of_quaternion(quaternion)
            result[at : at + len(block), span] = block
        return result

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        import mujoco

        self.data.qpos[:] = self.configuration(q)
        mujoco.mj_forward(self.peer, self.data)
        full = np.zeros((self.peer.nv, self.peer.nv))
        mujoco.mj_fullM(self.peer, self.data, full)
        turn = self.turn(q)
        return turn.T @ full @ turn

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Forces along our coordinates, T^T (M qacc + bias) with qacc = T a + Tdot v, where MuJoCo's velocities are T v."""
        import mujoco

        matrix, turn = self.mass_matrix(q), self.turn(q)
        self.data.qvel[:] = turn @ v
        mujoco.mj_forward(self.peer, self.data)
        change = np.zeros(self.peer.nv)  # Tdot v = R (w x u) of a free joint with the body twist (u, w)
        for i, _, at, place in self.spans:
            span = self.ours.compiled.joint_velocities[i]
            if self.ours.compiled.joint_types[i] == "free":
                rotation = place.rotation @ rotation_of_quaternion(q[self.ours.compiled.joint_positions[i]][3:])
                change[at : at + 3] = rotation @ np.cross(v[span][3:], v[span][:3])
        full = np.zeros((self.peer.nv, self.peer.nv))
        mujoco.mj_fullM(self.peer, self.data, full)
        return matrix @ a + turn.T @ (full @ change + self.data.qfrc_bias)

    def acceleration(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Our accelerations, of robots without free joints, whose velocities have the same axes."""
        import mujoco

        turn = self.turn(q)
        self.data.qpos[:], self.data.qvel[:] = self.configuration(q), turn @ v
        mujoco.mj_forward(self.peer, self.data)
        return turn.T @ self.data.qacc

    def poses(self, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        import mujoco

        self.data.qpos[:] = self.configuration(q)
        mujoco.mj_kinematics(self.peer, self.data)
        return {
            self.peer.body(i).name: (self.data.xmat[i].reshape(3, 3).copy(), self.data.xpos[i].copy())
            for i in range(1, self.peer.nbody)
        }

    def run(self, q: np.ndarray, v: np.ndarray, end: float, step: float) -> dict[str, np.ndarray]:
        """Positions of the bodies after a run with Runge-Kutta 4."""
        import mujoco

        self.peer.opt.integrator, self.peer.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
        self.data.qpos[:], self.data.qvel[:] = self.configuration(q), self.turn(q) @ v
        for _ in range(round(end / step)):
            mujoco.mj_step(self.peer, self.data)
        mujoco.mj_kinematics(self.peer, self.data)
        return {self.peer.body(i).name: self.data.xpos[i].copy() for i in range(1, self.peer.nbody)}
