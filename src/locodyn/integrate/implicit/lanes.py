"""Collocation stages side by side, one to a SIMD lane: their states, their residuals, the solution with Newton's blocks.

For robots without constraint rows on which nothing acts from outside, all stages go through inverse dynamics at once. The blocks
of Newton's matrix are packed side by side too: lane 0 is the real block, lanes 1 and 2 are the real and the imaginary part of
the complex one,

    (x0, x1, x2) -> F0 * (x0, x1, x2) + F1 * (x0, x2, x1),    F0 = (R, A, A),    F1 = (0, -B, B)    for entries R and A + i B.
"""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inward_wrenches, outward_motions
from locodyn.dynamics.joint_laws import joint_forces
from locodyn.kernel import compiled, fma, lit
from locodyn.kernel.lanes import WIDTH, as_lanes, swap_middle
from locodyn.locomotion.rhs import actuator_forces, read_laws
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, MASS, PARENT, ROD, ROOT
from locodyn.shape.configuration import moved_configuration


@compiled(inline=True)
def scheme_in_lanes(scheme, h, lanes):
    """Coefficients of a step of length h, one stage to a lane: h c, then h^2 B2, h B1, B0, column by column. The last stage fills
    up the register."""
    count = scheme.times.shape[0]
    for m in range(lanes.scheme.shape[1]):
        k = min(m, count - 1)
        lanes.scheme[0, m] = h * scheme.times[k]
        for j in range(count):
            lanes.scheme[3 * j + 1, m] = h * h * scheme.positions[k, j]
            lanes.scheme[3 * j + 2, m] = h * scheme.velocities[k, j]
            lanes.scheme[3 * j + 3, m] = scheme.accelerations[k, j]


@compiled(late=())
def states_in_lanes(frames, q, stages, lanes):
    """Configurations, velocities and accelerations of all stages from the unknowns A (S, nv).

    U = h c v + h^2 B2 A, V = v + h B1 A, a = B0 A, with v the velocity at the beginning.
    """
    u = as_lanes(lanes.motion)
    v = as_lanes(lanes.v)
    a = as_lanes(lanes.a)
    factors = as_lanes(lanes.scheme)
    unknown = stages.unknown
    count = unknown.shape[0]
    for i in range(unknown.shape[1]):
        start = lit(u[0], stages.known_velocity[0, i])
        one = factors[0] * start
        two = start
        three = lit(u[0], 0.0)
        for j in range(count):
            part = lit(u[0], unknown[j, i])
            one = fma(factors[3 * j + 1], part, one)
            two = fma(factors[3 * j + 2], part, two)
            three = fma(factors[3 * j + 3], part, three)
        u[i] = one
        v[i] = two
        a[i] = three
    if stages.curved != 0:
        for i in range(unknown.shape[1]):
            for m in range(WIDTH):
                lanes.motion[i, m] += stages.correction[min(m, count - 1), i]
    moved_configuration(frames, q, u, as_lanes(lanes.q))


@compiled
def impose_lane(problem, inputs, k, last, lanes):
    """Imposed coordinates of stage k where their motion says; those of the ``last`` stage fill up the register."""
    frames = problem.frames
    for frame in range(frames.shape[0]):
        first = frames[frame, FIRST_V]
        for i in range(first, first + frames[frame, COUNT_V]):
            if problem.imposed[i] != 0:
                for m in range(k, k + 1 if k < last else WIDTH):
                    lanes.q[frames[frame, FIRST_Q] + i - first, m] = inputs.motion[0, i]
                    lanes.v[i, m] = inputs.motion[1, i]
                    lanes.a[i, m] = inputs.motion[2, i]


@compiled(late=())
def motion_in_lanes(frames, constants, dof_constants, gravity, lanes):
    """Inverse dynamics of the robots in the lanes, without wrenches, into ``tau``.

    Forces of joints and rods are added to ``forces``.
    """
    q = as_lanes(lanes.q)
    v = as_lanes(lanes.v)
    joint_forces(frames, dof_constants, q, v, as_lanes(lanes.forces))
    moved = frames[: bare_ends(frames, constants)]
    a, tau, work = as_lanes(lanes.a), as_lanes(lanes.tau), as_lanes(lanes.work)
    # Inverse dynamics in line: the code without wrenches is shorter.
    outward_motions(moved, constants, gravity, q, v, a, work[:0], work, tau)
    inward_wrenches(moved, constants, q, a, 1, work, tau)


@compiled(inline=True)
def bare_ends(frames, constants):
    """Number of frames without the last ones that are ends of rods with nothing on them: they need no force."""
    n = frames.shape[0]
    while n > 1 and frames[n - 1, CODE] == ROD and frames[n - 1, PARENT] != frames[n - 1, ROOT]:
        for j in range(10):
            if constants[n - 1, MASS + j] != 0.0:
                return n
        n -= 1
    return n


@compiled(inline=True)
def evaluate_in_lanes(problem, scheme, inputs, t, h, q, stages, lanes):
    """Residuals of all stages of a step of length h from time t."""
    count = scheme.times.shape[0]
    n = stages.unknown.shape[1]
    states_in_lanes(problem.frames, q, stages, lanes)
    mixed = problem.imposed.shape[0] > 0
    if problem.laws.start.shape[0] > 1:
        for k in range(count):
            read_laws(problem, t + scheme.times[k] * h, inputs)
            if mixed:
                impose_lane(problem, inputs, k, count - 1, lanes)
            actuator_forces(problem, inputs, as_lanes(lanes.q), as_lanes(lanes.v), as_lanes(lanes.tau))
            for i in range(n):
                for m in range(k, WIDTH):
                    lanes.forces[i, m] = lanes.tau[i, m]
    else:
        actuator_forces(problem, inputs, as_lanes(lanes.q), as_lanes(lanes.v), as_lanes(lanes.forces))
    motion_in_lanes(problem.frames, problem.constants, problem.dof_constants, problem.gravity, lanes)
    for i in range(n):
        for k in range(count):
            stages.residual[k, i] = 0.0 if mixed and problem.imposed[i] != 0 else lanes.tau[i, k] - lanes.forces[i, k]


@compiled(inline=True)
def order_rows(scheme, matrix, lanes):
    """The order of the rows of both blocks."""
    n = lanes.real_order.shape[0]
    real = scheme.real.shape[0] > 0
    first = lanes.real_order
    second = lanes.pair_order
    for i in range(n):
        first[i] = i
        second[i] = i
    for i in range(n):
        if real:
            other = matrix.real_pivots[i]
            first[i], first[other] = first[other], first[i]
        other = matrix.pair_pivots[i]
        second[i], second[other] = second[other], second[i]


@compiled(late=())
def pack_factors(scheme, matrix, lanes):
    """The factors of both blocks side by side, entry (i, j) at ``[j, i]``, and the order of their rows."""
    order_rows(scheme, matrix, lanes)
    n = lanes.real_order.shape[0]
    real = scheme.real.shape[0] > 0
    for i in range(n):
        for j in range(n):
            pair = matrix.pair[i, j]
            lanes.factors[j, i, 0] = matrix.real[i, j] if real else 0.0
            lanes.factors[j, i, 1] = pair.real
            lanes.factors[j, i, 2] = pair.real
            lanes.cross_factors[j, i, 1] = -pair.imag
            lanes.cross_factors[j, i, 2] = pair.imag


@compiled(late=())
def solve_in_lanes(lanes):
    """``side`` = M^-1 ``side`` for packed factors with the inverse of the diagonal of U, rows in their order."""
    real = as_lanes(lanes.factors)
    cross = as_lanes(lanes.cross_factors)
    y = as_lanes(lanes.side)
    n = lanes.factors.shape[0]
    for j in range(n - 1):
        one = y[j]
        two = swap_middle(one)
        for i in range(j + 1, n):
            y[i] = y[i] - fma(real[j, i], one, cross[j, i] * two)
    for j in range(n - 1, -1, -1):
        one = y[j]
        one = fma(real[j, j], one, cross[j, j] * swap_middle(one))
        two = swap_middle(one)
        y[j] = one
        for i in range(j):
            y[i] = y[i] - fma(real[j, i], one, cross[j, i] * two)


@compiled(inline=True)
def fill_sides(scheme, stages, matrix, lanes):
    """``lanes.side`` from the residuals of all stages, rows in their order."""
    count = scheme.times.shape[0]
    n = stages.unknown.shape[1]
    real = scheme.real.shape[0] > 0
    residual = stages.residual
    y = lanes.side
    for i in range(n):
        one = lanes.real_order[i]
        two = lanes.pair_order[i]
        first = 0.0
        second = 0.0
        third = 0.0
        for k in range(count):
            if real:
                first -= scheme.real_left[0, k] * residual[k, one]
            second -= scheme.pair_left[0, k].real * residual[k, two]
            third -= scheme.pair_left[0, k].imag * residual[k, two]
        y[i, 0] = first * matrix.real_scales[one]
        y[i, 1] = second * matrix.pair_scales[two]
        y[i, 2] = third * matrix.pair_scales[two]


@compiled(inline=True)
def unpack_corrections(scheme, stages, matrix, lanes, correction):
    """The corrections (S, nv) of accelerations from the solution in ``lanes.side``."""
    y = lanes.side
    real = scheme.real.shape[0] > 0
    for i in range(stages.unknown.shape[1]):
        first = y[i, 0] * matrix.real_scales[i]
        second = 2.0 * y[i, 1] * matrix.pair_scales[i]
        third = 2.0 * y[i, 2] * matrix.pair_scales[i]
        for k in range(scheme.times.shape[0]):
            correction[k, i] = scheme.pair_right[0, k].real * second - scheme.pair_right[0, k].imag * third
            if real:
                correction[k, i] += scheme.real_right[0, k] * first


@compiled(inline=True)
def correct_in_lanes(scheme, stages, matrix, lanes, correction):
    """The corrections (S, nv) of accelerations from the residuals of all stages."""
    fill_sides(scheme, stages, matrix, lanes)
    solve_in_lanes(lanes)
    unpack_corrections(scheme, stages, matrix, lanes, correction)
