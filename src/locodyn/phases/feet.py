"""Where the feet of a robot are: height over the plane that they stand on, and place."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.errors import InputError, nearest


class Feet:
    """The surfaces of a robot that may stand on a plane (``body.foot``, ``body.rolling``), by name.

    Their lowest point is that of :class:`~locodyn.robot.contact.Contact`: for a point the point itself.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.contacts: dict[str, Any] = {contact.name: contact for contact in model.compiled.contacts}

    def check(self, name: str, what: str) -> None:
        """Refuse a foot that the robot does not have."""
        if name not in self.contacts:
            raise InputError(f"{what} names the foot '{name}', which robot '{self.model.compiled.name}' does not have"
                             f"{nearest(name, self.contacts)}")  # fmt: skip

    @cached_property
    def _points(self) -> dict[str, tuple[int, np.ndarray, np.ndarray, float]]:
        """Of feet that are points: frame, place in it, normal of the ground and its level (m) along that."""
        found = {}
        for name, one in self.contacts.items():
            if not np.any(np.asarray(one.semi_axes, dtype=float)) and float(one.crown) == 0.0:
                normal = np.asarray(one.plane, dtype=float)[:, 2].copy()
                found[name] = one.frame, np.asarray(one.position, dtype=float), normal, float(normal @ np.asarray(one.ground))
        return found

    def place(self, name: str, q: np.ndarray) -> np.ndarray:
        """Lowest point (3,) m of a foot in the world."""
        contact, point = self.contacts[name], self._points.get(name)
        pose = self.model.kinematics(q)[0][contact.frame]
        r = pose[:9].reshape(3, 3)
        if point is not None:
            return np.asarray(pose[9:] + r @ point[1])
        normal = np.asarray(contact.plane, dtype=float)[:, 2]
        axes = r @ np.asarray(contact.rotation, dtype=float)
        stretched = np.asarray(contact.semi_axes, dtype=float) * (axes.T @ normal)
        size = float(np.linalg.norm(stretched))
        below = axes @ (np.asarray(contact.semi_axes, dtype=float) * stretched / size) if size > 0.0 else 0.0
        return np.asarray(pose[9:] + r @ np.asarray(contact.position, dtype=float) - below - float(contact.crown) * normal)

    def height(self, name: str, q: np.ndarray) -> float:
        """Height of a foot over its plane, m."""
        point = self._points.get(name)
        if point is not None:
            return float(point[2] @ self.place(name, q)) - point[3]
        contact = self.contacts[name]
        normal = np.asarray(contact.plane, dtype=float)[:, 2]
        return float(normal @ (self.place(name, q) - np.asarray(contact.ground, dtype=float)))

    def centre_height(self, q: np.ndarray) -> float:
        """Height of the robot's mass centre over the ground of its feet, m: over the lowest of their planes; without feet nan."""
        centre, heights = self.model.centre_of_mass(q), [np.nan]
        for one in self.contacts.values():
            heights.append(float(np.asarray(one.plane, dtype=float)[:, 2] @ (centre - np.asarray(one.ground, dtype=float))))
        return float(np.fmax.reduce(heights))

    def motion(self, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and acceleration (3,) of the point of the body that is the lowest one of a foot, world axes."""
        contact = self.contacts[name]
        poses, motions = self.model.kinematics(q, v, a)
        r, moves = poses[contact.frame, :9].reshape(3, 3), motions[contact.frame]
        arm = r.T @ (self.place(name, q) - poses[contact.frame, 9:])
        speed = moves[:3] + np.cross(moves[3:6], arm)
        rate = moves[6:9] + np.cross(moves[9:12], arm) + np.cross(moves[3:6], speed)
        return r @ speed, r @ rate

    def rising_speed(self, name: str, q: np.ndarray, v: np.ndarray) -> float:
        """Speed of the lowest point of a foot along the normal of its plane, m/s."""
        contact = self.contacts[name]
        poses, motions = self.model.kinematics(q, v)
        r = poses[contact.frame, :9].reshape(3, 3)
        arm = r.T @ (self.place(name, q) - poses[contact.frame, 9:])
        speed = r @ (motions[contact.frame, :3] + np.cross(motions[contact.frame, 3:6], arm))
        return float(np.asarray(contact.plane, dtype=float)[:, 2] @ speed)
