"""What :mod:`locodyn.integrate.implicit.lanes` does side by side, stage after stage, with the same bits.

A processor has a register of several numbers for the stages of a collocation method; the threads of a card have none, and would
load and store the memory of all lanes, also of those that only fill up a register. Here stages take turns in a quarter of it, and
Newton's blocks are solved with where they were factored. Every number comes from the same operations in the same order.
"""

from __future__ import annotations

from locodyn.device.views import as_one
from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces
from locodyn.integrate.implicit.lanes import bare_ends, fill_sides, order_rows, unpack_corrections
from locodyn.kernel import compiled, fma
from locodyn.locomotion.rhs import actuator_forces, read_laws
from locodyn.robot.layout import COUNT_V, FIRST_Q, FIRST_V
from locodyn.shape.configuration import moved_configuration


@compiled(inline=True)
def no_scheme_on_card(scheme, h, lanes):
    """Coefficients are multiplied where they are needed."""


@compiled
def state_in_turn(scheme, h, k, q, frames, stages, lanes):
    """Configuration, velocity and acceleration of stage k from the unknowns, as of ``states_in_lanes``."""
    u = as_one(lanes.motion)
    v = as_one(lanes.v)
    a = as_one(lanes.a)
    unknown = stages.unknown
    for i in range(unknown.shape[1]):
        start = stages.known_velocity[0, i]
        one = h * scheme.times[k] * start
        two = start
        three = 0.0
        for j in range(unknown.shape[0]):
            part = unknown[j, i]
            one = fma(h * h * scheme.positions[k, j], part, one)
            two = fma(h * scheme.velocities[k, j], part, two)
            three = fma(scheme.accelerations[k, j], part, three)
        u[i] = one
        v[i] = two
        a[i] = three
        if stages.curved != 0:
            u[i] += stages.correction[k, i]
    moved_configuration(frames, q, u, as_one(lanes.q))


@compiled
def impose_in_turn(problem, inputs, lanes):
    """Imposed coordinates of a stage where their motion says."""
    q = as_one(lanes.q)
    v = as_one(lanes.v)
    a = as_one(lanes.a)
    frames = problem.frames
    for frame in range(frames.shape[0]):
        first = frames[frame, FIRST_V]
        for i in range(first, first + frames[frame, COUNT_V]):
            if problem.imposed[i] != 0:
                q[frames[frame, FIRST_Q] + i - first] = inputs.motion[0, i]
                v[i] = inputs.motion[1, i]
                a[i] = inputs.motion[2, i]


@compiled(called=True)
def evaluate_on_card(problem, scheme, inputs, t, h, q, stages, lanes):
    """Residuals of all stages of a step of length h from time t."""
    n = stages.unknown.shape[1]
    frames = problem.frames
    mixed = problem.imposed.shape[0] > 0
    forces = as_one(lanes.forces)
    tau = as_one(lanes.tau)
    work = as_one(lanes.work)
    for k in range(stages.unknown.shape[0]):
        state_in_turn(scheme, h, k, q, frames, stages, lanes)
        if problem.laws.start.shape[0] > 1:
            read_laws(problem, t + scheme.times[k] * h, inputs)
            if mixed:
                impose_in_turn(problem, inputs, lanes)
        actuator_forces(problem, inputs, as_one(lanes.q), as_one(lanes.v), forces)
        joint_forces(frames, problem.dof_constants, as_one(lanes.q), as_one(lanes.v), forces)
        inverse_dynamics(
            frames[: bare_ends(frames, problem.constants)], problem.constants, problem.gravity, as_one(lanes.q),
            as_one(lanes.v), as_one(lanes.a), work[:0], work, tau,
        )  # fmt: skip
        for i in range(n):
            stages.residual[k, i] = 0.0 if mixed and problem.imposed[i] != 0 else tau[i] - forces[i]


@compiled
def order_on_card(scheme, matrix, lanes):
    """The order of the rows of both blocks, which is all of ``pack_factors`` that is needed."""
    order_rows(scheme, matrix, lanes)


@compiled(inline=True)
def less_product(entry, x, y, first, second):
    """(first, second) less entry * (x + i y), as the lanes of ``solve_in_lanes`` round it."""
    return first - fma(entry.real, x, -entry.imag * y), second - fma(entry.real, y, entry.imag * x)


@compiled(called=True)
def solve_in_turn(real, matrix, y):
    """The rows ``y`` (nv, 3 or more) solved with the blocks as they were factored; ``real``: whether there is a real one."""
    n = y.shape[0]
    for i in range(n):
        zero, one, two = y[i, 0], y[i, 1], y[i, 2]
        for j in range(i):
            if real:
                zero = zero - fma(matrix.real[i, j], y[j, 0], 0.0 * y[j, 0])
            one, two = less_product(matrix.pair[i, j], y[j, 1], y[j, 2], one, two)
        y[i, 0], y[i, 1], y[i, 2] = zero, one, two
    for i in range(n - 1, -1, -1):
        zero, one, two = y[i, 0], y[i, 1], y[i, 2]
        for j in range(n - 1, i, -1):
            if real:
                zero = zero - fma(matrix.real[i, j], y[j, 0], 0.0 * y[j, 0])
            one, two = less_product(matrix.pair[i, j], y[j, 1], y[j, 2], one, two)
        pivot = matrix.pair[i, i]
        if real:
            y[i, 0] = fma(matrix.real[i, i], zero, 0.0 * zero)
        y[i, 1] = fma(pivot.real, one, -pivot.imag * two)
        y[i, 2] = fma(pivot.real, two, pivot.imag * one)


@compiled(inline=True)
def correct_on_card(scheme, stages, matrix, lanes, correction):
    """As ``correct_in_lanes``."""
    fill_sides(scheme, stages, matrix, lanes)
    solve_in_turn(scheme.real.shape[0] > 0, matrix, lanes.side)
    unpack_corrections(scheme, stages, matrix, lanes, correction)
