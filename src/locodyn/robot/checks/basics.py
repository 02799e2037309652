"""Checks that the parts of a description share: names that differ, finite numbers, proper poses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from locodyn.errors import DescriptionError
from locodyn.robot.pose import Pose
from locodyn.robot.values import is_numeric

TIGHT = 1e-9  # relative: symmetry and definiteness of an inertia, which a computer evaluates
LOOSE = 1e-6  # relative: triangle inequality and rotations, which are often typed with few digits

HUGE = 1e40  # m l^2 is then 1e120, and its square still a number


def check_distinct(what: str, names: Iterable[Any], robot: str) -> None:
    """Every name is a text that is not empty, and no two are the same."""
    for name, count in Counter(names).items():
        if not isinstance(name, str) or not name:
            raise DescriptionError(f"Robot '{robot}' has a {what} named {name!r}: a name must be a text that is not empty.")
        if count > 1:
            plural = {"body": "bodies", "cable or spring": "cables or springs"}.get(what, what + "s")
            raise DescriptionError(f"Robot '{robot}' has {count} {plural} named '{name}': names must differ.")


def check_finite(value: Any, what: str) -> None:
    """No NaN, no infinity, and nothing whose products overflow."""
    if not is_numeric(value):
        return
    numbers = np.asarray(value, dtype=float)
    shown = value.tolist() if isinstance(value, np.ndarray) else value
    if not np.all(np.isfinite(numbers)):
        raise DescriptionError(f"{what} is {shown}, but it must be finite.")
    if np.any(np.abs(numbers) > HUGE):
        raise DescriptionError(f"{what} is {shown}, but it must be at most {HUGE:g} in SI units: its products overflow.")


def check_pose(pose: Pose, what: str) -> None:
    """A finite position and a proper rotation."""
    check_finite(pose.position, f"{what}: its position")
    check_finite(pose.rotation, f"{what}: its rotation")
    if is_numeric(pose.rotation):
        rotation = pose.rotation.astype(float)
        if np.max(np.abs(rotation.T @ rotation - np.eye(3))) > LOOSE:
            raise DescriptionError(f"{what}: its rotation is not orthonormal: the columns must be perpendicular unit vectors.")
        if np.linalg.det(rotation) < 0:
            raise DescriptionError(f"{what}: its rotation mirrors (determinant -1): the axes must be right-handed.")
