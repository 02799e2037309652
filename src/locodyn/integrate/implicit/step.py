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

from locodyn.integrate.implicit.damping import begin_search, to_four_fifths
from locodyn.integrate.implicit.end import begin_balance, keep_balance, settle_end, stage_balance
from locodyn.integrate.implicit.lanes import scheme_in_lanes
from locodyn.integrate.implicit.matrix import make_matrix
from locodyn.integrate.implicit.memory import (
    begin_states,
    finish_states,
    mean_states,
    stage_states,
    start_states,
    states_residual,
)
from locodyn.integrate.implicit.newton import group_correction
from locodyn.integrate.implicit.split import split_end, split_residual, split_start, split_state
from locodyn.kernel import compiled
from locodyn.locomotion.constrained import change_contacts
from locodyn.locomotion.drive_memory import begin_memory
from locodyn.locomotion.residual import acts_outside, motion_residual
from locodyn.locomotion.rhs import accelerations, impose
from locodyn.locomotion.row_jacobian import rows_at
from locodyn.locomotion.row_residual import row_gaps, row_loads, take_coordinate_forces
from locodyn.record import codes
from locodyn.shape.configuration import moved_configuration
from locodyn.world.rows import HOLONOMIC

# First guesses of schemes that remember accelerations: the same one, no motion, no acceleration.
GUESS = codes("same", "still", "inertial")


@compiled(called=True)
def start(problem, scheme, inputs, q, v, work, scratch):
    """Accelerations at the start, from the dynamics under the ``inputs`` there; on the rows."""
    history = scratch.history
    begin_memory(work.memory)
    accelerations(problem, inputs, q, v, work, history.acceleration)
    if scheme.split != 0:
        split_start(problem, q, v, history)
    for i in range(v.shape[0]):
        history.pseudo[i] = history.acceleration[i]
    start_states(work.memory, history)
    history.started = 1
    history.last_step = -1.0
    scratch.matrix.age = -1
    scratch.newton.eta = 1.0
    if scheme.conserves != 0:
        begin_balance(problem, q, v, scratch.balance)


@compiled
def start_anew(problem, scheme, inputs, q, v, work, scratch):
    """Velocities and accelerations on the rows again, for schemes that remember accelerations and hold rows by positions.

    Undamped ones let what velocities miss on the rows alternate, and accelerations grow by 4 / h of it in each step.
    """
    if scheme.remembers != 0 and scratch.matrix.chosen.shape[0] > 0:
        start(problem, scheme, inputs, q, v, work, scratch)


@compiled
def guessed(scheme, h, guess, old, i, stages):
    """First guess of unknown i of a scheme that remembers accelerations, ``old`` before; see the names of ``guess``.

    To keep the acceleration is best where the step resolves the motion. Stiff strains would be thrown far off by it: no motion.
    """
    if guess == GUESS.still:
        return -stages.known_position[0, i] / (h * h * scheme.beta)
    return -stages.known_acceleration[0, i] / scheme.accelerations[0, 0] if guess == GUESS.inertial else old


@compiled
def choose_guess(scheme, h, scratch):
    """The first guess that would have been nearest in the step that converged, for the next one."""
    history, stages = scratch.history, scratch.stages
    best = 0.0
    for guess in range(3):
        off = 0.0
        for i in range(stages.unknown.shape[1]):
            miss = stages.unknown[0, i] - guessed(scheme, h, guess, history.pseudo[i], i, stages)
            off += (scratch.matrix.weight[i] * miss) ** 2
        if guess == 0 or off < best:
            best = off
            history.guess = guess


@compiled(inline=True)
def begin_step(problem, scheme, h, attempt, v, memory, scratch):
    """Known parts of a step of length h from velocity v, and a first guess: extrapolated, constant, or no motion.

    Schemes that remember accelerations take the guess that would have been best in the step before (:func:`choose_guess`).
    A run begins without motion: the accelerations of a stiff strain that is let go would throw it far off.
    """
    history, stages, newton = scratch.history, scratch.stages, scratch.newton
    count = scheme.times.shape[0]
    smooth = attempt == 0 and history.last_step == h
    still = attempt == 2 or (attempt == 0 and history.last_step < 0.0)
    guess = GUESS.still if still else (history.guess if smooth else GUESS.same)
    for i in range(v.shape[0]):
        speed = history.velocity[i] if scheme.split != 0 else v[i]
        old = history.pseudo[i]
        last = history.acceleration[i]
        for k in range(count):
            stages.correction[k, i] = 0.0
            if scheme.remembers != 0:
                m, f, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
                stages.known_position[k, i] = h * speed + h * h * (0.5 - beta) * old
                stages.known_velocity[k, i] = speed + h * (1.0 - gamma) * old
                stages.known_acceleration[k, i] = (m * old - f * last) / (1.0 - f)
                stages.guess[k, i] = guessed(scheme, h, guess, old, i, stages)
                continue
            stages.known_position[k, i] = h * scheme.times[k] * speed
            stages.known_velocity[k, i] = speed
            stages.known_acceleration[k, i] = 0.0
            stages.guess[k, i] = 0.0 if still else last
            if smooth:
                stages.guess[k, i] = 0.0
                for j in range(count):
                    stages.guess[k, i] += scheme.predictor[k, j] * stages.unknown[j, i]
    for k in range(count):
        for i in range(v.shape[0]):
            stages.unknown[k, i] = stages.guess[k, i]
        for m in range(stages.multipliers.shape[1]):
            stages.multipliers[k, m] = stages.multipliers[count, m]
    begin_states(scheme, h, smooth, still, memory, history, stages)
    if scratch.lanes.q.shape[0] > 0:
        scheme_in_lanes(scheme, h, scratch.lanes)
    newton.iteration = 0
    newton.norm = 0.0
    begin_search(attempt, newton)
    newton.eta = to_four_fifths(max(newton.eta, 1e-15))
    if scheme.remembers == 0 and stages.curved != 0 and scheme.split == 0:
        for _ in range(3):
            group_correction(problem, scheme, h, stages, scratch.matrix.weight)


@compiled
def stage_residual(rows, problem, scheme, inputs, k, work, scratch):
    """Residual of the equation of motion at stage k, with the forces of the rows, and what the rows miss."""
    state, stages, tangent, newton = scratch.state, scratch.stages, scratch.tangent, scratch.newton
    if rows is None:
        motion_residual(problem, inputs, state.q, state.v, state.a, work, tangent, 1.0)
        return
    held = scheme.times.shape[0] == 1
    rows_at(problem, rows, inputs, state.q, state.v, work)
    row_gaps(rows, held, work.motions, state.v, stages.gaps[k])
    row_loads(rows, inputs.wrenches, stages.multipliers[k], state.loads)
    motion_residual(problem, state.loaded, state.q, state.v, state.a, work, tangent, 1.0)
    take_coordinate_forces(rows, stages.multipliers[k], tangent.residual)
    if held:
        active = rows.active
        newton.gap = 0.0
        for j in range(active.shape[0]):
            if scratch.matrix.chosen[j] != 0 and rows.flags[active[j]] & HOLONOMIC:
                newton.gap = max(newton.gap, abs(stages.gaps[k, j]))


@compiled(inline=True)
def stage_state(problem, scheme, inputs, h, k, q, stages, state):
    """Configuration, velocity and acceleration of stage k from the unknowns, imposed coordinates in place."""
    nv = state.v.shape[0]
    for i in range(nv):
        state.motion[i] = stages.known_position[k, i] + stages.correction[k, i]
        state.v[i] = stages.known_velocity[k, i]
        state.a[i] = stages.known_acceleration[k, i]
    for j in range(scheme.times.shape[0]):
        b2 = h * h * scheme.positions[k, j]
        b1 = h * scheme.velocities[k, j]
        b0 = scheme.accelerations[k, j]
        for i in range(nv):
            state.motion[i] += b2 * stages.unknown[j, i]
            state.v[i] += b1 * stages.unknown[j, i]
            state.a[i] += b0 * stages.unknown[j, i]
    if scheme.split != 0:
        split_state(problem, q, state, state.q, state.v, state.a)
    else:
        moved_configuration(problem.frames, q, state.motion, state.q)
    impose(problem, inputs, state.q, state.v, state.a)


@compiled(late=())
def middle_state(problem, scheme, inputs, h, q, work, scratch):
    """The mean of the stages as the state at which a tangent serves them all, with the wrenches there.

    A rod that whirls turns its mass matrix so fast that the tangent of one stage is none of another.
    """
    stages, state = scratch.stages, scratch.state
    count = scheme.times.shape[0]
    for i in range(state.v.shape[0]):
        state.motion[i] = 0.0
        state.v[i] = 0.0
        state.a[i] = 0.0
        for k in range(count):
            state.motion[i] += (stages.known_position[k, i] + stages.correction[k, i]) / count
            state.v[i] += stages.known_velocity[k, i] / count
            state.a[i] += stages.unknown[k, i] / count
            for j in range(count):
                state.motion[i] += h * h * scheme.positions[k, j] * stages.unknown[j, i] / count
                state.v[i] += h * scheme.velocities[k, j] * stages.unknown[j, i] / count
    mean_states(scheme, h, stages, work.memory)
    moved_configuration(problem.frames, q, state.motion, state.q)
    impose(problem, inputs, state.q, state.v, state.a)
    if state.loads.shape[0] > 0 or acts_outside(problem, inputs):
        motion_residual(problem, state.loaded, state.q, state.v, state.a, work, scratch.tangent, 1.0)


@compiled(inline=True)
def renew_matrix(problem, scheme, inputs, h, q, work, scratch):
    """Newton's matrix, where there is none that serves a step of length h; several stages share that of their mean state."""
    if scratch.matrix.age < 0 or scratch.matrix.step != h:
        if scheme.times.shape[0] > 1:
            middle_state(problem, scheme, inputs, h, q, work, scratch)
        make_matrix(problem, scheme, inputs, h, q, work, scratch)


@compiled(called=True)
def evaluate_stage(problem, scheme, inputs, h, k, q, work, scratch):
    """Residual of stage k under the ``inputs`` at its time."""
    stages, state = scratch.stages, scratch.state
    stage_state(problem, scheme, inputs, h, k, q, stages, state)
    stage_states(scheme, h, k, stages, work.memory)
    stage_residual(problem.rows, problem, scheme, inputs, k, work, scratch)
    for i in range(state.v.shape[0]):
        stages.residual[k, i] = scratch.tangent.residual[i]
    if scheme.split != 0:
        split_residual(problem, state.q, stages.residual[k])
    states_residual(scheme, k, stages, work.memory)
    if scheme.conserves != 0:
        stage_balance(problem.rows, problem, inputs, k, work, scratch)
    if k == scheme.times.shape[0] - 1:
        renew_matrix(problem, scheme, inputs, h, q, work, scratch)


@compiled
def end_on_rows(rows, problem, scheme, inputs, h, q, v, work, scratch):
    """The multipliers at the end of the step; after several stages the state on the rows."""
    if rows is not None:
        count = scheme.times.shape[0]
        multipliers = scratch.stages.multipliers
        for m in range(multipliers.shape[1]):
            multipliers[count, m] = multipliers[count - 1, m]
        if count > 1:
            settle_end(problem, rows, inputs, h, q, v, work, scratch)


@compiled
def rows_after(rows, problem, inputs, q, v, work, scratch):
    """The rows that hold from the end of the step on."""
    if rows is not None:
        contacts_after(rows.rod_contacts, rows, problem, inputs, q, v, work, scratch)


@compiled
def contacts_after(contacts, rows, problem, inputs, q, v, work, scratch):
    """Where contacts on rods have come, gone or wrapped, Newton's matrix is another; the first two begin the method anew."""
    if contacts is not None:
        what = change_contacts(contacts, rows, problem, inputs, q, v, work, scratch.state.a)
        if what > 0:
            scratch.matrix.age = -1
        if what > 1:
            scratch.history.started = 0


@compiled(inline=True)
def finish_step(problem, scheme, inputs, h, q, v, work, scratch):
    """The state at the end of a converged step, in place; ``inputs`` are those at the end."""
    history, stages, state = scratch.history, scratch.stages, scratch.state
    n = v.shape[0]
    count = scheme.times.shape[0]
    if scheme.remembers != 0:
        choose_guess(scheme, h, scratch)
    for i in range(n):
        if scheme.remembers != 0:
            new = stages.unknown[0, i]
            state.motion[i] = stages.known_position[0, i] + h * h * scheme.positions[0, 0] * new
            v[i] = stages.known_velocity[0, i] + h * scheme.velocities[0, 0] * new
            history.acceleration[i] = stages.known_acceleration[0, i] + scheme.accelerations[0, 0] * new
            history.pseudo[i] = new
        else:
            y = history.velocity[i] if scheme.split != 0 else v[i]
            x = h * y
            for k in range(count):
                x += h * h * scheme.weights[0, k] * stages.unknown[k, i]
                y += h * scheme.weights[1, k] * stages.unknown[k, i]
                if stages.curved != 0 and scheme.split == 0:
                    x += h * scheme.weights[1, k] * (stages.rate[k, i] - stages.velocity[k, i])
            state.motion[i] = x
            v[i] = y
            history.acceleration[i] = stages.unknown[count - 1, i]
    finish_states(scheme, h, stages, history, work.memory)
    if scheme.split != 0:
        split_end(problem, history, state, q, v)
    else:
        moved_configuration(problem.frames, q, state.motion, q)
    impose(problem, inputs, q, v, state.a)
    if problem.imposed.shape[0] > 0:
        for i in range(n):
            if problem.imposed[i] != 0:
                history.acceleration[i] = state.a[i]
                history.pseudo[i] = state.a[i]
                history.velocity[i] = v[i]
                for k in range(count):
                    stages.unknown[k, i] = state.a[i]
    end_on_rows(problem.rows, problem, scheme, inputs, h, q, v, work, scratch)
    rows_after(problem.rows, problem, inputs, q, v, work, scratch)
    if scheme.conserves != 0:
        keep_balance(problem, scheme, h, q, v, scratch.balance)
    history.last_step = h
