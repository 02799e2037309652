"""Chains wound about a pole that roll about their own axis: rings and helices whose bend turns round in the links.

The links of a chain on a helix of straight pieces follow each other by one screw: the next link is bent by phi about the binormal
and then twisted by tau about itself, S = R_z(phi) R_x(tau). Turned about its own axis by psi, link k hands on

    R_x(-psi_k) S R_x(psi_(k+1)) = R_z(yaw_k) R_y(pitch_k),

three equations for yaw, pitch and psi_(k+1): a Cardan joint lets each link be turned a little otherwise than the one before,
and the helix is kept exactly while psi of the middle link goes round. With tau = 0 it is a ring (the "smoke ring" of Dowling
1999; Transeth 2007, 2.4). Rolling without slip on the pole it holds, a ring of links with the radius r climbs r psidot; a helix
that rises at the angle a climbs r psidot cos a, and goes round by -r psidot sin a.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from locodyn.motion import Law, spline
from locodyn.robot.pose import rotation_about

SAMPLES = 96  # of a turn


class Screw(NamedTuple):
    """How a link of a helix follows the one before it: ``bend`` and ``torsion``, rad."""

    bend: float
    torsion: float = 0.0

    @property
    def rotation(self) -> np.ndarray:
        """S (3, 3)."""
        return np.asarray(rotation_about("z", self.bend) @ rotation_about("x", self.torsion))

    @property
    def axis(self) -> np.ndarray:
        """Unit vector (3,) of the helix in the axes of a link; the links rise along it."""
        s = self.rotation
        found = np.array([s[2, 1] - s[1, 2], s[0, 2] - s[2, 0], s[1, 0] - s[0, 1]])
        found /= np.linalg.norm(found)
        return found if found[0] >= 0.0 or self.torsion == 0.0 else -found

    def centre(self, length: float) -> np.ndarray:
        """Point (3,) of the axis of the helix, in m in the frame at the centre of a link, nearest to this centre."""
        s, w = self.rotation, self.axis
        way = 0.5 * length * (np.array([1.0, 0.0, 0.0]) + s[:, 0])
        matrix = np.vstack([np.eye(3) - s, w])
        return np.asarray(np.linalg.lstsq(matrix, np.append(way - w * (w @ way), 0.0), rcond=None)[0])

    def room(self, length: float, radius: float) -> float:
        """Radius (m) of the pole that links of this ``radius`` and ``length`` between joints just touch."""
        c, w = self.centre(length), self.axis
        s = np.linspace(-0.5 * length, 0.5 * length, 201)
        away = np.outer(s, [1.0, 0.0, 0.0]) - c
        return float(np.linalg.norm(away - np.outer(away @ w, w), axis=1).min()) - radius

    @property
    def rise(self) -> float:
        """Angle a of the links against the plane across the axis, rad."""
        return math.asin(abs(self.axis[0])) if self.torsion else 0.0


def _joint(yaw: float, pitch: float) -> np.ndarray:
    return np.asarray(rotation_about("z", yaw) @ rotation_about("y", pitch))


def _onward(screw: Screw, psi: float) -> tuple[float, float, float]:
    """Yaw and pitch behind a link that is turned by psi, and the turn of the next link."""
    x, y, z = rotation_about("x", -psi) @ screw.rotation[:, 0]
    yaw, pitch = math.atan2(y, x), -math.asin(z)
    turn = screw.rotation.T @ rotation_about("x", psi) @ _joint(yaw, pitch)
    return yaw, pitch, psi + math.remainder(math.atan2(turn[2, 1], turn[1, 1]) - psi, math.tau)


def _backward(screw: Screw, psi: float) -> tuple[float, float, float]:
    """Yaw and pitch before a link that is turned by psi, and the turn of the link before it."""
    x, y, z = rotation_about("x", -psi) @ screw.rotation[0]
    yaw, pitch = -math.asin(y), math.atan2(z, x)
    turn = screw.rotation @ rotation_about("x", psi) @ _joint(yaw, pitch).T
    return yaw, pitch, psi + math.remainder(math.atan2(turn[2, 1], turn[1, 1]) - psi, math.tau)


def posture(screw: Screw, joints: int, psi: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Yaw (joints,), pitch (joints,) and turns (joints + 1,) of the links of a helix whose middle link is turned by psi (rad)."""
    yaw: list[float] = []
    pitch: list[float] = []
    turns = [psi]
    for _ in range(joints // 2, joints):
        a, b, turn = _onward(screw, turns[-1])
        yaw, pitch, turns = [*yaw, a], [*pitch, b], [*turns, turn]
    for _ in range(joints // 2):
        a, b, turn = _backward(screw, turns[0])
        yaw, pitch, turns = [a, *yaw], [b, *pitch], [turn, *turns]
    return np.array(yaw), np.array(pitch), np.array(turns)


def helix_roll(screw: Screw, joints: int, omega: float) -> tuple[list[Law], list[Law]]:
    """Yaw and pitch laws of a chain whose middle link is turned by psi = omega t (rad/s) about its own axis."""
    period = math.tau / abs(omega)
    times = np.linspace(0.0, period, SAMPLES + 1)
    tables = [posture(screw, joints, math.copysign(math.tau * t / period, omega)) for t in times[:-1]]
    yaw, pitch = (
        [spline(times, [*column, column[0]], degree=5, periodic=True) for column in np.array([one[k] for one in tables]).T]
        for k in (0, 1)
    )
    return yaw, pitch
