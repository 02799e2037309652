"""How long the next part of an implicit step is: by the number of corrections, or by an estimate of the error.

The error of the velocity at the end of a step of Radau IIA is the difference to an embedded formula of order 3 that has the
acceleration at the beginning as one more stage (Hairer and Wanner 1996, IV.8),

    (1 - h g D) e = g h f(y_n) + sum_k E_k Z_k,     Z_k = Y_k - y_n,

g the real eigenvalue, D the Jacobian of y = (q, v): one more solution with the real block of Newton's matrix, which takes away
the stiff parts that the method damps. It is measured in the norm of the mass matrix, relative to the largest speed so far.
"""

from __future__ import annotations

from locodyn.integrate.implicit.memory import take_states
from locodyn.integrate.implicit.sparse import error_of_slopes, is_sparse, solve_factored_block
from locodyn.kernel import compiled, sqrt

EASY, IN_A_ROW = 5, 2  # corrections at which a divided step may grow again, and how many parts must be so easy
EMBEDDED = (-10.048809399827415, 1.3821427331607485, -1.0 / 3.0)  # -(13 + 7 sqrt 6) / 3, (-13 + 7 sqrt 6) / 3
SAFETY, SMALLEST_FACTOR, LARGEST_FACTOR = 0.9, 0.2, 5.0
_WORTH = 1.2  # a step grows by this at least, since a new length needs a new matrix


@compiled(called=True)
def step_error(problem, scheme, h, v, scratch):
    """Estimated error of the velocity over what is allowed, after a converged step of length h from v."""
    n = v.shape[0]
    count = scheme.times.shape[0]
    g = scheme.real[0, 1]
    tangent, matrix, parts, unknown = scratch.tangent, scratch.matrix, scratch.parts, scratch.stages.unknown
    old = 0.0
    new = 0.0
    for i in range(n):
        fast = g * h * scratch.history.acceleration[i]
        far = g * h * v[i]
        end = v[i]
        for k in range(count):
            z = 0.0
            x = h * scheme.times[k] * v[i]
            for j in range(count):
                z += h * scheme.velocities[k, j] * unknown[j, i]
                x += h * h * scheme.positions[k, j] * unknown[j, i]
            fast += g * EMBEDDED[k] * z
            far += g * EMBEDDED[k] * x
            end += h * scheme.weights[1, k] * unknown[k, i]
        if problem.imposed.shape[0] > 0 and problem.imposed[i] != 0:
            fast = 0.0
            far = 0.0
        parts.fast[i] = fast
        parts.far[i] = far
        weight = matrix.weight[i] * matrix.weight[i]
        old += weight * v[i] * v[i]
        new += weight * end * end
    parts.speed = max(parts.speed, sqrt(old), sqrt(new))
    error = parts.side
    scales = matrix.real_scales
    for i in range(error.shape[0]):
        error[i] = 0.0
    if is_sparse(scratch.real):
        error_of_slopes(scratch.real, tangent, h * g, parts.fast, parts.far, error)
    else:
        for i in range(n):
            for j in range(n):
                error[i] += tangent.by_a[i, j] * parts.fast[j] - h * g * tangent.by_q[i, j] * parts.far[j]
    states_error(problem, scheme, h, error, scratch)
    for i in range(n):
        error[i] *= scales[i]
    solve_factored_block(scratch.real, matrix.real, matrix.real_pivots, error)
    total = 0.0
    for i in range(n):
        total += (matrix.weight[i] * error[i] * scales[i]) ** 2
    return sqrt(total) / (parts.error * max(parts.speed, 1e-300))


@compiled
def states_error(problem, scheme, h, error, scratch):
    """error -= h g r_z B^-1 (g h f(z_n) + sum_k E_k (Z_k - z_n) + h g f_q far): what the error of states does to velocities."""
    tangent, matrix, parts, stages = scratch.tangent, scratch.matrix, scratch.parts, scratch.stages
    g = scheme.real[0, 1]
    count = scheme.times.shape[0]
    for c in range(stages.memory.shape[1]):
        total = g * h * scratch.history.memory_rate[c]
        for k in range(count):
            for j in range(count):
                total += g * EMBEDDED[k] * h * scheme.velocities[k, j] * stages.memory[j, c]
        for i in range(parts.far.shape[0]):
            total += h * g * tangent.rate_by_q[c, i] * parts.far[i]
        matrix.real_missed[c] = total
    take_states(problem, tangent, h * g, matrix.real_memory, matrix.real_missed, matrix.real_rates, error)


@compiled(inline=True)
def is_accepted(problem, scheme, step, part, v, scratch):
    """Whether a converged part of a step stands; sets the share of the next part."""
    parts = scratch.parts
    if parts.error == 0.0:
        parts.easy = parts.easy + 1 if scratch.newton.iteration <= EASY else 0
        if parts.easy >= IN_A_ROW:
            parts.share = min(1.0, 2.0 * parts.share)
            parts.easy = 0
        return True
    error = step_error(problem, scheme, part, v, scratch)
    factor = min(LARGEST_FACTOR, max(SMALLEST_FACTOR, SAFETY / sqrt(sqrt(max(error, 1e-12)))))
    share = part / step
    if not error <= 1.0:
        parts.share = share * min(factor, SAFETY)
        scratch.history.last_step = 0.0  # nothing to extrapolate
        return False
    parts.share = min(1.0, share * factor) if factor > _WORTH or factor < 1.0 else share
    return True
