"""Do the constraints and the imposed motions go together? Checked where a run begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.scratch import MISMATCH
from locodyn.world.rows import RESIDUAL

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_POSITION = 1e-9
_SPEED = 1e-7


def check_start(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """:class:`InputError` when a loop is not closed at the start, or when rows that are redundant contradict each other.

    ``problem.constraints.arrays`` holds the rows at (t, q, v), as :meth:`Problem.imposed_state` leaves them.
    """
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    gaps = np.abs(arrays.sides[:, RESIDUAL])
    if gaps.max(initial=0.0) > _POSITION:
        worst = int(np.argmax(gaps))
        raise InputError(
            f"the loop '{rows[worst].name.rsplit('.', 1)[0]}' cannot be closed at t = {t:g} s: {gaps[worst]:.3g} m or rad are"
            " left; give a start that is nearer to a closed one, or other lengths."
        )
    mismatch = float(arrays.status[MISMATCH])
    if abs(mismatch) > _SPEED * max(1.0, float(np.abs(v).max(initial=0.0))):
        raise InputError(incompatible(problem, t, mismatch))


def incompatible(problem: Problem, t: float, mismatch: float) -> str:
    """Which wheels fight, and by how much."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    rank = int(arrays.status[0])
    fighter = rows[int(arrays.culprit[0])].name
    others = [rows[int(arrays.active[arrays.order[j]])].name for j in range(rank)]
    return (
        f"the imposed motions do not go together at t = {t:g} s: '{fighter}' is missed by {mismatch:.3g} m/s (or rad/s) when"
        f" {', '.join(repr(name) for name in others)} hold; make joints dependent, or change their motion."
    )
