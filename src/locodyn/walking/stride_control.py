"""Gains of the feedback from step to step, by the linear-quadratic regulator of the Poincare map.

Phase i of a gait takes a small change x of the state where it begins, and a shift b of its outputs, to

    x' = A_i x + B_i b,     b = -K_i x,

with exact derivatives (:mod:`locodyn.phases.variation`). The gains make the sum of x Q x + b R b over all steps smallest; for
phases that follow each other in a circle they come from the periodic Riccati equation (Bittanti, Laub, Willems 1991), solved
backward until it repeats:

    K = (R + B^T P' B)^-1 B^T P' A,     P = Q + A^T P' (A - B K).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locodyn.controllers.output_control import OutputLinearisation
from locodyn.controllers.stride_feedback import StrideFeedback
from locodyn.errors import RunError
from locodyn.motion.base import positive
from locodyn.phases.poincare import Orbit, PoincareMap
from locodyn.phases.variation import open_matrices, scales
from locodyn.walking.phase_path import PhasePath

if TYPE_CHECKING:
    from locodyn.sim import Scenario

_ROUNDS, _CLOSE = 2000, 1e-10  # of the Riccati equation; change of the gains that counts as none


def stride_feedback(step: PoincareMap, orbit: Orbit, effort: float = 1.0) -> dict[str, StrideFeedback]:
    """Feedback of each phase of a stride that makes its gait stable.

    Parameters
    ----------
    step : PoincareMap
        Of the robot with its followers, without feedback.
    orbit : Orbit
        The gait, stable or not.
    effort : number
        What a shift of 1 rad costs over a state that is 1 rad off, or its pace.
    """
    positive(effort, "the cost of a shift")
    hybrid, stride = step.hybrid, orbit.stride
    n, turn = step.model.nv, np.eye(2 * step.model.nv)
    if stride.mirrored:
        positions, velocities = hybrid.mirror_matrices
        turn[:n, :n], turn[n:, n:] = positions, velocities
    clean = step.up_to_shifts(orbit.q)
    parts = [open_matrices(hybrid, way, change) for way, change in zip(stride.passages, stride.changes, strict=True)]
    parts[-1] = turn @ parts[-1][0], turn @ parts[-1][1]
    parts = [(clean @ a @ clean, clean @ b) for a, b in parts]
    weight = np.diag(scales(hybrid, orbit.v) ** -2.0)
    gains = periodic_gains(parts, weight, effort)
    return {
        way.phase: StrideFeedback(gain @ clean, way.q.copy(), way.v.copy())
        for way, gain in zip(stride.passages, gains, strict=True)
    }


def found_feedback(
    scenario: Scenario, q: np.ndarray, v: np.ndarray, effort: float = 1.0
) -> tuple[Orbit, dict[str, StrideFeedback]]:
    """The gait of a scenario near the state (q, v), stable or not, and the feedback that makes it stable."""
    step = PoincareMap(scenario, tolerance=1e-9)
    orbit = step.fixed_point(q, v, tolerance=1e-7)
    return orbit, stride_feedback(step, orbit, effort)


def periodic_gains(parts: list[tuple[np.ndarray, np.ndarray]], weight: np.ndarray, effort: float) -> list[np.ndarray]:
    """K of each phase (m, n) from its (A (n, n), B (n, m)), with the ``weight`` Q (n, n) and R = ``effort`` 1."""
    value = weight.copy()
    gains = [np.zeros(b.T.shape) for _, b in parts]
    for _ in range(_ROUNDS):
        change = 0.0
        for i, (a, b) in reversed(list(enumerate(parts))):
            gain = np.linalg.solve(effort * np.eye(b.shape[1]) + b.T @ value @ b, b.T @ value @ a)
            value = weight + a.T @ value @ (a - b @ gain)
            value = 0.5 * (value + value.T)
            change, gains[i] = max(change, float(np.abs(gain - gains[i]).max(initial=0.0))), gain
        if change <= _CLOSE * max(1.0, max(float(np.abs(gain).max(initial=0.0)) for gain in gains)):
            return gains
    raise RunError("no feedback from step to step was found: shifts of the outputs do not reach what is unstable about the gait.")


def add_feedback(
    path: PhasePath, control: Mapping[str, OutputLinearisation], feedback: Mapping[str, StrideFeedback]
) -> Mapping[str, OutputLinearisation]:
    """Give the controllers of a stride, and those of the mirror images of its phases, their feedback."""
    for leg, image in zip(path.legs, path.images(), strict=True):
        control[leg.phase].feedback = feedback[leg.phase]
        if image is not None:
            control[image].feedback = feedback[leg.phase].mirrored(*path.hybrid.mirror_matrices)
    return control


def save_feedback(file: str | Path, made_by: str, feedback: Mapping[str, StrideFeedback]) -> Path:
    """Write gains and states as JSON, with the command that made them."""
    plain = {name: {key: getattr(one, key).tolist() for key in ("gain", "q", "v")} for name, one in feedback.items()}
    path = Path(file)
    path.write_text(json.dumps({"made_by": made_by, "phases": plain}, indent=1) + "\n", encoding="utf-8")
    return path


def load_feedback(file: str | Path) -> dict[str, StrideFeedback]:
    """Read what :func:`save_feedback` wrote."""
    plain = json.loads(Path(file).read_text(encoding="utf-8"))["phases"]
    return {name: StrideFeedback(**{key: np.array(value) for key, value in one.items()}) for name, one in plain.items()}
