"""Collocation stages side by side, one to a SIMD lane: their states, their residuals, the solution with Newton's blocks.

For robots without constraint rows on which nothing acts from outside, all stages go through inverse dynamics at once. The blocks
of Newton's matrix are packed side by side too: lane 0 is the real block, lanes 1 and 2 are the real and the imaginary part of
the complex one,

    (x0, x1, x2) -> F0 * (x0, x1, x2) + F1 * (x0, x2, x1),    F0 = (R, A, A),    F1 = (0, -B, B)    for entries R and A + i B.
"""

from __future__ import annotations

from locodyn.dynamics.inverse_dynamics import inverse_dynamics
from locodyn.dynamics.joint_laws import joint_forces
from locodyn.integrate.implicit.scratch import (
    CURVED,
    EVALUATIONS,
    LANE_A,
    LANE_FORCES,
    LANE_Q,
    LANE_STATE,
    LANE_TAU,
    LANE_U,
    LANE_V,
    NEW,
    PAIR_SCALE,
    REAL_SCALE,
)
from locodyn.kernel import fma, kernel, lit, routine, step
from locodyn.kernel.lanes import WIDTH, as_lanes, swap_middle
from locodyn.locomotion.rhs import actuator_forces, read_laws
from locodyn.robot.layout import CODE, COUNT_V, FIRST_Q, FIRST_V, MASS, PARENT, ROD, ROOT
from locodyn.shape.configuration import moved_configuration


@step
def scheme_in_lanes(c, h, s):
    """Coefficients of a step of length h, one stage to a lane: h c, then h^2 B2, h B1, B0, column by column. The last stage fills
    up the register."""
    stages = c.times.shape[0]
    for m in range(s.lane_scheme.shape[1]):
        k = min(m, stages - 1)
        s.lane_scheme[0, m] = h * c.times[k]
        for j in range(stages):
            s.lane_scheme[3 * j + 1, m] = h * h * c.positions[k, j]
            s.lane_scheme[3 * j + 2, m] = h * c.velocities[k, j]
            s.lane_scheme[3 * j + 3, m] = c.accelerations[k, j]


@routine
def states_in_lanes(frames, q, known, correction, curved, unknown, scheme, x):
    """Configurations, velocities and accelerations of all stages from the unknowns A (S, nv), into the lanes of x.

    ``known`` (3 S, nv): its second row is the velocity v at the beginning. U = h c v + h^2 B2 A, V = v + h B1 A, a = B0 A.
    """
    u = as_lanes(x[LANE_U])
    v = as_lanes(x[LANE_V])
    a = as_lanes(x[LANE_A])
    factors = as_lanes(scheme)
    stages = unknown.shape[0]
    for i in range(unknown.shape[1]):
        start = lit(u[0], known[1, i])
        one = factors[0] * start
        two = start
        three = lit(u[0], 0.0)
        for j in range(stages):
            part = lit(u[0], unknown[j, i])
            one = fma(factors[3 * j + 1], part, one)
            two = fma(factors[3 * j + 2], part, two)
            three = fma(factors[3 * j + 3], part, three)
        u[i] = one
        v[i] = two
        a[i] = three
    if curved:
        for i in range(unknown.shape[1]):
            for m in range(WIDTH):
                x[LANE_U, i, m] += correction[min(m, stages - 1), i]
    moved_configuration(frames, q, u, as_lanes(x[LANE_Q]))


@kernel
def impose_lane(p, inputs, k, last, x):
    """Imposed coordinates of stage k where their motion says; those of the ``last`` stage fill up the register."""
    for frame in range(p.frames.shape[0]):
        first = p.frames[frame, FIRST_V]
        for i in range(first, first + p.frames[frame, COUNT_V]):
            if p.imposed[i] != 0:
                for m in range(k, k + 1 if k < last else WIDTH):
                    x[LANE_Q, p.frames[frame, FIRST_Q] + i - first, m] = inputs.motion[0, i]
                    x[LANE_V, i, m] = inputs.motion[1, i]
                    x[LANE_A, i, m] = inputs.motion[2, i]


@routine
def motion_in_lanes(frames, constants, dof_constants, gravity, x, work):
    """Inverse dynamics of the robots in the lanes of x (LANE_VECTORS, n, WIDTH), without wrenches, into LANE_TAU.

    Forces of joints and rods are added to LANE_FORCES.
    """
    q = as_lanes(x[LANE_Q])
    v = as_lanes(x[LANE_V])
    joint_forces(frames, dof_constants, q, v, as_lanes(x[LANE_FORCES]))
    inverse_dynamics(
        frames[: bare_ends(frames, constants)], constants, gravity, q, v, as_lanes(x[LANE_A]), as_lanes(work[:0]),
        as_lanes(work), as_lanes(x[LANE_TAU]),
    )  # fmt: skip


@step
def bare_ends(frames, constants):
    """Number of frames without the last ones that are ends of rods with nothing on them: they need no force."""
    n = frames.shape[0]
    while n > 1 and frames[n - 1, CODE] == ROD and frames[n - 1, PARENT] != frames[n - 1, ROOT]:
        for j in range(10):
            if constants[n - 1, MASS + j] != 0.0:
                return n
        n -= 1
    return n


@step
def evaluate_in_lanes(p, c, inputs, t, h, q, s):
    """Residuals of all stages of a step of length h from time t."""
    stages = c.times.shape[0]
    n = s.stage_v.shape[0]
    x = s.lanes
    states_in_lanes(p.frames, q, s.known, s.correction, s.status[CURVED] != 0.0, s.unknown, s.lane_scheme, x)
    mixed = p.imposed.shape[0] > 0
    if p.starts.shape[0] > 1:
        for k in range(stages):
            read_laws(p, t + c.times[k] * h, inputs)
            if mixed:
                impose_lane(p, inputs, k, stages - 1, x)
            actuator_forces(p, inputs, as_lanes(x[LANE_Q]), as_lanes(x[LANE_V]), as_lanes(x[LANE_TAU]))
            for i in range(n):
                for m in range(k, WIDTH):
                    x[LANE_FORCES, i, m] = x[LANE_TAU, i, m]
    else:
        actuator_forces(p, inputs, as_lanes(x[LANE_Q]), as_lanes(x[LANE_V]), as_lanes(x[LANE_FORCES]))
    motion_in_lanes(p.frames, p.constants, p.dof_constants, p.gravity, x, s.lane_work)
    for i in range(n):
        for k in range(stages):
            s.residual[k, i] = 0.0 if mixed and p.imposed[i] != 0 else x[LANE_TAU, i, k] - x[LANE_FORCES, i, k]
    s.status[EVALUATIONS] += stages


@routine
def pack_factors(c, s):
    """The factors of both blocks side by side, entry (i, j) at ``lane_factors[., j, i]``, and the order of their rows."""
    n = s.stage_v.shape[0]
    real = c.real.shape[0] > 0
    for i in range(n):
        s.lane_order[0, i] = i
        s.lane_order[1, i] = i
    for i in range(n):
        if real:
            other = s.real_pivots[i]
            s.lane_order[0, i], s.lane_order[0, other] = s.lane_order[0, other], s.lane_order[0, i]
        other = s.pair_pivots[i]
        s.lane_order[1, i], s.lane_order[1, other] = s.lane_order[1, other], s.lane_order[1, i]
    for i in range(n):
        for j in range(n):
            pair = s.pair_matrix[i, j]
            s.lane_factors[0, j, i, 0] = s.real_matrix[i, j] if real else 0.0
            s.lane_factors[0, j, i, 1] = pair.real
            s.lane_factors[0, j, i, 2] = pair.real
            s.lane_factors[1, j, i, 1] = -pair.imag
            s.lane_factors[1, j, i, 2] = pair.imag


@routine
def solve_in_lanes(factors, x):
    """LANE_STATE of x = M^-1 LANE_STATE for packed factors with the inverse of the diagonal of U, rows in their order."""
    real = as_lanes(factors[0])
    cross = as_lanes(factors[1])
    y = as_lanes(x[LANE_STATE])
    n = factors.shape[1]
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


@step
def correct_in_lanes(c, n, s):
    """The corrections of accelerations from the residuals of all stages, into ``turns[NEW]`` (S, nv)."""
    stages = c.times.shape[0]
    real = c.real.shape[0] > 0
    scales = s.long_vectors
    y = s.lanes[LANE_STATE]
    for i in range(n):
        one = s.lane_order[0, i]
        two = s.lane_order[1, i]
        first = 0.0
        second = 0.0
        third = 0.0
        for k in range(stages):
            if real:
                first -= c.real_left[0, k] * s.residual[k, one]
            second -= c.pair_left[0, k].real * s.residual[k, two]
            third -= c.pair_left[0, k].imag * s.residual[k, two]
        y[i, 0] = first * scales[REAL_SCALE, one]
        y[i, 1] = second * scales[PAIR_SCALE, two]
        y[i, 2] = third * scales[PAIR_SCALE, two]
    solve_in_lanes(s.lane_factors, s.lanes)
    for i in range(n):
        first = y[i, 0] * scales[REAL_SCALE, i]
        second = 2.0 * y[i, 1] * scales[PAIR_SCALE, i]
        third = 2.0 * y[i, 2] * scales[PAIR_SCALE, i]
        for k in range(stages):
            s.turns[NEW, k, i] = c.pair_right[0, k].real * second - c.pair_right[0, k].imag * third
            if real:
                s.turns[NEW, k, i] += c.real_right[0, k] * first
