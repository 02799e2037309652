"""Actuators and keyframes of an MJCF file: torque limits of motors, servos, states to start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from locodyn.files.loaded import Keyframe
from locodyn.files.mjcf_rest import JOINT, Flags
from locodyn.files.notes import Notes
from locodyn.locomotion.servo import Servo
from locodyn.robot import Pose
from locodyn.robot.pose import quaternion_of_rotation, rotation_of_quaternion


class Actuators:
    """What the actuators of a model do to its joints.

    ``limits``: largest torque by joint; ``servos``: by the name of the joint, with the target at control zero; ``controls``: the
    actuator of each servo, and the position or velocity of its target per unit of control.
    """

    def __init__(self, model: Any, joints: list[str], flags: Flags, notes: Notes) -> None:
        self.model, self.joints, self.flags, self.notes = model, joints, flags, notes
        self.limits: dict[int, float] = {}
        self.servos: dict[str, Servo] = {}
        self.controls: dict[str, tuple[int, float]] = {}
        for k in range(model.nu):
            self.read(k)
        for k in range(model.njnt):
            if model.jnt_actfrclimited[k]:
                limit = self.larger(model.jnt_actfrcrange[k], f"joint '{joints[k]}'")
                self.limits[k] = min(self.limits.get(k, np.inf), limit)
        self.limits = {k: limit for k, limit in self.limits.items() if limit > 0.0}

    def read(self, k: int) -> None:
        """Actuator k: a servo, a motor with a limit, or lost."""
        import mujoco

        model = self.model
        about = f"actuator '{mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), k) or k}'"
        joint = int(model.actuator_trnid[k][0])
        if reason := self.out_of_place(k, joint):
            self.notes.lost(about, reason)
            return
        plain = (
            model.actuator_dyntype[k] == mujoco.mjtDyn.mjDYN_NONE
            and model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
            and int(model.actuator_biastype[k]) in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
        )
        if not plain:
            self.notes.lost(about, "it has states of its own, or is no motor or servo; the scenario says what drives its joint")
        elif model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_AFFINE:
            self.servo(k, joint, about)
        else:
            self.motor(k, joint, about)

    def out_of_place(self, k: int, joint: int) -> str:
        """Why actuator k cannot act where it acts; empty where it can."""
        import mujoco

        model, kind = self.model, int(self.model.actuator_trntype[k])
        if kind not in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):  # alike for hinges and slides
            places = {
                "TENDON": "a tendon; a torque law can give its force (torque=)",
                "SITE": "a site; a wrench law can give its force (wrenches=)",
                "BODY": "the contacts of a body",
                "SLIDERCRANK": "a slider crank; a loop can be one",
            }
            name = mujoco.mjtTrn(kind).name.removeprefix("mjTRN_")
            return f"it acts on {places.get(name, name.lower())}"
        if model.jnt_type[joint] not in (JOINT.slide, JOINT.hinge):
            return "it acts on a free or ball joint; the scenario says what drives its coordinates (torque=)"
        if not self.flags.acts(model, k):
            return "the file switches it off"
        if joint in self.limits or self.joints[joint] in self.servos:
            return "its joint has another actuator before it, and one alone is read; the scenario says what else drives it"
        return ""

    def servo(self, k: int, joint: int, about: str) -> None:
        """A position or velocity actuator: force = gain u + b0 + b1 gear q + b2 gear qdot, times the gear."""
        model, gear = self.model, float(self.model.actuator_gear[k][0])
        gain, (constant, spring, damper) = float(model.actuator_gainprm[k][0]), model.actuator_biasprm[k][:3]
        stiffness, damping = -float(spring) * gear**2, -float(damper) * gear**2
        if constant or (spring and gain != -spring) or (not spring and gain != -damper):
            self.notes.lost(about, "its gain and bias are those of no servo; the scenario says what drives its joint")
            return
        zero = -float(model.qpos0[model.jnt_qposadr[joint]]) if stiffness else 0.0  # positions are counted from ref
        self.servos[self.joints[joint]] = Servo(zero, stiffness, damping)
        self.controls[self.joints[joint]] = k, 1.0 / gear
        if model.actuator_ctrllimited[k] and self.flags.clampctrl:
            self.notes.lost(about, "the range of its control; here its target may be anywhere")
        if model.actuator_forcelimited[k]:
            self.limits[joint] = abs(gear) * self.larger(model.actuator_forcerange[k], about)
        self.notes.changed(about, "actuators of position and velocity become servos of their joints")

    def motor(self, k: int, joint: int, about: str) -> None:
        """A motor: its range is the torque limit of the joint."""
        model, bounds = self.model, []
        if model.actuator_ctrllimited[k] and self.flags.clampctrl:
            gain = abs(float(model.actuator_gainprm[k][0]))
            bounds.append(gain * self.larger(model.actuator_ctrlrange[k], about))
        if model.actuator_forcelimited[k]:
            bounds.append(self.larger(model.actuator_forcerange[k], about))
        limit = min(bounds, default=0.0) * abs(float(model.actuator_gear[k][0]))
        if limit > 0.0:
            self.limits[joint] = float(limit)
            self.notes.changed(about, "motors with a range become torque limits of their joints; the scenario says the torque")
        else:
            self.notes.lost(about, "a motor without a range is no action by itself: name its joint, as open(actions=[...]) does")

    def larger(self, bounds: np.ndarray, about: str) -> float:
        """The larger side of a range, which is the limit on both sides here."""
        if bounds[0] != -bounds[1]:
            self.notes.changed(about, "its range is not symmetric; the larger side is the torque limit on both sides")
        return float(np.abs(bounds).max())


def keyframes(model: Any, joints: list[str], places: Mapping[int, Pose], actuators: Actuators) -> dict[str, Keyframe]:
    """The stored states by name; ``places``: where the frame of each free joint is at q = 0, in the world."""
    import mujoco

    found = {}
    for number in range(model.nkey):
        name = mujoco.mj_id2name(model, int(mujoco.mjtObj.mjOBJ_KEY), number) or f"key_{number}"
        positions, velocities = {}, {}
        for k, joint in enumerate(joints):
            kind, q, v = int(model.jnt_type[k]), int(model.jnt_qposadr[k]), int(model.jnt_dofadr[k])
            count = {JOINT.free: 7, JOINT.ball: 4}.get(kind, 1)
            values = np.array(model.key_qpos[number][q : q + count], dtype=float)
            if kind in (JOINT.slide, JOINT.hinge):
                values = values - model.qpos0[q : q + 1]
            elif kind == JOINT.free:
                unit = values[3:] / np.linalg.norm(values[3:])
                here = places[k].inverse() @ Pose(rotation_of_quaternion(unit), values[:3])
                values = np.concatenate((here.position, quaternion_of_rotation(here.rotation)))
            else:
                values = values / np.linalg.norm(values)
            positions[joint] = values
            speed = np.array(model.key_qvel[number][v : v + {JOINT.free: 6, JOINT.ball: 3}.get(kind, 1)], dtype=float)
            if kind == JOINT.free:  # linear velocity in the axes of the world there, of the body here
                speed[:3] = rotation_of_quaternion(unit).T @ speed[:3]
            if np.any(speed):
                velocities[joint] = speed
        targets = {
            joint: float(model.key_ctrl[number][k]) * factor + actuators.servos[joint].aim(0.0)
            for joint, (k, factor) in actuators.controls.items()
        }
        found[name] = Keyframe(positions, velocities, targets)
    return found
