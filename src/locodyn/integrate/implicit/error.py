"""How long the next part of an implicit step is: by the number of corrections, or by an estimate of the error.

The error of the velocity at the end of a step of Radau IIA is the difference to an embedded formula of order 3 that has the
acceleration at the beginning as one more stage (Hairer and Wanner 1996, IV.8),

    (1 - h g D) e = g h f(y_n) + sum_k E_k Z_k,     Z_k = Y_k - y_n,

g the real eigenvalue, D the Jacobian of y = (q, v): one more solution with the real block of Newton's matrix, which takes away
the stiff parts that the method damps. It is measured in the norm of the mass matrix, relative to the largest speed so far.
"""

from __future__ import annotations

from locodyn.integrate.implicit.scratch import (
    ACCELERATION,
    EASY_PARTS,
    END,
    ERROR,
    ITERATION,
    LAST_STEP,
    PART,
    PASSIVE,
    REAL_SCALE,
    RIGHT,
    SPEED,
    WEIGHT,
)
from locodyn.kernel import routine, sqrt, step
from locodyn.kernel.dense import lu_solve

EASY, IN_A_ROW = 5, 2  # corrections at which a divided step may grow again, and how many parts must be so easy
EMBEDDED = (-10.048809399827415, 1.3821427331607485, -1.0 / 3.0)  # -(13 + 7 sqrt 6) / 3, (-13 + 7 sqrt 6) / 3
SAFETY, SMALLEST_FACTOR, LARGEST_FACTOR = 0.9, 0.2, 5.0
_WORTH = 1.2  # a step grows by this at least, since a new length needs a new matrix


@routine
def step_error(p, c, h, v, s):
    """Estimated error of the velocity over what is allowed, after a converged step of length h from v."""
    n = v.shape[0]
    stages = c.times.shape[0]
    g = c.real[0, 1]
    t = s.tangent
    speeds = s.vectors[END]
    places = s.vectors[PASSIVE]
    old = 0.0
    new = 0.0
    for i in range(n):
        fast = g * h * s.vectors[ACCELERATION, i]
        far = g * h * v[i]
        end = v[i]
        for k in range(stages):
            z = 0.0
            x = h * c.times[k] * v[i]
            for j in range(stages):
                z += h * c.velocities[k, j] * s.unknown[j, i]
                x += h * h * c.positions[k, j] * s.unknown[j, i]
            fast += g * EMBEDDED[k] * z
            far += g * EMBEDDED[k] * x
            end += h * c.weights[1, k] * s.unknown[k, i]
        if p.imposed.shape[0] > 0 and p.imposed[i] != 0:
            fast = 0.0
            far = 0.0
        speeds[i] = fast
        places[i] = far
        weight = s.vectors[WEIGHT, i] * s.vectors[WEIGHT, i]
        old += weight * v[i] * v[i]
        new += weight * end * end
    s.status[SPEED] = max(s.status[SPEED], sqrt(old), sqrt(new))
    right = s.long_vectors[RIGHT]
    scales = s.long_vectors[REAL_SCALE]
    for i in range(right.shape[0]):
        right[i] = 0.0
    for i in range(n):
        for j in range(n):
            right[i] += t.by_a[i, j] * speeds[j] - h * g * t.by_q[i, j] * places[j]
        right[i] *= scales[i]
    lu_solve(s.real_matrix, s.real_pivots, right)
    total = 0.0
    for i in range(n):
        total += (s.vectors[WEIGHT, i] * right[i] * scales[i]) ** 2
    return sqrt(total) / (s.status[ERROR] * max(s.status[SPEED], 1e-300))


@step
def is_accepted(p, c, step, part, v, s):
    """Whether a converged part of a step stands; sets the share of the next part in the status."""
    if s.status[ERROR] == 0.0:
        s.status[EASY_PARTS] = s.status[EASY_PARTS] + 1.0 if s.status[ITERATION] <= EASY else 0.0
        if s.status[EASY_PARTS] >= IN_A_ROW:
            s.status[PART] = min(1.0, 2.0 * s.status[PART])
            s.status[EASY_PARTS] = 0.0
        return True
    error = step_error(p, c, part, v, s)
    factor = min(LARGEST_FACTOR, max(SMALLEST_FACTOR, SAFETY * max(error, 1e-12) ** -0.25))
    share = part / step
    if not error <= 1.0:
        s.status[PART] = share * min(factor, SAFETY)
        s.status[LAST_STEP] = 0.0  # nothing to extrapolate
        return False
    s.status[PART] = min(1.0, share * factor) if factor > _WORTH or factor < 1.0 else share
    return True
