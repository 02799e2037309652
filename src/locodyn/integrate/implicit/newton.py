"""Newton's method of implicit steps: one correction of all unknowns of a step with the matrix of
:mod:`locodyn.integrate.implicit.matrix`, and what it tells.
"""

from __future__ import annotations

from locodyn.integrate.implicit.damping import (
    NOT_FINITE,
    is_compared,
    is_nearer,
    keep_correction,
    settle_here,
    step_back,
    take_whole,
)
from locodyn.integrate.implicit.lanes import correct_in_lanes
from locodyn.integrate.implicit.memory import add_moved, take_states
from locodyn.integrate.implicit.sparse import solve_factored_block
from locodyn.kernel import compiled, sqrt
from locodyn.kernel.dense import fill
from locodyn.shape.configuration import step_rate
from locodyn.world.rows import HOLONOMIC

MOST_ITERATIONS, MOST_STEADY = 12, 20  # corrections in a step; as long as they contract by STEADY or better
ROUND_OFF = 1e-14  # of accelerations: no correction is smaller
STANDS = 1e-9  # of accelerations and forces: a correction that no longer falls
# What is asked for at least, and what is no longer improved where contraction is slow: nothing but where tables are kept single
# (locodyn.device.single), since a new matrix does not help against round-off.
LEAST_TOLERANCE, SLOWED = 0.0, -1.0
CLOSURE = 1e-10  # of positions on holonomic rows, in lengths of the robot
_AT_REST = 1e-3  # share of what the forces could do that counts as an acceleration
_UNRESOLVED = 4.0  # accelerations over the motion in a step, divided by its length squared, beyond which the motion counts
SLOW, STEADY = 0.4, 0.2  # contraction at which the matrix is made anew, at which corrections may go on


@compiled
def row_side(rows, scheme, j, position, speed):
    """By what the gap of active row j is divided: ``position`` or ``speed``, as the row is held by one or the other."""
    if rows is not None:
        m = rows.active[j]
        if scheme.times.shape[0] == 1 and rows.flags[m] & HOLONOMIC:
            return position
    return speed


@compiled(inline=True)
def solve_block(problem, scheme, h, tangent, stages, left, factors, sparse, block, pivots, scales, inverse, side, missed, rates):
    """Correction along one eigenvector of the scheme, real or complex: ``side`` (n + active,), scaled, and ``rates`` (nz,).

    ``left`` (1, stages): the residuals of all stages along it; ``factors``: its b0, b1, b2; ``sparse``, or ``block`` and
    ``pivots``: the factors of its matrix; ``inverse``: of the blocks of states; ``missed`` (nz,): scratch.
    """
    n = stages.unknown.shape[1]
    for i in range(side.shape[0]):
        side[i] = 0.0
        for k in range(left.shape[1]):
            side[i] -= left[0, k] * (stages.residual[k, i] if i < n else stages.gaps[k, i - n])
    for c in range(missed.shape[0]):
        missed[c] = 0.0
        for k in range(left.shape[1]):
            missed[c] -= left[0, k] * stages.memory_residual[k, c]
    take_states(problem, tangent, h * factors[1], inverse, missed, rates, side)
    for i in range(side.shape[0]):
        side[i] *= scales[i]
        if i >= n:
            side[i] /= row_side(problem.rows, scheme, i - n, h * h * factors[2], h * factors[1])
    solve_factored_block(sparse, block, pivots, side)
    add_moved(problem, tangent, factors, h, inverse, scales, side, rates)


@compiled(inline=True)
def add_block(times, right, scales, side, rates, newton):
    """Spread a correction of :func:`solve_block` over the stages by ``right`` (1, stages); ``times``: 2 for a complex pair."""
    n = newton.new.shape[1]
    for k in range(right.shape[1]):
        for c in range(rates.shape[0]):
            newton.new_of_memory[k, c] += times * (right[0, k] * rates[c]).real
        for i in range(n):
            newton.new[k, i] += times * (right[0, k] * side[i]).real * scales[i]
        for j in range(side.shape[0] - n):
            newton.new_of_rows[k, j] += times * (right[0, k] * side[n + j]).real * scales[n + j]


@compiled(inline=True)
def correct_unknowns(problem, scheme, h, scratch):
    """The corrections of accelerations and multipliers into ``newton.new`` and ``newton.new_of_rows``."""
    stages, newton, matrix, tangent = scratch.stages, scratch.newton, scratch.matrix, scratch.tangent
    if scratch.lanes.q.shape[0] > 0:
        correct_in_lanes(scheme, stages, matrix, scratch.lanes, newton.new)
        return
    fill(newton.new, 0.0)
    fill(newton.new_of_rows, 0.0)
    fill(newton.new_of_memory, 0.0)
    if scheme.real.shape[0] > 0:
        side, scales, rates = matrix.real_side, matrix.real_scales, matrix.real_rates
        solve_block(
            problem, scheme, h, tangent, stages, scheme.real_left, scheme.real[0], scratch.real, matrix.real,
            matrix.real_pivots, scales, matrix.real_memory, side, matrix.real_missed, rates,
        )  # fmt: skip
        add_block(1.0, scheme.real_right, scales, side, rates, newton)
    if scheme.pair.shape[0] > 0:
        pair, sizes, turns = matrix.pair_side, matrix.pair_scales, matrix.pair_rates
        solve_block(
            problem, scheme, h, tangent, stages, scheme.pair_left, scheme.pair[0], scratch.pair, matrix.pair,
            matrix.pair_pivots, sizes, matrix.pair_memory, pair, matrix.pair_missed, turns,
        )  # fmt: skip
        add_block(2.0, scheme.pair_right, sizes, pair, turns, newton)


@compiled(inline=True)
def acceleration_scale(problem, scheme, h, v, stages, matrix):
    """The size of the accelerations of a step from v, to which corrections are compared, in the norm of the mass matrix."""
    count = scheme.times.shape[0]
    mixed = problem.imposed.shape[0] > 0
    pushed = 0.0
    moved = 0.0
    speed = 0.0
    for i in range(v.shape[0]):
        if mixed and problem.imposed[i] != 0:
            continue
        weight = matrix.weight[i] * matrix.weight[i]
        speed += weight * v[i] * v[i]
        for k in range(count):
            pushed += weight * stages.unknown[k, i] * stages.unknown[k, i]
            x = stages.known_position[k, i]
            for j in range(count):
                x += h * h * scheme.positions[k, j] * stages.unknown[j, i]
            moved += weight * x * x
    # Where the step does not resolve the motion, it moves much less than speeds and accelerations say.
    return min(sqrt(pushed) + sqrt(speed) / h, _UNRESOLVED * sqrt(moved) / (h * h)) + _AT_REST * matrix.forces


@compiled(inline=True)
def correct(problem, scheme, h, tolerance, v, scratch):
    """One Newton correction of the unknowns from the residuals of all stages: 1 converged, 0 go on, -1 give up."""
    stages, newton, matrix = scratch.stages, scratch.newton, scratch.matrix
    collocates = scheme.remembers == 0 and scheme.split == 0
    correct_unknowns(problem, scheme, h, scratch)
    norm = take_whole(problem, stages, newton, matrix)
    scale = acceleration_scale(problem, scheme, h, v, stages, matrix)
    # On groups: what the positions of collocation stages have beyond sums of velocities, for the next round.
    if collocates and stages.curved != 0:
        norm += group_correction(problem, scheme, h, stages, matrix.weight)
    norm = sqrt(norm)
    newton.iteration += 1
    matrix.age += 1
    tolerance = max(tolerance, LEAST_TOLERANCE)
    if norm <= ROUND_OFF * scale or norm <= matrix.floor:
        newton.norm = norm
        return 1
    steady = newton.stride == 1.0 and norm <= STEADY * newton.norm
    most = MOST_STEADY if steady else MOST_ITERATIONS
    if newton.iteration >= most or (newton.stride == 0.0 and norm >= NOT_FINITE):
        return give_up(scratch)
    rate = 1.0
    if is_compared(norm, newton, matrix):
        if not is_nearer(norm, newton):
            # Round-off cannot be reduced: small, and no longer falling.
            if norm <= STANDS * (scale + matrix.forces):
                return 1
            if not step_back(problem, norm, stages, newton, matrix):
                return give_up(scratch)
            if collocates:
                group_correction(problem, scheme, h, stages, matrix.weight)
            return 0
        if newton.stride < 1.0:
            settle_here(problem, stages, newton, matrix)
            if collocates:
                group_correction(problem, scheme, h, stages, matrix.weight)
            return 0
        rate = norm / newton.norm
        if rate > SLOW and norm <= SLOWED * scale:
            return 1
        newton.eta = rate / (1.0 - rate)
        left = newton.eta * norm * rate * rate * rate * rate * rate  # after as many corrections as a matrix is worth
        if matrix.age > 1 and (rate > SLOW or left > tolerance * scale):
            if matrix.age <= newton.iteration:  # made within this step, and slow nevertheless
                matrix.exact = 1
            matrix.age = -1  # a new matrix at the next stage
    keep_correction(problem, stages, newton, matrix)
    newton.norm = norm
    if newton.stride < 1.0:
        if collocates:
            group_correction(problem, scheme, h, stages, matrix.weight)
        return 0
    left = newton.gap * rate  # of positions on holonomic rows, after this correction
    return 1 if newton.eta * norm <= tolerance * scale and left <= CLOSURE * newton.length else 0


@compiled
def give_up(scratch):
    """The step failed: next time with a new and exact matrix, and no extrapolation."""
    scratch.matrix.age = -1
    scratch.matrix.exact = 1
    scratch.newton.eta = 1.0
    scratch.history.last_step = min(scratch.history.last_step, 0.0)
    return -1


@compiled
def group_correction(problem, scheme, h, stages, weight):
    """h sum_j a_kj (T(U_j)^-1 V_j - V_j) into ``correction``; zero for coordinates that are plain numbers.

    Returns the square of its change, as an acceleration, in the norm of the mass matrix.
    """
    count = scheme.times.shape[0]
    n = stages.unknown.shape[1]
    change = 0.0
    for k in range(count):
        for i in range(n):
            x = stages.known_position[k, i] + stages.correction[k, i]
            for j in range(count):
                x += h * h * scheme.positions[k, j] * stages.unknown[j, i]
            stages.position[k, i] = x
            y = stages.known_velocity[k, i]
            for j in range(count):
                y += h * scheme.velocities[k, j] * stages.unknown[j, i]
            stages.velocity[k, i] = y
    for k in range(count):
        step_rate(problem.frames, stages.position[k], stages.velocity[k], stages.rate[k])
    for k in range(count):
        for i in range(n):
            total = 0.0
            for j in range(count):
                total += scheme.velocities[k, j] * (stages.rate[j, i] - stages.velocity[j, i])
            new = weight[i] * (h * total - stages.correction[k, i]) / (h * h)
            change += new * new
            stages.correction[k, i] = h * total
    return change
