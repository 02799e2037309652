"""The same robot in MuJoCo, built from its description."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from locodyn.dynamics.model import Model
from locodyn.robot.body import Body
from locodyn.robot.description import parents_first
from locodyn.robot.pose import Pose, quaternion_of_rotation, rotation_of_quaternion


class MujocoModel:
    """The same robot in MuJoCo: joints that are hinges, slides, balls or sequences of them, and a free base.

    MuJoCo writes the linear velocity of a free joint in world axes, and the coordinates of a ball joint in the axes of its body.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.bodies = model, parents_first(model.compiled.description.bodies)
        gravity = self._numbers(model.gravity)
        text = f'<compiler angle="radian" balanceinertia="false"/><option gravity="{gravity}"><flag contact="disable"/></option>'
        self.peer = mujoco.MjModel.from_xml_string(f"<mujoco>{text}<worldbody>{self._xml(self.bodies[0])}</worldbody></mujoco>")
        assert self.peer.nv == model.nv
        self.data = mujoco.MjData(self.peer)

    @staticmethod
    def _numbers(values: Any) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(values))

    def _xml(self, body: Body) -> str:
        joint, numbers = body.joint, self._numbers
        place, child = joint.parent_offset @ joint.child_offset, joint.child_offset.inverse()
        armature = 0.0 if body.actuator is None or not joint.kind.nv else body.actuator.reflected_inertia(joint.kind.nv)[0]
        common = f'pos="{numbers(child.position)}" armature="{armature!r}"'
        axes = [child.rotation @ axis for axis in (np.eye(3) if joint.type == "translating" else joint.axes)]
        words = {
            "fixed": [], "revolute": ["hinge"], "prismatic": ["slide"], "cylindrical": ["slide", "hinge"],
            "universal": ["hinge", "hinge"], "translating": ["slide"] * 3, "spherical": ["ball"],
        }  # fmt: skip
        if joint.type == "free":
            assert body.parent is None
            joints = "<freejoint/>"
        else:
            axes = (axes * 2)[: len(words[joint.type])] if joint.type == "cylindrical" else axes
            aligned = [f'axis="{numbers(axis)}"' for axis in axes] or [""]
            joints = "".join(f'<joint type="{w}" {common} {axis}/>' for w, axis in zip(words[joint.type], aligned, strict=False))
        moments, principal = np.linalg.eigh(body.inertia.tensor)
        principal[:, 2] *= np.linalg.det(principal)
        inertial = (
            f'<inertial pos="{numbers(body.inertia.centre)}" mass="{body.inertia.mass!r}" diaginertia="{numbers(moments)}"'
            f' quat="{numbers(quaternion_of_rotation(principal))}"/>'
        )
        inner = "".join(self._xml(other) for other in self.bodies if other.parent == body.name)
        pose = f'pos="{numbers(place.position)}" quat="{numbers(quaternion_of_rotation(place.rotation))}"'
        return f'<body name="{body.name}" {pose}>{joints}{inertial}{inner}</body>'

    @cached_property
    def spans(self) -> list[tuple[Body, slice, slice, int, int]]:
        """(body, our positions, our velocities, MuJoCo's first position, first velocity) of every joint that moves."""
        compiled, result = self.model.compiled, []
        for body in self.bodies:
            if body.joint.name in compiled.joint_names and body.joint.kind.nv:
                number = compiled.joint_index(body.joint.name)
                first = self.peer.body(body.name).jntadr[0]
                addresses = int(self.peer.jnt_qposadr[first]), int(self.peer.jnt_dofadr[first])
                result.append((body, compiled.joint_positions[number], compiled.joint_velocities[number], *addresses))
        return result

    def configuration(self, q: np.ndarray) -> np.ndarray:
        result = np.zeros(self.peer.nq)
        for body, here, _, there, _ in self.spans:
            own = np.array(q[here])
            if body.joint.type == "spherical":
                own[1:] = body.joint.child_offset.rotation.T @ own[1:]
            elif body.joint.type == "free":
                pose = body.joint.parent_offset @ Pose(rotation_of_quaternion(own[3:]), own[:3])
                own = np.concatenate([pose.position, quaternion_of_rotation(pose.rotation)])
            result[there : there + len(own)] = own
        return result

    def _turned(self, vector: np.ndarray, q: np.ndarray, back: bool) -> np.ndarray:
        """Velocities or forces in MuJoCo's axes and order (``back``: in ours): linear parts of a free joint in world axes."""
        result = np.zeros(self.model.nv)
        for body, positions, here, _, there in self.spans:
            count = here.stop - here.start
            turns = np.eye(count)
            if body.joint.type == "spherical":
                turns = body.joint.child_offset.rotation.T
            elif body.joint.type == "free":
                turns = np.eye(6)
                turns[:3, :3] = body.joint.parent_offset.rotation @ rotation_of_quaternion(q[positions][3:])
            if back:
                result[here] = turns.T @ vector[there : there + count]
            else:
                result[there : there + count] = turns @ vector[here]
        return result

    def velocity(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self._turned(v, q, back=False)

    def acceleration(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The rate of the velocity in world axes is R (vdot + w x v)."""
        return self._turned(a + self._carried(v), q, back=False)

    def acceleration_back(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return self._turned(a, q, back=True) - self._carried(v)

    def _carried(self, v: np.ndarray) -> np.ndarray:
        result = np.zeros(self.model.nv)
        for body, _, here, _, _ in self.spans:
            if body.joint.type == "free":
                result[here.start : here.start + 3] = np.cross(v[here][3:], v[here][:3])
        return result

    def force(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return self._turned(tau, q, back=False)

    def force_back(self, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return self._turned(tau, q, back=True)
