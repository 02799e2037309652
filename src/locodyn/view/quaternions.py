"""Unit quaternions (w, x, y, z) in arrays: turning vectors, products, rotation vectors, angles of an upright body."""

from __future__ import annotations

import numpy as np

from locodyn.robot.pose import roll_pitch_yaw_of, rotation_of_quaternion


def rotate(quaternion: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) turned by unit quaternions (..., 4), (w, x, y, z); leading dimensions are broadcast.

    >>> rotate(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    array([-1., -2.,  3.])
    """
    w, u = quaternion[..., :1], quaternion[..., 1:]
    turned = 2.0 * np.cross(u, vectors)
    return vectors + w * turned + np.cross(u, turned)


def compose(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Product (..., 4) of unit quaternions (..., 4): turn by ``second``, then by ``first``."""
    w1, u1, w2, u2 = first[..., :1], first[..., 1:], second[..., :1], second[..., 1:]
    scalar = w1 * w2 - np.sum(u1 * u2, axis=-1, keepdims=True)
    return np.concatenate([scalar, w1 * u2 + w2 * u1 + np.cross(u1, u2)], axis=-1)


def about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Unit quaternions (n, 4) of turns about a unit axis (3,) by angles (n,) rad."""
    half = 0.5 * np.asarray(angle)[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


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
    lean, pitch, heading = roll_pitch_yaw_of(r).T
    return np.column_stack([np.unwrap(heading), pitch, lean])
