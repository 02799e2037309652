"""Point feet of a robot in symbols: place, motion, and the load of a ground force, from poses and motions of frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from locodyn.errors import InputError


def check_point(contact: Any) -> None:
    """Refuse a foot that rolls: only points stay where they stand on their body."""
    if np.any(np.asarray(contact.semi_axes, dtype=float)) or float(contact.crown):
        raise InputError(f"the foot '{contact.name}' is round; gaits are designed for point feet: give it as body.foot(at=...).")


def foot_place(contact: Any, poses: np.ndarray) -> np.ndarray:
    """Place (3,) of a foot in the world, m; ``poses`` (nf, 12) of all frames."""
    pose = poses[contact.frame]
    return np.asarray(pose[9:] + pose[:9].reshape(3, 3) @ np.asarray(contact.position, dtype=float))


def foot_motion(contact: Any, poses: np.ndarray, motions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration (3,) of a foot in the world; ``motions`` (nf, 12): twists and their rates, in body axes."""
    r, moves, arm = poses[contact.frame, :9].reshape(3, 3), motions[contact.frame], np.asarray(contact.position, dtype=float)
    speed = moves[:3] + np.cross(moves[3:6], arm)
    rate = moves[6:9] + np.cross(moves[9:12], arm) + np.cross(moves[3:6], speed)
    return r @ speed, r @ rate


def add_load(contact: Any, poses: np.ndarray, force: np.ndarray, loads: np.ndarray) -> None:
    """Add a force (3,) N in the world that acts on a foot to the wrenches (nf, 6) on the frames, in their axes."""
    own = poses[contact.frame, :9].reshape(3, 3).T @ force
    moment = np.cross(np.asarray(contact.position, dtype=float), own)
    loads[contact.frame] = loads[contact.frame] + np.concatenate([own, moment])
