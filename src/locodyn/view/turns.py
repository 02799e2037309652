"""Orientations as rotation vectors."""

from __future__ import annotations

import numpy as np


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3), rad, of unit quaternions, followed continuously past half a turn."""
    q = np.array(quaternions)
    flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
    q[1:] *= flips[:, None]
    length = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(length, q[:, 0])
    factor = np.where(length > 1e-12, angle / np.where(length > 1e-12, length, 1.0), 2.0)
    return q[:, 1:] * factor[:, None]
