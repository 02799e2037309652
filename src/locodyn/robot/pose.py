"""Poses (rotation and position of a frame in another) and the ways to say them: axes, quaternions, angles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.values import matrix, product, read_only, vector
from locodyn.typing import Axis, Vector

AXES = {
    "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1),
    "+x": (1, 0, 0), "+y": (0, 1, 0), "+z": (0, 0, 1),
}  # fmt: skip

# Rotations that carry z to x, y, z: cyclic permutations of the axes, with exact entries 0 and 1.
_Z_TO = {0: ((0, 0, 1), (1, 0, 0), (0, 1, 0)), 1: ((0, 1, 0), (0, 0, 1), (1, 0, 0)), 2: ((1, 0, 0), (0, 1, 0), (0, 0, 1))}


def _identity() -> np.ndarray:
    return np.eye(3)


def _origin() -> np.ndarray:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Pose:
    """The pose of a frame B in a frame A: ``p_A = rotation @ p_B + position``.

    Parameters
    ----------
    rotation : (3, 3)
        Its columns are the axes of B seen in A.
    position : (3,) m
        The origin of B seen in A.
    """

    rotation: np.ndarray = field(default_factory=_identity)
    position: np.ndarray = field(default_factory=_origin)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", matrix(self.rotation, "The rotation of a pose"))
        object.__setattr__(self, "position", vector(self.position, "The position of a pose"))

    def __matmul__(self, other: Pose) -> Pose:
        """Composition: pose of C in A from those of B in A and of C in B."""
        return Pose(product(self.rotation, other.rotation), product(self.rotation, other.position) + self.position)

    def compose(self, other: Pose) -> Pose:
        """The same as ``self @ other``."""
        return self @ other

    def inverse(self) -> Pose:
        """The pose of A in B."""
        return Pose(self.rotation.T, 0 - product(self.rotation.T, self.position))

    def apply(self, point: Vector) -> np.ndarray:
        """A point of B, (3,) m, seen in A."""
        found: np.ndarray = self.rotation @ np.asarray(point) + self.position
        return found

    def same_as(self, other: Pose, tolerance: float = 1e-12) -> bool:
        """Whether two numeric poses agree entry by entry."""
        return bool(
            np.allclose(self.rotation, other.rotation, atol=tolerance, rtol=0)
            and np.allclose(self.position, other.position, atol=tolerance, rtol=0)
        )


def unit_axis(axis: Any, what: str) -> np.ndarray:
    """A unit vector (3,), read-only, from ``"x"``, ``"-z"``, ... or from three numbers of any length but zero."""
    if isinstance(axis, str):
        if axis not in AXES:
            raise DescriptionError(f"{what} is '{axis}', but an axis is one of x, y, z, -x, -y, -z or a vector of 3 numbers.")
        return read_only(np.array(AXES[axis], dtype=float))
    direction = vector(axis, what)
    if direction.dtype == object:
        raise DescriptionError(f"{what} holds a symbol, but the direction of an axis must be plain numbers.")
    if not np.all(np.isfinite(direction)):
        raise DescriptionError(f"{what} is {direction.tolist()}, but its entries must be finite numbers.")
    length = float(np.linalg.norm(direction))
    if length < 1e-12:
        raise DescriptionError(f"{what} is zero: give a direction, such as 'z' or (0, 0, 1).")
    return read_only(direction.copy() if abs(length - 1.0) < 1e-14 else direction / length)


def rotation_to_axis(axis: np.ndarray) -> np.ndarray:
    """The rotation (3, 3) whose third column is the unit vector ``axis``.

    Along a coordinate axis it is a signed permutation with exact entries; otherwise the shortest rotation from z, or from
    the flipped frame (x, -y, -z) if the axis points down.

    >>> rotation_to_axis(np.array([1.0, 0.0, 0.0]))[:, 2]
    array([1., 0., 0.])
    """
    along = np.flatnonzero(axis)
    if len(along) == 1:
        forward = np.array(_Z_TO[int(along[0])], dtype=float)
        return forward if axis[along[0]] > 0 else forward * np.array([1.0, -1.0, -1.0])
    x, y, z = (float(c) for c in axis)
    if z < 0:  # turn from -z, which keeps the denominator away from zero
        found: np.ndarray = rotation_to_axis(-axis) * np.array([1.0, -1.0, -1.0])
        return found
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])


def rotation_about(axis: Axis, angle: float) -> np.ndarray:
    """The rotation (3, 3) by ``angle`` (rad) about an axis; quarter turns about coordinate axes are exact.

    >>> rotation_about("z", math.pi / 2)[:, 0]
    array([0., 1., 0.])
    """
    x, y, z = unit_axis(axis, "The axis of a rotation")
    c, s = math.cos(angle), math.sin(angle)
    if abs(c) < 1e-15 or abs(s) < 1e-15:
        c, s = float(round(c)), float(round(s))
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    found: np.ndarray = np.eye(3) + s * skew + (1.0 - c) * (skew @ skew) + 0.0
    return found


def roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """The rotation (3, 3) ``Rz(yaw) @ Ry(pitch) @ Rx(roll)``, angles in rad, as in URDF."""
    found: np.ndarray = rotation_about("z", yaw) @ rotation_about("y", pitch) @ rotation_about("x", roll)
    return found


def roll_pitch_yaw_of(rotation: np.ndarray) -> np.ndarray:
    """The angles (..., 3), rad, of rotations (..., 3, 3) ``Rz(yaw) @ Ry(pitch) @ Rx(roll)``; pitch from -pi/2 to pi/2.

    Where the pitch is a right angle, yaw and roll turn about the same axis: the roll is then zero.

    >>> roll_pitch_yaw_of(roll_pitch_yaw(0.1, -0.2, 3.0)).round(12)
    array([ 0.1, -0.2,  3. ])
    """
    r = np.asarray(rotation, dtype=float)
    across = np.hypot(r[..., 0, 0], r[..., 1, 0])
    upright = across < 1e-9
    yaw = np.where(upright, np.arctan2(-r[..., 0, 1], r[..., 1, 1]), np.arctan2(r[..., 1, 0], r[..., 0, 0]))
    # The roll that is left when yaw is taken out: accurate also near the right angle.
    s, c = np.sin(yaw), np.cos(yaw)
    roll = np.arctan2(s * r[..., 0, 2] - c * r[..., 1, 2], c * r[..., 1, 1] - s * r[..., 0, 1])
    return np.stack([np.where(upright, 0.0, roll), np.arctan2(-r[..., 2, 0], across), yaw], axis=-1)


def rotation_of_quaternion(quaternion: Any) -> np.ndarray:
    """The rotations (..., 3, 3) of unit quaternions (..., 4), (w, x, y, z)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_of_rotation(rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion (w, x, y, z) of a rotation, w >= 0; the largest component is computed first (Shepperd 1978)."""
    r = rotation
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    wx, wy, wz = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    xy, xz, yz = r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]
    products = np.array([[0, wx, wy, wz], [wx, 0, xy, xz], [wy, xy, 0, yz], [wz, xz, yz, 0]])
    largest = int(np.argmax(squares))
    quaternion = products[largest].astype(float)
    quaternion[largest] = squares[largest]
    quaternion /= np.linalg.norm(quaternion)
    found: np.ndarray = -quaternion if quaternion[0] < 0 else quaternion
    return found


def rotation_from(turned: Any, what: str) -> np.ndarray:
    """A rotation (3, 3), read-only, from any of the ways to say it.

    ``None`` (not turned), a 3 x 3 matrix, a unit quaternion (w, x, y, z), or a pair (axis, angle in rad) such as ``("z", 0.3)``.
    """
    if turned is None:
        return read_only(np.eye(3))
    if hasattr(turned, "tolist"):
        turned = turned.tolist()
    if not hasattr(turned, "__len__"):
        raise DescriptionError(
            f"{what} is {turned!r}, but a rotation is a 3 x 3 matrix, a quaternion (w, x, y, z) or (axis, angle)."
        )
    if len(turned) == 2 and np.ndim(turned[1]) == 0:
        axis, angle = turned
        if not isinstance(angle, (int, float, np.number)) or not math.isfinite(angle):
            raise DescriptionError(f"{what} turns by {angle!r}, but the angle must be a finite number of radians.")
        return read_only(rotation_about(unit_axis(axis, f"{what}: its axis"), float(angle)))
    if len(turned) == 4 and np.ndim(turned[0]) == 0:
        quaternion = vector(turned, what, 4)
        if quaternion.dtype == object:
            return matrix(rotation_of_quaternion(quaternion), what)
        norm = float(np.linalg.norm(quaternion))
        if not abs(norm - 1.0) < 1e-6:
            raise DescriptionError(f"{what} is a quaternion of length {norm:.6g}, but its length must be 1.")
        return read_only(rotation_of_quaternion(quaternion / norm))
    if len(turned) == 3 and np.ndim(turned[0]) == 1:
        return matrix(turned, what)
    raise DescriptionError(f"{what} is {turned!r}, but a rotation is a 3 x 3 matrix, a quaternion (w, x, y, z) or (axis, angle).")


def pose_from(at: Any, turned: Any, what: str) -> Pose:
    """A pose from a position (or ``None`` for the origin) and a rotation (see :func:`rotation_from`)."""
    position = np.zeros(3) if at is None else vector(at, f"{what}: its position")
    return Pose(rotation_from(turned, f"{what}: its rotation"), position)
