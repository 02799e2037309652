"""Do the constraints and the imposed motions go together? Checked where a run begins, and along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.settled_states import POSITION_LIMIT, SPEED_LIMIT, settle_states
from locodyn.world.rows import CONTACT, KINEMATIC, RESIDUAL, SIDE, TANGENT

if TYPE_CHECKING:
    from locodyn.locomotion.problem import Problem

_BLOW_UP = 50.0  # how many times faster than usual a free coordinate may get before a shape counts as singular


def check_start(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """:class:`InputError` when a loop is not closed at the start, or when rows that are redundant contradict each other.

    ``problem.constraints.arrays`` holds the rows at (t, q, v), as :meth:`Problem.imposed_state` leaves them.
    """
    sentence = contradiction(problem, t, q, v)
    if sentence is not None:
        raise InputError(sentence)
    arrays = problem.constraints.arrays
    if len(arrays.dependent) and arrays.rank < len(arrays.free) and not _has_full_rank_later(problem, t, q, v):
        names = ", ".join(problem.model.compiled.coordinate_names[int(i)] for i in arrays.dependent)
        raise InputError(
            f"joints are dependent ({names}) but the wheels leave a direction free; dependent joints need a robot whose motion"
            " follows from its shape: add wheels, or make the joints passive."
        )


def _has_full_rank_later(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    problem.imposed_state(t + 1e-3, q, v)
    return bool(problem.constraints.arrays.rank == len(problem.constraints.arrays.free))


def contradiction(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> str | None:
    """What is wrong at the state (q, v) that :meth:`Problem.imposed_state` has just returned, as a sentence, or None."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    gaps = np.abs(arrays.sides[:, RESIDUAL])
    if gaps.max(initial=0.0) > POSITION_LIMIT:
        worst = int(np.argmax(gaps))
        if rows[worst].kind in (CONTACT, TANGENT):
            name = rows[worst].name.rsplit(".", 1)[0]
            return (
                f"the contact '{name}' cannot reach its plane at t = {t:g} s: {gaps[worst]:.3g} m are left; give a start that is"
                " nearer to one that touches, or other lengths."
            )
        return (
            f"the loop '{rows[worst].name.rsplit('.', 1)[0]}' cannot be closed at t = {t:g} s: {gaps[worst]:.3g} m or rad are"
            " left; give a start that is nearer to a closed one, or other lengths."
        )
    limit = SPEED_LIMIT * max(1.0, float(np.abs(v).max(initial=0.0)))
    mismatch = arrays.mismatch
    if abs(mismatch) > limit:
        return incompatible(problem, t, mismatch)
    missed = problem.row_speeds(q, v) - arrays.sides[:, SIDE]
    missed[[m for m, row in enumerate(rows) if not row.flags & KINEMATIC]] = 0.0
    worst = int(np.argmax(np.abs(missed)))
    if abs(missed[worst]) > limit:
        return (
            f"the imposed motions do not go together at t = {t:g} s: '{rows[worst].name}' is missed by {missed[worst]:.3g} m/s"
            " (or rad/s) by the joints that follow from other wheels; change their motion."
        )
    return None


def incompatible(problem: Problem, t: float, mismatch: float) -> str:
    """Which wheels fight, and by how much."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    rank = arrays.rank
    fighter = rows[arrays.missed_row].name
    others = [rows[int(arrays.active[arrays.factors.order[j]])].name for j in range(rank)]
    return (
        f"the imposed motions do not go together at t = {t:g} s: '{fighter}' is missed by {mismatch:.3g} m/s (or rad/s) when"
        f" {', '.join(repr(name) for name in others)} hold; make joints dependent, or change their motion."
    )


def first_contradiction(problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[int, str] | None:
    """The first recorded state at which rows contradict each other, or near which the robot goes through a singular shape.

    Returns its number and a sentence, or None. A singular shape that can be crossed keeps velocities bounded and is no fault.
    """
    conditions = np.empty(len(times))
    found = _first_missed_row(problem, np.ascontiguousarray(times), np.ascontiguousarray(q), np.ascontiguousarray(v), conditions)
    free = problem.constraints.arrays.free
    singular = _blow_up(times, np.abs(v[:, free]).max(axis=1, initial=0.0), conditions)
    if singular is not None and (found is None or singular <= found[0]):
        return singular, (
            f"the motion goes through a singular shape near t = {times[singular]:g} s: there the wheels leave a direction open"
            f" (ratio of singular values {conditions[singular]:.1e}) and ask for speeds without bound; choose another gait."
        )
    return found


def _first_missed_row(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, conditions: np.ndarray
) -> tuple[int, str] | None:
    """Number and sentence of the first state that contradicts the rows; all states are settled, which fills ``conditions``."""
    p, inputs, w, count, found = problem.arrays, problem.inputs, problem.workspace, len(times), None
    scratch = np.zeros(v.shape[1]), np.zeros(q.shape[1]), np.zeros(v.shape[1])
    reads = 0 if problem.table.has_python else 1
    n = 0
    while n < count:
        end = count if reads else n + 1
        if not reads:
            problem.read_inputs(float(times[n]), q[n], v[n])
        judges = 1 if found is None else 0
        parts = times[:end], q[:end], v[:end]
        stop = settle_states(p, p.constraints, inputs, reads, judges, *parts, n, w, *scratch, conditions)
        if stop < end:
            sentence = contradiction(problem, float(times[stop]), scratch[1], scratch[2])
            found = None if sentence is None else (stop, sentence)
        n = min(stop + 1, end)
    return found


def _blow_up(times: np.ndarray, speed: np.ndarray, conditions: np.ndarray) -> int | None:
    """Number of the first state that is much faster than usual where the rows are much nearer to losing rank than usual."""
    usual = float(np.median(speed))
    fast = np.flatnonzero(speed > _BLOW_UP * usual) if usual > 0.0 else np.zeros(0, dtype=int)
    near = [int(n) for n in fast if conditions[max(0, n - 3) : n + 4].min() < np.median(conditions) / _BLOW_UP]
    return near[0] if near else None
