"""Newton corrections of implicit steps that do not bring the unknowns nearer: a new matrix, then shorter corrections.

A correction d of the unknowns x is good when the next one, with the same matrix, is smaller: with the share t of d taken,

    |d(x + t d)| <= (1 - t / 4) |d(x)|

(natural monotonicity test, Deuflhard 2004, 3.3). The norm is that of corrections, so that the scaling of the equations, and of
constraint rows among them, has no say. A whole correction that contracts costs nothing more. One that does not is first blamed
on the matrix, if that was made elsewhere or of a part of the terms only; then it is shortened to the share that a quadratic
model along d allows, and a new matrix is made where the test holds. The first attempt at a step gives up instead: another guess,
or fresh accelerations, are cheaper (:mod:`locodyn.integrate.implicit.run`).
"""

from __future__ import annotations

from locodyn.integrate.implicit.scratch import (
    AGE,
    ATTEMPT,
    ETA,
    EXACT,
    LAST,
    MADE_HERE,
    NEW,
    NEXT_STRIDE,
    NORM,
    STRIDE,
    WEIGHT,
)
from locodyn.kernel import routine, sqrt, step

NOT_FINITE = 1e150  # size of a correction that stands for none
_FAILING = 0.95  # contraction of whole corrections at which they are not trusted
_FAR = 2.0  # growth up to which the iteration goes on from where it is, with a new matrix
_LEAST_STRIDE = 0.125
_LEAST_FACTOR = 0.1
_GROWTH = 4.0


@step
def begin_search(attempt, s):
    """Nothing to compare with yet."""
    s.status[ATTEMPT] = attempt
    s.status[STRIDE] = 0.0
    s.status[NEXT_STRIDE] = 1.0
    s.status[MADE_HERE] = 0.0


@step
def move_multipliers(constraints, which, share, s):
    """Those of the rows, where there are rows."""
    if constraints is not None:
        active = constraints.active
        for k in range(s.unknown.shape[0]):
            for j in range(active.shape[0]):
                s.multipliers[k, active[j]] += share * s.row_turns[which, k, j]


@step
def move(p, which, share, s):
    """Unknowns += share times the correction ``which``, LAST or NEW."""
    for k in range(s.unknown.shape[0]):
        for i in range(s.unknown.shape[1]):
            s.unknown[k, i] += share * s.turns[which, k, i]
    move_multipliers(p.constraints, which, share, s)


@step
def take_whole(p, s):
    """Add the new correction to the unknowns; one that is not finite becomes zero. Returns its square, or that of NOT_FINITE."""
    total = 0.0
    for k in range(s.unknown.shape[0]):
        for i in range(s.unknown.shape[1]):
            total += (s.vectors[WEIGHT, i] * s.turns[NEW, k, i]) ** 2
        for j in range(s.row_turns.shape[2]):
            total += 0.0 * s.row_turns[NEW, k, j]
    if not total < NOT_FINITE * NOT_FINITE:
        for k in range(s.unknown.shape[0]):
            for i in range(s.unknown.shape[1]):
                s.turns[NEW, k, i] = 0.0
            for j in range(s.row_turns.shape[2]):
                s.row_turns[NEW, k, j] = 0.0
        return NOT_FINITE * NOT_FINITE
    move(p, NEW, 1.0, s)
    return total


@step
def is_compared(norm, s):
    """Whether there is a correction before; not where a new matrix was made since and the new correction is not much larger."""
    if s.status[AGE] == 1.0 and norm <= _FAR * s.status[NORM] and not is_nearer(norm, s):
        s.status[STRIDE] = 0.0
        s.status[ETA] = 1.0
    return s.status[STRIDE] > 0.0


@step
def is_nearer(norm, s):
    """Whether the share of the last correction that was taken passes the test; ``norm`` is that of the new correction."""
    stride = s.status[STRIDE]
    return norm <= (_FAILING if stride == 1.0 else 1.0 - 0.25 * stride) * s.status[NORM]


@step
def keep_turn(p, s):
    """The new correction becomes the last one; all of it was taken, and what is too much of it is taken back."""
    if s.status[STRIDE] == 0.0:
        s.status[STRIDE] = s.status[NEXT_STRIDE]
        s.status[NEXT_STRIDE] = 1.0
    s.status[MADE_HERE] = 1.0 if s.status[AGE] == 1.0 else 0.0
    for k in range(s.unknown.shape[0]):
        for i in range(s.unknown.shape[1]):
            s.turns[LAST, k, i] = s.turns[NEW, k, i]
        for j in range(s.row_turns.shape[2]):
            s.row_turns[LAST, k, j] = s.row_turns[NEW, k, j]
    if s.status[STRIDE] < 1.0:
        move(p, LAST, s.status[STRIDE] - 1.0, s)


@routine
def settle_here(p, s):
    """A share of a correction passed the test: the new correction is taken back, and made again with a matrix from here."""
    move(p, NEW, -1.0, s)
    s.status[NEXT_STRIDE] = min(1.0, _GROWTH * s.status[STRIDE])
    s.status[STRIDE] = 0.0
    s.status[AGE] = -1.0


@routine
def step_back(p, norm, s):
    """After a failed test: where to go on, or False. ``norm``: of the new correction, which is taken back."""
    stride = s.status[STRIDE]
    move(p, NEW, -1.0, s)
    if s.status[MADE_HERE] == 0.0 or s.status[EXACT] == 0.0:
        if not norm <= _FAR * s.status[NORM]:
            move(p, LAST, -stride, s)
        s.status[AGE] = -1.0
        s.status[EXACT] = 1.0
        s.status[ETA] = 1.0
        s.status[STRIDE] = 0.0
        return True
    if s.status[ATTEMPT] == 0.0:
        return False
    factor = 0.25
    if norm < NOT_FINITE:
        bend = 0.0
        for k in range(s.unknown.shape[0]):
            for i in range(s.unknown.shape[1]):
                bend += (s.vectors[WEIGHT, i] * (s.turns[NEW, k, i] - (1.0 - stride) * s.turns[LAST, k, i])) ** 2
        factor = max(_LEAST_FACTOR, min(0.5, 0.5 * stride * s.status[NORM] / max(sqrt(bend), 1e-300)))
    if factor * stride < _LEAST_STRIDE:
        return False
    move(p, LAST, (factor - 1.0) * stride, s)
    s.status[STRIDE] = factor * stride
    return True
