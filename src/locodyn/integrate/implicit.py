"""Implicit integration of a problem with the schemes of :mod:`locodyn.integrate.schemes`, on the configuration group.

Newton's matrix is kept from step to step as long as it serves: it is made anew when the iteration contracts by less than 0.4 or
the step length changes. It is first made of mass matrix, elasticity and viscosity only, which is cheap and enough at most
steps; where it is not, the exact tangent takes over. Corrections are measured in the norm of the mass matrix, relative to
accelerations: a fixed size in positions would spoil the accuracy of small steps. A step that does not converge is tried again
from another guess, then halved.

Positions of collocation stages on groups: U_i = h sum_j a_ij T(U_j)^-1 V_j (Munthe-Kaas); what differs from sum a_ij V_j is
taken from the iteration before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from locodyn.dynamics.model import Model
from locodyn.kernel import kernel, routine, sqrt
from locodyn.kernel.dense import lu_factor, lu_solve
from locodyn.locomotion.residual import Tangent, motion_residual, motion_tangent, new_tangent
from locodyn.locomotion.rhs import accelerations, impose
from locodyn.robot.layout import MASS
from locodyn.shape.configuration import moved_configuration, step_rate

MOST_ITERATIONS = 12
_AT_REST = 1e-3  # share of what the forces could do that counts as an acceleration
SLOW, FAILING = 0.4, 0.95  # contraction at which the matrix is made anew, at which a step fails

# Entries of the status.
ITERATION, NORM, ETA, AGE, FACTORED_STEP, EXACT, STARTED, LAST_STEP, EVALUATIONS, FORCES = range(10)
STATUS = 10
# Rows of the vectors.
PSEUDO, ACCELERATION, WEIGHT, END, SCALED = range(5)
VECTORS = 5


class ImplicitScratch(NamedTuple):
    """Workspace of an implicit run."""

    tangent: Tangent
    real_matrix: Any  # (nv, nv)
    pair_matrix: Any  # (nv, nv) complex
    real_pivots: Any
    pair_pivots: Any
    pair_vector: Any  # (nv,) complex
    unknown: Any  # (S, nv) A
    known: Any  # (3 S, nv): U0, V0, a0 of each stage
    position: Any  # (S, nv) U
    velocity: Any  # (S, nv) V
    correction: Any  # (S, nv) of U on groups
    residual: Any  # (S, nv)
    stage_q: Any  # (nq,)
    stage_v: Any  # (nv,)
    stage_a: Any  # (nv,)
    vectors: Any  # (VECTORS, nv)
    status: Any  # (STATUS,)


def new_implicit_scratch(model: Model, stages: int) -> ImplicitScratch:
    """Room for a scheme with so many stages."""
    nq, nv, zeros = model.nq, model.nv, np.zeros
    return ImplicitScratch(
        new_tangent(model), zeros((nv, nv)), zeros((nv, nv), dtype=complex), zeros(nv, dtype=np.int64), zeros(nv, dtype=np.int64),
        zeros(nv, dtype=complex), zeros((stages, nv)), zeros((3 * stages, nv)), zeros((stages, nv)), zeros((stages, nv)),
        zeros((stages, nv)), zeros((stages, nv)), zeros(nq), zeros(nv), zeros(nv), zeros((VECTORS, nv)), zeros(STATUS),
    )  # fmt: skip


@routine
def start(p, inputs, q, v, w, s):
    """Accelerations at the start, from the dynamics under the ``inputs`` there."""
    a = s.vectors[ACCELERATION]
    accelerations(p, inputs, q, v, w, a)
    for i in range(v.shape[0]):
        s.vectors[PSEUDO, i] = a[i]
    s.status[STARTED] = 1.0
    s.status[AGE] = -1.0
    s.status[LAST_STEP] = 0.0
    s.status[ETA] = 1.0


@kernel
def begin_step(p, c, h, attempt, v, s):
    """Known parts of a step of length h from velocity v, and a first guess: extrapolated, constant, or no motion."""
    stages = c.times.shape[0]
    smooth = attempt == 0 and s.status[LAST_STEP] == h
    for i in range(v.shape[0]):
        old = s.vectors[PSEUDO, i]
        last = s.vectors[ACCELERATION, i]
        for k in range(stages):
            if c.alpha.shape[0] > 0:
                m, f, beta, gamma = c.alpha[0], c.alpha[1], c.alpha[2], c.alpha[3]
                s.known[3 * k, i] = h * v[i] + h * h * (0.5 - beta) * old
                s.known[3 * k + 1, i] = v[i] + h * (1.0 - gamma) * old
                s.known[3 * k + 2, i] = (m * old - f * last) / (1.0 - f)
                still = -s.known[3 * k, i] / (beta * h * h)
            else:
                s.known[3 * k, i] = h * c.times[k] * v[i]
                s.known[3 * k + 1, i] = v[i]
                s.known[3 * k + 2, i] = 0.0
                still = 0.0
            s.correction[k, i] = 0.0
            if attempt == 2:
                s.residual[k, i] = still
            elif smooth:
                total = 0.0
                for j in range(stages):
                    total += c.predictor[k, j] * s.unknown[j, i]
                s.residual[k, i] = total
            else:
                s.residual[k, i] = old if c.alpha.shape[0] > 0 else last
    for k in range(stages):
        for i in range(v.shape[0]):
            s.unknown[k, i] = s.residual[k, i]
    s.status[ITERATION] = 0.0
    s.status[NORM] = 0.0
    s.status[ETA] = max(s.status[ETA], 1e-15) ** 0.8
    if c.alpha.shape[0] == 0:
        for _ in range(3):
            group_correction(p, c, h, v.shape[0], stages, s)


@routine
def evaluate_stage(p, c, inputs, h, k, q, w, s):
    """Residual of stage k under the ``inputs`` at its time."""
    nv = s.stage_v.shape[0]
    stages = c.times.shape[0]
    for i in range(nv):
        x = s.known[3 * k, i] + s.correction[k, i]
        y = s.known[3 * k + 1, i]
        z = s.known[3 * k + 2, i]
        for j in range(stages):
            x += h * h * c.positions[k, j] * s.unknown[j, i]
            y += h * c.velocities[k, j] * s.unknown[j, i]
            z += c.accelerations[k, j] * s.unknown[j, i]
        s.position[k, i] = x
        s.stage_v[i] = y
        s.stage_a[i] = z
    moved_configuration(p.frames, q, s.position[k], s.stage_q)
    impose(p, inputs, s.stage_q, s.stage_v, s.stage_a)
    motion_residual(p, inputs, s.stage_q, s.stage_v, s.stage_a, w, s.tangent, 1.0)
    s.status[EVALUATIONS] += 1.0
    for i in range(nv):
        s.residual[k, i] = s.tangent.residual[i]
        s.velocity[k, i] = s.stage_v[i]
    if k == stages - 1 and (s.status[AGE] < 0.0 or s.status[FACTORED_STEP] != h):
        make_matrix(p, c, inputs, h, w, s)


@routine
def make_matrix(p, c, inputs, h, w, s):
    """Tangent at the last stage, blocks of Newton's matrix, their factors."""
    exact = 1 if s.status[EXACT] > 0.0 else 0
    t = s.tangent
    motion_tangent(p, inputs, s.stage_q, s.stage_v, s.stage_a, w, t, 1.0, exact)
    n = s.stage_v.shape[0]
    for i in range(n):
        s.vectors[WEIGHT, i] = sqrt(abs(t.by_a[i, i]))
        if c.real.shape[0] > 0:
            for j in range(n):
                s.real_matrix[i, j] = c.real[0, 0] * t.by_a[i, j] + h * c.real[0, 1] * t.by_v[i, j]
                s.real_matrix[i, j] += h * h * c.real[0, 2] * t.by_q[i, j]
        if c.pair.shape[0] > 0:
            for j in range(n):
                s.pair_matrix[i, j] = c.pair[0, 0] * t.by_a[i, j] + h * c.pair[0, 1] * t.by_v[i, j]
                s.pair_matrix[i, j] += h * h * c.pair[0, 2] * t.by_q[i, j]
    if c.real.shape[0] > 0:
        lu_factor(s.real_matrix, s.real_pivots)
    if c.pair.shape[0] > 0:
        lu_factor(s.pair_matrix, s.pair_pivots)
    # Accelerations that the forces would make if nothing held them: at rest they tell what is round-off.
    mass = 0.0
    for k in range(p.frames.shape[0]):
        mass += p.constants[k, MASS]
    fall = p.gravity[0] * p.gravity[0] + p.gravity[1] * p.gravity[1] + p.gravity[2] * p.gravity[2]
    total = 0.0
    for i in range(n):
        if t.by_a[i, i] > 0.0:
            total += w.tau[i] * w.tau[i] / t.by_a[i, i]
    s.status[FORCES] = sqrt(mass * fall) + sqrt(total)
    s.status[AGE] = 0.0
    s.status[FACTORED_STEP] = h


@routine
def correct(p, c, h, tolerance, v, s):
    """One Newton correction of the unknowns from the residuals of all stages: 1 converged, 0 go on, -1 give up."""
    n = v.shape[0]
    stages = c.times.shape[0]
    mixed = p.imposed.shape[0] > 0
    for k in range(stages):
        for i in range(n):
            s.position[k, i] = 0.0  # from here on: the correction
    if c.real.shape[0] > 0:
        right = s.vectors[SCALED]
        for i in range(n):
            right[i] = 0.0
            for k in range(stages):
                right[i] -= c.real_left[0, k] * s.residual[k, i]
        lu_solve(s.real_matrix, s.real_pivots, right)
        for k in range(stages):
            for i in range(n):
                s.position[k, i] += c.real_right[0, k] * right[i]
    if c.pair.shape[0] > 0:
        pair = s.pair_vector
        for i in range(n):
            pair[i] = 0.0
            for k in range(stages):
                pair[i] -= c.pair_left[0, k] * s.residual[k, i]
        lu_solve(s.pair_matrix, s.pair_pivots, pair)
        for k in range(stages):
            for i in range(n):
                s.position[k, i] += 2.0 * (c.pair_right[0, k] * pair[i]).real
    norm = 0.0
    scale = 0.0
    speed = 0.0
    for i in range(n):
        if mixed and p.imposed[i] != 0:
            continue
        weight = s.vectors[WEIGHT, i] * s.vectors[WEIGHT, i]
        speed += weight * v[i] * v[i]
        for k in range(stages):
            s.unknown[k, i] += s.position[k, i]
            norm += weight * s.position[k, i] * s.position[k, i]
            scale += weight * s.unknown[k, i] * s.unknown[k, i]
    # On groups: what the positions of collocation stages have beyond sums of velocities, for the next round.
    if c.alpha.shape[0] == 0:
        norm += group_correction(p, c, h, n, stages, s)
    norm = sqrt(norm)
    scale = sqrt(scale) + sqrt(speed) / h + _AT_REST * s.status[FORCES]
    s.status[ITERATION] += 1.0
    s.status[AGE] += 1.0
    if not norm < 1e300:
        return give_up(s)
    if norm == 0.0 or norm <= 1e-14 * scale:
        s.status[NORM] = norm
        return 1
    if s.status[ITERATION] > 1.0:
        rate = norm / s.status[NORM]
        if rate >= FAILING:
            # Round-off cannot be reduced: small, and no longer falling.
            if norm <= 1e-9 * (scale + s.status[FORCES]):
                return 1
            return give_up(s)
        s.status[ETA] = rate / (1.0 - rate)
        if rate > SLOW and s.status[AGE] > 1.0:
            if s.status[AGE] <= s.status[ITERATION]:  # made within this step, and slow nevertheless
                s.status[EXACT] = 1.0
            s.status[AGE] = -1.0  # a new matrix at the next stage
    s.status[NORM] = norm
    if s.status[ETA] * norm <= tolerance * scale:
        return 1
    return give_up(s) if s.status[ITERATION] >= MOST_ITERATIONS else 0


@kernel
def give_up(s):
    """The step failed: next time with a new and exact matrix."""
    s.status[AGE] = -1.0
    s.status[EXACT] = 1.0
    s.status[ETA] = 1.0
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
            step = s.vectors[WEIGHT, i] * (h * total - s.correction[k, i]) / (h * h)
            change += step * step
            s.correction[k, i] = h * total
    return change


@routine
def finish_step(p, c, inputs, h, q, v, w, s):
    """The state at the end of a converged step, in place; ``inputs`` are those at the end."""
    n = v.shape[0]
    stages = c.times.shape[0]
    end = s.vectors[END]
    for i in range(n):
        if c.alpha.shape[0] > 0:
            new = s.unknown[0, i]
            end[i] = s.known[0, i] + h * h * c.positions[0, 0] * new
            v[i] = s.known[1, i] + h * c.velocities[0, 0] * new
            s.vectors[ACCELERATION, i] = s.known[2, i] + c.accelerations[0, 0] * new
            s.vectors[PSEUDO, i] = new
        else:
            x = h * v[i]
            y = v[i]
            for k in range(stages):
                x += h * h * c.weights[0, k] * s.unknown[k, i] + h * c.weights[1, k] * (s.position[k, i] - s.velocity[k, i])
                y += h * c.weights[1, k] * s.unknown[k, i]
            end[i] = x
            v[i] = y
            s.vectors[ACCELERATION, i] = s.unknown[stages - 1, i]
    moved_configuration(p.frames, q, end, q)
    impose(p, inputs, q, v, s.stage_a)
    if p.imposed.shape[0] > 0:
        for i in range(n):
            if p.imposed[i] != 0:
                s.vectors[ACCELERATION, i] = s.stage_a[i]
                s.vectors[PSEUDO, i] = s.stage_a[i]
                for k in range(stages):
                    s.unknown[k, i] = s.stage_a[i]
    s.status[LAST_STEP] = h
