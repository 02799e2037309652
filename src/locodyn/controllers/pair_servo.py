"""PD torques between free bodies that loops join: the joints of robots in maximal coordinates (Transeth 2007, (3.44), (4.89))."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from locodyn.controllers.joint_control import pd_torques, play_of_joints
from locodyn.dynamics.model import Model
from locodyn.errors import InputError
from locodyn.locomotion.sampled_controller import Measurement
from locodyn.locomotion.servo import longest_explicit_step
from locodyn.motion import as_law
from locodyn.robot.pose import rotation_of_quaternion


class PairServo:
    """A chain of n bodies whose coordinates, in this order, are all that the robot has: planar (3 each) or free (6 each) ones.

    Between planar bodies the angle is theta_{k+1} - theta_k. Between free ones R_k^T R_{k+1} = Rz(yaw) Ry(pitch): the yaw torque
    acts about z of body k, the pitch torque about y of body k + 1. Torques are taken at the start of a step, as in
    Transeth (2007, (4.89), remark 4.1).

    Parameters
    ----------
    targets : (n - 1) laws of the angles, or (n - 1) pairs (yaw, pitch) of them, rad
    stiffness, damping : k_P (N m/rad), k_D (N m s/rad)
    begins : s
        No torques before.
    play : rad
        How far a joint turns without meeting its motor, from stop to stop.
    """

    def __init__(self, targets: Sequence[Any], stiffness: float, damping: float, begins: float = 0.0, play: float = 0.0) -> None:
        pairs = [tuple(target) if isinstance(target, (tuple, list)) else (target,) for target in targets]
        if not pairs or len({len(pair) for pair in pairs}) != 1 or len(pairs[0]) > 2:
            raise InputError("the targets of a pair servo must be one law for each joint, or a pair (yaw, pitch) for each.")
        self.space = len(pairs[0]) == 2
        self.laws = [[as_law(law) for law in pair] for pair in pairs]
        self.stiffness, self.damping, self.begins = float(stiffness), float(damping), float(begins)
        self.play = play_of_joints(play)

    def __call__(self, seen: Measurement) -> np.ndarray:
        """Torques (nv,) N m."""
        rows, angles = self.joints(seen.q)
        if rows.shape[1] != len(seen.v):
            raise InputError(f"a pair servo of {len(self.laws)} joints drives {len(self.laws) + 1} bodies that are all free.")
        if seen.time < self.begins:
            return np.zeros(len(seen.v))
        wanted = np.array([[law(seen.time), law.rate(seen.time)] for pair in self.laws for law in pair])
        error, rate = wanted[:, 0] - angles, wanted[:, 1] - rows @ seen.v
        found: np.ndarray = rows.T @ pd_torques(error, rate, self.stiffness, self.damping, self.play)
        return found

    def joints(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (m, nv) that give the rates of the joint angles from the velocities, and the angles (m,), rad, at q."""
        n = len(self.laws) + 1
        if not self.space:
            rows = np.zeros((n - 1, 3 * n))
            rows[np.arange(n - 1), 3 * np.arange(1, n) + 2] = 1.0
            rows[np.arange(n - 1), 3 * np.arange(n - 1) + 2] = -1.0
            return rows, np.diff(q[2::3])
        turns = [rotation_of_quaternion(q[7 * k + 3 : 7 * k + 7]) for k in range(n)]
        rows, angles = np.zeros((2 * (n - 1), 6 * n)), np.zeros(2 * (n - 1))
        for k in range(n - 1):
            between = turns[k].T @ turns[k + 1]
            angles[2 * k : 2 * k + 2] = np.arctan2(-between[0, 1], between[1, 1]), np.arctan2(-between[2, 0], between[2, 2])
            # Yaw: z of body k, without what pitch turns of it; pitch: y of body k + 1.
            axes = between[2], np.array([0.0, 1.0, 0.0])
            for j, axis in enumerate(axes):
                rows[2 * k + j, 6 * k + 9 : 6 * k + 12] = axis
                rows[2 * k + j, 6 * k + 3 : 6 * k + 6] = -between @ axis
        return rows, angles

    def longest_step(self, model: Model, q: np.ndarray) -> float:
        """For how long torques may be held, s; on bodies that are not joined, which is the shorter time."""
        rows, angles = self.joints(q)
        inverse = rows @ np.linalg.solve(model.mass_matrix(q), rows.T)
        return longest_explicit_step(inverse, np.full(len(angles), self.stiffness), np.full(len(angles), self.damping))
