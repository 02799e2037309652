"""Do the constraints and the imposed motions go together? Checked where a run begins, and along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.scratch import CONDITION, MISMATCH, RANK
from locodyn.world.rows import RESIDUAL

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_POSITION = 1e-9
_SPEED = 1e-7
_BLOW_UP = 50.0  # how many times faster than usual a free coordinate may get before a shape counts as singular


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
    rank = int(arrays.status[RANK])
    fighter = rows[int(arrays.culprit[0])].name
    others = [rows[int(arrays.active[arrays.order[j]])].name for j in range(rank)]
    return (
        f"the imposed motions do not go together at t = {t:g} s: '{fighter}' is missed by {mismatch:.3g} m/s (or rad/s) when"
        f" {', '.join(repr(name) for name in others)} hold; make joints dependent, or change their motion."
    )


def first_contradiction(problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[int, str] | None:
    """The first recorded state at which rows contradict each other, or near which the robot goes through a singular shape.

    Returns its number and a sentence, or None. A singular shape that can be crossed keeps velocities bounded and is no fault.
    """
    arrays, found = problem.constraints.arrays, None
    conditions = np.empty(len(times))
    for n, t in enumerate(times):
        problem.imposed_state(float(t), q[n], v[n])
        conditions[n] = arrays.status[CONDITION]
        mismatch = float(arrays.status[MISMATCH])
        if found is None and abs(mismatch) > _SPEED * max(1.0, float(np.abs(v[n]).max())):
            found = n, incompatible(problem, float(t), mismatch)
    singular = _blow_up(times, np.abs(v[:, arrays.free]).max(axis=1, initial=0.0), conditions)
    if singular is not None and (found is None or singular <= found[0]):
        return singular, (
            f"the motion goes through a singular shape near t = {times[singular]:g} s: there the wheels leave a direction open"
            f" (ratio of singular values {conditions[singular]:.1e}) and ask for speeds without bound; choose another gait."
        )
    return found


def _blow_up(times: np.ndarray, speed: np.ndarray, conditions: np.ndarray) -> int | None:
    """Number of the first state that is much faster than usual where the rows are much nearer to losing rank than usual."""
    usual = float(np.median(speed))
    fast = np.flatnonzero(speed > _BLOW_UP * usual) if usual > 0.0 else np.zeros(0, dtype=int)
    near = [int(n) for n in fast if conditions[max(0, n - 3) : n + 4].min() < np.median(conditions) / _BLOW_UP]
    return near[0] if near else None
