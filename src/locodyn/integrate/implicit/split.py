"""Implicit steps on R^n x SO(3) x R^3: rotation and place of floating joints are stepped apart (Gotelli 2024, 3.3.2 and App. B).

Of a free joint, with the increment nu = (d; Theta), place first as in all twists of the library, the scheme steps

    R = R_n exp(Theta),           r = r_n + d,
    Omega = a Theta + f_Theta,    rdot = a d + f_r,       V = R^T rdot,
    Omegadot = b Theta + h_Theta, rddot = b d + h_r,      Vdot = R^T rddot + V x Omega,

so that without forces its place goes straight on, whatever the step. On SE(3) (all other runs) V itself is stepped, and motions
do not depend on where the origin of the body is. A planar joint is the same in the plane; other joints are plain numbers or
only turn. Rates and accelerations of floating joints stand in the history as (rdot; Omega) and (rddot; Omegadot).

With T the tangent map of SO(3) and A_0 = R^T rddot, pose (body axes), twist and acceleration change with nu as

    dC = (R^T, 0; 0, T),    dA = (a R^T, hat(V) T; 0, a),
    dB = ((b - a hat(Omega)) R^T, (hat(A_0) - hat(Omega) hat(V)) T + a hat(V); 0, b)

(its (B.5), in our order). :func:`split_tangent` has them, divided by powers of a and b: the derivatives K, C, M of the residual
become K' = K dC_0 + C dA_0 + M dB_0, C' = C dA_1 + M dB_1, M' = M dB_2, where the numbers say which power. The balance of forces
is taken in the axes of r as well, so that M' stays symmetric. Joints whose motion is imposed are left as they are.
"""

from __future__ import annotations

from locodyn.kernel import compiled, sincos
from locodyn.kernel.vector import add, cross, rotate, rotate_back, subtract
from locodyn.lie import so3
from locodyn.robot.layout import CODE, FIRST_Q, FIRST_V, FREE, PLANAR
from locodyn.shape.configuration import moved_configuration, quadruple, triple, write
from locodyn.world.rows import HOLONOMIC


@compiled
def floats(problem, k):
    """Whether frame k is one of a floating joint: its number of velocities, 6 or 3, or 0."""
    code = problem.frames[k, CODE]
    count = 6 if code == FREE else 3 if code == PLANAR else 0
    for i in range(count):
        if problem.imposed.shape[0] > 0 and problem.imposed[problem.frames[k, FIRST_V] + i] != 0:
            return 0
    return count


@compiled
def turn_of(problem, k, q):
    """R of a floating joint, seen from where it is fixed: 9-tuple."""
    i = problem.frames[k, FIRST_Q]
    if problem.frames[k, CODE] == FREE:
        return so3.quaternion_matrix(quadruple(q, i + 3))
    s, c = sincos(q[i + 2])
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@compiled
def parts(a, j, count):
    """(linear, angular) of the entries a[j:j+count] of a floating joint."""
    if count == 6:
        return triple(a, j), triple(a, j + 3)
    return (a[j], a[j + 1], 0.0), (0.0, 0.0, a[j + 2])


@compiled
def put(a, j, count, x, w):
    """The inverse of :func:`parts`."""
    if count == 6:
        write(a, j, x)
        write(a, j + 3, w)
    else:
        write(a, j, (x[0], x[1], w[2]))


@compiled(late=())
def split_start(problem, q, v, history):
    """Rates of floating joints into ``history.velocity``, ``history.acceleration`` changed from body axes; others as they are."""
    for i in range(v.shape[0]):
        history.velocity[i] = v[i]
    for k in range(problem.frames.shape[0]):
        count = floats(problem, k)
        if count > 0:
            j, r = problem.frames[k, FIRST_V], turn_of(problem, k, q)
            x, w = parts(v, j, count)
            ax, aw = parts(history.acceleration, j, count)
            put(history.velocity, j, count, rotate(r, x), w)
            put(history.acceleration, j, count, rotate(r, add(ax, cross(w, x))), aw)


@compiled(late=())
def split_state(problem, q, state, result, v, a):
    """``result`` = q moved by ``state.motion`` = (d; Theta); v, a (nv,), rates and accelerations, changed to body axes there.

    q may be ``result``. A way d in the axes of the place is one of T(Theta)^-T R_n^T d on SE(3), which ends at the same pose.
    """
    frames, motion, along = problem.frames, state.motion, state.along
    for i in range(v.shape[0]):
        along[i] = motion[i]
    for k in range(frames.shape[0]):
        count = floats(problem, k)
        if count > 0:
            d, theta = parts(motion, frames[k, FIRST_V], count)
            way = so3.right_jacobian_inverse_transposed_apply(theta, rotate_back(turn_of(problem, k, q), d))
            put(along, frames[k, FIRST_V], count, way, theta)
    moved_configuration(frames, q, along, result)
    for k in range(frames.shape[0]):
        count = floats(problem, k)
        if count > 0:
            j, r = frames[k, FIRST_V], turn_of(problem, k, result)
            x, w = parts(v, j, count)
            ax, aw = parts(a, j, count)
            body = rotate_back(r, x)
            put(v, j, count, body, w)
            put(a, j, count, add(rotate_back(r, ax), cross(body, w)), aw)


@compiled
def split_end(problem, history, state, q, v):
    """The state at the end of a step, in place, from rates v of floating joints, which are kept."""
    for i in range(v.shape[0]):
        history.velocity[i] = v[i]
    split_state(problem, q, state, q, v, state.a)


@compiled(late=())
def split_residual(problem, q, residual):
    """Forces on floating joints in the axes of their place, in place, (nv,)."""
    for k in range(problem.frames.shape[0]):
        count = floats(problem, k)
        if count > 0:
            f, n = parts(residual, problem.frames[k, FIRST_V], count)
            put(residual, problem.frames[k, FIRST_V], count, rotate(turn_of(problem, k, q), f), n)


@compiled
def tangent_of(problem, k, motion, w):
    """T(Theta)^T w of a floating joint, for its step Theta in ``motion``."""
    if problem.frames[k, CODE] == PLANAR:
        return w
    return so3.right_jacobian_transposed_apply(triple(motion, problem.frames[k, FIRST_V] + 3), w)


@compiled(late=())
def split_tangent(problem, state, tangent):
    """Derivatives of the residual by positions, rates and accelerations: by nu and along the axes of places, in place."""
    for k in range(problem.frames.shape[0]):
        count = floats(problem, k)
        if count > 0:
            j, r = problem.frames[k, FIRST_V], turn_of(problem, k, state.q)
            split_columns(problem, k, count, j, r, state, tangent)
            turn_rows(r, j, count, tangent.by_q)
            turn_rows(r, j, count, tangent.by_v)
            turn_rows(r, j, count, tangent.by_a)
            turn_rows(r, j, count, tangent.by_z)


@compiled
def turn_rows(r, j, count, matrix):
    """Rows j, j + 1 (and j + 2) of a matrix in the axes of the place."""
    for c in range(matrix.shape[1]):
        f = rotate(r, (matrix[j, c], matrix[j + 1, c], matrix[j + 2, c] if count == 6 else 0.0))
        matrix[j, c] = f[0]
        matrix[j + 1, c] = f[1]
        if count == 6:
            matrix[j + 2, c] = f[2]


@compiled
def split_columns(problem, k, count, j, r, state, tangent):
    """K', C', M' of a floating joint, row by row: x hat(V) = x x V for a row x."""
    x, w = parts(state.v, j, count)
    ax, _ = parts(state.a, j, count)
    pull = add(ax, cross(w, x))  # A_0
    for i in range(tangent.by_q.shape[0]):
        kx, kw = parts(tangent.by_q[i], j, count)
        cx, cw = parts(tangent.by_v[i], j, count)
        mx, mw = parts(tangent.by_a[i], j, count)
        turned = add(add(kw, cross(cx, x)), subtract(cross(mx, pull), cross(cross(mx, w), x)))
        put(tangent.by_q[i], j, count, rotate(r, kx), tangent_of(problem, k, state.motion, turned))
        put(tangent.by_v[i], j, count, rotate(r, subtract(cx, cross(mx, w))), add(cw, cross(mx, x)))
        put(tangent.by_a[i], j, count, rotate(r, mx), mw)
    for i in range(tangent.rate_by_q.shape[0]):  # of states of laws
        kx, kw = parts(tangent.rate_by_q[i], j, count)
        cx, cw = parts(tangent.rate_by_v[i], j, count)
        put(tangent.rate_by_q[i], j, count, rotate(r, kx), tangent_of(problem, k, state.motion, add(kw, cross(cx, x))))
        put(tangent.rate_by_v[i], j, count, rotate(r, cx), cw)


@compiled(late=())
def split_rows(problem, rows, state, matrix, scales, n, ratio, block):
    """The rows of Newton's matrix along floating joints by nu, and the forces of rows on these, after ``add_rows_to``.

    A row that is held by positions changes by J dC, one held by velocities by J dA_1 + ratio (slopes dC + J dA_0).
    """
    place = rows.place
    for k in range(problem.frames.shape[0]):
        count = floats(problem, k)
        j = problem.frames[k, FIRST_V]
        if count == 0 or place[j] < 0:
            continue
        r = turn_of(problem, k, state.q)
        x, _ = parts(state.v, j, count)
        for m in range(rows.active.shape[0]):
            if matrix.chosen[m] == 0 or scales[n + m] == 0.0:
                continue
            across, about = parts(rows.jacobian[rows.active[m]], place[j], count)
            if rows.flags[rows.active[m]] & HOLONOMIC:
                put(block[n + m], j, count, rotate(r, across), tangent_of(problem, k, state.motion, about))
            else:
                sx, sw = parts(matrix.slopes[m], j, count)
                turned = tangent_of(problem, k, state.motion, add(sw, cross(across, x)))
                by_turn = (about[0] + ratio * turned[0], about[1] + ratio * turned[1], about[2] + ratio * turned[2])
                by_way = (across[0] + ratio * sx[0], across[1] + ratio * sx[1], across[2] + ratio * sx[2])
                put(block[n + m], j, count, rotate(r, by_way), by_turn)
            for i in range(j, j + count):
                block[n + m, i] *= scales[i] * scales[n + m]
            force = rotate(r, across)
            for i in range(3 if count == 6 else 2):
                block[j + i, n + m] = -scales[j + i] * scales[n + m] * force[i]
