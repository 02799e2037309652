"""Do the constraints and the imposed motions go together? Checked where a run begins, and along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locodyn.errors import InputError
from locodyn.locomotion.rod_contacts import looking
from locodyn.locomotion.row_jacobian import rod_columns, row_jacobian, rows_at
from locodyn.locomotion.row_paths import along_paths
from locodyn.locomotion.row_solver import RANK_TOLERANCE, rank_of
from locodyn.locomotion.settled_states import settle_states
from locodyn.world.rows import CONTACT, GEAR, KINEMATIC, LOOP, SECTION, TANGENT

if TYPE_CHECKING:
    from locodyn.locomotion.constraint_rows import Row
    from locodyn.locomotion.problem import Problem

LATER = 1e-3  # s: what follows a start is looked at there
_ASIDE = 1e-3  # in units of the coordinates: how far a general configuration is from the given one
BLOW_UP = 50.0  # how many times faster than usual a free coordinate may get before a shape counts as singular


def check_start(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """:class:`InputError` when a loop is not closed at the start, or when rows that are redundant contradict each other.

    ``problem.constraints.arrays`` holds the rows at (t, q, v), as :meth:`Problem.imposed_state` leaves them.
    """
    sentence = contradiction(problem, t, q, v)
    if sentence is not None:
        raise InputError(sentence)
    arrays = problem.constraints.arrays
    sentence = _singular_loop(problem, t, q, v)
    if sentence is not None:
        raise InputError(sentence)
    if len(arrays.dependent) and not _determined(problem) and not _is_determined_later(problem, t, q, v):
        names = ", ".join(problem.model.compiled.coordinate_names[int(i)] for i in arrays.dependent)
        raise InputError(
            f"joints are dependent ({names}) but the wheels leave a direction free; dependent joints need a robot whose motion"
            " follows from its shape: add wheels, or make the joints passive."
        )


def _singular_loop(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> str | None:
    """A sentence about a loop in a singular position, unless the velocity or an imposed motion leads out of it; or None.

    Its rows have a lower rank at q than at the closed position to which Newton's method leads from one aside. That may be on
    another branch, as far from q as that one. Or there is none but those of the low rank: as their rows vanish in second order,
    Newton's method comes back to the root of its tolerance only, which tells. Ranks that a run has seen so far stay.
    """
    arrays, model = problem.constraints.arrays, problem.model
    if not any(problem.constraints.rows[int(m)].kind == LOOP for m in arrays.active) or not len(arrays.free):
        return None
    seen, order = (arrays.settled_rank, arrays.settled_holonomic_rank), arrays.settled_order.copy()
    try:
        aside = np.zeros(model.nv)
        aside[arrays.free] = _ASIDE * arrays.units * np.cos(1.0 + np.arange(len(arrays.free)))
        if _keeps_rank(problem, t, model.move(q, aside), v):
            return None
        general = _holonomic_rank(problem, t, model.move(q, aside), v)
        wanted, there = _loop_ranks(problem), arrays.jacobian[arrays.holonomic] * arrays.units
        if general <= seen[1] or _holonomic_rank(problem, t + LATER, model.move(q, LATER * v), v) >= general:
            return None
        branches = _matrix_rank(there, 0.01 * _ASIDE) > seen[1]
        problem.imposed_state(t, q, v)
        ranks = _loop_ranks(problem)
    finally:
        arrays.settled_rank, arrays.settled_holonomic_rank = seen
        arrays.settled_order[:] = order
        problem.imposed_state(t, q, v)
    loop = next((name for name in ranks if ranks[name] < wanted[name]), next(iter(ranks)))
    if branches:
        return (
            f"the loop '{loop}' is in a singular position at t = {t:g} s, from which more than one motion is open to it; start"
            " clear of it, or with a velocity along the motion that it should take."
        )
    return (
        f"the loop '{loop}' is shaky at t = {t:g} s: it gives way to first order where no motion follows, as a straight rod that"
        " bends but does not stretch between two pins; add the freedom that is missing (stretch), or leave out the one that is of"
        " no use."
    )


def _keeps_rank(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    """Whether many loops are known to have the settled rank at the closed configuration next to q: see ``factor_paths``."""
    arrays = problem.constraints.arrays
    if arrays.paths is None:
        return False
    with along_paths(arrays):
        problem.imposed_state(t, q, v)
    return bool(arrays.paths.used) and not (np.abs(arrays.residual) > arrays.position_limit).any()


def _holonomic_rank(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> int:
    """Rank of the rows of loops and contacts at the closed configuration next to q; 0 where none is found."""
    arrays = problem.constraints.arrays
    arrays.forget_rank()
    problem.imposed_state(t, q, v)
    if (np.abs(arrays.residual) > arrays.position_limit).any():
        return 0
    return _matrix_rank(arrays.jacobian[arrays.holonomic] * arrays.units)


def _loop_ranks(problem: Problem) -> dict[str, int]:
    """Rank of the rows of each loop for itself, at the state that :meth:`Problem.imposed_state` has just returned."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    groups: dict[str, list[int]] = {}
    for m in arrays.active:
        if rows[m].kind == LOOP:
            groups.setdefault(_loop_of(rows[m].name), []).append(int(m))
    return {name: _matrix_rank(arrays.jacobian[numbers] * arrays.units) for name, numbers in groups.items()}


def _matrix_rank(rows: np.ndarray, tolerance: float = RANK_TOLERANCE) -> int:
    return rank_of(np.linalg.svd(rows, compute_uv=False), tolerance)


def _determined(problem: Problem) -> bool:
    """Whether the rows determine all free coordinates that they feel, at the state looked at last."""
    return bool(problem.constraints.arrays.rank == problem.constraints.felt)


def _is_determined_later(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> bool:
    problem.imposed_state(t + LATER, q, v)
    return _determined(problem)


def contradiction(problem: Problem, t: float, q: np.ndarray, v: np.ndarray) -> str | None:
    """What is wrong at the state (q, v) that :meth:`Problem.imposed_state` has just returned, as a sentence, or None."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    gaps = np.abs(arrays.residual)
    if (gaps > arrays.position_limit).any():
        worst = int(np.argmax(gaps / arrays.position_limit))
        if rows[worst].kind in (CONTACT, TANGENT):
            name = rows[worst].name.rsplit(".", 1)[0]
            return (
                f"the contact '{name}' cannot reach its plane at t = {t:g} s: {gaps[worst]:.3g} m are left; give a start that is"
                " nearer to one that touches, or other lengths."
            )
        if rows[worst].kind == SECTION:
            return (
                f"the contact {section_words(problem, rows[worst].name)} cannot be held at t = {t:g} s: {gaps[worst]:.3g} m or"
                " rad are left; give a start at which the rod is where its obstacle is."
            )
        if rows[worst].kind == GEAR:
            return (
                f"the coupling '{rows[worst].name}' is not kept at t = {t:g} s: {gaps[worst]:.3g} are left; give its joints"
                " positions that obey it, or let one of them be found."
            )
        return (
            f"the loop '{rows[worst].name.rsplit('.', 1)[0]}' cannot be closed at t = {t:g} s: {gaps[worst]:.3g} m or rad are"
            " left; give a start that is nearer to a closed one, or other lengths."
        )
    limit = arrays.speed_tolerance * max(1.0, float(np.abs(v).max(initial=0.0)))
    mismatch = arrays.mismatch
    if abs(mismatch) > limit:
        return incompatible(problem, t, q, mismatch)
    missed = problem.row_speeds(q, v) - arrays.right_side
    missed[[m for m, row in enumerate(rows) if not row.flags & KINEMATIC]] = 0.0
    worst = int(np.argmax(np.abs(missed)))
    if abs(missed[worst]) > limit:
        return (
            f"the imposed motions do not go together at t = {t:g} s: '{rows[worst].name}' is missed by {missed[worst]:.3g} m/s"
            " (or rad/s) by the joints that follow from other wheels; change their motion."
        )
    return None


def incompatible(problem: Problem, t: float, q: np.ndarray, mismatch: float) -> str:
    """Which rows contradict each other, and by how much."""
    arrays, rows = problem.constraints.arrays, problem.constraints.rows
    rank = arrays.rank
    missed = rows[arrays.missed_row].name
    if rows[arrays.missed_row].kind == LOOP:
        cause = (
            "it is in a singular position (a dead centre), from which these joints cannot move it: start clear of it, or impose"
            " another joint."
            if _rank_nearby(problem, q) > rank
            else "more joints are imposed than it has freedoms: let joints be passive, or give them motions that close it."
        )
        return (
            f"the loop '{_loop_of(missed)}' cannot follow the imposed motions at t = {t:g} s ('{missed}' is missed by"
            f" {mismatch:.3g} m/s or rad/s); {cause}"
        )
    if rows[arrays.missed_row].kind == GEAR:
        return (
            f"the coupling '{missed}' cannot follow the imposed motions at t = {t:g} s (it is missed by {mismatch:.3g} m/s or"
            " rad/s): let one of its joints be passive, or give them motions that obey it."
        )
    others = [rows[int(arrays.active[arrays.factors.order[j]])].name for j in range(rank)]
    if rows[arrays.missed_row].kind == SECTION:
        return (
            f"the imposed motions and the contacts do not go together at t = {t:g} s: {section_words(problem, missed)} is missed"
            f" by {mismatch:.3g} m/s (or rad/s) when {', '.join(repr(name) for name in others)} hold; leave contacts out, or give"
            " the body a gait that suits them."
        )
    return (
        f"the imposed motions do not go together at t = {t:g} s: '{missed}' is missed by {mismatch:.3g} m/s (or rad/s) when"
        f" {', '.join(repr(name) for name in others)} hold; make joints dependent, or change their motion."
    )


def section_words(problem: Problem, row: str) -> str:
    """A row of a contact on a rod, and where it is: ``'ring.y' at s = 0.5 m of rod 'body'``."""
    arrays, name = problem.constraints.arrays.rod_contacts, row.rsplit(".", 1)[0]
    for c, one in enumerate(problem.model.compiled.rod_contacts):
        if one.contact.name == name:
            return f"'{row}' at s = {arrays.abscissa[c]:.4g} m of rod '{one.body}'"
    return f"'{row}'"


def _loop_of(row: str) -> str:
    return row.rsplit(".", 1)[0]


def _rank_nearby(problem: Problem, q: np.ndarray) -> int:
    """Rank of the active rows along the free coordinates at a general configuration near q, where loops need not be closed."""
    model, arrays = problem.model, problem.constraints.arrays
    work = problem.workspace
    near = model.move(q, 0.01 * np.cos(1.0 + np.arange(model.nv)))
    rows_at(problem.arrays, arrays, problem.inputs, near, np.zeros(model.nv), work)
    rod_columns(problem.arrays, arrays, near, work.poses)
    row_jacobian(problem.arrays, arrays, work.poses)
    return _matrix_rank(arrays.jacobian[arrays.active] * arrays.units)


def _weakest(problem: Problem, rank: int) -> Row:
    """The row with the largest share in the combination that is nearest to being lost, or lost, of ``rank`` independent ones.

    At the state that :meth:`Problem.imposed_state` has just returned.
    """
    arrays = problem.constraints.arrays
    combinations = np.linalg.svd(arrays.jacobian[arrays.active] * arrays.units)[0]
    return problem.constraints.rows[int(arrays.active[np.argmax(np.abs(combinations[:, rank - 1]))])]


def first_contradiction(problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[int, str] | None:
    """The first recorded state at which rows contradict each other, or near which the robot goes through a singular shape.

    Returns its number and a sentence, or None. A singular shape that can be crossed keeps velocities bounded and is no fault.
    """
    conditions = np.empty(len(times))
    found = _first_missed_row(problem, np.ascontiguousarray(times), np.ascontiguousarray(q), np.ascontiguousarray(v), conditions)
    free = problem.constraints.arrays.free
    singular = _blow_up(np.abs(v[:, free]).max(axis=1, initial=0.0), conditions)
    if singular is not None and (found is None or singular <= found[0]):
        problem.imposed_state(float(times[singular]), q[singular], v[singular])
        weakest, ratio = _weakest(problem, problem.constraints.arrays.settled_rank), f"{conditions[singular]:.1e}"
        if weakest.kind == LOOP:
            return singular, (
                f"the loop '{_loop_of(weakest.name)}' comes to a singular position (a dead centre) near"
                f" t = {times[singular]:g} s: there the imposed joints cannot move it (ratio of singular values {ratio}) and the"
                " others would need speeds without bound; impose another joint, or a motion that stays clear of it."
            )
        what = "the contacts" if weakest.kind == SECTION else "the wheels"
        return singular, (
            f"the motion goes through a singular shape near t = {times[singular]:g} s: there {what} leave a direction open"
            f" (ratio of singular values {ratio}) and ask for speeds without bound; choose another gait."
        )
    return found


def _first_missed_row(
    problem: Problem, times: np.ndarray, q: np.ndarray, v: np.ndarray, conditions: np.ndarray
) -> tuple[int, str] | None:
    """Number and sentence of the first state that contradicts the rows; all states are settled, which fills ``conditions``."""
    arrays, rows, count, found = problem.arrays, problem.arrays.rows, len(times), None
    scratch = np.zeros(v.shape[1]), np.zeros(q.shape[1]), np.zeros(v.shape[1])
    reads = 0 if problem.table.has_python else 1
    n = 0
    with looking(problem):
        while n < count:
            end = count if reads else n + 1
            if not reads:
                problem.read_inputs(float(times[n]), q[n], v[n])
            judges, parts = 1 if found is None else 0, (times[:end], q[:end], v[:end])
            stop = settle_states(arrays, rows, problem.inputs, reads, judges, *parts, n, problem.workspace, *scratch, conditions)
            if stop < end:
                sentence = contradiction(problem, float(times[stop]), scratch[1], scratch[2])
                found = None if sentence is None else (stop, sentence)
            n = min(stop + 1, end)
    return found


def _blow_up(speed: np.ndarray, conditions: np.ndarray) -> int | None:
    """Number of the first state that is much faster than usual where the rows are much nearer to losing rank than usual.

    States at which no row asks for anything (their condition is infinite) tell nothing of what rows ask for.
    """
    held = np.isfinite(conditions)
    usual, common = (float(np.median(x[held])) if held.any() else 0.0 for x in (speed, conditions))
    fast = np.flatnonzero(held & (speed > BLOW_UP * usual)) if usual > 0.0 else np.zeros(0, dtype=int)
    near = [int(n) for n in fast if conditions[max(0, n - 3) : n + 4].min() < common / BLOW_UP]
    return near[0] if near else None
