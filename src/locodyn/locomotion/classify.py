"""What kind of locomotion problem this is, in words (Ali 2011, Table 3.1, for robots without ideal contacts)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.locomotion.arrays import IMPOSED, TORQUE
from locodyn.robot.layout import FIXED, FREE, OFFSET_ROTATION, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, TRANSLATION

if TYPE_CHECKING:
    from locodyn.dynamics.model import Model
    from locodyn.locomotion.problem import Problem

GROUPS = {FREE: "SE(3)", PLANAR: "SE(2)", SPHERICAL: "SO(3)", TRANSLATION: "R^3", PRISMATIC: "R", REVOLUTE: "S^1"}


def classify(problem: Problem) -> str:
    """One sentence: manipulator, or free with or without symmetry, and how the coordinates are driven."""
    model = problem.model
    n = model.compiled.reference_nv
    shape = problem.drive[n:]
    counts = [(int(np.sum(shape == IMPOSED)), "imposed"), (int(np.sum(shape == TORQUE)), "torque-driven")]
    counts.append((len(shape) - counts[0][0] - counts[1][0], "passive"))
    drive = ", ".join(f"{number} {word}" for number, word in counts if number) or "none"
    if model.compiled.base_code == FIXED:
        return f"manipulator: reference body fixed; shape coordinates: {drive}"
    group = GROUPS[model.compiled.base_code]
    if np.all(problem.drive[:n] == IMPOSED):
        return f"manipulator on a moving base: motion of the reference body on {group} imposed; shape coordinates: {drive}"
    outside = len(problem.wrench_table.wrenches) > 0
    weight = _feels_gravity(model)
    if outside or weight:
        causes = " and ".join(word for word, true in (("gravity", weight), ("wrench laws", outside)) if true)
        return f"unconstrained with external forces ({causes}): {n} free directions on {group}; shape coordinates: {drive}"
    return f"unconstrained with symmetry: {n} free directions on {group}, momentum conserved; shape coordinates: {drive}"


def _feels_gravity(model: Model) -> bool:
    """Gravity acts along a direction in which the reference body can move."""
    rotation = model.constants[0, OFFSET_ROTATION : OFFSET_ROTATION + 9].reshape(3, 3)
    pull = np.abs(rotation.T @ model.gravity) > 1e-12 * (1.0 + np.abs(model.gravity).max())
    if model.compiled.base_code == PLANAR:
        return bool(pull[:2].any())
    if model.compiled.base_code == PRISMATIC:
        return bool(pull[2])
    return bool(pull.any())
