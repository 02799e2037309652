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

from locodyn.kernel import compiled, sqrt

NOT_FINITE = 1e150  # size of a correction that stands for none
_FAILING = 0.95  # contraction of whole corrections at which they are not trusted
_FAR = 2.0  # growth up to which the iteration goes on from where it is, with a new matrix
_LEAST_STRIDE = 0.125
_LEAST_FACTOR = 0.1
_GROWTH = 4.0


@compiled(inline=True)
def begin_search(attempt, newton):
    """Nothing to compare with yet."""
    newton.attempt = attempt
    newton.stride = 0.0
    newton.next_stride = 1.0
    newton.made_here = 0


@compiled
def to_four_fifths(x):
    """x^0.8 for x >= 1e-15, by square roots and then Newton's method on y^5 = x^4: no device has a power that rounds otherwise.

    The digits of 0.8 are 0.110011001... in binary: the first nine give y to 4 %.
    """
    if not x < 1e60:
        return x
    root = sqrt(x)  # x^(1/2)
    y = root
    root = sqrt(root)  # x^(1/4)
    y *= root
    root = sqrt(sqrt(sqrt(root)))  # x^(1/32)
    y *= root
    root = sqrt(root)  # x^(1/64)
    y *= root
    root = sqrt(sqrt(sqrt(root)))  # x^(1/512)
    y *= root
    for _ in range(4):
        fifth = x / y
        fifth *= fifth
        y += 0.2 * (fifth * fifth - y)
    return y


@compiled(inline=True)
def move_multipliers(rows, stages, correction, share):
    """Those of the rows, where there are rows."""
    if rows is not None:
        active = rows.active
        for k in range(stages.unknown.shape[0]):
            for j in range(active.shape[0]):
                stages.multipliers[k, active[j]] += share * correction[k, j]


@compiled(inline=True)
def move(problem, stages, correction, correction_of_rows, correction_of_memory, share):
    """Unknowns += share times a correction."""
    for k in range(stages.unknown.shape[0]):
        for i in range(stages.unknown.shape[1]):
            stages.unknown[k, i] += share * correction[k, i]
        for c in range(stages.memory.shape[1]):
            stages.memory[k, c] += share * correction_of_memory[k, c]
    move_multipliers(problem.rows, stages, correction_of_rows, share)


@compiled(inline=True)
def take_whole(problem, stages, newton, matrix):
    """Add the new correction to the unknowns; one that is not finite becomes zero. Returns its square, or that of NOT_FINITE."""
    total = 0.0
    for k in range(stages.unknown.shape[0]):
        for i in range(stages.unknown.shape[1]):
            total += (matrix.weight[i] * newton.new[k, i]) ** 2
        for c in range(stages.memory.shape[1]):
            total += (matrix.memory_weight[c] * newton.new_of_memory[k, c]) ** 2 + 0.0 * newton.new_of_memory[k, c]
        for j in range(newton.new_of_rows.shape[1]):
            total += 0.0 * newton.new_of_rows[k, j]
    if not total < NOT_FINITE * NOT_FINITE:
        for k in range(stages.unknown.shape[0]):
            for i in range(stages.unknown.shape[1]):
                newton.new[k, i] = 0.0
            for j in range(newton.new_of_rows.shape[1]):
                newton.new_of_rows[k, j] = 0.0
            for c in range(stages.memory.shape[1]):
                newton.new_of_memory[k, c] = 0.0
        return NOT_FINITE * NOT_FINITE
    move(problem, stages, newton.new, newton.new_of_rows, newton.new_of_memory, 1.0)
    return total


@compiled(inline=True)
def is_compared(norm, newton, matrix):
    """Whether there is a correction before; not where a new matrix was made since and the new correction is not much larger."""
    if matrix.age == 1 and norm <= _FAR * newton.norm and not is_nearer(norm, newton):
        newton.stride = 0.0
        newton.eta = 1.0
    return newton.stride > 0.0


@compiled(inline=True)
def is_nearer(norm, newton):
    """Whether the share of the last correction that was taken passes the test; ``norm`` is that of the new correction."""
    stride = newton.stride
    return norm <= (_FAILING if stride == 1.0 else 1.0 - 0.25 * stride) * newton.norm


@compiled(inline=True)
def keep_correction(problem, stages, newton, matrix):
    """The new correction becomes the last one; all of it was taken, and what is too much of it is taken back."""
    if newton.stride == 0.0:
        newton.stride = newton.next_stride
        newton.next_stride = 1.0
    newton.made_here = 1 if matrix.age == 1 else 0
    for k in range(stages.unknown.shape[0]):
        for i in range(stages.unknown.shape[1]):
            newton.last[k, i] = newton.new[k, i]
        for j in range(newton.new_of_rows.shape[1]):
            newton.last_of_rows[k, j] = newton.new_of_rows[k, j]
        for c in range(stages.memory.shape[1]):
            newton.last_of_memory[k, c] = newton.new_of_memory[k, c]
    if newton.stride < 1.0:
        move(problem, stages, newton.last, newton.last_of_rows, newton.last_of_memory, newton.stride - 1.0)


@compiled(late=())
def settle_here(problem, stages, newton, matrix):
    """A share of a correction passed the test: the new correction is taken back, and made again with a matrix from here."""
    move(problem, stages, newton.new, newton.new_of_rows, newton.new_of_memory, -1.0)
    newton.next_stride = min(1.0, _GROWTH * newton.stride)
    newton.stride = 0.0
    matrix.age = -1


@compiled(called=True)
def step_back(problem, norm, stages, newton, matrix):
    """After a failed test: where to go on, or False. ``norm``: of the new correction, which is taken back."""
    stride = newton.stride
    move(problem, stages, newton.new, newton.new_of_rows, newton.new_of_memory, -1.0)
    if newton.made_here == 0 or matrix.exact == 0:
        if not norm <= _FAR * newton.norm:
            move(problem, stages, newton.last, newton.last_of_rows, newton.last_of_memory, -stride)
        matrix.age = -1
        matrix.exact = 1
        newton.eta = 1.0
        newton.stride = 0.0
        return True
    if newton.attempt == 0:
        return False
    factor = 0.25
    if norm < NOT_FINITE:
        bend = 0.0
        for k in range(stages.unknown.shape[0]):
            for i in range(stages.unknown.shape[1]):
                bend += (matrix.weight[i] * (newton.new[k, i] - (1.0 - stride) * newton.last[k, i])) ** 2
        factor = max(_LEAST_FACTOR, min(0.5, 0.5 * stride * newton.norm / max(sqrt(bend), 1e-300)))
    if factor * stride < _LEAST_STRIDE:
        return False
    move(problem, stages, newton.last, newton.last_of_rows, newton.last_of_memory, (factor - 1.0) * stride)
    newton.stride = factor * stride
    return True
