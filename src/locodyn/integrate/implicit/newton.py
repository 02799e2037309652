"""Newton's method of implicit steps: one correction of all unknowns of a step with the matrix of
:mod:`locodyn.integrate.implicit.matrix`, and what it tells.
"""

from __future__ import annotations

from locodyn.integrate.implicit.damping import NOT_FINITE, is_compared, is_nearer, keep_turn, settle_here, step_back, take_whole
from locodyn.integrate.implicit.lanes import correct_in_lanes
from locodyn.integrate.implicit.scratch import (
    AGE,
    CURVED,
    ETA,
    EXACT,
    FLOOR,
    FORCES,
    GAP,
    ITERATION,
    LAST_STEP,
    LENGTH,
    NEW,
    NORM,
    PAIR_SCALE,
    REAL_SCALE,
    RIGHT,
    STRIDE,
    WEIGHT,
)
from locodyn.kernel import kernel, sqrt, step
from locodyn.kernel.dense import lu_solve
from locodyn.shape.configuration import step_rate
from locodyn.world.rows import FLAGS, HOLONOMIC

MOST_ITERATIONS, MOST_STEADY = 12, 20  # corrections in a step; as long as they contract by STEADY or better
CLOSURE = 1e-10  # of positions on holonomic rows, in lengths of the robot
_AT_REST = 1e-3  # share of what the forces could do that counts as an acceleration
_UNRESOLVED = 4.0  # accelerations over the motion in a step, divided by its length squared, beyond which the motion counts
SLOW, STEADY = 0.4, 0.2  # contraction at which the matrix is made anew, at which corrections may go on


@kernel
def row_side(constraints, c, j, position, speed):
    """By what the gap of active row j is divided: ``position`` or ``speed``, as the row is held by one or the other."""
    if constraints is not None:
        m = constraints.active[j]
        if c.times.shape[0] == 1 and constraints.table[m, FLAGS] & HOLONOMIC:
            return position
    return speed


@step
def correct_unknowns(p, c, h, n, s):
    """The corrections of accelerations and multipliers into ``turns[NEW]`` and ``row_turns[NEW]``."""
    if s.lanes.shape[1] > 0:
        correct_in_lanes(c, n, s)
        return
    stages = c.times.shape[0]
    rows = s.chosen.shape[0]
    turn = s.turns[NEW]
    row_turn = s.row_turns[NEW]
    for k in range(stages):
        for i in range(n):
            turn[k, i] = 0.0
        for j in range(rows):
            row_turn[k, j] = 0.0
    if c.real.shape[0] > 0:
        right = s.long_vectors[RIGHT]
        scales = s.long_vectors[REAL_SCALE]
        for i in range(n + rows):
            right[i] = 0.0
            for k in range(stages):
                right[i] -= c.real_left[0, k] * (s.residual[k, i] if i < n else s.gaps[k, i - n])
            right[i] *= scales[i]
            if i >= n:
                right[i] /= row_side(p.constraints, c, i - n, h * h * c.real[0, 2], h * c.real[0, 1])
        lu_solve(s.real_matrix, s.real_pivots, right)
        for k in range(stages):
            for i in range(n):
                turn[k, i] += c.real_right[0, k] * right[i] * scales[i]
            for j in range(rows):
                row_turn[k, j] += c.real_right[0, k] * right[n + j] * scales[n + j]
    if c.pair.shape[0] > 0:
        pair = s.pair_vector
        scales = s.long_vectors[PAIR_SCALE]
        for i in range(n + rows):
            pair[i] = 0.0
            for k in range(stages):
                pair[i] -= c.pair_left[0, k] * (s.residual[k, i] if i < n else s.gaps[k, i - n])
            pair[i] *= scales[i]
            if i >= n:
                pair[i] /= h * c.pair[0, 1]
        lu_solve(s.pair_matrix, s.pair_pivots, pair)
        for k in range(stages):
            for i in range(n):
                turn[k, i] += 2.0 * (c.pair_right[0, k] * pair[i]).real * scales[i]
            for j in range(rows):
                row_turn[k, j] += 2.0 * (c.pair_right[0, k] * pair[n + j]).real * scales[n + j]


@step
def correct(p, c, h, tolerance, v, s):
    """One Newton correction of the unknowns from the residuals of all stages: 1 converged, 0 go on, -1 give up."""
    n = v.shape[0]
    stages = c.times.shape[0]
    mixed = p.imposed.shape[0] > 0
    correct_unknowns(p, c, h, n, s)
    norm = take_whole(p, s)
    pushed = 0.0
    moved = 0.0
    speed = 0.0
    for i in range(n):
        if mixed and p.imposed[i] != 0:
            continue
        weight = s.vectors[WEIGHT, i] * s.vectors[WEIGHT, i]
        speed += weight * v[i] * v[i]
        for k in range(stages):
            pushed += weight * s.unknown[k, i] * s.unknown[k, i]
            x = s.known[3 * k, i]
            for j in range(stages):
                x += h * h * c.positions[k, j] * s.unknown[j, i]
            moved += weight * x * x
    # On groups: what the positions of collocation stages have beyond sums of velocities, for the next round.
    if c.alpha.shape[0] == 0 and s.status[CURVED] != 0.0:
        norm += group_correction(p, c, h, n, stages, s)
    norm = sqrt(norm)
    # Where the step does not resolve the motion, it moves much less than speeds and accelerations say.
    scale = min(sqrt(pushed) + sqrt(speed) / h, _UNRESOLVED * sqrt(moved) / (h * h)) + _AT_REST * s.status[FORCES]
    s.status[ITERATION] += 1.0
    s.status[AGE] += 1.0
    if norm <= 1e-14 * scale or norm <= s.status[FLOOR]:
        s.status[NORM] = norm
        return 1
    steady = s.status[STRIDE] == 1.0 and norm <= STEADY * s.status[NORM]
    most = MOST_STEADY if steady else MOST_ITERATIONS
    if s.status[ITERATION] >= most or (s.status[STRIDE] == 0.0 and norm >= NOT_FINITE):
        return give_up(s)
    rate = 1.0
    if is_compared(norm, s):
        if not is_nearer(norm, s):
            # Round-off cannot be reduced: small, and no longer falling.
            if norm <= 1e-9 * (scale + s.status[FORCES]):
                return 1
            if not step_back(p, norm, s):
                return give_up(s)
            if c.alpha.shape[0] == 0:
                group_correction(p, c, h, n, stages, s)
            return 0
        if s.status[STRIDE] < 1.0:
            settle_here(p, s)
            if c.alpha.shape[0] == 0:
                group_correction(p, c, h, n, stages, s)
            return 0
        rate = norm / s.status[NORM]
        s.status[ETA] = rate / (1.0 - rate)
        left = s.status[ETA] * norm * rate * rate * rate * rate * rate  # after as many corrections as a matrix is worth
        if s.status[AGE] > 1.0 and (rate > SLOW or left > tolerance * scale):
            if s.status[AGE] <= s.status[ITERATION]:  # made within this step, and slow nevertheless
                s.status[EXACT] = 1.0
            s.status[AGE] = -1.0  # a new matrix at the next stage
    keep_turn(p, s)
    s.status[NORM] = norm
    if s.status[STRIDE] < 1.0:
        if c.alpha.shape[0] == 0:
            group_correction(p, c, h, n, stages, s)
        return 0
    left = s.status[GAP] * rate  # of positions on holonomic rows, after this correction
    return 1 if s.status[ETA] * norm <= tolerance * scale and left <= CLOSURE * s.status[LENGTH] else 0


@kernel
def give_up(s):
    """The step failed: next time with a new and exact matrix, and no extrapolation."""
    s.status[AGE] = -1.0
    s.status[EXACT] = 1.0
    s.status[ETA] = 1.0
    s.status[LAST_STEP] = min(s.status[LAST_STEP], 0.0)
    return -1


@kernel
def group_correction(p, c, h, n, stages, s):
    """h sum_j a_kj (T(U_j)^-1 V_j - V_j) into ``correction``; zero for coordinates that are plain numbers.

    Returns the square of its change, as an acceleration, in the norm of the mass matrix.
    """
    change = 0.0
    for k in range(stages):
        for i in range(n):
            x = s.known[3 * k, i] + s.correction[k, i]
            for j in range(stages):
                x += h * h * c.positions[k, j] * s.unknown[j, i]
            s.residual[k, i] = x
            y = s.known[3 * k + 1, i]
            for j in range(stages):
                y += h * c.velocities[k, j] * s.unknown[j, i]
            s.velocity[k, i] = y
    for k in range(stages):
        step_rate(p.frames, s.residual[k], s.velocity[k], s.position[k])
    for k in range(stages):
        for i in range(n):
            total = 0.0
            for j in range(stages):
                total += c.velocities[k, j] * (s.position[j, i] - s.velocity[j, i])
            new = s.vectors[WEIGHT, i] * (h * total - s.correction[k, i]) / (h * h)
            change += new * new
            s.correction[k, i] = h * total
    return change
