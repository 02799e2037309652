"""Orientations as rotation vectors, and as angles of an upright body."""

from __future__ import annotations

import numpy as np

from locodyn.robot.pose import rotation_of_quaternion


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3), rad, of unit quaternions, followed continuously over any number of turns about one axis."""
    q = np.array(quaternions)
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    length = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(length, q[:, 0])
    factor = np.where(length > 1e-12, angle / np.where(length > 1e-12, length, 1.0), 2.0)
    vectors = q[:, 1:] * factor[:, None]
    axes = np.divide(q[:, 1:], length[:, None], out=np.zeros_like(vectors), where=length[:, None] > 1e-12)
    for k in range(1, len(q)):  # a quaternion comes again after two turns: of these vectors, the nearest to the one before
        turns = round(float(axes[k] @ (vectors[k - 1] - vectors[k])) / (4.0 * np.pi))
        vectors[k] += 4.0 * np.pi * turns * axes[k]
    return vectors


def upright_angles(quaternions: np.ndarray) -> np.ndarray | None:
    """Heading, pitch and lean (n, 3), rad, about z, y' and x'', of a body whose z axis stays within 60 degrees of the vertical.

    The heading is followed over any number of turns. None for a body that falls over.
    """
    r = rotation_of_quaternion(quaternions)
    if r[:, 2, 2].min() < 0.5:
        return None
    heading = np.unwrap(np.arctan2(r[:, 1, 0], r[:, 0, 0]))
    return np.column_stack([heading, np.arcsin(np.clip(-r[:, 2, 0], -1.0, 1.0)), np.arctan2(r[:, 2, 1], r[:, 2, 2])])
