"""Implicit steps with the schemes of :mod:`locodyn.integrate.implicit.schemes` on the configuration group, with rows or without.

Newton's matrix is kept from step to step as long as it serves: it is made anew when the iteration contracts by less than 0.4 or
the step length changes. It is first made of mass matrix, elasticity and viscosity only, which is cheap and enough at most
steps; where it is not, the exact tangent takes over. Corrections are measured in the norm of the mass matrix, relative to
accelerations: a fixed size in positions would spoil the accuracy of small steps. A step that does not converge is tried again
from another guess, then halved.

Constraint rows have multipliers. Schemes of one stage hold loops and contacts by positions at the end of a step, index 3 (Gotelli
2024, 3.2.2; order 2 of generalized-alpha: Arnold and Bruls 2007), wheels by velocities. Collocation holds all rows by velocities
at its stages and puts the state on the rows at the end (:mod:`locodyn.integrate.implicit.end`).

Positions of collocation stages on groups: U_i = h sum_j a_ij T(U_j)^-1 V_j (Munthe-Kaas); what differs from sum a_ij V_j is
taken from the iteration before.
"""

from __future__ import annotations

from locodyn.integrate.implicit.damping import begin_search
from locodyn.integrate.implicit.end import begin_balance, keep_balance, settle_end, stage_balance
from locodyn.integrate.implicit.lanes import evaluate_in_lanes, scheme_in_lanes
from locodyn.integrate.implicit.matrix import make_matrix
from locodyn.integrate.implicit.newton import group_correction
from locodyn.integrate.implicit.scratch import (
    ACCELERATION,
    AGE,
    CURVED,
    END,
    ETA,
    EVALUATIONS,
    FACTORED_STEP,
    GAP,
    GUESS,
    INERTIAL,
    ITERATION,
    LAST_STEP,
    NORM,
    PSEUDO,
    SAME,
    STARTED,
    STILL,
    WEIGHT,
)
from locodyn.kernel import kernel, routine, step
from locodyn.locomotion.residual import acts_outside, motion_residual
from locodyn.locomotion.rhs import accelerations, impose, read_laws
from locodyn.locomotion.row_jacobian import rows_at
from locodyn.locomotion.row_residual import row_gaps, row_loads, take_coordinate_forces, with_loads
from locodyn.shape.configuration import moved_configuration
from locodyn.world.rows import FLAGS, HOLONOMIC


@routine
def start(p, c, inputs, q, v, w, s):
    """Accelerations at the start, from the dynamics under the ``inputs`` there; on the rows."""
    a = s.vectors[ACCELERATION]
    accelerations(p, inputs, q, v, w, a)
    for i in range(v.shape[0]):
        s.vectors[PSEUDO, i] = a[i]
    s.status[STARTED] = 1.0
    s.status[AGE] = -1.0
    s.status[LAST_STEP] = -1.0
    s.status[ETA] = 1.0
    if c.conserves.shape[0] > 0:
        begin_balance(p, q, v, s)


@kernel
def start_anew(p, c, inputs, q, v, w, s):
    """Velocities and accelerations on the rows again, for schemes that remember accelerations and hold rows by positions.

    Undamped ones let what velocities miss on the rows alternate, and accelerations grow by 4 / h of it in each step.
    """
    if c.alpha.shape[0] > 0 and s.chosen.shape[0] > 0:
        start(p, c, inputs, q, v, w, s)


@kernel
def guessed(c, h, guess, old, i, s):
    """First guess of unknown i of a scheme that remembers accelerations, ``old`` before; see the names of ``guess``.

    To keep the acceleration is best where the step resolves the motion. Stiff strains would be thrown far off by it: no motion.
    """
    if guess == STILL:
        return -s.known[0, i] / (h * h * c.alpha[2])
    return -s.known[2, i] / c.accelerations[0, 0] if guess == INERTIAL else old


@kernel
def choose_guess(c, h, s):
    """The first guess that would have been nearest in the step that converged, for the next one."""
    best = 0.0
    for guess in range(3):
        off = 0.0
        for i in range(s.unknown.shape[1]):
            off += (s.vectors[WEIGHT, i] * (s.unknown[0, i] - guessed(c, h, guess, s.vectors[PSEUDO, i], i, s))) ** 2
        if guess == 0 or off < best:
            best = off
            s.status[GUESS] = guess


@step
def begin_step(p, c, h, attempt, v, s):
    """Known parts of a step of length h from velocity v, and a first guess: extrapolated, constant, or no motion.

    Schemes that remember accelerations take the guess that would have been best in the step before (:func:`choose_guess`).
    A run begins without motion: the accelerations of a stiff strain that is let go would throw it far off.
    """
    stages = c.times.shape[0]
    smooth = attempt == 0 and s.status[LAST_STEP] == h
    still = attempt == 2 or (attempt == 0 and s.status[LAST_STEP] < 0.0)
    guess = STILL if still else (int(s.status[GUESS]) if smooth else SAME)
    for i in range(v.shape[0]):
        old = s.vectors[PSEUDO, i]
        last = s.vectors[ACCELERATION, i]
        for k in range(stages):
            s.correction[k, i] = 0.0
            if c.alpha.shape[0] > 0:
                m, f, beta, gamma = c.alpha[0], c.alpha[1], c.alpha[2], c.alpha[3]
                s.known[3 * k, i] = h * v[i] + h * h * (0.5 - beta) * old
                s.known[3 * k + 1, i] = v[i] + h * (1.0 - gamma) * old
                s.known[3 * k + 2, i] = (m * old - f * last) / (1.0 - f)
                s.residual[k, i] = guessed(c, h, guess, old, i, s)
                continue
            s.known[3 * k, i] = h * c.times[k] * v[i]
            s.known[3 * k + 1, i] = v[i]
            s.known[3 * k + 2, i] = 0.0
            s.residual[k, i] = 0.0 if still else last
            if smooth:
                s.residual[k, i] = 0.0
                for j in range(stages):
                    s.residual[k, i] += c.predictor[k, j] * s.unknown[j, i]
    for k in range(stages):
        for i in range(v.shape[0]):
            s.unknown[k, i] = s.residual[k, i]
        for m in range(s.multipliers.shape[1]):
            s.multipliers[k, m] = s.multipliers[stages, m]
    if s.lanes.shape[1] > 0:
        scheme_in_lanes(c, h, s)
    s.status[ITERATION] = 0.0
    s.status[NORM] = 0.0
    begin_search(attempt, s)
    s.status[ETA] = max(s.status[ETA], 1e-15) ** 0.8
    if c.alpha.shape[0] == 0 and s.status[CURVED] != 0.0:
        for _ in range(3):
            group_correction(p, c, h, v.shape[0], stages, s)


@kernel
def stage_residual(constraints, p, c, inputs, k, w, s):
    """Residual of the equation of motion at stage k, with the forces of the rows, and what the rows miss."""
    if constraints is None:
        motion_residual(p, inputs, s.stage_q, s.stage_v, s.stage_a, w, s.tangent, 1.0)
        return
    stages = c.times.shape[0]
    rows_at(p, constraints, inputs, s.stage_q, s.stage_v, w)
    row_gaps(constraints, stages == 1, w.motions, s.stage_v, s.gaps[k])
    row_loads(constraints, inputs.wrenches, s.multipliers[k], s.loads)
    motion_residual(p, with_loads(inputs, s.loads), s.stage_q, s.stage_v, s.stage_a, w, s.tangent, 1.0)
    take_coordinate_forces(constraints, s.multipliers[k], s.tangent.residual)
    if stages == 1:
        active = constraints.active
        rows = constraints.table
        s.status[GAP] = 0.0
        for j in range(active.shape[0]):
            if s.chosen[j] != 0 and rows[active[j], FLAGS] & HOLONOMIC:
                s.status[GAP] = max(s.status[GAP], abs(s.gaps[k, j]))


@step
def stage_state(p, c, inputs, h, k, q, s):
    """Configuration, velocity and acceleration of stage k from the unknowns, imposed coordinates in place."""
    nv = s.stage_v.shape[0]
    stages = c.times.shape[0]
    for i in range(nv):
        s.position[k, i] = s.known[3 * k, i] + s.correction[k, i]
        s.stage_v[i] = s.known[3 * k + 1, i]
        s.stage_a[i] = s.known[3 * k + 2, i]
    for j in range(stages):
        b2 = h * h * c.positions[k, j]
        b1 = h * c.velocities[k, j]
        b0 = c.accelerations[k, j]
        for i in range(nv):
            s.position[k, i] += b2 * s.unknown[j, i]
            s.stage_v[i] += b1 * s.unknown[j, i]
            s.stage_a[i] += b0 * s.unknown[j, i]
    moved_configuration(p.frames, q, s.position[k], s.stage_q)
    impose(p, inputs, s.stage_q, s.stage_v, s.stage_a)
    for i in range(nv):
        s.velocity[k, i] = s.stage_v[i]
    s.status[EVALUATIONS] += 1.0


@routine
def middle_state(p, c, inputs, h, q, w, s):
    """The mean of the stages as the state at which a tangent serves them all, with the wrenches there.

    A rod that whirls turns its mass matrix so fast that the tangent of one stage is none of another.
    """
    n = s.stage_v.shape[0]
    stages = c.times.shape[0]
    motion = s.vectors[END]
    for i in range(n):
        motion[i] = 0.0
        s.stage_v[i] = 0.0
        s.stage_a[i] = 0.0
        for k in range(stages):
            motion[i] += (s.known[3 * k, i] + s.correction[k, i]) / stages
            s.stage_v[i] += s.known[3 * k + 1, i] / stages
            s.stage_a[i] += s.unknown[k, i] / stages
            for j in range(stages):
                motion[i] += h * h * c.positions[k, j] * s.unknown[j, i] / stages
                s.stage_v[i] += h * c.velocities[k, j] * s.unknown[j, i] / stages
    moved_configuration(p.frames, q, motion, s.stage_q)
    impose(p, inputs, s.stage_q, s.stage_v, s.stage_a)
    if s.loads.shape[0] > 0 or acts_outside(p, inputs):
        loaded = with_loads(inputs, s.loads) if s.loads.shape[0] > 0 else inputs
        motion_residual(p, loaded, s.stage_q, s.stage_v, s.stage_a, w, s.tangent, 1.0)


@step
def renew_matrix(p, c, inputs, h, q, w, s):
    """Newton's matrix, where there is none that serves a step of length h; several stages share that of their mean state."""
    if s.status[AGE] < 0.0 or s.status[FACTORED_STEP] != h:
        if c.times.shape[0] > 1:
            middle_state(p, c, inputs, h, q, w, s)
        make_matrix(p, c, inputs, h, q, w, s)


@routine
def evaluate_stage(p, c, inputs, h, k, q, w, s):
    """Residual of stage k under the ``inputs`` at its time."""
    stage_state(p, c, inputs, h, k, q, s)
    stage_residual(p.constraints, p, c, inputs, k, w, s)
    for i in range(s.stage_v.shape[0]):
        s.residual[k, i] = s.tangent.residual[i]
    if c.conserves.shape[0] > 0:
        stage_balance(p.constraints, p, inputs, k, w, s)
    if k == c.times.shape[0] - 1:
        renew_matrix(p, c, inputs, h, q, w, s)


@step
def evaluate_stages(p, c, inputs, t, h, q, w, s):
    """Residuals of all stages of a step of length h from time t.

    Where nothing but weight and the forces of joints and rods acts, all stages at once (:mod:`locodyn.integrate.implicit.lanes`).
    """
    if s.lanes.shape[1] > 0 and c.conserves.shape[0] == 0 and not acts_outside(p, inputs):
        evaluate_in_lanes(p, c, inputs, t, h, q, s)
        renew_matrix(p, c, inputs, h, q, w, s)
        return
    for k in range(c.times.shape[0]):
        read_laws(p, t + c.times[k] * h, inputs)
        evaluate_stage(p, c, inputs, h, k, q, w, s)


@kernel
def end_on_rows(constraints, p, c, inputs, h, q, v, w, s):
    """The multipliers at the end of the step; after several stages the state on the rows."""
    if constraints is not None:
        stages = c.times.shape[0]
        for m in range(s.multipliers.shape[1]):
            s.multipliers[stages, m] = s.multipliers[stages - 1, m]
        if stages > 1:
            settle_end(p, constraints, inputs, h, q, v, w, s)


@step
def finish_step(p, c, inputs, h, q, v, w, s):
    """The state at the end of a converged step, in place; ``inputs`` are those at the end."""
    n = v.shape[0]
    stages = c.times.shape[0]
    end = s.vectors[END]
    if c.alpha.shape[0] > 0:
        choose_guess(c, h, s)
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
                x += h * h * c.weights[0, k] * s.unknown[k, i]
                y += h * c.weights[1, k] * s.unknown[k, i]
                if s.status[CURVED] != 0.0:
                    x += h * c.weights[1, k] * (s.position[k, i] - s.velocity[k, i])
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
    end_on_rows(p.constraints, p, c, inputs, h, q, v, w, s)
    if c.conserves.shape[0] > 0:
        keep_balance(p, c, h, q, v, s)
    s.status[LAST_STEP] = h
